/* SPDX-License-Identifier: MIT */
/* linux/poll.c - epoll, level-triggered, with an eventfd for wake-ups.
 *
 * Why a wake-up is not lost: os_poll_wake() adds to the eventfd's counter behind whatever its
 * caller published. os_poll_wait() empties the counter only in a call that then returns, and
 * its caller looks at what was published behind that return. A wake-up before the emptying is
 * seen by this look; one behind it makes the eventfd readable again, for the next wait.
 */
#include "common/os/poll.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/os/linux/deadline.h"
#include "common/os/linux/error.h"
#include "common/os/linux/sock.h"

enum { POLL_EVENTS_MAX = 256 }; /* of one epoll_wait(): the rest is there the next time */

struct os_poll {
    int epoll_fd;
    int wake_fd;
};

static int poll_open(struct os_poll *p)
{
    p->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (p->epoll_fd < 0)
        return error_keep(ERR_IO, errno);
    p->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (p->wake_fd < 0)
        return error_keep(ERR_IO, errno);
    /* The wake-up is the entry without a socket. */
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = NULL};
    if (epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, p->wake_fd, &e) < 0)
        return error_keep(ERR_IO, errno);
    return 0;
}

int os_poll_new(struct os_poll **ret)
{
    struct os_poll *p = malloc(sizeof *p);

    if (!p)
        return error_keep(ERR_NO_MEMORY, ENOMEM);
    *p = (struct os_poll){.epoll_fd = -1, .wake_fd = -1};
    int r = poll_open(p);
    if (r < 0) {
        os_poll_free(p);
        return r;
    }
    *ret = p;
    return 0;
}

void os_poll_free(struct os_poll *p)
{
    if (!p)
        return;
    if (p->epoll_fd >= 0)
        close(p->epoll_fd);
    if (p->wake_fd >= 0)
        close(p->wake_fd);
    free(p);
}

int os_poll_add(struct os_poll *p, struct os_sock *s, void *tag)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = s};

    s->tag = tag;
    s->is_paused = false;
    if (epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, s->fd, &e) < 0)
        return error_keep(errno == ENOMEM ? ERR_NO_MEMORY : ERR_FULL, errno);
    return 0;
}

void os_poll_remove(struct os_poll *p, struct os_sock *s)
{
    struct epoll_event unused = {0};

    (void)epoll_ctl(p->epoll_fd, EPOLL_CTL_DEL, s->fd, &unused);
}

/* epoll reports a closed connection whether one asks or not. Edge-triggered it says so once,
 * and os_poll_wait() passes over it; taken out of the set, the way back could fail. */
void os_poll_pause(struct os_poll *p, struct os_sock *s, bool paused)
{
    struct epoll_event e = {.events = paused ? EPOLLET : EPOLLIN, .data.ptr = s};

    s->is_paused = paused;
    (void)epoll_ctl(p->epoll_fd, EPOLL_CTL_MOD, s->fd, &e);
}

/* Returns how many tags there were; <ret_woken> when the wake-up was among the events. */
static int collect(struct os_poll *p, const struct epoll_event *events, int count,
                   void **ret_tags, bool *ret_woken)
{
    int tags = 0;

    for (int i = 0; i < count; i++) {
        struct os_sock *s = events[i].data.ptr;
        if (!s) {
            eventfd_t unused;
            (void)eventfd_read(p->wake_fd, &unused);
            *ret_woken = true;
        } else if (!s->is_paused) {
            ret_tags[tags++] = s->tag;
        }
    }
    return tags;
}

int os_poll_wait(struct os_poll *p, void **ret_tags, int max, uint64_t deadline_ms)
{
    struct epoll_event events[POLL_EVENTS_MAX];
    int room = max < POLL_EVENTS_MAX ? max : POLL_EVENTS_MAX;

    for (;;) {
        bool is_woken = false;
        int count = epoll_wait(p->epoll_fd, events, room, deadline_slice(deadline_ms));
        if (count < 0 && errno != EINTR)
            return error_keep(ERR_IO, errno);
        int tags = collect(p, events, count, ret_tags, &is_woken);
        if (tags > 0 || is_woken)
            return tags;
        if (deadline_is_over(deadline_ms))
            return 0;
    }
}

void os_poll_wake(struct os_poll *p)
{
    (void)eventfd_write(p->wake_fd, 1);
}
