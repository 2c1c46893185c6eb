/* SPDX-License-Identifier: MIT */
/* output_stream_test.c - a server that comes late, goes, comes back, or hangs: what it has
 * not confirmed is sent again, in order.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/os/stream.h"
#include "outlet.h"

/* The far side: one listener, one connection at a time, read line by line. */
struct server {
    struct os_listener *listener;
    struct os_stream *stream;
    char buffer[64 * 1024];
    size_t start, end;
};

static const char *scheme_of(const struct endpoint *e)
{
    return e->kind == ENDPOINT_TCP ? "tcp" : "unix";
}

static int server_listen(struct server *s, struct endpoint *at)
{
    const struct os_carrier *carrier = os_carrier_find(scheme_of(at));

    *s = (struct server){0};
    if (carrier == NULL)
        return ERR_UNSUPPORTED;
    int r = carrier->listen(&(struct os_target){.endpoint = at}, &s->listener);
    if (r == 0 && at->kind == ENDPOINT_TCP && at->port == 0) { /* later the output reads it */
        at->port = s->listener->port;
        at->address.port = (uint16_t)at->port;
    }
    return r;
}

static void server_accept(struct server *s)
{
    int r;

    while ((r = s->listener->ops->accept(s->listener, &s->stream)) == ERR_AGAIN)
        ;
    assert_int_equal(r, 0);
    s->start = s->end = 0;
}

static void server_hang_up(struct server *s)
{
    if (s->stream != NULL)
        s->stream->ops->close(s->stream);
    s->stream = NULL;
}

static void server_close(struct server *s)
{
    server_hang_up(s);
    s->listener->ops->close(s->listener);
}

/* The next line without its LF; lives until the next call. Fails when the connection ends. */
static char *server_line(struct server *s)
{
    for (;;) {
        char *lf = memchr(s->buffer + s->start, '\n', s->end - s->start);
        if (lf != NULL) {
            char *line = s->buffer + s->start;
            *lf = '\0';
            s->start = (size_t)(lf + 1 - s->buffer);
            return line;
        }
        memmove(s->buffer, s->buffer + s->start, s->end - s->start);
        s->end -= s->start;
        s->start = 0;
        ptrdiff_t n =
            s->stream->ops->read(s->stream, s->buffer + s->end, sizeof(s->buffer) - s->end);
        if (n < 0)
            fail_msg("the connection ended: %d", (int)n);
        s->end += (size_t)n;
    }
}

static void submit_line(struct outlet *t, const char *text)
{
    const struct line line = {FROM_LAN, text, 0};

    outlet_submit(t, make_batch(&line, 1));
}

/* ---- writing ----------------------------------------------------------------------------- */

static void output_stream__many_batches__arrive_in_order(void **state)
{
    (void)state;
    enum { BATCHES = 300, RECORDS = 100, LENGTH = 90 };
    struct server s;
    struct outlet t;
    outlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(server_listen(&s, &t.config.to), 0);
    outlet_open(&t);
    server_accept(&s);

    for (size_t i = 0; i < BATCHES; i++)
        outlet_submit(&t, make_numbered(i * RECORDS, RECORDS, LENGTH));
    for (size_t i = 0; i < BATCHES * RECORDS; i++)
        assert_int_equal(number_of(server_line(&s)), i);
    outlet_await(&outlet_counters(&t)->delivered, BATCHES * RECORDS);
    assert_true(queue_wait_drained(t.queue, test_deadline()));
    assert_int_equal(counter_get(&outlet_counters(&t)->delivered_bytes),
                     BATCHES * RECORDS * LENGTH);
    outlet_close(&t);
    server_close(&s);
}

static void output_stream__octet_framing__is_counted(void **state)
{
    (void)state;
    struct server s;
    struct outlet t;
    outlet_init(&t, "tcp:127.0.0.1:0");
    t.config.framing = OUTPUT_OCTET;
    assert_int_equal(server_listen(&s, &t.config.to), 0);
    outlet_open(&t);
    server_accept(&s);

    submit_line(&t, "a\nb");
    submit_line(&t, "end\n");
    assert_string_equal(server_line(&s), "3 a");
    assert_string_equal(server_line(&s), "b4 end");
    outlet_close(&t);
    server_close(&s);
}

static void output_stream__idle_then_a_record__goes_at_once(void **state)
{
    (void)state;
    struct server s;
    struct outlet t;
    outlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(server_listen(&s, &t.config.to), 0);
    outlet_open(&t);
    server_accept(&s);

    for (int i = 0; i < 3; i++) {
        submit_line(&t, "tick");
        assert_string_equal(server_line(&s), "tick");
        assert_true(queue_wait_drained(t.queue, test_deadline()));
    }
    outlet_close(&t);
    server_close(&s);
}

/* ---- breaks ------------------------------------------------------------------------------ */

static void output_stream__server_comes_late__gets_everything(void **state)
{
    (void)state;
    struct server s;
    struct outlet t;
    char error[OUTPUT_ERROR_MAX];
    outlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(server_listen(&s, &t.config.to), 0);
    server_close(&s); /* the port is known, nobody is there */
    outlet_open(&t);

    submit_line(&t, "early");
    outlet_await(&outlet_counters(&t)->retried, 2);
    assert_int_equal(counter_get(&outlet_counters(&t)->is_up), 0);
    assert_string_not_equal(output_error(t.out, error, sizeof(error)), "");
    assert_int_equal(server_listen(&s, &t.config.to), 0);
    server_accept(&s);
    assert_string_equal(server_line(&s), "early");
    outlet_await(&outlet_counters(&t)->delivered, 1);
    assert_string_equal(output_error(t.out, error, sizeof(error)), "");
    outlet_close(&t);
    server_close(&s);
}

static void output_stream__idle_server_restarts__is_noticed_before_the_next_record(void **state)
{
    (void)state;
    struct server s;
    struct outlet t;
    outlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(server_listen(&s, &t.config.to), 0);
    outlet_open(&t);
    server_accept(&s);
    submit_line(&t, "before");
    assert_string_equal(server_line(&s), "before");
    outlet_await(&outlet_counters(&t)->delivered, 1);

    server_hang_up(&s);
    server_accept(&s); /* it comes by itself: nothing was submitted */
    submit_line(&t, "after");
    assert_string_equal(server_line(&s), "after");
    outlet_await(&outlet_counters(&t)->delivered, 2);
    outlet_close(&t);
    server_close(&s);
}

/* <s> hangs up in the middle of <batches>, having read <read> lines, and is away until the
 * output knows it. Returns the first number that the next connection brings.
 */
static size_t break_in_mid_stream(struct outlet *t, struct server *s, size_t batches,
                                  size_t read, uint64_t *ret_confirmed)
{
    enum { RECORDS = 50, LENGTH = 4000 };

    outlet_open(t);
    server_accept(s);
    for (size_t i = 0; i < batches; i++)
        outlet_submit(t, make_numbered(i * RECORDS, RECORDS, LENGTH));
    for (size_t i = 0; i < read; i++)
        assert_int_equal(number_of(server_line(s)), i);
    server_close(s);
    outlet_await_exactly(&outlet_counters(t)->is_up, 0);
    *ret_confirmed = counter_get(&outlet_counters(t)->delivered);
    assert_true(*ret_confirmed < batches * RECORDS);

    assert_int_equal(server_listen(s, &t->config.to), 0);
    server_accept(s);
    size_t first = number_of(server_line(s));
    for (size_t i = first + 1; i < batches * RECORDS; i++)
        assert_int_equal(number_of(server_line(s)), i);
    outlet_await(&outlet_counters(t)->delivered, batches * RECORDS);
    assert_int_equal(counter_get(&outlet_counters(t)->delivered), batches * RECORDS);
    return first;
}

static void
output_stream__server_restarts_in_mid_stream__loses_nothing_unconfirmed(void **state)
{
    (void)state;
    struct server s;
    struct outlet t;
    uint64_t confirmed;
    /* Wine 8 can lose the end of a connection for a send that waits: its trace shows the send
     * woken by the reader's last read, put back with DEVICE_NOT_READY, and not woken again by
     * the reset that came meanwhile. */
    if (test_is_wine())
        skip();
    outlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(server_listen(&s, &t.config.to), 0);

    size_t first = break_in_mid_stream(&t, &s, 250, 100, &confirmed);
    assert_int_equal(first, confirmed);
    outlet_close(&t);
    server_close(&s);
}

static void output_stream__unix_server_restarts__loses_nothing_unread(void **state)
{
    (void)state;
    enum { READ = 100 };
    struct server s;
    struct outlet t;
    uint64_t confirmed;
    outlet_init(&t, "unix:output_stream_test.sock");
    if (server_listen(&s, &t.config.to) == ERR_UNSUPPORTED) {
        outlet_close(&t);
        skip();
    }

    /* What was read is all that counts, so none behind it may be missing. */
    size_t first = break_in_mid_stream(&t, &s, 50, READ, &confirmed);
    assert_int_equal(first, confirmed);
    /* The server's own buffer had some read ahead of the lines it took. */
    assert_true(first * (size_t)4001 <= READ * (size_t)4001 + sizeof(s.buffer));
    outlet_close(&t);
    server_close(&s);
}

static void output_stream__server_does_not_read__stop_takes_bounded_time(void **state)
{
    (void)state;
    struct server s;
    struct outlet t;
    outlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(server_listen(&s, &t.config.to), 0);
    outlet_open(&t);
    server_accept(&s);
    for (size_t i = 0; i < 250; i++)
        outlet_submit(&t, make_numbered(i * 50, 50, 4000));

    uint64_t before = os_clock_ms();
    output_stop(t.out);
    assert_in_range(os_clock_ms() - before, 0, OUTPUT_STOP_MS + TEST_LIMIT_MS / 2);
    struct queue_books books;
    queue_books(t.queue, &books);
    assert_int_equal(books.delivered, counter_get(&outlet_counters(&t)->delivered));
    assert_int_equal(books.held + books.delivered, 250 * 50);
    assert_true(books.held > 0);
    outlet_close(&t);
    server_close(&s);
}

static void output_stream__nobody_there__stops_at_once(void **state)
{
    (void)state;
    struct server s;
    struct outlet t;
    outlet_init(&t, "tcp:127.0.0.1:0");
    assert_int_equal(server_listen(&s, &t.config.to), 0);
    server_close(&s);
    outlet_open(&t);
    outlet_await(&outlet_counters(&t)->retried, 1);

    uint64_t before = os_clock_ms();
    output_stop(t.out);
    assert_in_range(os_clock_ms() - before, 0, OUTPUT_STOP_MS + TEST_LIMIT_MS / 2);
    outlet_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_stream__many_batches__arrive_in_order),
        cmocka_unit_test(output_stream__octet_framing__is_counted),
        cmocka_unit_test(output_stream__idle_then_a_record__goes_at_once),
        cmocka_unit_test(output_stream__server_comes_late__gets_everything),
        cmocka_unit_test(
            output_stream__idle_server_restarts__is_noticed_before_the_next_record),
        cmocka_unit_test(
            output_stream__server_restarts_in_mid_stream__loses_nothing_unconfirmed),
        cmocka_unit_test(output_stream__unix_server_restarts__loses_nothing_unread),
        cmocka_unit_test(output_stream__server_does_not_read__stop_takes_bounded_time),
        cmocka_unit_test(output_stream__nobody_there__stops_at_once),
    };
    return RUN_TESTS(tests);
}
