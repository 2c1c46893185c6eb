/* SPDX-License-Identifier: MIT */
/* input_taker_test.c - from messages to batches: nothing is published or queued before the
 * hand-over, and what finds no room is counted.
 */
#include <stdlib.h>

#include "common/bridge/input_taker.h"
#include "inlet.h"

static const struct source source = {
    .address = {.family = ADDRESS_IPV4, .port = 7, .ip = {192, 0, 2, 1}},
    .transport = TRANSPORT_UDP,
    .input = 1};

static void take_text(struct taker *t, const char *text, uint16_t flags)
{
    uint32_t length = (uint32_t)strlen(text);

    taker_take(t, &source,
               &(struct framed){.data = (const uint8_t *)text,
                                .length = length,
                                .orig_length = length,
                                .flags = flags},
               1);
}

static void taker__hand_over__makes_one_batch_and_publishes(void **state)
{
    (void)state;
    struct input_counters counters = {0};
    struct taker taker;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(taker_init(&taker, &t.context, &counters, true), 0);

    take_text(&taker, "one", 0);
    take_text(&taker, "two", RECORD_TRUNCATED | RECORD_DESYNC);
    take_text(&taker, "three", RECORD_UNTERMINATED);
    assert_int_equal(queue_last_seq(t.queue), 0);
    assert_int_equal(counter_get(&counters.received), 0);
    taker_hand_over(&taker);
    assert_int_equal(queue_last_seq(t.queue), 1);
    inlet_drain(&t);
    assert_int_equal(t.got_count, 3);
    assert_string_equal(t.got[2].text, "three");
    assert_true(address_is_equal(&t.got[0].source.address, &source.address));
    assert_int_equal(counter_get(&counters.received), 3);
    assert_int_equal(counter_get(&counters.received_bytes), 11);
    assert_int_equal(counter_get(&counters.flagged_truncated), 1);
    assert_int_equal(counter_get(&counters.flagged_desync), 1);
    assert_int_equal(counter_get(&counters.flagged_unterminated), 1);
    taker_release(&taker);
    inlet_close(&t);
}

static void taker__nothing_taken__hands_nothing_over(void **state)
{
    (void)state;
    struct input_counters counters = {0};
    struct taker taker;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(taker_init(&taker, &t.context, &counters, true), 0);

    taker_hand_over(&taker);
    assert_int_equal(queue_last_seq(t.queue), 0);
    assert_true(taker_deadline(&taker, 5) == OS_NEVER);
    taker_release(&taker);
    inlet_close(&t);
}

static void taker__more_than_a_batch__hands_over_by_itself(void **state)
{
    (void)state;
    struct input_counters counters = {0};
    struct taker taker;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(taker_init(&taker, &t.context, &counters, true), 0);

    for (int i = 0; i < 2 * BATCH_RECORDS_MAX; i++)
        take_text(&taker, "x", 0);
    taker_hand_over(&taker);
    assert_int_equal(queue_last_seq(t.queue), 2);
    inlet_drain(&t);
    assert_int_equal(t.got_count, 2 * BATCH_RECORDS_MAX);
    taker_release(&taker);
    inlet_close(&t);
}

static void taker__more_sources_than_a_batch_holds__makes_another(void **state)
{
    (void)state;
    struct input_counters counters = {0};
    struct taker taker;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(taker_init(&taker, &t.context, &counters, true), 0);

    for (int i = 0; i <= BATCH_SOURCES_MAX; i++) {
        struct source each = source;
        each.address.port = (uint16_t)(i + 1);
        taker_take(
            &taker, &each,
            &(struct framed){.data = (const uint8_t *)"x", .length = 1, .orig_length = 1}, 1);
    }
    taker_hand_over(&taker);
    inlet_drain(&t);
    assert_int_equal(t.got_count, BATCH_SOURCES_MAX + 1);
    for (int i = 0; i <= BATCH_SOURCES_MAX; i++)
        assert_int_equal(t.got[i].source.address.port, i + 1);
    taker_release(&taker);
    inlet_close(&t);
}

/* Fill the queue until it takes nothing more. Returns how many records were taken off <t>'s
 * hands, the dropped one included.
 */
static size_t fill(struct taker *t)
{
    enum { LENGTH = 200 * 1000 };
    char *text = calloc(1, LENGTH + 1);
    size_t taken = 0;

    assert_non_null(text);
    memset(text, 'x', LENGTH);
    while (counter_get(&t->counters->dropped_queue_full) == 0) {
        take_text(t, text, 0);
        taker_hand_over(t);
        taken++;
        assert_true(taken * LENGTH <= 2 * QUEUE_MEMORY_MIN);
    }
    free(text);
    return taken;
}

static void taker__full_queue__drops_the_batch_and_counts_it(void **state)
{
    (void)state;
    struct input_counters counters = {0};
    struct taker taker;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(taker_init(&taker, &t.context, &counters, false), 0);

    size_t taken = fill(&taker);
    assert_int_equal(counter_get(&counters.dropped_queue_full), 1);
    assert_int_equal(counter_get(&counters.received), taken);
    assert_false(taker.is_refused);
    struct queue_books books;
    queue_books(t.queue, &books);
    assert_int_equal(books.received, taken);
    assert_int_equal(books.dropped, 1);
    assert_int_equal(books.held, taken - 1);
    inlet_drain(&t);
    taker_release(&taker);
    inlet_close(&t);
}

static void taker__closed_full_queue__is_not_waited_for(void **state)
{
    (void)state;
    struct input_counters counters = {0};
    struct taker taker;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(taker_init(&taker, &t.context, &counters, true), 0);

    queue_close(t.queue);
    size_t taken = fill(&taker);
    assert_true(taker.is_refused);
    assert_int_equal(counter_get(&counters.received), taken);
    inlet_drain(&t);
    assert_int_equal(t.got_count, taken - 1);
    taker_release(&taker);
    inlet_close(&t);
}

static void taker__framing_counters__are_published_once(void **state)
{
    (void)state;
    struct input_counters counters = {0};
    struct framer_counters now = {.framing_padding = 5, .empty = 1, .bad_pri = 2}, seen = {0};

    taker_count_framing(&counters, &now, &seen);
    taker_count_framing(&counters, &now, &seen);
    now.framing_padding = 7;
    taker_count_framing(&counters, &now, &seen);
    assert_int_equal(counter_get(&counters.framing_padding), 7);
    assert_int_equal(counter_get(&counters.dropped_empty), 1);
    assert_int_equal(counter_get(&counters.bad_pri), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taker__hand_over__makes_one_batch_and_publishes),
        cmocka_unit_test(taker__nothing_taken__hands_nothing_over),
        cmocka_unit_test(taker__more_than_a_batch__hands_over_by_itself),
        cmocka_unit_test(taker__more_sources_than_a_batch_holds__makes_another),
        cmocka_unit_test(taker__full_queue__drops_the_batch_and_counts_it),
        cmocka_unit_test(taker__closed_full_queue__is_not_waited_for),
        cmocka_unit_test(taker__framing_counters__are_published_once),
    };
    return RUN_TESTS(tests);
}
