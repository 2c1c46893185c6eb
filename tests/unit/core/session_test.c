/* SPDX-License-Identifier: MIT */
/* session_test.c - two sessions that get along: handshake, octets in any pieces, data and
 * credit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/bytes.h"
#include "common/core/session.h"
#include "tests/support/session_pair.h"

enum { CONNECTOR = 0, LISTENER = 1, HEARTBEAT_US = PAIR_HEARTBEAT_MS * 1000 };

/* collected() - the frames of <type> that <side> has to say now. */
static size_t collected(struct pair *p, int side, uint8_t type)
{
    struct pair_side *s = &p->sides[side];

    s->out_length = 0;
    pair_collect(p, side);
    return pair_count_frames(s->out, s->out_length, type);
}

/* ---- handshake --------------------------------------------------------------------------- */

static void check_opening(const char *secret)
{
    struct pair p;

    pair_init(&p, secret, secret);
    pair_connect(&p);
    pair_run(&p);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(p.sides[i].event_count, 3);
        assert_int_equal(p.sides[i].events[0].type, SESSION_PEER);
        assert_int_equal(p.sides[i].events[1].type, SESSION_OPEN);
        assert_int_equal(p.sides[i].events[2].type, SESSION_RTT);
        assert_false(session_is_closed(p.sides[i].session));
    }
    pair_release(&p);
}

static void session__equal_secrets__open(void **state)
{
    (void)state;
    check_opening("secret");
}

static void session__no_secret_on_both_sides__open(void **state)
{
    (void)state;
    check_opening(NULL);
}

/* The peer is named only after it has proven, by what its hello said. */
static void session__peer__has_name_and_identity_of_its_hello(void **state)
{
    struct pair p;
    struct session_event ev = {.type = SESSION_CLOSED};
    uint8_t identity[WIRE_IDENTITY_BYTES];

    (void)state;
    pair_init(&p, "secret", "secret");
    pair_connect(&p);
    pair_collect(&p, CONNECTOR);
    pair_feed(&p, LISTENER, p.sides[CONNECTOR].out, p.sides[CONNECTOR].out_length, SIZE_MAX);
    p.sides[CONNECTOR].out_length = 0;
    assert_int_equal(p.sides[LISTENER].event_count, 0);
    pair_collect(&p, LISTENER);
    pair_feed(&p, CONNECTOR, p.sides[LISTENER].out, p.sides[LISTENER].out_length, SIZE_MAX);
    pair_collect(&p, CONNECTOR);

    struct session *s = p.sides[LISTENER].session;
    uint8_t *space;
    size_t size;
    session_reserve(s, &space, &size);
    assert_true(size >= p.sides[CONNECTOR].out_length);
    memcpy(space, p.sides[CONNECTOR].out, p.sides[CONNECTOR].out_length);
    session_commit(s, p.sides[CONNECTOR].out_length, p.now_us);
    assert_int_equal(session_next(s, p.now_us, &ev), 1);
    assert_int_equal(ev.type, SESSION_PEER);
    assert_string_equal(ev.u.peer.name, "agent");
    memset(identity, 0x20, sizeof(identity));
    assert_memory_equal(ev.u.peer.identity, identity, sizeof(identity));
    pair_release(&p);
}

/* A stranger who connects learns nothing that depends on the secret: it has to prove first. */
static void session__listener__proves_only_after_the_connector(void **state)
{
    struct pair p;

    (void)state;
    pair_init(&p, "secret", "secret");
    pair_connect(&p);
    pair_collect(&p, CONNECTOR);
    pair_feed(&p, LISTENER, p.sides[CONNECTOR].out, p.sides[CONNECTOR].out_length, SIZE_MAX);
    assert_int_equal(collected(&p, LISTENER, WIRE_HELLO), 1);
    assert_int_equal(
        pair_count_frames(p.sides[LISTENER].out, p.sides[LISTENER].out_length, WIRE_PROOF), 0);
    pair_release(&p);
}

/* An owner may take its time with the accept: what the peer resumed is kept until then. */
static void session__late_accept__opens(void **state)
{
    struct pair p;

    (void)state;
    pair_init(&p, "secret", "secret");
    p.owners[LISTENER].is_passive = true;
    pair_connect(&p);
    pair_run(&p);
    assert_non_null(pair_find(&p, LISTENER, SESSION_PEER));
    assert_null(pair_find(&p, LISTENER, SESSION_OPEN));
    assert_null(pair_find(&p, CONNECTOR, SESSION_OPEN));
    assert_false(session_may_send(p.sides[LISTENER].session, BATCH_HEADER_BYTES));

    session_accept(p.sides[LISTENER].session, 7, PAIR_CREDIT);
    pair_events(&p, LISTENER);
    assert_non_null(pair_find(&p, LISTENER, SESSION_OPEN));
    assert_false(session_may_send(p.sides[LISTENER].session, BATCH_HEADER_BYTES));
    pair_run(&p);
    assert_true(session_may_send(p.sides[LISTENER].session, BATCH_HEADER_BYTES));
    assert_int_equal(pair_find(&p, CONNECTOR, SESSION_OPEN)->number, 7);
    pair_release(&p);
}

/* Credit raised before the peer can know of the session being open must not reach it as an
 * error.
 */
static void session__grant_before_the_peers_resume__waits(void **state)
{
    struct pair p;

    (void)state;
    pair_init(&p, "secret", "secret");
    p.owners[0].is_passive = p.owners[1].is_passive = true;
    pair_connect(&p);
    pair_run(&p);
    session_accept(p.sides[LISTENER].session, 0, 1000);
    assert_int_equal(collected(&p, LISTENER, WIRE_RESUME), 1);
    pair_feed(&p, CONNECTOR, p.sides[LISTENER].out, p.sides[LISTENER].out_length, SIZE_MAX);
    session_grant(p.sides[LISTENER].session, 2000);
    assert_int_equal(collected(&p, LISTENER, WIRE_CREDIT), 0);

    session_accept(p.sides[CONNECTOR].session, 0, 1000);
    pair_events(&p, CONNECTOR);
    p.sides[LISTENER].out_length = 0;
    pair_run(&p);
    assert_null(pair_find(&p, CONNECTOR, SESSION_CLOSED));
    assert_int_equal(pair_count(&p, CONNECTOR, SESSION_CREDIT), 1);
    pair_release(&p);
}

/* ---- octets in any pieces ---------------------------------------------------------------- */

/* A transcript of all that one side says in a session with data both ways and a bye. */
static size_t make_transcript(int from, uint8_t *out)
{
    struct pair p;
    size_t length = 0, moved;

    pair_init(&p, "secret", "secret");
    p.owners[0].to_send = p.owners[1].to_send = 3;
    pair_connect(&p);
    do {
        moved = 0;
        for (int i = 0; i < 2; i++) {
            struct pair_side *s = &p.sides[i];
            pair_collect(&p, i);
            if (i == from) {
                memcpy(out + length, s->out, s->out_length);
                length += s->out_length;
            }
            moved += s->out_length;
            pair_feed(&p, 1 - i, s->out, s->out_length, SIZE_MAX);
            s->out_length = 0;
        }
    } while (moved > 0);
    session_close(p.sides[from].session, WIRE_REASON_STOP, NULL);
    pair_collect(&p, from);
    memcpy(out + length, p.sides[from].out, p.sides[from].out_length);
    length += p.sides[from].out_length;
    pair_release(&p);
    return length;
}

/* What does not depend on when the other side gets to speak. */
static void check_replayed(const struct pair *p, int to)
{
    assert_int_equal(pair_count(p, to, SESSION_PEER), 1);
    assert_int_equal(pair_count(p, to, SESSION_OPEN), 1);
    assert_int_equal(pair_count(p, to, SESSION_DATA), 3);
    assert_int_equal(p->owners[to].finished, 3);
    assert_int_equal(p->owners[to].acked, 3);
    const struct pair_event *closed = pair_find(p, to, SESSION_CLOSED);
    assert_non_null(closed);
    assert_true(closed->by_peer);
    assert_int_equal(closed->reason, WIRE_REASON_STOP);
}

/* replay() - the transcript into a fresh session, frame by frame, one of them cut at <cut>, and
 * <chunk> octets at once. Between frames our side speaks, since the transcript answers what it
 * says.
 */
static void replay(int to, const uint8_t *octets, size_t length, size_t cut, size_t chunk)
{
    struct pair p;
    size_t fed = 0, frame_end = 0;

    pair_init(&p, "secret", "secret");
    p.owners[to].to_send = 3;
    struct session_options options = pair_options(&p, to);
    pair_connect_side(&p, to, &options);
    while (fed < length) {
        if (fed == frame_end)
            frame_end += WIRE_HEADER_BYTES + bytes_get32(octets + fed);
        size_t end = fed < cut && cut < frame_end ? cut : frame_end;
        pair_feed(&p, to, octets + fed, end - fed, chunk);
        pair_collect(&p, to);
        fed = end;
    }
    check_replayed(&p, to);
    pair_release(&p);
}

static void check_every_cut(int from)
{
    static uint8_t octets[16384];
    size_t length = make_transcript(from, octets);

    assert_true(length > 3 * PAIR_BATCH_BYTES);
    for (size_t cut = 0; cut < length; cut++)
        replay(1 - from, octets, length, cut, SIZE_MAX);
    replay(1 - from, octets, length, 0, 1);
}

static void session__connector_cut_anywhere__same_outcome(void **state)
{
    (void)state;
    check_every_cut(CONNECTOR);
}

static void session__listener_cut_anywhere__same_outcome(void **state)
{
    (void)state;
    check_every_cut(LISTENER);
}

/* The rest of a large body is read where it belongs, without a copy. */
static void session__large_body__is_reserved_in_place(void **state)
{
    enum { BATCH = 6000, FIRST = 100 };
    struct pair p;
    uint8_t frame[WIRE_DATA_HEADER_BYTES + BATCH] = {0};
    uint8_t *space;
    size_t size;
    struct session_event ev;

    (void)state;
    pair_open(&p, 0);
    struct session *s = p.sides[LISTENER].session;
    wire_encode_data_header(1, BATCH, frame);
    pair_feed(&p, LISTENER, frame, WIRE_DATA_HEADER_BYTES + FIRST, SIZE_MAX);
    session_reserve(s, &space, &size);
    assert_int_equal(size, BATCH - FIRST);
    memset(space, 0, size);
    uint8_t *last = space + size - 1;
    *last = 0xAB;
    session_commit(s, size, p.now_us);
    assert_int_equal(session_next(s, p.now_us, &ev), 1);
    assert_int_equal(ev.type, SESSION_DATA);
    assert_ptr_equal(ev.u.data.batch + ev.u.data.length - 1, last);
    assert_int_equal(session_received(s), 8 + BATCH);
    free(ev.u.data.batch);
    pair_release(&p);
}

/* The reader's memory stays where it is, whatever other threads do before its commit. */
static void session__close_while_a_body_is_read__leaves_its_memory(void **state)
{
    struct pair p;
    uint8_t frame[WIRE_DATA_HEADER_BYTES];
    uint8_t *space;
    size_t size;

    (void)state;
    pair_open(&p, 0);
    struct session *s = p.sides[LISTENER].session;
    wire_encode_data_header(1, 4000, frame);
    pair_feed(&p, LISTENER, frame, sizeof(frame), SIZE_MAX);
    session_reserve(s, &space, &size);
    session_close(s, WIRE_REASON_STOP, NULL);
    pair_events(&p, LISTENER);
    memset(space, 1, size);
    session_commit(s, size, p.now_us);
    pair_feed_data(&p, LISTENER, 2, SESSION_STAGING_BYTES);
    assert_int_equal(p.sides[LISTENER].event_count, 1);
    assert_int_equal(p.sides[LISTENER].events[0].type, SESSION_CLOSED);
    pair_release(&p);
}

/* ---- data, acknowledgement, credit ------------------------------------------------------- */

static void session__many_batches_both_ways__all_delivered_and_acknowledged(void **state)
{
    struct pair p;

    (void)state;
    pair_init(&p, "secret", "secret");
    p.owners[0].to_send = 90;
    p.owners[1].to_send = 70;
    pair_connect(&p);
    pair_run(&p);
    assert_int_equal(p.owners[1].finished, 90);
    assert_int_equal(p.owners[0].finished, 70);
    assert_int_equal(p.owners[0].acked, 90);
    assert_int_equal(p.owners[1].acked, 70);
    assert_int_equal(pair_count(&p, LISTENER, SESSION_DATA), 90);
    assert_true(pair_count(&p, CONNECTOR, SESSION_CREDIT) > 0);
    pair_release(&p);
}

static void session__credit__bounds_what_may_be_sent(void **state)
{
    struct pair p;
    uint8_t header[WIRE_DATA_HEADER_BYTES];

    (void)state;
    pair_open(&p, 0);
    struct session *s = p.sides[CONNECTOR].session;
    assert_true(session_may_send(s, PAIR_CREDIT - 8));
    assert_false(session_may_send(s, PAIR_CREDIT - 7));
    session_data(s, 1, 1000, header);
    assert_true(session_may_send(s, PAIR_CREDIT - 1008 - 8));
    assert_false(session_may_send(s, PAIR_CREDIT - 1008 - 7));
    pair_release(&p);
}

static void session__acks_and_grants__collapse_into_one_frame_each(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p, 0);
    struct session *s = p.sides[LISTENER].session;
    for (uint64_t seq = 1; seq <= 3; seq++) {
        pair_feed_data(&p, LISTENER, seq, 50);
        session_ack(s, seq);
        session_grant(s, PAIR_CREDIT + seq);
    }
    assert_int_equal(collected(&p, LISTENER, WIRE_ACK), 1);
    assert_int_equal(
        pair_count_frames(p.sides[LISTENER].out, p.sides[LISTENER].out_length, WIRE_CREDIT), 1);
    assert_false(session_has_output(s));
    pair_release(&p);
}

/* A batch of an earlier session may be finished before the peer has sent it again. */
static void session__ack_of_what_has_not_come_yet__waits_for_it(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p, 0);
    struct session *s = p.sides[LISTENER].session;
    session_ack(s, 2);
    assert_int_equal(collected(&p, LISTENER, WIRE_ACK), 0);
    pair_feed_data(&p, LISTENER, 1, 50);
    pair_feed_data(&p, LISTENER, 2, 50);
    pair_feed_data(&p, LISTENER, 3, 50);
    assert_int_equal(collected(&p, LISTENER, WIRE_ACK), 1);
    session_ack(s, 3);
    assert_int_equal(collected(&p, LISTENER, WIRE_ACK), 1);
    pair_release(&p);
}

/* The first batch may lie beyond the resume, if its sender lost some; the owner is told how
 * many.
 */
static void session__first_batch_beyond_the_resume__tells_the_gap(void **state)
{
    struct pair p;

    (void)state;
    pair_init(&p, NULL, NULL);
    p.owners[LISTENER].finished = 10;
    pair_connect(&p);
    pair_run(&p);
    pair_feed_data(&p, LISTENER, 14, 50);
    pair_feed_data(&p, LISTENER, 15, 50);
    assert_int_equal(pair_count(&p, LISTENER, SESSION_DATA), 2);
    assert_int_equal(pair_find(&p, LISTENER, SESSION_DATA)->gap, 3);
    pair_release(&p);
}

static void session__first_batch_of_an_unknown_stream__has_no_gap(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p, 0);
    pair_feed_data(&p, LISTENER, 500, 50);
    assert_int_equal(pair_find(&p, LISTENER, SESSION_DATA)->number, 500);
    assert_int_equal(pair_find(&p, LISTENER, SESSION_DATA)->gap, 0);
    pair_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(session__equal_secrets__open),
        cmocka_unit_test(session__no_secret_on_both_sides__open),
        cmocka_unit_test(session__peer__has_name_and_identity_of_its_hello),
        cmocka_unit_test(session__listener__proves_only_after_the_connector),
        cmocka_unit_test(session__late_accept__opens),
        cmocka_unit_test(session__grant_before_the_peers_resume__waits),
        cmocka_unit_test(session__connector_cut_anywhere__same_outcome),
        cmocka_unit_test(session__listener_cut_anywhere__same_outcome),
        cmocka_unit_test(session__large_body__is_reserved_in_place),
        cmocka_unit_test(session__close_while_a_body_is_read__leaves_its_memory),
        cmocka_unit_test(session__many_batches_both_ways__all_delivered_and_acknowledged),
        cmocka_unit_test(session__credit__bounds_what_may_be_sent),
        cmocka_unit_test(session__acks_and_grants__collapse_into_one_frame_each),
        cmocka_unit_test(session__ack_of_what_has_not_come_yet__waits_for_it),
        cmocka_unit_test(session__first_batch_beyond_the_resume__tells_the_gap),
        cmocka_unit_test(session__first_batch_of_an_unknown_stream__has_no_gap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
