/* SPDX-License-Identifier: MIT */
/* linux/deadline.h - a deadline of os_clock_ms() as a timeout for the kernel's waits. Private.
 *
 * poll(), epoll_wait() and pthread conditions count on CLOCK_MONOTONIC, which stands still
 * while the machine sleeps; deadlines do not. So no wait is longer than DEADLINE_SLICE_MS, and
 * the deadline is looked at again behind it: after a sleep it is seen late by that much at
 * most.
 */
#ifndef HVLOG_OS_LINUX_DEADLINE_H
#define HVLOG_OS_LINUX_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/os/clock.h"
#include "common/os/thread.h"

enum { DEADLINE_SLICE_MS = 1000 };

static inline bool deadline_is_over(uint64_t deadline_ms)
{
    return deadline_ms != OS_NEVER && os_clock_ms() >= deadline_ms;
}

/* deadline_slice() - milliseconds to wait now: 0 when it is over, -1 for OS_NEVER. */
static inline int deadline_slice(uint64_t deadline_ms)
{
    if (deadline_ms == OS_NEVER)
        return -1;
    uint64_t now = os_clock_ms();
    if (now >= deadline_ms)
        return 0;
    uint64_t left = deadline_ms - now;
    return left < DEADLINE_SLICE_MS ? (int)left : DEADLINE_SLICE_MS;
}

#endif
