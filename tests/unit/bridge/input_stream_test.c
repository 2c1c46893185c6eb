/* SPDX-License-Identifier: MIT */
/* input_stream_test.c - many senders, one thread, nothing lost, nobody starved, the slow
 * queue felt.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "inlet.h"

/* ---- senders in threads of their own ----------------------------------------------------- */

/* Sends numbered lines "<13>NAME NUMBER ....", each of <length> octets with its LF. */
struct sender {
    struct os_stream *stream;
    const char *name;
    size_t lines, length;
    atomic_bool is_done, is_stopping;
    bool has_failed;
    struct os_thread thread;
};

enum { LINE_MAX = 4096, WRITE_LINES = 7 };

static size_t make_line(char *line, const char *name, size_t number, size_t length)
{
    memset(line, '.', length);
    int n = snprintf(line, length, "<13>%s %zu ", name, number);
    line[n] = '.';
    line[length - 1] = '\n';
    return length;
}

static void *send_lines(void *arg)
{
    struct sender *s = arg;
    char *buffer = malloc((size_t)WRITE_LINES * LINE_MAX);

    s->has_failed = buffer == NULL;
    for (size_t i = 0; i < s->lines && !s->has_failed && !atomic_load(&s->is_stopping);) {
        struct os_vec vec = {.data = buffer};
        for (int k = 0; k < WRITE_LINES && i < s->lines; k++, i++)
            vec.length += make_line(buffer + vec.length, s->name, i, s->length);
        s->has_failed = s->stream->ops->write(s->stream, &vec, 1) < 0;
    }
    free(buffer);
    atomic_store(&s->is_done, true);
    return NULL;
}

static void sender_start(struct sender *s, const struct inlet *t)
{
    s->stream = inlet_dial(t);
    assert_int_equal(os_thread_start(&s->thread, s->name, send_lines, s), 0);
}

static void sender_end(struct sender *s)
{
    os_thread_join(&s->thread);
    assert_false(s->has_failed);
    s->stream->ops->close(s->stream);
}

static void assert_lines(const struct got *got, size_t count, const struct sender *s)
{
    char line[LINE_MAX];
    size_t next = 0;

    for (size_t i = 0; i < count; i++) {
        size_t name = strlen(s->name);
        if (strncmp(got[i].text + strlen("<13>"), s->name, name) != 0)
            continue;
        size_t length = make_line(line, s->name, next++, s->length);
        assert_int_equal(got[i].length, length - 1);
        assert_memory_equal(got[i].text, line, length - 1);
    }
    assert_int_equal(next, s->lines);
}

/* ---- what comes in ----------------------------------------------------------------------- */

static void input_stream__one_line__comes_with_its_source(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    inlet_open(&t);
    struct os_stream *s = inlet_dial(&t);

    inlet_send_text(s, "<13>hello\n");
    inlet_expect(&t, 1);
    assert_string_equal(t.got[0].text, "<13>hello");
    assert_int_equal(t.got[0].flags, 0);
    assert_int_equal(t.got[0].source.transport, TRANSPORT_TCP);
    assert_int_equal(t.got[0].source.address.family, ADDRESS_IPV4);
    assert_memory_equal(t.got[0].source.address.ip, "\x7F\x00\x00\x01", 4);
    assert_int_not_equal(t.got[0].source.address.port, 0);
    inlet_await(&inlet_counters(&t)->received, 1);
    assert_int_equal(counter_get(&inlet_counters(&t)->received_bytes), strlen("<13>hello"));
    assert_int_equal(counter_get(&inlet_counters(&t)->connections), 1);
    s->ops->close(s);
    inlet_close(&t);
}

static void input_stream__line_in_three_writes__is_one_record(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    inlet_open(&t);
    struct os_stream *s = inlet_dial(&t);
    struct os_stream *other = inlet_dial(&t);

    /* A line of another sender in between shows that each part was read before the next was
     * sent.
     */
    inlet_send_text(s, "<13>one ");
    inlet_send_text(other, "<13>first\n");
    inlet_expect(&t, 1);
    inlet_send_text(s, "two ");
    inlet_send_text(other, "<13>second\n");
    inlet_expect(&t, 2);
    inlet_send_text(s, "three\n");
    inlet_expect(&t, 3);
    assert_string_equal(t.got[2].text, "<13>one two three");
    s->ops->close(s);
    other->ops->close(other);
    inlet_close(&t);
}

static void input_stream__both_framings_in_one_stream__are_told_apart(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    inlet_open(&t);
    struct os_stream *s = inlet_dial(&t);

    inlet_send_text(s, "9 <13>a\nb c<13>line\n");
    inlet_expect(&t, 2);
    assert_string_equal(t.got[0].text, "<13>a\nb c");
    assert_int_equal(t.got[0].flags, RECORD_BINARY);
    assert_string_equal(t.got[1].text, "<13>line");
    s->ops->close(s);
    inlet_close(&t);
}

static void input_stream__many_senders__keep_their_order_and_lose_nothing(void **state)
{
    (void)state;
    static const char *const who[] = {"ann", "bob", "cleo", "dan"};
    enum { LINES = 5000 };
    struct sender senders[COUNT(who)];
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    inlet_open(&t);

    for (size_t i = 0; i < COUNT(who); i++) {
        senders[i] = (struct sender){.name = who[i], .lines = LINES, .length = 61 + i};
        sender_start(&senders[i], &t);
    }
    inlet_expect(&t, LINES * COUNT(who));
    for (size_t i = 0; i < COUNT(who); i++) {
        sender_end(&senders[i]);
        assert_lines(t.got, t.got_count, &senders[i]);
    }
    inlet_await(&inlet_counters(&t)->received, LINES * COUNT(who));
    inlet_close(&t);
}

static void input_stream__one_floods__another_is_heard(void **state)
{
    (void)state;
    struct sender flood = {.name = "flood", .lines = SIZE_MAX, .length = 200};
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    inlet_open(&t);
    struct os_stream *quiet = inlet_dial(&t);

    sender_start(&flood, &t);
    inlet_await(&inlet_counters(&t)->received, 1000);
    inlet_send_text(quiet, "<13>quiet\n");
    uint64_t deadline = test_deadline();
    for (size_t seen = 0; os_clock_ms() < deadline; seen = t.got_count) {
        inlet_drain(&t);
        while (seen < t.got_count && strcmp(t.got[seen].text, "<13>quiet") != 0)
            seen++;
        if (seen < t.got_count)
            break;
    }
    assert_false(atomic_load(&flood.is_done));
    assert_true(os_clock_ms() < deadline);
    atomic_store(&flood.is_stopping, true);
    /* It may be waiting for us. */
    while (!atomic_load(&flood.is_done))
        inlet_drain(&t);
    sender_end(&flood);
    quiet->ops->close(quiet);
    queue_close(t.queue);
    inlet_close(&t);
}

/* ---- the end of a connection ------------------------------------------------------------- */

static void input_stream__close_inside_a_line__delivers_it_unterminated(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    inlet_open(&t);
    struct os_stream *s = inlet_dial(&t);

    inlet_send_text(s, "<13>whole\n<13>open");
    s->ops->finish(s);
    inlet_expect(&t, 2);
    assert_string_equal(t.got[1].text, "<13>open");
    assert_int_equal(t.got[1].flags, RECORD_UNTERMINATED);
    inlet_await(&inlet_counters(&t)->flagged_unterminated, 1);
    assert_true(inlet_is_closed(s));
    assert_int_equal(counter_get(&inlet_counters(&t)->connections), 0);
    assert_int_equal(counter_get(&inlet_counters(&t)->connections_total), 1);
    s->ops->close(s);
    inlet_close(&t);
}

static void input_stream__nothing_follows_a_nul__is_settled_in_time(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    inlet_open(&t);
    struct os_stream *s = inlet_dial(&t);

    /* Whether this NUL ends the line hangs on what follows; the connection stays open. */
    inlet_send(s, "<13>nul\0", sizeof("<13>nul"));
    inlet_expect(&t, 1);
    assert_string_equal(t.got[0].text, "<13>nul");
    inlet_send_text(s, "<13>next\n");
    inlet_expect(&t, 2);
    assert_string_equal(t.got[1].text, "<13>next");
    s->ops->close(s);
    inlet_close(&t);
}

static void input_stream__silence__is_closed_and_its_open_line_kept(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    t.config.idle_timeout_ms = 100;
    inlet_open(&t);
    struct os_stream *s = inlet_dial(&t);

    inlet_send_text(s, "<13>half");
    assert_true(inlet_is_closed(s));
    inlet_expect(&t, 1);
    assert_string_equal(t.got[0].text, "<13>half");
    assert_int_equal(t.got[0].flags, RECORD_UNTERMINATED);
    s->ops->close(s);
    inlet_close(&t);
}

/* ---- who is turned away ------------------------------------------------------------------ */

static void input_stream__tls__is_closed_and_counted(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    inlet_open(&t);
    struct os_stream *s = inlet_dial(&t);

    inlet_send(s, "\x16\x03\x01\x02\x00\x01\n<13>inside\n", 19);
    assert_true(inlet_is_closed(s));
    assert_int_equal(counter_get(&inlet_counters(&t)->tls_on_plain), 1);
    assert_int_equal(counter_get(&inlet_counters(&t)->received), 0);
    s->ops->close(s);
    inlet_close(&t);
}

static void input_stream__http__is_closed_and_counted(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    inlet_open(&t);
    struct os_stream *s = inlet_dial(&t);

    inlet_send_text(s, "GET / HTTP/1.1\r\n");
    assert_true(inlet_is_closed(s));
    assert_int_equal(counter_get(&inlet_counters(&t)->foreign_protocol), 1);
    s->ops->close(s);
    inlet_close(&t);
}

static void input_stream__not_in_allow__is_closed_unread(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(address_prefix_parse("192.0.2.0/24", 12, &t.config.allow[0]), 0);
    t.config.allow_count = 1;
    inlet_open(&t);
    struct os_stream *s = inlet_dial(&t);

    assert_true(inlet_is_closed(s));
    assert_int_equal(counter_get(&inlet_counters(&t)->dropped_not_allowed), 1);
    assert_int_equal(counter_get(&inlet_counters(&t)->connections_total), 0);
    s->ops->close(s);
    inlet_close(&t);
}

static void input_stream__in_allow__is_let_in(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(address_prefix_parse("192.0.2.0/24", 12, &t.config.allow[0]), 0);
    assert_int_equal(address_prefix_parse("127.0.0.0/8", 11, &t.config.allow[1]), 0);
    t.config.allow_count = 2;
    inlet_open(&t);
    struct os_stream *s = inlet_dial(&t);

    inlet_send_text(s, "<13>friend\n");
    inlet_expect(&t, 1);
    s->ops->close(s);
    inlet_close(&t);
}

static void input_stream__one_more_than_max_connections__is_turned_away(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    t.config.max_connections = 2;
    inlet_open(&t);
    struct os_stream *first = inlet_dial(&t);
    struct os_stream *second = inlet_dial(&t);
    inlet_await(&inlet_counters(&t)->connections, 2);
    struct os_stream *third = inlet_dial(&t);

    assert_true(inlet_is_closed(third));
    assert_int_equal(counter_get(&inlet_counters(&t)->dropped_connections), 1);
    first->ops->close(first);
    /* The place is free again when the end was read. */
    inlet_send_text(second, "<13>still here\n");
    inlet_expect(&t, 1);
    third->ops->close(third);
    second->ops->close(second);
    inlet_close(&t);
}

/* ---- a full queue ------------------------------------------------------------------------ */

static void input_stream__full_queue__makes_the_sender_wait_and_loses_nothing(void **state)
{
    (void)state;
    /* More than queue and sockets hold together, even where the system lets socket buffers
     * grow large.
     */
    struct sender s = {.name = "fast", .lines = 16 * 1024, .length = 4000};
    struct queue_books books = {0};
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    inlet_open(&t);
    sender_start(&s, &t);

    uint64_t deadline = test_deadline();
    while (books.memory + 2 * BATCH_PAYLOAD_TARGET < books.memory_limit ||
           books.memory_limit == 0) {
        queue_books(t.queue, &books);
        assert_true(os_clock_ms() < deadline);
    }
    assert_true(books.memory <= books.memory_limit);
    assert_false(atomic_load(&s.is_done));

    inlet_expect(&t, s.lines);
    sender_end(&s);
    assert_lines(t.got, t.got_count, &s);
    assert_int_equal(counter_get(&inlet_counters(&t)->dropped_queue_full), 0);
    inlet_close(&t);
}

static void input_stream__closed_queue_at_stop__counts_what_finds_no_room(void **state)
{
    (void)state;
    struct sender s = {.name = "fast", .lines = 16 * 1024, .length = 4000};
    struct queue_books books = {0};
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    inlet_open(&t);
    sender_start(&s, &t);
    while (books.memory_batches == 0 ||
           books.memory + 2 * BATCH_PAYLOAD_TARGET < books.memory_limit)
        queue_books(t.queue, &books);

    input_finish(t.in);
    queue_close(t.queue);
    input_stop(t.in);
    const struct input_counters *c = inlet_counters(&t);
    uint64_t dropped = counter_get(&c->dropped_queue_full);
    inlet_drain(&t);
    assert_int_equal(counter_get(&c->received), t.got_count + dropped);
    queue_books(t.queue, &books);
    assert_int_equal(books.received, counter_get(&c->received));
    assert_int_equal(books.dropped, dropped);
    os_thread_join(&s.thread); /* its connection broke */
    s.stream->ops->close(s.stream);
    inlet_close(&t);
}

/* ---- stop -------------------------------------------------------------------------------- */

static void input_stream__stop__hands_over_what_the_system_has_already(void **state)
{
    (void)state;
    enum { LINES = 3000 };
    struct sender s = {.name = "last", .lines = LINES, .length = 100};
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(input_open(&t.config, 1, &t.context, &t.in), 0);
    sender_start(&s, &t);
    os_thread_join(&s.thread);
    inlet_send_text(s.stream, "<13>open");

    /* Nothing is read yet, not even the connection is taken. */
    assert_int_equal(input_start(t.in), 0);
    input_stop(t.in);
    inlet_drain(&t);
    assert_int_equal(t.got_count, LINES + 1);
    assert_lines(t.got, LINES, &s);
    assert_string_equal(t.got[LINES].text, "<13>open");
    assert_int_equal(t.got[LINES].flags, RECORD_UNTERMINATED);
    assert_true(inlet_is_closed(s.stream));
    s.stream->ops->close(s.stream);
    inlet_close(&t);
}

static void input_stream__port_in_use__is_told_at_open(void **state)
{
    (void)state;
    struct inlet t, second;
    inlet_init(&t, "tcp:127.0.0.1:0");
    inlet_open(&t);
    inlet_init(&second, "tcp:127.0.0.1:0");
    second.config.listen = endpoint_with_port("tcp:127.0.0.1:0", input_port(t.in));

    assert_int_equal(input_open(&second.config, 1, &second.context, &second.in), ERR_IN_USE);
    inlet_close(&second);
    inlet_close(&t);
}

static void input_stream__never_started__can_be_freed(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");

    assert_int_equal(input_open(&t.config, 1, &t.context, &t.in), 0);
    assert_int_not_equal(input_port(t.in), 0);
    inlet_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_stream__one_line__comes_with_its_source),
        cmocka_unit_test(input_stream__line_in_three_writes__is_one_record),
        cmocka_unit_test(input_stream__both_framings_in_one_stream__are_told_apart),
        cmocka_unit_test(input_stream__many_senders__keep_their_order_and_lose_nothing),
        cmocka_unit_test(input_stream__one_floods__another_is_heard),
        cmocka_unit_test(input_stream__close_inside_a_line__delivers_it_unterminated),
        cmocka_unit_test(input_stream__nothing_follows_a_nul__is_settled_in_time),
        cmocka_unit_test(input_stream__silence__is_closed_and_its_open_line_kept),
        cmocka_unit_test(input_stream__tls__is_closed_and_counted),
        cmocka_unit_test(input_stream__http__is_closed_and_counted),
        cmocka_unit_test(input_stream__not_in_allow__is_closed_unread),
        cmocka_unit_test(input_stream__in_allow__is_let_in),
        cmocka_unit_test(input_stream__one_more_than_max_connections__is_turned_away),
        cmocka_unit_test(input_stream__full_queue__makes_the_sender_wait_and_loses_nothing),
        cmocka_unit_test(input_stream__closed_queue_at_stop__counts_what_finds_no_room),
        cmocka_unit_test(input_stream__stop__hands_over_what_the_system_has_already),
        cmocka_unit_test(input_stream__port_in_use__is_told_at_open),
        cmocka_unit_test(input_stream__never_started__can_be_freed),
    };
    return RUN_TESTS(tests);
}
