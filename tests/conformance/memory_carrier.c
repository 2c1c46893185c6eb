/* SPDX-License-Identifier: MIT */
/* memory_carrier.c - a carrier without a system: two pipes in memory for each connection. */
#include "memory_carrier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/os/thread.h"

struct pipe_end {
    uint8_t data[MEMORY_PIPE_BYTES];
    size_t start, length;
    bool is_ended; /* no more will be written, or nobody reads any more */
};

/* Both ends of a connection share it; the last one frees it. */
struct pair {
    struct pipe_end pipe[2];
    int refs;
};

struct memory_stream {
    struct os_stream base;
    struct pair *pair;
    int side; /* reads pipe[side], writes pipe[1 - side] */
    bool is_canceled;
};

struct memory_listener {
    struct os_listener base;
    struct memory_listener *next;
    struct memory_stream *waiting[64];
    int waiting_count;
    bool is_canceled;
};

/* One lock and one condition for all: this carrier is for proof, not for speed. */
static struct os_mutex lock;
static struct os_cond changed;
static struct memory_listener *listeners;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void)
{
    os_mutex_init(&lock);
    os_cond_init(&changed);
}

static void enter(void)
{
    pthread_once(&once, init);
    os_mutex_lock(&lock);
}

static void leave(void)
{
    os_cond_broadcast(&changed);
    os_mutex_unlock(&lock);
}

static size_t pipe_get(struct pipe_end *p, uint8_t *out, size_t length)
{
    size_t n = 0;

    while (n < length && p->length) {
        out[n++] = p->data[p->start];
        p->start = (p->start + 1) % MEMORY_PIPE_BYTES;
        p->length--;
    }
    return n;
}

static size_t pipe_put(struct pipe_end *p, const uint8_t *in, size_t length)
{
    size_t n = 0;

    while (n < length && p->length < MEMORY_PIPE_BYTES)
        p->data[(p->start + p->length++) % MEMORY_PIPE_BYTES] = in[n++];
    return n;
}

static ptrdiff_t memory_read(struct os_stream *base, void *data, size_t length)
{
    struct memory_stream *s = (struct memory_stream *)base;
    struct pipe_end *p = &s->pair->pipe[s->side];
    ptrdiff_t r;

    enter();
    while (!p->length && !p->is_ended && !s->is_canceled)
        os_cond_wait(&changed, &lock);
    if (s->is_canceled)
        r = ERR_CANCELED;
    else
        r = p->length ? (ptrdiff_t)pipe_get(p, data, length) : ERR_CLOSED;
    leave();
    return r;
}

static int write_piece(struct memory_stream *s, const struct os_vec *v)
{
    struct pipe_end *p = &s->pair->pipe[1 - s->side];
    size_t done = 0;

    while (done < v->length) {
        if (s->is_canceled)
            return ERR_CANCELED;
        if (p->is_ended)
            return ERR_CLOSED;
        size_t n = pipe_put(p, (const uint8_t *)v->data + done, v->length - done);
        done += n;
        if (n)
            os_cond_broadcast(&changed);
        else
            os_cond_wait(&changed, &lock);
    }
    return 0;
}

static int memory_write(struct os_stream *base, const struct os_vec *vec, size_t count)
{
    int r = 0;

    enter();
    for (size_t i = 0; i < count && r == 0; i++)
        r = write_piece((struct memory_stream *)base, &vec[i]);
    leave();
    return r;
}

static ptrdiff_t memory_unsent(struct os_stream *base)
{
    struct memory_stream *s = (struct memory_stream *)base;

    enter();
    ptrdiff_t n = (ptrdiff_t)s->pair->pipe[1 - s->side].length;
    leave();
    return n;
}

static bool memory_is_ended(struct os_stream *base)
{
    struct memory_stream *s = (struct memory_stream *)base;

    enter();
    bool ended = s->pair->pipe[s->side].is_ended;
    leave();
    return ended;
}

static void memory_finish(struct os_stream *base)
{
    struct memory_stream *s = (struct memory_stream *)base;

    enter();
    s->pair->pipe[1 - s->side].is_ended = true;
    leave();
}

static void memory_cancel(struct os_stream *base)
{
    struct memory_stream *s = (struct memory_stream *)base;

    enter();
    s->is_canceled = true;
    s->pair->pipe[0].is_ended = s->pair->pipe[1].is_ended = true;
    leave();
}

static void memory_close(struct os_stream *base)
{
    struct memory_stream *s = (struct memory_stream *)base;

    memory_cancel(base);
    enter();
    if (--s->pair->refs == 0)
        free(s->pair);
    leave();
    free(s);
}

static const struct os_stream_ops stream_ops = {
    .read = memory_read,
    .write = memory_write,
    .unsent = memory_unsent,
    .is_ended = memory_is_ended,
    .finish = memory_finish,
    .cancel = memory_cancel,
    .close = memory_close,
};

static struct memory_stream *stream_new(struct pair *pair, int side)
{
    struct memory_stream *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->base.ops = &stream_ops;
    snprintf(s->base.peer, sizeof s->base.peer, "memory side %d", 1 - side);
    s->pair = pair;
    s->side = side;
    pair->refs++;
    return s;
}

/* ---- listeners --------------------------------------------------------------------------- */

static int memory_accept(struct os_listener *base, struct os_stream **ret)
{
    struct memory_listener *l = (struct memory_listener *)base;
    int r = ERR_CANCELED;

    enter();
    while (!l->waiting_count && !l->is_canceled)
        os_cond_wait(&changed, &lock);
    if (!l->is_canceled) {
        *ret = &l->waiting[0]->base;
        l->waiting_count--;
        memmove(l->waiting, l->waiting + 1, (size_t)l->waiting_count * sizeof l->waiting[0]);
        r = 0;
    }
    leave();
    return r;
}

static void listener_cancel(struct os_listener *base)
{
    enter();
    ((struct memory_listener *)base)->is_canceled = true;
    leave();
}

static void listener_close(struct os_listener *base)
{
    struct memory_listener *l = (struct memory_listener *)base;

    enter();
    for (struct memory_listener **p = &listeners; *p; p = &(*p)->next)
        if (*p == l) {
            *p = l->next;
            break;
        }
    leave();
    for (int i = 0; i < l->waiting_count; i++)
        memory_close(&l->waiting[i]->base);
    free(l);
}

static const struct os_listener_ops listener_ops = {
    .accept = memory_accept,
    .cancel = listener_cancel,
    .close = listener_close,
};

static struct memory_listener *find_listener(uint32_t port)
{
    for (struct memory_listener *l = listeners; l; l = l->next)
        if (l->base.port == port)
            return l;
    return NULL;
}

static int memory_listen(const struct os_target *target, struct os_listener **ret)
{
    struct memory_listener *l = calloc(1, sizeof *l);
    int r = ERR_IN_USE;

    if (!l)
        return ERR_NO_MEMORY;
    l->base.ops = &listener_ops;
    l->base.port = target->endpoint->port;
    enter();
    if (!find_listener(l->base.port)) {
        l->next = listeners;
        listeners = l;
        *ret = &l->base;
        r = 0;
    }
    leave();
    if (r < 0)
        free(l);
    return r;
}

static int connect_locked(struct memory_listener *l, struct os_stream **ret)
{
    struct pair *pair = calloc(1, sizeof *pair);

    if (!pair)
        return ERR_NO_MEMORY;
    struct memory_stream *near_end = stream_new(pair, 0);
    struct memory_stream *far_end = stream_new(pair, 1);
    if (!near_end || !far_end) {
        free(near_end);
        free(far_end);
        free(pair);
        return ERR_NO_MEMORY;
    }
    l->waiting[l->waiting_count++] = far_end;
    *ret = &near_end->base;
    return 0;
}

static int memory_dial(const struct os_target *target, unsigned timeout_ms,
                       bool (*is_canceled)(void *), void *arg, struct os_stream **ret)
{
    int r = ERR_REFUSED;

    (void)timeout_ms;
    if (is_canceled && is_canceled(arg))
        return ERR_CANCELED;
    enter();
    struct memory_listener *l = find_listener(target->endpoint->port);
    if (l && !l->is_canceled &&
        l->waiting_count < (int)(sizeof l->waiting / sizeof *l->waiting))
        r = connect_locked(l, ret);
    leave();
    return r;
}

const struct os_carrier memory_carrier = {
    .name = "tcp",
    .dial = memory_dial,
    .listen = memory_listen,
};
