/* SPDX-License-Identifier: MIT */
/* segment.c - the octets of a stream as one contiguous piece, however they were cut into reads.
 */
#include "segment.h"

#include <string.h>

static void segment_use(struct segment *s, const uint8_t *at, const uint8_t *end, bool stitched)
{
    s->at = at;
    s->end = end;
    s->lf = NULL;
    s->stitched = stitched;
}

void segment_init(struct segment *s)
{
    s->rest = s->rest_end = s->stitch;
    s->fresh = 0;
    segment_use(s, s->stitch, s->stitch, false);
}

void segment_feed(struct segment *s, const uint8_t *data, size_t length)
{
    if (s->stitched) {
        s->rest = data;
        s->rest_end = data + length;
        segment_refill(s);
    } else {
        s->rest = s->rest_end = data + length;
        segment_use(s, data, data + length, false);
    }
}

void segment_settle_down(struct segment *s)
{
    size_t left = (size_t)(s->end - s->at);

    if (!s->stitched || left > s->fresh)
        return;
    segment_use(s, s->rest - left, s->rest_end, false);
    s->rest = s->rest_end;
}

bool segment_refill(struct segment *s)
{
    size_t left = (size_t)(s->end - s->at);
    size_t more = (size_t)(s->rest_end - s->rest);

    if (more == 0)
        return false;
    if (more > STITCH_OCTETS - left)
        more = STITCH_OCTETS - left;
    memmove(s->stitch, s->at, left);
    memcpy(s->stitch + left, s->rest, more);
    s->rest += more;
    s->fresh = (uint8_t)(s->fresh + more);
    segment_use(s, s->stitch, s->stitch + left + more, true);
    return true;
}

void segment_hold(struct segment *s)
{
    size_t left = (size_t)(s->end - s->at);

    memmove(s->stitch, s->at, left);
    s->rest = s->rest_end = s->stitch;
    s->fresh = 0;
    segment_use(s, s->stitch, s->stitch + left, left > 0);
}

size_t segment_left(const struct segment *s)
{
    return (size_t)(s->end - s->at) + (size_t)(s->rest_end - s->rest);
}

const uint8_t *segment_next_lf(struct segment *s, const uint8_t *from)
{
    if (s->lf == NULL || s->lf < from) {
        const uint8_t *lf = memchr(from, '\n', (size_t)(s->end - from));
        s->lf = lf != NULL ? lf : s->end;
    }
    return s->lf;
}
