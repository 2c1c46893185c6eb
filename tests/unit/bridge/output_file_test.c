/* SPDX-License-Identifier: MIT */
/* output_file_test.c - a file gets every record once, in order, whatever is done to it
 * meanwhile.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/os/file.h"
#include "outlet.h"

#define PATH    "output_file_test.log"
#define ROTATED "output_file_test.log.1"

static void set_up(struct outlet *t)
{
    remove(PATH);
    remove(ROTATED);
    outlet_init(t, "file:" PATH);
}

static void tear_down(struct outlet *t)
{
    outlet_close(t);
    remove(PATH);
    remove(ROTATED);
}

static void assert_file(const char *path, const char *wanted)
{
    char *data = NULL;
    size_t length;

    assert_int_equal(os_file_read_all(path, 64 * 1024 * 1024, &data, &length), 0);
    assert_string_equal(data, wanted);
    free(data);
}

static void submit_line(struct outlet *t, const char *text)
{
    const struct line line = {FROM_LAN, text, 0};

    outlet_submit(t, make_batch(&line, 1));
}

static void output_file__many_batches__are_in_the_file_in_order(void **state)
{
    (void)state;
    enum { BATCHES = 200, RECORDS = 100, LENGTH = 80 };
    struct outlet t;
    set_up(&t);
    outlet_open(&t);
    char *data;
    size_t length;

    for (size_t i = 0; i < BATCHES; i++)
        outlet_submit(&t, make_numbered(i * RECORDS, RECORDS, LENGTH));
    outlet_await(&outlet_counters(&t)->delivered, BATCHES * RECORDS);
    assert_int_equal(os_file_read_all(PATH, 64 * 1024 * 1024, &data, &length), 0);
    assert_int_equal(length, BATCHES * RECORDS * (LENGTH + 1));
    for (size_t i = 0; i < BATCHES * RECORDS; i++)
        assert_int_equal(number_of(data + i * (LENGTH + 1)), i);
    free(data);
    assert_int_equal(counter_get(&outlet_counters(&t)->delivered_bytes),
                     BATCHES * RECORDS * LENGTH);
    struct queue_books books;
    queue_books(t.queue, &books);
    assert_int_equal(books.delivered, BATCHES * RECORDS);
    assert_int_equal(books.held, 0);
    tear_down(&t);
}

static void output_file__mixed_batch__is_escaped_and_filtered(void **state)
{
    (void)state;
    const struct line lines[] = {
        {FROM_LAN, "a\nb", 0}, {FROM_LOCAL, "not this", 0}, {FROM_LAN, "c\0d", 3}};
    struct outlet t;
    set_up(&t);
    t.config.input_count = 1;
    strcpy(t.config.inputs[0], "lan");
    t.config.prefix = PREFIX_SOURCE;
    outlet_open(&t);

    outlet_submit(&t, make_batch(lines, COUNT(lines)));
    outlet_await(&outlet_counters(&t)->delivered, 2);
    assert_file(PATH, "192.0.2.7:40123 udp a#012b\n192.0.2.7:40123 udp c#000d\n");
    assert_int_equal(counter_get(&outlet_counters(&t)->nul_escaped), 1);
    assert_int_equal(counter_get(&outlet_counters(&t)->delivered_bytes), 6);
    tear_down(&t);
}

static void output_file__nothing_wanted__is_finished_all_the_same(void **state)
{
    (void)state;
    struct outlet t;
    set_up(&t);
    t.config.input_count = 1;
    strcpy(t.config.inputs[0], "local");
    outlet_open(&t);

    submit_line(&t, "not this");
    assert_true(queue_wait_drained(t.queue, test_deadline()));
    assert_file(PATH, "");
    tear_down(&t);
}

static void output_file__there_already__is_appended_to(void **state)
{
    (void)state;
    struct outlet t;
    set_up(&t);
    FILE *before = fopen(PATH, "wb");
    assert_non_null(before);
    fputs("old\n", before);
    fclose(before);
    outlet_open(&t);

    submit_line(&t, "new");
    outlet_await(&outlet_counters(&t)->delivered, 1);
    assert_file(PATH, "old\nnew\n");
    tear_down(&t);
}

static void output_file__there_already_with_half_a_line__begins_a_new_line(void **state)
{
    (void)state;
    struct outlet t;
    set_up(&t);
    FILE *file = fopen(PATH, "wb");
    assert_non_null(file);
    fputs("whole\nhal", file);
    fclose(file);
    outlet_open(&t);

    submit_line(&t, "half");
    outlet_await(&outlet_counters(&t)->delivered, 1);
    assert_file(PATH, "whole\nhal\nhalf\n");
    tear_down(&t);
}

static void output_file__reopen_after_rename__begins_a_new_file(void **state)
{
    (void)state;
    struct outlet t;
    set_up(&t);
    outlet_open(&t);

    submit_line(&t, "first");
    outlet_await(&outlet_counters(&t)->delivered, 1);
    if (rename(PATH, ROTATED) != 0) { /* a system where an open file keeps its name */
        tear_down(&t);
        skip();
    }
    output_reopen(t.out);
    outlet_await(&outlet_counters(&t)->reopened, 1);
    submit_line(&t, "second");
    outlet_await(&outlet_counters(&t)->delivered, 2);
    assert_file(ROTATED, "first\n");
    assert_file(PATH, "second\n");
    tear_down(&t);
}

static void output_file__renamed_unasked__is_followed_without_a_loss(void **state)
{
    (void)state;
    struct outlet t;
    set_up(&t);
    outlet_open(&t);

    submit_line(&t, "first");
    outlet_await(&outlet_counters(&t)->delivered, 1);
    if (rename(PATH, ROTATED) != 0) {
        tear_down(&t);
        skip();
    }
    uint64_t deadline = test_deadline();
    uint64_t sent = 1;
    for (; counter_get(&outlet_counters(&t)->reopened) == 0 && os_clock_ms() < deadline;
         sent++) {
        submit_line(&t, "more");
        outlet_await(&outlet_counters(&t)->delivered, sent + 1);
    }
    assert_int_equal(counter_get(&outlet_counters(&t)->reopened), 1);

    char *old, *new;
    size_t old_length, new_length;
    assert_int_equal(os_file_read_all(ROTATED, 64 * 1024 * 1024, &old, &old_length), 0);
    assert_int_equal(os_file_read_all(PATH, 64 * 1024 * 1024, &new, &new_length), 0);
    assert_int_equal(old_length + new_length,
                     strlen("first\n") + (sent - 1) * strlen("more\n"));
    assert_true(new_length > 0);
    free(old);
    free(new);
    tear_down(&t);
}

static void output_file__folder_missing__is_made(void **state)
{
    (void)state;
    struct outlet t;
    remove("output_file_test.d/x.log");
    remove("output_file_test.d");
    outlet_init(&t, "file:output_file_test.d/x.log");
    outlet_open(&t);

    submit_line(&t, "x");
    outlet_await(&outlet_counters(&t)->delivered, 1);
    assert_file("output_file_test.d/x.log", "x\n");
    outlet_close(&t);
    remove("output_file_test.d/x.log");
}

static void output_file__cannot_be_opened__waits_and_says_why(void **state)
{
    (void)state;
    char error[OUTPUT_ERROR_MAX];
    struct outlet t;
    outlet_init(&t, "file:output_file_test.none/of/this.log");
    outlet_open(&t);

    submit_line(&t, "kept");
    outlet_await(&outlet_counters(&t)->retried, 2);
    assert_string_not_equal(output_error(t.out, error, sizeof(error)), "");
    assert_int_equal(counter_get(&outlet_counters(&t)->is_up), 0);
    struct queue_books books;
    queue_books(t.queue, &books);
    assert_int_equal(books.held, 1);
    outlet_close(&t);
}

static void output_file__stop__finishes_what_was_taken(void **state)
{
    (void)state;
    struct outlet t;
    set_up(&t);
    outlet_open(&t);
    outlet_await(&outlet_counters(&t)->is_up, 1);

    submit_line(&t, "last");
    output_stop(t.out);
    struct queue_books books;
    queue_books(t.queue, &books);
    assert_file(PATH, books.held == 0 ? "last\n" : "");
    assert_int_equal(counter_get(&outlet_counters(&t)->is_up), 0);
    tear_down(&t);
}

static void output_null__everything__is_counted(void **state)
{
    (void)state;
    const struct line lines[] = {{FROM_LAN, "abc", 0}, {FROM_LOCAL, "de", 0}};
    struct outlet t;
    outlet_init(&t, "null:");
    outlet_open(&t);

    outlet_submit(&t, make_batch(lines, COUNT(lines)));
    outlet_await(&outlet_counters(&t)->delivered, 2);
    assert_int_equal(counter_get(&outlet_counters(&t)->delivered_bytes), 5);
    assert_true(queue_wait_drained(t.queue, test_deadline()));
    outlet_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_file__many_batches__are_in_the_file_in_order),
        cmocka_unit_test(output_file__mixed_batch__is_escaped_and_filtered),
        cmocka_unit_test(output_file__nothing_wanted__is_finished_all_the_same),
        cmocka_unit_test(output_file__there_already__is_appended_to),
        cmocka_unit_test(output_file__there_already_with_half_a_line__begins_a_new_line),
        cmocka_unit_test(output_file__reopen_after_rename__begins_a_new_file),
        cmocka_unit_test(output_file__renamed_unasked__is_followed_without_a_loss),
        cmocka_unit_test(output_file__folder_missing__is_made),
        cmocka_unit_test(output_file__cannot_be_opened__waits_and_says_why),
        cmocka_unit_test(output_file__stop__finishes_what_was_taken),
        cmocka_unit_test(output_null__everything__is_counted),
    };
    return RUN_TESTS(tests);
}
