/* SPDX-License-Identifier: MIT */
/* pri_test.c - the shapes that open a frame, octet by octet, and valid PRI values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <stdio.h>

#include "common/core/pri.h"

enum { MAX_COUNT = 10485760 };

static enum shape shape_of(const char *text)
{
    struct count count;

    return shape_at((const uint8_t *)text, strlen(text), MAX_COUNT, &count);
}

/* <text> is a shape, and each beginning of it is undecided. */
static void expect_shape(const char *text, enum shape shape)
{
    struct count count;

    assert_int_equal(shape_of(text), shape);
    for (size_t n = 0; n < strlen(text); n++)
        assert_int_equal(shape_at((const uint8_t *)text, n, MAX_COUNT, &count),
                         SHAPE_UNDECIDED);
}

/* <text> is none, by its last octet. */
static void expect_none(const char *text)
{
    struct count count;
    size_t n = strlen(text);

    assert_int_equal(shape_of(text), SHAPE_NONE);
    assert_int_equal(shape_at((const uint8_t *)text, n - 1, MAX_COUNT, &count),
                     SHAPE_UNDECIDED);
}

static void pri__one_to_three_digits__is_the_shape(void **state)
{
    (void)state;
    expect_shape("<1>", SHAPE_PRI);
    expect_shape("<13>", SHAPE_PRI);
    expect_shape("<999>", SHAPE_PRI);
    expect_shape("<000>", SHAPE_PRI);
    expect_shape("\xEF\xBB\xBF<13>", SHAPE_PRI);
}

static void pri__anything_else__is_none(void **state)
{
    (void)state;
    expect_none("a");
    expect_none("<a");
    expect_none("<>");
    expect_none("<1234");
    expect_none("<13 ");
    expect_none("\xEF<");
    expect_none("\xEF\xBB<");
    expect_none("\xEF\xBB\xBF\xEF");
    expect_none("0");
}

static void count__digits_sp_pri__gives_both_numbers(void **state)
{
    static const char text[] = "10485760 \xEF\xBB\xBF<191>";
    struct count count = {0};

    (void)state;
    expect_shape("4 <13>", SHAPE_COUNT);
    expect_shape(text, SHAPE_COUNT);
    assert_int_equal(shape_at((const uint8_t *)text, strlen(text), MAX_COUNT, &count),
                     SHAPE_COUNT);
    assert_int_equal(count.prefix, 9);
    assert_int_equal(count.length, MAX_COUNT);
}

static void count__longest_shape__is_as_long_as_named(void **state)
{
    static const char text[] = "123456789 \xEF\xBB\xBF<191>";
    struct count count;

    (void)state;
    assert_int_equal(strlen(text), SHAPE_MAX_OCTETS);
    assert_int_equal(shape_at((const uint8_t *)text, strlen(text), 999999999, &count),
                     SHAPE_COUNT);
}

static void count__without_sp_or_pri__is_none(void **state)
{
    (void)state;
    expect_none("12<");
    expect_none("12  ");
    expect_none("12 a");
    expect_none("12 <13a");
}

static void count__below_the_length_of_its_pri__is_none(void **state)
{
    (void)state;
    expect_none("3 <13>");
    expect_none("6 \xEF\xBB\xBF<13>");
    expect_shape("7 \xEF\xBB\xBF<13>", SHAPE_COUNT);
}

static void count__above_what_is_believed__is_oversize_at_that_digit(void **state)
{
    struct count count;

    (void)state;
    expect_shape("10485761", SHAPE_OVERSIZE);
    assert_int_equal(shape_at((const uint8_t *)"1234567890", 10, UINT32_MAX, &count),
                     SHAPE_OVERSIZE);
    assert_int_equal(shape_at((const uint8_t *)"1234567890", 9, UINT32_MAX, &count),
                     SHAPE_UNDECIDED);
}

static void count__not_looked_for__is_none(void **state)
{
    struct count count;

    (void)state;
    assert_int_equal(shape_at((const uint8_t *)"5 <13>", 6, 0, &count), SHAPE_NONE);
    assert_int_equal(shape_at((const uint8_t *)"1", 1, 0, &count), SHAPE_NONE);
    assert_int_equal(shape_at((const uint8_t *)"<13>", 4, 0, &count), SHAPE_PRI);
}

static bool is_bad(const char *text)
{
    return pri_is_bad((const uint8_t *)text, strlen(text));
}

static void pri_value__each_number__is_bad_from_192_on(void **state)
{
    char text[24];

    (void)state;
    for (unsigned value = 0; value <= 1200; value++) {
        snprintf(text, sizeof(text), "<%u>x", value);
        assert_int_equal(is_bad(text), value > PRI_VALUE_MAX);
        snprintf(text, sizeof(text), "\xEF\xBB\xBF<%u>", value);
        assert_int_equal(is_bad(text), value > PRI_VALUE_MAX);
        snprintf(text, sizeof(text), "<0%u>", value);
        assert_true(is_bad(text));
    }
}

static void pri_value__not_closed_or_empty__is_bad(void **state)
{
    (void)state;
    assert_true(is_bad("<"));
    assert_true(is_bad("<>"));
    assert_true(is_bad("<13"));
    assert_true(is_bad("<13 >"));
    assert_true(is_bad("< 13>"));
    assert_true(is_bad("\xEF\xBB\xBF<"));
}

static void pri_value__no_pri_at_all__is_not_bad(void **state)
{
    (void)state;
    assert_false(is_bad(""));
    assert_false(is_bad("a<192>"));
    assert_false(is_bad(" <192>"));
    assert_false(is_bad("\xEF\xBB\xBF"));
    assert_false(is_bad("\xEF\xBB<192>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pri__one_to_three_digits__is_the_shape),
        cmocka_unit_test(pri__anything_else__is_none),
        cmocka_unit_test(count__digits_sp_pri__gives_both_numbers),
        cmocka_unit_test(count__longest_shape__is_as_long_as_named),
        cmocka_unit_test(count__without_sp_or_pri__is_none),
        cmocka_unit_test(count__below_the_length_of_its_pri__is_none),
        cmocka_unit_test(count__above_what_is_believed__is_oversize_at_that_digit),
        cmocka_unit_test(count__not_looked_for__is_none),
        cmocka_unit_test(pri_value__each_number__is_bad_from_192_on),
        cmocka_unit_test(pri_value__not_closed_or_empty__is_bad),
        cmocka_unit_test(pri_value__no_pri_at_all__is_not_bad),
    };

    return cmocka_run_group_tests_name("pri", tests, NULL, NULL);
}
