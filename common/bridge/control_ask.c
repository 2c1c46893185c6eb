/* SPDX-License-Identifier: MIT */
/* control_ask.c - the client of the control channel. */
#include <stdio.h>
#include <string.h>

#include "common/core/err.h"
#include "common/os/clock.h"
#include "common/os/stream.h"
#include "common/os/thread.h"
#include "control.h"

enum { READ_BYTES = 4096 };

/* Cancels the stream at the deadline, since its reads know none. */
struct watchdog {
    struct os_mutex lock;
    struct os_cond changed;
    struct os_thread thread;
    struct os_stream *stream;
    uint64_t deadline_ms;
    bool is_done; /* nothing to watch any more */
    bool has_bitten;
};

static void *watchdog_run(void *arg)
{
    struct watchdog *w = arg;
    bool is_early = true;
    os_mutex_lock(&w->lock);
    while (!w->is_done && is_early)
        is_early = os_cond_wait_until(&w->changed, &w->lock, w->deadline_ms);
    if (!w->is_done) {
        w->has_bitten = true;
        w->stream->ops->cancel(w->stream);
    }
    os_mutex_unlock(&w->lock);
    return NULL;
}

static int watchdog_start(struct watchdog *w, struct os_stream *s)
{
    *w = (struct watchdog){.stream = s, .deadline_ms = os_clock_ms() + CONTROL_TIMEOUT_MS};
    os_mutex_init(&w->lock);
    os_cond_init(&w->changed);
    int r = os_thread_start(&w->thread, "watchdog", watchdog_run, w);
    if (r < 0) {
        os_cond_release(&w->changed);
        os_mutex_release(&w->lock);
    }
    return r;
}

/* Returns whether the deadline had passed. */
static bool watchdog_stop(struct watchdog *w)
{
    os_mutex_lock(&w->lock);
    w->is_done = true;
    os_cond_signal(&w->changed);
    os_mutex_unlock(&w->lock);
    os_thread_join(&w->thread);
    os_cond_release(&w->changed);
    os_mutex_release(&w->lock);
    return w->has_bitten;
}

static int send_request(struct os_stream *s, const char *request)
{
    struct os_vec vec[] = {{request, strlen(request)}, {"\n", 1}};
    return s->ops->write(s, vec, 2);
}

static int read_answer(struct os_stream *s, struct text *answer)
{
    char buffer[READ_BYTES];
    size_t before = answer->length;
    ptrdiff_t n;
    while ((n = s->ops->read(s, buffer, sizeof(buffer))) > 0)
        text_append(answer, buffer, (size_t)n);
    if (text_err(answer) < 0)
        return text_err(answer);
    return n == ERR_CLOSED && answer->length > before ? 0 : (int)n;
}

int control_ask(const char *path, const char *request, struct text *answer)
{
    const struct os_carrier *carrier = os_carrier_find("control");
    if (carrier == NULL)
        return ERR_UNSUPPORTED;
    struct endpoint endpoint = {.kind = ENDPOINT_UNIX};
    (void)snprintf(endpoint.path, sizeof(endpoint.path), "%s", path);
    struct os_target target = {.endpoint = &endpoint};
    struct os_stream *s;
    int r = carrier->dial(&target, CONTROL_TIMEOUT_MS, NULL, NULL, &s);
    if (r < 0)
        return r;
    struct watchdog w;
    r = watchdog_start(&w, s);
    if (r == 0) {
        r = send_request(s, request);
        if (r == 0)
            r = read_answer(s, answer);
        if (watchdog_stop(&w))
            r = ERR_TIMEOUT;
    }
    s->ops->close(s);
    return r;
}
