/* SPDX-License-Identifier: MIT */
/* ledger.h - what a spool knows about itself, beside its segments: whose batches they are, up
 * to which number they were given out, and up to which they are no longer needed.
 *
 * Written for each batch, before anyone can take it, so that no number is ever given twice,
 * and so that after a kill the sum of what is missing is known. Pure.
 */
#ifndef HVLOG_CORE_LEDGER_H
#define HVLOG_CORE_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "lineage.h"

struct ledger {
    uint8_t
        spool[LINEAGE_IDENTITY_BYTES]; /* random, made with the spool: in each segment too */
    struct lineage lineage;            /* of the stream that it holds */
    uint64_t given_seq;                /* the last number given to a batch */
    uint64_t given_records;            /* records of all batches up to it */
    uint64_t left_seq;                 /* the last batch that is not needed any more */
    uint64_t left_records;             /* records of all batches up to it */
};

enum { LEDGER_BYTES = 16 + 16 + 8 * LINEAGE_LIVES_MAX + 4 + 4 * 8 };

/* ledger_encode() - little-endian, in the order of the struct.
 * ledger_decode() - 0; ERR_PROTOCOL: wrong length, or numbers that cannot be (left above given,
 * too many lives, a life of 0).
 */
void ledger_encode(const struct ledger *l, uint8_t out[LEDGER_BYTES]);
int ledger_decode(const uint8_t *in, size_t length, struct ledger *ret);

#endif
