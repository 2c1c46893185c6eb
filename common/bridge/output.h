/* SPDX-License-Identifier: MIT */
/* output.h - where records go out: one thread for each output, which reads the queue with a
 * cursor of its own.
 *
 * output.c is the loop that all share: open, take batches, write, done; when the target is
 * away, again with backoff, while the batches wait in order. A kind of output (output_file.c
 * for file and stdout, output_stream.c for tcp and unix, output_dgram.c for udp and
 * unix-dgram, output_null.c) only knows how to open, write and close.
 *
 * When a record counts as delivered, and what a break means:
 *
 *     file, stdout   the system has it; a write that was cut off goes on where it stopped
 *     tcp            the far side's system has it (acknowledged); ours cannot tell: written
 *     unix           its reader has read it
 *     unix-dgram     it is in the receiver's queue
 *     udp            our system took it, and did not say at once that it was refused
 *     null           at once
 *
 * tcp and unix write again, to the next connection, all that was not delivered: at least
 * once. The others remember the record.
 */
#ifndef HVLOG_BRIDGE_OUTPUT_H
#define HVLOG_BRIDGE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/core/counter.h"
#include "config.h"
#include "queue.h"

struct output_counters {
    struct counter delivered; /* records */
    struct counter delivered_bytes;
    struct counter retried;           /* times that the target was away and is tried again */
    struct counter dropped_too_large; /* the target can never take them */
    struct counter truncated;         /* cut to fit a datagram; delivered */
    struct counter nul_escaped;
    struct counter reopened;
    struct counter is_up; /* 1 while the target is open */
};

struct output;

/* OUTPUT_STOP_MS: how long a target that does not take what was begun holds up output_stop().
 */
enum { OUTPUT_STOP_MS = 2000, OUTPUT_ERROR_MAX = 256 };

/* output_new() - <config> and <queue> are borrowed; opens its cursor at once, so that no
 * batch passes by. NULL: out of memory, or a kind of target that cannot be written to on this
 * system (the configuration's check refuses those).
 * output_start() - 0 or ERR_NO_MEMORY. The target need not be there.
 * output_stop() - finish what was taken from the queue if the target takes it within
 * OUTPUT_STOP_MS, then end the thread. Waits. Only a disk that hangs can hold it up for
 * longer.
 * output_reopen() - SIGHUP: close and open the file anew. Any thread.
 */
struct output *output_new(const struct output_config *config, struct queue *queue);
int output_start(struct output *out);
void output_reopen(struct output *out);
void output_stop(struct output *out);
void output_free(struct output *out);

const struct output_counters *output_counters(const struct output *out);
const struct output_config *output_configuration(const struct output *out);

/* output_error() - what keeps the target away, or "" when it is up. Any thread. */
char *output_error(struct output *out, char *text, size_t size);

/* output_wants() - does <config> take records of the input called <name>? */
bool output_wants(const struct output_config *config, const char *name, size_t length);

#endif
