/* SPDX-License-Identifier: MIT */
/* spool.h - the part of a queue that lies on disk: batches in segment files, in order, and a
 * ledger of numbers.
 *
 *     FOLDER/ledger                  core/ledger.h in core/slot.h; locked while we run
 *     FOLDER/0000000000000001.seg    core/spool_format.h; the name is the first batch's seq
 *
 * What is spooled survives the death of the program, with <is_synced> also that of the machine.
 * Recovery checks every batch; it loses only what is damaged and says how much. A segment is
 * deleted when no batch of it is needed any more, after the ledger says so.
 *
 * A disk that is full, read only or gone keeps nobody from working: the spool then says ERR_...
 * to each append until SPOOL_RETRY_MS have passed, and tries again; the log says once what
 * happens and once when it is over. Segments stay open while they are needed, so a folder that
 * is deleted under us loses nothing as long as the program lives; new segments go into a new
 * folder.
 *
 * Threads: any function from any thread; it has a lock of its own (after a queue's, never
 * before it) and blocks as the disk does, so nobody should hold a lock that others wait for.
 * A reader belongs to one thread at a time.
 */
#ifndef HVLOG_BRIDGE_SPOOL_H
#define HVLOG_BRIDGE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/batch.h"
#include "common/core/batch_name.h"
#include "common/core/lineage.h"
#include "spool_index.h"

struct spool;
struct spool_reader;

enum {
    SPOOL_MAX_LEAST = 1024 * 1024 * 4, /* the smallest max_bytes: some of the largest batches */
    SPOOL_SEGMENT_BYTES = 16 * 1024 * 1024, /* or an eighth of max_bytes, if that is less */
    SPOOL_RETRY_MS = 2000,
    SPOOL_STREAMS_MAX = 64, /* streams whose last batch recovery tells */
    SPOOL_ERROR_MAX = 256,
};

struct spool_options {
    const char *folder; /* made when it is missing. Copied */
    const char *what;   /* for the log: "spool out". Copied */
    uint64_t max_bytes; /* of all segments */
    bool is_synced;
};

/* What was there at the start. */
struct spool_recovery {
    uint64_t first_seq; /* of the batches found; 0: none */
    uint64_t next_seq;  /* the next number to give: above all that were ever given */
    uint64_t batches, records, bytes;
    uint64_t lost_batches;
    uint64_t lost_records; /* exact while the ledger is good; else 0, and is_exact is false */
    bool is_exact;
    bool is_new; /* there was no spool */
    /* Of each stream whose batches were found the highest number. */
    struct batch_name streams[SPOOL_STREAMS_MAX];
    size_t stream_count;
};

/* spool_open() - open, lock, recover, begin a new life (core/lineage.h). The log tells what was
 * found and lost. <index> (empty before) gets an entry for every number from first_seq to
 * next_seq - 1. A ledger that is gone or damaged beside good segments: the batches are kept,
 * the stream gets a new identity. A disk that cannot be used is no failure (see above): the
 * lineage is then a new one.
 *
 * Returns 0; ERR_IN_USE: another program uses <folder>; ERR_NO_MEMORY.
 * spool_close() - gives the lock back. No reader is left. NULL does nothing.
 */
int spool_open(const struct spool_options *options, struct spool_index *index,
               struct spool_recovery *ret, struct spool **ret_spool);
void spool_close(struct spool *s);

/* spool_lineage() - whose batches these are.
 * spool_renew() - another program has lived under this identity: take a new one. Numbers go on.
 * Returns 0 or ERR_IO (no randomness: nothing changed).
 */
void spool_lineage(struct spool *s, struct lineage *ret);
int spool_renew(struct spool *s);

/* spool_give() - the ledger notes that the batch <seq> with <records> was given out; in order,
 * before anybody may take it. For batches that stay in memory; spool_append() notes its own.
 * A disk that fails is told in the log, and not here: work goes on.
 */
void spool_give(struct spool *s, uint64_t seq, uint64_t records);

struct spool_item {
    struct batch *batch; /* borrowed */
    uint64_t seq;        /* above the last one appended */
    uint32_t unwanted;
    struct batch_name name;
};

/* spool_append() - put <count> batches behind the last, with as few writes as may be; whole
 * batches only.
 *
 * Returns how many are in the spool now; when not even the first is, ERR_FULL (max_bytes or the
 * disk; spool_is_failing() tells which), or what os/disk.h says of a disk that fails.
 */
int spool_append(struct spool *s, const struct spool_item *items, int count);

/* spool_room() - octets of batches that still fit below max_bytes, as far as that can be told
 * without asking the disk; 0 while the disk fails and it is not time to try again. */
uint64_t spool_room(struct spool *s);

/* spool_leave() - no batch up to <seq> is needed any more; they had <records> records. */
void spool_leave(struct spool *s, uint64_t seq, uint64_t records);

/* spool_reader_open() - NULL: out of memory.
 * spool_read() - the batches from <seq> on that are in the spool, at most <max> and, from the
 * second on, not beyond <bytes_max> encoded octets. Numbers that were lost are passed over.
 * Each item's batch belongs to the caller (batch_unref()). Reading on where the last read ended
 * costs least; any other place is found again.
 *
 * Returns the count; 0: there is none from <seq> on; ERR_NO_MEMORY, ERR_IO (the disk; try
 * again later). A batch found damaged now is passed over, and logged.
 */
struct spool_reader *spool_reader_open(struct spool *s);
void spool_reader_close(struct spool_reader *r);
int spool_read(struct spool_reader *r, uint64_t seq, struct spool_item *ret, int max,
               size_t bytes_max);

/* spool_set_limit() - another max_bytes, for a reload. What lies there stays. */
void spool_set_limit(struct spool *s, uint64_t max_bytes);

bool spool_is_failing(struct spool *s);

struct spool_status {
    uint64_t bytes, max_bytes;
    uint64_t segments;
    uint64_t recovered_records, lost_records; /* at the start */
    bool is_failing;
    char error[SPOOL_ERROR_MAX]; /* why, "" if it is not */
};
void spool_status(struct spool *s, struct spool_status *ret);

#endif
