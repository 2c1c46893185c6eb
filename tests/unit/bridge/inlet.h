/* SPDX-License-Identifier: MIT */
/* inlet.h - an input under test: its queue, and what came out of that. Main thread only. */
#ifndef HVLOG_TESTS_INLET_H
#define HVLOG_TESTS_INLET_H

#include "common/bridge/input.h"
#include "common/os/stream.h"
#include "tests/unit/os/os_test.h"

struct got {
    char *text; /* with a NUL that is not counted */
    uint32_t length;
    uint32_t orig_length;
    uint16_t flags;
    struct source source;
};

struct inlet {
    struct input_config config; /* may be changed before inlet_open() */
    struct input_context context;
    struct queue *queue;
    struct queue_cursor *cursor;
    struct input *in;
    struct got *got;
    size_t got_count, got_size;
};

/* inlet_init() - a queue of the smallest size, and a config as the product's defaults. */
void inlet_init(struct inlet *t, const char *listen);
void inlet_open(struct inlet *t);  /* opens and starts */
void inlet_close(struct inlet *t); /* stops and frees all */

/* inlet_expect() - take from the queue until <count> records are there; fails at the test's
 * limit.
 * inlet_drain() - take what is there now.
 */
void inlet_expect(struct inlet *t, size_t count);
void inlet_drain(struct inlet *t);

/* inlet_await() - wait until <c> has reached <value>; fails at the test's limit. */
void inlet_await(const struct counter *c, uint64_t value);

const struct input_counters *inlet_counters(const struct inlet *t);

/* inlet_dial() - a sender's connection. inlet_send() - <length> octets. inlet_send_text() -
 * up to the NUL.
 */
struct os_stream *inlet_dial(const struct inlet *t);
void inlet_send(struct os_stream *s, const void *data, size_t length);
void inlet_send_text(struct os_stream *s, const char *text);

/* inlet_is_closed() - wait until the input has closed this connection: true. */
bool inlet_is_closed(struct os_stream *s);

#endif
