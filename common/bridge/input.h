/* SPDX-License-Identifier: MIT */
/* input.h - where records come in: one thread for each input, which hands whole batches to
 * the queue.
 *
 * input_stream.c serves tcp and unix (many senders in one poll loop), input_dgram.c udp and
 * unix-dgram. When the queue is full a stream input stops reading, so that its senders wait;
 * a datagram input drops the newest, counted. input_taker.c is what both share: from messages
 * to batches.
 *
 * A connection is closed by this side only for: another protocol (TLS, HTTP), allow,
 * max_connections, idle_timeout, no memory, and the input's end. Never for a bad frame.
 */
#ifndef HVLOG_BRIDGE_INPUT_H
#define HVLOG_BRIDGE_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "common/core/counter.h"
#include "common/core/framer.h"
#include "config.h"
#include "queue.h"

/* Written by the input's thread, read by status. */
struct input_counters {
    struct counter received; /* records that were made, those dropped included */
    struct counter received_bytes;
    struct counter dropped_queue_full;  /* records: no room in the queue, or it is closed */
    struct counter dropped_no_memory;   /* records */
    struct counter dropped_empty;       /* datagrams without content; not in <received> */
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
    /* Datagrams the system dropped before we saw them; COUNTER_UNKNOWN where it does not tell.
     */
    struct counter kernel_dropped;
    struct counter connections; /* open now */
    struct counter connections_total;
};

struct input;

/* What all inputs of a program share. Borrowed for the inputs' life. */
struct input_context {
    struct queue *queue;
    /* Of all inputs, for batch builders; input_open()'s <index> is the place here. */
    const char *const *names;
    size_t name_count;
};

/* input_open() - bind and listen, so that a busy port or a missing right is known before
 * anything runs. <config> and <context> are borrowed; <index> is the input's place in
 * <context>'s names. From here on the system takes senders' connections and datagrams and
 * keeps them for input_start(). Returns 0; ERR_IN_USE, ERR_ACCESS, ERR_NOT_FOUND,
 * ERR_UNSUPPORTED, ERR_NO_MEMORY, ERR_IO (os_error_last() says more).
 *
 * input_start() - begin to take records in. 0 or ERR_NO_MEMORY.
 *
 * input_finish() - ask the input to end, without waiting: what has come in already, in the
 * sockets too (up to a bound), is read, framed and handed over, open text lines included;
 * then the sockets close. Any thread.
 * input_stop() - the same, and wait until the thread has ended. It waits for room in the
 * queue like any submit: only queue_close() ends that. Records that then found no room count
 * as dropped. So, to stop in order: input_finish() all, let the queue drain as long as may be,
 * queue_close(), input_stop() all.
 */
int input_open(const struct input_config *config, size_t index,
               const struct input_context *context, struct input **ret);
int input_start(struct input *in);
void input_finish(struct input *in);
void input_stop(struct input *in);
void input_free(struct input *in);

/* input_port() - the port that was bound, for port 0 and the log; 0 for unix. */
uint16_t input_port(const struct input *in);
const struct input_counters *input_counters(const struct input *in);
const struct input_config *input_configuration(const struct input *in);

#endif
