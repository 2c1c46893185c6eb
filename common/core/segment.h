/* SPDX-License-Identifier: MIT */
/* segment.h - the octets of a stream as one contiguous piece, however they were cut into reads.
 *
 * A parser consumes octets from [at, end) only when their meaning is certain. What it leaves,
 * the beginning of something short, waits in a small buffer, the stitch. With the next read the
 * first octets of that are put behind it, and the stitch is the segment until all that is left
 * in it is from the new read; then the read itself is the segment again. So nothing but such a
 * tail is copied or seen twice. One owner, no lock, no memory of its own.
 */
#ifndef HVLOG_CORE_SEGMENT_H
#define HVLOG_CORE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STITCH_OCTETS = 24 }; /* a tail has fewer */

struct segment {
    const uint8_t *at, *end;        /* not yet consumed; the parser moves <at> */
    const uint8_t *rest, *rest_end; /* what was fed and is not in the segment */
    const uint8_t *lf;              /* first LF at or behind <at>, or <end>; NULL: not known */
    uint8_t stitch[STITCH_OCTETS];
    uint8_t fresh; /* octets at the end of the stitch that the current read gave */
    bool stitched; /* the segment is the stitch */
};

/* segment_init() - empty. Also forgets whatever there is. */
void segment_init(struct segment *s);

/* segment_feed() - the next read, at least one octet; borrowed until segment_hold(). */
void segment_feed(struct segment *s, const uint8_t *data, size_t length);

/* segment_settle_down() - go on in the read itself if nothing older is left in the stitch. */
void segment_settle_down(struct segment *s);

/* segment_refill() - put more of the read behind the tail. False if there is no more. */
bool segment_refill(struct segment *s);

/* segment_hold() - the read is used up but for a tail of fewer than STITCH_OCTETS: keep that.
 */
void segment_hold(struct segment *s);

/* segment_left() - octets not yet consumed, in the segment and behind it. */
size_t segment_left(const struct segment *s);

/* segment_next_lf() - the first LF at or behind <from>, or <end>. <from> does not go back
 * within a segment. Each octet is searched once, however many other delimiters come before the
 * LF. */
const uint8_t *segment_next_lf(struct segment *s, const uint8_t *from);

#endif
