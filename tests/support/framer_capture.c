/* SPDX-License-Identifier: MIT */
/* framer_capture.c - run a whole stream through a framer and keep all that came out. */
#include "framer_capture.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/record.h"

static void *grown(void *memory, size_t octets)
{
    void *r = realloc(memory, octets);

    if (r == NULL)
        abort();
    return r;
}

void capture_add(struct capture *c, const struct framed *m)
{
    while (c->octet_count + m->length > c->octet_room) {
        c->octet_room = c->octet_room * 2 + m->length;
        c->octets = grown(c->octets, c->octet_room);
    }
    if (c->count == c->room) {
        c->room = c->room * 2 + 8;
        c->messages = grown(c->messages, c->room * sizeof(*c->messages));
    }
    memcpy(c->octets + c->octet_count, m->data, m->length);
    c->messages[c->count++] = (struct captured){.offset = c->octet_count,
                                                .length = m->length,
                                                .orig_length = m->orig_length,
                                                .flags = m->flags};
    c->octet_count += m->length;
}

/* Whatever can be had now. */
static void capture_take(struct capture *c, struct framer *f)
{
    struct framed m;
    int r;

    while ((r = framer_next(f, &m)) == 1)
        capture_add(c, &m);
    if (r < 0)
        c->is_closed = true;
}

static void capture_read(struct capture *c, struct framer *f, const uint8_t *data,
                         size_t length)
{
    uint8_t *read = grown(NULL, length);

    memcpy(read, data, length);
    framer_feed(f, read, length);
    capture_take(c, f);
    free(read);
}

void capture_stream(struct capture *c, const struct framer_options *options,
                    const uint8_t *data, size_t length, const struct capture_cuts *cuts)
{
    struct framer *f = framer_new(options);
    size_t at = 0;

    if (f == NULL)
        abort();
    *c = (struct capture){0};
    for (size_t i = 0; at < length && !c->is_closed; i++) {
        size_t n = cuts->count > 0 ? cuts->lengths[i % cuts->count] : length;
        if (n > length - at)
            n = length - at;
        capture_read(c, f, data + at, n);
        at += n;
        if (cuts->settles && !c->is_closed && !framer_is_undecided(f)) {
            framer_settle(f);
            capture_take(c, f);
        }
    }
    if (!c->is_closed) {
        if (cuts->stays_open)
            framer_settle(f);
        else
            framer_end(f);
        capture_take(c, f);
    }
    c->counters = *framer_counters(f);
    if (c->is_closed) /* what the owner did not feed any more */
        c->counters.discarded_octets += length - at;
    framer_free(f);
}

void capture_release(struct capture *c)
{
    free(c->octets);
    free(c->messages);
    *c = (struct capture){0};
}

void capture_drop_last(struct capture *c)
{
    struct captured *m;
    uint16_t end_flags = RECORD_UNTERMINATED;

    if (c->count == 0)
        return;
    m = &c->messages[c->count - 1];
    if (c->counters.frame_incomplete == 0 && (m->flags & end_flags) == 0)
        return;
    c->counters.frame_incomplete = 0;
    c->counters.framing_desync -= (m->flags & RECORD_DESYNC) != 0;
    c->octet_count -= m->length;
    c->count--;
}

static bool is_same_message(const struct captured *a, const struct captured *b)
{
    return a->offset == b->offset && a->length == b->length &&
           a->orig_length == b->orig_length && a->flags == b->flags;
}

bool capture_is_equal(const struct capture *a, const struct capture *b)
{
    if (a->count != b->count || a->octet_count != b->octet_count ||
        a->is_closed != b->is_closed)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!is_same_message(&a->messages[i], &b->messages[i]))
            return false;
    if (a->octet_count > 0 && memcmp(a->octets, b->octets, a->octet_count) != 0)
        return false;
    return memcmp(&a->counters, &b->counters, sizeof(a->counters)) == 0;
}

bool capture_is_balanced(const struct capture *c, size_t length)
{
    return length == c->octet_count + c->counters.framing_padding +
                         c->counters.delimiter_octets + c->counters.prefix_octets +
                         c->counters.cut_octets + c->counters.discarded_octets;
}
