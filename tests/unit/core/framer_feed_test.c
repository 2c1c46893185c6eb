/* SPDX-License-Identifier: MIT */
/* framer_feed_test.c - what is held between reads: undecided octets, settling, memory, cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/core/err.h"
#include "common/core/framer.h"
#include "common/core/record.h"

enum {
    UNTERMINATED = RECORD_UNTERMINATED,
    BINARY = RECORD_BINARY,
};

#define OCTETS(text) (text), sizeof(text) - 1

/* The linker puts these in the place of the library's: the allocation after so many fails. */
static int allocations_left = -1;

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left -= allocations_left > 0;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left -= allocations_left > 0;
    return __real_realloc(memory, size);
}

/* ---- Undecided. -------------------------------------------------------------------------- */

static struct framer *framer_with(const char *octets, size_t length, bool multi_line)
{
    struct framer_options options = {.max_message = MESSAGE_MAX_DEFAULT,
                                     .multi_line = multi_line};
    struct framer *f = framer_new(&options);
    struct framed m;

    assert_non_null(f);
    framer_feed(f, (const uint8_t *)octets, length);
    assert_int_equal(framer_next(f, &m), 0);
    return f;
}

static void expect_undecided(const char *octets, size_t length, bool multi_line,
                             bool is_undecided)
{
    struct framer *f = framer_with(octets, length, multi_line);

    assert_int_equal(framer_is_undecided(f), is_undecided);
    framer_free(f);
}

static void undecided__beginnings_of_shapes__are(void **state)
{
    (void)state;
    expect_undecided(OCTETS("1"), false, true);
    expect_undecided(OCTETS("123456789"), false, false); /* above max_frame already */
    expect_undecided(OCTETS("1048576"), false, true);
    expect_undecided(OCTETS("12 "), false, true);
    expect_undecided(OCTETS("12 \xEF\xBB"), false, true);
    expect_undecided(OCTETS("12 <13"), false, true);
    expect_undecided(OCTETS("<1"), false, true);
    expect_undecided(OCTETS("\xEF"), false, true);
    expect_undecided(OCTETS("\x16\x03"), false, true);
    expect_undecided(OCTETS("   "), false, true);
    expect_undecided(OCTETS("<13>a\0"), false, true);
    expect_undecided(OCTETS("<13>a\0\r1"), false, true);
    expect_undecided(OCTETS("<13>a\n"), true, true);
}

static void undecided__open_lines_and_frames__are_not(void **state)
{
    (void)state;
    expect_undecided(OCTETS(""), false, false);
    expect_undecided(OCTETS("\n\0\r"), false, false);
    expect_undecided(OCTETS("<13>a"), false, false);
    expect_undecided(OCTETS("<13>a\r"), false, false);
    expect_undecided(OCTETS("<13>a <1"), false, false);
    expect_undecided(OCTETS("12 <13>a"), false, false);
    expect_undecided(OCTETS("1234567890"), false, false);
}

static void expect_next(struct framer *f, const char *text, size_t length, unsigned flags)
{
    struct framed m;

    assert_int_equal(framer_next(f, &m), 1);
    assert_int_equal(m.length, length);
    assert_memory_equal(m.data, text, length);
    assert_int_equal(m.flags, flags);
}

static void settle__count_without_its_pri__is_text_of_an_open_line(void **state)
{
    struct framer *f = framer_with(OCTETS("9 <1"), false);
    struct framed m;

    (void)state;
    framer_settle(f);
    assert_int_equal(framer_next(f, &m), 0);
    assert_false(framer_is_undecided(f));
    framer_feed(f, (const uint8_t *)"3>a\n", 4);
    expect_next(f, OCTETS("9 <13>a"), 0);
    assert_int_equal(framer_next(f, &m), 0);
    framer_free(f);
}

static void settle__nul_at_the_end_of_what_came__ends_the_line(void **state)
{
    struct framer *f = framer_with(OCTETS("<13>a\0\0"), false);
    struct framed m;

    (void)state;
    framer_settle(f);
    expect_next(f, OCTETS("<13>a"), 0);
    assert_int_equal(framer_next(f, &m), 0);
    assert_int_equal(framer_counters(f)->framing_padding, 1);
    framer_free(f);
}

static void settle__lf_with_multi_line__ends_the_line(void **state)
{
    struct framer *f = framer_with(OCTETS("<13>a\r\n"), true);

    (void)state;
    framer_settle(f);
    expect_next(f, OCTETS("<13>a"), 0);
    framer_free(f);
}

static void settle__nul_before_half_a_pri__is_text(void **state)
{
    struct framer *f = framer_with(OCTETS("<13>a\0<1"), false);
    struct framed m;

    (void)state;
    framer_settle(f);
    assert_int_equal(framer_next(f, &m), 0);
    framer_end(f);
    expect_next(f, OCTETS("<13>a\0<1"), UNTERMINATED | BINARY);
    assert_int_equal(framer_next(f, &m), 0);
    framer_free(f);
}

static void settle__half_a_tls_record__is_text(void **state)
{
    struct framer *f = framer_with(OCTETS("\x16"), false);
    struct framed m;

    (void)state;
    framer_settle(f);
    assert_int_equal(framer_next(f, &m), 0);
    framer_feed(f, (const uint8_t *)"\x03\x01\n", 3);
    expect_next(f, OCTETS("\x16\x03\x01"), 0);
    framer_free(f);
}

/* ---- Cost. ------------------------------------------------------------------------------- */

static void line__whole_in_what_was_fed__is_not_copied(void **state)
{
    static const char stream[] = "<13>a\r\n5 <13>b<13>c\0<13>d\n";
    struct framer_options options = {.max_message = MESSAGE_MAX_DEFAULT};
    struct framer *f = framer_new(&options);
    struct framed m;

    (void)state;
    assert_non_null(f);
    framer_feed(f, (const uint8_t *)stream, sizeof(stream) - 1);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(framer_next(f, &m), 1);
        assert_true((const char *)m.data >= stream &&
                    (const char *)m.data < stream + sizeof(stream));
    }
    framer_free(f);
}

/* A repeated search over what is held would make this 2^40 octets of work, and time out. */
static void octet_by_octet__a_million_octets__is_linear(void **state)
{
    enum { OCTETS_FED = 1024 * 1024 };
    static const char *const fills[] = {"a", "\0", "<", "7", "\xEF", " "};
    struct framed m;

    (void)state;
    for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
        struct framer_options options = {.max_message = MESSAGE_MAX_LIMIT,
                                         .framing = i % 2 ? FRAMING_AUTO : FRAMING_OCTET};
        struct framer *f = framer_new(&options);
        assert_non_null(f);
        framer_feed(f, (const uint8_t *)"x", 1);
        assert_int_equal(framer_next(f, &m), 0);
        for (size_t k = 1; k < OCTETS_FED; k++) {
            framer_feed(f, (const uint8_t *)fills[i], 1);
            assert_int_equal(framer_next(f, &m), 0);
        }
        framer_feed(f, (const uint8_t *)"!\n", 2);
        assert_int_equal(framer_next(f, &m), 1);
        assert_int_equal(m.orig_length, OCTETS_FED + 1);
        framer_free(f);
    }
}

static void release_idle__message_held__keeps_it(void **state)
{
    struct framer *f = framer_with(OCTETS("<13>ab"), false);
    struct framed m;

    (void)state;
    framer_release_idle(f);
    framer_feed(f, (const uint8_t *)"c\n", 2);
    expect_next(f, OCTETS("<13>abc"), 0);
    assert_int_equal(framer_next(f, &m), 0);
    framer_release_idle(f);
    framer_feed(f, (const uint8_t *)"<13>d\n", 6);
    expect_next(f, OCTETS("<13>d"), 0);
    framer_free(f);
}

/* ---- Memory. ----------------------------------------------------------------------------- */

static void new__no_memory__is_null(void **state)
{
    struct framer_options options = {.max_message = MESSAGE_MAX_DEFAULT};

    (void)state;
    allocations_left = 0;
    assert_null(framer_new(&options));
    allocations_left = -1;
}

static void next__no_memory_to_hold_a_line__is_an_error_for_good(void **state)
{
    static const char *const streams[] = {"<13>a", "30 <13>a", "12345678901", "  a", "<13>a\n"};
    struct framed m;

    (void)state;
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
        struct framer_options options = {.max_message = MESSAGE_MAX_DEFAULT,
                                         .multi_line = true};
        struct framer *f = framer_new(&options);
        assert_non_null(f);
        allocations_left = 0;
        framer_feed(f, (const uint8_t *)streams[i], strlen(streams[i]));
        assert_int_equal(framer_next(f, &m), ERR_NO_MEMORY);
        allocations_left = -1;
        framer_feed(f, (const uint8_t *)"<13>b\n", 6);
        assert_int_equal(framer_next(f, &m), ERR_NO_MEMORY);
        framer_free(f);
    }
}

/* Reads that end within lines use the memory that the first of them took. */
static void next__many_cut_lines__allocate_once(void **state)
{
    struct framer *f = framer_with(OCTETS("<13>a"), false);
    struct framed m;

    (void)state;
    allocations_left = 0;
    for (int i = 0; i < 1000; i++) {
        framer_feed(f, (const uint8_t *)"\n<13>a", 6);
        expect_next(f, OCTETS("<13>a"), 0);
        assert_int_equal(framer_next(f, &m), 0);
    }
    allocations_left = -1;
    framer_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undecided__beginnings_of_shapes__are),
        cmocka_unit_test(undecided__open_lines_and_frames__are_not),
        cmocka_unit_test(settle__count_without_its_pri__is_text_of_an_open_line),
        cmocka_unit_test(settle__nul_at_the_end_of_what_came__ends_the_line),
        cmocka_unit_test(settle__lf_with_multi_line__ends_the_line),
        cmocka_unit_test(settle__nul_before_half_a_pri__is_text),
        cmocka_unit_test(settle__half_a_tls_record__is_text),
        cmocka_unit_test(line__whole_in_what_was_fed__is_not_copied),
        cmocka_unit_test(octet_by_octet__a_million_octets__is_linear),
        cmocka_unit_test(release_idle__message_held__keeps_it),
        cmocka_unit_test(new__no_memory__is_null),
        cmocka_unit_test(next__no_memory_to_hold_a_line__is_an_error_for_good),
        cmocka_unit_test(next__many_cut_lines__allocate_once),
    };

    return cmocka_run_group_tests_name("framer, between reads", tests, NULL, NULL);
}
