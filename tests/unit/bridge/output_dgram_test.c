/* SPDX-License-Identifier: MIT */
/* output_dgram_test.c - one record, one datagram: as it is, in order, and what does not fit. */
#include <stdio.h>
#include <stdlib.h>

#include "common/os/dgram.h"
#include "outlet.h"

struct receiver {
    struct os_dgram *socket;
    struct os_datagram got[OS_DGRAM_BATCH];
    int at, count;
};

static int receiver_open(struct receiver *r, struct endpoint *at)
{
    *r = (struct receiver){0};
    int err = os_dgram_open(at, 0, &r->socket);
    if (err == 0 && at->kind == ENDPOINT_UDP && at->port == 0) { /* later the output reads it */
        at->port = os_dgram_port(r->socket);
        at->address.port = (uint16_t)at->port;
    }
    return err;
}

/* The next datagram; lives until the next call. */
static const struct os_datagram *receive(struct receiver *r)
{
    if (r->at == r->count) {
        r->count = os_dgram_receive(r->socket, r->got, OS_DGRAM_BATCH, test_deadline());
        r->at = 0;
        assert_true(r->count > 0);
    }
    return &r->got[r->at++];
}

static void assert_next(struct receiver *r, const void *data, size_t length)
{
    const struct os_datagram *d = receive(r);

    assert_int_equal(d->length, length);
    assert_memory_equal(d->data, data, length);
}

static void output_dgram__records__go_as_they_are(void **state)
{
    (void)state;
    const struct line lines[] = {
        {FROM_LAN, "<13>a\nb", 0}, {FROM_LOCAL, "not this", 0}, {FROM_LAN, "c\0d", 3}};
    struct receiver r;
    struct outlet t;
    outlet_init(&t, "udp:127.0.0.1:0");
    assert_int_equal(receiver_open(&r, &t.config.to), 0);
    t.config.input_count = 1;
    strcpy(t.config.inputs[0], "lan");
    outlet_open(&t);

    outlet_submit(&t, make_batch(lines, COUNT(lines)));
    assert_next(&r, "<13>a\nb", 7);
    assert_next(&r, "c\0d", 3);
    outlet_await(&outlet_counters(&t)->delivered, 2);
    assert_true(queue_wait_drained(t.queue, test_deadline()));
    assert_int_equal(counter_get(&outlet_counters(&t)->delivered_bytes), 10);
    outlet_close(&t);
    os_dgram_close(r.socket);
}

static void output_dgram__many_records__arrive_in_order(void **state)
{
    (void)state;
    enum { BATCHES = 100, RECORDS = 50 };
    struct receiver r;
    struct outlet t;
    outlet_init(&t, "udp:127.0.0.1:0");
    assert_int_equal(receiver_open(&r, &t.config.to), 0);
    outlet_open(&t);

    for (size_t i = 0; i < BATCHES; i++) {
        outlet_submit(&t, make_numbered(i * RECORDS, RECORDS, 30));
        for (size_t k = 0; k < RECORDS; k++) {
            char text[64] = "";
            const struct os_datagram *d = receive(&r);
            memcpy(text, d->data, d->length < sizeof(text) ? d->length : sizeof(text) - 1);
            assert_int_equal(number_of(text), i * RECORDS + k);
        }
    }
    outlet_await(&outlet_counters(&t)->delivered, BATCHES * RECORDS);
    outlet_close(&t);
    os_dgram_close(r.socket);
}

static void output_dgram__longer_than_udp_carries__is_cut_and_counted(void **state)
{
    (void)state;
    enum { LENGTH = OS_DGRAM_SEND_MAX + 10 };
    struct receiver r;
    struct outlet t;
    outlet_init(&t, "udp:127.0.0.1:0");
    assert_int_equal(receiver_open(&r, &t.config.to), 0);
    outlet_open(&t);

    outlet_submit(&t, make_numbered(1, 1, LENGTH));
    const struct os_datagram *d = receive(&r);
    assert_int_equal(d->length, OS_DGRAM_SEND_MAX);
    outlet_await(&outlet_counters(&t)->delivered, 1);
    outlet_await(&outlet_counters(&t)->truncated, 1);
    outlet_close(&t);
    os_dgram_close(r.socket);
}

static void output_dgram__unix_receiver_restarts__gets_every_record_once(void **state)
{
    (void)state;
    enum { FIRST = 20, RECORDS = 300 };
    struct receiver r;
    struct outlet t;
    outlet_init(&t, "unix-dgram:output_dgram_test.sock");
    if (receiver_open(&r, &t.config.to) == ERR_UNSUPPORTED) {
        outlet_close(&t);
        skip();
    }
    outlet_open(&t);

    outlet_submit(&t, make_numbered(0, FIRST, 30));
    for (size_t i = 0; i < FIRST; i++)
        receive(&r);
    outlet_await(&outlet_counters(&t)->delivered, FIRST);
    os_dgram_close(r.socket);
    outlet_submit(&t, make_numbered(FIRST, RECORDS, 30));
    outlet_await(&outlet_counters(&t)->retried, 2);
    assert_int_equal(receiver_open(&r, &t.config.to), 0);
    for (size_t i = 0; i < RECORDS; i++) {
        char text[64] = "";
        const struct os_datagram *d = receive(&r);
        memcpy(text, d->data, d->length < sizeof(text) ? d->length : sizeof(text) - 1);
        assert_int_equal(number_of(text), FIRST + i);
    }
    outlet_await(&outlet_counters(&t)->delivered, FIRST + RECORDS);
    outlet_close(&t);
    os_dgram_close(r.socket);
}

static void output_dgram__too_long_for_the_receiver__is_dropped_and_counted(void **state)
{
    (void)state;
    char *data = malloc(MESSAGE_MAX_LIMIT);
    struct receiver r;
    struct outlet t;
    assert_non_null(data);
    memset(data, 'x', MESSAGE_MAX_LIMIT);
    const struct line lines[] = {
        {FROM_LAN, "one", 0}, {FROM_LAN, data, MESSAGE_MAX_LIMIT}, {FROM_LAN, "two", 0}};
    outlet_init(&t, "unix-dgram:output_dgram_test.sock");
    if (receiver_open(&r, &t.config.to) == ERR_UNSUPPORTED) {
        outlet_close(&t);
        free(data);
        skip();
    }
    outlet_open(&t);

    outlet_submit(&t, make_batch(lines, 2)); /* more than that is not in one batch */
    outlet_submit(&t, make_batch(lines + 2, 1));
    assert_next(&r, "one", 3);
    assert_next(&r, "two", 3);
    assert_true(queue_wait_drained(t.queue, test_deadline()));
    outlet_await(&outlet_counters(&t)->dropped_too_large, 1);
    struct queue_books books;
    queue_books(t.queue, &books);
    assert_int_equal(books.delivered, 2);
    assert_int_equal(books.dropped, 1);
    outlet_close(&t);
    os_dgram_close(r.socket);
    free(data);
}

static void output_dgram__unix_receiver_does_not_read__stop_takes_bounded_time(void **state)
{
    (void)state;
    struct receiver r;
    struct outlet t;
    outlet_init(&t, "unix-dgram:output_dgram_test.sock");
    if (receiver_open(&r, &t.config.to) == ERR_UNSUPPORTED) {
        outlet_close(&t);
        skip();
    }
    outlet_open(&t);
    outlet_submit(&t, make_numbered(0, 5000, 40));
    outlet_await(&outlet_counters(&t)->is_up, 1);

    uint64_t before = os_clock_ms();
    output_stop(t.out);
    assert_in_range(os_clock_ms() - before, 0, OUTPUT_STOP_MS + TEST_LIMIT_MS / 2);
    outlet_close(&t);
    os_dgram_close(r.socket);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_dgram__records__go_as_they_are),
        cmocka_unit_test(output_dgram__many_records__arrive_in_order),
        cmocka_unit_test(output_dgram__longer_than_udp_carries__is_cut_and_counted),
        cmocka_unit_test(output_dgram__unix_receiver_restarts__gets_every_record_once),
        cmocka_unit_test(output_dgram__too_long_for_the_receiver__is_dropped_and_counted),
        cmocka_unit_test(output_dgram__unix_receiver_does_not_read__stop_takes_bounded_time),
    };
    return RUN_TESTS(tests);
}
