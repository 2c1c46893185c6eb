/* SPDX-License-Identifier: MIT */
/* suggest_test.c - the known name that somebody probably meant. */
#include "common/core/suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const keys[] = {
    "listen", "framing",      "multi_line",     "max_message", "allow",           "rate",
    "burst",  "idle_timeout", "receive_buffer", "to",          "max_connections", "path"};

static const char *nearest(const char *word)
{
    struct suggest s;
    suggest_init(&s, view_of(word));
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        suggest_offer(&s, keys[i]);
    return suggest_nearest(&s);
}

static void suggest__one_slip__finds_the_name(void **state)
{
    (void)state;
    assert_string_equal(nearest("lsten"), "listen");   /* missing */
    assert_string_equal(nearest("llisten"), "listen"); /* too many */
    assert_string_equal(nearest("lixten"), "listen");  /* wrong */
    assert_string_equal(nearest("litsen"), "listen");  /* swapped */
    assert_string_equal(nearest("idle-timeout"), "idle_timeout");
    assert_string_equal(nearest("rat"), "rate");
    assert_string_equal(nearest("ot"), "to");
}

static void suggest__other_case__finds_the_name(void **state)
{
    (void)state;
    assert_string_equal(nearest("Listen"), "listen");
    assert_string_equal(nearest("MAX_MESSAGE"), "max_message");
}

static void suggest__long_name__forgives_more(void **state)
{
    (void)state;
    assert_string_equal(nearest("max_conections"), "max_connections");
    assert_string_equal(nearest("maxconection"), "max_connections");
    assert_string_equal(nearest("recieve_bufer"), "receive_buffer");
}

static void suggest__nothing_near__is_null(void **state)
{
    (void)state;
    assert_null(nearest(""));
    assert_null(nearest("x"));
    assert_null(nearest("xy"));
    assert_null(nearest("colour"));
    assert_null(nearest("lxxxen"));
    assert_null(nearest("a_word_that_is_longer_than_any_name"));
}

static void suggest__no_offer__is_null(void **state)
{
    struct suggest s;
    (void)state;
    suggest_init(&s, view_of("listen"));
    assert_null(suggest_nearest(&s));
}

static void suggest__nearer_name__wins_in_any_order(void **state)
{
    struct suggest s;
    (void)state;
    suggest_init(&s, view_of("max_message"));
    suggest_offer(&s, "max_messages");
    suggest_offer(&s, "max_message");
    suggest_offer(&s, "max_massages");
    assert_string_equal(suggest_nearest(&s), "max_message");
}

static void suggest__longest_words__fit(void **state)
{
    static const char name[] = "abcdefghijklmnopqrstuvwxyz_01234";
    struct suggest s;
    (void)state;
    assert_int_equal(strlen(name), SUGGEST_WORD_MAX);
    suggest_init(&s, view_of("bacdefghijklmnopqrstuvwxyz_01243"));
    suggest_offer(&s, name);
    assert_string_equal(suggest_nearest(&s), name);
    suggest_init(&s, view_of("abcdefghijklmnopqrstuvwxyz_012345"));
    suggest_offer(&s, name);
    assert_null(suggest_nearest(&s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suggest__one_slip__finds_the_name),
        cmocka_unit_test(suggest__other_case__finds_the_name),
        cmocka_unit_test(suggest__long_name__forgives_more),
        cmocka_unit_test(suggest__nothing_near__is_null),
        cmocka_unit_test(suggest__no_offer__is_null),
        cmocka_unit_test(suggest__nearer_name__wins_in_any_order),
        cmocka_unit_test(suggest__longest_words__fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
