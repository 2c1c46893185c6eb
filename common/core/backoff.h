/* SPDX-License-Identifier: MIT */
/* backoff.h - how long to wait before the next try to connect.
 *
 * Exponential, with jitter, so that many that lost the same peer do not come back in step. The
 * random number is an argument. Pure; one thread at a time.
 */
#ifndef HVLOG_CORE_BACKOFF_H
#define HVLOG_CORE_BACKOFF_H

#include <stdint.h>

enum {
    BACKOFF_FIRST_MS = 100,
    BACKOFF_CAP_MS = 5000,
};

/* All zero is a valid start. */
struct backoff {
    uint32_t step_ms; /* of the last delay, before jitter; 0: none yet */
};

/* backoff_next() - the delay in ms before the next try: between half and all of a step that
 * doubles from BACKOFF_FIRST_MS to BACKOFF_CAP_MS; where in that half <random32> says.
 */
uint32_t backoff_next(struct backoff *b, uint32_t random32);

/* backoff_reset() - it worked: the next delay is a short one again. */
void backoff_reset(struct backoff *b);

#endif
