/* SPDX-License-Identifier: MIT */
/* link_session.c - one session of a link: what its threads share. */
#include "link_session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/os/clock.h"
#include "common/os/crypto.h"

static int hmac(void *arg, const uint8_t *data, size_t length,
                uint8_t ret_mac[WIRE_PROOF_BYTES])
{
    const struct link_options *o = arg;

    return os_hmac_sha256(o->secret, o->secret_length, data, length, ret_mac);
}

struct link_session *link_session_new(struct link *l, struct os_stream *stream)
{
    struct link_session *s = calloc(1, sizeof(*s));
    struct session_options options = {
        .role = l->options.role,
        .name = l->options.name,
        .has_secret = l->options.secret_length > 0,
        .hmac = hmac,
        .hmac_arg = &l->options,
        .heartbeat_ms = l->options.heartbeat_ms,
    };

    memcpy(options.identity, l->identity, sizeof(options.identity));
    if (s && os_random(options.nonce, sizeof(options.nonce)) == 0)
        s->session = session_new(&options, os_clock_us());
    if (!s || !s->session) {
        stream->ops->close(stream);
        free(s);
        return NULL;
    }
    s->link = l;
    s->stream = stream;
    os_cond_init(&s->writer_wake);
    os_cond_init(&s->watcher_wake);
    return s;
}

void link_session_hang_up(struct link_session *s)
{
    if (s->stream)
        s->stream->ops->close(s->stream);
    s->stream = NULL;
}

void link_session_free(struct link_session *s)
{
    if (!s)
        return;
    link_session_hang_up(s);
    os_cond_release(&s->writer_wake);
    os_cond_release(&s->watcher_wake);
    session_free(s->session);
    free(s);
}

void link_session_wake(struct link_session *s)
{
    os_cond_signal(&s->writer_wake);
    if (s->is_in_take)
        queue_cancel(s->peer->cursor);
}

void link_session_close(struct link_session *s, enum wire_reason reason, const char *text)
{
    session_close(s->session, reason, text);
    link_session_wake(s);
    os_cond_signal(&s->watcher_wake);
}

/* ---- the peer's place -------------------------------------------------------------------- */

/* What the peer may have on its way or in the inbound queue beyond what is there already. */
static uint64_t room(const struct link_session *s)
{
    uint64_t credit = s->link->options.credit;
    uint64_t outstanding = link_peers_outstanding(&s->link->peers, s->peer);

    return outstanding < credit ? credit - outstanding : 0;
}

static void accept_peer(struct link_session *s, struct link_peer *peer,
                        struct link_origin *origin)
{
    uint64_t missed = link_peers_attach(&s->link->peers, peer, origin, s);

    if (missed)
        log_warn("link: '%s' was away while the queue was full, and missed %" PRIu64
                 " batches that others got",
                 peer->name, missed);
    s->peer = peer;
    s->origin = origin;
    s->granted = room(s);
    session_accept(s->session, origin->finished, s->granted);
}

/* A newer connection of the same node wins: the older one is most likely what a restart or a
 * sleep left behind. */
static void close_older(struct link_session *older)
{
    if (older)
        link_session_close(older, WIRE_REASON_NAME,
                           "a newer connection of the same node took over");
}

void link_session_adopt(struct link_session *s, const char *name,
                        const uint8_t identity[WIRE_IDENTITY_BYTES])
{
    struct link *l = s->link;
    uint64_t deadline = os_clock_ms() + LINK_TAKEOVER_MS;
    bool in_time = true;

    while (in_time && !l->is_stopping) {
        /* Looked up anew each time: while we waited, the places may have changed hands. */
        struct link_origin *origin = link_peers_origin(&l->peers, identity);
        struct link_peer *peer = link_peers_peer(&l->peers, name);
        if (!origin || !peer)
            break;
        if (!origin->session && !peer->session) {
            accept_peer(s, peer, origin);
            return;
        }
        close_older(peer->session);
        close_older(origin->session);
        in_time = os_cond_wait_until(&l->changed, &l->lock, deadline);
    }
    if (l->is_stopping)
        link_session_close(s, WIRE_REASON_STOP, NULL);
    else
        link_session_close(s, WIRE_REASON_BUSY, "no place for one more peer");
}

void link_session_orphan(struct link_session *s)
{
    struct link *l = s->link;

    if (s->peer)
        link_peers_detach(s->peer, s->origin);
    s->is_open = false;
    if (link_peers_connected(&l->peers) == 0) {
        l->state = l->options.role == WIRE_LISTENER ? "listening" : "waiting";
        memcpy(l->last_error, s->why, sizeof(l->last_error));
    }
    os_cond_broadcast(&l->changed);
}

/* ---- credit and acknowledgement ---------------------------------------------------------- */

void link_session_grant(struct link_session *s)
{
    uint64_t step = s->link->options.credit / 4;
    uint64_t received = session_received(s->session);
    uint64_t credit = received + room(s);

    if (s->link->is_draining)
        return;
    /* Small steps would cost a frame each; but a peer that may soon send nothing is told at
     * once. */
    if (credit < s->granted + step && s->granted > received + step)
        return;
    if (credit > s->granted) {
        s->granted = credit;
        session_grant(s->session, credit);
    }
}

void link_release(void *producer, uint64_t seq, size_t bytes)
{
    struct link_origin *o = producer;

    os_mutex_lock(&o->link->lock);
    o->finished = seq;
    o->outstanding -= bytes;
    /* The room is its node's, which may be back with another stream. */
    struct link_session *s = o->peer->session;
    if (s && s->is_open) {
        if (s->origin == o)
            session_ack(s->session, o->finished);
        link_session_grant(s);
        link_session_wake(s);
    }
    os_mutex_unlock(&o->link->lock);
}
