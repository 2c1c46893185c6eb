/* SPDX-License-Identifier: MIT */
/* rig.c - what the link tests are set up with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "rig.h"

#include "common/os/process.h"
#include "faulty_carrier.h"

static unsigned addresses;
static const struct os_carrier *carrier;

int rig_start(void)
{
    if (os_process_startup() < 0)
        return 1;
    const char *missing = suite_carrier.prepare ? suite_carrier.prepare() : NULL;
    if (missing) {
        printf("skipped: %s: %s\n", suite_carrier.name, missing);
        return 77;
    }
    carrier = faulty_carrier(suite_carrier.carrier());
    printf("carrier: %s\n", suite_carrier.name);
    return 0;
}

const struct os_carrier *rig_carrier(void)
{
    return carrier;
}

void place_init(struct place *p)
{
    struct reason why;

    suite_carrier.address(addresses++, p->listen, p->dial);
    assert_int_equal(
        endpoint_parse(view_of(p->listen), ENDPOINT_SET_ALL, &p->listen_endpoint, &why), 0);
    assert_int_equal(
        endpoint_parse(view_of(p->dial), ENDPOINT_SET_ALL, &p->dial_endpoint, &why), 0);
    p->listen_target =
        (struct os_target){.endpoint = &p->listen_endpoint, .vm_id = suite_carrier.vm_id};
    p->dial_target =
        (struct os_target){.endpoint = &p->dial_endpoint, .vm_id = suite_carrier.vm_id};
}

void both_open(struct both *b)
{
    place_init(&b->place);
    node_open(&b->relay, rig_carrier(), b->place.listen, suite_carrier.vm_id, WIRE_LISTENER,
              "relay");
    node_open(&b->agent, rig_carrier(), b->place.dial, suite_carrier.vm_id, WIRE_CONNECTOR,
              "agent");
}

void both_start(struct both *b)
{
    assert_int_equal(node_start(&b->relay), 0);
    assert_int_equal(node_start(&b->agent), 0);
}

void both_close(struct both *b)
{
    node_close(&b->agent);
    node_close(&b->relay);
}

void assert_all_there(struct node *from, struct node *to)
{
    assert_true(node_wait_received(to, from->sent));
    assert_true(node_wait_drained(from));
    assert_int_equal(node_faults(to), 0);
    assert_int_equal(node_received(to), from->sent);
}

void target_open(struct target *t)
{
    place_init(&t->place);
    node_open(&t->node, rig_carrier(), t->place.listen, suite_carrier.vm_id, WIRE_LISTENER,
              "relay");
    assert_int_equal(node_start(&t->node), 0);
}
