/* SPDX-License-Identifier: MIT */
/* due_list.h - things that fall due a fixed time after they were last touched.
 *
 * Since the time is the same for all of them, the order of touching is the order of falling
 * due: a ring, in which every step is O(1) and ten thousand idle things cost nothing. Pure
 * memory; one thread.
 */
#ifndef HVLOG_BRIDGE_DUE_LIST_H
#define HVLOG_BRIDGE_DUE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised: in no list. */
struct due_link {
    struct due_link *prev, *next;
    void *owner;
    uint64_t touched_ms;
};

struct due_list {
    struct due_link ring; /* next: the one that falls due first */
    uint64_t after_ms;
};

#define DUE_NEVER UINT64_MAX /* as <after_ms>: never; as a deadline: OS_NEVER */

static inline void due_list_init(struct due_list *l, uint64_t after_ms)
{
    l->ring = (struct due_link){.prev = &l->ring, .next = &l->ring};
    l->after_ms = after_ms;
}

/* due_list_remove() - take <link> out of whatever list it is in, if any. */
static inline void due_list_remove(struct due_link *link)
{
    if (link->next == NULL)
        return;
    link->prev->next = link->next;
    link->next->prev = link->prev;
    link->prev = link->next = NULL;
}

/* due_list_touch() - <link>, in this list or in none, falls due <after_ms> behind <now_ms>.
 * <now_ms> never goes back. */
static inline void due_list_touch(struct due_list *l, struct due_link *link, void *owner,
                                  uint64_t now_ms)
{
    due_list_remove(link);
    link->owner = owner;
    link->touched_ms = now_ms;
    link->prev = l->ring.prev;
    link->next = &l->ring;
    l->ring.prev->next = link;
    l->ring.prev = link;
}

/* due_list_first() - the owner of the one touched longest ago, or NULL. */
static inline void *due_list_first(const struct due_list *l)
{
    return l->ring.next == &l->ring ? NULL : l->ring.next->owner;
}

/* due_list_deadline() - when the first falls due, or DUE_NEVER. */
static inline uint64_t due_list_deadline(const struct due_list *l)
{
    if (l->ring.next == &l->ring || l->after_ms == DUE_NEVER)
        return DUE_NEVER;
    return l->ring.next->touched_ms + l->after_ms;
}

/* due_list_take() - remove and return the first owner that is due at <now_ms>, or NULL. */
static inline void *due_list_take(struct due_list *l, uint64_t now_ms)
{
    if (due_list_deadline(l) > now_ms || due_list_deadline(l) == DUE_NEVER)
        return NULL;
    void *owner = l->ring.next->owner;
    due_list_remove(l->ring.next);
    return owner;
}

#endif
