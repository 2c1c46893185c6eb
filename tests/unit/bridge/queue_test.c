/* SPDX-License-Identifier: MIT */
/* queue_test.c - order, limits, cursors and books of the queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/bridge/queue.h"
#include "common/core/err.h"
#include "common/os/clock.h"
#include "common/os/thread.h"

static const char *const names[] = {"lan"};

/* A batch of <records> records of <length> octets each. */
static struct batch *make_batch(size_t records, size_t length)
{
    struct batch_builder *bb = batch_builder_new(names, 1);
    struct source source = {.address = {.family = ADDRESS_NONE}, .transport = TRANSPORT_TCP};
    uint8_t *data = malloc(length);
    struct batch *b = NULL;

    assert_non_null(bb);
    assert_non_null(data);
    memset(data, 'x', length);
    for (size_t i = 0; i < records; i++) {
        int index = batch_builder_source(bb, &source);
        struct record r = {.data = data,
                           .length = (uint32_t)length,
                           .orig_length = (uint32_t)length,
                           .source = (uint16_t)index};
        assert_int_equal(batch_builder_append(bb, &r), 0);
    }
    assert_int_equal(batch_builder_seal(bb, &b), 0);
    batch_builder_free(bb);
    free(data);
    return b;
}

static void submit(struct queue *q, size_t records, void *producer, uint64_t tag)
{
    struct batch *b = make_batch(records, 10);

    assert_int_equal(
        queue_try_submit(q, b,
                         &(struct queue_origin){.producer = producer, .name = {.seq = tag}}, 0),
        0);
    batch_unref(b);
}

static void assert_books(struct queue *q, uint64_t received, uint64_t delivered,
                         uint64_t dropped, uint64_t held)
{
    struct queue_books books;

    queue_books(q, &books);
    assert_int_equal(books.received, received);
    assert_int_equal(books.delivered, delivered);
    assert_int_equal(books.dropped, dropped);
    assert_int_equal(books.held, held);
    assert_int_equal(books.received, books.delivered + books.dropped + books.held);
}

static int take_one(struct queue_cursor *c, uint64_t *ret_seq)
{
    struct queue_item item;
    int n = queue_take(c, &item, 1, SIZE_MAX, 0);

    if (n > 0) {
        *ret_seq = item.seq;
        batch_unref(item.batch);
    }
    return n;
}

static void queue__batches__come_out_in_order_with_consecutive_seq(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *c = queue_cursor_open(q, true);
    uint64_t seq = 0;

    (void)state;
    for (int i = 0; i < 200; i++)
        submit(q, 1, NULL, 0);
    for (uint64_t want = 1; want <= 200; want++) {
        assert_int_equal(take_one(c, &seq), 1);
        assert_int_equal(seq, want);
    }
    assert_int_equal(take_one(c, &seq), ERR_TIMEOUT);
    assert_books(q, 200, 0, 0, 200);
    queue_done(c, 200, 0);
    assert_books(q, 200, 200, 0, 0);
    queue_cursor_close(c);
    queue_free(q);
}

static void queue__no_cursor__holds_batches_for_the_first(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    uint64_t seq = 0;

    (void)state;
    submit(q, 3, NULL, 0);
    assert_books(q, 3, 0, 0, 3);
    struct queue_cursor *c = queue_cursor_open(q, true);
    assert_int_equal(take_one(c, &seq), 1);
    assert_int_equal(seq, 1);
    queue_cursor_close(c);
    assert_books(q, 3, 0, 0, 3);
    queue_free(q);
}

static void queue__second_cursor_from_newest__sees_only_what_comes(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    uint64_t seq = 0;

    (void)state;
    submit(q, 1, NULL, 0);
    struct queue_cursor *c = queue_cursor_open(q, false);
    assert_int_equal(take_one(c, &seq), ERR_TIMEOUT);
    submit(q, 1, NULL, 0);
    assert_int_equal(take_one(c, &seq), 1);
    assert_int_equal(seq, 2);
    queue_cursor_close(c);
    queue_free(q);
}

static void queue__slow_cursor__holds_batch_until_it_is_done(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *fast = queue_cursor_open(q, true);
    struct queue_cursor *slow = queue_cursor_open(q, true);
    uint64_t seq = 0;

    (void)state;
    submit(q, 5, NULL, 0);
    assert_int_equal(take_one(fast, &seq), 1);
    queue_done(fast, seq, 0);
    assert_books(q, 5, 0, 0, 5);
    assert_int_equal(queue_cursor_held(fast), 0);
    assert_int_equal(queue_cursor_held(slow), 5);
    assert_int_equal(take_one(slow, &seq), 1);
    queue_done(slow, seq, 0);
    assert_books(q, 5, 5, 0, 0);
    queue_cursor_close(fast);
    queue_cursor_close(slow);
    queue_free(q);
}

static void queue__closing_the_slow_cursor__lets_its_batches_go(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *fast = queue_cursor_open(q, true);
    struct queue_cursor *slow = queue_cursor_open(q, true);
    uint64_t seq = 0;

    (void)state;
    submit(q, 5, NULL, 0);
    assert_int_equal(take_one(fast, &seq), 1);
    queue_done(fast, seq, 0);
    queue_cursor_close(slow);
    assert_books(q, 5, 5, 0, 0);
    queue_cursor_close(fast);
    queue_free(q);
}

static void queue__rewind__gives_unfinished_batches_again(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *c = queue_cursor_open(q, true);
    uint64_t seq = 0;

    (void)state;
    for (int i = 0; i < 4; i++)
        submit(q, 1, NULL, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(take_one(c, &seq), 1);
    queue_done(c, 2, 0);
    queue_rewind(c, 0);
    assert_int_equal(take_one(c, &seq), 1);
    assert_int_equal(seq, 3);
    queue_rewind(c, 3);
    assert_int_equal(take_one(c, &seq), 1);
    assert_int_equal(seq, 4);
    queue_cursor_close(c);
    queue_free(q);
}

static void queue__resume__finishes_batches_never_taken(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *c = queue_cursor_open(q, true);
    uint64_t seq = 0;

    (void)state;
    for (int i = 0; i < 4; i++)
        submit(q, 1, NULL, 0);
    queue_resume(c, 3);
    assert_books(q, 4, 3, 0, 1);
    assert_int_equal(take_one(c, &seq), 1);
    assert_int_equal(seq, 4);
    queue_resume(c, 2); /* older than what is done: only the unfinished ones come again */
    assert_int_equal(take_one(c, &seq), 1);
    assert_int_equal(seq, 4);
    queue_cursor_close(c);
    queue_free(q);
}

static void queue__done_beyond_what_was_taken__is_cut_there(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *c = queue_cursor_open(q, true);
    uint64_t seq = 0;

    (void)state;
    submit(q, 1, NULL, 0);
    submit(q, 1, NULL, 0);
    assert_int_equal(take_one(c, &seq), 1);
    queue_done(c, UINT64_MAX, 0);
    assert_books(q, 2, 1, 0, 1);
    queue_cursor_close(c);
    queue_free(q);
}

static void queue__full__refuses_and_takes_again_when_there_is_room(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *c = queue_cursor_open(q, true);
    struct batch *b = make_batch(20, 10000);
    uint64_t seq = 0;
    int count = 0;

    (void)state;
    while (queue_try_submit(q, b, NULL, 0) == 0)
        count++;
    assert_in_range(count, 2, QUEUE_MEMORY_MIN / 200000);
    assert_int_equal(queue_try_submit(q, b, NULL, 0), ERR_FULL);
    queue_reject(q, 20);
    assert_books(q, (uint64_t)count * 20 + 20, 0, 20, (uint64_t)count * 20);
    assert_int_equal(take_one(c, &seq), 1);
    queue_done(c, seq, 0);
    assert_int_equal(queue_try_submit(q, b, NULL, 0), 0);
    batch_unref(b);
    queue_cursor_close(c);
    queue_free(q);
}

static void queue__cursor_that_is_away__does_not_hold_back_one_that_is_here(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *here = queue_cursor_open(q, true);
    struct queue_cursor *away = queue_cursor_open(q, true);
    struct batch *b = make_batch(20, 10000);
    uint64_t seq = 0;
    int count = 0;

    (void)state;
    while (queue_try_submit(q, b, NULL, 0) == 0) {
        assert_int_equal(take_one(here, &seq), 1);
        queue_done(here, seq, 0);
        count++;
    }
    queue_cursor_expendable(away, true);
    assert_int_equal(queue_try_submit(q, b, NULL, 0), 0);
    assert_int_equal(queue_cursor_skipped(away), count);
    assert_int_equal(queue_cursor_skipped(away), 0);
    assert_int_equal(take_one(away, &seq), 1); /* it goes on with the newest */
    assert_int_equal(seq, count + 1);
    batch_unref(b);
    queue_cursor_close(here);
    queue_cursor_close(away);
    queue_free(q);
}

static void queue__all_cursors_away__nothing_is_given_up(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *away = queue_cursor_open(q, true);
    struct batch *b = make_batch(20, 10000);

    (void)state;
    queue_cursor_expendable(away, true);
    while (queue_try_submit(q, b, NULL, 0) == 0)
        ;
    assert_int_equal(queue_cursor_skipped(away), 0);
    batch_unref(b);
    queue_cursor_close(away);
    queue_free(q);
}

static void queue__oversized_batch__fits_an_empty_queue(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct batch *b = make_batch(1, MESSAGE_MAX_LIMIT);

    (void)state;
    for (int i = 0; queue_try_submit(q, b, NULL, 0) == 0; i++)
        assert_in_range(i, 0, 10);
    batch_unref(b);
    queue_free(q);
}

static void queue__records_given_up_or_unwanted__count_as_dropped(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *a = queue_cursor_open(q, true);
    struct queue_cursor *b = queue_cursor_open(q, true);
    struct batch *batch = make_batch(10, 10);
    uint64_t seq = 0;

    (void)state;
    assert_int_equal(queue_try_submit(q, batch, NULL, 2), 0);
    assert_int_equal(take_one(a, &seq), 1);
    queue_done(a, seq, 3);
    assert_int_equal(take_one(b, &seq), 1);
    queue_done(b, seq, 1);
    assert_books(q, 10, 5, 5, 0);
    batch_unref(batch);
    queue_cursor_close(a);
    queue_cursor_close(b);
    queue_free(q);
}

/* ---- release calls ----------------------------------------------------------------------- */

struct producer {
    uint64_t last_tag;
    size_t calls;
    size_t bytes;
};

static void on_release(void *producer, uint64_t tag, size_t bytes)
{
    struct producer *p = producer;

    assert_true(tag > p->last_tag);
    p->last_tag = tag;
    p->bytes += bytes;
    p->calls++;
}

static void queue__finished_batches__are_told_to_their_producer_in_one_call(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){.release = on_release});
    struct queue_cursor *c = queue_cursor_open(q, true);
    struct producer p = {.last_tag = 0}, other = {.last_tag = 0};
    uint64_t seq = 0;

    (void)state;
    submit(q, 1, &p, 7);
    submit(q, 1, &p, 8);
    submit(q, 1, &other, 1);
    submit(q, 1, &p, 9);
    for (int i = 0; i < 4; i++)
        assert_int_equal(take_one(c, &seq), 1);
    queue_done(c, 4, 0);
    assert_int_equal(p.last_tag, 9);
    assert_int_equal(p.calls, 2);
    assert_int_equal(other.last_tag, 1);
    assert_int_equal(p.bytes, 3 * other.bytes);
    queue_cursor_close(c);
    queue_free(q);
}

static void queue__forgotten_producer__is_told_nothing(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){.release = on_release});
    struct queue_cursor *c = queue_cursor_open(q, true);
    struct producer p = {.last_tag = 0};
    uint64_t seq = 0;

    (void)state;
    submit(q, 1, &p, 1);
    queue_forget_producer(q, &p);
    assert_int_equal(take_one(c, &seq), 1);
    queue_done(c, 1, 0);
    assert_int_equal(p.calls, 0);
    assert_books(q, 1, 1, 0, 0);
    queue_cursor_close(c);
    queue_free(q);
}

/* ---- several threads --------------------------------------------------------------------- */

enum { STRESS_PRODUCERS = 3, STRESS_BATCHES = 2000 };

static void *run_producer(void *arg)
{
    struct queue *q = arg;
    struct batch *b = make_batch(7, 5000);

    for (int i = 0; i < STRESS_BATCHES; i++)
        if (queue_submit(q, b, NULL, 0) < 0)
            break;
    batch_unref(b);
    return NULL;
}

static void *run_consumer(void *arg)
{
    struct queue_cursor *c = arg;
    struct queue_item items[QUEUE_TAKE_MAX];
    uint64_t want = 1;
    int n;

    while (want <= STRESS_PRODUCERS * STRESS_BATCHES &&
           (n = queue_take(c, items, QUEUE_TAKE_MAX, 100000, OS_NEVER)) > 0) {
        for (int i = 0; i < n; i++)
            if (items[i].seq != want++ || batch_records(items[i].batch) != 7)
                return (void *)1;
        queue_give_back(items, n);
        queue_done(c, items[n - 1].seq, 0);
    }
    return NULL;
}

static void queue__producers_that_wait_for_room__lose_nothing(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *a = queue_cursor_open(q, true);
    struct queue_cursor *b = queue_cursor_open(q, true);
    struct os_thread threads[STRESS_PRODUCERS + 2];
    uint64_t total = (uint64_t)STRESS_PRODUCERS * STRESS_BATCHES * 7;

    (void)state;
    for (int i = 0; i < STRESS_PRODUCERS; i++)
        assert_int_equal(os_thread_start(&threads[i], "producer", run_producer, q), 0);
    assert_int_equal(os_thread_start(&threads[STRESS_PRODUCERS], "a", run_consumer, a), 0);
    assert_int_equal(os_thread_start(&threads[STRESS_PRODUCERS + 1], "b", run_consumer, b), 0);
    for (int i = 0; i < STRESS_PRODUCERS + 2; i++)
        os_thread_join(&threads[i]);
    assert_true(queue_wait_drained(q, 0));
    assert_books(q, total, total, 0, 0);
    queue_cursor_close(a);
    queue_cursor_close(b);
    queue_free(q);
}

static void *run_canceler(void *arg)
{
    queue_cancel(arg);
    return NULL;
}

static void queue__cancel__ends_the_wait_once(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *c = queue_cursor_open(q, true);
    struct queue_item item;
    struct os_thread t;

    (void)state;
    assert_int_equal(os_thread_start(&t, "canceler", run_canceler, c), 0);
    assert_int_equal(queue_take(c, &item, 1, 1, OS_NEVER), ERR_CANCELED);
    os_thread_join(&t);
    assert_int_equal(queue_take(c, &item, 1, 1, 0), ERR_TIMEOUT);
    queue_cursor_close(c);
    queue_free(q);
}

static void *run_closer(void *arg)
{
    queue_close(arg);
    return NULL;
}

static void queue__close__ends_the_wait_for_room_but_takes_what_fits(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *c = queue_cursor_open(q, true);
    struct batch *b = make_batch(20, 10000);
    struct os_thread t;
    uint64_t seq = 0;

    (void)state;
    while (queue_try_submit(q, b, NULL, 0) == 0)
        ;
    assert_int_equal(os_thread_start(&t, "closer", run_closer, q), 0);
    assert_int_equal(queue_submit(q, b, NULL, 0), ERR_CANCELED);
    os_thread_join(&t);
    assert_int_equal(take_one(c, &seq), 1);
    queue_done(c, seq, 0);
    assert_int_equal(queue_submit(q, b, NULL, 0), 0);
    batch_unref(b);
    queue_cursor_close(c);
    queue_free(q);
}

static void *run_leaver(void *arg)
{
    queue_cursor_expendable(arg, true);
    return NULL;
}

static void queue__cursor_that_goes_away__ends_the_wait_for_room(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *here = queue_cursor_open(q, true);
    struct queue_cursor *leaver = queue_cursor_open(q, true);
    struct batch *b = make_batch(20, 10000);
    struct os_thread t;
    uint64_t seq = 0;

    (void)state;
    while (queue_try_submit(q, b, NULL, 0) == 0) {
        assert_int_equal(take_one(here, &seq), 1);
        queue_done(here, seq, 0);
    }
    assert_int_equal(os_thread_start(&t, "leaver", run_leaver, leaver), 0);
    assert_int_equal(queue_submit(q, b, NULL, 0), 0);
    os_thread_join(&t);
    assert_int_equal(queue_cursor_skipped(leaver), seq);
    batch_unref(b);
    queue_cursor_close(here);
    queue_cursor_close(leaver);
    queue_free(q);
}

static void queue__take__stops_at_the_octets_asked_for(void **state)
{
    struct queue *q = queue_new(&(struct queue_options){0});
    struct queue_cursor *c = queue_cursor_open(q, true);
    struct queue_item items[QUEUE_TAKE_MAX];

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct batch *b = make_batch(1, 1000);
        assert_int_equal(queue_try_submit(q, b, NULL, 0), 0);
        batch_unref(b);
    }
    assert_int_equal(queue_take(c, items, QUEUE_TAKE_MAX, 1, 0), 1);
    queue_give_back(items, 1);
    assert_int_equal(queue_take(c, items, QUEUE_TAKE_MAX, 5000, 0), 2);
    queue_give_back(items, 2);
    queue_cursor_close(c);
    queue_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue__batches__come_out_in_order_with_consecutive_seq),
        cmocka_unit_test(queue__no_cursor__holds_batches_for_the_first),
        cmocka_unit_test(queue__second_cursor_from_newest__sees_only_what_comes),
        cmocka_unit_test(queue__slow_cursor__holds_batch_until_it_is_done),
        cmocka_unit_test(queue__closing_the_slow_cursor__lets_its_batches_go),
        cmocka_unit_test(queue__rewind__gives_unfinished_batches_again),
        cmocka_unit_test(queue__resume__finishes_batches_never_taken),
        cmocka_unit_test(queue__done_beyond_what_was_taken__is_cut_there),
        cmocka_unit_test(queue__full__refuses_and_takes_again_when_there_is_room),
        cmocka_unit_test(queue__cursor_that_is_away__does_not_hold_back_one_that_is_here),
        cmocka_unit_test(queue__all_cursors_away__nothing_is_given_up),
        cmocka_unit_test(queue__oversized_batch__fits_an_empty_queue),
        cmocka_unit_test(queue__records_given_up_or_unwanted__count_as_dropped),
        cmocka_unit_test(queue__finished_batches__are_told_to_their_producer_in_one_call),
        cmocka_unit_test(queue__forgotten_producer__is_told_nothing),
        cmocka_unit_test(queue__producers_that_wait_for_room__lose_nothing),
        cmocka_unit_test(queue__cancel__ends_the_wait_once),
        cmocka_unit_test(queue__close__ends_the_wait_for_room_but_takes_what_fits),
        cmocka_unit_test(queue__cursor_that_goes_away__ends_the_wait_for_room),
        cmocka_unit_test(queue__take__stops_at_the_octets_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
