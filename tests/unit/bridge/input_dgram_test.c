/* SPDX-License-Identifier: MIT */
/* input_dgram_test.c - one datagram is one record; what is lost is counted to the last one. */
#include <stdio.h>
#include <stdlib.h>

#include "common/os/dgram.h"
#include "inlet.h"

static struct os_dgram *sender_to(const struct inlet *t, const char *listen)
{
    struct endpoint to = endpoint_with_port(listen, input_port(t->in));
    struct os_dgram *d = NULL;

    assert_int_equal(os_dgram_connect(&to, &d), 0);
    return d;
}

static void send_octets(struct os_dgram *d, const void *data, size_t length)
{
    struct os_vec vec = {.data = data, .length = length};

    assert_int_equal(os_dgram_send(d, &vec, 1, test_deadline()), 1);
}

static void send_text(struct os_dgram *d, const char *text)
{
    send_octets(d, text, strlen(text));
}

/* What kernel_dropped is when nothing was dropped: 0, or unknown where the system does not
 * tell. */
static uint64_t no_kernel_drops(void)
{
    struct endpoint any = endpoint_with_port("udp:127.0.0.1:0", 0);
    struct os_dgram *d = NULL;

    assert_int_equal(os_dgram_open(&any, 0, &d), 0);
    bool is_told = os_dgram_has_kernel_dropped(d);
    os_dgram_close(d);
    return is_told ? 0 : COUNTER_UNKNOWN;
}

static void input_dgram__no_datagram_yet__says_whether_drops_are_told(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "udp:127.0.0.1:0");
    inlet_open(&t);
    assert_true(counter_get(&inlet_counters(&t)->kernel_dropped) == no_kernel_drops());
    inlet_close(&t);
}

static void input_dgram__one_datagram__comes_with_its_source(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "udp:127.0.0.1:0");
    inlet_open(&t);
    struct os_dgram *d = sender_to(&t, "udp:127.0.0.1:0");

    send_text(d, "<13>hello\nworld\r\n");
    inlet_expect(&t, 1);
    assert_string_equal(t.got[0].text, "<13>hello\nworld");
    assert_int_equal(t.got[0].flags, RECORD_BINARY);
    assert_int_equal(t.got[0].source.transport, TRANSPORT_UDP);
    assert_memory_equal(t.got[0].source.address.ip, "\x7F\x00\x00\x01", 4);
    assert_int_not_equal(t.got[0].source.address.port, 0);
    os_dgram_close(d);
    inlet_close(&t);
}

static void input_dgram__numbered_datagrams__come_in_order(void **state)
{
    (void)state;
    enum { COUNT_MAX = 5000, IN_FLIGHT = 64 };
    struct inlet t;
    inlet_init(&t, "udp:127.0.0.1:0");
    inlet_open(&t);
    struct os_dgram *d = sender_to(&t, "udp:127.0.0.1:0");
    char text[32];

    for (int i = 0; i < COUNT_MAX; i++) {
        snprintf(text, sizeof(text), "<13>%d", i);
        send_text(d, text);
        if (i % IN_FLIGHT == 0) /* never more than the socket's buffer holds */
            inlet_await(&inlet_counters(&t)->received, (uint64_t)i);
    }
    inlet_expect(&t, COUNT_MAX);
    for (int i = 0; i < COUNT_MAX; i++) {
        snprintf(text, sizeof(text), "<13>%d", i);
        assert_string_equal(t.got[i].text, text);
    }
    assert_true(counter_get(&inlet_counters(&t)->kernel_dropped) == no_kernel_drops());
    os_dgram_close(d);
    inlet_close(&t);
}

static void input_dgram__nothing_but_line_ends__is_dropped_and_counted(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "udp:127.0.0.1:0");
    inlet_open(&t);
    struct os_dgram *d = sender_to(&t, "udp:127.0.0.1:0");

    send_text(d, "");
    send_text(d, "\r\n");
    send_text(d, "<13>x");
    inlet_expect(&t, 1);
    inlet_await(&inlet_counters(&t)->dropped_empty, 2);
    inlet_await(&inlet_counters(&t)->received, 1);
    assert_int_equal(counter_get(&inlet_counters(&t)->received), 1);
    os_dgram_close(d);
    inlet_close(&t);
}

static void input_dgram__longer_than_max_message__is_cut_and_flagged(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "udp:127.0.0.1:0");
    t.config.framer.max_message = 8;
    inlet_open(&t);
    struct os_dgram *d = sender_to(&t, "udp:127.0.0.1:0");

    send_text(d, "<13>0123456789");
    inlet_expect(&t, 1);
    assert_string_equal(t.got[0].text, "<13>0123");
    assert_int_equal(t.got[0].orig_length, 14);
    assert_int_equal(t.got[0].flags, RECORD_TRUNCATED);
    inlet_await(&inlet_counters(&t)->flagged_truncated, 1);
    inlet_await(&inlet_counters(&t)->truncated, 1);
    os_dgram_close(d);
    inlet_close(&t);
}

static void input_dgram__largest_datagram__comes_whole(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "udp:127.0.0.1:0");
    inlet_open(&t);
    struct os_dgram *d = sender_to(&t, "udp:127.0.0.1:0");
    char *text = malloc(OS_DGRAM_SEND_MAX);

    assert_non_null(text);
    memset(text, 'x', OS_DGRAM_SEND_MAX);
    send_octets(d, text, OS_DGRAM_SEND_MAX);
    inlet_expect(&t, 1);
    assert_int_equal(t.got[0].length, OS_DGRAM_SEND_MAX);
    assert_int_equal(t.got[0].flags, 0);
    free(text);
    os_dgram_close(d);
    inlet_close(&t);
}

static void input_dgram__not_in_allow__is_dropped_and_counted(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "udp:127.0.0.1:0");
    assert_int_equal(address_prefix_parse("192.0.2.0/24", 12, &t.config.allow[0]), 0);
    t.config.allow_count = 1;
    inlet_open(&t);
    struct os_dgram *d = sender_to(&t, "udp:127.0.0.1:0");

    send_text(d, "<13>stranger");
    inlet_await(&inlet_counters(&t)->dropped_not_allowed, 1);
    assert_int_equal(counter_get(&inlet_counters(&t)->received), 0);
    os_dgram_close(d);
    inlet_close(&t);
}

static void input_dgram__full_queue__drops_the_newest_and_counts_each(void **state)
{
    (void)state;
    enum { LENGTH = 40 * 1000, SENT = 200 };
    struct inlet t;
    inlet_init(&t, "udp:127.0.0.1:0");
    inlet_open(&t);
    struct os_dgram *d = sender_to(&t, "udp:127.0.0.1:0");
    const struct input_counters *c = inlet_counters(&t);
    char *text = malloc(LENGTH);

    assert_non_null(text);
    memset(text, 'x', LENGTH);
    for (uint64_t i = 0; i < SENT; i++) {
        int n = snprintf(text, LENGTH, "<13>%d ", (int)i);
        text[n] = 'x';
        send_octets(d, text, LENGTH);
        inlet_await(&c->received, i + 1); /* so that the system drops none */
    }
    uint64_t dropped = counter_get(&c->dropped_queue_full);
    assert_in_range(dropped, 1, SENT - 1);
    inlet_drain(&t);
    assert_int_equal(t.got_count, SENT - dropped);
    for (size_t i = 0; i < t.got_count; i++)
        assert_int_equal(atoi(t.got[i].text + strlen("<13>")), i);
    struct queue_books books;
    queue_books(t.queue, &books);
    assert_int_equal(books.received, SENT);
    assert_int_equal(books.dropped, dropped);

    /* There is room again. */
    send_text(d, "<13>after");
    inlet_expect(&t, SENT - dropped + 1);
    free(text);
    os_dgram_close(d);
    inlet_close(&t);
}

static void input_dgram__stop__hands_over_what_the_system_has_already(void **state)
{
    (void)state;
    enum { SENT = 100 };
    struct inlet t;
    inlet_init(&t, "udp:127.0.0.1:0");
    assert_int_equal(input_open(&t.config, 1, &t.context, &t.in), 0);
    struct os_dgram *d = sender_to(&t, "udp:127.0.0.1:0");

    for (int i = 0; i < SENT; i++)
        send_text(d, "<13>waiting");
    assert_int_equal(input_start(t.in), 0);
    input_stop(t.in);
    inlet_drain(&t);
    assert_int_equal(t.got_count, SENT);
    os_dgram_close(d);
    inlet_close(&t);
}

static void input_dgram__unix__has_no_address(void **state)
{
    (void)state;
    static const char listen[] = "unix-dgram:input_dgram_test.sock";
    struct inlet t;
    inlet_init(&t, listen);
    int r = input_open(&t.config, 1, &t.context, &t.in);
    if (r == ERR_UNSUPPORTED) {
        inlet_close(&t);
        skip();
    }
    assert_int_equal(r, 0);
    assert_int_equal(input_start(t.in), 0);
    struct os_dgram *d = sender_to(&t, listen);

    send_text(d, "<13>local");
    inlet_expect(&t, 1);
    assert_int_equal(t.got[0].source.transport, TRANSPORT_UNIX_DGRAM);
    assert_int_equal(t.got[0].source.address.family, ADDRESS_NONE);
    os_dgram_close(d);
    inlet_close(&t);
}

static void input_dgram__idle__stops_at_once(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "udp:127.0.0.1:0");
    inlet_open(&t);

    uint64_t before = os_clock_ms();
    input_stop(t.in);
    assert_in_range(os_clock_ms() - before, 0, TEST_LIMIT_MS / 2);
    inlet_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_dgram__no_datagram_yet__says_whether_drops_are_told),
        cmocka_unit_test(input_dgram__one_datagram__comes_with_its_source),
        cmocka_unit_test(input_dgram__numbered_datagrams__come_in_order),
        cmocka_unit_test(input_dgram__nothing_but_line_ends__is_dropped_and_counted),
        cmocka_unit_test(input_dgram__longer_than_max_message__is_cut_and_flagged),
        cmocka_unit_test(input_dgram__largest_datagram__comes_whole),
        cmocka_unit_test(input_dgram__not_in_allow__is_dropped_and_counted),
        cmocka_unit_test(input_dgram__full_queue__drops_the_newest_and_counts_each),
        cmocka_unit_test(input_dgram__stop__hands_over_what_the_system_has_already),
        cmocka_unit_test(input_dgram__unix__has_no_address),
        cmocka_unit_test(input_dgram__idle__stops_at_once),
    };
    return RUN_TESTS(tests);
}
