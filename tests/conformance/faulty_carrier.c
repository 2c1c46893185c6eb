/* SPDX-License-Identifier: MIT */
/* faulty_carrier.c - any carrier, with the faults of a wire that may be cut without notice. */
#include "faulty_carrier.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/os/thread.h"

enum { STREAMS_MAX = 64, NO_LIMIT = -1 };

struct faulty_stream {
    struct os_stream base;
    struct os_stream *real;
};

struct faulty_listener {
    struct os_listener base;
    struct os_listener *real;
};

static const struct os_carrier *real_carrier;
static struct os_carrier faulty;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct faulty_stream *open_streams[STREAMS_MAX];
static ptrdiff_t cut_after = NO_LIMIT;
static size_t cuts;

static struct os_stream *real_of(struct os_stream *s)
{
    return ((struct faulty_stream *)s)->real;
}

static ptrdiff_t faulty_read(struct os_stream *s, void *data, size_t length)
{
    struct os_stream *real = real_of(s);

    return real->ops->read(real, data, length);
}

/* How much of <length> may still go out; takes it off the budget. */
static size_t spend(size_t length, bool *ret_cut)
{
    size_t may = length;

    pthread_mutex_lock(&lock);
    *ret_cut = cut_after != NO_LIMIT && (size_t)cut_after < length;
    if (*ret_cut) {
        may = (size_t)cut_after;
        cut_after = NO_LIMIT;
        cuts++;
    } else if (cut_after != NO_LIMIT) {
        cut_after -= (ptrdiff_t)length;
    }
    pthread_mutex_unlock(&lock);
    return may;
}

static int write_cut(struct os_stream *real, const struct os_vec *v, size_t length)
{
    if (length)
        real->ops->write(real, &(struct os_vec){.data = v->data, .length = length}, 1);
    real->ops->cancel(real);
    return ERR_CLOSED;
}

static int faulty_write(struct os_stream *s, const struct os_vec *vec, size_t count)
{
    struct os_stream *real = real_of(s);
    bool is_cut;

    for (size_t i = 0; i < count; i++) {
        size_t may = spend(vec[i].length, &is_cut);
        if (is_cut)
            return write_cut(real, &vec[i], may);
        int r = real->ops->write(real, &vec[i], 1);
        if (r < 0)
            return r;
    }
    return 0;
}

static ptrdiff_t faulty_unsent(struct os_stream *s)
{
    struct os_stream *real = real_of(s);

    return real->ops->unsent(real);
}

static bool faulty_is_ended(struct os_stream *s)
{
    struct os_stream *real = real_of(s);

    return real->ops->is_ended(real);
}

static void faulty_finish(struct os_stream *s)
{
    struct os_stream *real = real_of(s);

    real->ops->finish(real);
}

static void faulty_cancel(struct os_stream *s)
{
    struct os_stream *real = real_of(s);

    real->ops->cancel(real);
}

static void faulty_close(struct os_stream *s)
{
    struct os_stream *real = real_of(s);

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < STREAMS_MAX; i++)
        if (open_streams[i] == (struct faulty_stream *)s)
            open_streams[i] = NULL;
    pthread_mutex_unlock(&lock);
    real->ops->close(real);
    free(s);
}

static const struct os_stream_ops stream_ops = {
    .read = faulty_read,
    .write = faulty_write,
    .unsent = faulty_unsent,
    .is_ended = faulty_is_ended,
    .finish = faulty_finish,
    .cancel = faulty_cancel,
    .close = faulty_close,
};

static int wrap(struct os_stream *real, struct os_stream **ret)
{
    struct faulty_stream *s = calloc(1, sizeof *s);

    if (!s) {
        real->ops->close(real);
        return ERR_NO_MEMORY;
    }
    s->base.ops = &stream_ops;
    memcpy(s->base.peer, real->peer, sizeof s->base.peer);
    s->real = real;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < STREAMS_MAX; i++)
        if (!open_streams[i]) {
            open_streams[i] = s;
            break;
        }
    pthread_mutex_unlock(&lock);
    *ret = &s->base;
    return 0;
}

static int faulty_dial(const struct os_target *target, unsigned timeout_ms,
                       bool (*is_canceled)(void *), void *arg, struct os_stream **ret)
{
    struct os_stream *real;
    int r = real_carrier->dial(target, timeout_ms, is_canceled, arg, &real);

    return r < 0 ? r : wrap(real, ret);
}

static int faulty_accept(struct os_listener *l, struct os_stream **ret)
{
    struct os_listener *real_listener = ((struct faulty_listener *)l)->real;
    struct os_stream *real;
    int r = real_listener->ops->accept(real_listener, &real);

    return r < 0 ? r : wrap(real, ret);
}

static void faulty_listener_cancel(struct os_listener *l)
{
    struct os_listener *real = ((struct faulty_listener *)l)->real;

    real->ops->cancel(real);
}

static void faulty_listener_close(struct os_listener *l)
{
    struct os_listener *real = ((struct faulty_listener *)l)->real;

    real->ops->close(real);
    free(l);
}

static const struct os_listener_ops listener_ops = {
    .accept = faulty_accept,
    .cancel = faulty_listener_cancel,
    .close = faulty_listener_close,
};

static int faulty_listen(const struct os_target *target, struct os_listener **ret)
{
    struct faulty_listener *l = calloc(1, sizeof *l);
    int r = l ? real_carrier->listen(target, &l->real) : ERR_NO_MEMORY;

    if (r < 0) {
        free(l);
        return r;
    }
    l->base.ops = &listener_ops;
    l->base.port = l->real->port;
    *ret = &l->base;
    return 0;
}

const struct os_carrier *faulty_carrier(const struct os_carrier *real)
{
    real_carrier = real;
    faulty =
        (struct os_carrier){.name = real->name, .dial = faulty_dial, .listen = faulty_listen};
    return &faulty;
}

size_t faulty_cut_all(void)
{
    size_t n = 0;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < STREAMS_MAX; i++)
        if (open_streams[i]) {
            open_streams[i]->real->ops->cancel(open_streams[i]->real);
            n++;
        }
    cuts += n;
    pthread_mutex_unlock(&lock);
    return n;
}

void faulty_cut_after(size_t bytes)
{
    pthread_mutex_lock(&lock);
    cut_after = (ptrdiff_t)bytes;
    pthread_mutex_unlock(&lock);
}

size_t faulty_cuts(void)
{
    pthread_mutex_lock(&lock);
    size_t n = cuts;
    pthread_mutex_unlock(&lock);
    return n;
}
