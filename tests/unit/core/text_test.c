/* SPDX-License-Identifier: MIT */
/* text_test.c - a text that grows, up to a limit. */
#include "common/core/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/err.h"

/* The linker hands text.c's realloc() calls to us (--wrap), so that a test can refuse one. */
void *__real_realloc(void *data, size_t size);
void *__wrap_realloc(void *data, size_t size);

static bool is_memory_out;
static unsigned reallocs;

void *__wrap_realloc(void *data, size_t size)
{
    reallocs++;
    return is_memory_out ? NULL : __real_realloc(data, size);
}

static void text__appends__follow_each_other(void **state)
{
    struct text t;
    (void)state;
    text_init(&t, 100);
    assert_string_equal(text_string(&t), "");
    text_append(&t, "ab", 2);
    text_append(&t, NULL, 0);
    text_append_string(&t, "cd");
    text_appendf(&t, "-%zu-%s", (size_t)7, "e");
    assert_int_equal(text_err(&t), 0);
    assert_string_equal(text_string(&t), "abcd-7-e");
    assert_int_equal(t.length, 8);
    text_clear(&t);
    assert_string_equal(text_string(&t), "");
    text_append_string(&t, "x");
    assert_string_equal(text_string(&t), "x");
    text_release(&t);
    text_release(&t);
}

static void text__many_appends__keep_every_octet(void **state)
{
    struct text t;
    (void)state;
    text_init(&t, 1 << 20);
    for (size_t i = 0; i < 10000; i++)
        text_append(&t, (i & 1) != 0 ? "\0x" : "yz", 2);
    assert_int_equal(text_err(&t), 0);
    assert_int_equal(t.length, 20000);
    for (size_t i = 0; i < 10000; i += 2)
        assert_memory_equal(text_string(&t) + 2 * i, "yz\0x", 4);
    text_release(&t);
}

/* The error stays, and nothing is appended in part or after a gap. */
static void text__limit__is_exact_and_sticks(void **state)
{
    struct text t;
    (void)state;
    text_init(&t, 4);
    text_append_string(&t, "abc");
    text_appendf(&t, "%s", "de");
    assert_int_equal(text_err(&t), ERR_FULL);
    text_append_string(&t, "f");
    assert_string_equal(text_string(&t), "abc");
    text_clear(&t);
    text_append_string(&t, "abcd");
    assert_int_equal(text_err(&t), 0);
    text_append(&t, "x", SIZE_MAX);
    assert_int_equal(text_err(&t), ERR_FULL);
    assert_string_equal(text_string(&t), "abcd");
    text_release(&t);
}

static void text__fixed_buffer__is_filled_to_its_nul(void **state)
{
    char buffer[6] = "-----";
    struct text t;
    (void)state;
    text_init_fixed(&t, buffer, 5);
    assert_string_equal(buffer, "");
    text_append_string(&t, "ab");
    text_appendf(&t, "%d", 34);
    assert_int_equal(text_err(&t), 0);
    text_append_string(&t, "5");
    assert_int_equal(text_err(&t), ERR_FULL);
    assert_string_equal(buffer, "ab34");
    text_release(&t);
    assert_string_equal(buffer, "ab34");
}

static void text__memory_out__keeps_what_was_there(void **state)
{
    struct text t;
    (void)state;
    text_init(&t, SIZE_MAX / 4);
    text_append_string(&t, "kept");
    is_memory_out = true;
    for (int i = 0; i < 1000; i++)
        text_append_string(&t, "0123456789");
    is_memory_out = false;
    assert_int_equal(text_err(&t), ERR_NO_MEMORY);
    text_append_string(&t, "more");
    assert_int_equal(text_err(&t), ERR_NO_MEMORY);
    assert_memory_equal(text_string(&t), "kept0123456789", 14);
    assert_int_equal(t.length % 10, 4);
    text_release(&t);

    text_init(&t, 10);
    is_memory_out = true;
    text_append_string(&t, "x");
    is_memory_out = false;
    assert_int_equal(text_err(&t), ERR_NO_MEMORY);
    assert_string_equal(text_string(&t), "");
    text_release(&t);
}

/* Else a text of n octets would be copied n times. */
static void text__many_appends__allocate_seldom(void **state)
{
    enum { APPENDS = 1 << 16, DOUBLINGS_MAX = 16 };
    struct text t;
    (void)state;
    text_init(&t, 2 * APPENDS);
    reallocs = 0;
    for (int i = 0; i < APPENDS; i++)
        text_append(&t, "x", 1);
    assert_int_equal(t.length, APPENDS);
    assert_true(reallocs <= DOUBLINGS_MAX);
    text_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text__appends__follow_each_other),
        cmocka_unit_test(text__many_appends__keep_every_octet),
        cmocka_unit_test(text__many_appends__allocate_seldom),
        cmocka_unit_test(text__limit__is_exact_and_sticks),
        cmocka_unit_test(text__fixed_buffer__is_filled_to_its_nul),
        cmocka_unit_test(text__memory_out__keeps_what_was_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
