/* SPDX-License-Identifier: MIT */
/* session_receive.c - what a session makes of the octets that came. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "err.h"
#include "session.h"
#include "session_state.h"

/* What looking at the staged octets led to. */
enum step {
    STEP_WAIT = 0,  /* more octets are needed */
    STEP_EVENT = 1, /* the owner is to be told */
    STEP_AGAIN = 2, /* there may be more to see */
};

enum { FOREIGN_SHOWN = 8 };

/* What a proof is computed over begins with this, so that the same secret used elsewhere proves
 * nothing here.
 */
static const char proof_label[] = "hvlog link proof 1";

/* ---- octets ------------------------------------------------------------------------------ */

static size_t staged(const struct session *s)
{
    return s->staged_end - s->staged_start;
}

/* session_reserve() - compacts only here, since between reserve and commit the reader writes
 * without the lock.
 */
void session_reserve(struct session *s, uint8_t **ret_space, size_t *ret_size)
{
    if (s->state == STATE_CLOSED)
        s->staged_start = s->staged_end;
    s->reserved_body = s->state != STATE_CLOSED && s->body != NULL && staged(s) == 0;
    if (s->reserved_body) {
        *ret_space = s->body + s->body_filled;
        *ret_size = s->body_length - s->body_filled;
        return;
    }
    if (s->staged_start > 0) {
        memmove(s->staging, s->staging + s->staged_start, staged(s));
        s->staged_end -= s->staged_start;
        s->staged_start = 0;
    }
    *ret_space = s->staging + s->staged_end;
    *ret_size = sizeof(s->staging) - s->staged_end;
}

void session_commit(struct session *s, size_t length, uint64_t now_us)
{
    if (length == 0)
        return;
    s->heard_us = now_us;
    if (s->reserved_body)
        s->body_filled += length;
    else
        s->staged_end += length;
}

/* ---- breaking off ------------------------------------------------------------------------ */

static enum step step_end(struct session *s, enum wire_reason reason, const char *text)
{
    session_end(s, reason, text, text);
    return STEP_AGAIN;
}

static enum step step_misplaced(struct session *s, uint8_t type)
{
    char text[WIRE_REASON_MAX + 1];

    snprintf(text, sizeof(text), "a frame of type %u came where none may", type);
    return step_end(s, WIRE_REASON_PROTOCOL, text);
}

static enum step step_foreign(struct session *s)
{
    char text[WIRE_REASON_MAX + 1];
    size_t shown = staged(s) < FOREIGN_SHOWN ? staged(s) : FOREIGN_SHOWN;
    int used =
        snprintf(text, sizeof(text), "the peer does not speak hvlog's protocol (first octets");

    for (size_t i = 0; i < shown; i++)
        used += snprintf(text + used, sizeof(text) - (size_t)used, " %02x",
                         s->staging[s->staged_start + i]);
    snprintf(text + used, sizeof(text) - (size_t)used, ")");
    return step_end(s, WIRE_REASON_PROTOCOL, text);
}

/* ---- hello and proof --------------------------------------------------------------------- */

/* session_prove() - the proof that the side of <role> gives: over a label, that role and both
 * hellos, the connector's first. The frames' headers hold the lengths, so there is one way to
 * read it.
 */
static int session_prove(struct session *s, enum wire_role role, uint8_t ret[WIRE_PROOF_BYTES])
{
    uint8_t data[sizeof(proof_label) + 2 * sizeof(s->hello)];
    bool is_connector = s->role == WIRE_CONNECTOR;
    const uint8_t *first = is_connector ? s->hello : s->peer_hello;
    const uint8_t *second = is_connector ? s->peer_hello : s->hello;
    size_t first_length = is_connector ? s->hello_length : s->peer_hello_length;
    size_t second_length = is_connector ? s->peer_hello_length : s->hello_length;
    size_t used = sizeof(proof_label) - 1;

    memcpy(data, proof_label, used);
    data[used++] = (uint8_t)role;
    memcpy(data + used, first, first_length);
    used += first_length;
    memcpy(data + used, second, second_length);
    used += second_length;
    return s->hmac(s->hmac_arg, data, used, ret);
}

static enum step step_no_hmac(struct session *s)
{
    return step_end(s, WIRE_REASON_INTERNAL, "the proof of the secret could not be computed");
}

static enum step step_no_version(struct session *s)
{
    char text[WIRE_REASON_MAX + 1];

    snprintf(text, sizeof(text),
             "no common version of the protocol: one side speaks %d to %d, the other %u to %u",
             WIRE_VERSION, WIRE_VERSION, s->peer.version_lowest, s->peer.version_highest);
    return step_end(s, WIRE_REASON_VERSION, text);
}

static enum step step_one_secret(struct session *s)
{
    static const char ours[] = "the peer has no secret_file, this side has one";
    static const char theirs[] = "the peer has a secret_file, this side has none";

    session_end(s, WIRE_REASON_SECRET, s->has_secret ? ours : theirs,
                s->has_secret ? theirs : ours);
    return STEP_AGAIN;
}

static enum step step_hello(struct session *s, const uint8_t *frame, size_t length)
{
    memcpy(s->peer_hello, frame, length);
    s->peer_hello_length = length;

    if (s->peer.version_lowest > WIRE_VERSION || s->peer.version_highest < WIRE_VERSION)
        return step_no_version(s);
    if (s->peer.role == s->role)
        return step_end(s, WIRE_REASON_PROTOCOL,
                        s->role == WIRE_CONNECTOR ? "both sides have the connector's role"
                                                  : "both sides have the listener's role");
    if (memcmp(s->peer.identity, s->identity, WIRE_IDENTITY_BYTES) == 0)
        return step_end(
            s, WIRE_REASON_NAME,
            "both sides have the same identity: a link to oneself, or a copied state");
    if ((s->peer.has_secret != 0) != s->has_secret)
        return step_one_secret(s);

    s->state = STATE_PROOF;
    if (s->role == WIRE_CONNECTOR) {
        if (session_prove(s, s->role, s->proof) != 0)
            return step_no_hmac(s);
        s->due |= DUE_PROOF;
    }
    return STEP_AGAIN;
}

/* proof_is_equal() - in the same time wherever the first difference is, so that a peer cannot
 * find a proof octet by octet.
 */
static bool proof_is_equal(const uint8_t *a, const uint8_t *b)
{
    uint8_t difference = 0;

    for (size_t i = 0; i < WIRE_PROOF_BYTES; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

static enum step step_proof(struct session *s, const uint8_t *proof, struct session_event *ret)
{
    uint8_t expected[WIRE_PROOF_BYTES];

    if (session_prove(s, (enum wire_role)s->peer.role, expected) != 0)
        return step_no_hmac(s);
    if (!proof_is_equal(proof, expected))
        return step_end(s, WIRE_REASON_SECRET, "the secrets of the two sides differ");
    if (s->role == WIRE_LISTENER) {
        if (session_prove(s, s->role, s->proof) != 0)
            return step_no_hmac(s);
        s->due |= DUE_PROOF;
    }
    s->state = STATE_PROVEN;
    *ret = (struct session_event){
        .type = SESSION_PEER,
        .u.peer = {.name = s->peer.name, .identity = s->peer.identity},
    };
    return STEP_EVENT;
}

/* ---- data -------------------------------------------------------------------------------- */

/* step_data() - the head of a DATA frame: everything that could be wrong is found before memory
 * is taken for the body.
 */
static enum step step_data(struct session *s, size_t length)
{
    if (length < WIRE_SEQ_BYTES + BATCH_HEADER_BYTES)
        return step_end(s, WIRE_REASON_PROTOCOL, "a data frame is too short for a batch");
    if (length > s->in_credit - s->in_bytes)
        return step_end(s, WIRE_REASON_PROTOCOL, "more data came than credit was given for");
    if (staged(s) < WIRE_DATA_HEADER_BYTES)
        return STEP_WAIT;

    uint64_t seq = bytes_get64(s->staging + s->staged_start + WIRE_HEADER_BYTES);
    if (seq <= s->in_seq || (s->had_data && seq != s->in_seq + 1))
        return step_end(s, WIRE_REASON_PROTOCOL, "a batch came out of order");

    s->body = malloc(length - WIRE_SEQ_BYTES);
    if (s->body == NULL)
        return step_end(s, WIRE_REASON_INTERNAL, "no memory for a batch");
    s->body_length = length - WIRE_SEQ_BYTES;
    s->body_filled = 0;
    s->body_seq = seq;
    s->staged_start += WIRE_DATA_HEADER_BYTES;
    return STEP_AGAIN;
}

/* step_body() - move what is staged of a body to where it belongs; the rest is read there
 * directly.
 */
static enum step step_body(struct session *s, struct session_event *ret)
{
    size_t missing = s->body_length - s->body_filled;
    size_t length = staged(s) < missing ? staged(s) : missing;

    memcpy(s->body + s->body_filled, s->staging + s->staged_start, length);
    s->body_filled += length;
    s->staged_start += length;
    if (s->body_filled < s->body_length)
        return STEP_WAIT;

    bool has_gap = !s->had_data && s->in_seq > 0;
    *ret = (struct session_event){
        .type = SESSION_DATA,
        .u.data = {.seq = s->body_seq,
                   .batch = s->body,
                   .length = s->body_length,
                   .gap = has_gap ? s->body_seq - s->in_seq - 1 : 0},
    };
    s->in_seq = s->body_seq;
    s->in_bytes += WIRE_SEQ_BYTES + s->body_length;
    s->had_data = true;
    s->body = NULL;
    return STEP_EVENT;
}

/* ---- the other frames -------------------------------------------------------------------- */

static enum step step_resume(struct session *s, const struct wire_resume *resume)
{
    if (s->is_resumed)
        return step_misplaced(s, WIRE_RESUME);
    s->is_resumed = true;
    s->out_seq = resume->last_seq;
    s->out_acked = resume->last_seq;
    s->out_credit = resume->credit;
    return STEP_AGAIN;
}

static enum step step_ack(struct session *s, uint64_t seq, struct session_event *ret)
{
    if (seq < s->out_acked || seq > s->out_seq)
        return step_end(s, WIRE_REASON_PROTOCOL, "an acknowledgement of what was not sent");
    if (seq == s->out_acked)
        return STEP_AGAIN;
    s->out_acked = seq;
    *ret = (struct session_event){.type = SESSION_ACK, .u.seq = seq};
    return STEP_EVENT;
}

static enum step step_credit(struct session *s, uint64_t credit, struct session_event *ret)
{
    if (credit < s->out_credit)
        return step_end(s, WIRE_REASON_PROTOCOL, "credit was taken back");
    if (credit == s->out_credit)
        return STEP_AGAIN;
    s->out_credit = credit;
    *ret = (struct session_event){.type = SESSION_CREDIT};
    return STEP_EVENT;
}

/* step_pong() - one of an older ping is a sign of life and no more. */
static enum step step_pong(struct session *s, uint64_t token, uint64_t now_us,
                           struct session_event *ret)
{
    if (!s->ping_is_out || token != s->ping_us)
        return STEP_AGAIN;
    s->ping_is_out = false;
    *ret = (struct session_event){
        .type = SESSION_RTT,
        .u.rtt_us = now_us > token ? now_us - token : 0,
    };
    return STEP_EVENT;
}

static enum step step_frame(struct session *s, const struct wire_frame *f, uint64_t now_us,
                            struct session_event *ret)
{
    switch (f->type) {
    case WIRE_PROOF:
        return step_proof(s, f->u.proof, ret);
    case WIRE_RESUME:
        return step_resume(s, &f->u.resume);
    case WIRE_ACK:
        return step_ack(s, f->u.seq, ret);
    case WIRE_CREDIT:
        return step_credit(s, f->u.credit, ret);
    case WIRE_PING:
        s->pong_token = f->u.token;
        s->due |= DUE_PONG;
        return STEP_AGAIN;
    case WIRE_PONG:
        return step_pong(s, f->u.token, now_us, ret);
    default:
        session_end_by_peer(s, &f->u.bye);
        return STEP_AGAIN;
    }
}

/* ---- frames ------------------------------------------------------------------------------ */

/* type_may_come() - in this state. Frames of types unknown here only from a peer that has
 * proven.
 */
static bool type_may_come(const struct session *s, uint8_t type)
{
    switch (s->state) {
    case STATE_HELLO:
        return type == WIRE_HELLO;
    case STATE_PROOF:
        return type == WIRE_PROOF || type == WIRE_BYE;
    case STATE_PROVEN:
        return type == WIRE_RESUME || type == WIRE_BYE || !wire_type_is_known(type);
    default:
        return (type >= WIRE_DATA && type <= WIRE_BYE) || !wire_type_is_known(type);
    }
}

static bool length_may_come(const struct session *s, const struct wire_header *header)
{
    bool is_large = s->state >= STATE_PROVEN &&
                    (header->type == WIRE_DATA || !wire_type_is_known(header->type));

    return header->length <= (is_large ? WIRE_DATA_BODY_MAX : WIRE_SMALL_BODY_MAX);
}

static enum step step_small(struct session *s, const struct wire_header *header,
                            uint64_t now_us, struct session_event *ret)
{
    const uint8_t *frame = s->staging + s->staged_start;
    size_t length = WIRE_HEADER_BYTES + header->length;
    struct wire_frame f;

    if (staged(s) < length)
        return STEP_WAIT;
    s->staged_start += length;
    if (wire_decode(header->type, frame + WIRE_HEADER_BYTES, header->length, &f) != 0) {
        char text[WIRE_REASON_MAX + 1];
        snprintf(text, sizeof(text), "a frame of type %u is malformed", header->type);
        return step_end(s, WIRE_REASON_PROTOCOL, text);
    }
    if (f.type == WIRE_HELLO) {
        s->peer = f.u.hello;
        return step_hello(s, frame, length);
    }
    return step_frame(s, &f, now_us, ret);
}

static enum step step_header(struct session *s, uint64_t now_us, struct session_event *ret)
{
    struct wire_header header;

    if (s->state == STATE_HELLO && wire_is_foreign(s->staging + s->staged_start, staged(s)))
        return step_foreign(s);
    if (staged(s) < WIRE_HEADER_BYTES)
        return STEP_WAIT;
    if (wire_decode_header(s->staging + s->staged_start, &header) != 0)
        return step_end(s, WIRE_REASON_PROTOCOL, "a frame's reserved octets are not zero");
    if (!type_may_come(s, header.type))
        return step_misplaced(s, header.type);
    if (!length_may_come(s, &header))
        return step_end(s, WIRE_REASON_TOO_LARGE, NULL);
    if (header.type == WIRE_DATA)
        return step_data(s, header.length);
    if (wire_type_is_known(header.type))
        return step_small(s, &header, now_us, ret);
    s->staged_start += WIRE_HEADER_BYTES;
    s->skip = header.length;
    return STEP_AGAIN;
}

static enum step step_skip(struct session *s)
{
    size_t length = staged(s) < s->skip ? staged(s) : s->skip;

    s->staged_start += length;
    s->skip -= length;
    return s->skip > 0 ? STEP_WAIT : STEP_AGAIN;
}

static enum step session_step(struct session *s, uint64_t now_us, struct session_event *ret)
{
    if (s->skip > 0)
        return step_skip(s);
    if (s->body != NULL)
        return step_body(s, ret);
    return step_header(s, now_us, ret);
}

static int session_give_open(struct session *s, struct session_event *ret)
{
    s->state = STATE_OPEN;
    s->due |= DUE_PING; /* the first round trip is measured at once */
    *ret = (struct session_event){
        .type = SESSION_OPEN,
        .u.resume = {.last_seq = s->out_acked},
    };
    return 1;
}

static int session_give_closed(struct session *s, struct session_event *ret)
{
    if (s->closed_given)
        return 0;
    s->closed_given = true;
    *ret = (struct session_event){
        .type = SESSION_CLOSED,
        .u.closed = {.by_peer = s->closed_by_peer,
                     .reason = s->closed_reason,
                     .text = s->closed_text},
    };
    return 1;
}

int session_next(struct session *s, uint64_t now_us, struct session_event *ret)
{
    for (;;) {
        if (s->state == STATE_CLOSED)
            return session_give_closed(s, ret);
        if (s->state == STATE_PROVEN && s->is_accepted && s->is_resumed)
            return session_give_open(s, ret);

        enum step step = session_step(s, now_us, ret);
        if (step != STEP_AGAIN)
            return step == STEP_EVENT;
    }
}
