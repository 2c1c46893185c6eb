/* SPDX-License-Identifier: MIT */
/* linux/drop_counter.h - the kernel's 32-bit count of dropped datagrams, as 64 bits. Private.
 *
 * Less than half a turn lies between two looks, so the difference is right over the wrap, and
 * an older value, seen late, is a difference that is negative.
 */
#ifndef HVLOG_OS_LINUX_DROP_COUNTER_H
#define HVLOG_OS_LINUX_DROP_COUNTER_H

#include <stdint.h>

struct drop_counter {
    uint64_t total;
    uint32_t seen; /* the kernel's counter, newest value */
};

static inline void drop_counter_update(struct drop_counter *c, uint32_t counter)
{
    uint32_t more = counter - c->seen;

    if (more > INT32_MAX)
        return;
    c->total += more;
    c->seen = counter;
}

#endif
