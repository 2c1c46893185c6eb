/* SPDX-License-Identifier: MIT */
/* session.h - the state of the protocol on one link connection, without I/O.
 *
 * Octets that came are put in by reserve/commit and come out as events (session_next); octets
 * to send come out of session_pull() and session_data(). Time is an argument: <now_us>,
 * microseconds of one monotonic clock (os_clock_us), in every call of a session. States
 * (PROTOCOL.md has the diagram):
 *
 *     HELLO   both sides say hello; the connector then proves the secret, the listener checks
 *             and proves it too
 *     PROVEN  SESSION_PEER was given: the owner looks up what it knows of this peer and calls
 *             session_accept()
 *     OPEN    both sides have resumed: data, acknowledgements, credit, heartbeats
 *     CLOSED  a bye was sent or received, or the peer broke the protocol
 *
 * Threads: the owner holds a lock around every call. Only the memory that session_reserve()
 * gave may be written without it, by the one thread that reads the stream, until its
 * session_commit(); no other call moves or frees that memory but session_free().
 *
 * Memory: bounded whatever the peer sends: one staging buffer, and one DATA body at a time,
 * allocated only within the credit that was granted.
 */
#ifndef HVLOG_CORE_SESSION_H
#define HVLOG_CORE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

enum {
    SESSION_HANDSHAKE_MS = 5000,   /* from start to OPEN, else the session is closed */
    SESSION_MISSED_BEATS = 3,      /* so many heartbeats without a sign of life end the link */
    SESSION_STAGING_BYTES = 16384, /* octets read ahead of a frame's body */
    SESSION_PULL_MAX = 1024,       /* control octets waiting at most: one pull takes them all */
};

/* HMAC-SHA-256 of <data> under the shared secret; 0 or an error (os/crypto.h). */
typedef int session_hmac_fn(void *arg, const uint8_t *data, size_t length,
                            uint8_t ret_mac[WIRE_PROOF_BYTES]);

struct session_options {
    enum wire_role role;
    const char *name; /* this node's, at most WIRE_NAME_MAX octets; copied */
    bool has_secret;
    session_hmac_fn *hmac; /* called with the empty key when there is no secret */
    void *hmac_arg;
    uint8_t nonce[WIRE_NONCE_BYTES];       /* fresh for each session */
    uint8_t identity[WIRE_IDENTITY_BYTES]; /* of the stream of batches that this side sends */
    uint32_t heartbeat_ms;
};

enum session_event_type {
    SESSION_PEER = 1,   /* the peer is who it should be: call session_accept() */
    SESSION_OPEN = 2,   /* data may flow; u.resume: where to go on from */
    SESSION_DATA = 3,   /* a batch came; u.data, ownership moves to the caller */
    SESSION_ACK = 4,    /* u.seq: the peer finished all batches up to this one */
    SESSION_CREDIT = 5, /* more may be sent: wake the sender */
    SESSION_RTT = 6,    /* u.rtt_us: a heartbeat came back */
    SESSION_CLOSED = 7, /* the session is over; u.closed says why. The last event */
};

struct session_event {
    enum session_event_type type;
    union {
        struct {
            const char *name; /* lives as long as the session */
            const uint8_t *identity;
        } peer;
        struct {
            uint64_t last_seq;
        } resume;
        struct {
            uint64_t seq;
            uint8_t *batch; /* free(), or give to batch_decode() */
            size_t length;
            uint64_t gap; /* numbers left out before this one: > 0 only on a session's first */
        } data;
        uint64_t seq;
        uint64_t rtt_us;
        struct {
            bool by_peer;     /* the peer said so in its bye; else we noticed */
            unsigned reason;  /* enum wire_reason, or a number of a later version */
            const char *text; /* one clear half-sentence; lives as long as the session */
        } closed;
    } u;
};

struct session;

/* session_new() - a session that has just been connected; its hello is ready to be pulled.
 *
 * Returns NULL when memory is out, or when the name is longer than WIRE_NAME_MAX octets or not
 * what wire_text_is_clean() takes.
 */
struct session *session_new(const struct session_options *options, uint64_t now_us);
void session_free(struct session *s);

/* session_reserve() - where the next octets from the stream are to be written, and how many fit
 * (at least one, if session_next() was called until it returned 0). In the middle of a large
 * DATA body this is the body's own memory, so that it is never copied. Valid until
 * session_commit(), which says how many came.
 */
void session_reserve(struct session *s, uint8_t **ret_space, size_t *ret_size);
void session_commit(struct session *s, size_t length, uint64_t now_us);

/* session_next() - the next event in what was committed. Call until it returns 0 after each
 * commit, accept, close and tick.
 *
 * Never stop reading the stream to slow the peer down: heartbeats come through it. Grant no
 * more credit instead.
 *
 * Returns 1 and an event, or 0.
 */
int session_next(struct session *s, uint64_t now_us, struct session_event *ret);

/* session_accept() - in answer to SESSION_PEER: <last_seq> of the peer's stream is finished
 * here (0: none known), and <credit> octets of DATA bodies may come: at least
 * WIRE_DATA_BODY_MAX, or the largest batch never fits. To refuse the peer, call session_close()
 * instead.
 */
void session_accept(struct session *s, uint64_t last_seq, uint64_t credit);

/* session_pull() - control frames to send, only whole ones: <size> should be SESSION_PULL_MAX,
 * which takes all there is. Returns how many octets were written; 0: none. A heartbeat's clock
 * starts when it is pulled.
 * session_has_output() - would pull give anything?
 */
size_t session_pull(struct session *s, uint8_t *out, size_t size, uint64_t now_us);
bool session_has_output(const struct session *s);

/* session_may_send() - is the session open, its RESUME pulled, and is there credit for a batch
 * of <batch_bytes>? session_data() - spend that credit and write the octets that precede the
 * batch: send them, then the batch's own. <seq> is the successor of the session's last one; the
 * first is above the last_seq of SESSION_OPEN. The caller puts what it pulled before on the
 * wire first.
 */
bool session_may_send(const struct session *s, size_t batch_bytes);
void session_data(struct session *s, uint64_t seq, size_t batch_bytes,
                  uint8_t out[WIRE_DATA_HEADER_BYTES]);

/* session_ack() - all batches of the peer up to <seq> are finished here. Numbers that the peer
 * has not sent again in this session are held back until it has, so that an owner may finish a
 * batch of an earlier session.
 * session_grant() - raise the sum of DATA octets that the peer may send in this session to
 * <credit> (never lowered). Several of either collapse into one frame until pulled.
 */
void session_ack(struct session *s, uint64_t seq);
void session_grant(struct session *s, uint64_t credit);
uint64_t session_received(const struct session *s); /* octets of DATA bodies given out so far */

/* session_is_closed() - a bye was sent or received, or the session failed. Octets may still be
 * waiting to be pulled, and SESSION_CLOSED to be taken.
 */
bool session_is_closed(const struct session *s);

/* session_close() - say bye with <reason> and a <text> for both logs (NULL: the reason's own);
 * what is to be pulled then ends with the bye. session_next() gives SESSION_CLOSED. What was
 * committed and not yet given out is dropped. Does nothing on a session that is closed.
 */
void session_close(struct session *s, enum wire_reason reason, const char *text);

/* session_tick() - let time pass: makes heartbeats due, and closes a session whose peer is
 * silent. Returns the time in us of the next call needed, UINT64_MAX if none is; that time may
 * move forward or back with any other call, but a tick once in each heartbeat_ms is always
 * enough.
 */
uint64_t session_tick(struct session *s, uint64_t now_us);

#endif
