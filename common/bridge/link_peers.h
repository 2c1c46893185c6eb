/* SPDX-License-Identifier: MIT */
/* link_peers.h - private to the link: what is remembered of other nodes over breaks.
 *
 * For each node that was connected once: its place in the outbound queue. For each stream of
 * batches that came in: how far it was received and finished. Both tables are bounded; the one
 * not seen for longest is forgotten first, but never one that is connected or whose batches are
 * still in the inbound queue. Everything here happens under the link's lock.
 */
#ifndef HVLOG_BRIDGE_LINK_PEERS_H
#define HVLOG_BRIDGE_LINK_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/wire.h"
#include "link.h"
#include "queue.h"

struct link_session;

/* One sender's stream of batches. It is the producer of what it sent in the inbound queue. */
struct link_origin {
    struct link *link;
    struct link_peer *peer; /* the place of the node that sent it last; NULL: nobody yet */
    bool is_used;
    uint8_t identity[WIRE_IDENTITY_BYTES];
    uint64_t received;    /* highest seq that stands, or stood, in the inbound queue */
    uint64_t finished;    /* highest seq that the outputs finished */
    uint64_t outstanding; /* octets of its batches in the inbound queue */
    uint64_t last_used;
    struct link_session *session; /* the one that is open, or NULL */
};

/* A node, by its name. */
struct link_peer {
    char name[WIRE_NAME_MAX + 1];
    struct queue_cursor *cursor; /* its place in the outbound queue; NULL: this entry is free */
    uint64_t last_used;
    struct link_session *session; /* the one that is connected, or NULL */
};

struct link_peers {
    struct queue *outbound, *inbound;
    uint64_t uses; /* the clock of last_used */
    struct link_peer peers[LINK_PEERS_MAX];
    struct link_origin origins[LINK_REMEMBER_MAX];
};

/* link_peers_init() - nothing is remembered yet. <link> is what an origin's releases are told
 * to.
 * link_peers_release() - give the places in the queues back; no session is left.
 */
void link_peers_init(struct link_peers *lp, struct link *link, struct queue *outbound,
                     struct queue *inbound);
void link_peers_release(struct link_peers *lp);

/* link_peers_origin() - what is remembered of the stream <identity>, or a fresh entry.
 * link_peers_peer() - the place of the node <name>. The first node ever gets all that waited in
 * the outbound queue, a further one begins with what comes.
 *
 * NULL when every entry is held by somebody who is connected or has batches in the inbound
 * queue, or memory is out.
 */
struct link_origin *link_peers_origin(struct link_peers *lp,
                                      const uint8_t identity[WIRE_IDENTITY_BYTES]);
struct link_peer *link_peers_peer(struct link_peers *lp, const char *name);

/* link_peers_attach() / link_peers_detach() - <s> is, or is no longer, the session of both. A
 * node that is away does not hold back one that is here (queue_cursor_expendable()). attach
 * returns how many batches the node missed for that.
 */
uint64_t link_peers_attach(struct link_peers *lp, struct link_peer *peer,
                           struct link_origin *origin, struct link_session *s);
void link_peers_detach(struct link_peer *peer, struct link_origin *origin);

/* link_peers_outstanding() - octets in the inbound queue that came from the node at <peer>. It
 * may have had several streams: a program that starts anew has a new identity, and what it sent
 * in its last life still waits.
 */
uint64_t link_peers_outstanding(const struct link_peers *lp, const struct link_peer *peer);

size_t link_peers_connected(const struct link_peers *lp);

#endif
