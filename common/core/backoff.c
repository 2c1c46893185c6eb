/* SPDX-License-Identifier: MIT */
/* backoff.c - how long to wait before the next try to connect. */
#include "backoff.h"

static uint32_t backoff_step(uint32_t step_ms)
{
    if (step_ms == 0)
        return BACKOFF_FIRST_MS;
    return step_ms < BACKOFF_CAP_MS / 2 ? step_ms * 2 : BACKOFF_CAP_MS;
}

uint32_t backoff_next(struct backoff *b, uint32_t random32)
{
    b->step_ms = backoff_step(b->step_ms);

    /* The product's upper half spreads all of random32 evenly over the range. */
    uint32_t range = b->step_ms / 2 + 1;
    return b->step_ms - (uint32_t)(((uint64_t)random32 * range) >> 32);
}

void backoff_reset(struct backoff *b)
{
    b->step_ms = 0;
}
