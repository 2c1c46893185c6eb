/* SPDX-License-Identifier: MIT */
/* link_session.c - one session of a link: reader, writer and watcher around the state machine. */
#include "link_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
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
    struct link_session *s = calloc(1, sizeof *s);
    struct session_options options = {
        .role = l->options.role,
        .name = l->options.name,
        .has_secret = l->options.secret_length > 0,
        .hmac = hmac,
        .hmac_arg = &l->options,
        .heartbeat_ms = l->options.heartbeat_ms,
    };

    memcpy(options.identity, l->identity, sizeof options.identity);
    if (s && os_random(options.nonce, sizeof options.nonce) == 0)
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

void link_session_free(struct link_session *s)
{
    if (!s)
        return;
    s->stream->ops->close(s->stream);
    os_cond_release(&s->writer_wake);
    os_cond_release(&s->watcher_wake);
    session_free(s->session);
    free(s);
}

/* ---- under link.lock ------------------------------------------------------------------------ */

static void wake_writer(struct link_session *s)
{
    os_cond_signal(&s->writer_wake);
    if (s->is_in_take)
        queue_cancel(s->peer->cursor);
}

void link_session_close(struct link_session *s, enum wire_reason reason, const char *text)
{
    session_close(s->session, reason, text);
    wake_writer(s);
    os_cond_signal(&s->watcher_wake);
}

static void grant(struct link_session *s)
{
    uint64_t window = s->link->options.window;
    uint64_t outstanding = s->origin->outstanding;
    uint64_t room = outstanding < window ? window - outstanding : 0;
    uint64_t credit = session_received(s->session) + room;

    /* Small steps would cost a frame each; but a peer that may not send at all is told at once. */
    if (credit < s->granted + window / 4 &&
        s->granted > session_received(s->session) + window / 4)
        return;
    if (credit > s->granted) {
        s->granted = credit;
        session_grant(s->session, credit);
    }
}

void link_session_released(struct link_session *s)
{
    session_ack(s->session, s->origin->finished);
    grant(s);
    wake_writer(s);
}

static void on_peer(struct link_session *s, const struct session_event *ev)
{
    int r = link_adopt(s->link, s, ev->u.peer.name, ev->u.peer.identity);

    if (r < 0) {
        link_session_close(s, r == ERR_FULL ? WIRE_REASON_BUSY : WIRE_REASON_STOP,
                           r == ERR_FULL ? "no place for one more peer" : NULL);
        return;
    }
    uint64_t window = s->link->options.window;
    uint64_t outstanding = s->origin->outstanding;
    s->granted = outstanding < window ? window - outstanding : 0;
    session_accept(s->session, s->origin->finished, s->granted);
}

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
    os_cond_signal(
        &s->watcher_wake); /* it slept for the handshake's deadline: heartbeats come sooner */
    log_info("link: up with '%s' (%s)", s->peer->name, s->stream->peer);
}

static void on_closed(struct link_session *s, const struct session_event *ev)
{
    s->reason = ev->u.closed.reason;
    s->by_peer = ev->u.closed.by_peer;
    snprintf(s->why, sizeof s->why, "%s%s", s->by_peer ? "the peer says: " : "",
             ev->u.closed.text);
}

/* ---- reader --------------------------------------------------------------------------------- */

/* A batch came. Called and returns with link.lock held; decoding and the wait for room go without it. */
static void on_data(struct link_session *s, const struct session_event *ev)
{
    struct link *l = s->link;
    struct link_origin *origin = s->origin;
    uint64_t seq = ev->u.data.seq;
    size_t length = ev->u.data.length;
    struct batch *b = NULL;

    /* What is in the queue already (the link broke before it was finished) is not taken twice. What comes while
     * we drain is left to the peer, which keeps it. */
    if (seq <= origin->received || l->is_draining) {
        free(ev->u.data.batch);
        grant(s);
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
    /* Booked before it is submitted: the outputs may finish it, and the release call look here, at once. */
    origin->received = seq;
    origin->outstanding += length;
    os_mutex_unlock(&l->lock);
    r = queue_submit(l->options.inbound, b, origin, seq, unwanted);
    batch_unref(b);
    os_mutex_lock(&l->lock);
    if (r < 0) {
        origin->received = seq - 1;
        origin->outstanding -= length;
        return;
    }
    s->received_records += records;
    s->received_bytes += length;
}

static void handle_event(struct link_session *s, const struct session_event *ev)
{
    switch (ev->type) {
    case SESSION_PEER:
        on_peer(s, ev);
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
        wake_writer(s);
    if (session_is_closed(s->session))
        os_cond_signal(&s->watcher_wake);
}

static void *run_reader(void *arg)
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
        snprintf(s->why, sizeof s->why, "%s", err_text((int)n));
    s->is_reader_done = true;
    os_cond_signal(&s->writer_wake);
    if (s->is_in_take)
        queue_cancel(s->peer->cursor);
    os_cond_signal(&s->watcher_wake);
    os_mutex_unlock(&l->lock);
    return NULL;
}

/* ---- writer --------------------------------------------------------------------------------- */

/* What the writer has in hand: taken from the queue, not yet written. It holds a reference of its own to each batch, since a
 * peer may acknowledge one whose last octets are still on their way out of here. */
struct outgoing {
    struct queue_item items[QUEUE_TAKE_MAX];
    int first, count;
    uint8_t control[SESSION_PULL_MAX];
    uint8_t headers[QUEUE_TAKE_MAX][WIRE_DATA_HEADER_BYTES];
    struct os_vec vec[1 + 3 * QUEUE_TAKE_MAX];
    size_t vec_count;
};

static void add_piece(struct outgoing *out, const void *data, size_t length)
{
    out->vec[out->vec_count++] = (struct os_vec){.data = data, .length = length};
}

static void add_batch(struct link_session *s, struct outgoing *out)
{
    struct queue_item *item = &out->items[out->first];
    uint8_t *header = out->headers[out->first];
    struct batch_part parts[2];

    session_data(s->session, item->seq, batch_bytes(item->batch), header);
    batch_parts(item->batch, parts);
    add_piece(out, header, WIRE_DATA_HEADER_BYTES);
    add_piece(out, parts[0].data, parts[0].length);
    add_piece(out, parts[1].data, parts[1].length);
    s->sent_records += batch_records(item->batch);
    s->sent_bytes += batch_bytes(item->batch);
    out->first++;
}

/* Under link.lock: all that can go out now. */
static void gather(struct link_session *s, struct outgoing *out)
{
    out->vec_count = 0;
    size_t n = session_pull(s->session, out->control, sizeof out->control, os_clock_us());
    if (n)
        add_piece(out, out->control, n);
    while (s->is_open && out->first < out->count &&
           session_may_send(s->session, batch_bytes(out->items[out->first].batch)))
        add_batch(s, out);
}

/* Under link.lock: wait until there is something to gather. Returns false when the session is over. */
static bool wait_for_work(struct link_session *s, struct outgoing *out)
{
    struct link *l = s->link;

    if (session_is_closed(s->session) || s->is_reader_done)
        return false;
    if (!s->is_open || out->first < out->count) {
        os_cond_wait(&s->writer_wake, &l->lock);
        return true;
    }
    s->is_in_take = true;
    os_mutex_unlock(&l->lock);
    int n = queue_take(s->peer->cursor, out->items, QUEUE_TAKE_MAX, LINK_WRITE_BYTES, OS_NEVER);
    os_mutex_lock(&l->lock);
    s->is_in_take = false;
    out->first = 0;
    out->count = n > 0 ? n : 0;
    for (int i = 0; i < out->count; i++)
        batch_ref(out->items[i].batch);
    return true;
}

static void unref_range(struct outgoing *out, int from, int to)
{
    for (int i = from; i < to; i++)
        batch_unref(out->items[i].batch);
}

static void *run_writer(void *arg)
{
    struct link_session *s = arg;
    struct link *l = s->link;
    struct outgoing out = {.first = 0};
    int r = 0;

    os_mutex_lock(&l->lock);
    while (r == 0) {
        int first = out.first;
        gather(s, &out);
        if (out.vec_count) {
            os_mutex_unlock(&l->lock);
            r = s->stream->ops->write(s->stream, out.vec, out.vec_count);
            unref_range(&out, first, out.first);
            os_mutex_lock(&l->lock);
        } else if (!wait_for_work(s, &out)) {
            break;
        }
    }
    unref_range(&out, out.first, out.count);
    s->is_writer_done = true;
    os_cond_signal(&s->watcher_wake);
    os_mutex_unlock(&l->lock);
    return NULL;
}

/* ---- watcher -------------------------------------------------------------------------------- */

/* Under link.lock: wait for <flag> until LINK_BYE_MS have passed. */
static void wait_flag(struct link_session *s, const bool *flag)
{
    uint64_t deadline = os_clock_ms() + LINK_BYE_MS;

    while (!*flag && os_cond_wait_until(&s->watcher_wake, &s->link->lock, deadline))
        ;
}

static void watch(struct link_session *s)
{
    while (!session_is_closed(s->session) && !s->is_reader_done && !s->is_writer_done) {
        uint64_t next_us = session_tick(s->session, os_clock_us());
        if (session_has_output(s->session))
            wake_writer(s);
        if (!session_is_closed(s->session))
            os_cond_wait_until(&s->watcher_wake, &s->link->lock, next_us / 1000 + 1);
    }
}

void link_session_run(struct link_session *s)
{
    struct link *l = s->link;
    bool has_reader = os_thread_start(&s->reader, "link-reader", run_reader, s) == 0;
    bool has_writer =
        has_reader && os_thread_start(&s->writer, "link-writer", run_writer, s) == 0;

    os_mutex_lock(&l->lock);
    if (has_writer) {
        watch(s);
        /* An orderly end: the bye gets out, then the peer reads end of stream and closes. */
        wake_writer(s);
        if (!s->is_reader_done)
            wait_flag(s, &s->is_writer_done);
        if (s->is_writer_done && !s->is_reader_done) {
            s->stream->ops->finish(s->stream);
            wait_flag(s, &s->is_reader_done);
        }
    } else {
        snprintf(s->why, sizeof s->why, "no thread could be started");
    }
    s->stream->ops->cancel(s->stream);
    wake_writer(s);
    os_mutex_unlock(&l->lock);
    if (has_writer)
        os_thread_join(&s->writer);
    if (has_reader)
        os_thread_join(&s->reader);
    os_mutex_lock(&l->lock);
    link_orphan(l, s);
    os_mutex_unlock(&l->lock);
}
