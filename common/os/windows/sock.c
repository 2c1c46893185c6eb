/* SPDX-License-Identifier: MIT */
/* windows/sock.c - sockets that never block: listeners and the connections of senders. */
#include "common/os/poll.h"

#include "common/os/windows/sock.h"

#include <stdlib.h>

/* Takes <s>, also on failure. */
static int sock_new(SOCKET s, uint16_t port, struct os_sock **ret)
{
    struct os_sock *sock;
    int r = win_set_blocking(s, false);

    if (r < 0)
        goto fail;
    sock = malloc(sizeof *sock);
    if (sock == NULL) {
        r = win_fail(ERROR_NOT_ENOUGH_MEMORY);
        goto fail;
    }
    *sock = (struct os_sock){.s = s, .port = port, .index = SOCK_UNWATCHED};
    *ret = sock;
    return 0;

fail:
    closesocket(s);
    return r;
}

int os_sock_listen(const struct endpoint *endpoint, struct os_sock **ret)
{
    SOCKET s;

    if (endpoint->kind != ENDPOINT_TCP)
        return win_fail(WSAEAFNOSUPPORT);
    int r = win_inet_listen(endpoint, &s);
    return r < 0 ? r : sock_new(s, win_inet_port(s), ret);
}

uint16_t os_sock_port(const struct os_sock *s)
{
    return s->port;
}

static int accept_error(DWORD code)
{
    int r = win_fail(code);

    if (r == ERR_AGAIN || r == ERR_CLOSED)
        return ERR_AGAIN;
    return r == ERR_FULL || r == ERR_NO_MEMORY ? ERR_FULL : ERR_IO;
}

int os_sock_accept(struct os_sock *listener, struct os_sock **ret, struct address *ret_peer)
{
    struct sockaddr_storage peer = {0};
    int length = (int)sizeof peer;
    SOCKET s = accept(listener->s, (struct sockaddr *)&peer, &length);

    if (s == INVALID_SOCKET)
        return accept_error((DWORD)WSAGetLastError());
    SetHandleInformation((HANDLE)s, HANDLE_FLAG_INHERIT, 0);
    int r = sock_new(s, 0, ret);
    if (r < 0)
        return r == ERR_NO_MEMORY ? ERR_FULL : ERR_AGAIN;
    win_address(&peer, ret_peer);
    return 0;
}

ptrdiff_t os_sock_read(struct os_sock *s, void *data, size_t length)
{
    int n = recv(s->s, data, length > INT_MAX ? INT_MAX : (int)length, 0);

    if (n > 0)
        return n;
    if (n == 0)
        return ERR_CLOSED;
    return win_fail((DWORD)WSAGetLastError()) == ERR_AGAIN ? ERR_AGAIN : ERR_IO;
}

void os_sock_close(struct os_sock *s)
{
    if (s == NULL)
        return;
    closesocket(s->s);
    free(s);
}
