/* SPDX-License-Identifier: MIT */
/* datagram_test.c - one datagram is one message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "common/core/datagram.h"
#include "common/core/record.h"

enum { LIMIT = 16 };

struct outcome {
    struct framed message;
    struct framer_counters counters;
    bool is_there;
};

static struct outcome received(const char *data, size_t length, size_t true_length,
                               bool was_cut)
{
    struct outcome o = {0};

    o.is_there = framer_datagram((const uint8_t *)data, length, true_length, was_cut, LIMIT,
                                 &o.counters, &o.message);
    return o;
}

#define RECEIVED(text) received((text), sizeof(text) - 1, sizeof(text) - 1, false)

static void datagram__lf_cr_nul_at_its_end__are_stripped_and_counted(void **state)
{
    static const char data[] = "\n <13>a\nb\r\n\0\0";
    struct outcome o = RECEIVED(data);

    (void)state;
    assert_true(o.is_there);
    assert_ptr_equal(o.message.data, data);
    assert_int_equal(o.message.length, 9);
    assert_int_equal(o.message.orig_length, 9);
    assert_int_equal(o.message.flags, RECORD_BINARY);
    assert_int_equal(o.counters.framing_padding, 4);
}

static void datagram__of_one_line__is_not_binary(void **state)
{
    struct outcome o = RECEIVED("<13>a\r\n");

    (void)state;
    assert_int_equal(o.message.length, 5);
    assert_int_equal(o.message.flags, 0);
}

static void datagram__utf16__is_not_stripped(void **state)
{
    struct outcome le = RECEIVED("\xFF\xFE"
                                 "a\0\n\0");
    struct outcome be = RECEIVED("\xFE\xFF\0a\0\n");

    (void)state;
    assert_int_equal(le.message.length, 6);
    assert_int_equal(be.message.length, 6);
    assert_int_equal(le.counters.framing_padding + be.counters.framing_padding, 0);
    assert_int_equal(le.message.flags, RECORD_BINARY);
}

static void datagram__nothing_or_padding_only__is_empty(void **state)
{
    struct outcome nothing = received(NULL, 0, 0, false);
    struct outcome padding = RECEIVED("\r\n\0");

    (void)state;
    assert_false(nothing.is_there);
    assert_false(padding.is_there);
    assert_int_equal(nothing.counters.empty, 1);
    assert_int_equal(padding.counters.empty, 1);
    assert_int_equal(padding.counters.framing_padding, 0);
}

static void datagram__above_the_limit__is_cut(void **state)
{
    struct outcome o = RECEIVED("<13>4567890123456789\n");

    (void)state;
    assert_int_equal(o.message.length, LIMIT);
    assert_int_equal(o.message.orig_length, 20);
    assert_int_equal(o.message.flags, RECORD_TRUNCATED);
    assert_int_equal(o.counters.truncated, 1);
    assert_int_equal(o.counters.cut_octets, 4);
    assert_int_equal(o.counters.framing_padding, 1);
}

static void datagram__of_the_limit_with_lf__is_whole(void **state)
{
    struct outcome o = RECEIVED("<13>456789012345\n");

    (void)state;
    assert_int_equal(o.message.length, LIMIT);
    assert_int_equal(o.message.flags, 0);
    assert_int_equal(o.counters.truncated, 0);
}

static void datagram__cut_by_the_system__is_a_head_that_is_not_stripped(void **state)
{
    struct outcome known = received("<13>a\n", 6, 50, true);
    struct outcome unknown = received("<13>a\n", 6, 6, true);

    (void)state;
    assert_int_equal(known.message.length, 6);
    assert_int_equal(known.message.orig_length, 50);
    assert_int_equal(known.message.flags, RECORD_TRUNCATED | RECORD_BINARY);
    assert_int_equal(known.counters.truncated, 1);
    assert_int_equal(unknown.message.orig_length, 6);
    assert_int_equal(unknown.message.flags, RECORD_TRUNCATED | RECORD_BINARY);
    assert_int_equal(unknown.counters.truncated, 1);
}

static void datagram__bad_pri__is_counted_and_kept(void **state)
{
    struct outcome o = RECEIVED("<192>a");
    struct outcome none = RECEIVED("host a");

    (void)state;
    assert_int_equal(o.message.length, 6);
    assert_int_equal(o.counters.bad_pri, 1);
    assert_int_equal(none.counters.bad_pri, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(datagram__lf_cr_nul_at_its_end__are_stripped_and_counted),
        cmocka_unit_test(datagram__of_one_line__is_not_binary),
        cmocka_unit_test(datagram__utf16__is_not_stripped),
        cmocka_unit_test(datagram__nothing_or_padding_only__is_empty),
        cmocka_unit_test(datagram__above_the_limit__is_cut),
        cmocka_unit_test(datagram__of_the_limit_with_lf__is_whole),
        cmocka_unit_test(datagram__cut_by_the_system__is_a_head_that_is_not_stripped),
        cmocka_unit_test(datagram__bad_pri__is_counted_and_kept),
    };

    return cmocka_run_group_tests_name("datagram", tests, NULL, NULL);
}
