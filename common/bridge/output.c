/* SPDX-License-Identifier: MIT */
/* output.c - the loop that all outputs share. */
#include "output_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/os/clock.h"
#include "common/os/crypto.h"
#include "common/os/error.h"

enum {
    /* Of batches in one round, so that confirmations are not far behind. */
    TAKE_BYTES = 1024 * 1024,
    WIND_UP_LOOK_MS = 5, /* between looks for confirmations when stopping */
};

static const struct kind {
    enum endpoint_kind endpoint;
    const struct output_ops *ops;
} kinds[] = {
    {ENDPOINT_FILE, &output_file_ops},  {ENDPOINT_STDOUT, &output_stdout_ops},
    {ENDPOINT_TCP, &output_stream_ops}, {ENDPOINT_UNIX, &output_stream_ops},
    {ENDPOINT_UDP, &output_dgram_ops},  {ENDPOINT_UNIX_DGRAM, &output_dgram_ops},
    {ENDPOINT_NULL, &output_null_ops},
};

static const struct output_ops *ops_of(enum endpoint_kind endpoint)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].endpoint == endpoint)
            return kinds[i].ops;
    return NULL;
}

struct output *output_new(const struct output_config *config, struct queue *queue)
{
    const struct output_ops *ops = ops_of(config->to.kind);
    struct output *out = ops != NULL ? calloc(1, sizeof(*out)) : NULL;
    if (out == NULL)
        return NULL;
    out->config = config;
    out->ops = ops;
    endpoint_format(&config->to, out->target, sizeof(out->target));
    if (ops->init(out) < 0)
        goto free_output;
    out->cursor = queue_cursor_open(queue, true);
    if (out->cursor == NULL)
        goto release_kind;
    os_mutex_init(&out->lock);
    os_cond_init(&out->changed);
    return out;

release_kind:
    ops->release(out);
free_output:
    free(out);
    return NULL;
}

/* What was taken is written, or will be taken again. */
static void give_back(struct output *out)
{
    queue_give_back(out->items, out->count);
    out->at = out->count = 0;
}

void output_free(struct output *out)
{
    if (out == NULL)
        return;
    give_back(out);
    queue_cursor_close(out->cursor);
    out->ops->release(out);
    os_cond_release(&out->changed);
    os_mutex_release(&out->lock);
    free(out);
}

bool output_is_stopping(void *arg)
{
    struct output *out = arg;

    return atomic_load(&out->is_stopping);
}

/* ---- here and away ----------------------------------------------------------------------- */

static void set_error(struct output *out, int err)
{
    char system[OS_ERROR_TEXT_MAX];

    os_mutex_lock(&out->lock);
    if (err == 0)
        out->error[0] = '\0';
    else if (err == ERR_CLOSED) /* seen by looking: the system's last word is of another call */
        snprintf(out->error, sizeof(out->error), "%s", err_text(err));
    else
        snprintf(out->error, sizeof(out->error), "%s (%s)", err_text(err),
                 os_error_last(system, sizeof(system)));
    os_mutex_unlock(&out->lock);
}

static void say_back(struct output *out)
{
    if (!out->is_away)
        return;
    out->is_away = false;
    log_limited(&out->limit, LOG_INFO, "output %s: %s is back", out->config->name, out->target);
}

static void say_away(struct output *out, uint32_t delay_ms)
{
    if (out->is_away || output_is_stopping(out))
        return;
    out->is_away = true;
    bool is_short = delay_ms < 1000;
    log_limited(&out->limit, LOG_WARN,
                "output %s: %s: %s; records waiting: %" PRIu64 ", trying again in %u %s",
                out->config->name, out->target, out->error, queue_cursor_held(out->cursor),
                (unsigned)(is_short ? delay_ms : delay_ms / 1000), is_short ? "ms" : "s");
}

/* The target is away because of <err>: when it is tried again, and what then goes out. */
static void go_away(struct output *out, int err)
{
    uint32_t random = 0;

    set_error(out, err);
    (void)os_random(&random, sizeof(random)); /* without, there is no jitter */
    uint32_t delay_ms = backoff_next(&out->backoff, random);
    out->retry_ms = os_clock_ms() + delay_ms;
    say_away(out, delay_ms);
    counter_set(&out->counters.is_up, 0);
    if (out->is_open)
        out->ops->close(out);
    out->is_open = false;
    if (out->ops->is_resent) {
        queue_rewind(out->cursor, out->finished_seq);
        out->taken_seq = out->finished_seq;
        give_back(out);
    }
}

static void wait_for_retry(struct output *out)
{
    os_mutex_lock(&out->lock);
    while (!output_is_stopping(out))
        if (!os_cond_wait_until(&out->changed, &out->lock, out->retry_ms))
            break;
    os_mutex_unlock(&out->lock);
}

/* Open the target, when it is time. */
static void reach(struct output *out)
{
    bool is_retry = out->retry_ms > 0;

    if (is_retry)
        wait_for_retry(out);
    if (output_is_stopping(out))
        return;
    if (is_retry)
        counter_add(&out->counters.retried, 1);
    int r = out->ops->open(out);
    if (r < 0) {
        go_away(out, r);
        return;
    }
    out->is_open = true;
    counter_set(&out->counters.is_up, 1);
    set_error(out, 0);
    /* A target that can be opened is not yet one that takes records: output_finish() tells. */
    if (queue_cursor_held(out->cursor) == 0)
        say_back(out);
}

void output_finish(struct output *out, const struct output_mark *mark)
{
    struct output_counters *c = &out->counters;

    out->finished_seq = mark->seq;
    queue_done(out->cursor, mark->seq, mark->dropped);
    counter_add(&c->delivered, mark->records);
    counter_add(&c->delivered_bytes, mark->bytes);
    counter_add(&c->nul_escaped, mark->nul_escaped);
    counter_add(&c->truncated, mark->truncated);
    counter_add(&c->dropped_too_large, mark->dropped);
    backoff_reset(&out->backoff);
    say_back(out);
}

/* ---- the loop ---------------------------------------------------------------------------- */

/* The next batches, if the last are written. Returns 0 also when none came. */
static int take(struct output *out)
{
    if (out->at < out->count)
        return 0;
    uint64_t deadline =
        out->ops->deadline != NULL ? out->ops->deadline(out, os_clock_ms()) : OS_NEVER;
    give_back(out);
    int n = queue_take(out->cursor, out->items, QUEUE_TAKE_MAX, TAKE_BYTES, deadline);
    out->count = n > 0 ? n : 0;
    if (n > 0)
        out->taken_seq = out->items[n - 1].seq;
    return n < 0 && n != ERR_TIMEOUT && n != ERR_CANCELED ? n : 0;
}

static int write_and_look(struct output *out)
{
    int r = 0;

    if (out->at < out->count)
        r = out->ops->write(out);
    if (r == 0 && out->ops->look != NULL)
        r = out->ops->look(out);
    return r;
}

static void step(struct output *out)
{
    int r = 0;

    if (atomic_exchange(&out->is_reopening, false) && out->ops->reopen != NULL)
        r = out->ops->reopen(out);
    if (r == 0)
        r = take(out);
    if (r == 0 && !output_is_stopping(out))
        r = write_and_look(out);
    if (r < 0)
        go_away(out, r);
}

static bool has_unfinished(const struct output *out)
{
    return out->at < out->count || out->finished_seq < out->taken_seq;
}

/* What was taken already is finished, if the target lets us. */
static void wind_up(struct output *out)
{
    while (out->is_open && has_unfinished(out) && os_clock_ms() < out->stop_ms) {
        if (write_and_look(out) < 0)
            break;
        if (out->at == out->count && has_unfinished(out)) {
            os_mutex_lock(&out->lock);
            os_cond_wait_until(&out->changed, &out->lock, os_clock_ms() + WIND_UP_LOOK_MS);
            os_mutex_unlock(&out->lock);
        }
    }
    if (out->is_open)
        out->ops->close(out);
    out->is_open = false;
    counter_set(&out->counters.is_up, 0);
}

static void *run(void *arg)
{
    struct output *out = arg;

    while (!output_is_stopping(out)) {
        if (out->is_open)
            step(out);
        else
            reach(out);
    }
    wind_up(out);
    os_mutex_lock(&out->lock);
    out->is_ended = true;
    os_cond_broadcast(&out->changed);
    os_mutex_unlock(&out->lock);
    return NULL;
}

int output_start(struct output *out)
{
    int r = os_thread_start(&out->thread, out->config->name, run, out);

    out->is_started = r == 0;
    return r;
}

void output_reopen(struct output *out)
{
    atomic_store(&out->is_reopening, true);
    queue_cancel(out->cursor);
}

/* The thread gets OUTPUT_STOP_MS to end by itself; then what it waits for is cancelled under
 * it. It may be anywhere between two waits just then, so that is said again until it has
 * ended. */
static void wait_ended(struct output *out)
{
    os_mutex_lock(&out->lock);
    while (!out->is_ended) {
        uint64_t now_ms = os_clock_ms();
        bool is_late = now_ms >= out->stop_ms;
        if (is_late && out->ops->cancel != NULL)
            out->ops->cancel(out);
        os_cond_wait_until(&out->changed, &out->lock,
                           is_late ? now_ms + OS_CANCEL_POLL_MS : out->stop_ms);
    }
    os_mutex_unlock(&out->lock);
}

void output_stop(struct output *out)
{
    if (!out->is_started)
        return;
    os_mutex_lock(&out->lock);
    out->stop_ms = os_clock_ms() + OUTPUT_STOP_MS;
    atomic_store(&out->is_stopping, true);
    os_cond_broadcast(&out->changed);
    os_mutex_unlock(&out->lock);
    queue_cancel(out->cursor);
    wait_ended(out);
    os_thread_join(&out->thread);
    out->is_started = false;
}

const struct output_counters *output_counters(const struct output *out)
{
    return &out->counters;
}

const struct output_config *output_configuration(const struct output *out)
{
    return out->config;
}

char *output_error(struct output *out, char *text, size_t size)
{
    os_mutex_lock(&out->lock);
    snprintf(text, size, "%s", out->error);
    os_mutex_unlock(&out->lock);
    return text;
}
