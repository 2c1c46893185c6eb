/* SPDX-License-Identifier: MIT */
/* output_dgram.c - the outputs that send one datagram for each record: udp and unix-dgram.
 *
 * A record goes as it is, without escape or framing; UDP's limit cuts it. A unix-dgram send
 * that succeeded is in the receiver's queue. UDP promises nothing: what the system took counts
 * as delivered, unless it says at once that nobody has the port open. It does so on loopback,
 * where most UDP outputs go: there a receiver that is away keeps its records waiting. From
 * farther away ICMP comes late or never, and what was sent before it came is lost.
 *
 * The datagram refused is the last one sent, so sending goes on with that. But sendmmsg()
 * swallows a refusal that comes behind its first datagram: it returns a short count, and the
 * error is used up (net/socket.c __sys_sendmmsg()). So after a short count one datagram goes
 * alone. It draws the refusal again, and then both are sent again. For the same reason the
 * first one after opening goes alone.
 */
#include "output_private.h"

#include <stdlib.h>

#include "common/core/err.h"
#include "common/core/handover.h"
#include "common/os/clock.h"
#include "common/os/dgram.h"
#include "common/os/stream.h"

enum { SEND_WAIT_MS = 500 }; /* at a full receiver, before the loop looks around */

#define NO_RECORD SIZE_MAX

struct output_dgram {
    struct os_dgram *socket; /* changed under out->lock */
    bool is_udp;

    /* Where in the batch out->items[out->at] we are. */
    bool is_inside;
    size_t next;    /* record */
    size_t suspect; /* a record sent that may have been refused; or NO_RECORD */
    struct output_mark before_suspect; /* <mark> as it was then */
    bool goes_alone;                   /* the next datagram */
    bool is_doubtful;                  /* there was a short count before it */
    struct output_mark mark;
    struct output_selection selection;

    struct os_vec vecs[OS_DGRAM_BATCH];
    size_t records[OS_DGRAM_BATCH]; /* of <vecs> */
};

static int dgram_init(struct output *out)
{
    struct output_dgram *d = calloc(1, sizeof(*d));
    if (d == NULL)
        return ERR_NO_MEMORY;
    d->is_udp = out->config->to.kind == ENDPOINT_UDP;
    d->suspect = NO_RECORD;
    out->kind = d;
    return 0;
}

static void dgram_release(struct output *out)
{
    free(out->kind);
}

static void set_socket(struct output *out, struct os_dgram *socket)
{
    struct output_dgram *d = out->kind;

    os_mutex_lock(&out->lock);
    struct os_dgram *old = d->socket;
    d->socket = socket;
    os_mutex_unlock(&out->lock);
    if (old != NULL)
        os_dgram_close(old);
}

static int dgram_open(struct output *out)
{
    struct output_dgram *d = out->kind;
    struct os_dgram *socket;

    int r = os_dgram_connect(&out->config->to, &socket);
    if (r < 0)
        return r;
    d->goes_alone = d->is_udp;
    d->is_doubtful = false;
    set_socket(out, socket);
    return 0;
}

static void dgram_close(struct output *out)
{
    set_socket(out, NULL);
}

static void dgram_cancel(struct output *out)
{
    struct output_dgram *d = out->kind;

    if (d->socket != NULL)
        os_dgram_cancel(d->socket);
}

static size_t length_of(const struct output_dgram *d, const struct record *r)
{
    return d->is_udp ? handover_udp_length(r->data, r->length) : r->length;
}

/* The next datagrams, at most <limit>. */
static int gather(struct output_dgram *d, const struct batch *b, int limit)
{
    int n = 0;

    for (size_t i = d->next; i < batch_records(b) && n < limit; i++) {
        struct record r = batch_record(b, i);
        if (!output_selection_has(&d->selection, r.source))
            continue;
        d->vecs[n] = (struct os_vec){.data = r.data, .length = length_of(d, &r)};
        d->records[n++] = i;
    }
    return n;
}

/* vecs[i] was sent. */
static void count_sent(struct output_dgram *d, const struct batch *b, int i)
{
    struct record r = batch_record(b, d->records[i]);

    d->mark.records++;
    d->mark.bytes += d->vecs[i].length;
    d->mark.truncated += d->vecs[i].length < r.length;
    d->next = d->records[i] + 1;
}

static void note_sent(struct output_dgram *d, const struct batch *b, int sent, int count)
{
    for (int i = 0; i < sent; i++) {
        if (i == sent - 1 && !d->is_doubtful) {
            d->suspect = d->records[i];
            d->before_suspect = d->mark;
        }
        count_sent(d, b, i);
    }
    d->is_doubtful = d->goes_alone = d->is_udp && sent < count;
}

/* Go on with the one that was refused, or with the one at hand. */
static void step_back(struct output_dgram *d)
{
    if (d->is_udp && d->suspect != NO_RECORD) {
        d->next = d->suspect;
        d->mark = d->before_suspect;
    }
    d->suspect = NO_RECORD;
}

static int handle(struct output_dgram *d, int err)
{
    if (err == ERR_FULL) { /* can never be sent to this receiver */
        d->mark.dropped++;
        d->next = d->records[0] + 1;
        return 0;
    }
    if (err == ERR_REFUSED || err == ERR_NOT_FOUND)
        step_back(d);
    return err;
}

/* Send some. Returns 0 when there is or may be more; 1 at the batch's end; an error. */
static int send_some(struct output_dgram *d, const struct batch *b)
{
    int count = gather(d, b, d->goes_alone ? 1 : OS_DGRAM_BATCH);
    if (count == 0)
        return 1;
    int sent = os_dgram_send(d->socket, d->vecs, count, os_clock_ms() + SEND_WAIT_MS);
    if (sent < 0)
        return handle(d, sent);
    note_sent(d, b, sent, count);
    int r = d->is_udp ? os_dgram_check(d->socket) : 0;
    return r == ERR_REFUSED || r == ERR_NOT_FOUND ? handle(d, r) : 0;
}

static void begin(struct output *out)
{
    struct output_dgram *d = out->kind;
    const struct queue_item *item = &out->items[out->at];

    if (d->is_inside)
        return;
    d->is_inside = true;
    d->next = 0;
    d->suspect = NO_RECORD;
    d->mark = (struct output_mark){.seq = item->seq};
    output_selection_make(&d->selection, out->config, item->batch);
}

static int dgram_write(struct output *out)
{
    struct output_dgram *d = out->kind;
    int r = 0;

    while (out->at < out->count) {
        begin(out);
        r = send_some(d, out->items[out->at].batch);
        if (r < 0)
            break;
        if (r == 0)
            continue;
        output_finish(out, &d->mark);
        d->is_inside = false;
        out->at++;
    }
    /* A receiver that is only slow, and a stop: the loop decides. */
    return r < 0 && r != ERR_TIMEOUT && r != ERR_CANCELED ? r : 0;
}

const struct output_ops output_dgram_ops = {
    .init = dgram_init,
    .release = dgram_release,
    .open = dgram_open,
    .write = dgram_write,
    .cancel = dgram_cancel,
    .close = dgram_close,
};
