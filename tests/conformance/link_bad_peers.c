/* SPDX-License-Identifier: MIT */
/* link_bad_peers.c - what every carrier of links must keep: peers that do not belong,
 * misbehave, or die. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/err.h"
#include "common/os/clock.h"
#include "common/os/crypto.h"
#include "puppet.h"
#include "rig.h"

static void link__wrong_secret__is_refused_with_a_reason_on_both_sides(void **state)
{
    struct both b;

    (void)state;
    both_open(&b);
    b.agent.options.secret = (const uint8_t *)"another secret of it!";
    both_start(&b);
    node_submit(&b.relay, 1, 1, 50);
    assert_true(node_wait_error(&b.relay, "secret"));
    assert_true(node_wait_error(&b.agent, "secret"));
    assert_int_equal(node_received(&b.agent), 0);
    both_close(&b);
}

static void link__one_side_without_secret__is_refused_by_name(void **state)
{
    struct both b;

    (void)state;
    both_open(&b);
    b.agent.options.secret_length = 0;
    both_start(&b);
    assert_true(node_wait_error(&b.relay, "secret"));
    assert_true(node_wait_error(&b.agent, "secret"));
    both_close(&b);
}

static void link__foreign_protocol__is_refused_and_the_link_lives(void **state)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: relay\r\n\r\n";
    struct target t;
    struct puppet p;
    struct node agent;

    (void)state;
    target_open(&t);
    puppet_dial(&p, rig_carrier(), &t.place.dial_target);
    puppet_write(&p, request, strlen(request));
    assert_true(node_wait_error(&t.node, "protocol"));
    puppet_close(&p);
    node_open(&agent, rig_carrier(), t.place.dial, suite_carrier.vm_id, WIRE_CONNECTOR,
              "agent");
    assert_int_equal(node_start(&agent), 0);
    assert_true(node_wait_up(&t.node));
    node_close(&agent);
    node_close(&t.node);
}

/* Offers only a version of the far future. */
static void link__other_version__is_told_both_versions(void **state)
{
    struct target t;
    struct puppet p;
    struct wire_frame hello = {.type = WIRE_HELLO,
                               .u.hello = {.version_lowest = 7,
                                           .version_highest = 9,
                                           .role = WIRE_CONNECTOR,
                                           .has_secret = 1,
                                           .name = "future"}};
    uint8_t out[WIRE_HEADER_BYTES + WIRE_SMALL_BODY_MAX];

    (void)state;
    os_random(hello.u.hello.identity, sizeof hello.u.hello.identity);
    target_open(&t);
    puppet_dial(&p, rig_carrier(), &t.place.dial_target);
    puppet_write(&p, out, (size_t)wire_encode(&hello, out, sizeof out));
    assert_true(node_wait_error(&t.node, "version"));
    puppet_close(&p);
    node_close(&t.node);
}

static void link__huge_frame__is_refused_with_too_large(void **state)
{
    /* A DATA header that announces almost 4 GiB. */
    static const uint8_t header[WIRE_HEADER_BYTES] = {0xff, 0xff, 0xff, 0xff, WIRE_DATA};
    struct target t;
    struct puppet p;

    (void)state;
    target_open(&t);
    puppet_dial(&p, rig_carrier(), &t.place.dial_target);
    puppet_open(&p, WIRE_CONNECTOR, "puppet", RIG_SECRET);
    puppet_write(&p, header, sizeof header);
    puppet_drain(&p);
    assert_true(p.is_closed && p.by_peer);
    assert_int_equal(p.reason, WIRE_REASON_TOO_LARGE);
    puppet_close(&p);
    node_close(&t.node);
}

static void link__peer_dies_in_the_middle_of_a_frame__its_half_is_forgotten(void **state)
{
    struct target t;
    struct puppet p;
    struct node agent;
    uint8_t header[WIRE_DATA_HEADER_BYTES];

    (void)state;
    target_open(&t);
    puppet_dial(&p, rig_carrier(), &t.place.dial_target);
    puppet_open(&p, WIRE_CONNECTOR, "puppet", RIG_SECRET);
    wire_encode_data_header(1, 100000, header);
    puppet_write(&p, header, sizeof header);
    puppet_write(&p, RIG_SECRET, sizeof RIG_SECRET);
    puppet_close(&p);
    assert_true(node_wait_down(&t.node));
    node_open(&agent, rig_carrier(), t.place.dial, suite_carrier.vm_id, WIRE_CONNECTOR,
              "agent");
    assert_int_equal(node_start(&agent), 0);
    node_submit(&agent, 5, 5, 100);
    assert_all_there(&agent, &t.node);
    node_close(&agent);
    node_close(&t.node);
}

static void link__batch_that_is_none__ends_the_session_only(void **state)
{
    uint8_t frame[WIRE_DATA_HEADER_BYTES + 64] = {0};
    struct target t;
    struct puppet p;

    (void)state;
    target_open(&t);
    puppet_dial(&p, rig_carrier(), &t.place.dial_target);
    puppet_open(&p, WIRE_CONNECTOR, "puppet", RIG_SECRET);
    wire_encode_data_header(1, 64, frame);
    memset(frame + WIRE_DATA_HEADER_BYTES, 0xee, 64);
    puppet_write(&p, frame, sizeof frame);
    puppet_drain(&p);
    assert_true(p.is_closed && p.by_peer);
    assert_int_equal(p.reason, WIRE_REASON_PROTOCOL);
    puppet_close(&p);
    assert_true(node_wait_down(&t.node));
    node_close(&t.node);
}

/* The socket looks alive, but nobody is there: three heartbeats (of 100 ms here) end it. */
static void link__listener_with_a_half_dead_peer__notices_by_heartbeat(void **state)
{
    struct target t;
    struct puppet p;

    (void)state;
    target_open(&t);
    puppet_dial(&p, rig_carrier(), &t.place.dial_target);
    puppet_open(&p, WIRE_CONNECTOR, "puppet", RIG_SECRET);
    assert_true(node_wait_up(&t.node));
    uint64_t since = os_clock_ms();
    assert_true(node_wait_down(&t.node));
    assert_true(os_clock_ms() - since < 5000);
    assert_true(node_wait_error(&t.node, "nothing was heard"));
    puppet_close(&p);
    node_close(&t.node);
}

static void link__connector_with_a_half_dead_peer__notices_and_dials_again(void **state)
{
    struct place place;
    struct os_listener *listener;
    struct node agent;
    struct puppet p, again;

    (void)state;
    place_init(&place);
    assert_int_equal(rig_carrier()->listen(&place.listen_target, &listener), 0);
    node_open(&agent, rig_carrier(), place.dial, suite_carrier.vm_id, WIRE_CONNECTOR, "agent");
    assert_int_equal(node_start(&agent), 0);
    puppet_accept(&p, listener);
    puppet_open(&p, WIRE_LISTENER, "puppet", RIG_SECRET);
    assert_true(node_wait_up(&agent));
    assert_true(node_wait_down(&agent));
    puppet_accept(&again, listener);
    puppet_open(&again, WIRE_LISTENER, "puppet", RIG_SECRET);
    assert_true(node_wait_up(&agent));
    puppet_close(&p);
    puppet_close(&again);
    node_close(&agent);
    listener->ops->close(listener);
}

/* An acknowledged batch is gone; the one that was sent but not acknowledged comes again. */
static void link__unacknowledged_batch__is_sent_again_to_the_same_peer(void **state)
{
    struct place place;
    struct os_listener *listener;
    struct node agent;
    struct puppet p;

    (void)state;
    place_init(&place);
    assert_int_equal(rig_carrier()->listen(&place.listen_target, &listener), 0);
    node_open(&agent, rig_carrier(), place.dial, suite_carrier.vm_id, WIRE_CONNECTOR, "agent");
    assert_int_equal(node_start(&agent), 0);
    node_submit(&agent, 2, 1, 50);
    for (int round = 0; round < 3; round++) {
        puppet_accept(&p, listener);
        p.credit = WIRE_DATA_BODY_MAX;
        puppet_open(&p, WIRE_LISTENER, "puppet", RIG_SECRET);
        while (p.last_seq != 2)
            assert_true(puppet_turn(&p));
        p.stream->ops->cancel(p.stream);
        puppet_close(&p);
        assert_true(node_wait_down(&agent));
    }
    node_close(&agent);
    listener->ops->close(listener);
}

/* One too many ends the oldest of them: so who has the secret gets in at once, though all
 * places are taken and nobody's time is up. */
static void link__strangers_who_say_nothing__do_not_keep_a_peer_out(void **state)
{
    enum { STRANGERS = 3 * LINK_HANDSHAKES_MAX };
    struct target t;
    struct puppet strangers[STRANGERS];
    struct node agent;

    (void)state;
    target_open(&t);
    for (size_t i = 0; i < STRANGERS; i++)
        puppet_dial(&strangers[i], rig_carrier(), &t.place.dial_target);
    assert_true(node_wait_refused(&t.node, STRANGERS - LINK_HANDSHAKES_MAX));
    node_open(&agent, rig_carrier(), t.place.dial, suite_carrier.vm_id, WIRE_CONNECTOR,
              "agent");
    uint64_t start_ms = os_clock_ms();
    assert_int_equal(node_start(&agent), 0);
    assert_true(node_wait_up(&t.node));
    assert_true(os_clock_ms() < start_ms + SESSION_HANDSHAKE_MS);
    node_close(&agent);
    for (size_t i = 0; i < STRANGERS; i++)
        puppet_close(&strangers[i]);
    node_close(&t.node);
}

static void link__newer_connection_of_a_node__takes_over(void **state)
{
    struct target t;
    struct puppet old;
    struct node agent;

    (void)state;
    target_open(&t);
    puppet_dial(&old, rig_carrier(), &t.place.dial_target);
    puppet_open(&old, WIRE_CONNECTOR, "agent", RIG_SECRET);
    node_open(&agent, rig_carrier(), t.place.dial, suite_carrier.vm_id, WIRE_CONNECTOR,
              "agent");
    assert_int_equal(node_start(&agent), 0);
    puppet_drain(&old); /* answers heartbeats until it is told to go */
    assert_true(old.is_closed && old.by_peer);
    assert_int_equal(old.reason, WIRE_REASON_NAME);
    assert_true(node_wait_up(&agent));
    puppet_close(&old);
    node_close(&agent);
    node_close(&t.node);
}

static void link__more_peers_than_places__the_last_is_told_so(void **state)
{
    struct puppet peers[LINK_PEERS_MAX], last;
    struct target t;
    char name[16];

    (void)state;
    place_init(&t.place);
    node_open(&t.node, rig_carrier(), t.place.listen, suite_carrier.vm_id, WIRE_LISTENER,
              "relay");
    t.node.options.heartbeat_ms =
        60000; /* puppets that are not driven are not missed meanwhile */
    assert_int_equal(node_start(&t.node), 0);
    for (size_t i = 0; i < LINK_PEERS_MAX; i++) {
        snprintf(name, sizeof name, "peer %zu", i);
        puppet_dial(&peers[i], rig_carrier(), &t.place.dial_target);
        puppet_open(&peers[i], WIRE_CONNECTOR, name, RIG_SECRET);
    }
    puppet_dial(&last, rig_carrier(), &t.place.dial_target);
    puppet_greet(&last, WIRE_CONNECTOR, "one more", RIG_SECRET);
    puppet_drain(&last);
    assert_true(last.is_closed && last.by_peer);
    assert_int_equal(last.reason, WIRE_REASON_BUSY);
    puppet_close(&last);
    /* A place is free again when its peer has gone. */
    puppet_close(&peers[0]);
    do {
        puppet_dial(&last, rig_carrier(), &t.place.dial_target);
        puppet_greet(&last, WIRE_CONNECTOR, "one more", RIG_SECRET);
        while (!last.is_open && puppet_turn(&last))
            ;
        puppet_close(&last);
    } while (!last.is_open);
    for (size_t i = 1; i < LINK_PEERS_MAX; i++)
        puppet_close(&peers[i]);
    node_close(&t.node);
}

static void link__stop__says_bye(void **state)
{
    struct target t;
    struct puppet p;

    (void)state;
    target_open(&t);
    puppet_dial(&p, rig_carrier(), &t.place.dial_target);
    puppet_open(&p, WIRE_CONNECTOR, "puppet", RIG_SECRET);
    assert_true(node_wait_up(&t.node));
    node_close(&t.node);
    puppet_drain(&p);
    assert_true(p.is_closed && p.by_peer);
    assert_int_equal(p.reason, WIRE_REASON_STOP);
    puppet_close(&p);
}

static void link__address_in_use__is_told_at_start(void **state)
{
    struct target t;
    struct node second;

    (void)state;
    target_open(&t);
    node_open(&second, rig_carrier(), t.place.listen, suite_carrier.vm_id, WIRE_LISTENER,
              "second");
    assert_int_equal(node_start(&second), ERR_IN_USE);
    node_close(&second);
    node_close(&t.node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(link__wrong_secret__is_refused_with_a_reason_on_both_sides),
        cmocka_unit_test(link__one_side_without_secret__is_refused_by_name),
        cmocka_unit_test(link__foreign_protocol__is_refused_and_the_link_lives),
        cmocka_unit_test(link__other_version__is_told_both_versions),
        cmocka_unit_test(link__huge_frame__is_refused_with_too_large),
        cmocka_unit_test(link__peer_dies_in_the_middle_of_a_frame__its_half_is_forgotten),
        cmocka_unit_test(link__batch_that_is_none__ends_the_session_only),
        cmocka_unit_test(link__listener_with_a_half_dead_peer__notices_by_heartbeat),
        cmocka_unit_test(link__connector_with_a_half_dead_peer__notices_and_dials_again),
        cmocka_unit_test(link__unacknowledged_batch__is_sent_again_to_the_same_peer),
        cmocka_unit_test(link__strangers_who_say_nothing__do_not_keep_a_peer_out),
        cmocka_unit_test(link__newer_connection_of_a_node__takes_over),
        cmocka_unit_test(link__more_peers_than_places__the_last_is_told_so),
        cmocka_unit_test(link__stop__says_bye),
        cmocka_unit_test(link__address_in_use__is_told_at_start),
    };

    int r = rig_start();
    return r ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
