/* SPDX-License-Identifier: MIT */
/* carry.h - the head of a message that did not lie whole in one read.
 *
 * Keeps the first octets up to a limit and counts the rest. Memory is taken when first needed
 * and grows by doubling; a little of it is kept from one message to the next, so that a stream
 * whose reads end within lines allocates nothing. One owner, no lock.
 */
#ifndef HVLOG_CORE_CARRY_H
#define HVLOG_CORE_CARRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CARRY_FIRST_OCTETS = 512, /* the first piece of memory: most messages are shorter */
    CARRY_KEEP_OCTETS = 4096, /* a larger piece is given back with its message */
    CARRY_IDLE_FEEDS = 32,    /* reads without need after which the rest is given back */
};

/* All zero is an empty carry. */
struct carry {
    uint64_t length; /* octets added, those not kept included */
    uint8_t *data;
    uint32_t stored;   /* octets in <data> */
    uint32_t capacity; /* its size */
    uint8_t last;      /* last octet added, if length is not 0 */
    uint8_t idle_feeds;
    bool spent; /* was given out; cleared before the next use */
};

/* carry_release() - give back all memory; the carry is empty. */
void carry_release(struct carry *c);

/* carry_clear() - forget the message; keeps at most CARRY_KEEP_OCTETS of memory. */
void carry_clear(struct carry *c);

/* carry_tick() - a read begins: clear what was given out, give back memory long not used. */
void carry_tick(struct carry *c);

/* carry_add() - copy <data> behind what is there, as far as the whole stays within <limit>.
 * carry_add_spaces() - the same with SP.
 *
 * Both return 0, or ERR_NO_MEMORY (then nothing was added).
 */
int carry_add(struct carry *c, uint32_t limit, const uint8_t *data, size_t length);
int carry_add_spaces(struct carry *c, uint32_t limit, uint64_t length);

#endif
