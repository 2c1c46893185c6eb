/* SPDX-License-Identifier: MIT */
/* output_test.c - the loop that all outputs share: what it says, once, and that outputs do
 * not wait for each other.
 */
#include <stdatomic.h>

#include "common/bridge/log.h"
#include "common/os/stream.h"
#include "outlet.h"

static atomic_int away_lines, back_lines;

static void count_lines(enum log_level level, const char *line, size_t length)
{
    (void)level;
    (void)length;
    if (strstr(line, "trying again") != NULL)
        atomic_fetch_add(&away_lines, 1);
    if (strstr(line, "is back") != NULL)
        atomic_fetch_add(&back_lines, 1);
}

static void submit_line(struct outlet *t, const char *text)
{
    const struct line line = {FROM_LAN, text, 0};

    outlet_submit(t, make_batch(&line, 1));
}

static struct os_listener *listen_at(struct endpoint *at)
{
    struct os_listener *l = NULL;

    assert_int_equal(os_carrier_find("tcp")->listen(&(struct os_target){.endpoint = at}, &l),
                     0);
    return l;
}

static void output__away_and_back__is_said_once_each(void **state)
{
    (void)state;
    struct outlet t;
    atomic_store(&away_lines, 0);
    atomic_store(&back_lines, 0);
    log_set_writer(count_lines);
    outlet_init(&t, "tcp:127.0.0.1:0");
    struct os_listener *l = listen_at(&t.config.to);
    t.config.to.port = l->port;
    t.config.to.address.port = (uint16_t)l->port;
    l->ops->close(l); /* the port is known, nobody is there */
    outlet_open(&t);

    submit_line(&t, "kept");
    outlet_await(&outlet_counters(&t)->retried, 3);
    assert_int_equal(atomic_load(&away_lines), 1);
    assert_int_equal(atomic_load(&back_lines), 0);
    l = listen_at(&t.config.to);
    outlet_await(&outlet_counters(&t)->delivered, 1);
    submit_line(&t, "more");
    outlet_await(&outlet_counters(&t)->delivered, 2);
    outlet_close(&t);
    l->ops->close(l);
    log_set_writer(NULL);
    assert_int_equal(atomic_load(&away_lines), 1);
    assert_int_equal(atomic_load(&back_lines), 1);
}

static void output__one_is_away__another_goes_on(void **state)
{
    (void)state;
    static const struct output_config null_config = {.name = "null",
                                                     .to = {.kind = ENDPOINT_NULL}};
    struct outlet t;
    outlet_init(&t, "file:output_test.none/of/this.log");
    outlet_open(&t);
    struct output *null = output_new(&null_config, t.queue);
    assert_non_null(null);
    assert_int_equal(output_start(null), 0);

    submit_line(&t, "a");
    submit_line(&t, "b");
    outlet_await(&output_counters(null)->delivered, 2);
    struct queue_books books;
    queue_books(t.queue, &books);
    assert_int_equal(books.held, 2); /* for the one that is away */
    output_stop(null);
    output_free(null);
    outlet_close(&t);
}

static void output__made_before_the_batch__misses_none(void **state)
{
    (void)state;
    struct outlet t;
    outlet_init(&t, "null:");
    t.out = output_new(&t.config, t.queue);
    assert_non_null(t.out);

    submit_line(&t, "before the start");
    assert_int_equal(output_start(t.out), 0);
    outlet_await(&outlet_counters(&t)->delivered, 1);
    outlet_close(&t);
}

static void output__never_started__can_be_freed(void **state)
{
    (void)state;
    struct outlet t;
    outlet_init(&t, "null:");

    t.out = output_new(&t.config, t.queue);
    assert_non_null(t.out);
    outlet_close(&t);
}

static void output__idle__stops_at_once(void **state)
{
    (void)state;
    struct outlet t;
    outlet_init(&t, "null:");
    outlet_open(&t);
    outlet_await(&outlet_counters(&t)->is_up, 1);

    uint64_t before = os_clock_ms();
    output_stop(t.out);
    assert_in_range(os_clock_ms() - before, 0, TEST_LIMIT_MS / 2);
    assert_int_equal(counter_get(&outlet_counters(&t)->is_up), 0);
    outlet_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output__away_and_back__is_said_once_each),
        cmocka_unit_test(output__one_is_away__another_goes_on),
        cmocka_unit_test(output__made_before_the_batch__misses_none),
        cmocka_unit_test(output__never_started__can_be_freed),
        cmocka_unit_test(output__idle__stops_at_once),
    };
    return RUN_TESTS(tests);
}
