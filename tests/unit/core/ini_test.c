/* SPDX-License-Identifier: MIT */
/* ini_test.c - the grammar of the configuration. */
#include "common/core/ini.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* All events of a text as one line each, in a static buffer: "1 [kind name]", "2 key=value",
 * "3 key=\"value\"", "4 !complaint", "5 end".
 */
static const char *events_of(const char *text, size_t length)
{
    static char out[4096];
    struct ini ini;
    struct ini_event ev;
    size_t used = 0;
    ini_init(&ini, text, length);
    for (bool more = true; more;) {
        more = ini_next(&ini, &ev);
        char *at = out + used;
        size_t left = sizeof(out) - used;
        const char *quote = ev.is_quoted ? "\"" : "";
        if (ev.kind == INI_SECTION)
            used += (size_t)snprintf(at, left, "%zu [%.*s%s%.*s]\n", ev.line,
                                     (int)ev.section.length, ev.section.text,
                                     ev.name.length > 0 ? " " : "", (int)ev.name.length,
                                     ev.name.length > 0 ? ev.name.text : "");
        else if (ev.kind == INI_PAIR)
            used += (size_t)snprintf(at, left, "%zu %.*s=%s%.*s%s\n", ev.line,
                                     (int)ev.key.length, ev.key.text, quote,
                                     (int)ev.value.length, ev.value.text, quote);
        else if (ev.kind == INI_ERROR)
            used += (size_t)snprintf(at, left, "%zu !%s\n", ev.line, ev.complaint);
        else
            used += (size_t)snprintf(at, left, "%zu end\n", ev.line);
        assert_true(used < sizeof(out));
        assert_true(more == (ev.kind != INI_END));
    }
    return out;
}

static void assert_events(const char *text, const char *events)
{
    assert_string_equal(events_of(text, strlen(text)), events);
}

/* The value of one line, or its complaint with a '!' before it. */
static void assert_value(const char *line, const char *value)
{
    char text[256], events[256];
    (void)snprintf(text, sizeof(text), "[x]\n%s\n", line);
    (void)snprintf(events, sizeof(events),
                   value[0] == '!' ? "1 [x]\n2 %s\n2 end\n" : "1 [x]\n2 k=%s\n2 end\n", value);
    assert_events(text, events);
}

static void ini__example__gives_sections_and_pairs(void **state)
{
    (void)state;
    assert_events("# what the switch sends\n"
                  "\n"
                  "[input lan]\n"
                  "listen = udp:*:514   # all of it\n"
                  "  max_message=64KiB\n"
                  "[ link ]\t# no name\n"
                  "\taddress\t=\tvsock:2:5140\t\n",
                  "3 [input lan]\n4 listen=udp:*:514\n5 max_message=64KiB\n6 [link]\n"
                  "7 address=vsock:2:5140\n7 end\n");
}

static void ini__pair__knows_its_section(void **state)
{
    static const char text[] = "[input lan]\na = 1\n[log]\nb = 2";
    struct ini ini;
    struct ini_event ev;
    (void)state;
    ini_init(&ini, text, strlen(text));
    assert_true(ini_next(&ini, &ev) && ini_next(&ini, &ev));
    assert_true(view_is(ev.section, "input") && view_is(ev.name, "lan") &&
                view_is(ev.key, "a"));
    assert_true(ini_next(&ini, &ev) && ini_next(&ini, &ev));
    assert_true(view_is(ev.section, "log") && ev.name.length == 0 && view_is(ev.key, "b"));
    assert_false(ini_next(&ini, &ev));
    assert_false(ini_next(&ini, &ev)); /* and stays at the end */
}

static void ini__no_text__is_the_end(void **state)
{
    (void)state;
    assert_string_equal(events_of(NULL, 0), "0 end\n");
    assert_events("\n\n", "2 end\n");
    assert_events("\xEF\xBB\xBF", "0 end\n");
    assert_events("   \t", "1 end\n");
}

static void ini__line_ends__may_be_crlf_or_missing(void **state)
{
    (void)state;
    assert_events("[a]\r\nk = v\r\n\r\nl = w", "1 [a]\n2 k=v\n4 l=w\n4 end\n");
    assert_events("[a]\nk = v\r", "1 [a]\n2 k=v\n2 end\n");
    assert_events("[a]\nk = v\rw\n",
                  "1 [a]\n2 !the line holds a NUL or another control character\n2 end\n");
}

static void ini__utf8_mark__is_passed_over_at_the_begin_only(void **state)
{
    (void)state;
    assert_events("\xEF\xBB\xBF[a]\n", "1 [a]\n1 end\n");
    assert_events("[a]\n\xEF\xBB\xBFk = v\n",
                  "1 [a]\n2 !a key is made of letters, digits, '_' and '-'\n2 end\n");
}

static void ini__value__ends_at_its_comment(void **state)
{
    (void)state;
    assert_value("k = a # b", "a");
    assert_value("k = a\t# b", "a");
    assert_value("k = a#b", "a#b");
    assert_value("k = a#b # c", "a#b");
    assert_value("k = a b  c  ", "a b  c");
    assert_value("k =#a", "#a");
    assert_value("k = # a", "");
    assert_value("k =", "");
    assert_value("k=a=b", "a=b");
    assert_value("k = C:\\logs\\[x].log; y", "C:\\logs\\[x].log; y");
    assert_value("k = d\xC3\xA9j\xE0", "d\xC3\xA9j\xE0");
}

static void ini__quoted_value__holds_hash_and_blanks(void **state)
{
    (void)state;
    assert_value("k = \" a # b \"", "\" a # b \"");
    assert_value("k=\"\"", "\"\"");
    assert_value("k = \"C:\\dir\\\" # c", "\"C:\\dir\\\"");
    assert_value("k = a\"b\"", "a\"b\"");
    assert_value("k = \"a", "!the closing quotation mark is missing");
    assert_value("k = \"a\"b", "!there is text behind the closing quotation mark");
    assert_value("k = \"a\"#b", "!there is text behind the closing quotation mark");
    assert_value("k = \"a\" b # c", "!there is text behind the closing quotation mark");
}

static void ini__bad_pair__says_what_is_wrong(void **state)
{
    (void)state;
    assert_value("; k = v", "!a comment begins with '#', not with ';'");
    assert_value("word", "!this is neither a [section] nor a setting: a setting is written "
                         "key = value");
    assert_value("= v", "!the key before '=' is missing");
    assert_value("k l = v", "!a key is made of letters, digits, '_' and '-'");
    assert_value("k# = v", "!a key is made of letters, digits, '_' and '-'");
    assert_value("k23456789012345678901234567890123 = v", "!the key is too long");
    assert_events("k = v\n", "1 !a setting must stand below a [section]\n1 end\n");
}

static void ini__bad_section__says_what_is_wrong(void **state)
{
    static const char *const cases[][2] = {
        {"[a", "1 !the section's ']' is missing\n1 end\n"},
        {"[", "1 !the section's ']' is missing\n1 end\n"},
        {"[]", "1 !the section has no kind between '[' and ']'\n1 end\n"},
        {"[ ]", "1 !the section has no kind between '[' and ']'\n1 end\n"},
        {"[a] b", "1 !there is text behind the section's ']'\n1 end\n"},
        {"[a]#", "1 !there is text behind the section's ']'\n1 end\n"},
        {"[a.b]", "1 !a section's kind is made of letters, digits, '_' and '-'\n1 end\n"},
        {"[a b c]",
         "1 !a section's name is one word of letters, digits, '_', '-' and '.'\n1 end\n"},
        {"[a b,c]",
         "1 !a section's name is one word of letters, digits, '_', '-' and '.'\n1 end\n"},
        {"[k23456789012345678901234567890123]", "1 !the section's kind is too long\n1 end\n"},
        {"[a k23456789012345678901234567890123]",
         "1 !the section's name is longer than 32 characters\n1 end\n"},
        {"[a k2345678901234567890123456789012]",
         "1 [a k2345678901234567890123456789012]\n1 end\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_events(cases[i][0], cases[i][1]);
}

/* Otherwise one slip in a header would blame each setting below it. */
static void ini__pairs_below_a_bad_section__are_checked_but_not_given(void **state)
{
    (void)state;
    assert_events("[a]\nk = 1\n[b\nk = 2\nbad\n[c]\nk = 3\n",
                  "1 [a]\n2 k=1\n3 !the section's ']' is missing\n"
                  "5 !this is neither a [section] nor a setting: a setting is written key = "
                  "value\n6 [c]\n7 k=3\n7 end\n");
}

static void ini__control_octets__are_errors_even_in_comments(void **state)
{
    static const char nul[] = "[a]\nk = \0v\n";
    static const char complaint[] = "the line holds a NUL or another control character";
    char events[128];
    (void)state;
    (void)snprintf(events, sizeof(events), "1 [a]\n2 !%s\n2 end\n", complaint);
    assert_string_equal(events_of(nul, sizeof(nul) - 1), events);
    assert_events("[a]\n# \x1B[1m\n", events);
    assert_events("[a]\nk = \x7F\n", events);
}

static void ini__utf16__is_one_error(void **state)
{
    static const char text[] = "\xFF\xFE[\0a\0]\0\n\0";
    (void)state;
    assert_string_equal(events_of(text, sizeof(text) - 1),
                        "1 !the file is UTF-16: save it as UTF-8\n1 end\n");
}

static void ini__line_limit__is_exact(void **state)
{
    static char text[INI_LINE_MAX + 1];
    (void)state;
    memset(text, ' ', sizeof(text));
    memcpy(text, "[a]", 3);
    assert_string_equal(events_of(text, INI_LINE_MAX), "1 [a]\n1 end\n");
    assert_string_equal(events_of(text, INI_LINE_MAX + 1),
                        "1 !the line is longer than 4096 octets\n1 end\n");
    /* A line of nothing but blanks is looked at no further than its end. */
    memset(text, ' ', sizeof(text));
    assert_string_equal(events_of(text, INI_LINE_MAX + 1),
                        "1 !the line is longer than 4096 octets\n1 end\n");
}

static void ini__text_limit__is_exact(void **state)
{
    char *text = malloc(INI_TEXT_MAX + 1);
    (void)state;
    assert_non_null(text);
    memset(text, '\n', INI_TEXT_MAX + 1);
    assert_string_equal(events_of(text, INI_TEXT_MAX), "1048576 end\n");
    assert_string_equal(events_of(text, INI_TEXT_MAX + 1),
                        "1 !the file is larger than 1 MiB\n1 end\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ini__example__gives_sections_and_pairs),
        cmocka_unit_test(ini__pair__knows_its_section),
        cmocka_unit_test(ini__no_text__is_the_end),
        cmocka_unit_test(ini__line_ends__may_be_crlf_or_missing),
        cmocka_unit_test(ini__utf8_mark__is_passed_over_at_the_begin_only),
        cmocka_unit_test(ini__value__ends_at_its_comment),
        cmocka_unit_test(ini__quoted_value__holds_hash_and_blanks),
        cmocka_unit_test(ini__bad_pair__says_what_is_wrong),
        cmocka_unit_test(ini__bad_section__says_what_is_wrong),
        cmocka_unit_test(ini__pairs_below_a_bad_section__are_checked_but_not_given),
        cmocka_unit_test(ini__control_octets__are_errors_even_in_comments),
        cmocka_unit_test(ini__utf16__is_one_error),
        cmocka_unit_test(ini__line_limit__is_exact),
        cmocka_unit_test(ini__text_limit__is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
