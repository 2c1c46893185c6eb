/* SPDX-License-Identifier: MIT */
/* session_fuzz.c - any octets into a session, before or after an honest handshake.
 *
 * The first octet chooses the side, whether the handshake is made first, and whether the owner
 * accepts; the second how many octets come at once, and what time passes meanwhile.
 */
#include <stdlib.h>
#include <string.h>

#include "common/core/bytes.h"
#include "common/core/session.h"
#include "tests/support/session_pair.h"

enum {
    IS_LISTENER = 1 << 0,
    IS_OPEN = 1 << 1,
    ACCEPTS = 1 << 2,
    SENDS = 1 << 3,
    CREDIT = 32 * 1024,
};

struct owner {
    struct session *s;
    uint8_t mode;
    uint64_t now_us;
    uint64_t last_seq, granted, sent;
    bool is_closed, said_bye;
};

static void must(bool is_true)
{
    if (!is_true)
        abort();
}

/* check_output() - whole frames that a peer can decode, the bye last and once. */
static void check_output(struct owner *o, const uint8_t *out, size_t length)
{
    while (length > 0) {
        struct wire_header header;
        struct wire_frame f;

        must(!o->said_bye && length >= WIRE_HEADER_BYTES);
        must(wire_decode_header(out, &header) == 0);
        must(length >= WIRE_HEADER_BYTES + header.length);
        must(wire_decode(header.type, out + WIRE_HEADER_BYTES, header.length, &f) == 0);
        o->said_bye = f.type == WIRE_BYE;
        out += WIRE_HEADER_BYTES + header.length;
        length -= WIRE_HEADER_BYTES + header.length;
    }
}

static void speak(struct owner *o)
{
    uint8_t out[SESSION_PULL_MAX], header[WIRE_DATA_HEADER_BYTES];

    check_output(o, out, session_pull(o->s, out, sizeof(out), o->now_us));
    must(!session_has_output(o->s));
    must(!o->is_closed || o->said_bye);
    if ((o->mode & SENDS) != 0 && session_may_send(o->s, 100)) {
        must(!o->is_closed);
        session_data(o->s, ++o->sent, 100, header);
    }
}

static void take_data(struct owner *o, const struct session_event *ev)
{
    must(ev->u.data.seq > o->last_seq && ev->u.data.length >= BATCH_HEADER_BYTES);
    must(session_received(o->s) <= o->granted);
    o->last_seq = ev->u.data.seq;
    free(ev->u.data.batch);
    session_ack(o->s, o->last_seq);
    o->granted = session_received(o->s) + CREDIT;
    session_grant(o->s, o->granted);
}

static void take_event(struct owner *o, const struct session_event *ev)
{
    must(!o->is_closed);
    switch (ev->type) {
    case SESSION_PEER:
        must(wire_text_is_clean(ev->u.peer.name, strlen(ev->u.peer.name)));
        if ((o->mode & ACCEPTS) != 0)
            session_accept(o->s, 0, CREDIT);
        break;
    case SESSION_OPEN:
        o->sent = ev->u.resume.last_seq;
        break;
    case SESSION_DATA:
        take_data(o, ev);
        break;
    case SESSION_ACK:
        must(ev->u.seq <= o->sent);
        break;
    case SESSION_CLOSED:
        o->is_closed = true;
        must(wire_text_is_clean(ev->u.closed.text, strlen(ev->u.closed.text)));
        break;
    default:
        break;
    }
}

static void listen(struct owner *o, const uint8_t *data, size_t size, size_t chunk)
{
    while (size > 0) {
        struct session_event ev;
        uint8_t *space;
        size_t room;

        session_reserve(o->s, &space, &room);
        must(room > 0);
        size_t length = room < chunk ? room : chunk;
        length = length < size ? length : size;
        memcpy(space, data, length);
        session_commit(o->s, length, o->now_us);
        while (session_next(o->s, o->now_us, &ev) != 0)
            take_event(o, &ev);
        must(o->is_closed == session_is_closed(o->s));
        speak(o);
        data += length;
        size -= length;
    }
}

static void let_time_pass(struct owner *o, uint64_t us)
{
    struct session_event ev;

    o->now_us += us;
    uint64_t next_us = session_tick(o->s, o->now_us);
    must(next_us > o->now_us);
    while (session_next(o->s, o->now_us, &ev) != 0)
        take_event(o, &ev);
    speak(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char secret[] = "secret";
    struct pair p;

    if (size < 2)
        return 0;
    int side = (data[0] & IS_LISTENER) != 0;
    if ((data[0] & IS_OPEN) != 0) {
        pair_open(&p, 0);
    } else {
        pair_init(&p, secret, secret);
        pair_connect(&p);
    }
    struct owner o = {
        .s = p.sides[side].session, .mode = data[0], .now_us = p.now_us, .granted = CREDIT};
    if ((data[0] & IS_OPEN) != 0) {
        session_grant(o.s, CREDIT);
        speak(&o);
    }
    listen(&o, data + 2, size - 2, (data[1] & 0x0F) == 0x0F ? SIZE_MAX : 1U + (data[1] & 0x0F));
    let_time_pass(&o, (uint64_t)(data[1] >> 4) * 500000);
    pair_release(&p);
    return 0;
}
