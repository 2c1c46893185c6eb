/* SPDX-License-Identifier: MIT */
/* windows/listener.c - a listening socket: select() in steps, so that a cancel is seen. */
#include "common/os/windows/win.h"

#include <stdatomic.h>
#include <stdlib.h>

struct socket_listener {
    struct os_listener base;
    SOCKET s;
    win_open_fn *open;
    atomic_bool is_canceled;
};

static struct socket_listener *own(struct os_listener *base)
{
    return (struct socket_listener *)base;
}

/* Whether the listener, the whole system or one connection failed. */
static int accept_error(int r)
{
    switch (r) {
    case ERR_AGAIN:
    case ERR_CLOSED:
        return ERR_AGAIN;
    case ERR_FULL:
    case ERR_NO_MEMORY:
        return ERR_FULL;
    default:
        return ERR_IO;
    }
}

static int accept_one(struct socket_listener *l, struct os_stream **ret)
{
    struct sockaddr_storage peer = {0};
    int length = (int)sizeof peer;
    SOCKET s = accept(l->s, (struct sockaddr *)&peer, &length);

    if (s == INVALID_SOCKET) {
        int r = accept_error(win_fail((DWORD)WSAGetLastError()));
        return atomic_load(&l->is_canceled) ? ERR_CANCELED : r;
    }
    SetHandleInformation((HANDLE)s, HANDLE_FLAG_INHERIT, 0);
    int r = l->open(s, &peer, ret);
    return r == 0 ? 0 : r == ERR_NO_MEMORY ? ERR_FULL : ERR_AGAIN;
}

static int listener_accept(struct os_listener *base, struct os_stream **ret)
{
    struct socket_listener *l = own(base);
    int n;

    do {
        if (atomic_load(&l->is_canceled))
            return ERR_CANCELED;
        n = win_wait_readable(l->s, OS_CANCEL_POLL_MS);
    } while (n == 0);
    if (n < 0) {
        win_fail_last();
        return atomic_load(&l->is_canceled) ? ERR_CANCELED : ERR_IO;
    }
    return accept_one(l, ret);
}

/* CancelIoEx() is for an accept() whose connection vanished behind select(). */
static void listener_cancel(struct os_listener *base)
{
    struct socket_listener *l = own(base);

    atomic_store(&l->is_canceled, true);
    CancelIoEx((HANDLE)l->s, NULL);
}

static void listener_close(struct os_listener *base)
{
    struct socket_listener *l = own(base);

    closesocket(l->s);
    free(l);
}

static const struct os_listener_ops LISTENER_OPS = {
    .accept = listener_accept,
    .cancel = listener_cancel,
    .close = listener_close,
};

int win_listener_new(SOCKET s, uint32_t port, win_open_fn *open, struct os_listener **ret)
{
    struct socket_listener *l = calloc(1, sizeof *l);

    if (l == NULL) {
        closesocket(s);
        return win_fail(ERROR_NOT_ENOUGH_MEMORY);
    }
    l->base = (struct os_listener){.ops = &LISTENER_OPS, .port = port};
    l->s = s;
    l->open = open;
    atomic_init(&l->is_canceled, false);
    *ret = &l->base;
    return 0;
}
