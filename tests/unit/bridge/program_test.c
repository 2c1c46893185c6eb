/* SPDX-License-Identifier: MIT */
/* program_test.c - help and exit codes; the programs themselves are run by
 * tests/integration/cli.sh.
 */
#include "common/bridge/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/bridge/config_keys.h"
#include "common/bridge/program_commands.h"
#include "common/core/err.h"

static void nothing(struct text *out)
{
    (void)out;
}

static const struct program program = {
    .name = "hvlog-test",
    .about = "a program of the tests",
    .config = {.name = "test", .defaults = nothing, .samples = nothing},
};

static void program_help__text__names_every_command_section_and_key(void **state)
{
    struct text help;
    char line[64];
    (void)state;
    text_init(&help, PROGRAM_HELP_MAX);
    program_help_text(&program, &help);
    assert_int_equal(text_err(&help), 0);
    for (size_t i = 0; i < PROGRAM_COMMAND_COUNT; i++)
        assert_non_null(strstr(text_string(&help), program_commands[i].usage));
    for (size_t i = 0; i < CONFIG_SECTION_COUNT; i++) {
        (void)snprintf(line, sizeof(line), "\n[%s%s]  ", config_sections[i].name,
                       config_sections[i].is_named ? " NAME" : "");
        assert_non_null(strstr(text_string(&help), line));
    }
    for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
        (void)snprintf(line, sizeof(line), "\n  %-16s %s", config_keys[i].key,
                       config_keys[i].about);
        line[sizeof(line) - 1] = '\0';
        assert_non_null(strstr(text_string(&help), line));
    }
    text_release(&help);
}

static void program_exit__error__has_its_code(void **state)
{
    (void)state;
    assert_int_equal(program_exit_of(0), 0);
    assert_int_equal(program_exit_of(ERR_IN_USE), 69);
    assert_int_equal(program_exit_of(ERR_NOT_FOUND), 69);
    assert_int_equal(program_exit_of(ERR_REFUSED), 69);
    assert_int_equal(program_exit_of(ERR_UNSUPPORTED), 69);
    assert_int_equal(program_exit_of(ERR_IO), 69);
    assert_int_equal(program_exit_of(ERR_NO_MEMORY), 75);
    assert_int_equal(program_exit_of(ERR_ACCESS), 77);
    assert_int_equal(program_exit_of(ERR_INVALID), 78);
    /* What no function of config.h or engine.h may return. */
    assert_int_equal(program_exit_of(ERR_AGAIN), 70);
    assert_int_equal(program_exit_of(ERR_PROTOCOL), 70);
    assert_int_equal(program_exit_of(-1000), 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_help__text__names_every_command_section_and_key),
        cmocka_unit_test(program_exit__error__has_its_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
