/* SPDX-License-Identifier: MIT */
/* control.c - the server of the control channel: one thread that accepts, and one for each
 * client.
 */
#include "control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/os/clock.h"
#include "common/os/stream.h"
#include "common/os/thread.h"
#include "log.h"

enum { FULL_PAUSE_MS = 1000 }; /* when the system has no descriptor left for a client */

/* A client and the thread that answers it. <stream> is taken away under the lock before it is
 * closed, so that canceling under the lock never meets a closed one.
 */
struct client {
    struct control *owner;
    struct os_stream *stream;
    struct os_thread thread;
    uint64_t number; /* in order of arrival; 0: no thread */
    uint64_t since_ms;
    bool has_ended; /* only the join is missing */
};

struct control {
    struct os_listener *listener;
    struct os_mutex lock;
    struct os_cond changed; /* a client has ended, or all is to stop */
    bool is_stopping;
    struct os_thread thread;
    bool is_running;
    struct log_limit full_limit;
    control_answer_fn *answer;
    void *arg;
    uint64_t last_number;
    struct client clients[CONTROL_CLIENTS_MAX];
};

/* ---- one client -------------------------------------------------------------------------- */

/* Reads up to the first LF. Returns 0, or an error: ended, or too long. */
static int read_request(struct os_stream *s, char request[CONTROL_REQUEST_MAX + 1])
{
    size_t used = 0;
    while (used < CONTROL_REQUEST_MAX + 1) {
        ptrdiff_t n = s->ops->read(s, request + used, CONTROL_REQUEST_MAX + 1 - used);
        if (n < 0)
            return (int)n;
        char *end = memchr(request + used, '\n', (size_t)n);
        if (end != NULL) {
            *end = '\0';
            return 0;
        }
        used += (size_t)n;
    }
    return ERR_FULL;
}

static void serve(struct control *c, struct os_stream *s)
{
    char request[CONTROL_REQUEST_MAX + 1];
    if (read_request(s, request) < 0)
        return;
    struct text answer;
    text_init(&answer, CONTROL_ANSWER_MAX);
    c->answer(c->arg, request, &answer);
    struct os_vec vec = {.data = text_string(&answer), .length = answer.length};
    if (text_err(&answer) == 0 && s->ops->write(s, &vec, 1) == 0)
        s->ops->finish(s);
    text_release(&answer);
}

static void *client_run(void *arg)
{
    struct client *client = arg;
    struct control *c = client->owner;
    struct os_stream *s = client->stream;
    serve(c, s);
    os_mutex_lock(&c->lock);
    client->stream = NULL;
    client->has_ended = true;
    os_cond_broadcast(&c->changed);
    os_mutex_unlock(&c->lock);
    s->ops->close(s);
    return NULL;
}

static void client_cancel(struct client *client)
{
    os_mutex_lock(&client->owner->lock);
    if (client->stream != NULL)
        client->stream->ops->cancel(client->stream);
    os_mutex_unlock(&client->owner->lock);
}

/* Waits for its thread, which has ended or was canceled. The slot is empty afterwards. */
static void client_join(struct client *client)
{
    os_thread_join(&client->thread);
    client->number = 0;
    client->has_ended = false;
}

/* ---- all clients; the accepting thread only ---------------------------------------------- */

/* Under the lock: the slot that is empty or can be emptied without a wait, or that of the
 * oldest client. */
static struct client *freest(struct control *c)
{
    struct client *best = &c->clients[0];
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct client *client = &c->clients[i];
        if (client->number == 0 || client->has_ended)
            return client;
        if (client->number < best->number)
            best = client;
    }
    return best;
}

/* An empty slot; somebody who sends no request, or does not read the answer, has to go for it.
 */
static struct client *take_slot(struct control *c)
{
    os_mutex_lock(&c->lock);
    struct client *client = freest(c);
    while (client->number > 0 && !client->has_ended && !c->is_stopping &&
           os_cond_wait_until(&c->changed, &c->lock, client->since_ms + CONTROL_GRACE_MS))
        client = freest(c);
    os_mutex_unlock(&c->lock);
    if (client->number > 0) {
        client_cancel(client);
        client_join(client);
    }
    return client;
}

static void welcome(struct control *c, struct os_stream *s)
{
    struct client *client = take_slot(c);
    client->stream = s;
    client->number = ++c->last_number;
    client->since_ms = os_clock_ms();
    if (os_thread_start(&client->thread, "control", client_run, client) < 0) {
        client->number = 0;
        client->stream = NULL;
        s->ops->close(s);
    }
}

static void pause_full(struct control *c)
{
    uint64_t deadline_ms = os_clock_ms() + FULL_PAUSE_MS;
    log_limited(&c->full_limit, LOG_WARN,
                "control: no descriptor left for a client, trying again in %d ms",
                (int)FULL_PAUSE_MS);
    os_mutex_lock(&c->lock);
    while (!c->is_stopping && os_cond_wait_until(&c->changed, &c->lock, deadline_ms))
        ;
    os_mutex_unlock(&c->lock);
}

static void *accept_run(void *arg)
{
    struct control *c = arg;
    int r = 0;
    while (r == 0 || r == ERR_AGAIN || r == ERR_FULL) {
        struct os_stream *s;
        r = c->listener->ops->accept(c->listener, &s);
        if (r == 0)
            welcome(c, s);
        else if (r == ERR_FULL)
            pause_full(c);
    }
    if (r != ERR_CANCELED)
        log_error("control: %s; status is not answered any more", err_text(r));
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        if (c->clients[i].number > 0) {
            client_cancel(&c->clients[i]);
            client_join(&c->clients[i]);
        }
    }
    return NULL;
}

/* ---- life -------------------------------------------------------------------------------- */

int control_open(const char *path, struct control **ret)
{
    const struct os_carrier *carrier = os_carrier_find("control");
    if (carrier == NULL)
        return ERR_UNSUPPORTED;
    struct endpoint endpoint = {.kind = ENDPOINT_UNIX};
    (void)snprintf(endpoint.path, sizeof(endpoint.path), "%s", path);
    struct os_target target = {.endpoint = &endpoint};
    struct control *c = calloc(1, sizeof(*c));
    if (c == NULL)
        return ERR_NO_MEMORY;
    int r = carrier->listen(&target, &c->listener);
    if (r < 0) {
        free(c);
        return r;
    }
    os_mutex_init(&c->lock);
    os_cond_init(&c->changed);
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        c->clients[i].owner = c;
    *ret = c;
    return 0;
}

int control_start(struct control *c, control_answer_fn *answer, void *arg)
{
    c->answer = answer;
    c->arg = arg;
    int r = os_thread_start(&c->thread, "control", accept_run, c);
    c->is_running = r == 0;
    return r;
}

void control_stop(struct control *c)
{
    if (c == NULL || !c->is_running)
        return;
    os_mutex_lock(&c->lock);
    c->is_stopping = true;
    os_cond_broadcast(&c->changed);
    os_mutex_unlock(&c->lock);
    c->listener->ops->cancel(c->listener);
    os_thread_join(&c->thread);
    c->is_running = false;
}

void control_free(struct control *c)
{
    if (c == NULL)
        return;
    control_stop(c);
    c->listener->ops->close(c->listener);
    os_cond_release(&c->changed);
    os_mutex_release(&c->lock);
    free(c);
}
