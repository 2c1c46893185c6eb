/* SPDX-License-Identifier: MIT */
/* lineage.h - whose batches these are: the identity of a stream, and the lives of the program
 * that sends it.
 *
 * A stream of batches has a random identity, and its numbers mean something only together with
 * it. The identity outlives the program with its spool. But what lies on a disk can be copied,
 * or put back from a backup; then two programs, or one twice, would send different batches
 * under the same numbers, and the receiver would take one for a repeat of the other: silent
 * loss. So each start of the program begins a new life, a random number that is told to the
 * receiver and that the receiver repeats when it says how far it came. A sender that hears of
 * a life it does not know learns that somebody else has lived under its identity, and takes a
 * new one.
 *
 * Pure; one thread at a time.
 */
#ifndef HVLOG_CORE_LINEAGE_H
#define HVLOG_CORE_LINEAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LINEAGE_IDENTITY_BYTES = 16,
    /* A receiver that saw none of the last so many lives takes a sender for a stranger. That
     * costs repeats of what was on its way, never a loss. */
    LINEAGE_LIVES_MAX = 32,
};

struct lineage {
    uint8_t identity[LINEAGE_IDENTITY_BYTES];
    uint64_t lives[LINEAGE_LIVES_MAX]; /* the newest last; none is 0 */
    uint32_t life_count;
};

/* lineage_renew() - a new stream with a first life. Both from randomness; <life> is not 0.
 * lineage_begin() - one life more; the oldest is forgotten when there are too many.
 * lineage_life() - the present one, 0 before there is any.
 * lineage_knows() - is <life> one of ours? 0, what a receiver says that knows of none, is.
 */
void lineage_renew(struct lineage *l, const uint8_t identity[LINEAGE_IDENTITY_BYTES],
                   uint64_t life);
void lineage_begin(struct lineage *l, uint64_t life);
uint64_t lineage_life(const struct lineage *l);
bool lineage_knows(const struct lineage *l, uint64_t life);

#endif
