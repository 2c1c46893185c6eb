/* SPDX-License-Identifier: MIT */
/* link_good_ends.c - what every carrier of links must keep: two good ends, over breaks and
 * restarts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/core/session.h"
#include "common/os/clock.h"
#include "faulty_carrier.h"
#include "rig.h"

static void link__both_ways__carries_every_record_in_order(void **state)
{
    struct both b;

    (void)state;
    both_open(&b);
    both_start(&b);
    node_submit(&b.relay, 200, 50, 100);
    node_submit(&b.agent, 200, 50, 100);
    assert_all_there(&b.relay, &b.agent);
    assert_all_there(&b.agent, &b.relay);
    both_close(&b);
}

static void link__nobody_listens__waits_and_connects_when_somebody_does(void **state)
{
    struct both b;

    (void)state;
    both_open(&b);
    assert_int_equal(node_start(&b.agent), 0);
    node_submit(&b.agent, 3, 3, 50);
    assert_true(node_wait_error(&b.agent, "cannot reach"));
    assert_int_equal(node_start(&b.relay), 0);
    assert_all_there(&b.agent, &b.relay);
    both_close(&b);
}

/* A link on which nothing is sent lives by its heartbeats alone. */
static void link__nothing_to_send__stays_up_over_many_heartbeats(void **state)
{
    enum { BEAT_MS = 400, BEATS = 3 * SESSION_MISSED_BEATS };
    struct link_status agent, relay;
    struct both b;

    (void)state;
    both_open(&b);
    b.agent.options.heartbeat_ms = b.relay.options.heartbeat_ms = BEAT_MS;
    both_start(&b);
    assert_true(node_wait_up(&b.agent));
    assert_true(node_wait_up(&b.relay));
    assert_false(node_wait_reconnect(&b.agent, BEATS * BEAT_MS));
    link_status(b.agent.link, &agent);
    link_status(b.relay.link, &relay);
    assert_string_equal(agent.state, "up");
    assert_int_equal(relay.reconnects, 0);
    both_close(&b);
}

static void link__largest_batch__passes_whole(void **state)
{
    struct both b;

    (void)state;
    both_open(&b);
    both_start(&b);
    node_submit(&b.relay, 3, 1, MESSAGE_MAX_LIMIT);
    node_submit(&b.agent, 3, 1, MESSAGE_MAX_LIMIT);
    assert_all_there(&b.relay, &b.agent);
    assert_all_there(&b.agent, &b.relay);
    both_close(&b);
}

static void link__cut_again_and_again__loses_and_repeats_nothing(void **state)
{
    enum { CUTS = 20 };
    struct both b;

    (void)state;
    both_open(&b);
    both_start(&b);
    for (int i = 0; i < CUTS; i++) {
        node_submit(&b.relay, 20, 10, 200);
        node_submit(&b.agent, 20, 10, 200);
        assert_true(node_wait_up(&b.agent));
        faulty_cut_all();
    }
    assert_all_there(&b.relay, &b.agent);
    assert_all_there(&b.agent, &b.relay);
    both_close(&b);
}

/* A cut at a random octet: in a header, in a batch, in an acknowledgement. */
static void link__cut_in_the_middle_of_a_frame__loses_and_repeats_nothing(void **state)
{
    enum { CUTS = 15, AFTER_MAX = 30000 };
    struct both b;
    uint32_t seed = (uint32_t)os_clock_us();

    (void)state;
    print_message("seed %u\n", seed);
    srand(seed);
    both_open(&b);
    both_start(&b);
    for (int i = 0; i < CUTS; i++) {
        size_t before = faulty_cuts();
        faulty_cut_after((size_t)rand() % AFTER_MAX);
        for (int k = 0; k < 100 && faulty_cuts() == before; k++) {
            node_submit(&b.relay, 5, 10, 200);
            node_submit(&b.agent, 5, 10, 200);
            assert_true(node_wait_received(&b.relay, b.agent.sent));
        }
        assert_int_equal(faulty_cuts(), before + 1);
    }
    assert_all_there(&b.relay, &b.agent);
    assert_all_there(&b.agent, &b.relay);
    both_close(&b);
}

/* Back-pressure: while the outputs take nothing, the far side holds what its credit says and no
 * more; the rest stays in the sender's queue, which holds its producers back in its turn. */
static void link__slow_reader__holds_the_sender_back_within_the_credit(void **state)
{
    enum { RECORDS = 250, LENGTH = 1000, BATCHES = 14 };
    struct both b;
    struct queue_books books;

    (void)state;
    both_open(&b);
    assert_true(BATCHES * RECORDS * LENGTH > b.agent.options.credit);
    assert_true(BATCHES * RECORDS * (LENGTH + 20) < QUEUE_MEMORY_MIN);
    node_hold(&b.agent, true);
    both_start(&b);
    node_submit(&b.relay, BATCHES, RECORDS, LENGTH);
    assert_true(node_wait_held(&b.agent, b.agent.options.credit / 2));
    queue_books(b.agent.inbound, &books);
    assert_true(books.memory_bytes <= b.agent.options.credit);
    assert_int_equal(node_received(&b.agent), 0);
    queue_books(b.relay.outbound, &books);
    assert_int_equal(books.held, BATCHES * RECORDS);
    node_hold(&b.agent, false);
    assert_all_there(&b.relay, &b.agent);
    both_close(&b);
}

/* What a sender's last life sent waits still, and counts: else each restart would fill the far
 * side's memory anew. */
static void link__sender_restarts_while_outputs_stand_still__keeps_to_one_credit(void **state)
{
    enum { RECORDS = 250, LENGTH = 1000, BATCHES = 14, SETTLE_MS = 1000 };
    struct both b;
    struct queue_books books;

    (void)state;
    both_open(&b);
    node_hold(&b.relay, true);
    both_start(&b);
    node_submit(&b.agent, BATCHES, RECORDS, LENGTH);
    assert_true(node_wait_held(&b.relay, b.relay.options.credit / 2));
    node_close(&b.agent);
    assert_true(node_wait_down(&b.relay));
    queue_books(b.relay.inbound, &books);

    node_open(&b.agent, rig_carrier(), b.place.dial, suite_carrier.vm_id, WIRE_CONNECTOR,
              "agent");
    b.agent.sent = books.held; /* goes on behind what came over */
    assert_int_equal(node_start(&b.agent), 0);
    node_submit(&b.agent, BATCHES, RECORDS, LENGTH);
    assert_true(node_wait_up(&b.agent));
    assert_false(node_wait_reconnect(&b.agent, SETTLE_MS));
    queue_books(b.relay.inbound, &books);
    assert_true(books.memory_bytes <= b.relay.options.credit);
    node_hold(&b.relay, false);
    assert_all_there(&b.agent, &b.relay);
    both_close(&b);
}

static void link__listener_restarts__connector_comes_back_and_goes_on(void **state)
{
    struct both b;

    (void)state;
    both_open(&b);
    both_start(&b);
    node_submit(&b.agent, 10, 10, 100);
    assert_all_there(&b.agent, &b.relay);
    node_close(&b.relay);
    assert_true(node_wait_error(&b.agent, "the program stops"));
    node_submit(&b.agent, 10, 10, 100);
    node_open(&b.relay, rig_carrier(), b.place.listen, suite_carrier.vm_id, WIRE_LISTENER,
              "relay");
    b.relay.received = 100; /* a new program: it gets what the old one did not acknowledge */
    assert_int_equal(node_start(&b.relay), 0);
    assert_all_there(&b.agent, &b.relay);
    both_close(&b);
}

static void link__connector_restarts__its_place_in_the_queue_is_kept(void **state)
{
    struct both b;

    (void)state;
    both_open(&b);
    both_start(&b);
    node_submit(&b.relay, 10, 10, 100);
    assert_all_there(&b.relay, &b.agent);
    node_close(&b.agent);
    assert_true(node_wait_down(&b.relay));
    node_submit(&b.relay, 10, 10, 100);
    node_open(&b.agent, rig_carrier(), b.place.dial, suite_carrier.vm_id, WIRE_CONNECTOR,
              "agent");
    b.agent.received = 100;
    assert_int_equal(node_start(&b.agent), 0);
    assert_all_there(&b.relay, &b.agent);
    both_close(&b);
}

static void link__two_agents__each_gets_what_comes(void **state)
{
    struct both b;
    struct node second;

    (void)state;
    both_open(&b);
    both_start(&b);
    assert_true(node_wait_up(&b.relay));
    node_open(&second, rig_carrier(), b.place.dial, suite_carrier.vm_id, WIRE_CONNECTOR,
              "second");
    assert_int_equal(node_start(&second), 0);
    assert_true(node_wait_up(&second));
    node_submit(&b.relay, 20, 20, 100);
    assert_all_there(&b.relay, &b.agent);
    assert_all_there(&b.relay, &second);
    node_close(&second);
    both_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(link__both_ways__carries_every_record_in_order),
        cmocka_unit_test(link__nobody_listens__waits_and_connects_when_somebody_does),
        cmocka_unit_test(link__nothing_to_send__stays_up_over_many_heartbeats),
        cmocka_unit_test(link__largest_batch__passes_whole),
        cmocka_unit_test(link__cut_again_and_again__loses_and_repeats_nothing),
        cmocka_unit_test(link__cut_in_the_middle_of_a_frame__loses_and_repeats_nothing),
        cmocka_unit_test(link__slow_reader__holds_the_sender_back_within_the_credit),
        cmocka_unit_test(link__sender_restarts_while_outputs_stand_still__keeps_to_one_credit),
        cmocka_unit_test(link__listener_restarts__connector_comes_back_and_goes_on),
        cmocka_unit_test(link__connector_restarts__its_place_in_the_queue_is_kept),
        cmocka_unit_test(link__two_agents__each_gets_what_comes),
    };

    int r = rig_start();
    return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
