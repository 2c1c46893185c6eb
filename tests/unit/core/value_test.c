/* SPDX-License-Identifier: MIT */
/* value_test.c - the values of settings. */
#include "common/core/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/err.h"

/* The text of the value, or of the reason with '!' before it, in a static buffer. */
static const char *parsed(value_fn parse, const struct value_rule *rule, const char *text)
{
    static char out[REASON_TEXT_MAX + 2];
    struct reason why = {""};
    uint64_t value = 77;
    int r = parse(view_of(text), rule, &value, &why);
    if (r == 0) {
        (void)snprintf(out, sizeof(out), "%llu", (unsigned long long)value);
    } else {
        assert_int_equal(r, ERR_INVALID);
        assert_int_equal(value, 77);
        (void)snprintf(out, sizeof(out), "!%s", why.text);
    }
    return out;
}

#define NOT_A_SIZE "!is not a size: write a number and B, KiB, MiB or GiB"
#define NOT_A_TIME "!is not a time: write a number and ms, s, min or h"
#define NOT_A_RATE "!is not a rate: write a number and /s, such as 1000/s"

static void value_size__units__are_powers_of_1024(void **state)
{
    (void)state;
    assert_string_equal(parsed(value_size, NULL, "0"), "0");
    assert_string_equal(parsed(value_size, NULL, "17B"), "17");
    assert_string_equal(parsed(value_size, NULL, "64KiB"), "65536");
    assert_string_equal(parsed(value_size, NULL, "64 MiB"), "67108864");
    assert_string_equal(parsed(value_size, NULL, "1GiB"), "1073741824");
    assert_string_equal(parsed(value_size, NULL, "17179869183GiB"), "18446744072635809792");
}

static void value_size__ambiguous_unit__gets_a_hint(void **state)
{
    (void)state;
    assert_string_equal(parsed(value_size, NULL, "64KB"), NOT_A_SIZE " (use KiB)");
    assert_string_equal(parsed(value_size, NULL, "64k"), NOT_A_SIZE " (use KiB)");
    assert_string_equal(parsed(value_size, NULL, "64kib"), NOT_A_SIZE " (use KiB)");
    assert_string_equal(parsed(value_size, NULL, "64MB"), NOT_A_SIZE " (use MiB)");
    assert_string_equal(parsed(value_size, NULL, "64G"), NOT_A_SIZE " (use GiB)");
}

static void value_size__bad_text__is_refused(void **state)
{
    static const char *const cases[] = {"",        "KiB",     "-1KiB", "+1KiB",
                                        "1.5KiB",  "64",      "1 K B", "1KiBx",
                                        "0x10KiB", "1KiB 2B", "many",  "00 x"};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(parsed(value_size, NULL, cases[i]), NOT_A_SIZE);
}

static void value_size__too_large__does_not_wrap(void **state)
{
    const struct value_rule rule = {.low = 1024, .high = 1 << 30};
    (void)state;
    assert_string_equal(parsed(value_size, NULL, "18446744073709551615B"),
                        "18446744073709551615");
    assert_string_equal(parsed(value_size, NULL, "18446744073709551616B"),
                        "!is too large a number");
    assert_string_equal(parsed(value_size, NULL, "17179869184GiB"), "!is too large a number");
    assert_string_equal(parsed(value_size, NULL, "99999999999999999999999999999999B"),
                        "!is too large a number");
    assert_string_equal(parsed(value_size, &rule, "17179869184GiB"),
                        "!is too much: the most is 1GiB");
}

static void value_size__range__names_the_bound(void **state)
{
    const struct value_rule rule = {.low = 1024, .high = 64 * 1024};
    (void)state;
    assert_string_equal(parsed(value_size, &rule, "1KiB"), "1024");
    assert_string_equal(parsed(value_size, &rule, "64KiB"), "65536");
    assert_string_equal(parsed(value_size, &rule, "1023B"),
                        "!is too little: the least is 1KiB");
    assert_string_equal(parsed(value_size, &rule, "0"), "!is too little: the least is 1KiB");
    assert_string_equal(parsed(value_size, &rule, "65537B"), "!is too much: the most is 64KiB");
}

static void value_time__units__become_milliseconds(void **state)
{
    const struct value_rule rule = {.low = 100, .high = 60000};
    (void)state;
    assert_string_equal(parsed(value_time, NULL, "500ms"), "500");
    assert_string_equal(parsed(value_time, NULL, "2s"), "2000");
    assert_string_equal(parsed(value_time, NULL, "2 min"), "120000");
    assert_string_equal(parsed(value_time, NULL, "1h"), "3600000");
    assert_string_equal(parsed(value_time, NULL, "0"), "0");
    assert_string_equal(parsed(value_time, NULL, "2"), NOT_A_TIME);
    assert_string_equal(parsed(value_time, NULL, "2m"), NOT_A_TIME " (use min)");
    assert_string_equal(parsed(value_time, NULL, "2S"), NOT_A_TIME " (use s)");
    assert_string_equal(parsed(value_time, NULL, "2us"), NOT_A_TIME " (use ms)");
    assert_string_equal(parsed(value_time, NULL, "1 day"), NOT_A_TIME " (use h)");
    assert_string_equal(parsed(value_time, &rule, "99ms"),
                        "!is too little: the least is 100ms");
    assert_string_equal(parsed(value_time, &rule, "61s"), "!is too much: the most is 1min");
}

static void value_rate__needs_per_second(void **state)
{
    const struct value_rule rule = {.low = 1};
    (void)state;
    assert_string_equal(parsed(value_rate, NULL, "1000/s"), "1000");
    assert_string_equal(parsed(value_rate, NULL, "0"), "0");
    assert_string_equal(parsed(value_rate, NULL, "1000"), NOT_A_RATE " (use /s)");
    assert_string_equal(parsed(value_rate, NULL, "1000/min"), NOT_A_RATE " (use /s)");
    assert_string_equal(parsed(value_rate, NULL, "/s"), NOT_A_RATE);
    assert_string_equal(parsed(value_rate, &rule, "0/s"), "!is too little: the least is 1/s");
    assert_string_equal(parsed(value_rate, &rule, "1/s"), "1");
}

static void value_number__takes_digits_within_its_range(void **state)
{
    const struct value_rule rule = {.low = 1, .high = 65535};
    (void)state;
    assert_string_equal(parsed(value_number, &rule, "1"), "1");
    assert_string_equal(parsed(value_number, &rule, "0065535"), "65535");
    assert_string_equal(parsed(value_number, &rule, "0"), "!is too little: the least is 1");
    assert_string_equal(parsed(value_number, &rule, "65536"),
                        "!is too much: the most is 65535");
    assert_string_equal(parsed(value_number, NULL, ""), "!is not a whole number");
    assert_string_equal(parsed(value_number, NULL, "-1"), "!is not a whole number");
    assert_string_equal(parsed(value_number, NULL, "1x"), "!is not a whole number");
}

static void value_flag__has_three_words_each(void **state)
{
    static const char *const yes[] = {"yes", "true", "on", "Yes", "TRUE"};
    static const char *const no[] = {"no", "false", "off", "No", "OFF"};
    static const char *const neither[] = {"", "y", "1", "0", "yess", "o", "none"};
    (void)state;
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        assert_string_equal(parsed(value_flag, NULL, yes[i]), "1");
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        assert_string_equal(parsed(value_flag, NULL, no[i]), "0");
    for (size_t i = 0; i < sizeof(neither) / sizeof(neither[0]); i++)
        assert_string_equal(parsed(value_flag, NULL, neither[i]), "!is neither yes nor no");
}

static void value_one_of__unknown_word__lists_and_suggests(void **state)
{
    static const struct value_word words[] = {
        {"auto", 0}, {"octet", 1}, {"line", 2}, {"nul", 3}, {NULL, 0}};
    const struct value_rule rule = {.words = words};
    (void)state;
    assert_string_equal(parsed(value_one_of, &rule, "auto"), "0");
    assert_string_equal(parsed(value_one_of, &rule, "nul"), "3");
    assert_string_equal(parsed(value_one_of, &rule, "lien"),
                        "!is not one of auto, octet, line or nul (did you mean line?)");
    assert_string_equal(parsed(value_one_of, &rule, "Octet"),
                        "!is not one of auto, octet, line or nul (did you mean octet?)");
    assert_string_equal(parsed(value_one_of, &rule, ""),
                        "!is not one of auto, octet, line or nul");
    assert_string_equal(parsed(value_one_of, &rule, "something"),
                        "!is not one of auto, octet, line or nul");
}

static void value_one_of__many_words__are_cut_within_the_reason(void **state)
{
    static struct value_word words[64];
    const struct value_rule rule = {.words = words};
    (void)state;
    for (size_t i = 0; i < 63; i++)
        words[i] = (struct value_word){"abcdefghij", i};
    assert_memory_equal(parsed(value_one_of, &rule, "x"), "!is not one of abcdefghij, ", 26);
}

static void value_list__items__are_trimmed(void **state)
{
    struct view rest = view_of("10.0.0.0/8,  ::1 ,x"), item;
    (void)state;
    assert_int_equal(value_list_next(&rest, &item, NULL), 1);
    assert_true(view_is(item, "10.0.0.0/8"));
    assert_int_equal(value_list_next(&rest, &item, NULL), 1);
    assert_true(view_is(item, "::1"));
    assert_int_equal(value_list_next(&rest, &item, NULL), 1);
    assert_true(view_is(item, "x"));
    assert_int_equal(value_list_next(&rest, &item, NULL), 0);
    assert_int_equal(value_list_next(&rest, &item, NULL), 0);
}

static void value_list__missing_item__is_refused(void **state)
{
    static const char *const cases[] = {"", ",", "a,", "a, ", ",a", "a,,b", " "};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct view rest = view_of(cases[i]), item;
        struct reason why;
        int r;
        while ((r = value_list_next(&rest, &item, &why)) == 1)
            assert_true(item.length == 1);
        assert_int_equal(r, ERR_INVALID);
        assert_string_equal(why.text, "lacks an item: write a, b, c");
    }
}

static void value_text__bounds__are_exact(void **state)
{
    char text[5] = "zzzz";
    struct reason why;
    (void)state;
    assert_int_equal(value_text(view_of("abcd"), text, sizeof(text), &why), 0);
    assert_string_equal(text, "abcd");
    assert_int_equal(value_text(view_of("fghij"), text, sizeof(text), &why), ERR_INVALID);
    assert_string_equal(why.text, "is longer than 4 octets");
    assert_int_equal(value_text(view_of(""), text, sizeof(text), &why), ERR_INVALID);
    assert_string_equal(why.text, "must not be empty");
    assert_int_equal(value_text(view_of("a\tb"), text, sizeof(text), &why), ERR_INVALID);
    assert_string_equal(why.text, "holds a control character");
    assert_string_equal(text, "abcd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_size__units__are_powers_of_1024),
        cmocka_unit_test(value_size__ambiguous_unit__gets_a_hint),
        cmocka_unit_test(value_size__bad_text__is_refused),
        cmocka_unit_test(value_size__too_large__does_not_wrap),
        cmocka_unit_test(value_size__range__names_the_bound),
        cmocka_unit_test(value_time__units__become_milliseconds),
        cmocka_unit_test(value_rate__needs_per_second),
        cmocka_unit_test(value_number__takes_digits_within_its_range),
        cmocka_unit_test(value_flag__has_three_words_each),
        cmocka_unit_test(value_one_of__unknown_word__lists_and_suggests),
        cmocka_unit_test(value_one_of__many_words__are_cut_within_the_reason),
        cmocka_unit_test(value_list__items__are_trimmed),
        cmocka_unit_test(value_list__missing_item__is_refused),
        cmocka_unit_test(value_text__bounds__are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
