/* SPDX-License-Identifier: MIT */
/* clock_test.c - time goes forward, and is written down right. */
#include "common/os/clock.h"

#include <stdio.h>
#include <time.h>

#include "os_test.h"

enum { LOOKS = 100000 };
#define YEAR_2020_US UINT64_C(1577836800000000)
#define YEAR_2100_US UINT64_C(4102444800000000)

static void clock__looked_at_again__never_goes_back(void **state)
{
    uint64_t us = os_clock_us(), ms = os_clock_ms();

    (void)state;
    for (int i = 0; i < LOOKS; i++) {
        uint64_t next_us = os_clock_us(), next_ms = os_clock_ms();
        assert_true(next_us >= us && next_ms >= ms);
        us = next_us;
        ms = next_ms;
    }
}

static void clock__ms_and_us__are_one_clock(void **state)
{
    (void)state;
    uint64_t before_us = os_clock_us();
    uint64_t ms = os_clock_ms();
    uint64_t after_us = os_clock_us();
    /* A system's coarse milliseconds may be a tick of 16 ms behind. */
    assert_true(ms + 20 >= before_us / 1000);
    assert_true(ms <= after_us / 1000 + 20);
}

static void clock__wall__is_in_this_century(void **state)
{
    (void)state;
    assert_in_range(os_clock_wall_us(), YEAR_2020_US, YEAR_2100_US);
}

static void clock__local_text__is_the_time_it_was_made_from(void **state)
{
    const uint64_t wall_us = UINT64_C(1796044623) * 1000000 + 45; /* 2026-11-30T13:17:03Z */
    char text[OS_CLOCK_TEXT_MAX];
    struct tm t = {0};
    int micro, hours, minutes, end = 0;
    char sign;

    (void)state;
    assert_ptr_equal(os_clock_local_text(wall_us, text, sizeof text), text);
    int n = sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%6d%c%2d:%2d%n", &t.tm_year, &t.tm_mon,
                   &t.tm_mday, &t.tm_hour, &t.tm_min, &t.tm_sec, &micro, &sign, &hours,
                   &minutes, &end);
    assert_int_equal(n, 10);
    assert_int_equal(end, strlen(text));
    assert_int_equal(end, strlen("2026-11-30T13:17:03.000045+00:00"));
    assert_int_equal(micro, 45);
    assert_true(sign == '+' || sign == '-');
    t.tm_year -= 1900;
    t.tm_mon--;
    t.tm_isdst = -1;
    assert_int_equal((uint64_t)mktime(&t), wall_us / 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock__looked_at_again__never_goes_back),
        cmocka_unit_test(clock__ms_and_us__are_one_clock),
        cmocka_unit_test(clock__wall__is_in_this_century),
        cmocka_unit_test(clock__local_text__is_the_time_it_was_made_from),
    };

    return RUN_TESTS(tests);
}
