/* SPDX-License-Identifier: MIT */
/* outlet.h - an output under test, and batches for it. Main thread only. */
#ifndef HVLOG_TESTS_OUTLET_H
#define HVLOG_TESTS_OUTLET_H

#include "common/bridge/output.h"
#include "tests/unit/os/os_test.h"

/* The inputs that test records come from. */
enum { FROM_LAN = 0, FROM_LOCAL = 1 };

/* make_batch() - a batch of the records given as text; flags are found as the framer would.
 * LAN records come from 192.0.2.7:40123 by udp, LOCAL ones from a unix socket.
 */
struct line {
    int from;
    const char *text;
    size_t length; /* 0: up to the NUL */
};
struct batch *make_batch(const struct line *lines, size_t count);

/* make_numbered() - records "<13>NUMBER ..." from <first> on, each of <length> octets, all
 * from LAN.
 */
struct batch *make_numbered(size_t first, size_t count, size_t length);
size_t number_of(const char *text);

struct outlet {
    struct output_config config; /* may be changed before outlet_open() */
    struct queue *queue;
    struct output *out;
};

void outlet_init(struct outlet *t, const char *to);
void outlet_open(struct outlet *t);
void outlet_close(struct outlet *t);                   /* stops and frees all */
void outlet_submit(struct outlet *t, struct batch *b); /* takes <b> */
const struct output_counters *outlet_counters(const struct outlet *t);

/* outlet_await() - wait until <c> has reached <value>, or is <value> for
 * outlet_await_exactly().
 */
void outlet_await(const struct counter *c, uint64_t value);
void outlet_await_exactly(const struct counter *c, uint64_t value);

#endif
