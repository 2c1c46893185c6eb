/* SPDX-License-Identifier: MIT */
/* session_end_test.c - heartbeats, silence, and the ways in which a session ends. */
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

/* ---- heartbeats -------------------------------------------------------------------------- */

static void session__heartbeat__measures_the_round_trip(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p, 0);
    struct session *s = p.sides[CONNECTOR].session;
    uint64_t next = session_tick(s, p.now_us);
    assert_int_equal(next, p.now_us + HEARTBEAT_US);
    p.now_us = next;
    session_tick(s, p.now_us);
    assert_int_equal(collected(&p, CONNECTOR, WIRE_PING), 1);
    pair_feed(&p, LISTENER, p.sides[CONNECTOR].out, p.sides[CONNECTOR].out_length, SIZE_MAX);
    p.now_us += 321;
    assert_int_equal(collected(&p, LISTENER, WIRE_PONG), 1);
    pair_feed(&p, CONNECTOR, p.sides[LISTENER].out, p.sides[LISTENER].out_length, SIZE_MAX);
    assert_int_equal(pair_find(&p, CONNECTOR, SESSION_RTT)->number, 321);
    pair_release(&p);
}

/* The answer to an older ping says nothing about the one that is out. */
static void session__pong_of_another_ping__is_no_round_trip(void **state)
{
    struct pair p;
    struct wire_frame pong = {.type = WIRE_PONG, .u.token = 12345};

    (void)state;
    pair_open(&p, 0);
    pair_feed_frame(&p, CONNECTOR, &pong);
    p.now_us += HEARTBEAT_US;
    session_tick(p.sides[CONNECTOR].session, p.now_us);
    assert_int_equal(collected(&p, CONNECTOR, WIRE_PING), 1);
    pair_feed_frame(&p, CONNECTOR, &pong);
    assert_int_equal(p.sides[CONNECTOR].event_count, 0);
    pong.u.token = p.now_us;
    pair_feed_frame(&p, CONNECTOR, &pong);
    pair_feed_frame(&p, CONNECTOR, &pong);
    assert_int_equal(pair_count(&p, CONNECTOR, SESSION_RTT), 1);
    pair_release(&p);
}

static void session__silence__ends_after_missed_beats(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p, 0);
    struct session *s = p.sides[CONNECTOR].session;
    uint64_t end = p.now_us + (uint64_t)SESSION_MISSED_BEATS * HEARTBEAT_US;
    assert_int_equal(session_tick(s, end - 1), end);
    assert_false(session_is_closed(s));
    assert_true(session_tick(s, end) == UINT64_MAX);
    pair_events(&p, CONNECTOR);
    assert_int_equal(pair_find(&p, CONNECTOR, SESSION_CLOSED)->reason, WIRE_REASON_TIMEOUT);
    pair_release(&p);
}

/* Octets that keep coming do not prove that the peer still hears us. */
static void session__unanswered_ping__ends_after_missed_beats(void **state)
{
    struct pair p;
    struct wire_frame ping = {.type = WIRE_PING, .u.token = 1};

    (void)state;
    pair_open(&p, 0);
    struct session *s = p.sides[CONNECTOR].session;
    p.now_us += HEARTBEAT_US;
    session_tick(s, p.now_us);
    assert_int_equal(collected(&p, CONNECTOR, WIRE_PING), 1);
    for (int beat = 0; beat < SESSION_MISSED_BEATS; beat++) {
        assert_false(session_is_closed(s));
        p.now_us += HEARTBEAT_US;
        pair_feed_frame(&p, CONNECTOR, &ping);
        assert_int_equal(collected(&p, CONNECTOR, WIRE_PING), 0);
        session_tick(s, p.now_us);
    }
    pair_events(&p, CONNECTOR);
    assert_int_equal(pair_find(&p, CONNECTOR, SESSION_CLOSED)->reason, WIRE_REASON_TIMEOUT);
    pair_release(&p);
}

/* The owner may have nothing pulled for long, while it writes a large batch: not the peer's
 * fault.
 */
static void session__ping_not_pulled__runs_no_clock(void **state)
{
    struct pair p;
    struct wire_frame ping = {.type = WIRE_PING, .u.token = 1};

    (void)state;
    pair_open(&p, 0);
    for (int beat = 0; beat < 5 * SESSION_MISSED_BEATS; beat++) {
        p.now_us += HEARTBEAT_US;
        pair_feed_frame(&p, CONNECTOR, &ping);
        session_tick(p.sides[CONNECTOR].session, p.now_us);
    }
    assert_false(session_is_closed(p.sides[CONNECTOR].session));
    pair_release(&p);
}

static void session__ping_flood__is_answered_by_the_last_pong(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p, 0);
    for (uint64_t i = 0; i < 10000; i++) {
        struct wire_frame ping = {.type = WIRE_PING, .u.token = i};
        pair_feed_frame(&p, LISTENER, &ping);
    }
    assert_int_equal(collected(&p, LISTENER, WIRE_PONG), 1);
    assert_int_equal(p.sides[LISTENER].out_length, WIRE_HEADER_BYTES + 8);
    struct wire_frame f;
    assert_int_equal(wire_decode(WIRE_PONG, p.sides[LISTENER].out + WIRE_HEADER_BYTES, 8, &f),
                     0);
    assert_int_equal(f.u.token, 9999);
    pair_release(&p);
}

/* ---- bye --------------------------------------------------------------------------------- */

static void session__bye__ends_both_sides_with_one_answer(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p, 0);
    session_close(p.sides[CONNECTOR].session, WIRE_REASON_STOP, "going home");
    pair_events(&p, CONNECTOR);
    assert_int_equal(collected(&p, CONNECTOR, WIRE_BYE), 1);
    pair_feed(&p, LISTENER, p.sides[CONNECTOR].out, p.sides[CONNECTOR].out_length, SIZE_MAX);
    assert_int_equal(collected(&p, LISTENER, WIRE_BYE), 1);
    pair_feed(&p, CONNECTOR, p.sides[LISTENER].out, p.sides[LISTENER].out_length, SIZE_MAX);
    assert_false(session_has_output(p.sides[CONNECTOR].session));
    assert_false(session_has_output(p.sides[LISTENER].session));

    const struct pair_event *ours = pair_find(&p, CONNECTOR, SESSION_CLOSED);
    const struct pair_event *theirs = pair_find(&p, LISTENER, SESSION_CLOSED);
    assert_false(ours->by_peer);
    assert_true(theirs->by_peer);
    assert_string_equal(theirs->text, "going home");
    assert_int_equal(theirs->reason, WIRE_REASON_STOP);
    pair_release(&p);
}

static void session__both_say_bye__each_ends_by_itself(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p, 0);
    session_close(p.sides[0].session, WIRE_REASON_STOP, NULL);
    session_close(p.sides[1].session, WIRE_REASON_NAME, NULL);
    session_close(p.sides[1].session, WIRE_REASON_BUSY, NULL);
    pair_run(&p);
    for (int i = 0; i < 2; i++) {
        pair_events(&p, i);
        assert_int_equal(pair_count(&p, i, SESSION_CLOSED), 1);
        assert_false(pair_find(&p, i, SESSION_CLOSED)->by_peer);
    }
    assert_int_equal(pair_find(&p, 1, SESSION_CLOSED)->reason, WIRE_REASON_NAME);
    pair_release(&p);
}

/* What is finished is still said before the bye; after it, nothing. */
static void session__close__says_acks_first_and_then_is_silent(void **state)
{
    struct pair p;

    (void)state;
    pair_open(&p, 0);
    struct session *s = p.sides[LISTENER].session;
    pair_feed_data(&p, LISTENER, 1, 50);
    pair_feed_data(&p, LISTENER, 2, 50);
    session_ack(s, 1);
    session_close(s, WIRE_REASON_STOP, NULL);
    assert_int_equal(collected(&p, LISTENER, WIRE_ACK), 1);
    assert_int_equal(p.sides[LISTENER].out[4], WIRE_ACK);
    assert_int_equal(
        pair_count_frames(p.sides[LISTENER].out, p.sides[LISTENER].out_length, WIRE_BYE), 1);
    session_grant(s, UINT64_MAX);
    session_ack(s, 2);
    assert_true(session_tick(s, p.now_us + 1000000000) == UINT64_MAX);
    assert_false(session_has_output(s));
    assert_false(session_may_send(s, BATCH_HEADER_BYTES));
    assert_int_equal(session_pull(s, p.sides[LISTENER].out, SESSION_PULL_MAX, p.now_us), 0);
    pair_release(&p);
}

/* A text that is too long is cut between characters; one that cannot be shown is replaced. */
static void session__close_text__is_fit_to_be_shown(void **state)
{
    struct pair p;
    char text[WIRE_REASON_MAX + 20];

    (void)state;
    pair_open(&p, 0);
    memset(text, 'x', sizeof(text));
    memcpy(text + WIRE_REASON_MAX - 1, "\xC3\xA4", 3);
    session_close(p.sides[0].session, WIRE_REASON_STOP, text);
    session_close(p.sides[1].session, WIRE_REASON_BUSY, "\x1B[2J");
    pair_events(&p, 0);
    pair_events(&p, 1);
    assert_int_equal(strlen(pair_find(&p, 0, SESSION_CLOSED)->text), WIRE_REASON_MAX - 1);
    assert_string_equal(pair_find(&p, 1, SESSION_CLOSED)->text,
                        wire_reason_text(WIRE_REASON_BUSY));
    pair_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(session__heartbeat__measures_the_round_trip),
        cmocka_unit_test(session__pong_of_another_ping__is_no_round_trip),
        cmocka_unit_test(session__silence__ends_after_missed_beats),
        cmocka_unit_test(session__unanswered_ping__ends_after_missed_beats),
        cmocka_unit_test(session__ping_not_pulled__runs_no_clock),
        cmocka_unit_test(session__ping_flood__is_answered_by_the_last_pong),
        cmocka_unit_test(session__bye__ends_both_sides_with_one_answer),
        cmocka_unit_test(session__both_say_bye__each_ends_by_itself),
        cmocka_unit_test(session__close__says_acks_first_and_then_is_silent),
        cmocka_unit_test(session__close_text__is_fit_to_be_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
