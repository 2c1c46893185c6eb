/* SPDX-License-Identifier: MIT */
/* stop.c - how often each event was asked for and not seen yet. */
#include "stop.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "stop_private.h"

static atomic_uint stops;
static atomic_uint reopens;

void stop_count(enum os_stop_event event)
{
    atomic_fetch_add(event == OS_STOP_REOPEN ? &reopens : &stops, 1);
}

static bool take_one(atomic_uint *count)
{
    unsigned have = atomic_load(count);

    while (have > 0)
        if (atomic_compare_exchange_weak(count, &have, have - 1))
            return true;
    return false;
}

enum os_stop_event stop_take(void)
{
    if (take_one(&stops))
        return OS_STOP_STOP;
    return take_one(&reopens) ? OS_STOP_REOPEN : OS_STOP_NONE;
}
