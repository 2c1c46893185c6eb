/* SPDX-License-Identifier: MIT */
/* log_test.c - hvlog's own log: the form of a line, levels, escapes, limits. */
#include "common/bridge/log.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char written[2 * LOG_LINE_MAX];
static size_t written_length;
static unsigned lines;

static void capture(enum log_level level, const char *line, size_t length)
{
    (void)level;
    assert_true(written_length + length < sizeof(written));
    memcpy(written + written_length, line, length);
    written_length += length;
    written[written_length] = '\0';
    lines++;
}

static int set_up(void **state)
{
    (void)state;
    written_length = 0;
    written[0] = '\0';
    lines = 0;
    log_init("hvlog-test");
    log_set_level(LOG_INFO);
    log_set_writer(capture);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    log_set_writer(NULL);
    return 0;
}

/* What stands behind the time, which is RFC 3339 with microseconds. */
static const char *behind_time(void)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd.dddddd";
    for (size_t i = 0; form[i] != '\0'; i++) {
        if (form[i] == 'd')
            assert_true(written[i] >= '0' && written[i] <= '9');
        else
            assert_int_equal(written[i], form[i]);
    }
    const char *blank = strchr(written, ' ');
    assert_non_null(blank);
    return blank + 1;
}

static void log__line__has_time_program_level_and_text(void **state)
{
    (void)state;
    log_warn("link: no answer from %s, trying again in %d s", "vsock:2:5140", 4);
    assert_string_equal(behind_time(),
                        "hvlog-test: warning: link: no answer from vsock:2:5140, "
                        "trying again in 4 s\n");
}

static void log__level__hides_what_is_below(void **state)
{
    (void)state;
    log_debug("not shown");
    assert_int_equal(lines, 0);
    assert_false(log_is_on(LOG_DEBUG));
    log_set_level(LOG_ERROR);
    log_warn("not shown");
    assert_int_equal(lines, 0);
    log_error("shown");
    assert_int_equal(lines, 1);
}

static void log__control_octets__cannot_forge_a_line(void **state)
{
    (void)state;
    log_info("peer says '%s'", "bye\n2026-11-30T00:00:00 hvlog-test: error: forged");
    assert_int_equal(lines, 1);
    assert_string_equal(behind_time(),
                        "hvlog-test: info: peer says 'bye\\x0a2026-11-30T00:00:00 "
                        "hvlog-test: error: forged'\n");
}

static void log__long_text__is_cut_and_ends_with_one_lf(void **state)
{
    static char text[2 * LOG_TEXT_MAX];
    (void)state;
    /* Each of these octets takes four when it is escaped. */
    memset(text, '\x01', sizeof(text) - 1);
    log_info("%s", text);
    assert_true(written_length < LOG_LINE_MAX);
    assert_int_equal(written[written_length - 1], '\n');
    assert_ptr_equal(strchr(written, '\n'), written + written_length - 1);
}

static void log__line__keeps_errno(void **state)
{
    (void)state;
    errno = 77;
    log_info("%s", "something");
    assert_int_equal(errno, 77);
}

static void log_escape__text__shows_what_steers_a_terminal(void **state)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"", ""},
        {"plain text", "plain text"},
        {"C:\\logs", "C:\\logs"},
        {"a\tb\rc\x7f", "a\\x09b\\x0dc\\x7f"},
        {"\x1b[2J", "\\x1b[2J"},
        {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
        {"\xe2\x82\xac \xf0\x9f\x90\x9f", "\xe2\x82\xac \xf0\x9f\x90\x9f"},
        {"c1 \xc2\x9b", "c1 \\xc2\\x9b"},
        {"raw \x9b", "raw \\x9b"},
        {"cut \xe2\x82", "cut \\xe2\\x82"},
        {"overlong \xe0\x80\x80", "overlong \\xe0\\x80\\x80"},
        {"surrogate \xed\xa0\x80", "surrogate \\xed\\xa0\\x80"},
    };
    char out[64];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(log_escape(cases[i].text, out, sizeof(out)), cases[i].shown);
}

static void log_escape__no_room__leaves_whole_characters_out(void **state)
{
    char out[6];
    (void)state;
    assert_string_equal(log_escape("abc\n", out, sizeof(out)), "abc");
    assert_string_equal(log_escape("abcd\xc3\xbc", out, sizeof(out)), "abcd");
    assert_string_equal(log_escape("abcdef", out, sizeof(out)), "abcde");
}

static void log_limit__burst__is_let_through_and_the_rest_told_later(void **state)
{
    struct log_limit limit = {0};
    unsigned suppressed = 99;
    (void)state;
    for (unsigned i = 0; i < LOG_LIMIT_BURST; i++) {
        assert_true(log_limit_take(&limit, 5000 + i, &suppressed));
        assert_int_equal(suppressed, 0);
    }
    for (unsigned i = 0; i < 312; i++)
        assert_false(log_limit_take(&limit, 5000 + LOG_LIMIT_WINDOW_MS - 1, &suppressed));
    assert_true(log_limit_take(&limit, 5000 + LOG_LIMIT_WINDOW_MS, &suppressed));
    assert_int_equal(suppressed, 312);
    assert_true(log_limit_take(&limit, 5000 + LOG_LIMIT_WINDOW_MS, &suppressed));
    assert_int_equal(suppressed, 0);
}

static void log_limited__line_after_a_flood__says_how_many_were_left_out(void **state)
{
    struct log_limit limit = {0};
    (void)state;
    for (unsigned i = 0; i < LOG_LIMIT_BURST + 3; i++)
        log_limited(&limit, LOG_WARN, "refused");
    assert_int_equal(lines, LOG_LIMIT_BURST);
    written_length = 0;
    limit.window_start_ms = 1; /* long ago */
    log_limited(&limit, LOG_WARN, "refused %s", "again");
    assert_string_equal(behind_time(),
                        "hvlog-test: warning: refused again (and 3 more like it)\n");
}

static void log_limited__hidden_level__takes_nothing_of_the_limit(void **state)
{
    struct log_limit limit = {0};
    (void)state;
    for (unsigned i = 0; i < LOG_LIMIT_BURST + 3; i++)
        log_limited(&limit, LOG_DEBUG, "not shown");
    assert_int_equal(lines, 0);
    log_set_level(LOG_DEBUG);
    log_limited(&limit, LOG_DEBUG, "shown");
    assert_string_equal(behind_time(), "hvlog-test: debug: shown\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(log__line__has_time_program_level_and_text, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(log__level__hides_what_is_below, set_up, tear_down),
        cmocka_unit_test_setup_teardown(log__control_octets__cannot_forge_a_line, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(log__long_text__is_cut_and_ends_with_one_lf, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(log__line__keeps_errno, set_up, tear_down),
        cmocka_unit_test(log_escape__text__shows_what_steers_a_terminal),
        cmocka_unit_test(log_escape__no_room__leaves_whole_characters_out),
        cmocka_unit_test(log_limit__burst__is_let_through_and_the_rest_told_later),
        cmocka_unit_test_setup_teardown(
            log_limited__line_after_a_flood__says_how_many_were_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(log_limited__hidden_level__takes_nothing_of_the_limit,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
