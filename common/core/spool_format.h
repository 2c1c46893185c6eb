/* SPDX-License-Identifier: MIT */
/* spool_format.h - a segment of a spool: a file of batches, one behind the other, each with a
 * head that says what it is and two checksums.
 *
 *     segment head   64 octets: magic "hvlogseg", u32 version (1), 16 octets spool, u64 seq of
 *                    the first batch, zeros, u32 CRC-32C of what stands before it
 *     for each batch its head, 64 octets, and the encoded batch (batch.h):
 *                    u32 magic, u32 octets of the batch, u64 seq, u32 records, u32 unwanted,
 *                    16 octets stream and u64 seq of its name, u32 CRC-32C of the batch,
 *                    zeros, u32 CRC-32C of the head
 *
 * All little-endian. A head that is good and a batch that is not: just this one is lost. A head
 * that is not good: the next good one is searched for, octet by octet. So a damaged or cut
 * segment loses only what is damaged. Pure; any thread.
 */
#ifndef HVLOG_CORE_SPOOL_FORMAT_H
#define HVLOG_CORE_SPOOL_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "batch_name.h"

enum {
    SPOOL_SEGMENT_HEAD_BYTES = 64,
    SPOOL_ENTRY_HEAD_BYTES = 64,
    SPOOL_ENTRY_BYTES_MAX = SPOOL_ENTRY_HEAD_BYTES + BATCH_BYTES_MAX,
};

struct spool_segment_head {
    uint8_t spool[LINEAGE_IDENTITY_BYTES];
    uint64_t first_seq;
};

struct spool_entry_head {
    uint64_t seq; /* in this spool's queue */
    uint32_t records;
    uint32_t unwanted;      /* of them: no output takes them */
    uint32_t length;        /* octets of the encoded batch, BATCH_HEADER_BYTES or more */
    uint32_t checksum;      /* CRC-32C of the encoded batch */
    struct batch_name name; /* by which its sender knows it; all zero in the sender itself */
};

void spool_segment_head_encode(const struct spool_segment_head *h,
                               uint8_t out[SPOOL_SEGMENT_HEAD_BYTES]);
int spool_segment_head_decode(const uint8_t in[SPOOL_SEGMENT_HEAD_BYTES],
                              struct spool_segment_head *ret); /* 0 or ERR_PROTOCOL */

void spool_entry_head_encode(const struct spool_entry_head *h,
                             uint8_t out[SPOOL_ENTRY_HEAD_BYTES]);
int spool_entry_head_decode(const uint8_t in[SPOOL_ENTRY_HEAD_BYTES],
                            struct spool_entry_head *ret); /* 0 or ERR_PROTOCOL */

/* spool_entry_find() - where in the <size> octets at <in> the next good head begins; <size>
 * when there is none that is whole. (Search on from SPOOL_ENTRY_HEAD_BYTES - 1 before the end.)
 */
size_t spool_entry_find(const uint8_t *in, size_t size);

#endif
