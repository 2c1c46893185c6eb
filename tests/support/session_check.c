/* SPDX-License-Identifier: MIT */
/* session_check.c - what every session that broke off must show. */
#include "tests/support/session_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/bytes.h"

void check_ended(struct pair *p, int side, unsigned reason, const char *part_of_text)
{
    const struct pair_event *closed = pair_find(p, side, SESSION_CLOSED);
    struct pair_side *s = &p->sides[side];
    struct wire_frame bye;

    assert_non_null(closed);
    assert_false(closed->by_peer);
    assert_int_equal(closed->reason, reason);
    assert_non_null(strstr(closed->text, part_of_text));
    assert_true(session_is_closed(s->session));

    s->out_length = 0;
    pair_collect(p, side);
    assert_int_equal(pair_count_frames(s->out, s->out_length, WIRE_BYE), 1);
    size_t at = 0;
    while (s->out[at + 4] != WIRE_BYE)
        at += WIRE_HEADER_BYTES + bytes_get32(s->out + at);
    size_t length = bytes_get32(s->out + at);
    assert_int_equal(at + WIRE_HEADER_BYTES + length, s->out_length);
    assert_int_equal(wire_decode(WIRE_BYE, s->out + at + WIRE_HEADER_BYTES, length, &bye), 0);
    assert_int_equal(bye.u.bye.reason, reason);
}
