/* SPDX-License-Identifier: MIT */
/* progress.h - how far one output came: of each stream the last batch that is whole at its
 * target, and, of a file, where in it that batch ends and what was about to be written behind.
 *
 * A file output notes before each write which batches it will write and how long the text of
 * each is, and after it that they are there. After a kill between the two, what lies behind
 * <file_size> tells, compared with the same batches sent again, what is there already. So each
 * message is in the file exactly once. Pure.
 */
#ifndef HVLOG_CORE_PROGRESS_H
#define HVLOG_CORE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch_name.h"

enum {
    PROGRESS_STREAMS_MAX = 32, /* the one not seen for longest is forgotten */
    PROGRESS_INTENTS_MAX = 16, /* batches of one write (QUEUE_TAKE_MAX) */
};

/* One batch, or a part of one, that is about to be written. */
struct progress_intent {
    struct batch_name batch;
    uint64_t skipped; /* octets of its text that stand before <file_size> already */
    uint64_t octets;  /* of its text in this write */
};

struct progress {
    struct batch_name streams[PROGRESS_STREAMS_MAX]; /* last finished; the newest used last */
    uint32_t stream_count;
    uint64_t file_volume, file_index; /* the file, as os_file_id; 0 0: none */
    uint64_t file_size;               /* its size before the write that <intents> tells of */
    struct progress_intent intents[PROGRESS_INTENTS_MAX]; /* in the order of the write */
    uint32_t intent_count;                                /* 0: nothing is under way */
};

enum {
    PROGRESS_NAME_BYTES = LINEAGE_IDENTITY_BYTES + 8,
    PROGRESS_BYTES_MAX = 4 + PROGRESS_STREAMS_MAX * PROGRESS_NAME_BYTES + 3 * 8 + 4 +
                         PROGRESS_INTENTS_MAX * (PROGRESS_NAME_BYTES + 2 * 8),
};

/* progress_has() - is <batch> finished?
 * progress_note() - it is now, with all before it in its stream; does nothing if it was.
 */
bool progress_has(const struct progress *p, const struct batch_name *batch);
void progress_note(struct progress *p, const struct batch_name *batch);

/* progress_encode() - returns the octets written, at most PROGRESS_BYTES_MAX.
 * progress_decode() - 0; ERR_PROTOCOL: counts, length or order cannot be.
 */
size_t progress_encode(const struct progress *p, uint8_t out[PROGRESS_BYTES_MAX]);
int progress_decode(const uint8_t *in, size_t length, struct progress *ret);

#endif
