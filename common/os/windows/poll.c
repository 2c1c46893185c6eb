/* SPDX-License-Identifier: MIT */
/* windows/poll.c - WSAPoll() over one dense array.
 *
 * Its known fault, that a connect which failed is never reported (Windows before 10 2004), does
 * not matter: nothing here connects. Place 0 of the array is the wake-up's: a UDP socket
 * connected to itself on loopback.
 *
 * Why no wake-up is lost: os_poll_wake() sets <is_woken> and sends an octet only if it was not
 * set; the waiter, before it returns for a wake-up, first takes every octet there is and then
 * clears <is_woken>. A wake that finds it set is therefore followed by a return of the wait
 * that clears it, and one that finds it clear sends an octet that nobody has taken yet. Should
 * the system lose the octet, the flag is looked at before and after each slice of the wait.
 */
#include "common/os/poll.h"

#include "common/os/windows/sock.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "common/os/clock.h"
#include "common/os/thread.h"

enum { WAKE_PLACE = 0, FIRST_PLACE = 1, ROOM_FIRST = 64 };

struct os_poll {
    WSAPOLLFD *fds; /* the wake-up, then the watched sockets without a hole */
    struct os_sock **socks;
    size_t count; /* places in use */
    size_t added; /* sockets, the paused ones too: each has a place kept for it */
    size_t room;
    size_t next; /* where the next wait begins to look, so that no socket is always last */
    SOCKET wake;
    atomic_bool is_woken;
};

/* ---- wake-up ----------------------------------------------------------------------------- */

static int wake_open(SOCKET *ret)
{
    struct sockaddr_in self = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int length = (int)sizeof self;
    SOCKET s = WSASocketW(AF_INET, SOCK_DGRAM, 0, NULL, 0,
                          WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);

    if (s == INVALID_SOCKET)
        return win_fail_last();
    if (bind(s, (struct sockaddr *)&self, length) == 0 &&
        getsockname(s, (struct sockaddr *)&self, &length) == 0 &&
        connect(s, (struct sockaddr *)&self, length) == 0 && win_set_blocking(s, false) == 0) {
        *ret = s;
        return 0;
    }
    int r = win_fail_last();
    closesocket(s);
    return r;
}

void os_poll_wake(struct os_poll *p)
{
    if (!atomic_exchange(&p->is_woken, true))
        send(p->wake, "", 1, 0);
}

static void wake_take(struct os_poll *p)
{
    char unused;

    while (recv(p->wake, &unused, 1, 0) >= 0)
        ;
    atomic_store(&p->is_woken, false);
}

/* ---- the set ----------------------------------------------------------------------------- */

static int reserve(struct os_poll *p, size_t room)
{
    WSAPOLLFD *fds = realloc(p->fds, room * sizeof *fds);

    if (fds == NULL)
        return win_fail(ERROR_NOT_ENOUGH_MEMORY);
    p->fds = fds;
    struct os_sock **socks = realloc(p->socks, room * sizeof(*socks));
    if (socks == NULL)
        return win_fail(ERROR_NOT_ENOUGH_MEMORY);
    p->socks = socks;
    p->room = room;
    return 0;
}

int os_poll_new(struct os_poll **ret)
{
    struct os_poll *p = calloc(1, sizeof *p);

    if (p == NULL)
        return win_fail(ERROR_NOT_ENOUGH_MEMORY);
    p->wake = INVALID_SOCKET;
    atomic_init(&p->is_woken, false);
    int r = reserve(p, ROOM_FIRST);
    if (r == 0 && wake_open(&p->wake) < 0)
        r = ERR_IO;
    if (r < 0) {
        os_poll_free(p);
        return r;
    }
    p->fds[WAKE_PLACE] = (WSAPOLLFD){.fd = p->wake, .events = POLLRDNORM};
    p->count = FIRST_PLACE;
    *ret = p;
    return 0;
}

void os_poll_free(struct os_poll *p)
{
    if (p == NULL)
        return;
    if (p->wake != INVALID_SOCKET)
        closesocket(p->wake);
    free(p->fds);
    free(p->socks);
    free(p);
}

static void watch(struct os_poll *p, struct os_sock *s)
{
    p->fds[p->count] = (WSAPOLLFD){.fd = s->s, .events = POLLRDNORM};
    p->socks[p->count] = s;
    s->index = p->count++;
}

static void unwatch(struct os_poll *p, struct os_sock *s)
{
    if (s->index == SOCK_UNWATCHED)
        return;
    p->count--;
    p->fds[s->index] = p->fds[p->count];
    p->socks[s->index] = p->socks[p->count];
    p->socks[s->index]->index = s->index;
    s->index = SOCK_UNWATCHED;
}

/* Room is counted by what was added, so that resuming a paused socket cannot fail. */
int os_poll_add(struct os_poll *p, struct os_sock *s, void *tag)
{
    int r = p->added + FIRST_PLACE < p->room ? 0 : reserve(p, 2 * p->room);

    if (r < 0)
        return r;
    s->tag = tag;
    p->added++;
    watch(p, s);
    return 0;
}

void os_poll_remove(struct os_poll *p, struct os_sock *s)
{
    unwatch(p, s);
    p->added--;
}

/* A paused socket leaves the array: WSAPoll() would report its errors and its end anyway. */
void os_poll_pause(struct os_poll *p, struct os_sock *s, bool paused)
{
    if (paused)
        unwatch(p, s);
    else if (s->index == SOCK_UNWATCHED)
        watch(p, s);
}

/* ---- waiting ----------------------------------------------------------------------------- */

static int collect(struct os_poll *p, void **ret_tags, int max)
{
    size_t watched = p->count - FIRST_PLACE;
    size_t begin = watched > 0 ? p->next % watched : 0;
    int n = 0;

    for (size_t i = 0; i < watched && n < max; i++) {
        size_t place = FIRST_PLACE + (begin + i) % watched;
        if (p->fds[place].revents == 0)
            continue;
        ret_tags[n++] = p->socks[place]->tag;
        p->next = begin + i + 1;
    }
    return n;
}

int os_poll_wait(struct os_poll *p, void **ret_tags, int max, uint64_t deadline_ms)
{
    for (;;) {
        bool is_woken = atomic_load(&p->is_woken);
        DWORD wait_ms = is_woken ? 0 : win_wait_ms(deadline_ms, WIN_WAIT_SLICE_MS);
        int ready = WSAPoll(p->fds, (ULONG)p->count, (INT)wait_ms);
        if (ready == SOCKET_ERROR) {
            win_fail_last();
            return ERR_IO;
        }
        is_woken = is_woken || atomic_load(&p->is_woken);
        if (is_woken)
            wake_take(p);
        int n = collect(p, ret_tags, max);
        if (n > 0 || is_woken || wait_ms == 0)
            return n;
    }
}
