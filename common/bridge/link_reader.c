/* SPDX-License-Identifier: MIT */
/* link_reader.c - the reader of a session: what comes, and what is made of it. */
#include "link_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/os/clock.h"
#include "link_session.h"

static void on_open(struct link_session *s, const struct session_event *ev)
{
    struct link *l = s->link;

    if (ev->u.resume.last_seq > queue_last_seq(l->options.outbound)) {
        link_session_close(s, WIRE_REASON_PROTOCOL,
                           "the peer claims to have finished batches that were never sent");
        return;
    }
    queue_resume(s->peer->cursor, ev->u.resume.last_seq);
    s->is_open = s->was_open = true;
    s->since_wall_us = os_clock_wall_us();
    l->state = "up";
    l->last_error[0] = '\0';
    backoff_reset(&l->backoff);
    /* The watcher slept for the handshake's deadline: heartbeats come sooner. */
    os_cond_signal(&s->watcher_wake);
    log_limited(&l->up_limit, LOG_INFO, "link: up with '%s' (%s)", s->peer->name,
                s->stream->peer);
}

static void on_closed(struct link_session *s, const struct session_event *ev)
{
    snprintf(s->why, sizeof(s->why), "%s%s", ev->u.closed.by_peer ? "the peer says: " : "",
             ev->u.closed.text);
}

/* A batch came. Called and returns with link.lock held; decoding and the wait for room go
 * without it. */
static void on_data(struct link_session *s, const struct session_event *ev)
{
    struct link *l = s->link;
    struct link_origin *origin = s->origin;
    uint64_t seq = ev->u.data.seq;
    size_t length = ev->u.data.length;
    struct batch *b = NULL;

    /* What is in the queue already (the link broke before it was finished) is not taken twice.
     * What comes while we drain is left to the peer, which keeps it. */
    if (seq <= origin->received || l->is_draining) {
        free(ev->u.data.batch);
        link_session_grant(s);
        return;
    }
    os_mutex_unlock(&l->lock);
    int r = batch_decode(ev->u.data.batch, length, &b);
    if (r < 0)
        free(ev->u.data.batch);
    size_t unwanted =
        b && l->options.unwanted ? l->options.unwanted(l->options.unwanted_arg, b) : 0;
    size_t records = b ? batch_records(b) : 0;
    os_mutex_lock(&l->lock);
    if (r < 0) {
        link_session_close(s, WIRE_REASON_PROTOCOL,
                           r == ERR_PROTOCOL ? "a batch that is not one" : "out of memory");
        return;
    }
    /* Booked before it is submitted: the outputs may finish it, and the release call look here,
     * at once. */
    origin->received = seq;
    origin->outstanding += length;
    os_mutex_unlock(&l->lock);
    struct queue_origin from = {.producer = origin, .name = {.seq = seq}};
    memcpy(from.name.stream, origin->identity, sizeof(from.name.stream));
    r = queue_submit(l->options.inbound, b, &from, unwanted);
    batch_unref(b);
    os_mutex_lock(&l->lock);
    if (r < 0) {
        origin->received = seq - 1;
        origin->outstanding -= length;
        link_session_close(s, WIRE_REASON_STOP, NULL); /* the queue is closed: we stop */
        return;
    }
    s->received_records += records;
    s->received_bytes += length;
}

static void handle_event(struct link_session *s, const struct session_event *ev)
{
    switch (ev->type) {
    case SESSION_PEER:
        s->is_proven = true;
        link_session_adopt(s, ev->u.peer.name, ev->u.peer.identity);
        break;
    case SESSION_OPEN:
        on_open(s, ev);
        break;
    case SESSION_DATA:
        on_data(s, ev);
        break;
    case SESSION_ACK:
        queue_done(s->peer->cursor, ev->u.seq, 0);
        break;
    case SESSION_RTT:
        s->rtt_us = ev->u.rtt_us;
        break;
    case SESSION_CLOSED:
        on_closed(s, ev);
        break;
    case SESSION_CREDIT:
        break;
    }
}

static void drain_events(struct link_session *s)
{
    struct session_event ev;
    bool may_go_on = false;

    while (session_next(s->session, os_clock_us(), &ev)) {
        handle_event(s, &ev);
        may_go_on |= ev.type == SESSION_CREDIT || ev.type == SESSION_OPEN;
    }
    if (may_go_on || session_has_output(s->session))
        link_session_wake(s);
    if (session_is_closed(s->session))
        os_cond_signal(&s->watcher_wake);
}

void *link_reader_run(void *arg)
{
    struct link_session *s = arg;
    struct link *l = s->link;
    ptrdiff_t n = 0;

    os_mutex_lock(&l->lock);
    for (;;) {
        uint8_t *space;
        size_t size;
        session_reserve(s->session, &space, &size);
        os_mutex_unlock(&l->lock);
        n = s->stream->ops->read(s->stream, space, size);
        os_mutex_lock(&l->lock);
        if (n < 0)
            break;
        session_commit(s->session, (size_t)n, os_clock_us());
        drain_events(s);
    }
    drain_events(s); /* the reason of a close by our own side */
    if (!s->why[0])
        snprintf(s->why, sizeof(s->why), "%s", err_text((int)n));
    s->is_reader_done = true;
    link_session_wake(s);
    os_cond_signal(&s->watcher_wake);
    os_mutex_unlock(&l->lock);
    return NULL;
}
