/* SPDX-License-Identifier: MIT */
/* handover_test.c - what outputs do to a message: escape, count, cut for UDP. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "common/core/handover.h"

static uint8_t text[HANDOVER_UDP_MAX_OCTETS + 100];

static void expect_escaped(const char *in, size_t length, const char *want, uint64_t nuls)
{
    uint8_t out[64];
    uint64_t nul_escaped = 5;
    size_t n = handover_escape(out, (const uint8_t *)in, length, &nul_escaped);

    assert_int_equal(n, strlen(want));
    assert_int_equal(handover_escaped_length((const uint8_t *)in, length), n);
    assert_memory_equal(out, want, n);
    assert_int_equal(nul_escaped, 5 + nuls);
}

static void escape__lf_and_nul__are_written_as_octal(void **state)
{
    (void)state;
    expect_escaped("a\nb\0c", 5, "a#012b#000c", 1);
    expect_escaped("\0\0\n", 3, "#000#000#012", 2);
}

static void escape__all_else__stays(void **state)
{
    (void)state;
    expect_escaped("", 0, "", 0);
    expect_escaped("<13>a\r\t#012\\\xFF\x7F", 14, "<13>a\r\t#012\\\xFF\x7F", 0);
}

static void expect_prefix(uint32_t length, const char *want)
{
    uint8_t out[HANDOVER_PREFIX_MAX];

    assert_int_equal(handover_count_prefix(out, length), strlen(want));
    assert_memory_equal(out, want, strlen(want));
}

static void count_prefix__any_length__is_decimal_and_sp(void **state)
{
    (void)state;
    expect_prefix(0, "0 ");
    expect_prefix(9, "9 ");
    expect_prefix(10, "10 ");
    expect_prefix(65536, "65536 ");
    expect_prefix(UINT32_MAX, "4294967295 ");
}

static void udp_length__what_fits__is_whole(void **state)
{
    (void)state;
    assert_int_equal(handover_udp_length(text, 0), 0);
    assert_int_equal(handover_udp_length(text, 1), 1);
    assert_int_equal(handover_udp_length(text, HANDOVER_UDP_MAX_OCTETS),
                     HANDOVER_UDP_MAX_OCTETS);
}

/* <sequence> begins <before> octets before the cut; where is the message cut? */
static size_t cut_with(const char *sequence, size_t before)
{
    memset(text, 'a', sizeof(text));
    memcpy(text + HANDOVER_UDP_MAX_OCTETS - before, sequence, strlen(sequence));
    return HANDOVER_UDP_MAX_OCTETS - handover_udp_length(text, sizeof(text));
}

static void udp_length__a_sequence_over_the_cut__is_left_out(void **state)
{
    (void)state;
    assert_int_equal(cut_with("\xC3\xA4", 1), 1);
    assert_int_equal(cut_with("\xE2\x82\xAC", 1), 1);
    assert_int_equal(cut_with("\xE2\x82\xAC", 2), 2);
    assert_int_equal(cut_with("\xF0\x9F\x98\x80", 1), 1);
    assert_int_equal(cut_with("\xF0\x9F\x98\x80", 2), 2);
    assert_int_equal(cut_with("\xF0\x9F\x98\x80", 3), 3);
}

static void udp_length__a_sequence_beside_the_cut__is_kept_whole(void **state)
{
    (void)state;
    assert_int_equal(cut_with("aaaa", 2), 0);
    assert_int_equal(cut_with("\xC3\xA4", 2), 0);
    assert_int_equal(cut_with("\xC3\xA4", 0), 0);
    assert_int_equal(cut_with("\xE2\x82\xAC", 3), 0);
    assert_int_equal(cut_with("\xF0\x9F\x98\x80", 4), 0);
}

static void udp_length__octets_that_are_no_utf8__are_cut_at_the_limit(void **state)
{
    (void)state;
    assert_int_equal(cut_with("\x80\x80\x80\x80\x80\x80", 4), 0);
    assert_int_equal(cut_with("\xC3\xA4\x80", 2), 0);
    assert_int_equal(cut_with("\xFF\x80\x80", 2), 0);
    assert_int_equal(cut_with("\xE2", 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escape__lf_and_nul__are_written_as_octal),
        cmocka_unit_test(escape__all_else__stays),
        cmocka_unit_test(count_prefix__any_length__is_decimal_and_sp),
        cmocka_unit_test(udp_length__what_fits__is_whole),
        cmocka_unit_test(udp_length__a_sequence_over_the_cut__is_left_out),
        cmocka_unit_test(udp_length__a_sequence_beside_the_cut__is_kept_whole),
        cmocka_unit_test(udp_length__octets_that_are_no_utf8__are_cut_at_the_limit),
    };

    return cmocka_run_group_tests_name("handover", tests, NULL, NULL);
}
