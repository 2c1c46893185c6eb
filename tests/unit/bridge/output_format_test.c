/* SPDX-License-Identifier: MIT */
/* output_format_test.c - what stands around a message, and what is done to it, for each kind
 * of output.
 */
#include <stdlib.h>

#include "common/bridge/output_format.h"
#include "outlet.h"

/* The whole text of <b> under <config>; free() it. */
static char *text_of(const struct output_config *config, const struct batch *b,
                     uint64_t *ret_records)
{
    struct output_format f;
    struct os_vec vec;
    size_t length = 0;
    char *text = calloc(1, 1);
    int r;

    assert_int_equal(output_format_init(&f, config), 0);
    output_format_begin(&f, b);
    while ((r = output_format_next(&f, &vec)) != 0) {
        if (r == ERR_FULL) {
            output_format_clear(&f);
            continue;
        }
        assert_int_equal(r, 1);
        text = realloc(text, length + vec.length + 1);
        assert_non_null(text);
        memcpy(text + length, vec.data, vec.length);
        length += vec.length;
        text[length] = '\0';
    }
    if (ret_records != NULL)
        *ret_records = f.records;
    output_format_release(&f);
    return text;
}

static void assert_text(const struct output_config *config, const struct line *lines,
                        size_t count, const char *wanted)
{
    struct batch *b = make_batch(lines, count);
    char *text = text_of(config, b, NULL);

    assert_string_equal(text, wanted);
    free(text);
    batch_unref(b);
}

static void output_format__plain_lines__are_the_payload_itself(void **state)
{
    (void)state;
    const struct output_config config = {.escape = true};
    const struct line lines[] = {{FROM_LAN, "<13>one", 0}, {FROM_LOCAL, "two", 0}};
    struct batch *b = make_batch(lines, COUNT(lines));
    struct batch_part parts[2];
    struct output_format f;
    struct os_vec vec;

    batch_parts(b, parts);
    assert_int_equal(output_format_init(&f, &config), 0);
    output_format_begin(&f, b);
    assert_int_equal(output_format_next(&f, &vec), 1);
    assert_ptr_equal(vec.data, parts[1].data);
    assert_int_equal(vec.length, strlen("<13>one\ntwo\n"));
    assert_int_equal(f.records, 2);
    assert_int_equal(f.bytes, strlen("<13>onetwo"));
    assert_int_equal(output_format_next(&f, &vec), 0);
    output_format_release(&f);
    batch_unref(b);
}

static void output_format__lf_and_nul__are_escaped(void **state)
{
    (void)state;
    const struct output_config config = {.escape = true};
    const struct line lines[] = {{FROM_LAN, "a\nb\0c", 5}, {FROM_LAN, "plain", 0}};

    assert_text(&config, lines, COUNT(lines), "a#012b#000c\nplain\n");
}

static void output_format__no_escape__lf_is_written_as_it_is(void **state)
{
    (void)state;
    const struct output_config config = {.escape = false};
    const struct line lines[] = {{FROM_LAN, "a\nb", 0}};

    assert_text(&config, lines, COUNT(lines), "a\nb\n");
}

static void output_format__octet_framing__counts_and_never_escapes(void **state)
{
    (void)state;
    const struct output_config config = {.escape = true, .framing = OUTPUT_OCTET};
    const struct line lines[] = {{FROM_LAN, "a\nb", 0}, {FROM_LAN, "0123456789", 0}};

    assert_text(&config, lines, COUNT(lines), "3 a\nb10 0123456789");
}

static void output_format__prefix__says_who_and_how(void **state)
{
    (void)state;
    const struct output_config config = {.escape = true, .prefix = PREFIX_SOURCE};
    const struct line lines[] = {{FROM_LAN, "<13>a\nb", 0}, {FROM_LOCAL, "c", 0}};

    assert_text(&config, lines, COUNT(lines), "192.0.2.7:40123 udp <13>a#012b\nlocal unix c\n");
}

static void output_format__prefix_in_octet_framing__is_counted(void **state)
{
    (void)state;
    const struct output_config config = {.framing = OUTPUT_OCTET, .prefix = PREFIX_SOURCE};
    const struct line lines[] = {{FROM_LOCAL, "abc", 0}};

    assert_text(&config, lines, COUNT(lines), "14 local unix abc");
}

static void output_format__inputs__choose_the_records(void **state)
{
    (void)state;
    const struct output_config config = {.inputs = {"local"}, .input_count = 1};
    const struct line lines[] = {{FROM_LAN, "no", 0},
                                 {FROM_LOCAL, "yes", 0},
                                 {FROM_LAN, "no", 0},
                                 {FROM_LOCAL, "too", 0}};

    assert_text(&config, lines, COUNT(lines), "yes\ntoo\n");
}

static void output_format__nothing_wanted__is_no_text(void **state)
{
    (void)state;
    const struct output_config config = {.inputs = {"other"}, .input_count = 1};
    const struct line lines[] = {{FROM_LAN, "no", 0}};

    assert_text(&config, lines, COUNT(lines), "");
}

static void output_format__more_than_the_room__comes_in_whole_records(void **state)
{
    (void)state;
    enum { RECORDS = 8000, LENGTH = 30 };
    const struct output_config config = {.framing = OUTPUT_OCTET};
    struct batch *b = make_numbered(0, RECORDS, LENGTH);
    uint64_t records;
    char *text = text_of(&config, b, &records);

    assert_int_equal(records, RECORDS);
    assert_true(strlen(text) > OUTPUT_ROOM_BYTES);
    assert_int_equal(strlen(text), RECORDS * (strlen("30 ") + LENGTH));
    for (size_t i = 0; i < RECORDS; i++) {
        const char *at = text + i * (strlen("30 ") + LENGTH);
        assert_memory_equal(at, "30 <13>", 7);
        assert_int_equal(number_of(at + strlen("30 ")), i);
    }
    free(text);
    batch_unref(b);
}

static void output_format__record_larger_than_the_room__gets_more(void **state)
{
    (void)state;
    enum { LENGTH = 300 * 1000 };
    const struct output_config config = {.escape = true};
    char *data = calloc(LENGTH, 1); /* NULs: four times as long when escaped */
    assert_non_null(data);
    const struct line lines[] = {{FROM_LAN, "before", 0}, {FROM_LAN, data, LENGTH}};
    struct batch *b = make_batch(lines, COUNT(lines));
    char *text = text_of(&config, b, NULL);

    assert_int_equal(strlen(text), strlen("before\n") + 4 * LENGTH + 1);
    assert_memory_equal(text, "before\n#000#000", 15);
    free(text);
    free(data);
    batch_unref(b);
}

static void output_wants__name__must_match_whole(void **state)
{
    (void)state;
    const struct output_config config = {.inputs = {"lan"}, .input_count = 1};
    const struct output_config all = {.input_count = 0};

    assert_true(output_wants(&config, "lan", 3));
    assert_false(output_wants(&config, "lan2", 4));
    assert_false(output_wants(&config, "la", 2));
    assert_true(output_wants(&all, "anything", 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_format__plain_lines__are_the_payload_itself),
        cmocka_unit_test(output_format__lf_and_nul__are_escaped),
        cmocka_unit_test(output_format__no_escape__lf_is_written_as_it_is),
        cmocka_unit_test(output_format__octet_framing__counts_and_never_escapes),
        cmocka_unit_test(output_format__prefix__says_who_and_how),
        cmocka_unit_test(output_format__prefix_in_octet_framing__is_counted),
        cmocka_unit_test(output_format__inputs__choose_the_records),
        cmocka_unit_test(output_format__nothing_wanted__is_no_text),
        cmocka_unit_test(output_format__more_than_the_room__comes_in_whole_records),
        cmocka_unit_test(output_format__record_larger_than_the_room__gets_more),
        cmocka_unit_test(output_wants__name__must_match_whole),
    };
    return RUN_TESTS(tests);
}
