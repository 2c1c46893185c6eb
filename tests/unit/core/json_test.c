/* SPDX-License-Identifier: MIT */
/* json_test.c - JSON that is always valid, and mistakes that are always seen. */
#include "common/core/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/err.h"

struct fixture {
    struct text text;
    struct json json;
};

static int set_up(void **state)
{
    static struct fixture f;
    text_init(&f.text, 4096);
    json_init(&f.json, &f.text);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    text_release(&f->text);
    return 0;
}

static void assert_json(struct fixture *f, const char *expected)
{
    assert_int_equal(json_finish(&f->json), 0);
    assert_string_equal(text_string(&f->text), expected);
}

static void json__status__is_written_as_nested(void **state)
{
    struct fixture *f = *state;
    struct json *j = &f->json;
    json_object_begin(j);
    json_key(j, "received");
    json_uint(j, UINT64_MAX);
    json_key(j, "inputs");
    json_array_begin(j);
    json_string_of(j, "lan");
    json_object_begin(j);
    json_object_end(j);
    json_array_begin(j);
    json_array_end(j);
    json_null(j);
    json_array_end(j);
    json_key(j, "ok");
    json_bool(j, true);
    json_key(j, "late");
    json_bool(j, false);
    json_object_end(j);
    assert_json(f, "{\"received\":18446744073709551615,"
                   "\"inputs\":[\"lan\",{},[],null],\"ok\":true,\"late\":false}");
}

static void json__scalar__may_stand_alone(void **state)
{
    struct fixture *f = *state;
    json_uint(&f->json, 7);
    assert_json(f, "7");
}

static void json__special_characters__are_escaped(void **state)
{
    struct fixture *f = *state;
    static const char data[] = "a\"b\\c/\b\f\n\r\t\x01\x1F\x7F\0z";
    json_string(&f->json, data, sizeof(data) - 1);
    assert_json(f, "\"a\\\"b\\\\c/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\\u0000z\"");
}

static void json__key__is_escaped_too(void **state)
{
    struct fixture *f = *state;
    json_object_begin(&f->json);
    json_key(&f->json, "a\"b");
    json_null(&f->json);
    json_object_end(&f->json);
    assert_json(f, "{\"a\\\"b\":null}");
}

static void json__utf8__is_kept(void **state)
{
    struct fixture *f = *state;
    static const char data[] = "\xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 "
                               "\xEF\xBF\xBF \xF0\x90\x80\x80 \xF4\x8F\xBF\xBF";
    char expected[64];
    (void)snprintf(expected, sizeof(expected), "\"%s\"", data);
    json_string_of(&f->json, data);
    assert_json(f, expected);
}

/* Stray, cut off, overlong, surrogate, above U+10FFFF: each octet for itself. */
static void json__not_utf8__is_written_octet_by_octet(void **state)
{
    struct fixture *f = *state;
    static const char *const cases[][2] = {
        {"a\x80z", "\"a\\u0080z\""},
        {"\xFF", "\"\\u00ff\""},
        {"\xC3", "\"\\u00c3\""},
        {"\xC3z", "\"\\u00c3z\""},
        {"\xC0\x80", "\"\\u00c0\\u0080\""},
        {"\xC1\xBF", "\"\\u00c1\\u00bf\""},
        {"\xE0\x9F\xBF", "\"\\u00e0\\u009f\\u00bf\""},
        {"\xE2\x82", "\"\\u00e2\\u0082\""},
        {"\xED\xA0\x80", "\"\\u00ed\\u00a0\\u0080\""},
        {"\xF0\x8F\xBF\xBF", "\"\\u00f0\\u008f\\u00bf\\u00bf\""},
        {"\xF0\x9F\x98", "\"\\u00f0\\u009f\\u0098\""},
        {"\xF4\x90\x80\x80", "\"\\u00f4\\u0090\\u0080\\u0080\""},
        {"\xF5\x80\x80\x80", "\"\\u00f5\\u0080\\u0080\\u0080\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        text_clear(&f->text);
        json_init(&f->json, &f->text);
        json_string_of(&f->json, cases[i][0]);
        assert_json(f, cases[i][1]);
    }
}

static void json__depth__is_bounded(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        json_array_begin(&f->json);
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        json_array_end(&f->json);
    assert_int_equal(json_finish(&f->json), 0);

    json_init(&f->json, &f->text);
    for (int i = 0; i <= JSON_DEPTH_MAX; i++)
        json_array_begin(&f->json);
    for (int i = 0; i <= JSON_DEPTH_MAX; i++)
        json_array_end(&f->json);
    assert_int_equal(json_finish(&f->json), ERR_FULL);
}

static void json__full_text__is_an_error(void **state)
{
    char buffer[8];
    struct text text;
    struct json j;
    (void)state;
    text_init_fixed(&text, buffer, sizeof(buffer));
    json_init(&j, &text);
    json_string_of(&j, "too long for it");
    assert_int_equal(json_finish(&j), ERR_FULL);
}

/* Each mistake is a row of letters: { } [ ] k(ey) v(alue). */
static void json__mistakes__are_seen(void **state)
{
    static const char *const mistakes[] = {
        "",    "{",   "[",  "{k",    "{k}",  "{v}",  "{[",   "{{",  "k",
        "[k]", "{kk", "vv", "[]v",   "{}{}", "}",    "]",    "{]",  "[}",
        "[]]", "{}}", "v]", "{kvv}", "[{]",  "[{k]", "{k[}", "{kv", "[v",
    };
    struct fixture *f = *state;
    struct json *j = &f->json;
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
        text_clear(&f->text);
        json_init(j, &f->text);
        for (const char *c = mistakes[i]; *c != '\0'; c++) {
            if (*c == '{')
                json_object_begin(j);
            else if (*c == '}')
                json_object_end(j);
            else if (*c == '[')
                json_array_begin(j);
            else if (*c == ']')
                json_array_end(j);
            else if (*c == 'k')
                json_key(j, "k");
            else
                json_uint(j, 1);
        }
        if (json_finish(j) != ERR_INVALID)
            fail_msg("%s was not seen", mistakes[i]);
    }
}

static void json__after_a_mistake__nothing_is_written(void **state)
{
    struct fixture *f = *state;
    json_object_begin(&f->json);
    json_uint(&f->json, 1);
    json_key(&f->json, "k");
    json_uint(&f->json, 2);
    json_object_end(&f->json);
    assert_int_equal(json_finish(&f->json), ERR_INVALID);
    assert_string_equal(text_string(&f->text), "{");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(json__status__is_written_as_nested, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json__scalar__may_stand_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json__special_characters__are_escaped, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(json__key__is_escaped_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json__utf8__is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json__not_utf8__is_written_octet_by_octet, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(json__depth__is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json__full_text__is_an_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json__mistakes__are_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json__after_a_mistake__nothing_is_written, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
