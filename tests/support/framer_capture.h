/* SPDX-License-Identifier: MIT */
/* framer_capture.h - run a whole stream through a framer and keep all that came out.
 *
 * And the same by a second, slow implementation of the rules that sees the stream at once.
 */
#ifndef HVLOG_TESTS_FRAMER_CAPTURE_H
#define HVLOG_TESTS_FRAMER_CAPTURE_H

#include "common/core/framer.h"

struct captured {
    size_t offset; /* in octets */
    uint32_t length;
    uint32_t orig_length;
    uint16_t flags;
};

struct capture {
    uint8_t *octets; /* of all messages, one behind the other */
    size_t octet_count, octet_room;
    struct captured *messages;
    size_t count, room;
    struct framer_counters counters;
    bool is_closed; /* the framer asked for it */
};

/* How a stream is fed. Each read is a piece of memory of its own, freed when used up. */
struct capture_cuts {
    const size_t *lengths; /* of the reads, repeated as often as needed; each at least 1 */
    size_t count;          /* 0: one read */
    bool settles;    /* framer_settle() whenever nothing is undecided: must change nothing */
    bool stays_open; /* framer_settle() in the place of framer_end() */
};

/* capture_stream() - through the framer. capture_reference() - by the second implementation.
 * Both abort without memory. The caller gives <c> back to capture_release(). */
void capture_stream(struct capture *c, const struct framer_options *options,
                    const uint8_t *data, size_t length, const struct capture_cuts *cuts);
void capture_reference(struct capture *c, const struct framer_options *options,
                       const uint8_t *data, size_t length);
void capture_release(struct capture *c);

/* capture_add() - keep a message. */
void capture_add(struct capture *c, const struct framed *m);

/* capture_drop_last() - forget the last message and what it counted, if the end of the stream
 * made it (unterminated, or a counted frame that is not complete). */
void capture_drop_last(struct capture *c);

/* capture_is_equal() - the same messages, flags, lengths, counters, and close. */
bool capture_is_equal(const struct capture *a, const struct capture *b);

/* capture_is_balanced() - every octet of a stream of <length> is accounted for. */
bool capture_is_balanced(const struct capture *c, size_t length);

#endif
