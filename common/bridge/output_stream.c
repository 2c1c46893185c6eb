/* SPDX-License-Identifier: MIT */
/* output_stream.c - the outputs that connect and write: tcp and unix.
 *
 * A write that succeeded proves nothing: the octets may be in our own system still, and are
 * lost when the connection breaks. So a batch is finished only when the far side's system has
 * it (tcp), or its program has read it (unix). Until then it is pending; what is pending at a
 * break is written again to the next connection.
 *
 * Whether the connection has ended is asked after how much is unsent: a unix socket whose
 * reader died forgets what was unread and then says that nothing is.
 */
#include "output_private.h"

#include <stdlib.h>

#include "common/core/err.h"
#include "common/os/clock.h"
#include "common/os/stream.h"

enum {
    DIAL_TIMEOUT_MS = 5000,
    IDLE_MS = 50,         /* silence after which the connection is looked at before a write */
    IDLE_LOOK_MS = 1000,  /* how often an idle connection is looked at */
    CONFIRM_FIRST_MS = 2, /* looks for confirmation: first soon, then less and less often */
    CONFIRM_LAST_MS = 64,
    PENDING_MAX = 64,
};

struct pending {
    uint64_t end; /* octets written to this connection up to its end */
    struct output_mark mark;
};

struct output_stream {
    struct os_stream *stream; /* changed under out->lock */
    struct output_chunk chunk;
    uint64_t written; /* octets, to this connection */
    uint64_t written_ms;
    uint64_t look_ms; /* until the next look for confirmation */
    struct pending pending[PENDING_MAX];
    size_t pending_count;
};

static int stream_init(struct output *out)
{
    struct output_stream *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return ERR_NO_MEMORY;
    int r = output_chunk_init(&s->chunk, out->config);
    if (r < 0) {
        free(s);
        return r;
    }
    out->kind = s;
    return 0;
}

static void stream_release(struct output *out)
{
    struct output_stream *s = out->kind;

    output_chunk_release(&s->chunk);
    free(s);
}

static void set_stream(struct output *out, struct os_stream *stream)
{
    struct output_stream *s = out->kind;

    os_mutex_lock(&out->lock);
    struct os_stream *old = s->stream;
    s->stream = stream;
    os_mutex_unlock(&out->lock);
    if (old != NULL)
        old->ops->close(old);
}

static int stream_open(struct output *out)
{
    struct output_stream *s = out->kind;
    const struct endpoint *to = &out->config->to;
    const struct os_carrier *carrier = os_carrier_find(endpoint_scheme(to->kind));
    struct os_stream *stream;

    if (carrier == NULL)
        return ERR_UNSUPPORTED;
    int r = carrier->dial(&(struct os_target){.endpoint = to}, DIAL_TIMEOUT_MS,
                          output_is_stopping, out, &stream);
    if (r < 0)
        return r;
    output_chunk_reset(&s->chunk);
    s->written = 0;
    s->written_ms = os_clock_ms();
    s->look_ms = CONFIRM_FIRST_MS;
    s->pending_count = 0;
    set_stream(out, stream);
    return 0;
}

static void stream_close(struct output *out)
{
    struct output_stream *s = out->kind;

    s->stream->ops->finish(s->stream);
    set_stream(out, NULL);
}

static void stream_cancel(struct output *out)
{
    struct output_stream *s = out->kind;

    if (s->stream != NULL)
        s->stream->ops->cancel(s->stream);
}

/* When there are many, the newest two become one: it is confirmed a little later, and no
 * more.
 */
static void add_pending(struct output_stream *s, uint64_t end, const struct output_mark *mark)
{
    if (s->pending_count == PENDING_MAX) {
        struct pending *last = &s->pending[PENDING_MAX - 1];
        last->end = end;
        output_mark_add(&last->mark, mark);
        return;
    }
    s->pending[s->pending_count++] = (struct pending){.end = end, .mark = *mark};
}

/* What ends at or before <octets> is finished. */
static void confirm(struct output *out, uint64_t octets)
{
    struct output_stream *s = out->kind;
    struct output_mark sum = {0};
    size_t n = 0;

    for (; n < s->pending_count && s->pending[n].end <= octets; n++)
        output_mark_add(&sum, &s->pending[n].mark);
    if (n == 0)
        return;
    s->pending_count -= n;
    for (size_t i = 0; i < s->pending_count; i++)
        s->pending[i] = s->pending[n + i];
    output_finish(out, &sum);
}

static int stream_look(struct output *out)
{
    struct output_stream *s = out->kind;
    ptrdiff_t unsent = s->stream->ops->unsent(s->stream);

    if (s->stream->ops->is_ended(s->stream))
        return ERR_CLOSED;
    if (unsent < 0) /* this system does not say */
        unsent = 0;
    /* A unix socket counts its own book-keeping too: that can be more than was written. */
    confirm(out, (uint64_t)unsent < s->written ? s->written - (uint64_t)unsent : 0);
    return 0;
}

static uint64_t stream_deadline(struct output *out, uint64_t now_ms)
{
    struct output_stream *s = out->kind;

    if (s->pending_count == 0)
        return now_ms + IDLE_LOOK_MS;
    uint64_t deadline = now_ms + s->look_ms;
    if (s->look_ms < CONFIRM_LAST_MS)
        s->look_ms *= 2;
    return deadline;
}

static int write_chunk(struct output *out)
{
    struct output_stream *s = out->kind;
    struct output_chunk *c = &s->chunk;
    struct output_mark mark;

    if (c->octets > 0) {
        int r = s->stream->ops->write(s->stream, &c->vecs[c->first], c->count - c->first);
        if (r < 0)
            return r;
    }
    for (int i = c->end_first; i < c->end_count; i++)
        add_pending(s, s->written + c->ends[i].end, &c->ends[i].mark);
    s->written += c->octets;
    out->at += output_chunk_advance(c, c->octets, &mark);
    return 0;
}

static int stream_write(struct output *out)
{
    struct output_stream *s = out->kind;
    uint64_t now_ms = os_clock_ms();
    int r = 0;

    if (now_ms > s->written_ms + IDLE_MS && s->stream->ops->is_ended(s->stream))
        return ERR_CLOSED;
    s->written_ms = now_ms;
    s->look_ms = CONFIRM_FIRST_MS;
    while (r == 0 && out->at < out->count) {
        r = output_chunk_fill(&s->chunk, &out->items[out->at], out->count - out->at);
        if (r == 0)
            r = write_chunk(out);
    }
    return r;
}

const struct output_ops output_stream_ops = {
    .is_resent = true,
    .init = stream_init,
    .release = stream_release,
    .open = stream_open,
    .write = stream_write,
    .look = stream_look,
    .deadline = stream_deadline,
    .cancel = stream_cancel,
    .close = stream_close,
};
