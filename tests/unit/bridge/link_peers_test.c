/* SPDX-License-Identifier: MIT */
/* link_peers_test.c - whose place is kept, whose is given away, and what is counted where. */
#include "common/bridge/link_peers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/batch.h"
#include "common/core/err.h"

enum {
    RECORD_BYTES = 32 * 1024,
    BIG_RECORDS = 4, /* in a batch: some thirty of those fill the smallest queue */
    BATCHES_BEYOND_ROOM = 2 * QUEUE_MEMORY_MIN / (RECORD_BYTES * BIG_RECORDS),
    NAME_BYTES = 16,
};

struct fixture {
    struct queue *outbound, *inbound;
    struct link_peers peers;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->outbound = queue_new(&(struct queue_options){0});
    f->inbound = queue_new(&(struct queue_options){0});
    assert_non_null(f->outbound);
    assert_non_null(f->inbound);
    link_peers_init(&f->peers, NULL, f->outbound, f->inbound);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    link_peers_release(&f->peers);
    queue_free(f->outbound);
    queue_free(f->inbound);
    free(f);
    return 0;
}

/* A session is an address here: nothing looks into it. */
static struct link_session *session(void)
{
    static max_align_t place;

    return (struct link_session *)(void *)&place;
}

static struct link_origin *origin_of(struct fixture *f, unsigned number)
{
    uint8_t identity[WIRE_IDENTITY_BYTES] = {(uint8_t)(number + 1)};

    return link_peers_origin(&f->peers, identity);
}

static struct link_peer *peer_of(struct fixture *f, unsigned number)
{
    char name[NAME_BYTES];

    (void)snprintf(name, sizeof(name), "node-%u", number);
    return link_peers_peer(&f->peers, name);
}

/* Node <number> comes with its stream <stream>, and stays. */
static struct link_peer *come(struct fixture *f, unsigned number, unsigned stream)
{
    struct link_peer *peer = peer_of(f, number);
    struct link_origin *origin = origin_of(f, stream);

    assert_non_null(peer);
    assert_non_null(origin);
    (void)link_peers_attach(&f->peers, peer, origin, session());
    return peer;
}

/* The same, and it goes away again. */
static struct link_peer *visit(struct fixture *f, unsigned number, unsigned stream)
{
    struct link_peer *peer = come(f, number, stream);

    link_peers_detach(peer, origin_of(f, stream));
    return peer;
}

static void visit_all(struct fixture *f)
{
    for (unsigned i = 0; i < LINK_PEERS_MAX; i++)
        (void)visit(f, i, i);
}

static void submit(struct queue *q, size_t records)
{
    static const char *const names[] = {"lan"};
    static const uint8_t data[RECORD_BYTES];
    struct source source = {.address = {.family = ADDRESS_NONE}, .transport = TRANSPORT_TCP};
    struct batch_builder *bb = batch_builder_new(names, 1);
    struct batch *b = NULL;

    assert_non_null(bb);
    int index = batch_builder_source(bb, &source);
    for (size_t i = 0; i < records; i++)
        assert_int_equal(batch_builder_append(bb, &(struct record){.data = data,
                                                                   .length = RECORD_BYTES,
                                                                   .orig_length = RECORD_BYTES,
                                                                   .source = (uint16_t)index}),
                         0);
    assert_int_equal(batch_builder_seal(bb, &b), 0);
    batch_builder_free(bb);
    assert_int_equal(queue_try_submit(q, b, NULL, 0), 0);
    batch_unref(b);
}

/* The seq of the next batch at this place, 0: none waits. It is done. */
static uint64_t take_one(struct link_peer *peer)
{
    struct queue_item item;

    if (queue_take(peer->cursor, &item, 1, SIZE_MAX, 0) != 1)
        return 0;
    queue_give_back(&item, 1);
    queue_done(peer->cursor, item.seq, 0);
    return item.seq;
}

/* ---- places ------------------------------------------------------------------------------ */

static void peer__first_node__gets_all_that_waited_and_a_further_one_what_comes(void **state)
{
    struct fixture *f = *state;

    submit(f->outbound, 1);
    struct link_peer *first = come(f, 0, 0);
    struct link_peer *second = come(f, 1, 1);
    submit(f->outbound, 1);
    assert_int_equal(take_one(first), 1);
    assert_int_equal(take_one(first), 2);
    assert_int_equal(take_one(second), 2);
}

static void peer__known_name__has_its_place_again(void **state)
{
    struct fixture *f = *state;
    struct link_peer *before = visit(f, 0, 0);

    submit(f->outbound, 1);
    (void)come(f, 1, 1);
    assert_ptr_equal(come(f, 0, 2), before);
    assert_int_equal(take_one(before), 1);
}

static void peer__all_places_known__the_one_not_seen_for_longest_goes(void **state)
{
    struct fixture *f = *state;

    visit_all(f);
    struct link_peer *first = visit(f, 0, 0);
    struct link_peer *second = peer_of(f, 1);
    assert_ptr_equal(come(f, LINK_PEERS_MAX, LINK_PEERS_MAX), second);
    assert_string_equal(second->name, "node-8");
    assert_ptr_equal(peer_of(f, 0), first);
}

static void peer__connected__is_never_forgotten(void **state)
{
    struct fixture *f = *state;

    for (unsigned i = 0; i < LINK_PEERS_MAX; i++)
        (void)come(f, i, i);
    assert_int_equal(link_peers_connected(&f->peers), LINK_PEERS_MAX);
    assert_null(peer_of(f, LINK_PEERS_MAX));
    link_peers_detach(peer_of(f, 5), origin_of(f, 5));
    assert_int_equal(link_peers_connected(&f->peers), LINK_PEERS_MAX - 1);
    assert_ptr_equal(peer_of(f, LINK_PEERS_MAX), &f->peers.peers[5]);
}

/* Else the next node at that place would find its credit used up by a stranger. */
static void peer__batches_outstanding__is_never_forgotten(void **state)
{
    struct fixture *f = *state;

    visit_all(f);
    origin_of(f, 0)->outstanding = 1000;
    struct link_peer *fresh = come(f, LINK_PEERS_MAX, LINK_PEERS_MAX);
    assert_ptr_equal(fresh, &f->peers.peers[1]);
    assert_int_equal(link_peers_outstanding(&f->peers, fresh), 0);

    for (unsigned i = 2; i < LINK_PEERS_MAX; i++)
        origin_of(f, i)->outstanding = 1;
    assert_null(peer_of(f, LINK_PEERS_MAX + 1));
    origin_of(f, 0)->outstanding = 0;
    assert_ptr_equal(peer_of(f, LINK_PEERS_MAX + 1), &f->peers.peers[0]);
}

/* ---- streams ----------------------------------------------------------------------------- */

static void origin__known_stream__goes_on_where_it_was(void **state)
{
    struct fixture *f = *state;

    (void)visit(f, 0, 0);
    origin_of(f, 0)->received = 9;
    origin_of(f, 0)->finished = 7;
    (void)visit(f, 0, 1);
    assert_int_equal(origin_of(f, 0)->received, 9);
    assert_int_equal(origin_of(f, 0)->finished, 7);
    assert_int_equal(origin_of(f, 1)->received, 0);
}

/* All entries are used; those of stream 0 (connected) and 1 (outstanding) are the oldest. */
static void origin__all_used__the_oldest_that_is_away_and_finished_goes(void **state)
{
    struct fixture *f = *state;

    (void)come(f, 0, 0);
    for (unsigned i = 1; i < LINK_REMEMBER_MAX; i++)
        (void)visit(f, 1, i);
    struct link_origin *oldest = origin_of(f, 2);
    origin_of(f, 1)->outstanding = 5;
    oldest->received = oldest->finished = 3;

    struct link_origin *fresh = origin_of(f, LINK_REMEMBER_MAX);
    assert_ptr_equal(fresh, oldest);
    assert_int_equal(fresh->received, 0);
    assert_int_equal(fresh->finished, 0);
    assert_null(fresh->peer);
    assert_int_equal(origin_of(f, 1)->outstanding, 5);
    assert_non_null(origin_of(f, 0)->session);
}

static void origin__all_held__there_is_no_place(void **state)
{
    struct fixture *f = *state;

    for (unsigned i = 0; i < LINK_REMEMBER_MAX; i++) {
        (void)visit(f, 0, i);
        origin_of(f, i)->outstanding = 1;
    }
    assert_null(origin_of(f, LINK_REMEMBER_MAX));
}

/* ---- credit, what is missed -------------------------------------------------------------- */

/* A program that starts anew has a new stream; what it sent in its last life still waits. */
static void outstanding__several_streams_of_a_node__are_summed(void **state)
{
    struct fixture *f = *state;
    struct link_peer *peer = visit(f, 0, 0);

    origin_of(f, 0)->outstanding = 100;
    assert_ptr_equal(visit(f, 0, 1), peer);
    origin_of(f, 1)->outstanding = 20;
    struct link_peer *other = visit(f, 1, 2);
    origin_of(f, 2)->outstanding = 3;
    assert_int_equal(link_peers_outstanding(&f->peers, peer), 120);
    assert_int_equal(link_peers_outstanding(&f->peers, other), 3);
}

static void attach__missed_while_away__is_told_once(void **state)
{
    struct fixture *f = *state;
    struct link_peer *here = come(f, 0, 0);
    struct link_peer *away = visit(f, 1, 1);

    for (int i = 0; i < BATCHES_BEYOND_ROOM; i++) {
        submit(f->outbound, BIG_RECORDS);
        assert_int_equal(take_one(here), i + 1);
    }
    uint64_t missed = link_peers_attach(&f->peers, away, origin_of(f, 1), session());
    assert_in_range(missed, 1, BATCHES_BEYOND_ROOM - 1);
    assert_int_equal(take_one(away), missed + 1);
    link_peers_detach(away, origin_of(f, 1));
    assert_int_equal(link_peers_attach(&f->peers, away, origin_of(f, 1), session()), 0);
}

/* A place is made before the node is let in, and it may never be. */
static void peer__not_attached_yet__holds_nobody_back(void **state)
{
    struct fixture *f = *state;
    struct link_peer *here = come(f, 0, 0);

    assert_non_null(peer_of(f, 1));
    for (int i = 0; i < BATCHES_BEYOND_ROOM; i++) {
        submit(f->outbound, BIG_RECORDS);
        assert_int_equal(take_one(here), i + 1);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(peer__first_node__gets_all_that_waited_and_a_further_one_what_comes),
        TEST(peer__known_name__has_its_place_again),
        TEST(peer__all_places_known__the_one_not_seen_for_longest_goes),
        TEST(peer__connected__is_never_forgotten),
        TEST(peer__batches_outstanding__is_never_forgotten),
        TEST(peer__not_attached_yet__holds_nobody_back),
        TEST(origin__known_stream__goes_on_where_it_was),
        TEST(origin__all_used__the_oldest_that_is_away_and_finished_goes),
        TEST(origin__all_held__there_is_no_place),
        TEST(outstanding__several_streams_of_a_node__are_summed),
        TEST(attach__missed_while_away__is_told_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
