/* SPDX-License-Identifier: MIT */
/* session_refusal_test.c - peers that are not who they should be. */
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

/* A lone session of <side>, with nothing said yet. */
static void fresh_side(struct pair *p, int side)
{
    pair_init(p, "secret", "secret");
    struct session_options options = pair_options(p, side);
    pair_connect_side(p, side, &options);
}

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

/* ---- the secret -------------------------------------------------------------------------- */

static void session__other_secret__listener_refuses_and_proves_nothing(void **state)
{
    struct pair p;

    (void)state;
    pair_init(&p, "secret", "another");
    pair_connect(&p);
    pair_collect(&p, CONNECTOR);
    pair_collect(&p, LISTENER);
    pair_feed(&p, CONNECTOR, p.sides[1].out, p.sides[1].out_length, SIZE_MAX);
    pair_collect(&p, CONNECTOR);
    pair_feed(&p, LISTENER, p.sides[0].out, p.sides[0].out_length, SIZE_MAX);
    check_ended(&p, LISTENER, WIRE_REASON_SECRET, "secrets of the two sides differ");
    assert_int_equal(pair_count_frames(p.sides[1].out, p.sides[1].out_length, WIRE_PROOF), 0);

    pair_feed(&p, CONNECTOR, p.sides[1].out, p.sides[1].out_length, SIZE_MAX);
    const struct pair_event *closed = pair_find(&p, CONNECTOR, SESSION_CLOSED);
    assert_true(closed->by_peer);
    assert_int_equal(closed->reason, WIRE_REASON_SECRET);
    assert_null(pair_find(&p, CONNECTOR, SESSION_PEER));
    assert_null(pair_find(&p, LISTENER, SESSION_PEER));
    pair_release(&p);
}

/* A listener that has not the secret cannot make up its proof. */
static void session__wrong_proof_of_the_listener__connector_refuses(void **state)
{
    struct pair p;
    struct wire_frame hello = peer_hello(WIRE_LISTENER);
    struct wire_frame proof = {.type = WIRE_PROOF};

    (void)state;
    fresh_side(&p, CONNECTOR);
    pair_feed_frame(&p, CONNECTOR, &hello);
    pair_feed_frame(&p, CONNECTOR, &proof);
    check_ended(&p, CONNECTOR, WIRE_REASON_SECRET, "differ");
    pair_release(&p);
}

/* Sending a connector's proof back to it proves nothing: the role is part of it. */
static void session__reflected_proof__connector_refuses(void **state)
{
    struct pair p;
    struct wire_frame hello = peer_hello(WIRE_LISTENER);
    struct pair_side *s = &p.sides[CONNECTOR];

    (void)state;
    fresh_side(&p, CONNECTOR);
    pair_feed_frame(&p, CONNECTOR, &hello);
    pair_collect(&p, CONNECTOR);
    size_t at = WIRE_HEADER_BYTES + bytes_get32(s->out);
    assert_int_equal(s->out[at + 4], WIRE_PROOF);
    pair_feed(&p, CONNECTOR, s->out + at, WIRE_HEADER_BYTES + WIRE_PROOF_BYTES, SIZE_MAX);
    check_ended(&p, CONNECTOR, WIRE_REASON_SECRET, "differ");
    pair_release(&p);
}

/* What a connector once said proves nothing to a listener with another nonce. */
static void session__replayed_connector__listener_refuses(void **state)
{
    static uint8_t octets[PAIR_OUT_MAX];
    struct pair p;

    (void)state;
    pair_init(&p, "secret", "secret");
    pair_connect(&p);
    pair_collect(&p, LISTENER);
    pair_feed(&p, CONNECTOR, p.sides[1].out, p.sides[1].out_length, SIZE_MAX);
    pair_collect(&p, CONNECTOR);
    size_t length = p.sides[0].out_length;
    memcpy(octets, p.sides[0].out, length);
    pair_feed(&p, LISTENER, octets, length, SIZE_MAX);
    assert_non_null(pair_find(&p, LISTENER, SESSION_PEER));
    pair_disconnect(&p);

    struct session_options options = pair_options(&p, LISTENER);
    options.nonce[5] ^= 1;
    pair_connect_side(&p, LISTENER, &options);
    pair_feed(&p, LISTENER, octets, length, SIZE_MAX);
    check_ended(&p, LISTENER, WIRE_REASON_SECRET, "differ");
    pair_release(&p);
}

static void check_one_secret(const char *connector, const char *listener)
{
    struct pair p;

    pair_init(&p, connector, listener);
    pair_connect(&p);
    pair_run(&p);
    for (int i = 0; i < 2; i++) {
        const struct pair_event *closed = pair_find(&p, i, SESSION_CLOSED);
        assert_non_null(closed);
        assert_int_equal(closed->reason, WIRE_REASON_SECRET);
        assert_string_equal(closed->text,
                            p.sides[i].secret != NULL
                                ? "the peer has no secret_file, this side has one"
                                : "the peer has a secret_file, this side has none");
        assert_null(pair_find(&p, i, SESSION_PEER));
    }
    pair_release(&p);
}

static void session__secret_on_one_side__each_says_which(void **state)
{
    (void)state;
    check_one_secret("secret", NULL);
    check_one_secret(NULL, "secret");
}

static int broken_hmac(void *arg, const uint8_t *data, size_t length, uint8_t *ret)
{
    (void)arg, (void)data, (void)length, (void)ret;
    return -1;
}

static void session__hmac_fails__ends_as_internal(void **state)
{
    struct pair p;
    struct wire_frame hello = peer_hello(WIRE_LISTENER);

    (void)state;
    pair_init(&p, "secret", "secret");
    struct session_options options = pair_options(&p, CONNECTOR);
    options.hmac = broken_hmac;
    pair_connect_side(&p, CONNECTOR, &options);
    feed_and_check(&p, CONNECTOR, &hello, WIRE_REASON_INTERNAL);
}

/* ---- the hello --------------------------------------------------------------------------- */

static void session__no_common_version__text_has_both_ranges(void **state)
{
    struct pair p;
    struct wire_frame hello = peer_hello(WIRE_CONNECTOR);

    (void)state;
    hello.u.hello.version_lowest = 7;
    hello.u.hello.version_highest = 9;
    fresh_side(&p, LISTENER);
    pair_feed_frame(&p, LISTENER, &hello);
    check_ended(&p, LISTENER, WIRE_REASON_VERSION, "speaks 1 to 1, the other 7 to 9");
    pair_release(&p);
}

static void session__later_version_that_knows_ours__is_taken(void **state)
{
    struct pair p;
    struct wire_frame hello = peer_hello(WIRE_CONNECTOR);

    (void)state;
    hello.u.hello.version_highest = 9;
    hello.u.hello.capabilities = 0xFFFFFFFF;
    fresh_side(&p, LISTENER);
    pair_feed_frame(&p, LISTENER, &hello);
    assert_false(session_is_closed(p.sides[LISTENER].session));
    pair_release(&p);
}

static void session__equal_roles__protocol(void **state)
{
    struct pair p;
    struct wire_frame hello = peer_hello(WIRE_LISTENER);

    (void)state;
    fresh_side(&p, LISTENER);
    feed_and_check(&p, LISTENER, &hello, WIRE_REASON_PROTOCOL);
}

static void session__own_identity__name(void **state)
{
    struct pair p;
    struct wire_frame hello = peer_hello(WIRE_CONNECTOR);

    (void)state;
    fresh_side(&p, LISTENER);
    memcpy(hello.u.hello.identity, pair_options(&p, LISTENER).identity, WIRE_IDENTITY_BYTES);
    feed_and_check(&p, LISTENER, &hello, WIRE_REASON_NAME);
}

static void check_foreign(const char *octets, size_t length, const char *text)
{
    for (size_t chunk = 1; chunk <= length; chunk++) {
        struct pair p;
        fresh_side(&p, LISTENER);
        pair_feed(&p, LISTENER, (const uint8_t *)octets, length, chunk);
        check_ended(&p, LISTENER, WIRE_REASON_PROTOCOL, "does not speak hvlog's protocol");
        if (chunk == length)
            assert_string_equal(pair_find(&p, LISTENER, SESSION_CLOSED)->text, text);
        assert_int_equal(pair_count_frames(p.sides[1].out, p.sides[1].out_length, WIRE_HELLO),
                         1);
        pair_release(&p);
    }
}

/* Two octets are enough for most; what is shown is what came. */
static void session__other_protocols__are_foreign_at_once(void **state)
{
    (void)state;
    check_foreign(
        "GET / HTTP/1.1\r\n", 16,
        "the peer does not speak hvlog's protocol (first octets 47 45 54 20 2f 20 48 54)");
    check_foreign("GET ", 4,
                  "the peer does not speak hvlog's protocol (first octets 47 45 54 20)");
    check_foreign("\x16\x03\x01\x02\x00\x01", 6,
                  "the peer does not speak hvlog's protocol (first octets 16 03 01 02 00 01)");
    check_foreign(
        "<13>1 - - -", 11,
        "the peer does not speak hvlog's protocol (first octets 3c 31 33 3e 31 20 2d 20)");
    check_foreign("5 <13>", 6,
                  "the peer does not speak hvlog's protocol (first octets 35 20 3c 31 33 3e)");
    check_foreign(
        "SSH-2.0-x\r\n", 11,
        "the peer does not speak hvlog's protocol (first octets 53 53 48 2d 32 2e 30 2d)");
}

/* A hello that went through a transfer of text: CR LF became LF, or the other way round. */
static void session__hello_mangled_as_text__is_foreign(void **state)
{
    struct wire_frame hello = peer_hello(WIRE_CONNECTOR);
    uint8_t octets[WIRE_SMALL_FRAME_MAX];
    struct pair p;
    size_t length = (size_t)wire_encode(&hello, octets, sizeof(octets));

    (void)state;
    memmove(octets + 13, octets + 14, length - 14);
    fresh_side(&p, LISTENER);
    pair_feed(&p, LISTENER, octets, length - 1, SIZE_MAX);
    check_ended(&p, LISTENER, WIRE_REASON_PROTOCOL, "does not speak");
    pair_release(&p);
}

static void session__malformed_hello__protocol(void **state)
{
    struct wire_frame hello = peer_hello(WIRE_CONNECTOR);
    uint8_t octets[WIRE_SMALL_FRAME_MAX];
    struct pair p;
    size_t length = (size_t)wire_encode(&hello, octets, sizeof(octets));

    (void)state;
    octets[WIRE_HEADER_BYTES + 16] = 3; /* no such role */
    fresh_side(&p, LISTENER);
    pair_feed(&p, LISTENER, octets, length, SIZE_MAX);
    check_ended(&p, LISTENER, WIRE_REASON_PROTOCOL, "malformed");
    pair_release(&p);
}

/* ---- before the proof -------------------------------------------------------------------- */

/* Nothing large, unknown or early from somebody who has proven nothing. */
static void session__unproven_peer__may_only_prove(void **state)
{
    static const struct {
        uint8_t type;
        uint32_t length;
        unsigned reason;
    } cases[] = {
        {WIRE_HELLO, 80, WIRE_REASON_PROTOCOL},
        {WIRE_RESUME, 16, WIRE_REASON_PROTOCOL},
        {WIRE_DATA, 100, WIRE_REASON_PROTOCOL},
        {WIRE_ACK, 8, WIRE_REASON_PROTOCOL},
        {WIRE_CREDIT, 8, WIRE_REASON_PROTOCOL},
        {WIRE_PING, 8, WIRE_REASON_PROTOCOL},
        {WIRE_PONG, 8, WIRE_REASON_PROTOCOL},
        {WIRE_COUNTERS, 8, WIRE_REASON_PROTOCOL},
        {0, 0, WIRE_REASON_PROTOCOL},
        {255, 8, WIRE_REASON_PROTOCOL},
        {WIRE_PROOF, WIRE_SMALL_BODY_MAX + 1, WIRE_REASON_TOO_LARGE},
        {WIRE_BYE, 0xFFFFFFFF, WIRE_REASON_TOO_LARGE},
    };
    struct wire_frame hello = peer_hello(WIRE_CONNECTOR);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pair p;
        fresh_side(&p, LISTENER);
        pair_feed_frame(&p, LISTENER, &hello);
        pair_feed_header(&p, LISTENER, cases[i].type, cases[i].length);
        check_ended(&p, LISTENER, cases[i].reason, "");
        pair_release(&p);
    }
}

static void session__no_hello_in_time__timeout(void **state)
{
    struct pair p;
    uint64_t limit_us = (uint64_t)SESSION_HANDSHAKE_MS * 1000;

    (void)state;
    fresh_side(&p, LISTENER);
    uint64_t end = p.now_us + limit_us;
    assert_int_equal(session_tick(p.sides[LISTENER].session, end - 1), end);
    assert_false(session_is_closed(p.sides[LISTENER].session));
    session_tick(p.sides[LISTENER].session, end);
    pair_events(&p, LISTENER);
    assert_non_null(strstr(pair_find(&p, LISTENER, SESSION_CLOSED)->text, "no hello"));
    check_ended(&p, LISTENER, WIRE_REASON_TIMEOUT, "");
    pair_release(&p);
}

/* Octets that trickle in do not prolong it. */
static void session__slow_hello__timeout(void **state)
{
    struct wire_frame hello = peer_hello(WIRE_CONNECTOR);
    uint8_t octets[WIRE_SMALL_FRAME_MAX];
    struct pair p;

    (void)state;
    fresh_side(&p, LISTENER);
    wire_encode(&hello, octets, sizeof(octets));
    for (int i = 0; i < 50; i++) {
        p.now_us += (uint64_t)SESSION_HANDSHAKE_MS * 1000 / 50;
        pair_feed(&p, LISTENER, octets + i, 1, 1);
        session_tick(p.sides[LISTENER].session, p.now_us);
    }
    pair_events(&p, LISTENER);
    check_ended(&p, LISTENER, WIRE_REASON_TIMEOUT, "");
    pair_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(session__other_secret__listener_refuses_and_proves_nothing),
        cmocka_unit_test(session__wrong_proof_of_the_listener__connector_refuses),
        cmocka_unit_test(session__reflected_proof__connector_refuses),
        cmocka_unit_test(session__replayed_connector__listener_refuses),
        cmocka_unit_test(session__secret_on_one_side__each_says_which),
        cmocka_unit_test(session__hmac_fails__ends_as_internal),
        cmocka_unit_test(session__no_common_version__text_has_both_ranges),
        cmocka_unit_test(session__later_version_that_knows_ours__is_taken),
        cmocka_unit_test(session__equal_roles__protocol),
        cmocka_unit_test(session__own_identity__name),
        cmocka_unit_test(session__other_protocols__are_foreign_at_once),
        cmocka_unit_test(session__hello_mangled_as_text__is_foreign),
        cmocka_unit_test(session__malformed_hello__protocol),
        cmocka_unit_test(session__unproven_peer__may_only_prove),
        cmocka_unit_test(session__no_hello_in_time__timeout),
        cmocka_unit_test(session__slow_hello__timeout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
