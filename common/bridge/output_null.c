/* SPDX-License-Identifier: MIT */
/* output_null.c - the output that takes everything and keeps nothing: for measuring, and for
 * records that nobody wants. */
#include "output_private.h"

#include <stdlib.h>

#include "common/core/err.h"

static int null_init(struct output *out)
{
    out->kind = calloc(1, sizeof(struct output_selection));
    return out->kind != NULL ? 0 : ERR_NO_MEMORY;
}

static void null_release(struct output *out)
{
    free(out->kind);
}

static int null_open(struct output *out)
{
    (void)out;
    return 0;
}

static void count(struct output *out, const struct batch *b, struct output_mark *mark)
{
    struct output_selection *selection = out->kind;

    output_selection_make(selection, out->config, b);
    for (size_t i = 0; i < batch_records(b); i++) {
        struct record r = batch_record(b, i);
        if (!output_selection_has(selection, r.source))
            continue;
        mark->records++;
        mark->bytes += r.length;
    }
}

static int null_write(struct output *out)
{
    struct output_mark mark = {.seq = out->items[out->count - 1].seq};

    for (; out->at < out->count; out->at++)
        count(out, out->items[out->at].batch, &mark);
    output_finish(out, &mark);
    return 0;
}

static void null_close(struct output *out)
{
    (void)out;
}

const struct output_ops output_null_ops = {
    .init = null_init,
    .release = null_release,
    .open = null_open,
    .write = null_write,
    .close = null_close,
};
