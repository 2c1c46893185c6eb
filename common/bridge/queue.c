/* SPDX-License-Identifier: MIT */
/* queue.c - batches in order, in bounded memory, each held until everyone who wants it is done.
 */
#include "queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/os/thread.h"

struct entry {
    struct batch *batch;
    struct queue_origin from;
    uint64_t records_before; /* in the queue's whole life */
    uint32_t records;
    uint32_t unwanted; /* no output takes them */
    uint32_t dropped;  /* given up: the most that any one cursor gave up */
};

struct queue_cursor {
    struct queue *queue;
    uint64_t done; /* finished up to this seq */
    uint64_t next; /* the seq that the next take begins with */
    uint64_t skipped;
    bool is_expendable;
    bool is_canceled;
};

/* What is to be told to a producer, in the order in which it left the queue. */
struct release {
    void *producer; /* NULL: forgotten meanwhile */
    uint64_t seq;
    size_t bytes;
};

struct queue {
    struct os_mutex lock;
    struct os_cond filled;
    struct os_cond emptied;
    queue_release_fn *release;

    /* A ring: the entry of seq stands at seq & (capacity - 1), for head <= seq < tail. */
    struct entry *ring;
    size_t capacity;
    uint64_t head;
    uint64_t tail;

    struct queue_cursor *cursors[QUEUE_CURSORS_MAX];
    size_t cursor_count;

    struct release *releases;
    size_t release_count;
    size_t release_capacity;
    bool is_releasing;
    void *releasing_producer;

    bool is_closed;
    struct queue_books books;
    uint64_t submitted_records;
};

enum { RING_CAPACITY_MIN = 64 };

struct queue *queue_new(const struct queue_options *options)
{
    struct queue *q = calloc(1, sizeof(*q));

    if (!q)
        return NULL;
    q->capacity = RING_CAPACITY_MIN;
    q->ring = calloc(q->capacity, sizeof(*q->ring));
    if (!q->ring) {
        free(q);
        return NULL;
    }
    os_mutex_init(&q->lock);
    os_cond_init(&q->filled);
    os_cond_init(&q->emptied);
    q->release = options->release;
    q->head = q->tail = 1;
    q->books.memory_limit =
        options->memory_limit < QUEUE_MEMORY_MIN ? QUEUE_MEMORY_MIN : options->memory_limit;
    return q;
}

static struct entry *entry_at(struct queue *q, uint64_t seq)
{
    assert(seq >= q->head && seq < q->tail);
    return &q->ring[seq & (q->capacity - 1)];
}

void queue_free(struct queue *q)
{
    if (!q)
        return;
    assert(q->cursor_count == 0 && !q->is_releasing);
    for (uint64_t seq = q->head; seq < q->tail; seq++)
        batch_unref(entry_at(q, seq)->batch);
    os_cond_release(&q->filled);
    os_cond_release(&q->emptied);
    os_mutex_release(&q->lock);
    free(q->releases);
    free(q->ring);
    free(q);
}

/* ---- the books --------------------------------------------------------------------------- */

static void book_in(struct queue *q, const struct entry *e)
{
    q->books.received += e->records;
    q->books.held += e->records;
    q->books.memory_records += e->records;
    q->books.memory_batches++;
    q->books.memory_bytes += batch_bytes(e->batch);
    q->books.memory += batch_cost(e->batch);
    q->submitted_records += e->records;
}

static void book_out(struct queue *q, const struct entry *e)
{
    uint32_t dropped = e->unwanted + e->dropped;

    if (dropped > e->records)
        dropped = e->records;
    q->books.delivered += e->records - dropped;
    q->books.dropped += dropped;
    q->books.held -= e->records;
    q->books.memory_records -= e->records;
    q->books.memory_batches--;
    q->books.memory_bytes -= batch_bytes(e->batch);
    q->books.memory -= batch_cost(e->batch);
}

void queue_books(struct queue *q, struct queue_books *ret)
{
    os_mutex_lock(&q->lock);
    *ret = q->books;
    os_mutex_unlock(&q->lock);
}

void queue_reject(struct queue *q, size_t records)
{
    os_mutex_lock(&q->lock);
    q->books.received += records;
    q->books.dropped += records;
    os_mutex_unlock(&q->lock);
}

uint64_t queue_last_seq(struct queue *q)
{
    os_mutex_lock(&q->lock);
    uint64_t seq = q->tail - 1;
    os_mutex_unlock(&q->lock);
    return seq;
}

/* ---- leaving the queue ------------------------------------------------------------------- */

/* The release list grows before anything is taken off, so that nothing is lost when memory is
 * out: such a batch simply stays for the next time. */
static bool reserve_release(struct queue *q)
{
    if (q->release_count < q->release_capacity)
        return true;
    size_t capacity = q->release_capacity ? q->release_capacity * 2 : RING_CAPACITY_MIN;
    struct release *grown = realloc(q->releases, capacity * sizeof(*grown));
    if (!grown)
        return false;
    q->releases = grown;
    q->release_capacity = capacity;
    return true;
}

static void note_release(struct queue *q, const struct entry *e)
{
    struct release *last = q->release_count ? &q->releases[q->release_count - 1] : NULL;

    if (last && last->producer == e->from.producer) {
        last->seq = e->from.name.seq;
        last->bytes += batch_bytes(e->batch);
        return;
    }
    q->releases[q->release_count++] = (struct release){
        .producer = e->from.producer,
        .seq = e->from.name.seq,
        .bytes = batch_bytes(e->batch),
    };
}

/* The highest seq that every cursor is done with; nothing leaves while there is no cursor. */
static uint64_t lowest_done(const struct queue *q)
{
    uint64_t lowest = q->cursor_count ? UINT64_MAX : 0;

    for (size_t i = 0; i < q->cursor_count; i++)
        if (q->cursors[i]->done < lowest)
            lowest = q->cursors[i]->done;
    return lowest;
}

static void remove_finished(struct queue *q)
{
    uint64_t limit = lowest_done(q);
    uint64_t head = q->head;

    while (q->head < q->tail && q->head <= limit) {
        struct entry *e = entry_at(q, q->head);
        if (e->from.producer && q->release) {
            if (!reserve_release(q))
                break;
            note_release(q, e);
        }
        book_out(q, e);
        batch_unref(e->batch);
        q->head++;
    }
    if (q->head != head)
        os_cond_broadcast(&q->emptied);
}

/* Tell producers, without the lock. One thread at a time does this for all, so the order holds;
 * whoever finishes batches meanwhile leaves them on the list for it. */
static void run_releases(struct queue *q)
{
    if (q->is_releasing || q->release_count == 0)
        return;
    q->is_releasing = true;
    while (q->release_count) {
        struct release first = q->releases[0];
        q->release_count--;
        memmove(q->releases, q->releases + 1, q->release_count * sizeof(first));
        q->releasing_producer = first.producer;
        os_mutex_unlock(&q->lock);
        if (first.producer)
            q->release(first.producer, first.seq, first.bytes);
        os_mutex_lock(&q->lock);
        q->releasing_producer = NULL;
        os_cond_broadcast(&q->emptied);
    }
    q->is_releasing = false;
    os_cond_broadcast(&q->emptied);
}

void queue_forget_producer(struct queue *q, void *producer)
{
    os_mutex_lock(&q->lock);
    for (uint64_t seq = q->head; seq < q->tail; seq++)
        if (entry_at(q, seq)->from.producer == producer)
            entry_at(q, seq)->from.producer = NULL;
    for (size_t i = 0; i < q->release_count; i++)
        if (q->releases[i].producer == producer)
            q->releases[i].producer = NULL;
    while (q->releasing_producer == producer)
        os_cond_wait(&q->emptied, &q->lock);
    os_mutex_unlock(&q->lock);
}

/* ---- producers --------------------------------------------------------------------------- */

static bool has_room(const struct queue *q, const struct batch *b)
{
    return q->head == q->tail || q->books.memory + batch_cost(b) <= q->books.memory_limit;
}

/* Room at the cost of consumers that are away, if somebody else is here to take the batches. */
static void skip_expendable(struct queue *q)
{
    bool somebody = false;

    for (size_t i = 0; i < q->cursor_count; i++)
        somebody |= !q->cursors[i]->is_expendable;
    for (size_t i = 0; somebody && i < q->cursor_count; i++) {
        struct queue_cursor *c = q->cursors[i];
        if (!c->is_expendable)
            continue;
        c->skipped += q->tail - 1 - c->done;
        c->done = q->tail - 1;
        c->next = q->tail;
    }
    remove_finished(q);
}

static int reserve_entry(struct queue *q)
{
    if (q->tail - q->head < q->capacity)
        return 0;
    size_t capacity = q->capacity * 2;
    struct entry *grown = calloc(capacity, sizeof(*grown));
    if (!grown)
        return ERR_NO_MEMORY;
    for (uint64_t seq = q->head; seq < q->tail; seq++)
        grown[seq & (capacity - 1)] = *entry_at(q, seq);
    free(q->ring);
    q->ring = grown;
    q->capacity = capacity;
    return 0;
}

static int submit_locked(struct queue *q, struct batch *b, const struct queue_origin *from,
                         size_t unwanted)
{
    if (!has_room(q, b))
        skip_expendable(q);
    if (!has_room(q, b) || reserve_entry(q) < 0)
        return q->is_closed ? ERR_CANCELED : ERR_FULL;
    q->tail++;
    struct entry *e = entry_at(q, q->tail - 1);
    *e = (struct entry){
        .batch = batch_ref(b),
        .from = from ? *from : (struct queue_origin){.name = {.seq = q->tail - 1}},
        .records_before = q->submitted_records,
        .records = (uint32_t)batch_records(b),
        .unwanted = (uint32_t)unwanted,
    };
    book_in(q, e);
    os_cond_broadcast(&q->filled);
    return 0;
}

int queue_try_submit(struct queue *q, struct batch *b, const struct queue_origin *from,
                     size_t unwanted)
{
    os_mutex_lock(&q->lock);
    int r = submit_locked(q, b, from, unwanted);
    run_releases(q);
    os_mutex_unlock(&q->lock);
    return r;
}

int queue_submit(struct queue *q, struct batch *b, const struct queue_origin *from,
                 size_t unwanted)
{
    int r;

    os_mutex_lock(&q->lock);
    while ((r = submit_locked(q, b, from, unwanted)) == ERR_FULL) {
        /* What was taken off to make room is told before we sleep. That gives the lock up, so
         * we look again. */
        if (q->release_count > 0 && !q->is_releasing)
            run_releases(q);
        else
            os_cond_wait(&q->emptied, &q->lock);
    }
    run_releases(q);
    os_mutex_unlock(&q->lock);
    return r;
}

void queue_close(struct queue *q)
{
    os_mutex_lock(&q->lock);
    q->is_closed = true;
    os_cond_broadcast(&q->emptied);
    os_mutex_unlock(&q->lock);
}

uint64_t queue_save(struct queue *q)
{
    struct queue_books books;

    queue_books(q, &books);
    return books.held;
}

void queue_set_limits(struct queue *q, size_t memory_limit, size_t spill_limit,
                      enum queue_spooling spooling)
{
    (void)spill_limit;
    (void)spooling;
    os_mutex_lock(&q->lock);
    q->books.memory_limit = memory_limit < QUEUE_MEMORY_MIN ? QUEUE_MEMORY_MIN : memory_limit;
    os_cond_broadcast(&q->emptied);
    os_mutex_unlock(&q->lock);
}

bool queue_wait_drained(struct queue *q, uint64_t deadline_ms)
{
    bool in_time = true;

    os_mutex_lock(&q->lock);
    while ((q->head < q->tail || q->is_releasing) && in_time)
        in_time = os_cond_wait_until(&q->emptied, &q->lock, deadline_ms);
    bool is_empty = q->head == q->tail;
    os_mutex_unlock(&q->lock);
    return is_empty;
}

/* ---- consumers --------------------------------------------------------------------------- */

struct queue_cursor *queue_cursor_open(struct queue *q, bool from_oldest)
{
    struct queue_cursor *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    os_mutex_lock(&q->lock);
    if (q->cursor_count == QUEUE_CURSORS_MAX) {
        os_mutex_unlock(&q->lock);
        free(c);
        return NULL;
    }
    c->queue = q;
    c->next = from_oldest ? q->head : q->tail;
    c->done = c->next - 1;
    q->cursors[q->cursor_count++] = c;
    os_mutex_unlock(&q->lock);
    return c;
}

struct queue_cursor *queue_cursor_succeed(struct queue_cursor *c)
{
    struct queue_cursor *next = queue_cursor_open(c->queue, true);

    if (!next)
        return NULL;
    os_mutex_lock(&c->queue->lock);
    next->done = c->done;
    next->next = c->done + 1;
    os_mutex_unlock(&c->queue->lock);
    return next;
}

void queue_cursor_close(struct queue_cursor *c)
{
    if (!c)
        return;
    struct queue *q = c->queue;
    os_mutex_lock(&q->lock);
    for (size_t i = 0; i < q->cursor_count; i++)
        if (q->cursors[i] == c)
            q->cursors[i] = q->cursors[--q->cursor_count];
    remove_finished(q);
    run_releases(q);
    os_mutex_unlock(&q->lock);
    free(c);
}

void queue_cursor_expendable(struct queue_cursor *c, bool expendable)
{
    os_mutex_lock(&c->queue->lock);
    c->is_expendable = expendable;
    os_cond_broadcast(&c->queue->emptied); /* who waits for room may take it from one now */
    os_mutex_unlock(&c->queue->lock);
}

uint64_t queue_cursor_skipped(struct queue_cursor *c)
{
    os_mutex_lock(&c->queue->lock);
    uint64_t skipped = c->skipped;
    c->skipped = 0;
    os_mutex_unlock(&c->queue->lock);
    return skipped;
}

/* Wait until the cursor has something to take. Returns 0, ERR_TIMEOUT or ERR_CANCELED. */
static int wait_filled(struct queue_cursor *c, uint64_t deadline_ms)
{
    struct queue *q = c->queue;
    bool in_time = true;

    while (c->next == q->tail && !c->is_canceled && in_time)
        in_time = os_cond_wait_until(&q->filled, &q->lock, deadline_ms);
    if (c->is_canceled) {
        c->is_canceled = false;
        return ERR_CANCELED;
    }
    return c->next == q->tail ? ERR_TIMEOUT : 0;
}

int queue_take(struct queue_cursor *c, struct queue_item *ret, int max, size_t bytes_max,
               uint64_t deadline_ms)
{
    struct queue *q = c->queue;
    size_t bytes = 0;
    int count = 0;

    os_mutex_lock(&q->lock);
    int r = wait_filled(c, deadline_ms);
    while (r == 0 && count < max && c->next < q->tail) {
        struct entry *e = entry_at(q, c->next);
        bytes += batch_bytes(e->batch);
        if (count > 0 && bytes > bytes_max)
            break;
        ret[count++] = (struct queue_item){
            .batch = batch_ref(e->batch), .seq = c->next++, .name = e->from.name};
    }
    os_mutex_unlock(&q->lock);
    return r < 0 ? r : count;
}

void queue_give_back(const struct queue_item *items, int count)
{
    for (int i = 0; i < count; i++)
        batch_unref(items[i].batch);
}

/* Lay <dropped> records on the batches that this cursor is just done with, the last ones first.
 * An entry counts the most that anyone gave up of it. */
static void lay_dropped(struct queue *q, uint64_t from, uint64_t to, size_t dropped)
{
    for (uint64_t seq = to; dropped > 0 && seq >= from; seq--) {
        struct entry *e = entry_at(q, seq);
        uint32_t n = dropped < e->records ? (uint32_t)dropped : e->records;
        if (e->dropped < n)
            e->dropped = n;
        dropped -= n;
    }
}

void queue_done(struct queue_cursor *c, uint64_t seq, size_t dropped)
{
    struct queue *q = c->queue;

    os_mutex_lock(&q->lock);
    if (seq >= c->next)
        seq = c->next - 1;
    if (seq > c->done) {
        lay_dropped(q, c->done + 1, seq, dropped);
        c->done = seq;
        remove_finished(q);
        run_releases(q);
    }
    os_mutex_unlock(&q->lock);
}

void queue_resume(struct queue_cursor *c, uint64_t seq)
{
    struct queue *q = c->queue;

    os_mutex_lock(&q->lock);
    if (seq > c->done && seq < q->tail)
        c->done = seq;
    c->next = c->done + 1;
    remove_finished(q);
    run_releases(q);
    os_mutex_unlock(&q->lock);
}

void queue_rewind(struct queue_cursor *c, uint64_t seq)
{
    os_mutex_lock(&c->queue->lock);
    uint64_t next = (seq > c->done ? seq : c->done) + 1;
    if (next < c->next)
        c->next = next;
    os_mutex_unlock(&c->queue->lock);
}

void queue_cancel(struct queue_cursor *c)
{
    os_mutex_lock(&c->queue->lock);
    c->is_canceled = true;
    os_cond_broadcast(&c->queue->filled);
    os_mutex_unlock(&c->queue->lock);
}

uint64_t queue_cursor_held(struct queue_cursor *c)
{
    struct queue *q = c->queue;

    os_mutex_lock(&q->lock);
    uint64_t first = c->done + 1;
    uint64_t before =
        first < q->tail ? entry_at(q, first)->records_before : q->submitted_records;
    uint64_t held = q->submitted_records - before;
    os_mutex_unlock(&q->lock);
    return held;
}
