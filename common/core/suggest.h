/* SPDX-License-Identifier: MIT */
/* suggest.h - the known name that somebody probably meant.
 *
 * Offer all known names, from whatever table they stand in, then ask for the nearest:
 *
 *     struct suggest s;
 *     suggest_init(&s, key);
 *     for (...)
 *         suggest_offer(&s, table[i].key);
 *     const char *nearest = suggest_nearest(&s);
 *
 * Distance is counted in slips: an octet too many, missing, wrong, or swapped with its
 * neighbour; upper and lower case are the same. A name is near enough to be of help when no
 * more than a third of it is slips (one is always allowed), and at least half of it is right.
 * Pure, no allocation.
 */
#ifndef HVLOG_CORE_SUGGEST_H
#define HVLOG_CORE_SUGGEST_H

#include <stddef.h>

#include "view.h"

/* Longer words and names are not compared: the work for each offer is bounded by its square. */
enum { SUGGEST_WORD_MAX = 32 };

/* The fields belong to suggest.c. */
struct suggest {
    struct view word;
    const char *nearest;
    size_t distance;
};

/* suggest_init() - look for <word>, which is borrowed until the last offer. */
void suggest_init(struct suggest *s, struct view word);

/* suggest_offer() - a known name; borrowed for as long as the answer is used. */
void suggest_offer(struct suggest *s, const char *name);

/* suggest_nearest() - the nearest name offered, the first of several; NULL if none is near. */
const char *suggest_nearest(const struct suggest *s);

#endif
