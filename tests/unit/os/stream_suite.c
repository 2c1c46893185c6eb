/* SPDX-License-Identifier: MIT */
/* stream_suite.c - what os/stream.h promises of any carrier's streams and listeners. */
#include "stream_suite.h"

#include <stdlib.h>

#include "common/os/stream.h"
#include "os_test.h"

enum {
    DIAL_MS = 10 * 1000,
    BULK_BYTES = 16 * 1024 * 1024,
    RACES = 50, /* so often a cancel is tried against a wait that begins at the same time */
};

/* ---- a connected pair -------------------------------------------------------------------- */

struct dialing {
    const struct os_carrier *carrier;
    struct endpoint to;
    struct uuid vm_id;
    struct os_stream *stream;
    int result;
};

static void *dial_run(void *arg)
{
    struct dialing *d = arg;
    struct os_target target = {.endpoint = &d->to, .vm_id = d->vm_id};

    d->result = d->carrier->dial(&target, DIAL_MS, NULL, NULL, &d->stream);
    return NULL;
}

static struct os_listener *listener_open(const struct stream_place *place)
{
    struct endpoint at = endpoint_of(place->listen);
    struct os_target target = {.endpoint = &at, .vm_id = place->vm_id};
    const struct os_carrier *carrier = os_carrier_find(place->scheme);
    struct os_listener *l = NULL;

    assert_non_null(carrier);
    assert_string_equal(carrier->name, place->scheme);
    assert_int_equal(carrier->listen(&target, &l), 0);
    return l;
}

static struct endpoint dial_endpoint(const struct stream_place *place,
                                     const struct os_listener *l)
{
    struct endpoint e = endpoint_of(place->dial);

    if (l->port != 0) {
        e.port = l->port;
        e.address.port = (uint16_t)l->port;
    }
    return e;
}

static struct stream_pair pair_of(const struct stream_place *place, struct os_listener *l)
{
    struct dialing d = {.carrier = os_carrier_find(place->scheme),
                        .to = dial_endpoint(place, l),
                        .vm_id = place->vm_id};
    struct stream_pair pair = {0};
    struct os_thread t;

    assert_int_equal(os_thread_start(&t, "dial", dial_run, &d), 0);
    int r = l->ops->accept(l, &pair.accepted);
    os_thread_join(&t);
    assert_int_equal(r, 0);
    assert_int_equal(d.result, 0);
    pair.dialed = d.stream;
    return pair;
}

struct stream_pair stream_pair_open(const struct stream_place *place)
{
    struct os_listener *l = listener_open(place);
    struct stream_pair pair = pair_of(place, l);

    l->ops->close(l);
    return pair;
}

void stream_pair_close(struct stream_pair *pair)
{
    if (pair->dialed)
        pair->dialed->ops->close(pair->dialed);
    if (pair->accepted)
        pair->accepted->ops->close(pair->accepted);
    *pair = (struct stream_pair){0};
}

static int write_all(struct os_stream *s, const void *data, size_t length)
{
    struct os_vec vec = {data, length};

    return s->ops->write(s, &vec, 1);
}

/* ---- octets ------------------------------------------------------------------------------ */

/* A pattern in which no two places nearby look alike. */
static uint8_t pattern_at(size_t i)
{
    return (uint8_t)((i * 2654435761U) >> 13);
}

struct bulk {
    struct os_stream *stream;
    uint8_t *data;
    int result;
};

/* Pieces of many sizes, some of them empty, as many as one call takes. */
static void *bulk_run(void *arg)
{
    struct bulk *b = arg;
    size_t at = 0;

    while (at < BULK_BYTES && b->result == 0) {
        struct os_vec vec[OS_VEC_MAX];
        size_t count = 0;
        for (; count < OS_VEC_MAX && at < BULK_BYTES; count++) {
            size_t length = count * 977 % 9973;
            if (length > BULK_BYTES - at)
                length = BULK_BYTES - at;
            vec[count] = (struct os_vec){b->data + at, length};
            at += length;
        }
        b->result = b->stream->ops->write(b->stream, vec, count);
    }
    b->stream->ops->finish(b->stream);
    return NULL;
}

/* The writer is far faster than this reader, so its writes are short ones again and again. */
static void stream__slow_reader__gets_every_octet_in_order(void **state)
{
    struct stream_pair pair = stream_pair_open(*state);
    struct bulk b = {.stream = pair.dialed, .data = malloc(BULK_BYTES)};
    uint8_t piece[4096];
    struct os_thread t;
    size_t at = 0;
    ptrdiff_t n;

    assert_non_null(b.data);
    for (size_t i = 0; i < BULK_BYTES; i++)
        b.data[i] = pattern_at(i);
    assert_int_equal(os_thread_start(&t, "bulk", bulk_run, &b), 0);
    while ((n = pair.accepted->ops->read(pair.accepted, piece, 1 + at % sizeof piece)) > 0) {
        if (at + (size_t)n > BULK_BYTES || memcmp(piece, b.data + at, (size_t)n) != 0)
            break;
        at += (size_t)n;
    }
    pair.accepted->ops->cancel(pair.accepted);
    os_thread_join(&t);
    free(b.data);
    assert_int_equal(at, BULK_BYTES);
    assert_int_equal(n, ERR_CLOSED);
    assert_int_equal(b.result, 0);
    stream_pair_close(&pair);
}

static void stream__finish__leaves_the_other_direction_open(void **state)
{
    struct stream_pair pair = stream_pair_open(*state);
    char text[8];

    assert_int_equal(write_all(pair.dialed, "last", 4), 0);
    pair.dialed->ops->finish(pair.dialed);
    assert_int_equal(pair.accepted->ops->read(pair.accepted, text, sizeof text), 4);
    assert_memory_equal(text, "last", 4);
    assert_int_equal(pair.accepted->ops->read(pair.accepted, text, sizeof text), ERR_CLOSED);
    assert_int_equal(write_all(pair.accepted, "answer", 6), 0);
    assert_int_equal(pair.dialed->ops->read(pair.dialed, text, sizeof text), 6);
    stream_pair_close(&pair);
}

static void stream__empty_write__sends_nothing(void **state)
{
    struct stream_pair pair = stream_pair_open(*state);
    struct os_vec vec[3] = {{"", 0}, {"x", 1}, {"", 0}};
    char text[8];

    assert_int_equal(pair.dialed->ops->write(pair.dialed, vec, 0), 0);
    assert_int_equal(pair.dialed->ops->write(pair.dialed, vec, 1), 0);
    assert_int_equal(pair.dialed->ops->write(pair.dialed, vec, 3), 0);
    assert_int_equal(pair.accepted->ops->read(pair.accepted, text, sizeof text), 1);
    stream_pair_close(&pair);
}

static void stream__both_ends__are_named(void **state)
{
    struct stream_pair pair = stream_pair_open(*state);

    assert_true(pair.dialed->peer[0] != '\0');
    assert_true(pair.accepted->peer[0] != '\0');
    stream_pair_close(&pair);
}

/* ---- ends -------------------------------------------------------------------------------- */

/* The first write may still succeed; no write kills the program. */
static void stream__peer_is_gone__write_is_closed(void **state)
{
    struct stream_pair pair = stream_pair_open(*state);
    uint64_t limit = test_deadline();
    int r = 0;

    pair.accepted->ops->close(pair.accepted);
    pair.accepted = NULL;
    while (r == 0 && os_clock_ms() < limit)
        r = write_all(pair.dialed, "anybody?", 8);
    assert_int_equal(r, ERR_CLOSED);
    stream_pair_close(&pair);
}

static void stream__peer_is_gone__read_is_closed(void **state)
{
    struct stream_pair pair = stream_pair_open(*state);
    char text[8];

    pair.accepted->ops->close(pair.accepted);
    pair.accepted = NULL;
    assert_int_equal(pair.dialed->ops->read(pair.dialed, text, sizeof text), ERR_CLOSED);
    stream_pair_close(&pair);
}

static void stream__is_ended__throws_octets_away_and_sees_the_end(void **state)
{
    struct stream_pair pair = stream_pair_open(*state);
    uint64_t limit = test_deadline();
    bool is_ended = false;

    assert_false(pair.dialed->ops->is_ended(pair.dialed));
    assert_int_equal(write_all(pair.accepted, "unwanted", 8), 0);
    assert_false(pair.dialed->ops->is_ended(pair.dialed));
    pair.accepted->ops->close(pair.accepted);
    pair.accepted = NULL;
    while (!is_ended && os_clock_ms() < limit)
        is_ended = pair.dialed->ops->is_ended(pair.dialed);
    assert_true(is_ended);
    stream_pair_close(&pair);
}

/* ---- cancel ------------------------------------------------------------------------------ */

struct waiting {
    struct os_stream *stream;
    struct os_listener *listener;
    const uint8_t *data;
    ptrdiff_t result;
};

static void *read_run(void *arg)
{
    struct waiting *w = arg;
    char text[8];

    do
        w->result = w->stream->ops->read(w->stream, text, sizeof text);
    while (w->result > 0);
    return NULL;
}

/* More than any system holds for a reader that does not read. */
static void *write_run(void *arg)
{
    struct waiting *w = arg;
    struct os_vec vec[8];

    for (size_t i = 0; i < COUNT(vec); i++)
        vec[i] = (struct os_vec){w->data, BULK_BYTES};
    w->result = w->stream->ops->write(w->stream, vec, COUNT(vec));
    return NULL;
}

static void *accept_run(void *arg)
{
    struct waiting *w = arg;
    struct os_stream *unexpected = NULL;

    w->result = w->listener->ops->accept(w->listener, &unexpected);
    return NULL;
}

static bool is_ended_by_cancel(ptrdiff_t r)
{
    return r == ERR_CANCELED || r == ERR_CLOSED;
}

static void stream__cancel__ends_a_read(void **state)
{
    for (int i = 0; i < RACES; i++) {
        struct stream_pair pair = stream_pair_open(*state);
        struct waiting w = {.stream = pair.dialed};
        struct os_thread t;
        char text[8];

        assert_int_equal(os_thread_start(&t, "read", read_run, &w), 0);
        pair.dialed->ops->cancel(pair.dialed);
        os_thread_join(&t);
        assert_true(is_ended_by_cancel(w.result));
        pair.dialed->ops->cancel(pair.dialed);
        assert_true(is_ended_by_cancel(pair.dialed->ops->read(pair.dialed, text, 1)));
        assert_true(is_ended_by_cancel(write_all(pair.dialed, "x", 1)));
        stream_pair_close(&pair);
    }
}

static void stream__cancel__ends_a_write_that_nobody_reads(void **state)
{
    uint8_t *data = calloc(1, BULK_BYTES);

    assert_non_null(data);
    for (int i = 0; i < 4; i++) {
        struct stream_pair pair = stream_pair_open(*state);
        struct waiting w = {.stream = pair.dialed, .data = data};
        struct os_thread t;
        char text[8];

        assert_int_equal(os_thread_start(&t, "write", write_run, &w), 0);
        /* Odd rounds: the write is under way for certain. */
        if (i % 2)
            assert_true(pair.accepted->ops->read(pair.accepted, text, sizeof text) > 0);
        pair.dialed->ops->cancel(pair.dialed);
        os_thread_join(&t);
        assert_true(is_ended_by_cancel(w.result));
        stream_pair_close(&pair);
    }
    free(data);
}

static void listener__cancel__ends_an_accept_and_every_later_one(void **state)
{
    for (int i = 0; i < RACES; i++) {
        struct os_listener *l = listener_open(*state);
        struct waiting w = {.listener = l};
        struct os_stream *unexpected = NULL;
        struct os_thread t;

        assert_int_equal(os_thread_start(&t, "accept", accept_run, &w), 0);
        l->ops->cancel(l);
        os_thread_join(&t);
        assert_int_equal(w.result, ERR_CANCELED);
        l->ops->cancel(l);
        assert_int_equal(l->ops->accept(l, &unexpected), ERR_CANCELED);
        l->ops->close(l);
    }
}

/* ---- listeners --------------------------------------------------------------------------- */

static void listener__place_is_taken__second_one_is_in_use(void **state)
{
    const struct stream_place *place = *state;
    struct os_listener *l = listener_open(place);
    struct os_listener *second = NULL;
    struct endpoint at = dial_endpoint(place, l);
    struct os_target target = {.endpoint = &at, .vm_id = place->vm_id};

    at.cid = endpoint_of(place->listen).cid;
    int r = os_carrier_find(place->scheme)->listen(&target, &second);
    if (r == 0)
        second->ops->close(second);
    assert_int_equal(r, ERR_IN_USE);

    /* And the first one is none the worse. */
    struct stream_pair pair = pair_of(place, l);
    stream_pair_close(&pair);
    l->ops->close(l);
}

static void listener__closed__place_is_free_again(void **state)
{
    const struct stream_place *place = *state;
    struct os_listener *l = listener_open(place);
    struct stream_pair pair = pair_of(place, l);
    struct endpoint at = dial_endpoint(place, l);
    struct os_target target = {.endpoint = &at, .vm_id = place->vm_id};

    at.cid = endpoint_of(place->listen).cid;
    /* Our side closes first: its port is in TIME_WAIT now. */
    pair.accepted->ops->close(pair.accepted);
    pair.accepted = NULL;
    stream_pair_close(&pair);
    l->ops->close(l);
    assert_int_equal(os_carrier_find(place->scheme)->listen(&target, &l), 0);
    l->ops->close(l);
}

/* ---- unsent ------------------------------------------------------------------------------ */

static void stream__unsent__is_zero_when_the_peer_has_all(void **state)
{
    struct stream_pair pair = stream_pair_open(*state);
    uint64_t limit = test_deadline();
    char text[8];

    ptrdiff_t n = pair.dialed->ops->unsent(pair.dialed);
    if (n == ERR_UNSUPPORTED) {
        stream_pair_close(&pair);
        skip();
    }
    assert_int_equal(n, 0);
    assert_int_equal(write_all(pair.dialed, "12345678", 8), 0);
    assert_int_equal(pair.accepted->ops->read(pair.accepted, text, sizeof text), 8);
    do
        n = pair.dialed->ops->unsent(pair.dialed);
    while (n != 0 && os_clock_ms() < limit);
    assert_int_equal(n, 0);
    stream_pair_close(&pair);
}

static void stream__unsent__counts_what_the_peer_does_not_take(void **state)
{
    struct stream_pair pair = stream_pair_open(*state);
    uint8_t *data = calloc(1, BULK_BYTES);
    struct waiting w = {.stream = pair.dialed, .data = data};
    uint64_t limit = test_deadline();
    struct os_thread t;
    ptrdiff_t n;

    assert_non_null(data);
    if (pair.dialed->ops->unsent(pair.dialed) == ERR_UNSUPPORTED) {
        free(data);
        stream_pair_close(&pair);
        skip();
    }
    assert_int_equal(os_thread_start(&t, "write", write_run, &w), 0);
    do
        n = pair.dialed->ops->unsent(pair.dialed);
    while (n <= 0 && os_clock_ms() < limit);
    pair.dialed->ops->cancel(pair.dialed);
    os_thread_join(&t);
    free(data);
    assert_true(n > 0);
    stream_pair_close(&pair);
}

int stream_suite_run(const struct stream_place *place)
{
    /* cmocka wants a pointer to something that may change; the tests only read it. */
    struct stream_place own = *place;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(stream__slow_reader__gets_every_octet_in_order, &own),
        cmocka_unit_test_prestate(stream__finish__leaves_the_other_direction_open, &own),
        cmocka_unit_test_prestate(stream__empty_write__sends_nothing, &own),
        cmocka_unit_test_prestate(stream__both_ends__are_named, &own),
        cmocka_unit_test_prestate(stream__peer_is_gone__write_is_closed, &own),
        cmocka_unit_test_prestate(stream__peer_is_gone__read_is_closed, &own),
        cmocka_unit_test_prestate(stream__is_ended__throws_octets_away_and_sees_the_end, &own),
        cmocka_unit_test_prestate(stream__cancel__ends_a_read, &own),
        cmocka_unit_test_prestate(stream__cancel__ends_a_write_that_nobody_reads, &own),
        cmocka_unit_test_prestate(listener__cancel__ends_an_accept_and_every_later_one, &own),
        cmocka_unit_test_prestate(listener__place_is_taken__second_one_is_in_use, &own),
        cmocka_unit_test_prestate(listener__closed__place_is_free_again, &own),
        cmocka_unit_test_prestate(stream__unsent__is_zero_when_the_peer_has_all, &own),
        cmocka_unit_test_prestate(stream__unsent__counts_what_the_peer_does_not_take, &own),
    };

    return cmocka_run_group_tests_name(place->scheme, tests, NULL, NULL);
}
