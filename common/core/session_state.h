/* SPDX-License-Identifier: MIT */
/* session_state.h - what a session remembers: for session.c and session_receive.c only. */
#ifndef HVLOG_CORE_SESSION_STATE_H
#define HVLOG_CORE_SESSION_STATE_H

#include "session.h"

enum session_state {
    STATE_HELLO = 1,  /* the peer's hello is awaited */
    STATE_PROOF = 2,  /* the peer's proof is awaited */
    STATE_PROVEN = 3, /* the owner's accept and the peer's resume are awaited */
    STATE_OPEN = 4,
    STATE_CLOSED = 5,
};

/* Frames that wait to be pulled, in the order in which they go. ACK and CREDIT are due when
 * their numbers have moved (session_due()), the others when their bit is set.
 */
enum session_due {
    DUE_HELLO = 1 << 0,
    DUE_PROOF = 1 << 1,
    DUE_RESUME = 1 << 2,
    DUE_ACK = 1 << 3,
    DUE_CREDIT = 1 << 4,
    DUE_PONG = 1 << 5,
    DUE_PING = 1 << 6,
    DUE_BYE = 1 << 7,
};

struct session {
    enum session_state state;
    enum wire_role role;
    unsigned due; /* to be pulled: enum session_due */
    bool has_secret;
    bool is_accepted;   /* by the owner */
    bool is_resumed;    /* the peer's resume came */
    bool had_data;      /* in_seq is of this session */
    bool ping_is_out;   /* and not answered */
    bool reserved_body; /* what the reader writes goes to <body>, else to <staging> */
    bool said_bye;      /* nothing may be pulled any more */
    bool closed_by_peer;
    bool closed_given; /* SESSION_CLOSED */
    session_hmac_fn *hmac;
    void *hmac_arg;
    uint8_t identity[WIRE_IDENTITY_BYTES];

    /* Both hellos as whole frames: the proofs cover them. */
    uint8_t hello[WIRE_SMALL_FRAME_MAX];
    size_t hello_length;
    uint8_t peer_hello[WIRE_SMALL_FRAME_MAX];
    size_t peer_hello_length;
    struct wire_hello peer;

    /* Time, all in us. */
    uint64_t handshake_limit_us;
    uint64_t heartbeat_us;
    uint64_t heard_us; /* when octets came last */
    uint64_t ping_us;  /* when the last ping was pulled; its token */

    /* To be pulled. */
    uint8_t proof[WIRE_PROOF_BYTES];
    uint64_t pong_token; /* of the peer's last ping; earlier ones need no answer of their own */
    struct wire_bye bye;

    /* Coming in: the peer's stream of batches. */
    uint64_t in_seq; /* last batch that came; at first the last_seq of our resume */
    uint64_t in_bytes;
    uint64_t in_credit;   /* granted by the owner */
    uint64_t credit_told; /* and known to the peer */
    uint64_t ack_wanted;
    uint64_t ack_told;

    /* Going out: our own stream. */
    uint64_t out_seq;
    uint64_t out_acked;
    uint64_t out_bytes;
    uint64_t out_credit;

    /* Octets that came: a DATA body begun takes precedence over the staging buffer for what
     * comes next, once that is empty.
     */
    uint8_t *body;
    size_t body_length;
    size_t body_filled;
    uint64_t body_seq;
    size_t skip; /* octets of an unknown frame still to be passed over */
    size_t staged_start;
    size_t staged_end;
    uint8_t staging[SESSION_STAGING_BYTES];

    /* The end. */
    unsigned closed_reason;
    char closed_text[WIRE_REASON_MAX + 1];
};

/* session_end() - close for <reason>; <text> is for our own log, <peer_text> goes into the bye.
 */
void session_end(struct session *s, enum wire_reason reason, const char *text,
                 const char *peer_text);

/* session_end_by_peer() - close because of the peer's <bye>, which is answered. */
void session_end_by_peer(struct session *s, const struct wire_bye *bye);

/* session_due() - all that waits to be pulled. */
unsigned session_due(const struct session *s);

#endif
