/* SPDX-License-Identifier: MIT */
/* puppet.h - a peer that does what the test says and nothing else: for all that a good peer
 * never does.
 *
 * One thread drives it: it reads only when told to, so it can be slow, silent or dead in the
 * middle of a frame.
 */
#ifndef HVLOG_TESTS_PUPPET_H
#define HVLOG_TESTS_PUPPET_H

#include "common/core/session.h"
#include "common/os/stream.h"

struct puppet {
    struct os_stream *stream;
    struct session *session;
    uint64_t credit; /* octets of DATA the other side may send us, as granted */
    unsigned reason; /* of SESSION_CLOSED */
    bool by_peer;
    bool is_closed;
    bool is_open;
    uint64_t last_seq; /* of SESSION_DATA */
    char text[WIRE_REASON_MAX + 1];
};

/* puppet_dial() / puppet_accept() - a connection on which nothing has been said. */
void puppet_dial(struct puppet *p, const struct os_carrier *carrier,
                 const struct os_target *target);
void puppet_accept(struct puppet *p, struct os_listener *listener);
void puppet_close(struct puppet *p);

/* puppet_greet() - begin a session as <role> under <name>, with <secret> ("": none).
 * puppet_open() - and go on until it is open. */
void puppet_greet(struct puppet *p, enum wire_role role, const char *name, const char *secret);
void puppet_open(struct puppet *p, enum wire_role role, const char *name, const char *secret);

/* puppet_turn() - send what is to be sent, read once, take the events. Returns false when the
 * stream has ended. */
bool puppet_turn(struct puppet *p);

/* puppet_drain() - turns until the stream has ended. */
void puppet_drain(struct puppet *p);

void puppet_write(struct puppet *p, const void *data, size_t length);

#endif
