/* SPDX-License-Identifier: MIT */
/* wire_test.c - frames out and in, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/bytes.h"
#include "common/core/err.h"
#include "common/core/wire.h"

static struct wire_frame some_hello(void)
{
    struct wire_frame f = {
        .type = WIRE_HELLO,
        .u.hello = {.version_lowest = 1,
                    .version_highest = 3,
                    .capabilities = 0x80000001,
                    .role = WIRE_LISTENER,
                    .has_secret = 1,
                    .name = "relay"},
    };

    for (uint8_t i = 0; i < WIRE_NONCE_BYTES; i++)
        f.u.hello.nonce[i] = i;
    for (uint8_t i = 0; i < WIRE_IDENTITY_BYTES; i++)
        f.u.hello.identity[i] = (uint8_t)(0xF0 + i);
    return f;
}

/* decode_exact() - from memory of exactly that size, so that ASan sees an octet read too far.
 */
static int decode_exact(uint8_t type, const uint8_t *body, size_t length,
                        struct wire_frame *ret)
{
    uint8_t *copy = malloc(length > 0 ? length : 1);

    assert_non_null(copy);
    memcpy(copy, body, length);
    int r = wire_decode(type, copy, length, ret);
    free(copy);
    return r;
}

/* round_trip() - what comes back is what went out, and no other length of the body is taken. */
static void round_trip(const struct wire_frame *f)
{
    uint8_t out[WIRE_SMALL_FRAME_MAX], again[WIRE_SMALL_FRAME_MAX];
    struct wire_header header;
    struct wire_frame back;

    ptrdiff_t size = wire_encode(f, out, sizeof(out));
    assert_true(size >= WIRE_HEADER_BYTES);
    assert_int_equal(wire_decode_header(out, &header), 0);
    assert_int_equal(header.type, f->type);
    assert_int_equal(header.length, size - WIRE_HEADER_BYTES);
    assert_int_equal(decode_exact(f->type, out + WIRE_HEADER_BYTES, header.length, &back), 0);
    assert_int_equal(wire_encode(&back, again, sizeof(again)), size);
    assert_memory_equal(out, again, (size_t)size);
}

static void wire__every_type__comes_back(void **state)
{
    struct wire_frame hello = some_hello();
    struct wire_frame proof = {.type = WIRE_PROOF, .u.proof = {1, 2, 3}};
    struct wire_frame resume = {.type = WIRE_RESUME, .u.resume = {UINT64_MAX, 1}};
    struct wire_frame bye = {.type = WIRE_BYE, .u.bye = {WIRE_REASON_BUSY, "not now"}};

    (void)state;
    round_trip(&hello);
    round_trip(&proof);
    round_trip(&resume);
    round_trip(&bye);
    for (uint8_t type = WIRE_ACK; type <= WIRE_PONG; type++) {
        struct wire_frame f = {.type = type, .u.seq = 0x0102030405060708};
        round_trip(&f);
    }
}

static void wire__longest_texts__come_back(void **state)
{
    struct wire_frame hello = some_hello();
    struct wire_frame bye = {.type = WIRE_BYE};

    (void)state;
    memset(hello.u.hello.name, 'n', WIRE_NAME_MAX);
    memset(bye.u.bye.text, 't', WIRE_REASON_MAX);
    round_trip(&hello);
    round_trip(&bye);
    hello.u.hello.name[0] = '\0';
    bye.u.bye.text[0] = '\0';
    round_trip(&hello);
    round_trip(&bye);
}

static void wire__any_other_length__is_refused(void **state)
{
    static const struct {
        uint8_t type;
        size_t length;
    } fixed[] = {{WIRE_PROOF, 32}, {WIRE_RESUME, 16}, {WIRE_ACK, 8},
                 {WIRE_CREDIT, 8}, {WIRE_PING, 8},    {WIRE_PONG, 8}};
    uint8_t body[WIRE_SMALL_BODY_MAX] = {0};
    struct wire_frame f;

    (void)state;
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        for (size_t length = 0; length <= 40; length++)
            assert_int_equal(decode_exact(fixed[i].type, body, length, &f),
                             length == fixed[i].length ? 0 : ERR_PROTOCOL);
    }
    assert_int_equal(decode_exact(WIRE_BYE, body, 1, &f), ERR_PROTOCOL);
    memset(body + 2, 'x', sizeof(body) - 2);
    assert_int_equal(decode_exact(WIRE_BYE, body, 2 + WIRE_REASON_MAX + 1, &f), ERR_PROTOCOL);
}

/* A refused frame leaves the caller's memory alone. */
static void wire__refused_frame__writes_nothing(void **state)
{
    struct wire_frame f = {.type = 99, .u.seq = 99};
    uint8_t body[7] = {0};

    (void)state;
    assert_int_equal(wire_decode(WIRE_ACK, body, sizeof(body), &f), ERR_PROTOCOL);
    assert_int_equal(f.type, 99);
    assert_int_equal(f.u.seq, 99);
}

static void check_hello(size_t at, uint8_t octet, size_t length_change, int expected)
{
    struct wire_frame f = some_hello();
    uint8_t out[WIRE_SMALL_FRAME_MAX + 64] = {0};

    size_t size = (size_t)wire_encode(&f, out, sizeof(out)) - WIRE_HEADER_BYTES;
    out[WIRE_HEADER_BYTES + at] = octet;
    assert_int_equal(
        decode_exact(WIRE_HELLO, out + WIRE_HEADER_BYTES, size + length_change, &f), expected);
}

static void wire__hello__fields_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < WIRE_MAGIC_BYTES; i++)
        check_hello(i, 0, 0, ERR_PROTOCOL);
    check_hello(8, 4, 0, ERR_PROTOCOL);    /* lowest version above the highest */
    check_hello(16, 0, 0, ERR_PROTOCOL);   /* no role */
    check_hello(16, 3, 0, ERR_PROTOCOL);   /* no such role */
    check_hello(17, 2, 0, ERR_PROTOCOL);   /* neither with nor without a secret */
    check_hello(18, 6, 0, ERR_PROTOCOL);   /* the name ends behind the body */
    check_hello(18, 65, 60, ERR_PROTOCOL); /* a name above its limit */
    check_hello(68, '\n', 0, ERR_PROTOCOL);
    check_hello(70, 0, 0, ERR_PROTOCOL);
    check_hello(72, 0xE4, 0, ERR_PROTOCOL); /* not UTF-8 */
    check_hello(18, 4, 0, 0);               /* a later version may append */
    check_hello(19, 1, 50, 0);
}

static void wire__hello_cut_anywhere__is_refused(void **state)
{
    struct wire_frame f = some_hello();
    uint8_t out[WIRE_SMALL_FRAME_MAX];

    (void)state;
    size_t size = (size_t)wire_encode(&f, out, sizeof(out)) - WIRE_HEADER_BYTES;
    for (size_t length = 0; length < size; length++)
        assert_int_equal(decode_exact(WIRE_HELLO, out + WIRE_HEADER_BYTES, length, &f),
                         ERR_PROTOCOL);
}

static void wire__foreign_octets__are_known_at_once(void **state)
{
    struct wire_frame f = some_hello();
    uint8_t out[WIRE_SMALL_FRAME_MAX];

    (void)state;
    size_t size = (size_t)wire_encode(&f, out, sizeof(out));
    for (size_t length = 0; length <= size; length++)
        assert_false(wire_is_foreign(out, length));
    for (size_t i = 1; i < WIRE_HEADER_BYTES + WIRE_MAGIC_BYTES; i++) {
        uint8_t was = out[i];
        out[i] ^= 0x20;
        assert_false(wire_is_foreign(out, i));
        assert_true(wire_is_foreign(out, i + 1));
        out[i] = was;
    }
    assert_true(wire_is_foreign((const uint8_t *)"GE", 2));
    assert_true(wire_is_foreign((const uint8_t *)"\x16\x03", 2));
    assert_true(wire_is_foreign((const uint8_t *)"\x43\x00", 2)); /* too short for a hello */
}

static void wire__header__reserved_octets_matter_in_known_types(void **state)
{
    struct wire_header header;

    (void)state;
    for (size_t at = 5; at < WIRE_HEADER_BYTES; at++) {
        uint8_t in[WIRE_HEADER_BYTES] = {1, 2, 3, 4, WIRE_BYE};
        in[at] = 1;
        assert_int_equal(wire_decode_header(in, &header), ERR_PROTOCOL);
        in[4] = WIRE_COUNTERS;
        assert_int_equal(wire_decode_header(in, &header), 0);
        assert_int_equal(header.length, 0x04030201);
        assert_int_equal(header.type, WIRE_COUNTERS);
    }
}

static void wire__unknown_type__is_unsupported(void **state)
{
    struct wire_frame f = {.type = WIRE_COUNTERS};
    uint8_t out[WIRE_SMALL_FRAME_MAX] = {0};

    (void)state;
    assert_int_equal(wire_decode(0, out, 8, &f), ERR_UNSUPPORTED);
    assert_int_equal(wire_decode(WIRE_COUNTERS, out, 8, &f), ERR_UNSUPPORTED);
    assert_int_equal(wire_decode(WIRE_DATA, out, 8, &f), ERR_UNSUPPORTED);
    assert_int_equal(wire_encode(&f, out, sizeof(out)), ERR_INVALID);
    f.type = WIRE_DATA;
    assert_int_equal(wire_encode(&f, out, sizeof(out)), ERR_INVALID);
    f.type = WIRE_ACK;
    assert_int_equal(wire_encode(&f, out, sizeof(out) - 1), ERR_INVALID);
}

static void wire__data_header__has_length_and_seq(void **state)
{
    uint8_t out[WIRE_DATA_HEADER_BYTES];
    struct wire_header header;

    (void)state;
    wire_encode_data_header(77, 1000, out);
    assert_int_equal(wire_decode_header(out, &header), 0);
    assert_int_equal(header.type, WIRE_DATA);
    assert_int_equal(header.length, 1008);
    assert_int_equal(bytes_get64(out + WIRE_HEADER_BYTES), 77);
}

/* All that could confuse a terminal or a reader of UTF-8 is no clean text. */
static void wire__text__is_utf8_without_controls(void **state)
{
    static const char *const clean[] = {"",
                                        "relay",
                                        "a b~",
                                        "\xC3\xA4",
                                        "\xC2\xA0",
                                        "\xE2\x82\xAC",
                                        "\xED\x9F\xBF",
                                        "\xEE\x80\x80",
                                        "\xF0\x9F\x90\xA7",
                                        "\xF4\x8F\xBF\xBF"};
    static const char *const dirty[] = {"\n",
                                        "\x1B[2J",
                                        "\x7F",
                                        "\x80",
                                        "\xC3",
                                        "\xC3(",
                                        "\xC2\x9B",
                                        "\xC0\xAF",
                                        "\xC1\xBF",
                                        "\xE0\x80\xAF",
                                        "\xE2\x82",
                                        "\xED\xA0\x80",
                                        "\xF0\x80\x80\xAF",
                                        "\xF4\x90\x80\x80",
                                        "\xF5\x80\x80\x80",
                                        "\xFF",
                                        "ok\xC2"};

    (void)state;
    for (size_t i = 0; i < sizeof(clean) / sizeof(clean[0]); i++)
        assert_true(wire_text_is_clean(clean[i], strlen(clean[i])));
    for (size_t i = 0; i < sizeof(dirty) / sizeof(dirty[0]); i++)
        assert_false(wire_text_is_clean(dirty[i], strlen(dirty[i])));
    assert_false(wire_text_is_clean("a\0b", 3));
}

static void wire__every_reason__has_a_text(void **state)
{
    (void)state;
    for (unsigned reason = 0; reason < 1000; reason++)
        assert_true(strlen(wire_reason_text(reason)) > 0);
    assert_string_equal(wire_reason_text(WIRE_REASON_INTERNAL + 1), wire_reason_text(65535));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wire__every_type__comes_back),
        cmocka_unit_test(wire__longest_texts__come_back),
        cmocka_unit_test(wire__any_other_length__is_refused),
        cmocka_unit_test(wire__refused_frame__writes_nothing),
        cmocka_unit_test(wire__hello__fields_are_checked),
        cmocka_unit_test(wire__hello_cut_anywhere__is_refused),
        cmocka_unit_test(wire__foreign_octets__are_known_at_once),
        cmocka_unit_test(wire__header__reserved_octets_matter_in_known_types),
        cmocka_unit_test(wire__unknown_type__is_unsupported),
        cmocka_unit_test(wire__data_header__has_length_and_seq),
        cmocka_unit_test(wire__text__is_utf8_without_controls),
        cmocka_unit_test(wire__every_reason__has_a_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
