/* SPDX-License-Identifier: MIT */
/* input_taker.c - from messages found by the framer to batches in the queue, for every kind
 * of input. */
#include "input_taker.h"

#include <string.h>

#include "common/core/err.h"
#include "common/os/thread.h"

int taker_init(struct taker *t, const struct input_context *context,
               struct input_counters *counters, bool is_waiting)
{
    *t = (struct taker){
        .builder = batch_builder_new(context->names, context->name_count),
        .queue = context->queue,
        .counters = counters,
        .is_waiting = is_waiting,
    };
    return t->builder != NULL ? 0 : ERR_NO_MEMORY;
}

void taker_release(struct taker *t)
{
    batch_builder_free(t->builder);
    t->builder = NULL;
}

static int append(struct taker *t, const struct source *source, const struct framed *m,
                  uint64_t time_us)
{
    int at = batch_builder_source(t->builder, source);
    if (at < 0)
        return at;
    return batch_builder_append(t->builder, &(struct record){.data = m->data,
                                                             .length = m->length,
                                                             .orig_length = m->orig_length,
                                                             .time_us = time_us,
                                                             .flags = m->flags,
                                                             .source = (uint16_t)at});
}

static void drop_one(struct taker *t, const struct framed *m)
{
    counter_add(&t->counters->received, 1);
    counter_add(&t->counters->received_bytes, m->length);
    counter_add(&t->counters->dropped_no_memory, 1);
    queue_reject(t->queue, 1);
}

void taker_take(struct taker *t, const struct source *source, const struct framed *message,
                uint64_t time_us)
{
    int r = append(t, source, message, time_us);

    if (r == ERR_FULL) {
        taker_hand_over(t);
        r = append(t, source, message, time_us);
    }
    if (r < 0) {
        drop_one(t, message);
        return;
    }
    t->bytes += message->length;
    if (message->flags != 0) {
        t->truncated += (message->flags & RECORD_TRUNCATED) != 0;
        t->unterminated += (message->flags & RECORD_UNTERMINATED) != 0;
        t->desync += (message->flags & RECORD_DESYNC) != 0;
    }
    if (batch_builder_is_full(t->builder))
        taker_hand_over(t);
}

static void publish(struct taker *t, size_t records)
{
    struct input_counters *c = t->counters;

    counter_add(&c->received, records);
    counter_add(&c->received_bytes, t->bytes);
    counter_add(&c->flagged_truncated, t->truncated);
    counter_add(&c->flagged_unterminated, t->unterminated);
    counter_add(&c->flagged_desync, t->desync);
    t->bytes = t->truncated = t->unterminated = t->desync = 0;
}

void taker_hand_over(struct taker *t)
{
    struct batch *b;
    int r = batch_builder_seal(t->builder, &b);

    if (r < 0)
        return; /* nothing there, or no memory: then it stays for taker_deadline() */
    size_t records = batch_records(b);
    r = t->is_waiting ? queue_submit(t->queue, b, NULL, 0)
                      : queue_try_submit(t->queue, b, NULL, 0);
    batch_unref(b);
    publish(t, records);
    if (r < 0) {
        t->is_refused = r == ERR_CANCELED;
        queue_reject(t->queue, records);
        counter_add(&t->counters->dropped_queue_full, records);
    }
}

uint64_t taker_deadline(const struct taker *t, uint64_t now_ms)
{
    return batch_builder_records(t->builder) > 0 ? now_ms + TAKER_RETRY_MS : OS_NEVER;
}

void taker_count_framing(struct input_counters *to, const struct framer_counters *now,
                         struct framer_counters *seen)
{
    if (memcmp(now, seen, sizeof(*now)) == 0)
        return;
    counter_add(&to->framing_padding, now->framing_padding - seen->framing_padding);
    counter_add(&to->framing_desync, now->framing_desync - seen->framing_desync);
    counter_add(&to->frame_too_large, now->frame_too_large - seen->frame_too_large);
    counter_add(&to->frame_incomplete, now->frame_incomplete - seen->frame_incomplete);
    counter_add(&to->truncated, now->truncated - seen->truncated);
    counter_add(&to->dropped_empty, now->empty - seen->empty);
    counter_add(&to->bad_pri, now->bad_pri - seen->bad_pri);
    counter_add(&to->tls_on_plain, now->tls_on_plain - seen->tls_on_plain);
    counter_add(&to->foreign_protocol, now->foreign_protocol - seen->foreign_protocol);
    *seen = *now;
}
