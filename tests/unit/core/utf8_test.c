/* SPDX-License-Identifier: MIT */
/* utf8_test.c - all characters are found whole, and nothing else is taken for one. */
#include "common/core/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LAST = 0x10FFFF, SURROGATES = 0xD800, SURROGATES_END = 0xE000 };

/* Writes <c> as RFC 3629, 3 has it in its table. Returns the octets used. */
static size_t encode(uint32_t c, uint8_t out[UTF8_SEQUENCE_MAX])
{
    size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t heads[] = {0, 0, 0xC0, 0xE0, 0xF0};

    for (size_t i = length - 1; i > 0; i--, c >>= 6)
        out[i] = (uint8_t)(0x80 | (c & 0x3F));
    out[0] = (uint8_t)(heads[length] | c);
    return length;
}

static void utf8__every_character__has_its_length_and_is_none_when_cut(void **state)
{
    uint8_t text[UTF8_SEQUENCE_MAX];

    (void)state;
    for (uint32_t c = 0; c <= LAST; c++) {
        size_t length = encode(c, text);
        bool is_surrogate = c >= SURROGATES && c < SURROGATES_END;
        size_t want = is_surrogate ? 0 : length;
        bool is_control = c < 0x20 || (c >= 0x7F && c < 0xA0);
        if (utf8_length(text, length) != want ||
            utf8_clean_length(text, length) != (is_control ? 0 : want) ||
            (length > 1 && utf8_length(text, length - 1) != 0))
            fail_msg("U+%04X", (unsigned)c);
    }
}

/* There are as many octet strings that pass as there are characters: so nothing else does. */
static void utf8__octets_that_are_no_character__are_none(void **state)
{
    size_t pairs = 0, triples = 0, quads = 0;

    (void)state;
    for (unsigned n = 0; n < 0x1000000; n++) {
        uint8_t text[] = {(uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n};
        triples += utf8_length(text, 3) == 3;
        pairs += text[2] == 0 && utf8_length(text, 2) == 2;
    }
    /* The last two octets of four are free continuations: their bounds stand for all. */
    for (unsigned n = 0; n < 0x10000; n++) {
        static const uint8_t bounds[] = {0x7F, 0x80, 0xBF, 0xC0};
        for (unsigned i = 0; i < 16; i++) {
            uint8_t text[] = {(uint8_t)(n >> 8), (uint8_t)n, bounds[i / 4], bounds[i % 4]};
            quads += utf8_length(text, 4) == 4;
        }
    }
    assert_int_equal(pairs, 0x800 - 0x80);
    assert_int_equal(triples, 0x10000 - 0x800 - (SURROGATES_END - SURROGATES));
    assert_int_equal(quads, (LAST + 1 - 0x10000) / (64 * 64) * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8__every_character__has_its_length_and_is_none_when_cut),
        cmocka_unit_test(utf8__octets_that_are_no_character__are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
