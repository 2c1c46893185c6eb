/* SPDX-License-Identifier: MIT */
/* link_writer.c - the writer of a session: control octets and batches, as many as there are
 * with one call. */
#include "link_writer.h"

#include "common/os/clock.h"
#include "link_session.h"

enum { WRITE_BYTES = 1024 * 1024 }; /* octets of batches in one write */

/* What the writer has in hand: taken from the queue, not yet written. It holds its
 * references, since a peer may acknowledge a batch whose last octets are still on their way out
 * of here. */
struct outgoing {
    struct queue_item items[QUEUE_TAKE_MAX];
    int first, count;
    uint8_t control[SESSION_PULL_MAX];
    uint8_t headers[QUEUE_TAKE_MAX][WIRE_DATA_HEADER_BYTES];
    struct os_vec vec[1 + 3 * QUEUE_TAKE_MAX];
    size_t vec_count;
};

static void add_piece(struct outgoing *out, const void *data, size_t length)
{
    out->vec[out->vec_count++] = (struct os_vec){.data = data, .length = length};
}

static void add_batch(struct link_session *s, struct outgoing *out)
{
    struct queue_item *item = &out->items[out->first];
    uint8_t *header = out->headers[out->first];
    struct batch_part parts[2];

    session_data(s->session, item->seq, batch_bytes(item->batch), header);
    batch_parts(item->batch, parts);
    add_piece(out, header, WIRE_DATA_HEADER_BYTES);
    add_piece(out, parts[0].data, parts[0].length);
    add_piece(out, parts[1].data, parts[1].length);
    s->sent_records += batch_records(item->batch);
    s->sent_bytes += batch_bytes(item->batch);
    out->first++;
}

/* Under link.lock: all that can go out now. */
static void gather(struct link_session *s, struct outgoing *out)
{
    out->vec_count = 0;
    size_t n = session_pull(s->session, out->control, sizeof(out->control), os_clock_us());
    if (n)
        add_piece(out, out->control, n);
    while (s->is_open && out->first < out->count &&
           session_may_send(s->session, batch_bytes(out->items[out->first].batch)))
        add_batch(s, out);
}

/* Under link.lock: wait until there is something to gather. Returns false when the session is
 * over. */
static bool wait_for_work(struct link_session *s, struct outgoing *out)
{
    struct link *l = s->link;

    if (session_is_closed(s->session) || s->is_reader_done)
        return false;
    if (!s->is_open || out->first < out->count) {
        os_cond_wait(&s->writer_wake, &l->lock);
        return true;
    }
    s->is_in_take = true;
    os_mutex_unlock(&l->lock);
    int n = queue_take(s->peer->cursor, out->items, QUEUE_TAKE_MAX, WRITE_BYTES, OS_NEVER);
    os_mutex_lock(&l->lock);
    s->is_in_take = false;
    out->first = 0;
    out->count = n > 0 ? n : 0;
    return true;
}

void *link_writer_run(void *arg)
{
    struct link_session *s = arg;
    struct link *l = s->link;
    struct outgoing out = {.first = 0};
    int r = 0;

    os_mutex_lock(&l->lock);
    while (r == 0) {
        int first = out.first;
        gather(s, &out);
        if (out.vec_count) {
            os_mutex_unlock(&l->lock);
            r = s->stream->ops->write(s->stream, out.vec, out.vec_count);
            queue_give_back(&out.items[first], out.first - first);
            os_mutex_lock(&l->lock);
        } else if (!wait_for_work(s, &out)) {
            break;
        }
    }
    queue_give_back(&out.items[out.first], out.count - out.first);
    s->is_writer_done = true;
    os_cond_signal(&s->watcher_wake);
    os_mutex_unlock(&l->lock);
    return NULL;
}
