/* SPDX-License-Identifier: MIT */
/* output_chunk.c - the text of several batches, gathered for one write. */
#include "output_chunk.h"

#include "common/core/err.h"

void output_mark_add(struct output_mark *to, const struct output_mark *mark)
{
    to->seq = mark->seq;
    to->records += mark->records;
    to->bytes += mark->bytes;
    to->nul_escaped += mark->nul_escaped;
    to->truncated += mark->truncated;
    to->dropped += mark->dropped;
}

int output_chunk_init(struct output_chunk *c, const struct output_config *config)
{
    c->is_inside = false;
    output_chunk_reset(c);
    return output_format_init(&c->format, config);
}

void output_chunk_release(struct output_chunk *c)
{
    output_format_release(&c->format);
}

static void clear(struct output_chunk *c)
{
    c->first = c->count = 0;
    c->line = NULL;
    c->octets = c->written = 0;
    c->end_first = c->end_count = 0;
}

void output_chunk_reset(struct output_chunk *c)
{
    clear(c);
    c->is_inside = false;
}

bool output_chunk_has_rest(const struct output_chunk *c)
{
    return c->first < c->count || c->end_first < c->end_count;
}

/* Gather what <item> has. Returns 0 at its end, ERR_FULL when there is more, ERR_NO_MEMORY. */
static int gather(struct output_chunk *c, const struct queue_item *item)
{
    int r = ERR_FULL;

    if (!c->is_inside)
        output_format_begin(&c->format, item->batch);
    c->is_inside = true;
    while (c->count < OS_VEC_MAX) {
        r = output_format_next(&c->format, &c->vecs[c->count]);
        if (r <= 0)
            break;
        c->octets += c->vecs[c->count++].length;
        r = ERR_FULL;
    }
    if (r < 0)
        return r;
    c->is_inside = false;
    c->ends[c->end_count++] = (struct output_chunk_end){
        .end = c->octets,
        .mark = {.seq = item->seq,
                 .records = c->format.records,
                 .bytes = c->format.bytes,
                 .nul_escaped = c->format.nul_escaped},
    };
    return 0;
}

int output_chunk_fill(struct output_chunk *c, const struct queue_item *items, int count)
{
    int r = 0;

    clear(c);
    output_format_clear(&c->format);
    for (int i = 0; i < count && i < QUEUE_TAKE_MAX && r == 0; i++)
        r = gather(c, &items[i]);
    if (c->count > 0)
        c->line = c->vecs[0].data;
    /* No memory for one record matters only when there is nothing else to write before it. */
    return r == ERR_NO_MEMORY && !output_chunk_has_rest(c) ? ERR_NO_MEMORY : 0;
}

static void advance_vecs(struct output_chunk *c, size_t octets)
{
    while (c->first < c->count && octets >= c->vecs[c->first].length) {
        octets -= c->vecs[c->first++].length;
        c->line = c->first < c->count ? c->vecs[c->first].data : NULL;
    }
    if (octets == 0)
        return;
    struct os_vec *v = &c->vecs[c->first];
    v->data = (const uint8_t *)v->data + octets;
    v->length -= octets;
}

int output_chunk_advance(struct output_chunk *c, size_t octets, struct output_mark *ret)
{
    struct output_mark sum = {0};
    int completed = 0;

    advance_vecs(c, octets);
    c->written += octets;
    for (; c->end_first < c->end_count && c->ends[c->end_first].end <= c->written; completed++)
        output_mark_add(&sum, &c->ends[c->end_first++].mark);
    if (completed > 0)
        *ret = sum;
    return completed;
}

void output_chunk_back_to_line(struct output_chunk *c)
{
    if (c->first == c->count)
        return;
    struct os_vec *v = &c->vecs[c->first];
    const uint8_t *at = v->data;
    size_t back = 0;

    while (at - back > c->line && at[-1 - (ptrdiff_t)back] != '\n')
        back++;
    v->data = at - back;
    v->length += back;
    c->written -= back;
}
