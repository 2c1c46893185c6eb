/* SPDX-License-Identifier: MIT */
/* hyperv_standin.c - AF_HYPERV on loopback TCP, by wrapped import pointers. */
#include "tests/support/hyperv_standin.h"

#include "tests/support/hyperv_private.h"

#include <hvsocket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FAMILY_HYPERV = 34,
    SOCKETS_MAX = 256,
    PUBLISHED_MAX = 16,
    CONNECT_TIMEOUT_DEFAULT_MS = 30000,
    EPHEMERAL_PORT_FIRST = INT32_MIN, /* 0x80000000 as Data1 of the service */
};

/* ---- the system's own -------------------------------------------------------------------- */

typedef BOOL WINAPI cancel_fn(HANDLE, LPOVERLAPPED);
typedef BOOL WSAAPI overlapped_result_fn(SOCKET, LPWSAOVERLAPPED, LPDWORD, BOOL, LPDWORD);
typedef int WSAAPI ioctl_fn(SOCKET, DWORD, LPVOID, DWORD, LPVOID, DWORD, LPDWORD,
                            LPWSAOVERLAPPED, LPWSAOVERLAPPED_COMPLETION_ROUTINE);
typedef SOCKET WSAAPI socket_fn(int, int, int, LPWSAPROTOCOL_INFOW, GROUP, DWORD);
typedef SOCKET WSAAPI accept_fn(SOCKET, struct sockaddr *, int *);
typedef int WSAAPI bind_fn(SOCKET, const struct sockaddr *, int);
typedef int WSAAPI close_fn(SOCKET);
typedef int WSAAPI name_fn(SOCKET, struct sockaddr *, int *);
typedef int WSAAPI number_fn(SOCKET, int);
typedef int WSAAPI recv_fn(SOCKET, LPWSABUF, DWORD, LPDWORD, LPDWORD, LPWSAOVERLAPPED,
                           LPWSAOVERLAPPED_COMPLETION_ROUTINE);
typedef int WSAAPI send_fn(SOCKET, LPWSABUF, DWORD, LPDWORD, DWORD, LPWSAOVERLAPPED,
                           LPWSAOVERLAPPED_COMPLETION_ROUTINE);
typedef int WSAAPI option_fn(SOCKET, int, int, const char *, int);

extern cancel_fn *__real___imp_CancelIoEx;
extern overlapped_result_fn *__real___imp_WSAGetOverlappedResult;
extern ioctl_fn *__real___imp_WSAIoctl;
extern socket_fn *__real___imp_WSASocketW;
extern accept_fn *__real___imp_accept;
extern bind_fn *__real___imp_bind;
extern close_fn *__real___imp_closesocket;
extern name_fn *__real___imp_getsockname;
extern number_fn *__real___imp_listen;
extern recv_fn *__real___imp_WSARecv;
extern send_fn *__real___imp_WSASend;
extern option_fn *__real___imp_setsockopt;
extern number_fn *__real___imp_shutdown;

/* ---- what is known ----------------------------------------------------------------------- */

enum { FAKE_DIAL, FAKE_READ, FAKE_WRITE, FAKES };

struct hv_socket {
    SOCKET s; /* 0: this place is free */
    SOCKADDR_HV name;
    bool is_bound, is_accepted;
    bool has_no_context; /* ConnectEx() made it, and shutdown() was not told */
    DWORD connect_timeout_ms;
    size_t received;
    HANDLE file;           /* what makes a listener known, or INVALID_HANDLE_VALUE */
    HANDLE timer;          /* of a dial that nobody answers */
    OVERLAPPED *real_read; /* the read that the system was asked for */
    struct fake fakes[FAKES];
};

static SRWLOCK lock = SRWLOCK_INIT;
static struct hv_socket sockets[SOCKETS_MAX];
static HANDLE published[PUBLISHED_MAX];
static size_t published_count;
static struct hyperv_habits habits;
static struct hyperv_seen seen;
static struct uuid running;

static struct hyperv_habits habits_now(void)
{
    AcquireSRWLockShared(&lock);
    struct hyperv_habits h = habits;
    ReleaseSRWLockShared(&lock);
    return h;
}

/* The place of <s>, or NULL for a socket of another family. Places do not move, and a socket's
 * owner closes it only when nobody uses it any more, so the place can be used without the lock.
 */
static struct hv_socket *find(SOCKET s)
{
    struct hv_socket *found = NULL;

    AcquireSRWLockShared(&lock);
    for (size_t i = 0; i < SOCKETS_MAX && found == NULL; i++)
        if (sockets[i].s == s && s != 0)
            found = &sockets[i];
    ReleaseSRWLockShared(&lock);
    return found;
}

static struct hv_socket *enter(SOCKET s)
{
    struct hv_socket *place = NULL;

    AcquireSRWLockExclusive(&lock);
    for (size_t i = 0; i < SOCKETS_MAX && place == NULL; i++)
        if (sockets[i].s == 0)
            place = &sockets[i];
    if (place == NULL)
        abort(); /* a test with that many open sockets has lost some */
    *place = (struct hv_socket){
        .s = s, .connect_timeout_ms = CONNECT_TIMEOUT_DEFAULT_MS, .file = INVALID_HANDLE_VALUE};
    ReleaseSRWLockExclusive(&lock);
    return place;
}

static int fail(int code)
{
    WSASetLastError(code);
    return SOCKET_ERROR;
}

static struct uuid uuid_of(const GUID *g)
{
    struct uuid u = {.d1 = (uint32_t)g->Data1, .d2 = g->Data2, .d3 = g->Data3};

    memcpy(u.d4, g->Data4, sizeof u.d4);
    return u;
}

/* ---- what the tests call ----------------------------------------------------------------- */

void hyperv_reset(const struct uuid *vm)
{
    AcquireSRWLockExclusive(&lock);
    for (size_t i = 0; i < published_count; i++)
        CloseHandle(published[i]);
    published_count = 0;
    habits = (struct hyperv_habits){0};
    seen = (struct hyperv_seen){0};
    running = *vm;
    ReleaseSRWLockExclusive(&lock);
}

void hyperv_set_habits(const struct hyperv_habits *h)
{
    AcquireSRWLockExclusive(&lock);
    habits = *h;
    ReleaseSRWLockExclusive(&lock);
}

void hyperv_set_vm(const struct uuid *vm)
{
    AcquireSRWLockExclusive(&lock);
    running = *vm;
    for (size_t i = 0; i < SOCKETS_MAX; i++)
        if (sockets[i].s != 0)
            hyperv_file_close(&sockets[i].file);
    ReleaseSRWLockExclusive(&lock);
}

struct hyperv_seen hyperv_seen(void)
{
    AcquireSRWLockShared(&lock);
    struct hyperv_seen s = seen;
    ReleaseSRWLockShared(&lock);
    return s;
}

uint16_t hyperv_port(const struct uuid *vm, uint32_t port)
{
    struct uuid service = uuid_of_port(port);

    return hyperv_file_read(vm, &service);
}

bool hyperv_publish(const struct uuid *vm, uint32_t port, uint16_t tcp_port)
{
    struct uuid service = uuid_of_port(port);
    HANDLE file = hyperv_file_make(vm, &service, tcp_port);
    bool is_kept = false;

    AcquireSRWLockExclusive(&lock);
    if (file != INVALID_HANDLE_VALUE && published_count < PUBLISHED_MAX) {
        published[published_count++] = file;
        is_kept = true;
    }
    ReleaseSRWLockExclusive(&lock);
    if (!is_kept)
        hyperv_file_close(&file);
    return is_kept;
}

/* ---- sockets, options, names ------------------------------------------------------------- */

static SOCKET WSAAPI standin_socket(int family, int type, int protocol,
                                    LPWSAPROTOCOL_INFOW info, GROUP group, DWORD flags)
{
    if (family != FAMILY_HYPERV)
        return __real___imp_WSASocketW(family, type, protocol, info, group, flags);
    struct hyperv_habits h = habits_now();
    if (h.socket_code != 0 || type != SOCK_STREAM || protocol != HV_PROTOCOL_RAW) {
        WSASetLastError(h.socket_code != 0 ? h.socket_code : WSAEPROTONOSUPPORT);
        return INVALID_SOCKET;
    }
    SOCKET s = __real___imp_WSASocketW(AF_INET, SOCK_STREAM, 0, NULL, group, flags);
    if (s != INVALID_SOCKET)
        enter(s);
    return s;
}

static int hv_option(struct hv_socket *v, int name, const char *value, int length)
{
    ULONG n;
    int r = 0;

    if (length != (int)sizeof n)
        return fail(WSAEFAULT);
    memcpy(&n, value, sizeof n);
    AcquireSRWLockExclusive(&lock);
    if (name == HVSOCKET_CONNECT_TIMEOUT && n <= HVSOCKET_CONNECT_TIMEOUT_MAX) {
        v->connect_timeout_ms = n;
        seen.connect_timeout_ms = n;
    } else if (name == HVSOCKET_CONNECTED_SUSPEND && !habits.suspend_refused) {
        seen.suspends += n != 0;
    } else {
        r = WSAENOPROTOOPT;
    }
    ReleaseSRWLockExclusive(&lock);
    return r == 0 ? 0 : fail(r);
}

static int WSAAPI standin_setsockopt(SOCKET s, int level, int name, const char *value,
                                     int length)
{
    struct hv_socket *v = find(s);

    if (v == NULL)
        return __real___imp_setsockopt(s, level, name, value, length);
    if (level == HV_PROTOCOL_RAW)
        return hv_option(v, name, value, length);
    if (level == SOL_SOCKET && name == SO_UPDATE_CONNECT_CONTEXT)
        v->has_no_context = false;
    if (level == SOL_SOCKET &&
        (name == SO_UPDATE_CONNECT_CONTEXT || name == SO_UPDATE_ACCEPT_CONTEXT))
        return __real___imp_setsockopt(s, level, name, value, length);
    AcquireSRWLockExclusive(&lock);
    seen.options_refused++;
    ReleaseSRWLockExclusive(&lock);
    return fail(WSAENOPROTOOPT);
}

static int WSAAPI standin_bind(SOCKET s, const struct sockaddr *name, int length)
{
    struct hv_socket *v = find(s);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    if (v == NULL)
        return __real___imp_bind(s, name, length);
    if (length != (int)sizeof v->name || name->sa_family != FAMILY_HYPERV)
        return fail(WSAEFAULT);
    memcpy(&v->name, name, sizeof v->name);
    v->is_bound = true;
    return __real___imp_bind(s, (const struct sockaddr *)&at, (int)sizeof at);
}

/* A guest's port in the range that the host's system takes its own from. */
static void name_ephemeral(const GUID *vm, SOCKADDR_HV *ret)
{
    struct uuid template = uuid_of_port(0);

    *ret = (SOCKADDR_HV){.Family = FAMILY_HYPERV, .VmId = *vm};
    ret->ServiceId.Data1 = (unsigned long)(uint32_t)EPHEMERAL_PORT_FIRST;
    ret->ServiceId.Data2 = template.d2;
    ret->ServiceId.Data3 = template.d3;
    memcpy(ret->ServiceId.Data4, template.d4, sizeof template.d4);
}

static int WSAAPI standin_getsockname(SOCKET s, struct sockaddr *ret, int *length)
{
    struct hv_socket *v = find(s);
    SOCKADDR_HV name;

    if (v == NULL)
        return __real___imp_getsockname(s, ret, length);
    if (*length < (int)sizeof name)
        return fail(WSAEFAULT);
    name = v->name;
    if (v->is_accepted)
        name_ephemeral(&v->name.VmId, &name);
    memcpy(ret, &name, sizeof name);
    *length = (int)sizeof name;
    AcquireSRWLockExclusive(&lock);
    seen.names_asked++;
    ReleaseSRWLockExclusive(&lock);
    return 0;
}

/* ---- listening --------------------------------------------------------------------------- */

static uint16_t tcp_port(SOCKET s)
{
    struct sockaddr_in at = {0};
    int length = (int)sizeof at;

    __real___imp_getsockname(s, (struct sockaddr *)&at, &length);
    return ntohs(at.sin_port);
}

static int WSAAPI standin_listen(SOCKET s, int backlog)
{
    struct hv_socket *v = find(s);

    if (v == NULL)
        return __real___imp_listen(s, backlog);
    struct hyperv_habits h = habits_now();
    if (h.listen_code != 0)
        return fail(h.listen_code);
    if (!v->is_bound)
        return fail(WSAEINVAL);
    if (__real___imp_listen(s, backlog) == SOCKET_ERROR)
        return SOCKET_ERROR;
    struct uuid vm = uuid_of(&v->name.VmId), service = uuid_of(&v->name.ServiceId);
    AcquireSRWLockExclusive(&lock);
    bool is_heard = uuid_is_equal(&vm, &running);
    ReleaseSRWLockExclusive(&lock);
    if (!is_heard)
        return 0;
    v->file = hyperv_file_make(&vm, &service, tcp_port(s));
    return v->file != INVALID_HANDLE_VALUE ? 0 : fail(WSAEADDRINUSE);
}

static SOCKET WSAAPI standin_accept(SOCKET s, struct sockaddr *ret_peer, int *length)
{
    struct hv_socket *v = find(s);
    SOCKADDR_HV peer;

    if (v == NULL)
        return __real___imp_accept(s, ret_peer, length);
    SOCKET accepted = __real___imp_accept(s, NULL, NULL);
    if (accepted == INVALID_SOCKET)
        return accepted;
    struct hv_socket *a = enter(accepted);
    a->name = v->name;
    a->is_accepted = true;
    if (ret_peer != NULL && *length >= (int)sizeof peer) {
        name_ephemeral(&v->name.VmId, &peer);
        memcpy(ret_peer, &peer, sizeof peer);
        *length = (int)sizeof peer;
    }
    return accepted;
}

/* ---- dialling ---------------------------------------------------------------------------- */

static struct fake *fake_find(struct hv_socket *v, const OVERLAPPED *o)
{
    for (size_t i = 0; v != NULL && i < FAKES; i++)
        if (hyperv_fake_is(&v->fakes[i], o))
            return &v->fakes[i];
    return NULL;
}

static VOID CALLBACK dial_timeout(PVOID arg, BOOLEAN is_fired)
{
    struct hv_socket *v = arg;

    (void)is_fired;
    hyperv_fake_end(&v->fakes[FAKE_DIAL], WSAETIMEDOUT, 0);
}

static BOOL dial_unanswered(struct hv_socket *v, OVERLAPPED *o, bool ignores_timeout)
{
    hyperv_fake_begin(&v->fakes[FAKE_DIAL], o);
    if (!ignores_timeout)
        CreateTimerQueueTimer(&v->timer, NULL, dial_timeout, v, v->connect_timeout_ms, 0,
                              WT_EXECUTEONLYONCE);
    WSASetLastError(WSA_IO_PENDING);
    return FALSE;
}

static BOOL dial_refused(struct hv_socket *v, OVERLAPPED *o, int code)
{
    hyperv_fake_begin(&v->fakes[FAKE_DIAL], o);
    hyperv_fake_end(&v->fakes[FAKE_DIAL], code, 0);
    WSASetLastError(WSA_IO_PENDING);
    return FALSE;
}

static BOOL dial_tcp(SOCKET s, uint16_t port, OVERLAPPED *o)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    GUID id = WSAID_CONNECTEX;
    LPFN_CONNECTEX connect_ex;
    DWORD n;

    if (__real___imp_WSAIoctl(s, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id,
                              &connect_ex, sizeof(connect_ex), &n, NULL, NULL) != 0)
        return FALSE;
    return connect_ex(s, (const struct sockaddr *)&to, (int)sizeof to, NULL, 0, NULL, o);
}

static BOOL PASCAL standin_connect_ex(SOCKET s, const struct sockaddr *name, int length,
                                      PVOID data, DWORD data_length, LPDWORD ret_sent,
                                      LPOVERLAPPED o)
{
    struct hv_socket *v = find(s);
    struct hyperv_habits h = habits_now();
    SOCKADDR_HV to;

    (void)data;
    (void)data_length;
    (void)ret_sent;
    if (v == NULL || !v->is_bound || length != (int)sizeof to || o == NULL)
        return fail(WSAEINVAL), FALSE;
    memcpy(&to, name, sizeof to);
    struct uuid vm = uuid_of(&to.VmId), service = uuid_of(&to.ServiceId);
    if (uuid_is_zero(&vm))
        return fail(WSAEADDRNOTAVAIL), FALSE;
    if (h.connect_code != 0)
        return dial_refused(v, o, h.connect_code);
    uint16_t port = h.connect_hangs ? 0 : hyperv_file_read(&vm, &service);
    if (port == 0)
        return dial_unanswered(v, o, h.connect_ignores_timeout);
    v->name = to;
    v->has_no_context = true;
    return dial_tcp(s, port, o);
}

static int WSAAPI standin_ioctl(SOCKET s, DWORD code, LPVOID in, DWORD in_length, LPVOID out,
                                DWORD out_length, LPDWORD ret_length, LPWSAOVERLAPPED o,
                                LPWSAOVERLAPPED_COMPLETION_ROUTINE routine)
{
    static const GUID connect_ex_id = WSAID_CONNECTEX;
    LPFN_CONNECTEX connect_ex = standin_connect_ex;

    if (find(s) == NULL)
        return __real___imp_WSAIoctl(s, code, in, in_length, out, out_length, ret_length, o,
                                     routine);
    if (code != SIO_GET_EXTENSION_FUNCTION_POINTER || in_length != sizeof connect_ex_id ||
        out_length != sizeof(connect_ex) ||
        memcmp(in, &connect_ex_id, sizeof connect_ex_id) != 0)
        return fail(WSAEOPNOTSUPP);
    memcpy(out, &connect_ex, sizeof(connect_ex));
    *ret_length = sizeof(connect_ex);
    return 0;
}

/* A successful read of nothing is the end of the stream, and so is a reset; it may look
 * otherwise.
 */
static BOOL read_result(struct hv_socket *v, BOOL is_done, DWORD length)
{
    struct hyperv_habits h = habits_now();
    int code = is_done ? 0 : WSAGetLastError();

    if (code == WSA_IO_INCOMPLETE)
        return FALSE;
    v->real_read = NULL;
    if (is_done && length > 0) {
        v->received += length;
        return TRUE;
    }
    if (h.end_is_error && code != WSA_OPERATION_ABORTED)
        return fail(h.end_code), FALSE;
    WSASetLastError(code);
    return is_done;
}

static BOOL WSAAPI standin_overlapped_result(SOCKET s, LPWSAOVERLAPPED o, LPDWORD ret_length,
                                             BOOL wait, LPDWORD ret_flags)
{
    struct hv_socket *v = find(s);
    struct fake *f = fake_find(v, o);

    if (f != NULL)
        return hyperv_fake_result(f, ret_length, wait);
    BOOL is_done = __real___imp_WSAGetOverlappedResult(s, o, ret_length, wait, ret_flags);
    return v != NULL && v->real_read == o ? read_result(v, is_done, *ret_length) : is_done;
}

static BOOL WINAPI standin_cancel(HANDLE handle, LPOVERLAPPED o)
{
    struct fake *f = fake_find(find((SOCKET)handle), o);

    if (f == NULL)
        return __real___imp_CancelIoEx(handle, o);
    hyperv_fake_end(f, WSA_OPERATION_ABORTED, 0);
    return TRUE;
}

/* ---- the stream -------------------------------------------------------------------------- */

static int WSAAPI standin_recv(SOCKET s, LPWSABUF pieces, DWORD count, LPDWORD ret_length,
                               LPDWORD flags, LPWSAOVERLAPPED o,
                               LPWSAOVERLAPPED_COMPLETION_ROUTINE routine)
{
    struct hv_socket *v = find(s);
    struct hyperv_habits h = habits_now();

    if (v == NULL || o == NULL || count != 1)
        return __real___imp_WSARecv(s, pieces, count, ret_length, flags, o, routine);
    WSABUF piece = pieces[0];
    size_t left = h.lost_after > v->received ? h.lost_after - v->received : 0;
    if (h.is_silent)
        return hyperv_fake_begin(&v->fakes[FAKE_READ], o);
    if (h.lost_after > 0 && left == 0) {
        hyperv_fake_begin(&v->fakes[FAKE_READ], o);
        hyperv_fake_end(&v->fakes[FAKE_READ], h.end_is_error ? h.end_code : 0, 0);
        return fail(WSA_IO_PENDING);
    }
    if (h.lost_after > 0 && piece.len > left)
        piece.len = (ULONG)left;
    v->real_read = o;
    int r = __real___imp_WSARecv(s, &piece, 1, ret_length, flags, o, routine);
    /* A connection that is gone already: its end, too, may look otherwise. */
    if (r == SOCKET_ERROR && WSAGetLastError() != WSA_IO_PENDING && h.end_is_error)
        return fail(h.end_code);
    return r;
}

static int WSAAPI standin_send(SOCKET s, LPWSABUF pieces, DWORD count, LPDWORD ret_length,
                               DWORD flags, LPWSAOVERLAPPED o,
                               LPWSAOVERLAPPED_COMPLETION_ROUTINE routine)
{
    struct hv_socket *v = find(s);
    struct hyperv_habits h = habits_now();

    if (v == NULL || o == NULL || count != 1)
        return __real___imp_WSASend(s, pieces, count, ret_length, flags, o, routine);
    WSABUF piece = pieces[0];
    AcquireSRWLockExclusive(&lock);
    if (piece.len > seen.longest_send)
        seen.longest_send = piece.len;
    ReleaseSRWLockExclusive(&lock);
    if (h.send_fails)
        return fail(h.send_code);
    if (h.is_silent) {
        hyperv_fake_begin(&v->fakes[FAKE_WRITE], o);
        hyperv_fake_end(&v->fakes[FAKE_WRITE], 0, piece.len);
        return fail(WSA_IO_PENDING);
    }
    if (h.send_max > 0 && piece.len > h.send_max)
        piece.len = (ULONG)h.send_max;
    return __real___imp_WSASend(s, &piece, 1, ret_length, flags, o, routine);
}

static int WSAAPI standin_shutdown(SOCKET s, int how)
{
    struct hv_socket *v = find(s);

    return v != NULL && v->has_no_context ? fail(WSAENOTCONN) : __real___imp_shutdown(s, how);
}

static int WSAAPI standin_close(SOCKET s)
{
    struct hv_socket *v = find(s);

    if (v != NULL) {
        /* Waits for a timer that is just running. */
        if (v->timer != NULL)
            DeleteTimerQueueTimer(NULL, v->timer, INVALID_HANDLE_VALUE);
        AcquireSRWLockExclusive(&lock);
        hyperv_file_close(&v->file);
        v->s = 0;
        ReleaseSRWLockExclusive(&lock);
    }
    return __real___imp_closesocket(s);
}

/* ---- what the linker puts in place of the imports ---------------------------------------- */

cancel_fn *__wrap___imp_CancelIoEx = standin_cancel;
overlapped_result_fn *__wrap___imp_WSAGetOverlappedResult = standin_overlapped_result;
ioctl_fn *__wrap___imp_WSAIoctl = standin_ioctl;
socket_fn *__wrap___imp_WSASocketW = standin_socket;
accept_fn *__wrap___imp_accept = standin_accept;
bind_fn *__wrap___imp_bind = standin_bind;
close_fn *__wrap___imp_closesocket = standin_close;
name_fn *__wrap___imp_getsockname = standin_getsockname;
number_fn *__wrap___imp_listen = standin_listen;
recv_fn *__wrap___imp_WSARecv = standin_recv;
send_fn *__wrap___imp_WSASend = standin_send;
option_fn *__wrap___imp_setsockopt = standin_setsockopt;
number_fn *__wrap___imp_shutdown = standin_shutdown;
