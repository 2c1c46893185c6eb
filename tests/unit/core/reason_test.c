/* SPDX-License-Identifier: MIT */
/* reason_test.c - the sentence is kept and cut to its bound. */
#include "common/core/reason.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/err.h"

static void reason__sentence__is_kept(void **state)
{
    struct reason why;
    (void)state;
    assert_int_equal(reason_set(&why, "has %d %s", 2, "ends"), ERR_INVALID);
    assert_string_equal(why.text, "has 2 ends");
}

static void reason__nobody_asks__is_still_an_error(void **state)
{
    (void)state;
    assert_int_equal(reason_set(NULL, "is wrong"), ERR_INVALID);
}

static void reason__long_sentence__is_cut(void **state)
{
    struct reason why;
    (void)state;
    assert_int_equal(reason_set(&why, "%0*d", REASON_TEXT_MAX + 5, 0), ERR_INVALID);
    assert_int_equal(strlen(why.text), REASON_TEXT_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reason__sentence__is_kept),
        cmocka_unit_test(reason__nobody_asks__is_still_an_error),
        cmocka_unit_test(reason__long_sentence__is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
