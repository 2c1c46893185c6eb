/* SPDX-License-Identifier: MIT */
/* session_pair.h - two sessions that talk to each other in memory, and what their owners saw.
 *
 * Each side has an owner as a program would have one: it accepts, sends the batches it has, in
 * order and within credit, acknowledges what it gets and raises the credit. Nothing here looks
 * at a clock: pair.now_us is the time.
 */
#ifndef HVLOG_TESTS_SESSION_PAIR_H
#define HVLOG_TESTS_SESSION_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/session.h"

enum {
    PAIR_EVENTS_MAX = 256,
    PAIR_OUT_MAX = 64 * 1024, /* octets on their way from one side */
    PAIR_BATCH_BYTES = 100,   /* size of batch 1; batch n has n octets more */
    PAIR_CREDIT = 8 * 1024,   /* window of each side */
    PAIR_HEARTBEAT_MS = 1000,
};

/* What outlives a session: the numbers that a program keeps. */
struct pair_owner {
    uint64_t to_send;  /* has the batches 1 to this */
    uint64_t acked;    /* of them the peer finished these */
    uint64_t finished; /* of the peer's batches */
    bool is_passive;   /* tests do by hand what the owner would do */
};

struct pair_event {
    enum session_event_type type;
    uint64_t number; /* last_seq, seq or rtt_us */
    uint64_t gap;
    size_t length;
    bool by_peer;
    unsigned reason;
    char text[WIRE_REASON_MAX + 1];
};

struct pair_side {
    struct session *session;
    struct pair_owner *owner;
    const char *secret; /* NULL: none */
    uint64_t sent;      /* last seq given to the session */
    size_t event_count;
    struct pair_event events[PAIR_EVENTS_MAX];
    size_t out_length;
    uint8_t *out;
};

struct pair {
    uint64_t now_us;
    struct pair_owner owners[2];
    struct pair_side sides[2]; /* connector, listener */
};

/* pair_options() - fitting options for a side, with fixed nonce and identity, to be changed by
 * tests.
 */
struct session_options pair_options(struct pair *p, int side);

/* pair_init() - everything but the sessions. pair_connect() - new sessions with pair_options().
 * pair_disconnect() - the link breaks; the owners stay.
 * pair_release() - frees all.
 */
void pair_init(struct pair *p, const char *connector_secret, const char *listener_secret);
void pair_connect(struct pair *p);
void pair_connect_side(struct pair *p, int side, const struct session_options *options);
void pair_disconnect(struct pair *p);
void pair_release(struct pair *p);

/* pair_open() - from nothing to an open session, over which the connector sent the batches 1 to
 * <to_send>. The events so far are forgotten, and both owners passive from now on.
 */
void pair_open(struct pair *p, uint64_t to_send);

/* pair_feed() - put octets into a side, <chunk> at most at once, and let its owner act on the
 * events.
 */
void pair_feed(struct pair *p, int side, const uint8_t *data, size_t length, size_t chunk);
void pair_feed_frame(struct pair *p, int side, const struct wire_frame *f);

/* pair_feed_data() - a DATA frame with batch <seq>, whose batch has <batch_bytes> octets. */
void pair_feed_data(struct pair *p, int side, uint64_t seq, size_t batch_bytes);

/* pair_feed_header() - the header of a frame whose body does not come. */
void pair_feed_header(struct pair *p, int side, uint8_t type, uint32_t length);

/* pair_collect() - pull what a side's session has to say, and send what its owner has, into its
 * out.
 */
void pair_collect(struct pair *p, int side);

/* pair_events() - take what session_next() has. */
void pair_events(struct pair *p, int side);

/* pair_run() - carry octets both ways until both sides are silent. */
void pair_run(struct pair *p);

/* pair_find() - the first event of <type> of a side, or NULL. pair_count() - how many. */
const struct pair_event *pair_find(const struct pair *p, int side,
                                   enum session_event_type type);
size_t pair_count(const struct pair *p, int side, enum session_event_type type);

/* pair_count_frames() - how many frames of <type> are in <data>, which are whole frames? */
size_t pair_count_frames(const uint8_t *data, size_t length, uint8_t type);

/* pair_hmac() - the session_hmac_fn of tests; <arg> is the secret. */
int pair_hmac(void *arg, const uint8_t *data, size_t length, uint8_t ret[WIRE_PROOF_BYTES]);

#endif
