/* SPDX-License-Identifier: MIT */
/* linux/stop.c - signals and requests, both as readable descriptors in one poll.
 *
 * A request cannot be missed: os_stop_request() counts first and writes the eventfd behind it;
 * the waiter reads the eventfd first and looks at the counts behind it. Whoever comes last is
 * seen.
 */
#include "common/os/stop.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/os/linux/deadline.h"
#include "common/os/linux/error.h"
#include "common/os/stop_private.h"

static int signal_fd = -1;
static int request_fd = -1;

int os_stop_init(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    int r = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (r != 0)
        return error_keep(ERR_IO, r);
    signal_fd = signalfd(signal_fd, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (signal_fd < 0)
        return error_keep(ERR_IO, errno);
    if (request_fd < 0)
        request_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return request_fd < 0 ? error_keep(ERR_IO, errno) : 0;
}

static void signals_collect(void)
{
    struct signalfd_siginfo info;

    while (read(signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
        stop_count(info.ssi_signo == SIGHUP ? OS_STOP_REOPEN : OS_STOP_STOP);
}

enum os_stop_event os_stop_wait(uint64_t deadline_ms)
{
    for (;;) {
        eventfd_t unused;
        (void)eventfd_read(request_fd, &unused);
        signals_collect();
        enum os_stop_event asked = stop_take();
        if (asked != OS_STOP_NONE)
            return asked;
        if (deadline_is_over(deadline_ms))
            return OS_STOP_NONE;
        struct pollfd fds[] = {{.fd = signal_fd, .events = POLLIN},
                               {.fd = request_fd, .events = POLLIN}};
        (void)poll(fds, 2, deadline_slice(deadline_ms));
    }
}

void os_stop_request(enum os_stop_event event)
{
    if (event == OS_STOP_NONE)
        return;
    stop_count(event);
    (void)eventfd_write(request_fd, 1);
}

void os_stop_acknowledge(void)
{
    /* Nobody waits for it: the system lets a program that got a signal take its time. */
}
