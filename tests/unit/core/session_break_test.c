/* SPDX-License-Identifier: MIT */
/* session_break_test.c - links that break at every octet, and sessions that go on from there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/session_pair.h"

enum { BATCHES = 6, ENOUGH = 1 << 20 };

/* What an owner took, over all sessions: exactly once means in order, without gap or
 * repetition.
 */
static uint64_t taken[2];

static void count_taken(const struct pair *p, int side)
{
    const struct pair_side *s = &p->sides[side];

    for (size_t i = 0; i < s->event_count; i++) {
        if (s->events[i].type != SESSION_DATA)
            continue;
        assert_int_equal(s->events[i].number, taken[side] + 1);
        assert_int_equal(s->events[i].gap, 0);
        taken[side] = s->events[i].number;
    }
}

/* run_limited() - as pair_run(), until <from> has said <limit> octets; what it says beyond is
 * lost. Returns what it said.
 */
static size_t run_limited(struct pair *p, int from, size_t limit)
{
    size_t said = 0, moved;

    do {
        moved = 0;
        for (int i = 0; i < 2; i++) {
            struct pair_side *s = &p->sides[i];
            pair_collect(p, i);
            size_t length = s->out_length;
            if (i == from && said + length > limit)
                length = limit - said;
            if (i == from)
                said += length;
            pair_feed(p, 1 - i, s->out, length, SIZE_MAX);
            if (length < s->out_length)
                return said;
            moved += length;
            s->out_length = 0;
        }
    } while (moved > 0);
    return said;
}

/* run_session() - one session on the owners' state, broken after <limit> octets of <from>. */
static size_t run_session(struct pair *p, int from, size_t limit)
{
    pair_connect(p);
    size_t said = run_limited(p, from, limit);
    assert_null(pair_find(p, 0, SESSION_CLOSED));
    assert_null(pair_find(p, 1, SESSION_CLOSED));
    count_taken(p, 0);
    count_taken(p, 1);
    pair_disconnect(p);
    return said;
}

static void start(struct pair *p)
{
    pair_init(p, "secret", "secret");
    p->owners[0].to_send = p->owners[1].to_send = BATCHES;
    taken[0] = taken[1] = 0;
}

static void check_all_taken(const struct pair *p)
{
    for (int i = 0; i < 2; i++) {
        assert_int_equal(taken[i], BATCHES);
        assert_int_equal(p->owners[i].finished, BATCHES);
        assert_int_equal(p->owners[i].acked, BATCHES);
    }
}

static void check_breaks(int from)
{
    struct pair p;

    start(&p);
    size_t total = run_session(&p, from, ENOUGH);
    check_all_taken(&p);
    pair_release(&p);
    assert_true(total > BATCHES * PAIR_BATCH_BYTES);

    for (size_t limit = 0; limit < total; limit++) {
        start(&p);
        run_session(&p, from, limit);
        run_session(&p, from, ENOUGH);
        check_all_taken(&p);
        pair_release(&p);
    }
}

static void session__link_breaks_at_any_octet_of_the_connector__exactly_once(void **state)
{
    (void)state;
    check_breaks(0);
}

static void session__link_breaks_at_any_octet_of_the_listener__exactly_once(void **state)
{
    (void)state;
    check_breaks(1);
}

/* Breaks that follow each other, each a little later: there is progress, and still nothing
 * twice.
 */
static void session__link_breaks_again_and_again__exactly_once(void **state)
{
    struct pair p;

    (void)state;
    for (size_t step = 1; step < 60; step++) {
        start(&p);
        for (size_t limit = 150; limit < 1500; limit += step)
            run_session(&p, (int)(limit & 1), limit);
        run_session(&p, 0, ENOUGH);
        check_all_taken(&p);
        pair_release(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(session__link_breaks_at_any_octet_of_the_connector__exactly_once),
        cmocka_unit_test(session__link_breaks_at_any_octet_of_the_listener__exactly_once),
        cmocka_unit_test(session__link_breaks_again_and_again__exactly_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
