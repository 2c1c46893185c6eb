/* SPDX-License-Identifier: MIT */
/* spool_index.h - of each batch that lies on disk, in order, how many records it has: all that
 * the queue must know of it to keep its books.
 *
 * SPOOL_INDEX_ENTRY_BYTES of memory a batch: with the smallest batches some 3 % of what they
 * take on disk. Pure memory; under its owner's lock.
 */
#ifndef HVLOG_BRIDGE_SPOOL_INDEX_H
#define HVLOG_BRIDGE_SPOOL_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct spool_index_entry {
    uint16_t records; /* 0: a number whose batch was lost */
    uint16_t unwanted;
    uint16_t dropped; /* given up: the most that any one cursor gave up */
};

enum { SPOOL_INDEX_ENTRY_BYTES = sizeof(struct spool_index_entry) };

/* The entries of <first_seq> to <first_seq> + <count> - 1, in a ring. All zero: empty. */
struct spool_index {
    struct spool_index_entry *ring;
    size_t capacity; /* a power of two, or 0 */
    size_t at;       /* of the first */
    size_t count;
    uint64_t first_seq; /* meaningful when count > 0 */
};

void spool_index_release(struct spool_index *x);

/* spool_index_reserve() - room for <count> more. ERR_NO_MEMORY: nothing changed.
 * spool_index_push() - the entry of <seq>, behind the last; numbers left out get entries
 * without records (they need room as well). spool_index_pop() - take the first out. There is
 * one. spool_index_at() - the entry of <seq>, or NULL.
 */
int spool_index_reserve(struct spool_index *x, size_t count);
void spool_index_push(struct spool_index *x, uint64_t seq, struct spool_index_entry entry);
struct spool_index_entry spool_index_pop(struct spool_index *x);
struct spool_index_entry *spool_index_at(struct spool_index *x, uint64_t seq);

#endif
