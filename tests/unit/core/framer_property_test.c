/* SPDX-License-Identifier: MIT */
/* framer_property_test.c - random streams: the framer against the plain rules, however cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/core/record.h"
#include "tests/support/framer_capture.h"

enum {
    STREAMS = 20000,
    STREAM_OCTETS = 240, /* all cuts in two are tried of each tenth stream */
    READS = 5,
};

/* What syslog streams and their accidents are made of. */
static const struct token {
    const char *text;
    size_t length;
} tokens[] = {
#define TOKEN(text)            \
    {                          \
        text, sizeof(text) - 1 \
    }
    TOKEN("\n"),
    TOKEN("\r\n"),
    TOKEN("\r"),
    TOKEN("\0"),
    TOKEN("\0\0"),
    TOKEN(" "),
    TOKEN("  "),
    TOKEN("<13>"),
    TOKEN("<191>"),
    TOKEN("<192>"),
    TOKEN("<013>"),
    TOKEN("<1"),
    TOKEN("<"),
    TOKEN(">"),
    TOKEN("<>"),
    TOKEN("<1234>"),
    TOKEN("\xEF\xBB\xBF"),
    TOKEN("\xEF\xBB"),
    TOKEN("\xEF"),
    TOKEN("a"),
    TOKEN("text "),
    TOKEN("1"),
    TOKEN("2"),
    TOKEN("10"),
    TOKEN("0"),
    TOKEN("7 <13>abc"),
    TOKEN("12 <13>hello 12"),
    TOKEN("4 <13>"),
    TOKEN("3 <13>"),
    TOKEN("9 <13>"),
    TOKEN("6 <13>\n\0"),
    TOKEN("999 <13>"),
    TOKEN("123456789 <1>"),
    TOKEN("1234567890 <1>"),
    TOKEN("12345678901 "),
    TOKEN("9 \xEF\xBB\xBF<1>ab"),
    TOKEN("7 "),
    TOKEN("\n<14>"),
    TOKEN("\0<14>"),
    TOKEN("\0\n"),
    TOKEN("\n\n"),
    TOKEN("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
#undef TOKEN
};

/* What may stand at the start of a connection. */
static const struct token openings[] = {
    {"", 0},
    {"", 0},
    {"", 0},
    {"\x16\x03\x01", 3},
    {"\x16\x03\x05", 3},
    {"\x16\x03", 2},
    {"\x16", 1},
    {"GET / HTTP/1.1", 14},
    {"PUT ", 4},
    {"PRI * HTTP/2.0\r\n", 16},
    {"POST /x HTTP/", 13},
    {"GET  HTTP/x", 11},
};

struct fixture {
    uint64_t state; /* of the generator, splitmix64 */
    uint8_t data[STREAM_OCTETS + 64];
    size_t length;
    struct framer_options options;
};

static uint32_t pick(struct fixture *x, uint32_t below)
{
    uint64_t z = (x->state += 0x9E3779B97F4A7C15u);

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) % below);
}

static void append(struct fixture *x, const struct token *t)
{
    memcpy(x->data + x->length, t->text, t->length);
    x->length += t->length;
}

static void make_stream(struct fixture *x)
{
    static const uint32_t limits[] = {1, 3, 8, 20, 4096};
    static const uint32_t frames[] = {0, 0, 10, 200, 5};
    size_t aim = 1 + pick(x, STREAM_OCTETS);
    /* Few kinds of token in one stream make the rare sequences likely. */
    uint32_t kinds = 2 + pick(x, 10);
    uint32_t chosen[12];

    x->options = (struct framer_options){.framing = (enum framing)pick(x, 4),
                                         .multi_line = pick(x, 3) == 0,
                                         .max_message = limits[pick(x, 5)],
                                         .max_frame = frames[pick(x, 5)]};
    x->length = 0;
    for (uint32_t i = 0; i < kinds; i++)
        chosen[i] = pick(x, sizeof(tokens) / sizeof(tokens[0]));
    append(x, &openings[pick(x, sizeof(openings) / sizeof(openings[0]))]);
    while (x->length < aim)
        append(x, &tokens[chosen[pick(x, kinds)]]);
}

static int setup(void **state)
{
    static struct fixture x;
    const char *seed = getenv("HVLOG_TEST_SEED");

    x.state = seed != NULL ? strtoull(seed, NULL, 10) : 20261130;
    print_message("seed %llu (HVLOG_TEST_SEED)\n", (unsigned long long)x.state);
    *state = &x;
    return 0;
}

static void show(const struct fixture *x, const struct capture *c, const char *who)
{
    print_error("%s: framing %d multi_line %d max_message %u max_frame %u closed %d\n", who,
                (int)x->options.framing, x->options.multi_line, x->options.max_message,
                x->options.max_frame, c->is_closed);
    for (size_t i = 0; i < c->count; i++) {
        print_error("  flags %u orig %u: ", c->messages[i].flags, c->messages[i].orig_length);
        for (size_t k = 0; k < c->messages[i].length; k++)
            print_error("%02x", c->octets[c->messages[i].offset + k]);
        print_error("\n");
    }
    for (size_t i = 0; i < sizeof(c->counters) / sizeof(uint64_t); i++)
        print_error(" %llu", (unsigned long long)((const uint64_t *)&c->counters)[i]);
    print_error("\n");
}

static void expect_equal(const struct fixture *x, const struct capture *want,
                         const struct capture *got)
{
    if (capture_is_equal(want, got))
        return;
    print_error("stream: ");
    for (size_t i = 0; i < x->length; i++)
        print_error("%02x", x->data[i]);
    print_error("\n");
    show(x, want, "rules");
    show(x, got, "framer");
    fail_msg("the framer does not do what the rules say");
}

static void expect_stream(const struct fixture *x, const struct capture *want,
                          const struct capture_cuts *cuts)
{
    struct capture got;

    capture_stream(&got, &x->options, x->data, x->length, cuts);
    expect_equal(x, want, &got);
    assert_true(capture_is_balanced(&got, x->length));
    capture_release(&got);
}

static void framer__random_streams__follow_the_rules_however_cut(void **state)
{
    static const size_t one = 1;
    struct fixture *x = *state;

    for (int i = 0; i < STREAMS; i++) {
        struct capture want;
        size_t reads[READS];

        make_stream(x);
        capture_reference(&want, &x->options, x->data, x->length);
        assert_true(capture_is_balanced(&want, x->length));
        for (size_t k = 0; k < READS; k++)
            reads[k] = 1 + pick(x, pick(x, 2) == 0 ? 4 : 60);
        expect_stream(x, &want, &(struct capture_cuts){0});
        expect_stream(x, &want, &(struct capture_cuts){.lengths = &one, .count = 1});
        expect_stream(x, &want, &(struct capture_cuts){.lengths = reads, .count = READS});
        for (size_t cut = 1; i % 10 == 0 && cut < x->length; cut++) {
            size_t halves[2] = {cut, x->length - cut};
            expect_stream(x, &want, &(struct capture_cuts){.lengths = halves, .count = 2});
        }
        capture_release(&want);
    }
}

/* A timeout may pass at any time; only where something hangs on it may it have an effect. */
static void framer__settled_when_nothing_is_undecided__changes_nothing(void **state)
{
    struct fixture *x = *state;

    for (int i = 0; i < STREAMS; i++) {
        struct capture want;
        size_t reads[READS];

        make_stream(x);
        capture_reference(&want, &x->options, x->data, x->length);
        for (size_t k = 0; k < READS; k++)
            reads[k] = 1 + pick(x, 12);
        expect_stream(
            x, &want,
            &(struct capture_cuts){.lengths = reads, .count = READS, .settles = true});
        capture_release(&want);
    }
}

/* To settle is to decide as if the stream had ended, but what is open stays open. */
static void framer__settled__gives_what_the_end_would_but_for_the_open_message(void **state)
{
    struct fixture *x = *state;

    for (int i = 0; i < STREAMS; i++) {
        struct capture want;
        struct capture got;
        size_t reads[READS];

        make_stream(x);
        x->options.max_message = 4096; /* so that the open message counts nothing else */
        capture_reference(&want, &x->options, x->data, x->length);
        for (size_t k = 0; k < READS; k++)
            reads[k] = 1 + pick(x, 12);
        capture_stream(
            &got, &x->options, x->data, x->length,
            &(struct capture_cuts){.lengths = reads, .count = READS, .stays_open = true});
        if (!want.is_closed) {
            capture_drop_last(&want);
            want.counters.bad_pri = got.counters.bad_pri; /* may be the open message's */
            expect_equal(x, &want, &got);
        }
        capture_release(&want);
        capture_release(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(framer__random_streams__follow_the_rules_however_cut),
        cmocka_unit_test(framer__settled_when_nothing_is_undecided__changes_nothing),
        cmocka_unit_test(framer__settled__gives_what_the_end_would_but_for_the_open_message),
    };

    return cmocka_run_group_tests_name("framer, random streams", tests, setup, NULL);
}
