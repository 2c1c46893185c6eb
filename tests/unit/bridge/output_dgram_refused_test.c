/* SPDX-License-Identifier: MIT */
/* output_dgram_refused_test.c - nobody has the UDP port open: on loopback that is known at
 * once, and the records wait. Not under Wine, whose server now and then takes the socket's
 * error for itself.
 */
#include <stdio.h>

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

/* Nobody is there; <batches> of <records> each wait; then somebody is, and gets them all in
 * order.
 */
static void be_refused_and_come_back(size_t batches, size_t records)
{
    struct receiver r;
    struct outlet t;
    outlet_init(&t, "udp:127.0.0.1:0");
    assert_int_equal(receiver_open(&r, &t.config.to), 0);
    os_dgram_close(r.socket); /* the port is known, nobody is there */
    outlet_open(&t);

    for (size_t i = 0; i < batches; i++)
        outlet_submit(&t, make_numbered(i * records, records, 30));
    outlet_await(&outlet_counters(&t)->retried, 2);
    assert_int_equal(counter_get(&outlet_counters(&t)->delivered), 0);
    assert_int_equal(receiver_open(&r, &t.config.to), 0);
    for (size_t i = 0; i < batches * records; i++) {
        char text[64] = "";
        const struct os_datagram *d = receive(&r);
        memcpy(text, d->data, d->length < sizeof(text) ? d->length : sizeof(text) - 1);
        assert_int_equal(number_of(text), i);
    }
    outlet_await(&outlet_counters(&t)->delivered, batches * records);
    assert_int_equal(counter_get(&outlet_counters(&t)->delivered), batches * records);
    outlet_close(&t);
    os_dgram_close(r.socket);
}

static void output_dgram__refused_on_loopback__sends_again_what_was_refused(void **state)
{
    (void)state;
    be_refused_and_come_back(1, 100);
}

static void output_dgram__single_records_refused__wait_too(void **state)
{
    (void)state;
    be_refused_and_come_back(20, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_dgram__refused_on_loopback__sends_again_what_was_refused),
        cmocka_unit_test(output_dgram__single_records_refused__wait_too),
    };
    return RUN_TESTS(tests);
}
