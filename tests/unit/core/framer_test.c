/* SPDX-License-Identifier: MIT */
/* framer_test.c - each framing rule by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/core/err.h"
#include "common/core/record.h"
#include "tests/support/framer_capture.h"

enum {
    DESYNC = RECORD_DESYNC,
    UNTERMINATED = RECORD_UNTERMINATED,
    TRUNCATED = RECORD_TRUNCATED,
    BINARY = RECORD_BINARY,
    EXPECTED_MAX = 8,
};

struct expected {
    const char *text;
    size_t length;
    unsigned flags;
    uint32_t orig_length; /* 0: the length */
};

struct script {
    struct framer_options options; /* max_message 0: 64 KiB */
    const char *stream;
    size_t length;
    struct expected messages[EXPECTED_MAX];
    bool is_closed;
    struct framer_counters counters; /* the octet accounts are not compared */
};

#define OCTETS(text) (text), sizeof(text) - 1
#define STREAM(text) .stream = (text), .length = sizeof(text) - 1
#define LINE(text)         \
    {                      \
        OCTETS(text), 0, 0 \
    }
#define FLAGGED(text, f)     \
    {                        \
        OCTETS(text), (f), 0 \
    }
#define HEAD(text, n)                \
    {                                \
        OCTETS(text), TRUNCATED, (n) \
    }

static void expect_counters(const struct framer_counters *want,
                            const struct framer_counters *got)
{
    assert_int_equal(want->framing_padding, got->framing_padding);
    assert_int_equal(want->framing_desync, got->framing_desync);
    assert_int_equal(want->frame_too_large, got->frame_too_large);
    assert_int_equal(want->frame_incomplete, got->frame_incomplete);
    assert_int_equal(want->truncated, got->truncated);
    assert_int_equal(want->empty, got->empty);
    assert_int_equal(want->bad_pri, got->bad_pri);
    assert_int_equal(want->tls_on_plain, got->tls_on_plain);
    assert_int_equal(want->foreign_protocol, got->foreign_protocol);
}

static void expect_message(const struct expected *want, const struct captured *got,
                           const uint8_t *octets)
{
    assert_int_equal(want->length, got->length);
    assert_memory_equal(want->text, octets, want->length);
    assert_int_equal(want->flags, got->flags);
    assert_int_equal(want->orig_length != 0 ? want->orig_length : want->length,
                     got->orig_length);
}

static void expect_cut(const struct script *s, const struct capture_cuts *cuts)
{
    struct framer_options options = s->options;
    struct capture c;
    size_t i = 0;

    if (options.max_message == 0)
        options.max_message = MESSAGE_MAX_DEFAULT;
    capture_stream(&c, &options, (const uint8_t *)s->stream, s->length, cuts);
    for (; i < c.count && i < EXPECTED_MAX && s->messages[i].text != NULL; i++)
        expect_message(&s->messages[i], &c.messages[i], c.octets + c.messages[i].offset);
    assert_int_equal(i, c.count);
    assert_true(i == EXPECTED_MAX || s->messages[i].text == NULL);
    assert_int_equal(s->is_closed, c.is_closed);
    expect_counters(&s->counters, &c.counters);
    capture_release(&c);
}

/* Whole, octet by octet, and cut at each place. */
static void expect(const struct script *s)
{
    static const size_t one = 1;

    expect_cut(s, &(struct capture_cuts){0});
    expect_cut(s, &(struct capture_cuts){.lengths = &one, .count = 1});
    for (size_t cut = 1; cut < s->length; cut++)
        expect_cut(s, &(struct capture_cuts){.lengths = (const size_t[]){cut, s->length - cut},
                                             .count = 2});
}

#define EXPECT(...) expect(&(const struct script){__VA_ARGS__})

/* ---- 1 ----------------------------------------------------------------------------------- */

static void between__lf_cr_nul__are_padding(void **state)
{
    (void)state;
    EXPECT(STREAM("\n\r\0<13>a\n\r\n\0\0<13>b\n"), .messages = {LINE("<13>a"), LINE("<13>b")},
           .counters = {.framing_padding = 7});
}

static void between__sp_before_pri_or_count__is_padding(void **state)
{
    (void)state;
    EXPECT(STREAM("  <13>a\n   5 <13>b"), .messages = {LINE("<13>a"), LINE("<13>b")},
           .counters = {.framing_padding = 5});
}

static void between__sp_before_anything_else__is_text(void **state)
{
    (void)state;
    EXPECT(STREAM("  a\n \n  <1\n "),
           .messages = {LINE("  a"), LINE(" "), LINE("  <1"), FLAGGED(" ", UNTERMINATED)});
}

static void between__more_sp_than_a_message_may_have__is_cut(void **state)
{
    (void)state;
    EXPECT(.options = {.max_message = 3}, STREAM("     a\n<1>\n"),
           .messages = {HEAD("   ", 6), LINE("<1>")}, .counters = {.truncated = 1});
}

/* ---- 2 ----------------------------------------------------------------------------------- */

static void counted__whatever_is_inside__stays(void **state)
{
    (void)state;
    EXPECT(STREAM("12 <13>\r\n\0<14>\n5 <13>x"),
           .messages = {FLAGGED("<13>\r\n\0<14>\n", BINARY), LINE("<13>x")});
}

static void counted__nine_digits__are_believed(void **state)
{
    (void)state;
    EXPECT(.options = {.max_frame = 999999999}, STREAM("999999999 <13>a\n"),
           .messages = {{OCTETS("<13>a\n"), TRUNCATED | BINARY, 999999999}},
           .counters = {.frame_incomplete = 1});
}

static void counted__max_frame_itself__is_believed(void **state)
{
    (void)state;
    EXPECT(.options = {.max_frame = 10}, STREAM("10 <13>012345"),
           .messages = {LINE("<13>012345")});
}

static void counted__no_more_than_a_pri__is_a_frame(void **state)
{
    (void)state;
    EXPECT(STREAM("4 <13>7 \xEF\xBB\xBF<13>"),
           .messages = {LINE("<13>"), LINE("\xEF\xBB\xBF<13>")});
}

static void count__shorter_than_its_pri__is_text(void **state)
{
    (void)state;
    EXPECT(STREAM("3 <13>a\n6 \xEF\xBB\xBF<13>a\n"),
           .messages = {LINE("3 <13>a"), LINE("6 \xEF\xBB\xBF<13>a")});
}

static void count__with_zero_two_sp_or_no_pri__is_text(void **state)
{
    (void)state;
    EXPECT(STREAM("05 <13>a\n5  <13>a\n5<13>a\n5 <1234>a\n5 a<13>\n"),
           .messages = {LINE("05 <13>a"), LINE("5  <13>a"), LINE("5<13>a"), LINE("5 <1234>a"),
                        LINE("5 a<13>")});
}

/* ---- 3 ----------------------------------------------------------------------------------- */

static void line__cr_lf__takes_one_cr(void **state)
{
    (void)state;
    EXPECT(STREAM("<13>a\r\r\n<13>\rb\n"), .messages = {LINE("<13>a\r"), LINE("<13>\rb")});
}

static void line__nul_before_a_frame_an_lf_or_the_end__ends_it(void **state)
{
    (void)state;
    EXPECT(
        STREAM("<13>a\0<13>b\0\r\0005 <13>c<13>d\0\n<13>e\0\0"),
        .messages = {LINE("<13>a"), LINE("<13>b"), LINE("<13>c"), LINE("<13>d"), LINE("<13>e")},
        .counters = {.framing_padding = 4});
}

static void line__nul_before_anything_else__is_text(void **state)
{
    (void)state;
    EXPECT(STREAM("<13>a\0b\0\r\0 <13>c\0<1\n"),
           .messages = {FLAGGED("<13>a\0b\0\r\0 <13>c\0<1", BINARY)});
}

static void multi_line__lf_before_a_frame_or_the_end__ends_it(void **state)
{
    (void)state;
    EXPECT(.options = {.multi_line = true},
           STREAM("<13>a\n at b\r\n\n c\r\n\r\n<13>d\n5 <13>e<13>f\nx\n"),
           .messages = {FLAGGED("<13>a\n at b\r\n\n c", BINARY), LINE("<13>d"), LINE("<13>e"),
                        FLAGGED("<13>f\nx", BINARY)},
           .counters = {.framing_padding = 2});
}

static void multi_line__lf_before_a_nul__is_text(void **state)
{
    (void)state;
    EXPECT(.options = {.multi_line = true}, STREAM("<13>a\n\0<13>b\0\nc\n"),
           .messages = {FLAGGED("<13>a\n", BINARY), LINE("<13>b"), LINE("c")},
           .counters = {.framing_padding = 1});
}

static void line__ten_digits_sp_pri__is_text_and_counts(void **state)
{
    (void)state;
    EXPECT(STREAM("1234567890 <13>a\n12345678901234567890123 <13>b\n"),
           .messages = {LINE("1234567890 <13>a"), LINE("12345678901234567890123 <13>b")},
           .counters = {.frame_too_large = 2});
}

static void line__count_above_max_frame__is_text_and_counts(void **state)
{
    (void)state;
    EXPECT(STREAM("10485761 <13>a\n"), .messages = {LINE("10485761 <13>a")},
           .counters = {.frame_too_large = 1});
    EXPECT(.options = {.max_frame = 10}, STREAM("11 <13>0123456\n"),
           .messages = {LINE("11 <13>0123456")}, .counters = {.frame_too_large = 1});
}

static void line__many_digits_without_sp_and_pri__counts_nothing(void **state)
{
    (void)state;
    EXPECT(STREAM("1234567890<13>\n1234567890 <\n 1234567890 <13>\n1234567890"),
           .messages = {LINE("1234567890<13>"), LINE("1234567890 <"), LINE(" 1234567890 <13>"),
                        FLAGGED("1234567890", UNTERMINATED)});
}

/* ---- 4 ----------------------------------------------------------------------------------- */

static void line__of_the_limit_with_cr_lf__is_whole(void **state)
{
    (void)state;
    EXPECT(.options = {.max_message = 5}, STREAM("<13>a\r\n<13>ab\r\n<13>b"),
           .messages = {LINE("<13>a"), HEAD("<13>a", 6), FLAGGED("<13>b", UNTERMINATED)},
           .counters = {.truncated = 1});
}

static void line__above_the_limit__is_passed_over_to_its_end(void **state)
{
    (void)state;
    EXPECT(.options = {.max_message = 4}, STREAM("<13>a\0b\0c\0<14>x\n"),
           .messages = {HEAD("<13>", 9), HEAD("<14>", 5)}, .counters = {.truncated = 2});
}

static void counted__above_the_limit__is_passed_over_by_its_count(void **state)
{
    (void)state;
    EXPECT(.options = {.max_message = 4}, STREAM("9 <13>a\n<1>4 <14>"),
           .messages = {HEAD("<13>", 9), LINE("<14>")}, .counters = {.truncated = 1});
}

static void counted__above_the_limit_and_incomplete__counts_both(void **state)
{
    (void)state;
    EXPECT(.options = {.max_message = 4}, STREAM("9 <13>ab"), .messages = {HEAD("<13>", 9)},
           .counters = {.truncated = 1, .frame_incomplete = 1});
}

/* ---- 5 ----------------------------------------------------------------------------------- */

static void desync__text_after_a_count__is_a_left_over(void **state)
{
    (void)state;
    EXPECT(STREAM("5 <13>abc\n<13>d\n"),
           .messages = {LINE("<13>a"), FLAGGED("bc", DESYNC), LINE("<13>d")},
           .counters = {.framing_desync = 1});
}

static void desync__pri_after_a_count__is_none(void **state)
{
    (void)state;
    EXPECT(STREAM("5 <13>a\n <14>b<15>c\n"), .messages = {LINE("<13>a"), LINE("<14>b<15>c")},
           .counters = {.framing_padding = 2});
}

static void desync__pri_in_a_line__begins_the_next(void **state)
{
    (void)state;
    EXPECT(STREAM("5 <13>abc<14>d<15>e\n<16>f<17>\n"),
           .messages = {LINE("<13>a"), FLAGGED("bc", DESYNC), LINE("<14>d"), LINE("<15>e"),
                        LINE("<16>f<17>")},
           .counters = {.framing_desync = 1});
}

static void desync__count_in_a_line__begins_a_frame(void **state)
{
    (void)state;
    EXPECT(STREAM("5 <13>abc12 <14>01234567<15>e<16>\n"),
           .messages = {LINE("<13>a"), FLAGGED("bc", DESYNC), LINE("<14>01234567"),
                        LINE("<15>e<16>")},
           .counters = {.framing_desync = 1});
}

static void desync__count_behind_a_digit__is_none(void **state)
{
    (void)state;
    EXPECT(STREAM("5 <13>ab05 <14>xyz\n"),
           .messages = {LINE("<13>a"), FLAGGED("b05 ", DESYNC), LINE("<14>xyz")},
           .counters = {.framing_desync = 1});
}

static void desync__nul_before_a_frame__is_over(void **state)
{
    (void)state;
    EXPECT(STREAM("5 <13>ab\0c\0<14>d<15>e\n"),
           .messages = {LINE("<13>a"), FLAGGED("b\0c", DESYNC | BINARY), LINE("<14>d<15>e")},
           .counters = {.framing_desync = 1});
}

static void desync__oversize_left_over__counts_and_ends_before_its_pri(void **state)
{
    (void)state;
    EXPECT(STREAM("5 <13>a1234567890 <14>b\n"),
           .messages = {LINE("<13>a"), FLAGGED("1234567890 ", DESYNC), LINE("<14>b")},
           .counters = {.framing_desync = 1, .frame_too_large = 1});
}

/* ---- 6 ----------------------------------------------------------------------------------- */

static void end__in_a_line__is_unterminated(void **state)
{
    (void)state;
    EXPECT(STREAM("<13>a\r"), .messages = {FLAGGED("<13>a\r", UNTERMINATED)});
    EXPECT(STREAM("12"), .messages = {FLAGGED("12", UNTERMINATED)});
    EXPECT(STREAM("12345678901 "), .messages = {FLAGGED("12345678901 ", UNTERMINATED)});
}

static void end__in_a_counted_frame__is_incomplete(void **state)
{
    (void)state;
    EXPECT(STREAM("9 <13>a\n"), .messages = {{OCTETS("<13>a\n"), TRUNCATED | BINARY, 9}},
           .counters = {.frame_incomplete = 1});
}

static void end__of_nothing__gives_nothing(void **state)
{
    (void)state;
    EXPECT(.stream = "", .length = 0);
    EXPECT(STREAM("\n"), .counters = {.framing_padding = 1});
}

/* ---- 8 ----------------------------------------------------------------------------------- */

static void tls__at_the_start__closes(void **state)
{
    (void)state;
    EXPECT(STREAM("\x16\x03\x04<13>a\n"), .is_closed = true, .counters = {.tls_on_plain = 1});
    EXPECT(STREAM("\x16\x03\x00"), .is_closed = true, .counters = {.tls_on_plain = 1});
}

static void tls__later_or_another_version__is_text(void **state)
{
    (void)state;
    EXPECT(STREAM("\x16\x03\x05\n\x16\x03\x01\n"),
           .messages = {LINE("\x16\x03\x05"), LINE("\x16\x03\x01")});
    EXPECT(STREAM("\x16\x03"), .messages = {FLAGGED("\x16\x03", UNTERMINATED)});
}

static void http__each_method__closes(void **state)
{
    static const char *const requests[] = {
        "GET / HTTP/1.1\n",   "HEAD  HTTP/1.0\n",   "POST / HTTP/1.1",      "PUT / HTTP/1\n",
        "DELETE / HTTP/1\n",  "OPTIONS * HTTP/1\n", "CONNECT a:1 HTTP/1\n", "PATCH / HTTP/1\n",
        "TRACE / HTTP/1.1\n", "PRI * HTTP/2.0\n",   "GET HTTP/1\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        EXPECT(.stream = requests[i], .length = strlen(requests[i]), .is_closed = true,
               .counters = {.foreign_protocol = 1});
}

static void http__not_quite_or_not_first__is_text(void **state)
{
    (void)state;
    EXPECT(STREAM("GET / HTTP/x\nGET / HTTP/1.1\n"),
           .messages = {LINE("GET / HTTP/x"), LINE("GET / HTTP/1.1")});
    EXPECT(STREAM("GETS HTTP/1\n"), .messages = {LINE("GETS HTTP/1")});
    EXPECT(STREAM("get / HTTP/1\n"), .messages = {LINE("get / HTTP/1")});
    EXPECT(STREAM("GET /\n HTTP/1\n"), .messages = {LINE("GET /"), LINE(" HTTP/1")});
}

static void closed__later_calls__give_the_error_again(void **state)
{
    struct framer_options options = {.max_message = MESSAGE_MAX_DEFAULT};
    struct framer *f = framer_new(&options);
    struct framed m;

    (void)state;
    assert_non_null(f);
    framer_feed(f, (const uint8_t *)"\x16\x03\x01", 3);
    assert_int_equal(framer_next(f, &m), ERR_PROTOCOL);
    assert_false(framer_is_undecided(f));
    assert_int_equal(framer_next(f, &m), ERR_PROTOCOL);
    framer_end(f);
    assert_int_equal(framer_next(f, &m), ERR_PROTOCOL);
    framer_free(f);
}

/* ---- 9 ----------------------------------------------------------------------------------- */

static void pri__out_of_range_or_zero_padded__counts(void **state)
{
    (void)state;
    EXPECT(STREAM("<192>a\n5 <01>ab<13>\n<\n7<>\n\xEF\xBB\xBF<00>\n"),
           .messages = {LINE("<192>a"), LINE("<01>a"), FLAGGED("b", DESYNC), LINE("<13>"),
                        LINE("<"), LINE("7<>"), LINE("\xEF\xBB\xBF<00>")},
           .counters = {.bad_pri = 4, .framing_desync = 1});
}

/* ---- Other values of framing. ------------------------------------------------------------ */

static void framing_line__count_and_nul__are_text(void **state)
{
    (void)state;
    EXPECT(.options = {.framing = FRAMING_LINE},
           STREAM("\0 <13>a\0<14>b\r\n5 <13>c\n1234567890 <13>\n"),
           .messages = {FLAGGED("<13>a\0<14>b", BINARY), LINE("5 <13>c"),
                        LINE("1234567890 <13>")},
           .counters = {.framing_padding = 2});
}

static void framing_line__multi_line__ends_at_a_pri_only(void **state)
{
    (void)state;
    EXPECT(.options = {.framing = FRAMING_LINE, .multi_line = true},
           STREAM("<13>a\n5 <13>b\r\n<14>c\n"),
           .messages = {FLAGGED("<13>a\n5 <13>b", BINARY), LINE("<14>c")});
}

static void framing_nul__lf_and_cr__are_text(void **state)
{
    (void)state;
    EXPECT(.options = {.framing = FRAMING_NUL, .multi_line = true},
           STREAM("\0\0<13>a\r\n\0b\0\nc\r\0005 <13>d"),
           .messages = {FLAGGED("<13>a\r\n", BINARY), LINE("b"), FLAGGED("\nc\r", BINARY),
                        FLAGGED("5 <13>d", UNTERMINATED)},
           .counters = {.framing_padding = 2});
}

static void framing_octet__whatever_is_no_count__is_a_left_over(void **state)
{
    (void)state;
    EXPECT(.options = {.framing = FRAMING_OCTET}, STREAM("<13>a\n5 <13>b<14>c<15>d\n"),
           .messages = {FLAGGED("<13>a", DESYNC), LINE("<13>b"), FLAGGED("<14>c", DESYNC),
                        FLAGGED("<15>d", DESYNC)},
           .counters = {.framing_desync = 3});
}

static void framing_octet__count_in_a_left_over__begins_a_frame(void **state)
{
    (void)state;
    EXPECT(.options = {.framing = FRAMING_OCTET}, STREAM("abc5 <13>d"),
           .messages = {FLAGGED("abc", DESYNC), LINE("<13>d")},
           .counters = {.framing_desync = 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between__lf_cr_nul__are_padding),
        cmocka_unit_test(between__sp_before_pri_or_count__is_padding),
        cmocka_unit_test(between__sp_before_anything_else__is_text),
        cmocka_unit_test(between__more_sp_than_a_message_may_have__is_cut),
        cmocka_unit_test(counted__whatever_is_inside__stays),
        cmocka_unit_test(counted__nine_digits__are_believed),
        cmocka_unit_test(counted__max_frame_itself__is_believed),
        cmocka_unit_test(counted__no_more_than_a_pri__is_a_frame),
        cmocka_unit_test(count__shorter_than_its_pri__is_text),
        cmocka_unit_test(count__with_zero_two_sp_or_no_pri__is_text),
        cmocka_unit_test(line__cr_lf__takes_one_cr),
        cmocka_unit_test(line__nul_before_a_frame_an_lf_or_the_end__ends_it),
        cmocka_unit_test(line__nul_before_anything_else__is_text),
        cmocka_unit_test(multi_line__lf_before_a_frame_or_the_end__ends_it),
        cmocka_unit_test(multi_line__lf_before_a_nul__is_text),
        cmocka_unit_test(line__ten_digits_sp_pri__is_text_and_counts),
        cmocka_unit_test(line__count_above_max_frame__is_text_and_counts),
        cmocka_unit_test(line__many_digits_without_sp_and_pri__counts_nothing),
        cmocka_unit_test(line__of_the_limit_with_cr_lf__is_whole),
        cmocka_unit_test(line__above_the_limit__is_passed_over_to_its_end),
        cmocka_unit_test(counted__above_the_limit__is_passed_over_by_its_count),
        cmocka_unit_test(counted__above_the_limit_and_incomplete__counts_both),
        cmocka_unit_test(desync__text_after_a_count__is_a_left_over),
        cmocka_unit_test(desync__pri_after_a_count__is_none),
        cmocka_unit_test(desync__pri_in_a_line__begins_the_next),
        cmocka_unit_test(desync__count_in_a_line__begins_a_frame),
        cmocka_unit_test(desync__count_behind_a_digit__is_none),
        cmocka_unit_test(desync__nul_before_a_frame__is_over),
        cmocka_unit_test(desync__oversize_left_over__counts_and_ends_before_its_pri),
        cmocka_unit_test(end__in_a_line__is_unterminated),
        cmocka_unit_test(end__in_a_counted_frame__is_incomplete),
        cmocka_unit_test(end__of_nothing__gives_nothing),
        cmocka_unit_test(tls__at_the_start__closes),
        cmocka_unit_test(tls__later_or_another_version__is_text),
        cmocka_unit_test(http__each_method__closes),
        cmocka_unit_test(http__not_quite_or_not_first__is_text),
        cmocka_unit_test(closed__later_calls__give_the_error_again),
        cmocka_unit_test(pri__out_of_range_or_zero_padded__counts),
        cmocka_unit_test(framing_line__count_and_nul__are_text),
        cmocka_unit_test(framing_line__multi_line__ends_at_a_pri_only),
        cmocka_unit_test(framing_nul__lf_and_cr__are_text),
        cmocka_unit_test(framing_octet__whatever_is_no_count__is_a_left_over),
        cmocka_unit_test(framing_octet__count_in_a_left_over__begins_a_frame),
    };

    return cmocka_run_group_tests_name("framer", tests, NULL, NULL);
}
