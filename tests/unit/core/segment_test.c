/* SPDX-License-Identifier: MIT */
/* segment_test.c - octets that were cut into reads, as one piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "common/core/segment.h"

static void feed(struct segment *s, const char *text)
{
    segment_feed(s, (const uint8_t *)text, strlen(text));
}

static void expect_segment(const struct segment *s, const char *text)
{
    assert_int_equal(s->end - s->at, strlen(text));
    assert_memory_equal(s->at, text, strlen(text));
}

static void feed__nothing_held__is_the_read_itself(void **state)
{
    static const char text[] = "abc";
    struct segment s;

    (void)state;
    segment_init(&s);
    feed(&s, text);
    assert_ptr_equal(s.at, text);
    assert_int_equal(segment_left(&s), 3);
    assert_false(segment_refill(&s));
}

static void feed__a_tail_held__stands_before_the_read(void **state)
{
    char first[] = "abcd";
    struct segment s;

    (void)state;
    segment_init(&s);
    feed(&s, first);
    s.at += 2;
    segment_hold(&s);
    memset(first, '!', sizeof(first) - 1); /* the read is the caller's again */
    expect_segment(&s, "cd");
    feed(&s, "ef");
    expect_segment(&s, "cdef");
    segment_settle_down(&s);
    expect_segment(&s, "cdef");
}

static void settle_down__tail_consumed__goes_on_in_the_read(void **state)
{
    static const char second[] = "0123456789012345678901234567890123456789";
    struct segment s;

    (void)state;
    segment_init(&s);
    feed(&s, "ab");
    segment_hold(&s);
    feed(&s, second);
    assert_int_equal(s.end - s.at, STITCH_OCTETS);
    assert_int_equal(segment_left(&s), 42);
    s.at += 3;
    segment_settle_down(&s);
    assert_ptr_equal(s.at, second + 1);
    expect_segment(&s, second + 1);
}

static void refill__tail_left__gets_more_behind_it(void **state)
{
    struct segment s;

    (void)state;
    segment_init(&s);
    feed(&s, "abcdefghijklmnopqrst");
    segment_hold(&s);
    feed(&s, "0123456789");
    expect_segment(&s, "abcdefghijklmnopqrst0123");
    s.at += 19;
    assert_true(segment_refill(&s));
    expect_segment(&s, "t0123456789");
    assert_false(segment_refill(&s));
}

static void next_lf__each_segment__is_searched_anew(void **state)
{
    struct segment s;

    (void)state;
    segment_init(&s);
    feed(&s, "ab\nc\n");
    assert_ptr_equal(segment_next_lf(&s, s.at), s.at + 2);
    assert_ptr_equal(segment_next_lf(&s, s.at + 1), s.at + 2);
    assert_ptr_equal(segment_next_lf(&s, s.at + 3), s.at + 4);
    assert_ptr_equal(segment_next_lf(&s, s.at + 5), s.end);
    s.at = s.end;
    segment_hold(&s);
    feed(&s, "xyz\n");
    assert_ptr_equal(segment_next_lf(&s, s.at), s.at + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feed__nothing_held__is_the_read_itself),
        cmocka_unit_test(feed__a_tail_held__stands_before_the_read),
        cmocka_unit_test(settle_down__tail_consumed__goes_on_in_the_read),
        cmocka_unit_test(refill__tail_left__gets_more_behind_it),
        cmocka_unit_test(next_lf__each_segment__is_searched_anew),
    };

    return cmocka_run_group_tests_name("segment", tests, NULL, NULL);
}
