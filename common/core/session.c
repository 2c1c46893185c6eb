/* SPDX-License-Identifier: MIT */
/* session.c - the life of a session, and what it has to say; session_receive.c listens. */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session_state.h"
#include "utf8.h"

enum { US_PER_MS = 1000 };

/* All frames that can be due at once, so that one pull can take them. */
_Static_assert(WIRE_HEADER_BYTES + WIRE_HELLO_BYTES + WIRE_NAME_MAX /* hello */
                       + WIRE_HEADER_BYTES + WIRE_PROOF_BYTES       /* proof */
                       + WIRE_HEADER_BYTES + WIRE_RESUME_BYTES      /* resume */
                       + 4 * (WIRE_HEADER_BYTES + 8) /* ack, credit, pong, ping */
                       + WIRE_SMALL_FRAME_MAX        /* bye, and room to encode */
                   <= SESSION_PULL_MAX,
               "one pull takes all");
_Static_assert(SESSION_STAGING_BYTES >= 2 * WIRE_SMALL_FRAME_MAX, "a frame can be staged");

/* ---- life -------------------------------------------------------------------------------- */

static bool session_make_hello(struct session *s, const struct session_options *options)
{
    struct wire_frame f = {
        .type = WIRE_HELLO,
        .u.hello = {.version_lowest = WIRE_VERSION,
                    .version_highest = WIRE_VERSION,
                    .role = (uint8_t)options->role,
                    .has_secret = options->has_secret},
    };
    size_t length = strlen(options->name);

    if (length > WIRE_NAME_MAX || !wire_text_is_clean(options->name, length))
        return false;
    memcpy(f.u.hello.name, options->name, length);
    memcpy(f.u.hello.nonce, options->nonce, WIRE_NONCE_BYTES);
    memcpy(f.u.hello.identity, options->identity, WIRE_IDENTITY_BYTES);
    s->hello_length = (size_t)wire_encode(&f, s->hello, sizeof(s->hello));
    return true;
}

struct session *session_new(const struct session_options *options, uint64_t now_us)
{
    struct session *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    if (!session_make_hello(s, options)) {
        session_free(s);
        return NULL;
    }
    s->state = STATE_HELLO;
    s->role = options->role;
    s->has_secret = options->has_secret;
    s->hmac = options->hmac;
    s->hmac_arg = options->hmac_arg;
    memcpy(s->identity, options->identity, WIRE_IDENTITY_BYTES);
    s->handshake_limit_us = now_us + (uint64_t)SESSION_HANDSHAKE_MS * US_PER_MS;
    s->heartbeat_us =
        (uint64_t)(options->heartbeat_ms > 0 ? options->heartbeat_ms : 1) * US_PER_MS;
    s->heard_us = now_us;
    s->due = DUE_HELLO;
    return s;
}

void session_free(struct session *s)
{
    if (s == NULL)
        return;
    free(s->body);
    free(s);
}

/* ---- the end ----------------------------------------------------------------------------- */

/* text_copy() - as much of <text> as fits, cut between characters; the reason's own when there
 * is none or when it is not fit to be shown.
 */
static void text_copy(char out[WIRE_REASON_MAX + 1], const char *text, unsigned reason)
{
    if (text == NULL || text[0] == '\0' || !wire_text_is_clean(text, strlen(text)))
        text = wire_reason_text(reason);

    size_t length = strlen(text);
    if (length > WIRE_REASON_MAX) {
        length = WIRE_REASON_MAX;
        while (utf8_is_continuation((uint8_t)text[length]))
            length--;
    }
    memcpy(out, text, length);
    out[length] = '\0';
}

static void session_finish(struct session *s, unsigned reason, const char *text)
{
    s->state = STATE_CLOSED;
    s->closed_reason = reason;
    text_copy(s->closed_text, text, reason);
    s->due = (s->due & ~(unsigned)DUE_PING) | DUE_BYE;
}

void session_end(struct session *s, enum wire_reason reason, const char *text,
                 const char *peer_text)
{
    if (s->state == STATE_CLOSED)
        return;
    s->bye.reason = (uint16_t)reason;
    text_copy(s->bye.text, peer_text, reason);
    session_finish(s, reason, text);
}

void session_end_by_peer(struct session *s, const struct wire_bye *bye)
{
    s->bye = (struct wire_bye){.reason = WIRE_REASON_STOP};
    s->closed_by_peer = true;
    session_finish(s, bye->reason, bye->text);
}

bool session_is_closed(const struct session *s)
{
    return s->state == STATE_CLOSED;
}

void session_close(struct session *s, enum wire_reason reason, const char *text)
{
    session_end(s, reason, text, text);
}

/* ---- what the owner says ----------------------------------------------------------------- */

void session_accept(struct session *s, uint64_t last_seq, uint64_t credit)
{
    if (s->state != STATE_PROVEN || s->is_accepted)
        return;
    s->is_accepted = true;
    s->in_seq = last_seq;
    s->ack_told = last_seq;
    s->in_credit = credit;
    s->due |= DUE_RESUME;
}

bool session_may_send(const struct session *s, size_t batch_bytes)
{
    return s->state == STATE_OPEN && (s->due & DUE_RESUME) == 0 &&
           batch_bytes <= BATCH_BYTES_MAX &&
           s->out_credit - s->out_bytes >= WIRE_SEQ_BYTES + batch_bytes;
}

void session_data(struct session *s, uint64_t seq, size_t batch_bytes,
                  uint8_t out[WIRE_DATA_HEADER_BYTES])
{
    s->out_seq = seq;
    s->out_bytes += WIRE_SEQ_BYTES + batch_bytes;
    wire_encode_data_header(seq, batch_bytes, out);
}

void session_ack(struct session *s, uint64_t seq)
{
    if (seq > s->ack_wanted)
        s->ack_wanted = seq;
}

void session_grant(struct session *s, uint64_t credit)
{
    if (credit > s->in_credit)
        s->in_credit = credit;
}

uint64_t session_received(const struct session *s)
{
    return s->in_bytes;
}

/* ---- what is to be sent ------------------------------------------------------------------ */

/* session_ack_now() - what may be acknowledged: nothing that the peer has not sent in this
 * session.
 */
static uint64_t session_ack_now(const struct session *s)
{
    return s->ack_wanted < s->in_seq ? s->ack_wanted : s->in_seq;
}

unsigned session_due(const struct session *s)
{
    unsigned due = s->due;

    if (s->said_bye)
        return 0;
    /* Only once the peer is open, which it is when its data came. */
    if (session_ack_now(s) > s->ack_told)
        due |= DUE_ACK;
    /* Before its resume came it might not have accepted yet, and would take this for an error.
     */
    if (s->state == STATE_OPEN && s->in_credit > s->credit_told)
        due |= DUE_CREDIT;
    return due;
}

bool session_has_output(const struct session *s)
{
    return session_due(s) != 0;
}

/* session_fill() - the frame for <due>, and what sending it means. */
static struct wire_frame session_fill(struct session *s, unsigned due, uint64_t now_us)
{
    switch (due) {
    case DUE_PROOF: {
        struct wire_frame f = {.type = WIRE_PROOF};
        memcpy(f.u.proof, s->proof, WIRE_PROOF_BYTES);
        return f;
    }
    case DUE_RESUME:
        s->credit_told = s->in_credit;
        return (struct wire_frame){
            .type = WIRE_RESUME,
            .u.resume = {.last_seq = s->ack_told, .credit = s->in_credit},
        };
    case DUE_ACK:
        s->ack_told = session_ack_now(s);
        return (struct wire_frame){.type = WIRE_ACK, .u.seq = s->ack_told};
    case DUE_CREDIT:
        s->credit_told = s->in_credit;
        return (struct wire_frame){.type = WIRE_CREDIT, .u.credit = s->in_credit};
    case DUE_PONG:
        return (struct wire_frame){.type = WIRE_PONG, .u.token = s->pong_token};
    case DUE_PING:
        s->ping_us = now_us;
        s->ping_is_out = true;
        return (struct wire_frame){.type = WIRE_PING, .u.token = now_us};
    default:
        s->said_bye = true;
        return (struct wire_frame){.type = WIRE_BYE, .u.bye = s->bye};
    }
}

size_t session_pull(struct session *s, uint8_t *out, size_t size, uint64_t now_us)
{
    size_t used = 0;

    for (unsigned due = DUE_HELLO; due <= DUE_BYE; due <<= 1) {
        if ((session_due(s) & due) == 0)
            continue;
        if (size - used < WIRE_SMALL_FRAME_MAX)
            break;
        s->due &= ~due;
        if (due == DUE_HELLO) {
            memcpy(out, s->hello, s->hello_length);
            used += s->hello_length;
            continue;
        }
        struct wire_frame f = session_fill(s, due, now_us);
        used += (size_t)wire_encode(&f, out + used, size - used);
    }
    return used;
}

/* ---- time -------------------------------------------------------------------------------- */

static void session_end_silent(struct session *s, const char *what)
{
    char text[WIRE_REASON_MAX + 1];

    snprintf(text, sizeof(text), "%s for %u ms", what,
             (unsigned)(s->heartbeat_us * SESSION_MISSED_BEATS / US_PER_MS));
    session_end(s, WIRE_REASON_TIMEOUT, text, NULL);
}

static uint64_t session_tick_handshake(struct session *s, uint64_t now_us)
{
    char text[WIRE_REASON_MAX + 1];

    if (now_us < s->handshake_limit_us)
        return s->handshake_limit_us;
    snprintf(text, sizeof(text), "the peer %s within %d ms",
             s->state == STATE_HELLO   ? "said no hello"
             : s->state == STATE_PROOF ? "did not prove the secret"
             : s->is_accepted          ? "did not resume"
                                       : "was not accepted",
             SESSION_HANDSHAKE_MS);
    session_end(s, WIRE_REASON_TIMEOUT, text, NULL);
    return UINT64_MAX;
}

uint64_t session_tick(struct session *s, uint64_t now_us)
{
    uint64_t patience_us = s->heartbeat_us * SESSION_MISSED_BEATS;
    uint64_t silent_us = s->heard_us + patience_us;

    if (s->state == STATE_CLOSED)
        return UINT64_MAX;
    if (s->state != STATE_OPEN)
        return session_tick_handshake(s, now_us);
    if (now_us >= silent_us) {
        session_end_silent(s, "nothing was heard of the peer");
        return UINT64_MAX;
    }
    if ((s->due & DUE_PING) != 0)
        return silent_us;

    uint64_t next_us = s->ping_us + (s->ping_is_out ? patience_us : s->heartbeat_us);
    if (now_us >= next_us && s->ping_is_out) {
        session_end_silent(s, "a heartbeat was not answered");
        return UINT64_MAX;
    }
    if (now_us >= next_us) {
        s->due |= DUE_PING;
        return silent_us;
    }
    return next_us < silent_us ? next_us : silent_us;
}
