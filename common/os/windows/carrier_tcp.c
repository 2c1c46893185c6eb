/* SPDX-License-Identifier: MIT */
/* windows/carrier_tcp.c - streams over TCP. */
#include "common/os/windows/win.h"

#include <string.h>

#include "common/os/clock.h"

/* Frames and batches leave at once: the writer has gathered already. A peer that vanished is
 * found by the system's keepalive, as the last resort where nothing above asks.
 */
static int tcp_open(SOCKET s, const struct sockaddr_storage *peer, struct os_stream **ret)
{
    static const DWORD on = 1;
    struct address from;
    char text[ADDRESS_TEXT_MAX];

    win_address(peer, &from);
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, (const char *)&on, (int)sizeof on);
    setsockopt(s, SOL_SOCKET, SO_KEEPALIVE, (const char *)&on, (int)sizeof on);
    int r = win_set_blocking(s, true);
    if (r < 0) {
        closesocket(s);
        return r;
    }
    return win_stream_new(s, 0, address_format(&from, text, sizeof text), ret);
}

/* ---- dial -------------------------------------------------------------------------------- */

/* How a connect under way ended: 0, ERR_AGAIN (not yet), or the error. */
static int connect_look(SOCKET s, DWORD wait_ms)
{
    enum { US_PER_MS = 1000 };
    fd_set writable, failed;
    struct timeval t = {.tv_usec = (long)wait_ms * US_PER_MS}; /* less than a second */
    DWORD code = 0;
    int length = (int)sizeof code;

    FD_ZERO(&writable);
    FD_ZERO(&failed);
    FD_SET(s, &writable);
    FD_SET(s, &failed);
    int n = select(0, NULL, &writable, &failed, &t);
    if (n < 0)
        return win_fail_dial((DWORD)WSAGetLastError());
    if (n == 0)
        return ERR_AGAIN;
    if (!FD_ISSET(s, &failed))
        return 0;
    if (getsockopt(s, SOL_SOCKET, SO_ERROR, (char *)&code, &length) != 0)
        code = (DWORD)WSAGetLastError();
    return win_fail_dial(code);
}

static int connect_wait(SOCKET s, const struct win_waiter *waiter)
{
    for (;;) {
        if (win_waiter_is_canceled(waiter))
            return ERR_CANCELED;
        DWORD wait_ms = win_wait_ms(waiter->deadline_ms, OS_CANCEL_POLL_MS);
        int r = connect_look(s, wait_ms);
        if (r != ERR_AGAIN)
            return r;
        if (wait_ms == 0)
            return win_fail(WSAETIMEDOUT);
    }
}

static int connect_to(const ADDRINFOEXW *to, const struct win_waiter *waiter, SOCKET *ret)
{
    SOCKET s = WSASocketW(to->ai_family, SOCK_STREAM, 0, NULL, 0,
                          WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);

    if (s == INVALID_SOCKET)
        return win_fail_last();
    int r = win_set_blocking(s, false);
    if (r == 0 && connect(s, to->ai_addr, (int)to->ai_addrlen) == SOCKET_ERROR)
        r = WSAGetLastError() == WSAEWOULDBLOCK ? connect_wait(s, waiter)
                                                : win_fail_dial((DWORD)WSAGetLastError());
    if (r < 0) {
        closesocket(s);
        return r;
    }
    *ret = s;
    return 0;
}

static unsigned count_resolved(const ADDRINFOEXW *list)
{
    unsigned n = 0;

    for (; list != NULL; list = win_resolved_next(list))
        n++;
    return n;
}

/* Each address gets an equal part of the time that is left, so that a dead one takes it from
 * none.
 */
static int connect_first(const ADDRINFOEXW *list, const struct win_waiter *waiter,
                         struct os_stream **ret)
{
    int r = ERR_NOT_FOUND;

    for (const ADDRINFOEXW *to = list; to != NULL; to = win_resolved_next(to)) {
        struct sockaddr_storage peer = {0};
        struct win_waiter part = *waiter;
        uint64_t now = os_clock_ms();
        SOCKET s = INVALID_SOCKET;
        if (waiter->deadline_ms > now)
            part.deadline_ms = now + (waiter->deadline_ms - now) / count_resolved(to);
        r = connect_to(to, &part, &s);
        if (r == ERR_CANCELED)
            break;
        if (r == 0) {
            memcpy(&peer, to->ai_addr, to->ai_addrlen);
            return tcp_open(s, &peer, ret);
        }
    }
    return r;
}

static int tcp_dial(const struct os_target *target, unsigned timeout_ms,
                    bool (*is_canceled)(void *), void *arg, struct os_stream **ret)
{
    const struct win_waiter waiter = {
        .deadline_ms = os_clock_ms() + timeout_ms, .is_canceled = is_canceled, .arg = arg};
    ADDRINFOEXW *list;
    int r = win_resolve(target->endpoint, SOCK_STREAM, &waiter, &list);

    if (r < 0)
        return r;
    r = connect_first(list, &waiter, ret);
    FreeAddrInfoExW(list);
    return r;
}

/* ---- listen ------------------------------------------------------------------------------ */

static int tcp_listen(const struct os_target *target, struct os_listener **ret)
{
    SOCKET s = INVALID_SOCKET;
    int r = win_inet_listen(target->endpoint, &s);

    return r < 0 ? r : win_listener_new(s, win_inet_port(s), tcp_open, ret);
}

const struct os_carrier win_carrier_tcp = {
    .name = "tcp",
    .dial = tcp_dial,
    .listen = tcp_listen,
};
