/* SPDX-License-Identifier: MIT */
/* backoff_test.c - delays between tries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/core/backoff.h"

/* Without jitter: doubling from the first to the cap, and no further. */
static void backoff__least_random_number__doubles_to_the_cap(void **state)
{
    static const uint32_t expected[] = {100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000};
    struct backoff b = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        assert_int_equal(backoff_next(&b, 0), expected[i]);
}

static void backoff__greatest_random_number__is_half_of_that(void **state)
{
    static const uint32_t expected[] = {50, 100, 200, 400, 800, 1600, 2500, 2500};
    struct backoff b = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        assert_int_equal(backoff_next(&b, UINT32_MAX), expected[i]);
}

/* Jitter of one delay does not carry over into the next. */
static void backoff__any_random_number__stays_in_its_step(void **state)
{
    (void)state;
    for (uint64_t random = 0; random <= UINT32_MAX; random += UINT32_MAX / 1000) {
        struct backoff b = {0};
        uint32_t step_ms = BACKOFF_FIRST_MS;
        for (int i = 0; i < 20; i++) {
            uint32_t delay_ms = backoff_next(&b, (uint32_t)random);
            assert_in_range(delay_ms, step_ms / 2, step_ms);
            step_ms = step_ms * 2 < BACKOFF_CAP_MS ? step_ms * 2 : BACKOFF_CAP_MS;
        }
    }
}

static void backoff__reset__starts_again(void **state)
{
    struct backoff b = {0};

    (void)state;
    for (int i = 0; i < 10; i++)
        backoff_next(&b, 0);
    backoff_reset(&b);
    assert_int_equal(backoff_next(&b, 0), BACKOFF_FIRST_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backoff__least_random_number__doubles_to_the_cap),
        cmocka_unit_test(backoff__greatest_random_number__is_half_of_that),
        cmocka_unit_test(backoff__any_random_number__stays_in_its_step),
        cmocka_unit_test(backoff__reset__starts_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
