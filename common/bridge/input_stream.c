/* SPDX-License-Identifier: MIT */
/* input_stream.c - the inputs that many senders connect to: tcp and unix.
 *
 * One thread, one poll set. Each round reads once from every connection that is ready, so
 * that no sender can starve another, and then hands over what the round brought as one batch.
 * While the queue is full that hand-over waits, nothing is read, and the senders' systems
 * make them wait in turn.
 */
#include "input_private.h"

#include <stdlib.h>

#include "common/core/err.h"
#include "common/os/clock.h"
#include "common/os/error.h"
#include "common/os/poll.h"
#include "input_connection.h"

enum {
    READ_BYTES = 64 * 1024,   /* of one connection in one round */
    EVENTS_MAX = 256,         /* connections of one round */
    ACCEPTS_MAX = 64,         /* new connections of one round */
    LISTENER_PAUSE_MS = 1000, /* when the system has no more descriptors */
    WAIT_PAUSE_MS = 1000,     /* when waiting itself fails */
    WARM_MS = 10 * 1000,      /* silence after which memory kept for speed is given back */
    LAST_READS_MAX = 64,      /* of one connection, when the input stops */
};

struct input_stream {
    struct input *in;
    struct os_poll *poll;
    struct os_sock *listener;
    uint64_t resume_ms; /* when the paused listener goes on; OS_NEVER: it is not paused */
    size_t connections;
    struct due_list silent;    /* every connection; due at idle_timeout */
    struct due_list undecided; /* those whose framer waits for what follows */
    struct due_list warm;      /* those that were not silent for long */
    void *tags[EVENTS_MAX];
    uint8_t buffer[READ_BYTES];
};

static int stream_open(struct input *in)
{
    const struct input_config *config = in->config;
    struct input_stream *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return ERR_NO_MEMORY;
    s->in = in;
    s->resume_ms = OS_NEVER;
    due_list_init(&s->silent,
                  config->idle_timeout_ms > 0 ? config->idle_timeout_ms : DUE_NEVER);
    due_list_init(&s->undecided, FRAMER_PREFIX_TIMEOUT_MS);
    due_list_init(&s->warm, WARM_MS);

    int r = os_poll_new(&s->poll);
    if (r < 0)
        goto free_stream;
    r = os_sock_listen(&config->listen, &s->listener);
    if (r < 0)
        goto free_poll;
    r = os_poll_add(s->poll, s->listener, s);
    if (r < 0)
        goto close_listener;
    in->kind = s;
    in->port = os_sock_port(s->listener);
    return 0;

close_listener:
    os_sock_close(s->listener);
free_poll:
    os_poll_free(s->poll);
free_stream:
    free(s);
    return r;
}

static void stream_wake(struct input *in)
{
    struct input_stream *s = in->kind;

    os_poll_wake(s->poll);
}

/* ---- connections come and go ------------------------------------------------------------- */

static void count_connections(struct input_stream *s)
{
    counter_set(&s->in->counters.connections, s->connections);
}

static void drop_connection(struct input_stream *s, struct connection *c)
{
    due_list_remove(&c->silent);
    due_list_remove(&c->undecided);
    due_list_remove(&c->warm);
    os_poll_remove(s->poll, c->sock);
    s->connections--;
    count_connections(s);
    connection_free(c);
}

static void log_refusal(struct input_stream *s, const struct address *peer, const char *why)
{
    char text[ADDRESS_TEXT_MAX];

    log_limited(&s->in->peer_limit, LOG_WARN, "input %s: %s %s", s->in->config->name,
                address_format(peer, text, sizeof(text)), why);
}

/* Takes <sock>. */
static void admit(struct input_stream *s, struct os_sock *sock, const struct address *peer,
                  uint64_t now_ms)
{
    const struct source source = {
        .address = *peer, .transport = s->in->transport, .input = s->in->index};
    struct connection *c = connection_new(sock, &source, &s->in->config->framer);

    if (c == NULL) {
        log_refusal(s, peer, "turned away: out of memory");
        os_sock_close(sock);
        return;
    }
    if (os_poll_add(s->poll, sock, c) < 0) {
        log_refusal(s, peer, "turned away: the system watches no more connections");
        connection_free(c);
        return;
    }
    due_list_touch(&s->silent, &c->silent, c, now_ms);
    s->connections++;
    count_connections(s);
    counter_add(&s->in->counters.connections_total, 1);
}

/* Takes <sock>. */
static void judge(struct input_stream *s, struct os_sock *sock, const struct address *peer,
                  uint64_t now_ms)
{
    struct input *in = s->in;

    if (!input_allows(in, peer)) {
        counter_add(&in->counters.dropped_not_allowed, 1);
        log_refusal(s, peer, "turned away: not in allow");
        os_sock_close(sock);
    } else if (in->config->max_connections > 0 &&
               s->connections >= in->config->max_connections) {
        counter_add(&in->counters.dropped_connections, 1);
        log_refusal(s, peer, "turned away: max_connections are open");
        os_sock_close(sock);
    } else {
        admit(s, sock, peer, now_ms);
    }
}

static void pause_listener(struct input_stream *s, int why, uint64_t now_ms)
{
    char text[OS_ERROR_TEXT_MAX];

    log_limited(&s->in->system_limit, LOG_ERROR,
                "input %s: no new connections with %zu open (%s: %s), trying again in %d ms",
                s->in->config->name, s->connections, err_text(why),
                os_error_last(text, sizeof(text)), (int)LISTENER_PAUSE_MS);
    os_poll_pause(s->poll, s->listener, true);
    s->resume_ms = now_ms + LISTENER_PAUSE_MS;
}

static void resume_listener(struct input_stream *s, uint64_t now_ms)
{
    if (s->resume_ms > now_ms)
        return;
    os_poll_pause(s->poll, s->listener, false);
    s->resume_ms = OS_NEVER;
}

static void accept_some(struct input_stream *s, uint64_t now_ms)
{
    for (int i = 0; i < ACCEPTS_MAX; i++) {
        struct os_sock *sock;
        struct address peer;
        int r = os_sock_accept(s->listener, &sock, &peer);
        if (r == ERR_AGAIN)
            return;
        if (r < 0) {
            pause_listener(s, r, now_ms);
            return;
        }
        judge(s, sock, &peer, now_ms);
    }
}

/* ---- one round --------------------------------------------------------------------------- */

/* What <r> from the framer or the socket means for the connection. Returns whether it is
 * still there. */
static bool keep_or_drop(struct input_stream *s, struct connection *c, int r)
{
    if (r == 0 || r == ERR_AGAIN)
        return true;
    if (r == ERR_CLOSED || r == ERR_IO)
        r = connection_end(c, &s->in->taker);
    if (r == ERR_PROTOCOL)
        log_refusal(s, &c->source.address,
                    framer_counters(c->framer)->tls_on_plain > 0
                        ? "closed: it speaks TLS, this input takes plain syslog"
                        : "closed: it speaks HTTP, this input takes syslog");
    if (r == ERR_NO_MEMORY)
        log_refusal(s, &c->source.address, "closed: out of memory for its message");
    drop_connection(s, c);
    return false;
}

static void serve(struct input_stream *s, struct connection *c, uint64_t now_ms)
{
    int r = connection_read(c, &s->in->taker, s->buffer, sizeof(s->buffer));

    if (!keep_or_drop(s, c, r))
        return;
    if (r == ERR_AGAIN)
        return;
    due_list_touch(&s->silent, &c->silent, c, now_ms);
    due_list_touch(&s->warm, &c->warm, c, now_ms);
    if (framer_is_undecided(c->framer))
        due_list_touch(&s->undecided, &c->undecided, c, now_ms);
    else
        due_list_remove(&c->undecided);
}

static void settle_due(struct input_stream *s, uint64_t now_ms)
{
    struct connection *c;

    while ((c = due_list_take(&s->undecided, now_ms)) != NULL)
        keep_or_drop(s, c, connection_settle(c, &s->in->taker));
}

static void cool_due(struct input_stream *s, uint64_t now_ms)
{
    struct connection *c;

    while ((c = due_list_take(&s->warm, now_ms)) != NULL)
        framer_release_idle(c->framer);
}

static void close_idle(struct input_stream *s, uint64_t now_ms)
{
    struct connection *c;

    while ((c = due_list_take(&s->silent, now_ms)) != NULL) {
        char text[ADDRESS_TEXT_MAX];
        log_limited(&s->in->peer_limit, LOG_INFO,
                    "input %s: %s closed: silent for idle_timeout", s->in->config->name,
                    address_format(&c->source.address, text, sizeof(text)));
        keep_or_drop(s, c, ERR_CLOSED);
    }
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_deadline(const struct input_stream *s)
{
    uint64_t deadline = taker_deadline(&s->in->taker, os_clock_ms());

    deadline = earlier(deadline, s->resume_ms);
    deadline = earlier(deadline, due_list_deadline(&s->undecided));
    deadline = earlier(deadline, due_list_deadline(&s->warm));
    return earlier(deadline, due_list_deadline(&s->silent));
}

static void say_wait_failed(struct input_stream *s, int why)
{
    char text[OS_ERROR_TEXT_MAX];

    log_limited(&s->in->system_limit, LOG_ERROR,
                "input %s: cannot wait for its connections (%s: %s), trying again in %d ms",
                s->in->config->name, err_text(why), os_error_last(text, sizeof(text)),
                (int)WAIT_PAUSE_MS);
}

static void one_round(struct input_stream *s)
{
    int n = os_poll_wait(s->poll, s->tags, EVENTS_MAX, next_deadline(s));
    if (n < 0) {
        say_wait_failed(s, n);
        input_pause(s->in, WAIT_PAUSE_MS);
        return;
    }
    uint64_t now_ms = os_clock_ms();
    for (int i = 0; i < n; i++) {
        if (s->tags[i] == s)
            accept_some(s, now_ms);
        else
            serve(s, s->tags[i], now_ms);
    }
    /* A connection that could not be read because others were in front, or because the queue
     * was full, is not silent: who is silent is known only when all that were ready have been
     * read. */
    if (n < EVENTS_MAX) {
        settle_due(s, now_ms);
        cool_due(s, now_ms);
        close_idle(s, now_ms);
    }
    resume_listener(s, now_ms);
    taker_hand_over(&s->in->taker);
}

/* What the system has taken for us already would be lost with the sockets: read it out. Each
 * connection has a bound, so that a sender who does not stop cannot keep us. */
static void read_last(struct input_stream *s, struct connection *c)
{
    int r = 0;

    for (int i = 0; i < LAST_READS_MAX && r == 0 && !s->in->taker.is_refused; i++)
        r = connection_read(c, &s->in->taker, s->buffer, sizeof(s->buffer));
    keep_or_drop(s, c, r == 0 || r == ERR_AGAIN ? ERR_CLOSED : r);
}

static void close_listener(struct input_stream *s)
{
    if (s->listener == NULL)
        return;
    os_poll_remove(s->poll, s->listener);
    os_sock_close(s->listener);
    s->listener = NULL;
}

static void stream_run(struct input *in)
{
    struct input_stream *s = in->kind;
    struct connection *c;

    while (!input_is_stopping(in))
        one_round(s);
    accept_some(s, os_clock_ms());
    close_listener(s);
    while ((c = due_list_first(&s->silent)) != NULL)
        read_last(s, c);
    taker_hand_over(&in->taker);
}

static void stream_close(struct input *in)
{
    struct input_stream *s = in->kind;
    struct connection *c;

    while ((c = due_list_first(&s->silent)) != NULL)
        drop_connection(s, c);
    close_listener(s);
    os_poll_free(s->poll);
    free(s);
}

const struct input_ops input_stream_ops = {
    .is_waiting = true,
    .open = stream_open,
    .run = stream_run,
    .wake = stream_wake,
    .close = stream_close,
};
