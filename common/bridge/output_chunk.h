/* SPDX-License-Identifier: MIT */
/* output_chunk.h - the text of several batches, gathered for one write, and where each batch
 * ends in it.
 *
 * A batch whose text is longer than the room for it goes on in the next chunk. Pure memory.
 */
#ifndef HVLOG_BRIDGE_OUTPUT_CHUNK_H
#define HVLOG_BRIDGE_OUTPUT_CHUNK_H

#include "output_format.h"
#include "queue.h"

/* What an output has finished: all records it wants up to batch <seq>. */
struct output_mark {
    uint64_t seq;
    uint64_t records; /* delivered */
    uint64_t bytes;   /* of their messages */
    uint64_t nul_escaped;
    uint64_t truncated; /* of the delivered ones */
    uint64_t dropped;   /* given up: too large for the target */
};

/* output_mark_add() - <to> becomes what <to> and the later <mark> are together. */
void output_mark_add(struct output_mark *to, const struct output_mark *mark);

struct output_chunk_end {
    size_t end; /* octets of the chunk up to the end of this batch's text */
    struct output_mark mark;
};

struct output_chunk {
    struct output_format format;
    bool is_inside; /* a batch's text goes on in the next chunk */

    struct os_vec vecs[OS_VEC_MAX];
    size_t first, count; /* what is not written yet: vecs[first] to vecs[count - 1] */
    const uint8_t *line; /* where vecs[first] began before a part of it was written */
    size_t octets;       /* of the whole chunk */
    size_t written;

    struct output_chunk_end ends[QUEUE_TAKE_MAX]; /* of the batches that end in this chunk */
    int end_first, end_count;
};

/* output_chunk_init() - 0 or ERR_NO_MEMORY. <config> is borrowed. */
int output_chunk_init(struct output_chunk *c, const struct output_config *config);
void output_chunk_release(struct output_chunk *c);

/* output_chunk_reset() - empty, and not inside any batch. */
void output_chunk_reset(struct output_chunk *c);

/* output_chunk_has_rest() - something of it is not written, or a batch that ends in it is not
 * advanced over. */
bool output_chunk_has_rest(const struct output_chunk *c);

/* output_chunk_fill() - gather as much as there is room for from <items>, of which the first
 * is the one that the last chunk ended in, or the one behind the last that ended. Only
 * without a rest. The batches are borrowed until the chunk is written. Returns 0 or
 * ERR_NO_MEMORY (nothing is in the chunk; go on with output_chunk_reset()).
 */
int output_chunk_fill(struct output_chunk *c, const struct queue_item *items, int count);

/* output_chunk_advance() - <octets> more were written. Returns how many batches that
 * completed, and in <ret> what was finished with them (only if there are any).
 */
int output_chunk_advance(struct output_chunk *c, size_t octets, struct output_mark *ret);

/* output_chunk_back_to_line() - a line that was written in part is to be written whole again.
 * (Line framing; an LF inside a message that is not escaped counts as a line end.)
 */
void output_chunk_back_to_line(struct output_chunk *c);

#endif
