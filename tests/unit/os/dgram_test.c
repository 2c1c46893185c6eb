/* SPDX-License-Identifier: MIT */
/* dgram_test.c - datagrams over UDP. Unix sockets: dgram_linux_test.c. */
#include "common/os/dgram.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/os/stream.h"
#include "os_test.h"

enum {
    SHORT_MS = 30, /* a wait in which nothing comes */
    FLOOD = 20000, /* datagrams for a buffer that holds a few */
    RACES = 50,
    MANY = 1000,
};

static struct os_dgram *receiver(const char *text, uint32_t buffer)
{
    struct endpoint at = endpoint_of(text);
    struct os_dgram *d = NULL;

    assert_int_equal(os_dgram_open(&at, buffer, &d), 0);
    assert_true(os_dgram_port(d) != 0);
    return d;
}

static struct os_dgram *sender(const char *text, const struct os_dgram *to)
{
    struct endpoint at = endpoint_with_port(text, os_dgram_port(to));
    struct os_dgram *d = NULL;

    assert_int_equal(os_dgram_connect(&at, &d), 0);
    return d;
}

static void send_one(struct os_dgram *d, const void *data, size_t length)
{
    struct os_vec vec = {data, length};

    assert_int_equal(os_dgram_send(d, &vec, 1, test_deadline()), 1);
}

static struct os_datagram receive_one(struct os_dgram *d)
{
    struct os_datagram got = {0};

    assert_int_equal(os_dgram_receive(d, &got, 1, test_deadline()), 1);
    return got;
}

static void udp__any_address__takes_both_families_folded(void **state)
{
    struct os_dgram *in = receiver("udp:*:0", 0);
    struct os_dgram *v4 = sender("udp:127.0.0.1:1", in);
    char text[ADDRESS_TEXT_MAX];

    (void)state;
    send_one(v4, "four", 4);
    struct os_datagram got = receive_one(in);
    assert_int_equal(got.from.family, ADDRESS_IPV4);
    assert_string_equal(address_format_ip(&got.from, text, sizeof text), "127.0.0.1");
    assert_true(got.from.port != 0);
    if (has_ipv6()) {
        struct os_dgram *v6 = sender("udp:[::1]:1", in);
        send_one(v6, "six", 3);
        got = receive_one(in);
        assert_int_equal(got.from.family, ADDRESS_IPV6);
        assert_string_equal(address_format_ip(&got.from, text, sizeof text), "::1");
        os_dgram_close(v6);
    }
    os_dgram_close(v4);
    os_dgram_close(in);
}

static void udp__lengths_from_0_to_the_largest__arrive_whole(void **state)
{
    const size_t lengths[] = {0, 1, 1472, 1473, 9000, OS_DGRAM_SEND_MAX};
    struct os_dgram *in = receiver("udp:127.0.0.1:0", 1024 * 1024);
    struct os_dgram *out = sender("udp:127.0.0.1:1", in);
    uint8_t *data = malloc(OS_DGRAM_SEND_MAX);

    (void)state;
    assert_non_null(data);
    for (size_t i = 0; i < OS_DGRAM_SEND_MAX; i++)
        data[i] = (uint8_t)(i * 31 >> 3);
    for (size_t i = 0; i < COUNT(lengths); i++) {
        send_one(out, data, lengths[i]);
        struct os_datagram got = receive_one(in);
        assert_int_equal(got.length, lengths[i]);
        assert_int_equal(got.true_length, lengths[i]);
        assert_false(got.was_cut);
        assert_memory_equal(got.data, data, lengths[i]);
    }
    free(data);
    os_dgram_close(out);
    os_dgram_close(in);
}

static void udp__longer_than_any_path_takes__is_full_and_the_next_one_goes(void **state)
{
    struct os_dgram *in = receiver("udp:127.0.0.1:0", 0);
    struct os_dgram *out = sender("udp:127.0.0.1:1", in);
    uint8_t *data = calloc(1, OS_DGRAM_SEND_MAX + 1);
    struct os_vec vec[2] = {{data, OS_DGRAM_SEND_MAX + 1}, {"next", 4}};

    (void)state;
    assert_non_null(data);
    assert_int_equal(os_dgram_send(out, vec, 2, test_deadline()), ERR_FULL);
    assert_int_equal(os_dgram_send(out, vec + 1, 1, test_deadline()), 1);
    assert_int_equal(receive_one(in).length, 4);
    free(data);
    os_dgram_close(out);
    os_dgram_close(in);
}

static void udp__a_whole_batch__comes_in_order(void **state)
{
    struct os_dgram *in = receiver("udp:127.0.0.1:0", 4 * 1024 * 1024);
    struct os_dgram *out = sender("udp:127.0.0.1:1", in);
    static char text[OS_DGRAM_BATCH][16];
    struct os_vec vec[OS_DGRAM_BATCH];
    struct os_datagram got[OS_DGRAM_BATCH];
    int sent = 0, received = 0;

    (void)state;
    for (int i = 0; i < OS_DGRAM_BATCH; i++) {
        snprintf(text[i], sizeof text[i], "number %d", i);
        vec[i] = (struct os_vec){text[i], strlen(text[i])};
    }
    while (sent < OS_DGRAM_BATCH) {
        int n = os_dgram_send(out, vec + sent, OS_DGRAM_BATCH - sent, test_deadline());
        assert_true(n > 0);
        sent += n;
    }
    while (received < OS_DGRAM_BATCH) {
        int n = os_dgram_receive(in, got, OS_DGRAM_BATCH, test_deadline());
        assert_true(n > 0);
        for (int i = 0; i < n; i++, received++) {
            assert_int_equal(got[i].length, strlen(text[received]));
            assert_memory_equal(got[i].data, text[received], got[i].length);
        }
    }
    os_dgram_close(out);
    os_dgram_close(in);
}

static void udp__fewer_wanted_than_there__the_rest_stays(void **state)
{
    struct os_dgram *in = receiver("udp:127.0.0.1:0", 0);
    struct os_dgram *out = sender("udp:127.0.0.1:1", in);

    (void)state;
    for (uint8_t i = 0; i < 5; i++)
        send_one(out, &i, 1);
    for (uint8_t i = 0; i < 5; i++)
        assert_int_equal(receive_one(in).data[0], i);
    os_dgram_close(out);
    os_dgram_close(in);
}

static void udp__port_is_taken__second_one_is_in_use(void **state)
{
    struct os_dgram *in = receiver("udp:127.0.0.1:0", 0);
    struct endpoint at = endpoint_with_port("udp:127.0.0.1:1", os_dgram_port(in));
    struct os_dgram *second = NULL;

    (void)state;
    assert_int_equal(os_dgram_open(&at, 0, &second), ERR_IN_USE);
    assert_null(second);
    os_dgram_close(in);
}

static void udp__name_that_cannot_be__is_not_found(void **state)
{
    struct endpoint to = endpoint_of("udp:host.invalid:514"); /* RFC 6761 */
    struct os_dgram *d = NULL;

    (void)state;
    assert_int_equal(os_dgram_connect(&to, &d), ERR_NOT_FOUND);
    assert_null(d);
}

static void udp__nothing_comes__deadline_passes(void **state)
{
    struct os_dgram *in = receiver("udp:127.0.0.1:0", 0);
    struct os_datagram got;
    uint64_t deadline = os_clock_ms() + SHORT_MS;

    (void)state;
    assert_int_equal(os_dgram_receive(in, &got, 1, 0), ERR_TIMEOUT);
    assert_int_equal(os_dgram_receive(in, &got, 1, deadline), ERR_TIMEOUT);
    assert_true(os_clock_ms() >= deadline);
    os_dgram_close(in);
}

static void udp__deadline_is_past__what_is_there_comes(void **state)
{
    struct os_dgram *in = receiver("udp:127.0.0.1:0", 0);
    struct os_dgram *out = sender("udp:127.0.0.1:1", in);
    uint64_t limit = test_deadline();
    struct os_datagram got;
    int n;

    (void)state;
    send_one(out, "there", 5);
    do
        n = os_dgram_receive(in, &got, 1, 0);
    while (n == ERR_TIMEOUT && os_clock_ms() < limit);
    assert_int_equal(n, 1);
    os_dgram_close(out);
    os_dgram_close(in);
}

struct waiting {
    struct os_dgram *dgram;
    int result;
};

static void *receive_run(void *arg)
{
    struct waiting *w = arg;
    struct os_datagram got;

    w->result = os_dgram_receive(w->dgram, &got, 1, OS_NEVER);
    return NULL;
}

static void udp__cancel__ends_one_wait_whether_begun_or_not(void **state)
{
    struct os_dgram *in = receiver("udp:127.0.0.1:0", 0);
    struct os_datagram got;

    (void)state;
    for (int i = 0; i < RACES; i++) {
        struct waiting w = {.dgram = in};
        struct os_thread t;
        assert_int_equal(os_thread_start(&t, "receive", receive_run, &w), 0);
        os_dgram_cancel(in);
        os_thread_join(&t);
        assert_int_equal(w.result, ERR_CANCELED);
    }
    os_dgram_cancel(in);
    assert_int_equal(os_dgram_receive(in, &got, 1, OS_NEVER), ERR_CANCELED);
    assert_int_equal(os_dgram_receive(in, &got, 1, os_clock_ms() + SHORT_MS), ERR_TIMEOUT);
    os_dgram_close(in);
}

static void udp__cancel__loses_no_datagram(void **state)
{
    struct os_dgram *in = receiver("udp:127.0.0.1:0", 0);
    struct os_dgram *out = sender("udp:127.0.0.1:1", in);
    struct os_datagram got;

    (void)state;
    send_one(out, "stays", 5);
    os_dgram_cancel(in);
    int n = os_dgram_receive(in, &got, 1, test_deadline());
    if (n == ERR_CANCELED)
        n = os_dgram_receive(in, &got, 1, test_deadline());
    assert_int_equal(n, 1);
    assert_int_equal(got.length, 5);
    os_dgram_close(out);
    os_dgram_close(in);
}

static void udp__buffer_asked_for__is_got_as_far_as_allowed(void **state)
{
    struct os_dgram *plain = receiver("udp:127.0.0.1:0", 0);
    struct os_dgram *large = receiver("udp:127.0.0.1:0", 1024 * 1024);

    (void)state;
    assert_true(os_dgram_buffer(plain) > 0);
    assert_true(os_dgram_buffer(large) >= os_dgram_buffer(plain));
    assert_true(os_dgram_buffer(large) <= 1024 * 1024);
    os_dgram_close(plain);
    os_dgram_close(large);
}

/* received + dropped = sent, to the last one, over several floods. */
static void udp__buffer_overflows__dropped_is_exactly_what_is_missing(void **state)
{
    struct os_dgram *in = receiver("udp:127.0.0.1:0", 4096);
    struct os_dgram *out = sender("udp:127.0.0.1:1", in);
    struct os_datagram got[OS_DGRAM_BATCH];
    uint64_t sent = 0, received = 0;

    (void)state;
    if (!os_dgram_has_kernel_dropped(in)) {
        os_dgram_close(out);
        os_dgram_close(in);
        skip();
    }
    assert_int_equal(os_dgram_kernel_dropped(in), 0);
    for (int flood = 0; flood < 3; flood++) {
        for (int i = 0; i < FLOOD; i++, sent++)
            send_one(out, "one of very many", 16);
        int n;
        while ((n = os_dgram_receive(in, got, OS_DGRAM_BATCH, 0)) > 0)
            received += (uint64_t)n;
        assert_int_equal(n, ERR_TIMEOUT);
        assert_true(received < sent);
        assert_int_equal(received + os_dgram_kernel_dropped(in), sent);
    }
    os_dgram_close(out);
    os_dgram_close(in);
}

static void *send_run(void *arg)
{
    struct waiting *w = arg;
    struct os_vec vec = {"ping", 4};

    for (int i = 0; i < MANY && w->result >= 0; i++)
        w->result = os_dgram_send(w->dgram, &vec, 1, test_deadline());
    return NULL;
}

static void udp__sent_while_waited_for__wakes_the_receiver(void **state)
{
    struct os_dgram *in = receiver("udp:127.0.0.1:0", 4 * 1024 * 1024);
    struct waiting w = {.dgram = sender("udp:127.0.0.1:1", in)};
    struct os_datagram got[OS_DGRAM_BATCH];
    struct os_thread t;
    int received = 0;

    (void)state;
    assert_int_equal(os_thread_start(&t, "send", send_run, &w), 0);
    while (received < MANY) {
        int n = os_dgram_receive(in, got, OS_DGRAM_BATCH, test_deadline());
        if (n <= 0)
            break;
        received += n;
    }
    os_thread_join(&t);
    assert_int_equal(w.result, 1);
    assert_int_equal(received, MANY);
    os_dgram_close(w.dgram);
    os_dgram_close(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(udp__any_address__takes_both_families_folded),
        cmocka_unit_test(udp__lengths_from_0_to_the_largest__arrive_whole),
        cmocka_unit_test(udp__longer_than_any_path_takes__is_full_and_the_next_one_goes),
        cmocka_unit_test(udp__a_whole_batch__comes_in_order),
        cmocka_unit_test(udp__fewer_wanted_than_there__the_rest_stays),
        cmocka_unit_test(udp__port_is_taken__second_one_is_in_use),
        cmocka_unit_test(udp__name_that_cannot_be__is_not_found),
        cmocka_unit_test(udp__nothing_comes__deadline_passes),
        cmocka_unit_test(udp__deadline_is_past__what_is_there_comes),
        cmocka_unit_test(udp__cancel__ends_one_wait_whether_begun_or_not),
        cmocka_unit_test(udp__cancel__loses_no_datagram),
        cmocka_unit_test(udp__buffer_asked_for__is_got_as_far_as_allowed),
        cmocka_unit_test(udp__buffer_overflows__dropped_is_exactly_what_is_missing),
        cmocka_unit_test(udp__sent_while_waited_for__wakes_the_receiver),
    };

    return RUN_TESTS(tests);
}
