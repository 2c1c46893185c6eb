/* SPDX-License-Identifier: MIT */
/* output_file.c - the outputs that append: file and stdout.
 *
 * Several batches go out with one call. What a full disk cut off stays in the chunk and
 * follows when there is room again, so no line is torn or doubled; unless the file is another
 * one by then: it gets the whole line.
 */
#include "output_private.h"

#include <stdlib.h>

#include "common/core/err.h"
#include "common/os/clock.h"
#include "common/os/file.h"

/* Between looks whether the file was rotated away. What is written meanwhile goes into the old
 * file, and is lost if that was not renamed but deleted; a look costs two system calls, on
 * Windows more. */
enum { CURRENT_LOOK_MS = 50 };

struct output_file {
    struct os_file *file; /* changed under out->lock */
    uint64_t looked_ms;
    uint64_t size_at_break; /* of the file, when it took no more */
    struct output_chunk chunk;
};

static int file_init(struct output *out)
{
    struct output_file *f = calloc(1, sizeof(*f));
    if (f == NULL)
        return ERR_NO_MEMORY;
    int r = output_chunk_init(&f->chunk, out->config);
    if (r < 0) {
        free(f);
        return r;
    }
    out->kind = f;
    return 0;
}

static void file_release(struct output *out)
{
    struct output_file *f = out->kind;

    output_chunk_release(&f->chunk);
    free(f);
}

static void set_file(struct output *out, struct os_file *file)
{
    struct output_file *f = out->kind;

    os_mutex_lock(&out->lock);
    struct os_file *old = f->file;
    f->file = file;
    os_mutex_unlock(&out->lock);
    os_file_close(old);
}

/* A line of which only the beginning is there (the disk was full, and then the program ended)
 * is ended, so that what follows, which may be the same line once more, is whole. */
static int end_torn_line(struct output *out)
{
    const struct output_file *f = out->kind;
    const struct os_vec end = {.data = "\n", .length = 1};

    if (out->config->framing != OUTPUT_LINE || !os_file_has_torn_end(f->file))
        return 0;
    return os_file_write(f->file, &end, 1, NULL);
}

static int file_open(struct output *out)
{
    struct output_file *f = out->kind;
    struct os_file *file;

    int r = os_file_append(out->config->to.path, &file);
    if (r < 0)
        return r;
    set_file(out, file);
    f->looked_ms = os_clock_ms();
    if (!output_chunk_has_rest(&f->chunk))
        r = end_torn_line(out);
    else if (os_file_size(f->file) < f->size_at_break)
        output_chunk_back_to_line(&f->chunk);
    if (r < 0)
        set_file(out, NULL);
    return r;
}

static int stdout_open(struct output *out)
{
    struct output_file *f = out->kind;
    struct os_file *file;

    f->looked_ms = os_clock_ms();
    int r = os_file_stdout(&file);
    if (r == 0)
        set_file(out, file);
    return r;
}

static void file_close(struct output *out)
{
    set_file(out, NULL);
}

static void file_cancel(struct output *out)
{
    struct output_file *f = out->kind;

    if (f->file != NULL)
        os_file_cancel(f->file);
}

static int file_reopen(struct output *out)
{
    struct output_file *f = out->kind;
    struct os_file *file;

    int r = os_file_append(out->config->to.path, &file);
    if (r < 0)
        return r;
    set_file(out, file);
    f->looked_ms = os_clock_ms();
    counter_add(&out->counters.reopened, 1);
    return 0;
}

static int follow_rotation(struct output *out)
{
    struct output_file *f = out->kind;
    uint64_t now_ms = os_clock_ms();

    if (now_ms < f->looked_ms + CURRENT_LOOK_MS)
        return 0;
    f->looked_ms = now_ms;
    return os_file_is_current(f->file) ? 0 : file_reopen(out);
}

static int write_chunk(struct output *out)
{
    struct output_file *f = out->kind;
    struct output_chunk *c = &f->chunk;
    struct output_mark mark;
    size_t written = 0;

    int r = os_file_write(f->file, &c->vecs[c->first], c->count - c->first, &written);
    if (r == 0)
        written = c->octets - c->written;
    int completed = output_chunk_advance(c, written, &mark);
    out->at += completed;
    if (completed > 0)
        output_finish(out, &mark);
    if (r < 0)
        f->size_at_break = os_file_size(f->file);
    return r;
}

static int file_write(struct output *out)
{
    struct output_file *f = out->kind;
    int r = follow_rotation(out);

    while (r == 0 && out->at < out->count) {
        if (!output_chunk_has_rest(&f->chunk))
            r = output_chunk_fill(&f->chunk, &out->items[out->at], out->count - out->at);
        if (r == 0)
            r = write_chunk(out);
    }
    return r;
}

const struct output_ops output_file_ops = {
    .init = file_init,
    .release = file_release,
    .open = file_open,
    .write = file_write,
    .reopen = file_reopen,
    .cancel = file_cancel,
    .close = file_close,
};

const struct output_ops output_stdout_ops = {
    .init = file_init,
    .release = file_release,
    .open = stdout_open,
    .write = file_write,
    .cancel = file_cancel,
    .close = file_close,
};
