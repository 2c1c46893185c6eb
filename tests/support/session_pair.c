/* SPDX-License-Identifier: MIT */
/* session_pair.c - two sessions that talk to each other in memory. */
#include "tests/support/session_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/bytes.h"
#include "tests/support/sha256.h"

/* A test that goes beyond its own bounds must not pass. */
static void must(bool is_true, const char *what)
{
    if (!is_true) {
        fprintf(stderr, "session_pair: %s\n", what);
        abort();
    }
}

int pair_hmac(void *arg, const uint8_t *data, size_t length, uint8_t ret[WIRE_PROOF_BYTES])
{
    const char *secret = arg;

    hmac_sha256((const uint8_t *)secret, secret != NULL ? strlen(secret) : 0, data, length,
                ret);
    return 0;
}

struct session_options pair_options(struct pair *p, int side)
{
    struct session_options options = {
        .role = side == 0 ? WIRE_CONNECTOR : WIRE_LISTENER,
        .name = side == 0 ? "agent" : "relay",
        .has_secret = p->sides[side].secret != NULL,
        .hmac = pair_hmac,
        .heartbeat_ms = PAIR_HEARTBEAT_MS,
    };
    char *secret = NULL;

    memcpy(&secret, &p->sides[side].secret, sizeof(secret));
    options.hmac_arg = secret;
    memset(options.nonce, 0x10 + side, sizeof(options.nonce));
    memset(options.identity, 0x20 + side, sizeof(options.identity));
    return options;
}

void pair_init(struct pair *p, const char *connector_secret, const char *listener_secret)
{
    memset(p, 0, sizeof(*p));
    p->now_us = 1000000;
    p->sides[0].secret = connector_secret;
    p->sides[1].secret = listener_secret;
    for (int i = 0; i < 2; i++) {
        p->sides[i].owner = &p->owners[i];
        p->sides[i].out = malloc(PAIR_OUT_MAX);
        must(p->sides[i].out != NULL, "no memory");
    }
}

void pair_connect_side(struct pair *p, int side, const struct session_options *options)
{
    struct pair_side *s = &p->sides[side];

    s->session = session_new(options, p->now_us);
    must(s->session != NULL, "no session");
    s->event_count = 0;
    s->out_length = 0;
    s->sent = 0;
}

void pair_connect(struct pair *p)
{
    for (int i = 0; i < 2; i++) {
        struct session_options options = pair_options(p, i);
        pair_connect_side(p, i, &options);
    }
}

void pair_disconnect(struct pair *p)
{
    for (int i = 0; i < 2; i++) {
        session_free(p->sides[i].session);
        p->sides[i].session = NULL;
    }
}

void pair_release(struct pair *p)
{
    pair_disconnect(p);
    for (int i = 0; i < 2; i++)
        free(p->sides[i].out);
}

/* ---- owners ------------------------------------------------------------------------------ */

static void check_batch(const struct session_event *ev)
{
    must(ev->u.data.length >= BATCH_HEADER_BYTES, "a batch below the least size");
    for (size_t i = 0; i < ev->u.data.length; i++)
        must(ev->u.data.batch[i] == (uint8_t)(ev->u.data.seq + i), "a batch with wrong octets");
}

static void owner_act(struct pair *p, int side, const struct session_event *ev)
{
    struct pair_side *s = &p->sides[side];
    struct pair_owner *owner = s->owner;

    switch (ev->type) {
    case SESSION_PEER:
        session_accept(s->session, owner->finished, PAIR_CREDIT);
        break;
    case SESSION_OPEN:
        if (owner->acked < ev->u.resume.last_seq)
            owner->acked = ev->u.resume.last_seq;
        s->sent = owner->acked;
        break;
    case SESSION_DATA:
        owner->finished = ev->u.data.seq;
        session_ack(s->session, ev->u.data.seq);
        session_grant(s->session, session_received(s->session) + PAIR_CREDIT);
        break;
    case SESSION_ACK:
        owner->acked = ev->u.seq;
        break;
    default:
        break;
    }
}

static struct pair_event note(const struct session_event *ev)
{
    struct pair_event e = {.type = ev->type};

    switch (ev->type) {
    case SESSION_OPEN:
        e.number = ev->u.resume.last_seq;
        break;
    case SESSION_DATA:
        e.number = ev->u.data.seq;
        e.gap = ev->u.data.gap;
        e.length = ev->u.data.length;
        break;
    case SESSION_ACK:
        e.number = ev->u.seq;
        break;
    case SESSION_RTT:
        e.number = ev->u.rtt_us;
        break;
    case SESSION_CLOSED:
        e.by_peer = ev->u.closed.by_peer;
        e.reason = ev->u.closed.reason;
        snprintf(e.text, sizeof(e.text), "%s", ev->u.closed.text);
        break;
    default:
        break;
    }
    return e;
}

void pair_events(struct pair *p, int side)
{
    struct pair_side *s = &p->sides[side];
    struct session_event ev;

    while (session_next(s->session, p->now_us, &ev) != 0) {
        must(s->event_count == 0 || s->events[s->event_count - 1].type != SESSION_CLOSED,
             "an event after the last");
        must(s->event_count < PAIR_EVENTS_MAX, "too many events");
        s->events[s->event_count++] = note(&ev);
        if (ev.type == SESSION_DATA)
            check_batch(&ev);
        if (!s->owner->is_passive)
            owner_act(p, side, &ev);
        if (ev.type == SESSION_DATA)
            free(ev.u.data.batch);
    }
}

/* ---- octets ------------------------------------------------------------------------------ */

void pair_feed(struct pair *p, int side, const uint8_t *data, size_t length, size_t chunk)
{
    struct session *s = p->sides[side].session;

    while (length > 0) {
        uint8_t *space;
        size_t size;

        session_reserve(s, &space, &size);
        must(size > 0, "no room reserved");
        if (size > chunk)
            size = chunk;
        if (size > length)
            size = length;
        memcpy(space, data, size);
        session_commit(s, size, p->now_us);
        pair_events(p, side);
        data += size;
        length -= size;
    }
}

void pair_feed_frame(struct pair *p, int side, const struct wire_frame *f)
{
    uint8_t out[WIRE_SMALL_FRAME_MAX];
    ptrdiff_t length = wire_encode(f, out, sizeof(out));

    must(length > 0, "a frame that cannot be encoded");
    pair_feed(p, side, out, (size_t)length, SIZE_MAX);
}

void pair_feed_header(struct pair *p, int side, uint8_t type, uint32_t length)
{
    uint8_t header[WIRE_HEADER_BYTES] = {0};

    bytes_put32(header, length);
    header[4] = type;
    pair_feed(p, side, header, sizeof(header), SIZE_MAX);
}

static void fill_batch(uint64_t seq, uint8_t *out, size_t length)
{
    for (size_t i = 0; i < length; i++)
        out[i] = (uint8_t)(seq + i);
}

void pair_feed_data(struct pair *p, int side, uint64_t seq, size_t batch_bytes)
{
    uint8_t *frame = malloc(WIRE_DATA_HEADER_BYTES + batch_bytes);

    must(frame != NULL, "no memory");
    wire_encode_data_header(seq, batch_bytes, frame);
    fill_batch(seq, frame + WIRE_DATA_HEADER_BYTES, batch_bytes);
    pair_feed(p, side, frame, WIRE_DATA_HEADER_BYTES + batch_bytes, SIZE_MAX);
    free(frame);
}

static void owner_send(struct pair_side *s)
{
    while (s->sent < s->owner->to_send) {
        size_t batch_bytes = PAIR_BATCH_BYTES + (size_t)s->sent + 1;

        if (!session_may_send(s->session, batch_bytes))
            return;
        must(s->out_length + WIRE_DATA_HEADER_BYTES + batch_bytes <= PAIR_OUT_MAX,
             "out is full");
        session_data(s->session, ++s->sent, batch_bytes, s->out + s->out_length);
        s->out_length += WIRE_DATA_HEADER_BYTES;
        fill_batch(s->sent, s->out + s->out_length, batch_bytes);
        s->out_length += batch_bytes;
    }
}

void pair_collect(struct pair *p, int side)
{
    struct pair_side *s = &p->sides[side];

    must(PAIR_OUT_MAX - s->out_length >= SESSION_PULL_MAX, "out is full");
    s->out_length +=
        session_pull(s->session, s->out + s->out_length, SESSION_PULL_MAX, p->now_us);
    must(!session_has_output(s->session), "one pull does not take all");
    if (!s->owner->is_passive)
        owner_send(s);
}

void pair_run(struct pair *p)
{
    size_t moved;

    do {
        moved = 0;
        for (int i = 0; i < 2; i++) {
            struct pair_side *s = &p->sides[i];
            pair_collect(p, i);
            moved += s->out_length;
            pair_feed(p, 1 - i, s->out, s->out_length, SIZE_MAX);
            s->out_length = 0;
        }
    } while (moved > 0);
}

void pair_open(struct pair *p, uint64_t to_send)
{
    pair_init(p, "secret", "secret");
    p->owners[0].to_send = to_send;
    pair_connect(p);
    pair_run(p);
    for (int i = 0; i < 2; i++) {
        must(pair_find(p, i, SESSION_OPEN) != NULL, "the session did not open");
        p->owners[i].is_passive = true;
        p->sides[i].event_count = 0;
    }
    must(p->owners[1].finished == to_send, "not all batches came");
}

/* ---- looking ----------------------------------------------------------------------------- */

const struct pair_event *pair_find(const struct pair *p, int side, enum session_event_type type)
{
    const struct pair_side *s = &p->sides[side];

    for (size_t i = 0; i < s->event_count; i++) {
        if (s->events[i].type == type)
            return &s->events[i];
    }
    return NULL;
}

size_t pair_count(const struct pair *p, int side, enum session_event_type type)
{
    const struct pair_side *s = &p->sides[side];
    size_t count = 0;

    for (size_t i = 0; i < s->event_count; i++)
        count += s->events[i].type == type;
    return count;
}

size_t pair_count_frames(const uint8_t *data, size_t length, uint8_t type)
{
    size_t count = 0;

    for (size_t at = 0; at + WIRE_HEADER_BYTES <= length;) {
        count += data[at + 4] == type;
        at += WIRE_HEADER_BYTES + bytes_get32(data + at);
    }
    return count;
}
