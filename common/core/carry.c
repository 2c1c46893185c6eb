/* SPDX-License-Identifier: MIT */
/* carry.c - the head of a message that did not lie whole in one read. */
#include "carry.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

void carry_release(struct carry *c)
{
    free(c->data);
    *c = (struct carry){0};
}

void carry_clear(struct carry *c)
{
    c->spent = false;
    c->length = 0;
    c->stored = 0;
    if (c->capacity > CARRY_KEEP_OCTETS)
        carry_release(c);
}

void carry_tick(struct carry *c)
{
    if (c->spent)
        carry_clear(c);
    if (c->capacity > 0 && c->length == 0 && ++c->idle_feeds >= CARRY_IDLE_FEEDS)
        carry_release(c);
}

/* Room for <octets> more, as far as the limit allows them: those that will be kept. */
static int carry_reserve(struct carry *c, uint32_t limit, uint64_t octets, uint32_t *ret_kept)
{
    uint32_t kept = octets < limit - c->stored ? (uint32_t)octets : limit - c->stored;
    uint32_t capacity = c->capacity > 0 ? c->capacity : CARRY_FIRST_OCTETS;
    uint8_t *grown;

    *ret_kept = kept;
    if (c->stored + kept <= c->capacity)
        return 0;
    while (capacity < c->stored + kept)
        capacity = capacity > UINT32_MAX / 2 ? limit : capacity * 2;
    if (capacity > limit)
        capacity = limit;
    grown = realloc(c->data, capacity);
    if (grown == NULL)
        return ERR_NO_MEMORY;
    c->data = grown;
    c->capacity = capacity;
    return 0;
}

int carry_add(struct carry *c, uint32_t limit, const uint8_t *data, size_t length)
{
    uint32_t kept;

    if (length == 0)
        return 0;
    if (carry_reserve(c, limit, length, &kept) < 0)
        return ERR_NO_MEMORY;
    if (kept > 0)
        memcpy(c->data + c->stored, data, kept);
    c->stored += kept;
    c->length += length;
    c->last = data[length - 1];
    c->idle_feeds = 0;
    return 0;
}

int carry_add_spaces(struct carry *c, uint32_t limit, uint64_t length)
{
    uint32_t kept;

    if (length == 0)
        return 0;
    if (carry_reserve(c, limit, length, &kept) < 0)
        return ERR_NO_MEMORY;
    if (kept > 0)
        memset(c->data + c->stored, ' ', kept);
    c->stored += kept;
    c->length += length;
    c->last = ' ';
    c->idle_feeds = 0;
    return 0;
}
