/* SPDX-License-Identifier: MIT */
/* due_list_test.c - what was touched longest ago falls due first. */
#include "common/bridge/due_list.h"
#include "tests/unit/os/os_test.h"

static void due_list__empty__is_never_due(void **state)
{
    (void)state;
    struct due_list l;
    due_list_init(&l, 10);

    assert_true(due_list_deadline(&l) == DUE_NEVER);
    assert_null(due_list_take(&l, 1000));
    assert_null(due_list_first(&l));
}

static void due_list__touched_in_turn__fall_due_in_turn(void **state)
{
    (void)state;
    struct due_link a = {0}, b = {0};
    struct due_list l;
    due_list_init(&l, 10);

    due_list_touch(&l, &a, "a", 100);
    due_list_touch(&l, &b, "b", 101);
    assert_int_equal(due_list_deadline(&l), 110);
    assert_null(due_list_take(&l, 109));
    assert_string_equal(due_list_take(&l, 110), "a");
    assert_null(due_list_take(&l, 110));
    assert_string_equal(due_list_take(&l, 111), "b");
    assert_null(due_list_first(&l));
}

static void due_list__touched_again__goes_to_the_end(void **state)
{
    (void)state;
    struct due_link a = {0}, b = {0};
    struct due_list l;
    due_list_init(&l, 10);

    due_list_touch(&l, &a, "a", 100);
    due_list_touch(&l, &b, "b", 101);
    due_list_touch(&l, &a, "a", 105);
    assert_string_equal(due_list_take(&l, 1000), "b");
    assert_int_equal(due_list_deadline(&l), 115);
    assert_string_equal(due_list_take(&l, 1000), "a");
}

static void due_list__removed__is_not_due(void **state)
{
    (void)state;
    struct due_link a = {0};
    struct due_list l;
    due_list_init(&l, 10);

    due_list_touch(&l, &a, "a", 100);
    due_list_remove(&a);
    due_list_remove(&a); /* again does nothing */
    assert_null(due_list_take(&l, 1000));
}

static void due_list__no_time__keeps_the_order_and_is_never_due(void **state)
{
    (void)state;
    struct due_link a = {0};
    struct due_list l;
    due_list_init(&l, DUE_NEVER);

    due_list_touch(&l, &a, "a", 100);
    assert_true(due_list_deadline(&l) == DUE_NEVER);
    assert_null(due_list_take(&l, UINT64_MAX));
    assert_string_equal(due_list_first(&l), "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(due_list__empty__is_never_due),
        cmocka_unit_test(due_list__touched_in_turn__fall_due_in_turn),
        cmocka_unit_test(due_list__touched_again__goes_to_the_end),
        cmocka_unit_test(due_list__removed__is_not_due),
        cmocka_unit_test(due_list__no_time__keeps_the_order_and_is_never_due),
    };
    return RUN_TESTS(tests);
}
