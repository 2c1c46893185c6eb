/* SPDX-License-Identifier: MIT */
/* output_format.h - from batches to the text that an output writes: which records, and what
 * stands around them. Pure memory.
 *
 *     framing line     [prefix] message LF             LF, NUL in it escaped if escape = yes
 *     framing octet    count SP [prefix] message       never escaped
 *
 * Where the batch's payload is that text already it is handed out as it is; else the text is
 * made in memory that is used again and again.
 */
#ifndef HVLOG_BRIDGE_OUTPUT_FORMAT_H
#define HVLOG_BRIDGE_OUTPUT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/batch.h"
#include "common/os/stream.h"
#include "config.h"

/* Which records of a batch an output takes; decided for each source, once. */
struct output_selection {
    bool is_all;
    bool wanted[BATCH_SOURCES_MAX]; /* by record.source, unless <is_all> */
};

void output_selection_make(struct output_selection *s, const struct output_config *config,
                           const struct batch *b);

static inline bool output_selection_has(const struct output_selection *s, uint16_t source)
{
    return s->is_all || s->wanted[source];
}

/* Text made before it is written; more for one longer record. */
enum { OUTPUT_ROOM_BYTES = 256 * 1024 };

struct output_source_prefix;

/* <records>, <bytes> and <nul_escaped> may be read: of the present batch, up to the present
 * record. <bytes> is messages only, comparable to what inputs count. */
struct output_format {
    const struct output_config *config;
    const struct batch *batch;
    size_t next; /* record */
    bool is_payload;
    struct output_selection selection;
    /* One for each source of the batch; NULL: no prefix. */
    struct output_source_prefix *prefixes;
    uint8_t *room;
    size_t room_size, room_used;
    uint64_t records, bytes, nul_escaped;
};

/* output_format_init() - <config> is borrowed. 0 or ERR_NO_MEMORY. */
int output_format_init(struct output_format *f, const struct output_config *config);
void output_format_release(struct output_format *f);

/* output_format_begin() - go on with <b>, borrowed until the next begin. */
void output_format_begin(struct output_format *f, const struct batch *b);

/* output_format_next() - the next piece of the batch's text, whole records. It lives until
 * output_format_clear(), and no longer than the batch.
 *
 * Returns 1 and a piece; 0 when all was given; ERR_FULL when the room for text is used up:
 * write the pieces, output_format_clear(), and go on; ERR_NO_MEMORY for a record larger than
 * the room.
 */
int output_format_next(struct output_format *f, struct os_vec *ret);
void output_format_clear(struct output_format *f);

#endif
