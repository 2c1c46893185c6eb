/* SPDX-License-Identifier: MIT */
/* session_protocol_test.c - peers that have proven who they are, and break the protocol. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/bytes.h"
#include "common/core/session.h"
#include "tests/support/session_check.h"
#include "tests/support/session_pair.h"

enum { CONNECTOR = 0, LISTENER = 1 };

static void feed_and_check(struct pair *p, int side, const struct wire_frame *f,
                           unsigned reason)
{
    pair_feed_frame(p, side, f);
    check_ended(p, side, reason, "");
    pair_release(p);
}

static struct wire_frame peer_hello(enum wire_role role)
{
    struct wire_frame f = {
        .type = WIRE_HELLO,
        .u.hello = {.version_lowest = WIRE_VERSION,
                    .version_highest = WIRE_VERSION,
                    .role = (uint8_t)role,
                    .has_secret = 1,
                    .name = "stranger"},
    };

    memset(f.u.hello.identity, 0x55, WIRE_IDENTITY_BYTES);
    return f;
}

static void session__peer_refused_by_its_owner__is_told(void **state)
{
    struct pair p;

    (void)state;
    pair_init(&p, "secret", "secret");
    p.owners[LISTENER].is_passive = true;
    pair_connect(&p);
    pair_run(&p);
    session_close(p.sides[LISTENER].session, WIRE_REASON_NAME, "'agent' is connected already");
    pair_events(&p, LISTENER);
    pair_run(&p);
    const struct pair_event *closed = pair_find(&p, CONNECTOR, SESSION_CLOSED);
    assert_true(closed->by_peer);
    assert_int_equal(closed->reason, WIRE_REASON_NAME);
    assert_string_equal(closed->text, "'agent' is connected already");
    pair_release(&p);
}

static void session__data_before_both_resumed__protocol(void **state)
{
    struct pair p;

    (void)state;
    pair_init(&p, "secret", "secret");
    p.owners[LISTENER].is_passive = true;
    pair_connect(&p);
    pair_run(&p);
    pair_feed_data(&p, LISTENER, 1, 50);
    check_ended(&p, LISTENER, WIRE_REASON_PROTOCOL, "type 4");
    pair_release(&p);
}

/* Exactly all of it may come, and not one octet more. */
static void session__credit__is_enforced_to_the_octet(void **state)
{
    enum { SMALLEST_BODY = 8 + BATCH_HEADER_BYTES };
    struct pair p;

    (void)state;
    for (size_t left = SMALLEST_BODY - 1; left <= SMALLEST_BODY; left++) {
        pair_open(&p, 2);
        struct session *s = p.sides[LISTENER].session;
        session_grant(s, session_received(s) + PAIR_CREDIT + left);
        pair_feed_data(&p, LISTENER, 3, PAIR_CREDIT - 8);
        pair_feed_header(&p, LISTENER, WIRE_DATA, SMALLEST_BODY);
        assert_int_equal(pair_count(&p, LISTENER, SESSION_DATA), 1);
        if (left == SMALLEST_BODY)
            assert_false(session_is_closed(s));
        else
            check_ended(&p, LISTENER, WIRE_REASON_PROTOCOL, "credit");
        pair_release(&p);
    }
}

static void check_seq(uint64_t seq)
{
    struct pair p;

    pair_open(&p, 2); /* the listener has 1 and 2 */
    pair_feed_data(&p, LISTENER, seq, 50);
    check_ended(&p, LISTENER, WIRE_REASON_PROTOCOL, "out of order");
    pair_release(&p);
}

static void session__batch_out_of_order__protocol(void **state)
{
    (void)state;
    check_seq(0);
    check_seq(1);
    check_seq(2);
    check_seq(4);
    check_seq(UINT64_MAX);
}

static void session__first_batch_not_above_the_resume__protocol(void **state)
{
    struct pair p;

    (void)state;
    pair_init(&p, NULL, NULL);
    p.owners[LISTENER].finished = 10;
    pair_connect(&p);
    pair_run(&p);
    pair_feed_data(&p, LISTENER, 10, 50);
    check_ended(&p, LISTENER, WIRE_REASON_PROTOCOL, "out of order");
    pair_release(&p);
}

static void check_number(uint8_t type, uint64_t number)
{
    struct pair p;
    struct wire_frame f = {.type = type, .u.seq = number};

    pair_open(&p, 2); /* the connector sent 1 and 2, and both are acknowledged */
    feed_and_check(&p, CONNECTOR, &f, WIRE_REASON_PROTOCOL);
}

static void session__impossible_numbers__protocol(void **state)
{
    (void)state;
    check_number(WIRE_ACK, 3);
    check_number(WIRE_ACK, 1);
    check_number(WIRE_ACK, UINT64_MAX);
    check_number(WIRE_CREDIT, PAIR_CREDIT - 1);
}

static void session__repeated_numbers__are_harmless(void **state)
{
    struct pair p;
    struct wire_frame ack = {.type = WIRE_ACK, .u.seq = 2};

    (void)state;
    pair_open(&p, 2);
    pair_feed_frame(&p, CONNECTOR, &ack);
    assert_int_equal(p.sides[CONNECTOR].event_count, 0);
    pair_release(&p);
}

static void session__handshake_frames_when_open__protocol(void **state)
{
    struct wire_frame frames[] = {
        peer_hello(WIRE_CONNECTOR), {.type = WIRE_PROOF}, {.type = WIRE_RESUME}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct pair p;
        pair_open(&p, 2);
        feed_and_check(&p, LISTENER, &frames[i], WIRE_REASON_PROTOCOL);
    }
}

static void session__second_resume__protocol(void **state)
{
    struct pair p;
    struct wire_frame resume = {.type = WIRE_RESUME, .u.resume.credit = 1};

    (void)state;
    pair_init(&p, "secret", "secret");
    p.owners[LISTENER].is_passive = true;
    pair_connect(&p);
    pair_run(&p); /* the connector's resume is here, the accept is not */
    feed_and_check(&p, LISTENER, &resume, WIRE_REASON_PROTOCOL);
}

/* Lengths and reserved octets, when open. */
static void session__impossible_headers__end_the_session(void **state)
{
    struct pair p;
    uint8_t reserved[WIRE_HEADER_BYTES] = {8, 0, 0, 0, WIRE_PING, 1, 0, 0};

    (void)state;
    pair_open(&p, 2);
    session_grant(p.sides[LISTENER].session, UINT64_MAX);
    pair_feed_header(&p, LISTENER, WIRE_DATA, WIRE_DATA_BODY_MAX + 1);
    check_ended(&p, LISTENER, WIRE_REASON_TOO_LARGE, "");
    pair_release(&p);

    pair_open(&p, 2);
    pair_feed_header(&p, LISTENER, WIRE_DATA, 8 + BATCH_HEADER_BYTES - 1);
    check_ended(&p, LISTENER, WIRE_REASON_PROTOCOL, "too short");
    pair_release(&p);

    pair_open(&p, 2);
    pair_feed(&p, LISTENER, reserved, sizeof(reserved), SIZE_MAX);
    check_ended(&p, LISTENER, WIRE_REASON_PROTOCOL, "reserved");
    pair_release(&p);

    pair_open(&p, 2);
    pair_feed_header(&p, LISTENER, 33, WIRE_DATA_BODY_MAX + 1);
    check_ended(&p, LISTENER, WIRE_REASON_TOO_LARGE, "");
    pair_release(&p);
}

/* A later version may say what we do not know; it passes by, and what follows is understood. */
static void session__unknown_frames__are_passed_over(void **state)
{
    static const uint32_t lengths[] = {0, 1, 100, SESSION_STAGING_BYTES, WIRE_DATA_BODY_MAX};
    static const uint8_t types[] = {0, WIRE_COUNTERS, 32, 47, 255};
    uint8_t *junk = calloc(1, WIRE_DATA_BODY_MAX);
    struct pair p;

    (void)state;
    assert_non_null(junk);
    pair_open(&p, 2);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        uint8_t header[WIRE_HEADER_BYTES] = {0, 0, 0, 0, types[i], 0xFF, 0xFF, 0xFF};
        bytes_put32(header, lengths[i]);
        pair_feed(&p, LISTENER, header, sizeof(header), SIZE_MAX);
        pair_feed(&p, LISTENER, junk, lengths[i], 5000);
        pair_feed_data(&p, LISTENER, 3 + i, 50);
    }
    assert_int_equal(pair_count(&p, LISTENER, SESSION_DATA), 5);
    assert_int_equal(p.sides[LISTENER].event_count, 5);
    free(junk);
    pair_release(&p);
}

/* Whatever follows the end is swallowed. */
static void session__octets_after_the_end__lead_to_nothing(void **state)
{
    static uint8_t junk[3 * SESSION_STAGING_BYTES];
    struct pair p;

    (void)state;
    pair_open(&p, 2);
    pair_feed_header(&p, LISTENER, WIRE_HELLO, 80);
    check_ended(&p, LISTENER, WIRE_REASON_PROTOCOL, "type 1");
    memset(junk, 'x', sizeof(junk));
    pair_feed(&p, LISTENER, junk, sizeof(junk), SIZE_MAX);
    pair_feed_data(&p, LISTENER, 3, 50);
    assert_int_equal(p.sides[LISTENER].event_count, 1);
    assert_false(session_has_output(p.sides[LISTENER].session));
    pair_release(&p);
}

static void session__name_that_cannot_be__is_no_session(void **state)
{
    struct pair p;
    char name[WIRE_NAME_MAX + 2];

    (void)state;
    pair_init(&p, NULL, NULL);
    struct session_options options = pair_options(&p, CONNECTOR);
    options.name = "two\nlines";
    assert_null(session_new(&options, 0));
    memset(name, 'n', sizeof(name));
    name[WIRE_NAME_MAX + 1] = '\0';
    options.name = name;
    assert_null(session_new(&options, 0));
    name[WIRE_NAME_MAX] = '\0';
    struct session *s = session_new(&options, 0);
    assert_non_null(s);
    session_free(s);
    session_free(NULL);
    pair_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(session__peer_refused_by_its_owner__is_told),
        cmocka_unit_test(session__data_before_both_resumed__protocol),
        cmocka_unit_test(session__credit__is_enforced_to_the_octet),
        cmocka_unit_test(session__batch_out_of_order__protocol),
        cmocka_unit_test(session__first_batch_not_above_the_resume__protocol),
        cmocka_unit_test(session__impossible_numbers__protocol),
        cmocka_unit_test(session__repeated_numbers__are_harmless),
        cmocka_unit_test(session__handshake_frames_when_open__protocol),
        cmocka_unit_test(session__second_resume__protocol),
        cmocka_unit_test(session__impossible_headers__end_the_session),
        cmocka_unit_test(session__unknown_frames__are_passed_over),
        cmocka_unit_test(session__octets_after_the_end__lead_to_nothing),
        cmocka_unit_test(session__name_that_cannot_be__is_no_session),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
