/* SPDX-License-Identifier: MIT */
/* link.c - the stream between the two programs, kept alive over breaks. */
#include "link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/os/clock.h"
#include "common/os/crypto.h"
#include "common/os/error.h"
#include "link_serve.h"

/* A peer that stays away is told of once, then now and then. */
enum { LOG_AWAY_EVERY_MS = 60 * 1000 };

struct link *link_new(const struct link_options *options)
{
    struct link *l = calloc(1, sizeof(*l));

    if (!l || os_random(l->identity, sizeof(l->identity)) < 0) {
        free(l);
        return NULL;
    }
    l->options = *options;
    l->state = "waiting";
    os_mutex_init(&l->lock);
    os_cond_init(&l->changed);
    link_peers_init(&l->peers, l, options->outbound, options->inbound);
    return l;
}

void link_free(struct link *l)
{
    if (!l)
        return;
    link_peers_release(&l->peers);
    if (l->listener)
        l->listener->ops->close(l->listener);
    os_cond_release(&l->changed);
    os_mutex_release(&l->lock);
    free(l);
}

uint32_t link_port(const struct link *l)
{
    return l->listener ? l->listener->port : 0;
}

/* ---- what both roles share --------------------------------------------------------------- */

static void log_end(struct link *l, const struct link_session *s)
{
    char who[OS_PEER_MAX];

    /* The peer's place may be another's by now, and other sessions end at the same time. */
    os_mutex_lock(&l->lock);
    snprintf(who, sizeof(who), "%s", s->peer ? s->peer->name : s->stream->peer);
    bool stopping = l->is_stopping;
    if (!stopping && !s->was_open)
        l->refused++;
    os_mutex_unlock(&l->lock);
    if (stopping)
        return;
    if (s->was_open)
        log_limited(&l->down_limit, LOG_WARN, "link: down with '%s': %s", who, s->why);
    else
        log_limited(&l->limit, LOG_WARN, "link: no session with %s: %s", who, s->why);
}

static uint32_t random32(void)
{
    uint32_t r = 0;

    (void)os_random(&r, sizeof(r)); /* without randomness there is no jitter, and no harm */
    return r;
}

/* Wait for the next try. Returns false when the link stops. */
static bool wait_backoff(struct link *l)
{
    uint32_t random = random32();

    os_mutex_lock(&l->lock);
    uint64_t deadline = os_clock_ms() + backoff_next(&l->backoff, random);
    while (!l->is_stopping && os_cond_wait_until(&l->changed, &l->lock, deadline))
        ;
    bool goes_on = !l->is_stopping;
    os_mutex_unlock(&l->lock);
    return goes_on;
}

static bool is_stopping(void *arg)
{
    struct link *l = arg;

    os_mutex_lock(&l->lock);
    bool stopping = l->is_stopping;
    os_mutex_unlock(&l->lock);
    return stopping;
}

static void set_state(struct link *l, const char *state)
{
    os_mutex_lock(&l->lock);
    l->state = state;
    os_mutex_unlock(&l->lock);
}

/* Under link.lock. From here on link_stop() reaches the session; if it was here already, the
 * session ends at once. */
static void enter(struct link *l, struct link_session **slot, struct link_session *s)
{
    *slot = s;
    if (l->is_stopping)
        link_session_close(s, WIRE_REASON_STOP, NULL);
}

/* ---- connector --------------------------------------------------------------------------- */

/* Tell why the peer cannot be reached: once for each reason, and then every LOG_AWAY_EVERY_MS.
 */
static void log_away(struct link *l, int err, uint64_t *next_log_ms)
{
    char detail[OS_ERROR_TEXT_MAX], text[sizeof(l->last_error)], where[ENDPOINT_TEXT_MAX];

    os_error_last(detail, sizeof(detail));
    endpoint_format(l->options.target.endpoint, where, sizeof(where));
    snprintf(text, sizeof(text), "cannot reach %.80s: %s (%.100s)", where, err_text(err),
             detail);
    os_mutex_lock(&l->lock);
    bool is_new = strcmp(text, l->last_error) != 0;
    memcpy(l->last_error, text, sizeof(text));
    os_mutex_unlock(&l->lock);
    if (!is_new && os_clock_ms() < *next_log_ms)
        return;
    *next_log_ms = os_clock_ms() + LOG_AWAY_EVERY_MS;
    log_warn("link: %s; trying again until it is there", text);
}

static void run_connected(struct link *l, struct os_stream *stream)
{
    struct link_session *s = link_session_new(l, stream);

    if (!s) {
        log_error("link: out of memory for a session, trying again");
        return;
    }
    os_mutex_lock(&l->lock);
    enter(l, &l->sessions[0], s);
    os_mutex_unlock(&l->lock);
    link_serve(s);
    log_end(l, s);
    os_mutex_lock(&l->lock);
    l->sessions[0] = NULL;
    l->reconnects += s->was_open;
    os_mutex_unlock(&l->lock);
    link_session_free(s);
}

static void *run_connector(void *arg)
{
    struct link *l = arg;
    uint64_t next_log_ms = 0;

    do {
        struct os_stream *stream = NULL;
        set_state(l, "connecting");
        int r = l->options.carrier->dial(&l->options.target, LINK_DIAL_TIMEOUT_MS, is_stopping,
                                         l, &stream);
        if (r == 0)
            run_connected(l, stream);
        else if (r != ERR_CANCELED)
            log_away(l, r, &next_log_ms);
        set_state(l, "waiting");
    } while (wait_backoff(l));
    return NULL;
}

/* ---- listener ---------------------------------------------------------------------------- */

static void *run_accepted(void *arg)
{
    struct link_session *s = arg;
    struct link *l = s->link;

    link_serve(s);
    log_end(l, s);
    os_mutex_lock(&l->lock);
    l->reconnects += s->was_open;
    link_session_hang_up(s); /* not only when it is reaped, with the next connection */
    s->is_finished = true;
    os_cond_broadcast(&l->changed);
    os_mutex_unlock(&l->lock);
    return NULL;
}

/* Join and free the sessions that are over. Listener's thread. */
static void reap(struct link *l)
{
    for (size_t i = 0; i < LINK_SESSIONS_MAX; i++) {
        os_mutex_lock(&l->lock);
        struct link_session *s = l->sessions[i];
        bool is_over = s && s->is_finished;
        if (is_over)
            l->sessions[i] = NULL;
        os_mutex_unlock(&l->lock);
        if (!is_over)
            continue;
        os_thread_join(&s->thread);
        link_session_free(s);
    }
}

static void refuse(struct link *l, struct os_stream *stream, const char *why)
{
    os_mutex_lock(&l->lock);
    l->refused++;
    os_mutex_unlock(&l->lock);
    log_limited(&l->limit, LOG_WARN, "link: connection from %s refused: %s", stream->peer, why);
    stream->ops->close(stream);
}

/* Under link.lock. Of the connections that have not proven the secret the oldest, if there are
 * as many as there may be; else NULL. */
static struct link_session *stranger_too_many(const struct link *l)
{
    struct link_session *oldest = NULL;
    size_t strangers = 0;

    for (size_t i = 0; i < LINK_SESSIONS_MAX; i++) {
        struct link_session *s = l->sessions[i];
        if (!s || s->is_proven || s->is_finished)
            continue;
        strangers++;
        if (!oldest || s->number < oldest->number)
            oldest = s;
    }
    return strangers >= LINK_HANDSHAKES_MAX ? oldest : NULL;
}

/* A newcomer takes the place of the oldest stranger: a good peer needs its place for a moment
 * only, so strangers who come and say nothing cannot keep it out. Without a bye, since whoever
 * does not read would have to be waited for. */
static void make_place(struct link *l)
{
    uint64_t deadline = os_clock_ms() + LINK_TAKEOVER_MS;

    os_mutex_lock(&l->lock);
    struct link_session *s = stranger_too_many(l);
    if (s) {
        link_session_close(s, WIRE_REASON_BUSY,
                           "newer connections came, and it has not proven the secret");
        s->stream->ops->cancel(s->stream);
    }
    while (s && !s->is_finished && os_cond_wait_until(&l->changed, &l->lock, deadline))
        ;
    os_mutex_unlock(&l->lock);
    reap(l);
}

/* Under link.lock: a place for one more session, or NULL. */
static struct link_session **free_slot(struct link *l)
{
    for (size_t i = 0; i < LINK_SESSIONS_MAX && !stranger_too_many(l); i++)
        if (!l->sessions[i])
            return &l->sessions[i];
    return NULL;
}

static void take_connection(struct link *l, struct os_stream *stream)
{
    reap(l);
    make_place(l);
    os_mutex_lock(&l->lock);
    struct link_session **slot = free_slot(l);
    os_mutex_unlock(&l->lock);
    if (!slot) {
        refuse(l, stream, "too many connections");
        return;
    }
    struct link_session *s = link_session_new(l, stream);
    if (!s) {
        log_error("link: out of memory for a session, its connection was closed");
        return;
    }
    os_mutex_lock(&l->lock);
    s->number = ++l->accepted;
    enter(l, slot, s);
    int r = os_thread_start(&s->thread, "link-session", run_accepted, s);
    if (r < 0)
        *slot = NULL;
    os_mutex_unlock(&l->lock);
    if (r < 0) {
        log_error("link: no thread for a session, its connection was closed");
        link_session_free(s);
    }
}

/* The listener failed: make a new one. */
static void listen_again(struct link *l)
{
    struct os_listener *fresh = NULL;
    struct os_listener *old = l->listener;

    log_warn("link: the listener failed, listening again");
    os_mutex_lock(&l->lock);
    l->listener = NULL;
    l->state = link_peers_connected(&l->peers) ? l->state : "waiting";
    snprintf(l->last_error, sizeof(l->last_error), "the listener failed");
    os_mutex_unlock(&l->lock);
    if (old)
        old->ops->close(old);
    while (wait_backoff(l) && l->options.carrier->listen(&l->options.target, &fresh) < 0)
        ;
    os_mutex_lock(&l->lock);
    l->listener = fresh;
    if (link_peers_connected(&l->peers) == 0)
        l->state = "listening";
    if (fresh && l->is_stopping)
        fresh->ops->cancel(fresh);
    os_mutex_unlock(&l->lock);
}

static void *run_listener(void *arg)
{
    struct link *l = arg;

    set_state(l, "listening");
    while (!is_stopping(l)) {
        struct os_stream *stream = NULL;
        int r = l->listener->ops->accept(l->listener, &stream);
        if (r == 0)
            take_connection(l, stream);
        else if (r == ERR_FULL)
            wait_backoff(l); /* out of descriptors: it would fail at once again */
        else if (r != ERR_AGAIN && r != ERR_CANCELED)
            listen_again(l);
    }
    return NULL;
}

static void join_sessions(struct link *l)
{
    os_mutex_lock(&l->lock);
    for (size_t i = 0; i < LINK_SESSIONS_MAX; i++)
        while (l->sessions[i] && !l->sessions[i]->is_finished)
            os_cond_wait(&l->changed, &l->lock);
    os_mutex_unlock(&l->lock);
    reap(l);
}

/* ---- life -------------------------------------------------------------------------------- */

int link_start(struct link *l)
{
    bool listens = l->options.role == WIRE_LISTENER;

    if (listens) {
        int r = l->options.carrier->listen(&l->options.target, &l->listener);
        if (r < 0)
            return r;
    }
    int r = os_thread_start(&l->thread, "link", listens ? run_listener : run_connector, l);
    l->is_started = r == 0;
    return r;
}

void link_drain(struct link *l)
{
    os_mutex_lock(&l->lock);
    l->is_draining = true;
    os_mutex_unlock(&l->lock);
}

void link_stop(struct link *l)
{
    os_mutex_lock(&l->lock);
    l->is_stopping = true;
    for (size_t i = 0; i < LINK_SESSIONS_MAX; i++)
        if (l->sessions[i])
            link_session_close(l->sessions[i], WIRE_REASON_STOP, NULL);
    if (l->listener)
        l->listener->ops->cancel(l->listener);
    os_cond_broadcast(&l->changed);
    os_mutex_unlock(&l->lock);
    if (!l->is_started)
        return;
    os_thread_join(&l->thread);
    l->is_started = false;
    if (l->options.role == WIRE_LISTENER)
        join_sessions(l);
}

/* ---- status ------------------------------------------------------------------------------ */

static void peer_status(const struct link_session *s, struct link_peer_status *ret)
{
    *ret = (struct link_peer_status){
        .since_wall_us = s->since_wall_us,
        .rtt_us = s->rtt_us,
        .sent_records = s->sent_records,
        .sent_bytes = s->sent_bytes,
        .received_records = s->received_records,
        .received_bytes = s->received_bytes,
    };
    snprintf(ret->name, sizeof(ret->name), "%s", s->peer->name);
    snprintf(ret->address, sizeof(ret->address), "%s", s->stream->peer);
}

void link_status(struct link *l, struct link_status *ret)
{
    os_mutex_lock(&l->lock);
    *ret = (struct link_status){
        .state = l->state,
        .reconnects = l->reconnects,
        .refused = l->refused,
    };
    snprintf(ret->last_error, sizeof(ret->last_error), "%s", l->last_error);
    for (size_t i = 0; i < LINK_PEERS_MAX; i++) {
        const struct link_session *s = l->peers.peers[i].session;
        if (s && s->is_open)
            peer_status(s, &ret->peers[ret->peer_count++]);
    }
    os_mutex_unlock(&l->lock);
}
