/* SPDX-License-Identifier: MIT */
/* windows/dgram.c - datagrams by many posted receives on a completion port.
 *
 * OS_DGRAM_BATCH receives are posted at all times but for those whose datagrams the caller
 * holds.
 *
 * Order. The system fills receives in the order in which they were posted, but it may announce
 * two that ended on two processors at the same time in either order. Each receive therefore
 * carries the number of its posting, and what one call has taken is sorted by it. Between two
 * calls that leaves only a pair that was cut apart by the end of a batch; its datagrams came in
 * on two processors at once, so they are not of one sender, since a network card gives all that
 * a sender sends to one processor.
 *
 * Cancel: a flag and then an empty completion. The owner looks at the flag before each wait and
 * behind it, so whichever comes last is seen; an empty completion left over ends one wait for
 * nothing.
 */
#include "common/os/dgram.h"

#include "common/os/windows/win.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/os/clock.h"
#include "common/os/thread.h"

#ifndef SIO_UDP_NETRESET
#define SIO_UDP_NETRESET _WSAIOW(IOC_VENDOR, 15) /* in no header of mingw-w64 10 */
#endif

enum {
    REPOST_TRIES_MAX = 16, /* errors of earlier sends that a post may find before it */
    CLOSE_WAIT_MS = 5000,  /* for the system to give back the posted receives; it takes none */
};

struct slot {
    OVERLAPPED overlapped; /* first: the completion names the slot by it */
    struct sockaddr_storage from;
    INT from_length;
    DWORD flags;
    uint64_t number; /* of its posting */
    enum { SLOT_IDLE, SLOT_POSTED, SLOT_HELD } state;
    uint8_t data[OS_DGRAM_BYTES_MAX];
};

struct os_dgram {
    SOCKET s;
    HANDLE port;
    struct slot *slots; /* OS_DGRAM_BATCH of them; NULL for a sender */
    size_t posted;
    uint64_t next_number;
    atomic_bool is_canceled;
    uint16_t bound_port;
};

static struct os_dgram *dgram_new(void)
{
    struct os_dgram *d = calloc(1, sizeof *d);

    if (d == NULL) {
        win_fail(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    d->s = INVALID_SOCKET;
    atomic_init(&d->is_canceled, false);
    return d;
}

static bool take_cancel(struct os_dgram *d)
{
    return atomic_exchange(&d->is_canceled, false);
}

/* ---- posting ----------------------------------------------------------------------------- */

/* What an earlier send left behind; the socket lives on. */
static bool is_echo(DWORD code)
{
    return code == WSAECONNRESET || code == WSAENETRESET || code == ERROR_PORT_UNREACHABLE ||
           code == ERROR_NETWORK_UNREACHABLE || code == ERROR_HOST_UNREACHABLE ||
           code == WSAECONNREFUSED;
}

static int slot_try(struct os_dgram *d, struct slot *slot)
{
    WSABUF buffer = {.buf = (char *)slot->data, .len = sizeof slot->data};

    slot->overlapped = (OVERLAPPED){0};
    slot->from_length = (INT)sizeof slot->from;
    slot->flags = 0;
    if (WSARecvFrom(d->s, &buffer, 1, NULL, &slot->flags, (struct sockaddr *)&slot->from,
                    &slot->from_length, &slot->overlapped, NULL) == 0)
        return 0; /* done at once: the completion comes all the same */
    return WSAGetLastError();
}

static int slot_post(struct os_dgram *d, struct slot *slot)
{
    int code = 0;

    slot->state = SLOT_IDLE;
    for (int i = 0; i < REPOST_TRIES_MAX; i++) {
        code = slot_try(d, slot);
        if (code == 0 || code == WSA_IO_PENDING || code == WSAEMSGSIZE) {
            slot->number = d->next_number++;
            slot->state = SLOT_POSTED;
            d->posted++;
            return 0;
        }
        if (!is_echo((DWORD)code))
            break;
    }
    return win_fail((DWORD)code);
}

/* Posts what is not posted. A system short of memory may take fewer; one is enough to go on. */
static int post_all(struct os_dgram *d)
{
    int r = 0;

    for (size_t i = 0; i < OS_DGRAM_BATCH && r == 0; i++)
        if (d->slots[i].state != SLOT_POSTED)
            r = slot_post(d, &d->slots[i]);
    return d->posted > 0 ? 0 : r;
}

/* ---- opening ----------------------------------------------------------------------------- */

/* Else an ICMP answer to a datagram sent from this port would end a receive. */
static void ignore_echoes(SOCKET s)
{
    BOOL off = FALSE;
    DWORD n;

    WSAIoctl(s, SIO_UDP_CONNRESET, &off, sizeof off, NULL, 0, &n, NULL, NULL);
    WSAIoctl(s, SIO_UDP_NETRESET, &off, sizeof off, NULL, 0, &n, NULL, NULL);
}

int os_dgram_open(const struct endpoint *endpoint, uint32_t receive_buffer,
                  struct os_dgram **ret)
{
    struct os_dgram *d;

    if (endpoint->kind != ENDPOINT_UDP)
        return win_fail(WSAEAFNOSUPPORT);
    d = dgram_new();
    if (d == NULL)
        return ERR_NO_MEMORY;
    int r = win_inet_bind(endpoint, SOCK_DGRAM, receive_buffer, &d->s);
    if (r < 0)
        goto fail;
    ignore_echoes(d->s);
    d->bound_port = win_inet_port(d->s);
    d->port = CreateIoCompletionPort((HANDLE)d->s, NULL, 0, 1);
    if (d->port == NULL) {
        r = win_fail_last();
        goto fail;
    }
    d->slots = calloc(OS_DGRAM_BATCH, sizeof *d->slots);
    if (d->slots == NULL) {
        r = win_fail(ERROR_NOT_ENOUGH_MEMORY);
        goto fail;
    }
    r = post_all(d);
    if (r < 0)
        goto fail;
    *ret = d;
    return 0;

fail:
    os_dgram_close(d);
    return r;
}

/* The system owns the posted slots until their completions are here. */
static bool take_back(struct os_dgram *d)
{
    uint64_t deadline_ms = os_clock_ms() + CLOSE_WAIT_MS;

    while (d->posted > 0) {
        OVERLAPPED_ENTRY entries[OS_DGRAM_BATCH];
        ULONG n;
        if (!GetQueuedCompletionStatusEx(d->port, entries, OS_DGRAM_BATCH, &n,
                                         win_wait_ms(deadline_ms, CLOSE_WAIT_MS), FALSE))
            return false;
        for (ULONG i = 0; i < n; i++)
            d->posted -= entries[i].lpOverlapped != NULL;
    }
    return true;
}

void os_dgram_close(struct os_dgram *d)
{
    if (d == NULL)
        return;
    if (d->s != INVALID_SOCKET)
        closesocket(d->s);
    /* Better a leak than a system that writes into memory that is another's by then. */
    if (d->slots != NULL && take_back(d))
        free(d->slots);
    if (d->port != NULL)
        CloseHandle(d->port);
    free(d);
}

uint32_t os_dgram_buffer(const struct os_dgram *d)
{
    DWORD value = 0;
    int length = (int)sizeof value;

    getsockopt(d->s, SOL_SOCKET, SO_RCVBUF, (char *)&value, &length);
    return value;
}

uint16_t os_dgram_port(const struct os_dgram *d)
{
    return d->bound_port;
}

/* Windows counts drops for the whole machine only. */
uint64_t os_dgram_kernel_dropped(const struct os_dgram *d)
{
    (void)d;
    return 0;
}

bool os_dgram_has_kernel_dropped(const struct os_dgram *d)
{
    (void)d;
    return false;
}

void os_dgram_cancel(struct os_dgram *d)
{
    atomic_store(&d->is_canceled, true);
    if (d->port != NULL)
        PostQueuedCompletionStatus(d->port, 0, 0, NULL);
}

/* ---- receiving --------------------------------------------------------------------------- */

/* One completion: 1 and the slot's datagram, 0 when it is none, ERR_IO when the socket is done
 * for.
 */
static int slot_complete(struct os_dgram *d, struct slot *slot, struct os_datagram *ret)
{
    DWORD length = 0, flags;
    bool was_cut = false;

    d->posted--;
    slot->state = SLOT_HELD;
    if (!WSAGetOverlappedResult(d->s, &slot->overlapped, &length, FALSE, &flags)) {
        DWORD code = (DWORD)WSAGetLastError();
        if (is_echo(code))
            return 0;
        if (code != WSAEMSGSIZE) {
            win_fail(code);
            return ERR_IO;
        }
        was_cut = true;
        length = sizeof slot->data;
    }
    *ret = (struct os_datagram){
        .data = slot->data, .length = length, .true_length = length, .was_cut = was_cut};
    win_address(&slot->from, &ret->from);
    return 1;
}

static struct slot *slot_of(const OVERLAPPED_ENTRY *e)
{
    return (struct slot *)e->lpOverlapped;
}

static int compare_postings(const void *a, const void *b)
{
    const struct slot *x = slot_of(a), *y = slot_of(b);
    uint64_t n = x != NULL ? x->number : 0, m = y != NULL ? y->number : 0;

    return (n > m) - (n < m);
}

/* What a call found: the count of datagrams, which may be 0, or ERR_IO. */
static int deliver(struct os_dgram *d, OVERLAPPED_ENTRY *entries, ULONG count,
                   struct os_datagram *ret)
{
    int n = 0, r = 0;

    qsort(entries, count, sizeof *entries, compare_postings);
    for (ULONG i = 0; i < count; i++) {
        if (entries[i].lpOverlapped == NULL)
            continue; /* the cancel's */
        int one = slot_complete(d, slot_of(&entries[i]), &ret[n]);
        if (one < 0)
            r = one;
        else
            n += one;
    }
    return n > 0 ? n : r;
}

int os_dgram_receive(struct os_dgram *d, struct os_datagram *ret, int max, uint64_t deadline_ms)
{
    OVERLAPPED_ENTRY entries[OS_DGRAM_BATCH];
    ULONG room = max < OS_DGRAM_BATCH ? (ULONG)max : OS_DGRAM_BATCH;

    for (;;) {
        ULONG count = 0;
        if (take_cancel(d))
            return win_fail(WSA_OPERATION_ABORTED);
        if (post_all(d) < 0)
            return ERR_IO;
        DWORD wait_ms = win_wait_ms(deadline_ms, WIN_WAIT_SLICE_MS);
        if (GetQueuedCompletionStatusEx(d->port, entries, room, &count, wait_ms, FALSE)) {
            int n = deliver(d, entries, count, ret);
            if (n != 0)
                return n;
        } else if (GetLastError() != WAIT_TIMEOUT) {
            win_fail_last();
            return ERR_IO;
        } else if (wait_ms == 0) {
            return win_fail(WAIT_TIMEOUT);
        }
    }
}

/* ---- sending ----------------------------------------------------------------------------- */

static int connect_one(const ADDRINFOEXW *to, SOCKET *ret)
{
    SOCKET s = WSASocketW(to->ai_family, SOCK_DGRAM, 0, NULL, 0,
                          WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);

    if (s == INVALID_SOCKET)
        return win_fail_last();
    int r = win_set_blocking(s, false);
    if (r == 0 && connect(s, to->ai_addr, (int)to->ai_addrlen) == SOCKET_ERROR)
        r = win_fail_dial((DWORD)WSAGetLastError());
    if (r < 0) {
        closesocket(s);
        return r;
    }
    *ret = s;
    return 0;
}

/* The first address to which there is a way; UDP says no more than that. */
static int connect_any(const struct endpoint *endpoint, SOCKET *ret)
{
    static const struct win_waiter for_ever = {.deadline_ms = OS_NEVER};
    ADDRINFOEXW *list;
    int r = win_resolve(endpoint, SOCK_DGRAM, &for_ever, &list);

    if (r < 0)
        return r;
    r = ERR_NOT_FOUND;
    for (const ADDRINFOEXW *to = list; to != NULL && r < 0; to = win_resolved_next(to))
        r = connect_one(to, ret);
    FreeAddrInfoExW(list);
    return r;
}

int os_dgram_connect(const struct endpoint *endpoint, struct os_dgram **ret)
{
    if (endpoint->kind != ENDPOINT_UDP)
        return win_fail(WSAEAFNOSUPPORT);
    struct os_dgram *d = dgram_new();
    if (d == NULL)
        return ERR_NO_MEMORY;
    int r = connect_any(endpoint, &d->s);
    if (r < 0) {
        os_dgram_close(d);
        return r;
    }
    *ret = d;
    return 0;
}

/* Windows tells a sender that nobody has the port by failing a receive, never a send. */
int os_dgram_check(struct os_dgram *d)
{
    char unused;

    if (recv(d->s, &unused, 1, 0) != SOCKET_ERROR || !is_echo((DWORD)WSAGetLastError()))
        return 0;
    win_fail((DWORD)WSAGetLastError());
    return ERR_REFUSED;
}

static int send_error(DWORD code)
{
    int r = win_fail(code);

    switch (r) {
    case ERR_AGAIN:
    case ERR_FULL:
    case ERR_NOT_FOUND:
        return r;
    case ERR_CLOSED:
    case ERR_REFUSED:
    case ERR_ACCESS: /* a firewall */
        return ERR_REFUSED;
    case ERR_NO_MEMORY:
        return ERR_AGAIN;
    default:
        return ERR_IO;
    }
}

/* As many as go without waiting; the error of the first one that did not. */
static int send_some(struct os_dgram *d, const struct os_vec *vec, int count)
{
    for (int i = 0; i < count; i++) {
        if (vec[i].length > OS_DGRAM_SEND_MAX)
            return i > 0 ? i : win_fail(WSAEMSGSIZE);
        if (send(d->s, vec[i].data, (int)vec[i].length, 0) == SOCKET_ERROR)
            return i > 0 ? i : send_error((DWORD)WSAGetLastError());
    }
    return count;
}

static void wait_writable(SOCKET s, DWORD wait_ms)
{
    enum { US_PER_MS = 1000 };
    fd_set writable;
    struct timeval t = {.tv_usec = (long)wait_ms * US_PER_MS};

    FD_ZERO(&writable);
    FD_SET(s, &writable);
    select(0, NULL, &writable, NULL, &t);
}

int os_dgram_send(struct os_dgram *d, const struct os_vec *vec, int count, uint64_t deadline_ms)
{
    int r = os_dgram_check(d);

    if (r < 0)
        return r;
    for (;;) {
        if (take_cancel(d))
            return win_fail(WSA_OPERATION_ABORTED);
        int n = send_some(d, vec, count < OS_DGRAM_BATCH ? count : OS_DGRAM_BATCH);
        if (n != ERR_AGAIN)
            return n;
        DWORD wait_ms = win_wait_ms(deadline_ms, OS_CANCEL_POLL_MS);
        if (wait_ms == 0)
            return win_fail(WAIT_TIMEOUT);
        wait_writable(d->s, wait_ms);
    }
}
