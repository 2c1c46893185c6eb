/* SPDX-License-Identifier: MIT */
/* windows/inet.c - IP addresses, names and bound sockets. */
#include "common/os/windows/win.h"

#include <stdio.h>
#include <string.h>

#include "common/os/clock.h"

/* In ws2_32 since Windows 8; the headers of mingw-w64 10 leave them out. */
WINSOCK_API_LINKAGE INT WSAAPI GetAddrInfoExOverlappedResult(LPOVERLAPPED overlapped);
WINSOCK_API_LINKAGE INT WSAAPI GetAddrInfoExCancel(LPHANDLE handle);

enum { PORT_TEXT_MAX = 8 };

bool win_waiter_is_canceled(const struct win_waiter *w)
{
    return w->is_canceled != NULL && w->is_canceled(w->arg);
}

void win_address(const struct sockaddr_storage *from, struct address *ret)
{
    if (from->ss_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, from, sizeof in);
        address_init(ret, ADDRESS_IPV4, (const uint8_t *)&in.sin_addr, ntohs(in.sin_port));
    } else if (from->ss_family == AF_INET6) {
        struct sockaddr_in6 in6;
        memcpy(&in6, from, sizeof in6);
        address_init(ret, ADDRESS_IPV6, in6.sin6_addr.s6_addr, ntohs(in6.sin6_port));
    } else {
        *ret = (struct address){.family = ADDRESS_NONE};
    }
}

/* ---- names ------------------------------------------------------------------------------- */

struct lookup {
    OVERLAPPED overlapped;
    HANDLE cancel;
    ADDRINFOEXW *list;
};

/* Waits for a lookup that the system does on its own. A canceled one must still be waited for,
 * since the system writes to <l> until it ends.
 */
static int lookup_wait(struct lookup *l, const struct win_waiter *waiter)
{
    int r = 0;

    while (WaitForSingleObject(l->overlapped.hEvent,
                               win_wait_ms(waiter->deadline_ms, OS_CANCEL_POLL_MS)) !=
           WAIT_OBJECT_0) {
        if (win_waiter_is_canceled(waiter))
            r = ERR_CANCELED;
        else if (win_wait_ms(waiter->deadline_ms, 1) == 0)
            r = ERR_TIMEOUT;
        if (r < 0) {
            GetAddrInfoExCancel(&l->cancel);
            WaitForSingleObject(l->overlapped.hEvent, INFINITE);
            break;
        }
    }
    if (r == 0) {
        int code = GetAddrInfoExOverlappedResult(&l->overlapped);
        r = code == 0 ? 0 : win_fail((DWORD)code);
    }
    return r;
}

static int lookup(const wchar_t *host, const wchar_t *port, const ADDRINFOEXW *hints,
                  const struct win_waiter *waiter, ADDRINFOEXW **ret)
{
    struct lookup l = {.overlapped = {.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL)}};

    if (l.overlapped.hEvent == NULL)
        return win_fail_last();
    int code = GetAddrInfoExW(host, port, NS_DNS, NULL, hints, &l.list, NULL, &l.overlapped,
                              NULL, &l.cancel);
    int r = 0;
    if (code == WSA_IO_PENDING)
        r = lookup_wait(&l, waiter);
    else if (code != 0)
        r = win_fail((DWORD)code);
    CloseHandle(l.overlapped.hEvent);
    if (r < 0 && l.list != NULL)
        FreeAddrInfoExW(l.list);
    else if (r == 0)
        *ret = l.list;
    return r;
}

int win_resolve(const struct endpoint *endpoint, int socktype, const struct win_waiter *waiter,
                ADDRINFOEXW **ret)
{
    wchar_t port[PORT_TEXT_MAX], host[ENDPOINT_HOST_MAX + 1];
    ADDRINFOEXW hints = {.ai_family = AF_UNSPEC, .ai_socktype = socktype};

    swprintf(port, PORT_TEXT_MAX, L"%u", (unsigned)endpoint->port);
    if (MultiByteToWideChar(CP_UTF8, 0, endpoint->host, -1, host, ENDPOINT_HOST_MAX + 1) == 0)
        return win_fail_last();
    if (endpoint->host_kind == ENDPOINT_HOST_NAME)
        return lookup(host, port, &hints, waiter, ret);

    /* Literal addresses, which nobody has to be asked for. */
    hints.ai_flags = AI_NUMERICHOST;
    int code = GetAddrInfoExW(host, port, NS_DNS, NULL, &hints, ret, NULL, NULL, NULL, NULL);
    return code == 0 ? 0 : win_fail((DWORD)code);
}

/* ---- bound sockets ----------------------------------------------------------------------- */

/* The address to bind in <ret>, and its length. Any-addresses are IPv6 or IPv4, as <family>
 * says.
 */
static int bind_address(const struct endpoint *endpoint, int family,
                        struct sockaddr_storage *ret)
{
    const uint8_t *ip = endpoint->address.ip;

    memset(ret, 0, sizeof *ret);
    if (family == AF_INET) {
        struct sockaddr_in in = {.sin_family = AF_INET,
                                 .sin_port = htons((u_short)endpoint->port)};
        if (endpoint->host_kind == ENDPOINT_HOST_LITERAL)
            memcpy(&in.sin_addr, ip, sizeof in.sin_addr);
        memcpy(ret, &in, sizeof in);
        return (int)sizeof in;
    }
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6,
                               .sin6_port = htons((u_short)endpoint->port)};
    if (endpoint->host_kind == ENDPOINT_HOST_LITERAL)
        memcpy(&in6.sin6_addr, ip, sizeof in6.sin6_addr);
    memcpy(ret, &in6, sizeof in6);
    return (int)sizeof in6;
}

static int set_option(SOCKET s, int level, int name, DWORD value)
{
    return setsockopt(s, level, name, (const char *)&value, (int)sizeof value);
}

static int bind_family(const struct endpoint *endpoint, int family, int socktype,
                       uint32_t receive_buffer, SOCKET *ret)
{
    struct sockaddr_storage address;
    int length = bind_address(endpoint, family, &address);
    SOCKET s = WSASocketW(family, socktype, 0, NULL, 0,
                          WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);

    if (s == INVALID_SOCKET)
        return win_fail_last();
    /* Without it a busy port could be bound as well, and nobody knows who gets what arrives. */
    set_option(s, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1);
    if (family == AF_INET6)
        set_option(s, IPPROTO_IPV6, IPV6_V6ONLY, endpoint->host_kind == ENDPOINT_HOST_LITERAL);
    /* Before bind(): what arrives first shall find the room. */
    if (receive_buffer > 0)
        set_option(s, SOL_SOCKET, SO_RCVBUF,
                   receive_buffer > INT_MAX ? INT_MAX : receive_buffer);
    if (bind(s, (struct sockaddr *)&address, length) == SOCKET_ERROR) {
        DWORD code = (DWORD)WSAGetLastError();
        closesocket(s);
        return win_fail(code);
    }
    *ret = s;
    return 0;
}

/* WSAEACCES from bind() means that another program has the port exclusively, as often as that
 * the system has reserved it; both are "in use" to the user, and no ordinary port asks for
 * rights.
 */
static int bind_error(int r)
{
    return r == ERR_ACCESS ? ERR_IN_USE : r;
}

int win_inet_bind(const struct endpoint *endpoint, int socktype, uint32_t receive_buffer,
                  SOCKET *ret)
{
    if (endpoint->host_kind == ENDPOINT_HOST_LITERAL) {
        int family = endpoint->address.family == ADDRESS_IPV6 ? AF_INET6 : AF_INET;
        return bind_error(bind_family(endpoint, family, socktype, receive_buffer, ret));
    }
    if (endpoint->host_kind != ENDPOINT_HOST_ANY)
        return ERR_NOT_FOUND;
    int r = bind_family(endpoint, AF_INET6, socktype, receive_buffer, ret);
    /* A machine without IPv6 has no such family, or the family and no address. */
    if (r == ERR_UNSUPPORTED || r == ERR_NOT_FOUND)
        r = bind_family(endpoint, AF_INET, socktype, receive_buffer, ret);
    return bind_error(r);
}

int win_inet_listen(const struct endpoint *endpoint, SOCKET *ret)
{
    SOCKET s;
    int r = win_inet_bind(endpoint, SOCK_STREAM, 0, &s);

    if (r < 0)
        return r;
    if (listen(s, SOMAXCONN) == SOCKET_ERROR) {
        r = bind_error(win_fail_last());
        closesocket(s);
        return r;
    }
    *ret = s;
    return 0;
}

uint16_t win_inet_port(SOCKET s)
{
    struct sockaddr_storage local;
    struct address a = {0};
    int length = (int)sizeof local;

    if (getsockname(s, (struct sockaddr *)&local, &length) == 0)
        win_address(&local, &a);
    return a.port;
}

/* ---- waiting ----------------------------------------------------------------------------- */

int win_set_blocking(SOCKET s, bool is_blocking)
{
    u_long is_nonblocking = !is_blocking;

    return ioctlsocket(s, (long)FIONBIO, &is_nonblocking) == 0 ? 0 : win_fail_last();
}

int win_wait_readable(SOCKET s, DWORD wait_ms)
{
    enum { MS_PER_S = 1000, US_PER_MS = 1000 };
    fd_set readable;
    struct timeval t = {.tv_sec = (long)(wait_ms / MS_PER_S),
                        .tv_usec = (long)(wait_ms % MS_PER_S) * US_PER_MS};

    FD_ZERO(&readable);
    FD_SET(s, &readable);
    return select(0, &readable, NULL, NULL, &t);
}
