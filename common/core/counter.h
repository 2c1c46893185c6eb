/* SPDX-License-Identifier: MIT */
/* counter.h - numbers that one thread raises and any thread reads.
 *
 * One writer for each counter, so a raise is a plain load and store: no lock, no locked
 * instruction on the hot path. A reader sees each value whole and never going back.
 */
#ifndef HVLOG_CORE_COUNTER_H
#define HVLOG_CORE_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

struct counter {
    _Atomic uint64_t value;
};

/* The value of a counter that this system does not keep: not 0, which would be an answer. */
#define COUNTER_UNKNOWN UINT64_MAX

static inline uint64_t counter_get(const struct counter *c)
{
    return atomic_load_explicit(&c->value, memory_order_relaxed);
}

/* Writer's thread only. */
static inline void counter_set(struct counter *c, uint64_t value)
{
    atomic_store_explicit(&c->value, value, memory_order_relaxed);
}

static inline void counter_add(struct counter *c, uint64_t n)
{
    counter_set(c, counter_get(c) + n);
}

#endif
