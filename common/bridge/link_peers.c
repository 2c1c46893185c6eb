/* SPDX-License-Identifier: MIT */
/* link_peers.c - what is remembered of other nodes over breaks. */
#include "link_peers.h"

#include <stdio.h>
#include <string.h>

void link_peers_init(struct link_peers *lp, struct link *link, struct queue *outbound,
                     struct queue *inbound)
{
    *lp = (struct link_peers){.outbound = outbound, .inbound = inbound};
    for (size_t i = 0; i < LINK_REMEMBER_MAX; i++)
        lp->origins[i].link = link;
}

void link_peers_release(struct link_peers *lp)
{
    for (size_t i = 0; i < LINK_REMEMBER_MAX; i++)
        queue_forget_producer(lp->inbound, &lp->origins[i]);
    for (size_t i = 0; i < LINK_PEERS_MAX; i++)
        queue_cursor_close(lp->peers[i].cursor);
}

/* Is <o> a better one to give away than <best>? */
static bool is_freer_origin(const struct link_origin *o, const struct link_origin *best)
{
    if (o->session || o->outstanding)
        return false;
    return !best || (best->is_used && (!o->is_used || o->last_used < best->last_used));
}

struct link_origin *link_peers_origin(struct link_peers *lp,
                                      const uint8_t identity[WIRE_IDENTITY_BYTES])
{
    struct link_origin *best = NULL;

    for (size_t i = 0; i < LINK_REMEMBER_MAX; i++) {
        struct link_origin *o = &lp->origins[i];
        if (o->is_used && memcmp(o->identity, identity, WIRE_IDENTITY_BYTES) == 0)
            return o;
        if (is_freer_origin(o, best))
            best = o;
    }
    if (best) {
        *best = (struct link_origin){.link = best->link, .is_used = true};
        memcpy(best->identity, identity, WIRE_IDENTITY_BYTES);
    }
    return best;
}

uint64_t link_peers_outstanding(const struct link_peers *lp, const struct link_peer *peer)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < LINK_REMEMBER_MAX; i++)
        if (lp->origins[i].peer == peer)
            sum += lp->origins[i].outstanding;
    return sum;
}

/* What a node has in the inbound queue is counted at its place, against its credit: given away
 * before that is finished, the place would have the next node pay for it.
 */
static bool is_freer_peer(const struct link_peers *lp, const struct link_peer *p,
                          const struct link_peer *best)
{
    if (p->session || link_peers_outstanding(lp, p))
        return false;
    return !best || (best->cursor && (!p->cursor || p->last_used < best->last_used));
}

struct link_peer *link_peers_peer(struct link_peers *lp, const char *name)
{
    struct link_peer *best = NULL;
    bool is_first = true;

    for (size_t i = 0; i < LINK_PEERS_MAX; i++) {
        struct link_peer *p = &lp->peers[i];
        is_first &= !p->cursor;
        if (p->cursor && strcmp(p->name, name) == 0)
            return p;
        if (is_freer_peer(lp, p, best))
            best = p;
    }
    struct queue_cursor *cursor = best ? queue_cursor_open(lp->outbound, is_first) : NULL;
    if (!cursor)
        return NULL;
    queue_cursor_expendable(cursor, true); /* until it is attached */
    queue_cursor_close(best->cursor);
    best->cursor = cursor;
    snprintf(best->name, sizeof(best->name), "%s", name);
    return best;
}

uint64_t link_peers_attach(struct link_peers *lp, struct link_peer *peer,
                           struct link_origin *origin, struct link_session *s)
{
    queue_cursor_expendable(peer->cursor, false);
    origin->last_used = peer->last_used = ++lp->uses;
    origin->session = peer->session = s;
    origin->peer = peer;
    return queue_cursor_skipped(peer->cursor);
}

void link_peers_detach(struct link_peer *peer, struct link_origin *origin)
{
    queue_cursor_expendable(peer->cursor, true);
    origin->session = NULL;
    peer->session = NULL;
}

size_t link_peers_connected(const struct link_peers *lp)
{
    size_t n = 0;

    for (size_t i = 0; i < LINK_PEERS_MAX; i++)
        n += lp->peers[i].session != NULL;
    return n;
}
