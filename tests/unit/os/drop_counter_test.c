/* SPDX-License-Identifier: MIT */
/* drop_counter_test.c - a kernel's 32 bits made 64. */
#include "common/os/linux/drop_counter.h"

#include "os_test.h"

static void drop_counter__kernel_wraps__sum_goes_on(void **state)
{
    const uint32_t seen[] = {1, 0x7FFFFFFF, 0xF0000000, 0xFFFFFFFF, 0, 5, 0x70000000};
    struct drop_counter c = {0};
    uint64_t turns = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(seen); i++) {
        if (i > 0 && seen[i] < seen[i - 1])
            turns++;
        drop_counter_update(&c, seen[i]);
        assert_int_equal(c.total, (turns << 32) + seen[i]);
    }
}

static void drop_counter__older_value_comes_late__is_passed_over(void **state)
{
    struct drop_counter c = {0};

    (void)state;
    drop_counter_update(&c, 10);
    drop_counter_update(&c, 7);
    assert_int_equal(c.total, 10);
    drop_counter_update(&c, 12);
    assert_int_equal(c.total, 12);
    drop_counter_update(&c, 12);
    assert_int_equal(c.total, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drop_counter__kernel_wraps__sum_goes_on),
        cmocka_unit_test(drop_counter__older_value_comes_late__is_passed_over),
    };

    return RUN_TESTS(tests);
}
