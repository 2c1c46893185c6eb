/* SPDX-License-Identifier: MIT */
/* windows/carrier_hvsock.c - streams over Hyper-V sockets, the only file that knows AF_HYPERV.
 *
 * What is known of them, from microsoft/WSL (src/windows/common/hvsocket.cpp, WslCoreVm.cpp),
 * go-winio (hvsock.go), hcsshim, wslbridge2, linuxkit/virtsock and mirage/ocaml-hvsock:
 *
 * - A listener must name the exact GUID of the running VM: on the wildcard or the children GUID
 *   it binds and listens without error and no connection of a WSL VM ever reaches it.
 * - bind() succeeds for anybody and for a service that another program has; listen() then
 *   fails.
 * - A dial that nobody answers is silence: connect ends with HVSOCKET_CONNECT_TIMEOUT and not
 *   before, 30 s if it is not set, and on old hosts perhaps never. So it is always set, and the
 *   wait is our own.
 * - The end of the stream has many faces: 0, reset, abort, broken pipe, not connected, timed
 *   out, or a failed call with the code 0. All are ERR_CLOSED; what arrived is told by
 *   acknowledgements.
 * - getsockname() of an accepted socket gives another service than the listener's: never asked.
 * - SO_SNDBUF, SO_RCVBUF and SO_LINGER are not known to work: never set.
 */
#include "common/os/windows/win.h"

#include <hvsocket.h>
#include <stdio.h>
#include <string.h>

#include "common/core/uuid.h"
#include "common/os/clock.h"

#ifndef AF_HYPERV
#define AF_HYPERV 34 /* in no header of mingw-w64 */
#endif

enum {
    /* The longest write found fully reliable on old versions of Windows
     * (linuxkit/linuxkit#1077).
     */
    HVSOCK_WRITE_MAX = 8 * 1024,
    HVSOCK_BACKLOG = 16,
    PEER_TEXT_MAX = UUID_TEXT_MAX + 8,
};

static GUID guid_of(const struct uuid *u)
{
    GUID g = {.Data1 = u->d1, .Data2 = u->d2, .Data3 = u->d3};

    memcpy(g.Data4, u->d4, sizeof g.Data4);
    return g;
}

static struct uuid uuid_of(const GUID *g)
{
    struct uuid u = {.d1 = (uint32_t)g->Data1, .d2 = g->Data2, .d3 = g->Data3};

    memcpy(u.d4, g->Data4, sizeof u.d4);
    return u;
}

static SOCKADDR_HV service_address(const struct os_target *target)
{
    struct uuid service = uuid_of_port(target->endpoint->port);

    return (SOCKADDR_HV){
        .Family = AF_HYPERV, .VmId = guid_of(&target->vm_id), .ServiceId = guid_of(&service)};
}

static int set_option(SOCKET s, int name, ULONG value)
{
    return setsockopt(s, HV_PROTOCOL_RAW, name, (const char *)&value, (int)sizeof value);
}

/* A paused VM suspends the connection in place of ending it. Old systems do not know the option
 * and end it, which the session above survives: so a refusal is no error.
 */
static void suspend_with_vm(SOCKET s)
{
    set_option(s, HVSOCKET_CONNECTED_SUSPEND, TRUE);
}

static int hvsock_socket(SOCKET *ret)
{
    SOCKET s = WSASocketW(AF_HYPERV, SOCK_STREAM, HV_PROTOCOL_RAW, NULL, 0,
                          WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);

    if (s == INVALID_SOCKET)
        return win_fail_last();
    *ret = s;
    return 0;
}

static int hvsock_open(SOCKET s, const GUID *vm, struct os_stream **ret)
{
    struct uuid id = uuid_of(vm);
    char peer[PEER_TEXT_MAX], text[UUID_TEXT_MAX];

    suspend_with_vm(s);
    snprintf(peer, sizeof peer, "vm %s", uuid_format(&id, text));
    return win_stream_new(s, HVSOCK_WRITE_MAX, peer, ret);
}

/* ---- dial -------------------------------------------------------------------------------- */

/* By overlapped ConnectEx(), as WSL itself and go-winio do it. A blocking connect() cannot be
 * called off, and a row of short ones would withdraw each offer before a slow guest took it.
 */
static int connect_ex_find(SOCKET s, LPFN_CONNECTEX *ret)
{
    GUID id = WSAID_CONNECTEX;
    DWORD n;

    return WSAIoctl(s, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id, ret, sizeof *ret, &n,
                    NULL, NULL) == 0
               ? 0
               : win_fail_last();
}

/* Waits for the connect that fills <o>. When it is called off it still has to be waited for,
 * since the system writes to <o> until it has ended; it may have succeeded at the last moment.
 */
static int connect_wait(SOCKET s, OVERLAPPED *o, const struct win_waiter *waiter)
{
    DWORD n, flags;
    int why = 0;

    while (why == 0) {
        DWORD wait_ms = win_wait_ms(waiter->deadline_ms, OS_CANCEL_POLL_MS);
        if (win_waiter_is_canceled(waiter))
            why = ERR_CANCELED;
        else if (WaitForSingleObject(o->hEvent, wait_ms) == WAIT_OBJECT_0)
            break;
        else if (wait_ms == 0)
            why = ERR_TIMEOUT;
    }
    if (why < 0)
        CancelIoEx((HANDLE)s, o);
    if (WSAGetOverlappedResult(s, o, &n, TRUE, &flags))
        return why == ERR_CANCELED ? ERR_CANCELED : 0;
    int r = win_fail_dial((DWORD)WSAGetLastError());
    return why < 0 ? why : r;
}

static int connect_to(SOCKET s, const SOCKADDR_HV *to, const struct win_waiter *waiter)
{
    const SOCKADDR_HV any = {.Family = AF_HYPERV};
    OVERLAPPED o = {0};
    LPFN_CONNECTEX connect_ex;

    /* ConnectEx() wants a bound socket. */
    if (bind(s, (const struct sockaddr *)&any, (int)sizeof any) == SOCKET_ERROR)
        return win_fail_dial((DWORD)WSAGetLastError());
    int r = connect_ex_find(s, &connect_ex);
    if (r < 0)
        return r;
    o.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (o.hEvent == NULL)
        return win_fail_last();
    if (!connect_ex(s, (const struct sockaddr *)to, (int)sizeof *to, NULL, 0, NULL, &o))
        r = WSAGetLastError() == ERROR_IO_PENDING ? connect_wait(s, &o, waiter)
                                                  : win_fail_dial((DWORD)WSAGetLastError());
    CloseHandle(o.hEvent);
    /* Without it shutdown() would not know the connection. */
    if (r == 0 && setsockopt(s, SOL_SOCKET, SO_UPDATE_CONNECT_CONTEXT, NULL, 0) == SOCKET_ERROR)
        r = win_fail_dial((DWORD)WSAGetLastError());
    return r;
}

static ULONG connect_timeout(unsigned timeout_ms)
{
    if (timeout_ms == 0)
        return 1;
    return timeout_ms < HVSOCKET_CONNECT_TIMEOUT_MAX ? timeout_ms
                                                     : HVSOCKET_CONNECT_TIMEOUT_MAX;
}

static int hvsock_dial(const struct os_target *target, unsigned timeout_ms,
                       bool (*is_canceled)(void *), void *arg, struct os_stream **ret)
{
    const struct win_waiter waiter = {
        .deadline_ms = os_clock_ms() + timeout_ms, .is_canceled = is_canceled, .arg = arg};
    const SOCKADDR_HV to = service_address(target);
    SOCKET s = INVALID_SOCKET;

    if (uuid_is_zero(&target->vm_id))
        return win_fail(WSAEADDRNOTAVAIL); /* what Windows says to a dialled wildcard */
    int r = hvsock_socket(&s);
    if (r < 0)
        return r;
    if (set_option(s, HVSOCKET_CONNECT_TIMEOUT, connect_timeout(timeout_ms)) == SOCKET_ERROR)
        r = win_fail_last();
    else
        r = connect_to(s, &to, &waiter);
    if (r < 0) {
        closesocket(s);
        return r;
    }
    return hvsock_open(s, &to.VmId, ret);
}

/* ---- listen ------------------------------------------------------------------------------ */

static int hvsock_accepted(SOCKET s, const struct sockaddr_storage *peer,
                           struct os_stream **ret)
{
    SOCKADDR_HV from;

    memcpy(&from, peer, sizeof from);
    return hvsock_open(s, &from.VmId, ret);
}

/* hcsshim's test/functional/hvsock_test.go has the first two rows; that all else means a
 * service that another program has is inferred: bind() succeeds for a duplicate, and no code is
 * published.
 */
static int listen_error(DWORD code)
{
    int r = win_fail(code);

    if (r == ERR_ACCESS)
        return ERR_ACCESS; /* neither SYSTEM nor the user who owns the VM */
    if (code == WSAEINVAL)
        return ERR_UNSUPPORTED; /* the service is disabled by policy */
    return ERR_IN_USE;
}

static int hvsock_listen(const struct os_target *target, struct os_listener **ret)
{
    const SOCKADDR_HV at = service_address(target);
    SOCKET s = INVALID_SOCKET;

    if (uuid_is_zero(&target->vm_id))
        return win_fail(WSAEADDRNOTAVAIL); /* it would listen for ever and hear nothing */
    int r = hvsock_socket(&s);
    if (r < 0)
        return r;
    suspend_with_vm(s);
    if (bind(s, (const struct sockaddr *)&at, (int)sizeof at) == SOCKET_ERROR)
        r = win_fail_last();
    else if (listen(s, HVSOCK_BACKLOG) == SOCKET_ERROR)
        r = listen_error((DWORD)WSAGetLastError());
    if (r < 0) {
        closesocket(s);
        return r;
    }
    return win_listener_new(s, target->endpoint->port, hvsock_accepted, ret);
}

const struct os_carrier win_carrier_hvsock = {
    .name = "hvsock",
    .dial = hvsock_dial,
    .listen = hvsock_listen,
};
