/* SPDX-License-Identifier: MIT */
/* input_connection.h - one sender's connection: its socket, its framer, and what it fell
 * silent with. */
#ifndef HVLOG_BRIDGE_INPUT_CONNECTION_H
#define HVLOG_BRIDGE_INPUT_CONNECTION_H

#include <stddef.h>
#include <stdint.h>

#include "common/core/framer.h"
#include "common/os/poll.h"
#include "due_list.h"
#include "input_taker.h"

struct connection {
    struct os_sock *sock;
    struct framer *framer;
    struct source source;
    struct framer_counters seen;
    /* Places in the lists of input_stream.c. */
    struct due_link silent, undecided, warm;
};

/* connection_new() - takes <sock>, on success only; <options> is copied. NULL: out of memory.
 * connection_free() - closes the socket. What the framer holds is gone: connection_end() first.
 */
struct connection *connection_new(struct os_sock *sock, const struct source *source,
                                  const struct framer_options *options);
void connection_free(struct connection *c);

/* connection_read() - read once into <buffer>, and take what messages that completes.
 *
 * Returns 0; ERR_AGAIN (nothing there); ERR_CLOSED, ERR_IO (the connection has ended);
 * ERR_PROTOCOL (another protocol: close, nothing is to be had of it); ERR_NO_MEMORY (close).
 */
int connection_read(struct connection *c, struct taker *taker, void *buffer, size_t size);

/* connection_settle() - decide as if nothing followed. Errors: ERR_PROTOCOL, ERR_NO_MEMORY,
 * as above.
 * connection_end() - the connection is over: take what is left in the framer.
 */
int connection_settle(struct connection *c, struct taker *taker);
int connection_end(struct connection *c, struct taker *taker);

#endif
