/* SPDX-License-Identifier: MIT */
/* input.h - where records come in: one thread for each input, which hands whole batches to the queue.
 *
 * input_stream.c serves tcp and unix (many senders in one poll loop), input_dgram.c udp and unix-dgram.
 * When the queue is full a stream input stops reading, so that its senders wait; a datagram input drops the newest, counted.
 */
#ifndef HVLOG_BRIDGE_INPUT_H
#define HVLOG_BRIDGE_INPUT_H

#include "common/core/counter.h"
#include "common/core/framer.h"
#include "config.h"
#include "queue.h"

/* Written by the input's thread, read by status. */
struct input_counters {
    struct counter received; /* records that were made, those dropped included */
    struct counter received_bytes;
    struct counter dropped_queue_full; /* records */
    struct counter dropped_empty;      /* datagrams without content; not in <received> */
    struct counter dropped_not_allowed; /* datagrams or connections refused by allow */
    struct counter dropped_connections; /* refused by max_connections */
    struct counter flagged_truncated;
    struct counter flagged_unterminated;
    struct counter flagged_desync;
    struct counter framing_padding;
    struct counter framing_desync;
    struct counter frame_too_large;
    struct counter frame_incomplete;
    struct counter truncated;
    struct counter bad_pri;
    struct counter tls_on_plain;
    struct counter foreign_protocol;
    struct counter kernel_dropped; /* datagrams the system dropped before we saw them */
    struct counter connections;    /* open now */
    struct counter connections_total;
};

struct input;

/* What all inputs of a program share. Borrowed for the inputs' life. */
struct input_context {
    struct queue *queue;
    const char *const *names; /* of all inputs, for batch builders; index = input_open()'s <index> */
    size_t name_count;
};

/* input_open() - bind and listen, so that a busy port or a missing right is known before anything runs. <config> is
 * borrowed. Returns 0; ERR_IN_USE, ERR_ACCESS, ERR_NOT_FOUND, ERR_UNSUPPORTED, ERR_NO_MEMORY, ERR_IO (os_error_last() says more).
 * input_start() - begin to take records in. 0 or ERR_NO_MEMORY.
 * input_stop() - close the sockets, hand over what was taken in (open text lines included), end the thread. Waits; a
 * wait for room in the queue must be ended by queue_close() first if it shall not last. Records that then found
 * no room count as dropped.
 */
int input_open(const struct input_config *config, size_t index,
               const struct input_context *context, struct input **ret);
int input_start(struct input *in);
void input_stop(struct input *in);
void input_free(struct input *in);

uint16_t input_port(const struct input *in); /* bound port, for port 0 and the log */
const struct input_counters *input_counters(const struct input *in);
const struct input_config *input_configuration(const struct input *in);

#endif
