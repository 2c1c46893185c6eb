/* SPDX-License-Identifier: MIT */
/* input_taker.h - from messages found by the framer to batches in the queue, for every kind
 * of input.
 *
 * Messages are gathered in a builder; after each round of reads the owner hands over what is
 * there as one batch. What was gathered is published in the counters only then, so that a
 * message costs no more than its copy. One thread.
 */
#ifndef HVLOG_BRIDGE_INPUT_TAKER_H
#define HVLOG_BRIDGE_INPUT_TAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/batch.h"
#include "common/core/framer.h"
#include "input.h"

/* When memory was out at the hand-over: how long until it is tried again. */
enum { TAKER_RETRY_MS = 100 };

struct taker {
    struct batch_builder *builder;
    struct queue *queue;
    struct input_counters *counters;
    bool is_waiting; /* a full queue makes it wait; else the batch is dropped */
    bool is_refused; /* the queue takes nothing more: reading on would only lose more */

    /* Of what is in the builder. */
    uint64_t bytes;
    uint64_t truncated, unterminated, desync;
};

/* taker_init() - borrows everything. 0 or ERR_NO_MEMORY. taker_release() - what was not
 * handed over is gone. */
int taker_init(struct taker *t, const struct input_context *context,
               struct input_counters *counters, bool is_waiting);
void taker_release(struct taker *t);

/* taker_take() - one message from <source>, arrived at <time_us>. Copies. Hands over by
 * itself when the builder is full. A message for which there is no memory is dropped and
 * counted.
 */
void taker_take(struct taker *t, const struct source *source, const struct framed *message,
                uint64_t time_us);

/* taker_hand_over() - what was gathered becomes a batch in the queue. With <is_waiting> this
 * waits for room: the back-pressure. What the queue does not take is dropped and counted.
 */
void taker_hand_over(struct taker *t);

/* taker_deadline() - when to call taker_hand_over() again without a new message: OS_NEVER,
 * unless memory was out. */
uint64_t taker_deadline(const struct taker *t, uint64_t now_ms);

/* taker_count_framing() - publish what framing counted since the last call, which is kept in
 * <seen>. */
void taker_count_framing(struct input_counters *to, const struct framer_counters *now,
                         struct framer_counters *seen);

#endif
