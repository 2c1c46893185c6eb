/* SPDX-License-Identifier: MIT */
/* carry_test.c - the head of a message that came in pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "common/core/carry.h"

static const uint8_t a_lot[3 * CARRY_KEEP_OCTETS] = {[0] = 'a',
                                                     [3 * CARRY_KEEP_OCTETS - 1] = 'z'};

static void add__up_to_the_limit__keeps_and_counts(void **state)
{
    struct carry c = {0};

    (void)state;
    assert_int_equal(carry_add(&c, 5, (const uint8_t *)"abc", 3), 0);
    assert_int_equal(carry_add(&c, 5, (const uint8_t *)"defg", 4), 0);
    assert_int_equal(carry_add(&c, 5, (const uint8_t *)"h", 1), 0);
    assert_int_equal(c.stored, 5);
    assert_memory_equal(c.data, "abcde", 5);
    assert_int_equal(c.length, 8);
    assert_int_equal(c.last, 'h');
    assert_in_range(c.capacity, 5, 5);
    carry_release(&c);
}

static void add_spaces__more_than_the_limit__keeps_and_counts(void **state)
{
    struct carry c = {0};

    (void)state;
    assert_int_equal(carry_add_spaces(&c, 3, UINT64_C(1) << 40), 0);
    assert_int_equal(c.stored, 3);
    assert_memory_equal(c.data, "   ", 3);
    assert_true(c.length == UINT64_C(1) << 40);
    carry_release(&c);
}

static void clear__a_little_memory__is_kept(void **state)
{
    struct carry c = {0};

    (void)state;
    assert_int_equal(carry_add(&c, UINT32_MAX, a_lot, 10), 0);
    carry_clear(&c);
    assert_int_equal(c.length, 0);
    assert_int_equal(c.stored, 0);
    assert_int_equal(c.capacity, CARRY_FIRST_OCTETS);
    carry_release(&c);
}

static void clear__much_memory__is_given_back(void **state)
{
    struct carry c = {0};

    (void)state;
    assert_int_equal(carry_add(&c, UINT32_MAX, a_lot, sizeof(a_lot)), 0);
    assert_memory_equal(c.data, a_lot, sizeof(a_lot));
    carry_clear(&c);
    assert_null(c.data);
    assert_int_equal(c.capacity, 0);
}

static void tick__without_need_for_long__gives_memory_back(void **state)
{
    struct carry c = {0};

    (void)state;
    assert_int_equal(carry_add(&c, 64, a_lot, 10), 0);
    for (int i = 0; i < 2 * CARRY_IDLE_FEEDS; i++)
        carry_tick(&c);
    assert_int_equal(c.stored, 10); /* a message is held */
    c.spent = true;
    for (int i = 0; i < CARRY_IDLE_FEEDS - 1; i++)
        carry_tick(&c);
    assert_non_null(c.data);
    carry_tick(&c);
    assert_null(c.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__up_to_the_limit__keeps_and_counts),
        cmocka_unit_test(add_spaces__more_than_the_limit__keeps_and_counts),
        cmocka_unit_test(clear__a_little_memory__is_kept),
        cmocka_unit_test(clear__much_memory__is_given_back),
        cmocka_unit_test(tick__without_need_for_long__gives_memory_back),
    };

    return cmocka_run_group_tests_name("carry", tests, NULL, NULL);
}
