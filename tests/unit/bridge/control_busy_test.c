/* SPDX-License-Identifier: MIT */
/* control_busy_test.c - two programs that want to answer at one place. Not under Wine, which
 * (8.0) lets a second program claim a pipe's name as its first instance.
 */
#include "common/bridge/control.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/core/err.h"
#include "common/os/process.h"

static void nothing(void *arg, const char *request, struct text *out)
{
    (void)arg;
    (void)request;
    (void)out;
}

static void control__path_in_use__is_told_and_free_again_later(void **state)
{
    char path[64];
    struct control *first = NULL, *second = NULL;
    (void)state;
    (void)snprintf(path, sizeof(path), "control-busy-%" PRIu64 ".sock", os_process_id());
    assert_int_equal(control_open(path, &first), 0);
    assert_int_equal(control_open(path, &second), ERR_IN_USE);
    assert_int_equal(control_start(first, nothing, NULL), 0);
    assert_int_equal(control_open(path, &second), ERR_IN_USE);
    assert_null(second);
    control_free(first);
    assert_int_equal(control_open(path, &second), 0);
    control_free(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control__path_in_use__is_told_and_free_again_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
