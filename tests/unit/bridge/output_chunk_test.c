/* SPDX-License-Identifier: MIT */
/* output_chunk_test.c - several batches in one write, and where a short write leaves off. */
#include <stdlib.h>

#include "common/bridge/output_chunk.h"
#include "outlet.h"

static const struct output_config plain = {.escape = true};

/* Append what <c> still has to be written to <text>. */
static void rest_of(const struct output_chunk *c, char *text, size_t size)
{
    size_t length = 0;

    for (size_t i = c->first; i < c->count; i++) {
        assert_true(length + c->vecs[i].length < size);
        memcpy(text + length, c->vecs[i].data, c->vecs[i].length);
        length += c->vecs[i].length;
    }
    text[length] = '\0';
}

static void assert_rest(const struct output_chunk *c, const char *wanted)
{
    char text[256];

    rest_of(c, text, sizeof(text));
    assert_string_equal(text, wanted);
}

static struct queue_item item_of(uint64_t seq, const char *first, const char *second)
{
    const struct line lines[] = {{FROM_LAN, first, 0}, {FROM_LAN, second, 0}};

    return (struct queue_item){.seq = seq, .batch = make_batch(lines, second != NULL ? 2 : 1)};
}

static void output_chunk__two_batches__are_one_text_with_two_ends(void **state)
{
    (void)state;
    struct queue_item items[] = {item_of(7, "one", "two"), item_of(8, "three", NULL)};
    struct output_chunk c = {0};
    struct output_mark mark;

    assert_int_equal(output_chunk_init(&c, &plain), 0);
    assert_int_equal(output_chunk_fill(&c, items, 2), 0);
    assert_rest(&c, "one\ntwo\nthree\n");
    assert_int_equal(output_chunk_advance(&c, c.octets, &mark), 2);
    assert_int_equal(mark.seq, 8);
    assert_int_equal(mark.records, 3);
    assert_int_equal(mark.bytes, strlen("onetwothree"));
    assert_false(output_chunk_has_rest(&c));
    output_chunk_release(&c);
    batch_unref(items[0].batch);
    batch_unref(items[1].batch);
}

static void output_chunk__short_write__leaves_the_rest_and_ends_what_is_whole(void **state)
{
    (void)state;
    struct queue_item items[] = {item_of(7, "one", "two"), item_of(8, "three", NULL)};
    struct output_chunk c = {0};
    struct output_mark mark;

    assert_int_equal(output_chunk_init(&c, &plain), 0);
    assert_int_equal(output_chunk_fill(&c, items, 2), 0);
    assert_int_equal(output_chunk_advance(&c, 7, &mark), 0);
    assert_rest(&c, "\nthree\n");
    assert_int_equal(output_chunk_advance(&c, 3, &mark), 1);
    assert_int_equal(mark.seq, 7);
    assert_rest(&c, "ree\n");
    assert_int_equal(output_chunk_advance(&c, 4, &mark), 1);
    assert_int_equal(mark.seq, 8);
    assert_int_equal(mark.records, 1);
    output_chunk_release(&c);
    batch_unref(items[0].batch);
    batch_unref(items[1].batch);
}

static void output_chunk__back_to_line__repeats_the_torn_line_only(void **state)
{
    (void)state;
    struct queue_item items[] = {item_of(7, "one", "two"), item_of(8, "three", NULL)};
    struct output_chunk c = {0};
    struct output_mark mark;

    assert_int_equal(output_chunk_init(&c, &plain), 0);
    assert_int_equal(output_chunk_fill(&c, items, 2), 0);
    assert_int_equal(output_chunk_advance(&c, 6, &mark), 0);
    output_chunk_back_to_line(&c);
    assert_rest(&c, "two\nthree\n");
    assert_int_equal(output_chunk_advance(&c, 6, &mark), 1);
    output_chunk_back_to_line(&c);
    assert_rest(&c, "three\n");
    output_chunk_back_to_line(&c);
    assert_rest(&c, "three\n");
    assert_int_equal(output_chunk_advance(&c, 6, &mark), 1);
    output_chunk_release(&c);
    batch_unref(items[0].batch);
    batch_unref(items[1].batch);
}

static void output_chunk__nothing_wanted__still_ends_the_batch(void **state)
{
    (void)state;
    const struct output_config config = {.inputs = {"other"}, .input_count = 1};
    struct queue_item items[] = {item_of(7, "one", "two")};
    struct output_chunk c = {0};
    struct output_mark mark;

    assert_int_equal(output_chunk_init(&c, &config), 0);
    assert_int_equal(output_chunk_fill(&c, items, 1), 0);
    assert_int_equal(c.octets, 0);
    assert_true(output_chunk_has_rest(&c));
    assert_int_equal(output_chunk_advance(&c, 0, &mark), 1);
    assert_int_equal(mark.seq, 7);
    assert_int_equal(mark.records, 0);
    output_chunk_release(&c);
    batch_unref(items[0].batch);
}

static void output_chunk__batch_longer_than_the_room__goes_on_in_the_next(void **state)
{
    (void)state;
    enum { RECORDS = 8000, LENGTH = 30 };
    const struct output_config config = {.framing = OUTPUT_OCTET};
    struct queue_item items[] = {{.seq = 7, .batch = make_numbered(0, RECORDS, LENGTH)},
                                 {.seq = 8, .batch = make_numbered(RECORDS, 1, LENGTH)}};
    struct output_chunk c = {0};
    struct output_mark mark;
    size_t octets = 0;
    int chunks = 0;

    assert_int_equal(output_chunk_init(&c, &config), 0);
    for (int at = 0; at < 2; chunks++) {
        assert_int_equal(output_chunk_fill(&c, &items[at], 2 - at), 0);
        octets += c.octets;
        at += output_chunk_advance(&c, c.octets, &mark);
    }
    assert_int_equal(chunks, 2);
    assert_int_equal(octets, (RECORDS + 1) * (strlen("30 ") + LENGTH));
    assert_int_equal(mark.seq, 8);
    assert_int_equal(mark.records, RECORDS + 1); /* both ended in the last chunk */
    output_chunk_release(&c);
    batch_unref(items[0].batch);
    batch_unref(items[1].batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_chunk__two_batches__are_one_text_with_two_ends),
        cmocka_unit_test(output_chunk__short_write__leaves_the_rest_and_ends_what_is_whole),
        cmocka_unit_test(output_chunk__back_to_line__repeats_the_torn_line_only),
        cmocka_unit_test(output_chunk__nothing_wanted__still_ends_the_batch),
        cmocka_unit_test(output_chunk__batch_longer_than_the_room__goes_on_in_the_next),
    };
    return RUN_TESTS(tests);
}
