/* SPDX-License-Identifier: MIT */
/* queue.h - batches in order, in bounded memory and then on disk, each held until everyone who
 * wants it is done.
 *
 * There are two queues in a program: one from the inputs to the link, one from the link to the
 * outputs. Producers submit batches, which get consecutive numbers (seq, from 1). Consumers
 * (link peers; outputs) read with a cursor of their own, at their own pace, and say up to which
 * seq they are done. The batch at the head leaves when all cursors are past it. While there is
 * no cursor at all, batches wait.
 *
 *     head                                                        tail
 *      | done by all ... |  taken, not done  |   not yet taken     |
 *                        ^ cursor.done       ^ cursor.next
 *
 * Memory and disk. With a spool the oldest batches may lie on disk, the newest in memory, some
 * in both: all below disk_end are on disk, all from memory_start on in memory, and memory_start
 * is never above disk_end. QUEUE_OVERFLOW writes the oldest batches of the memory to disk when
 * it is full, and forgets them there; QUEUE_ALWAYS writes each batch before anybody can take
 * it, and keeps it in memory too while there is room, so that it need not be read again. Who
 * submits does the writing; who takes reads. A disk that fails makes the memory all there is,
 * until it works again.
 *
 *      head           memory_start        disk_end              tail
 *       |  on disk only   |  in both         |  in memory only    |
 *
 * This is also where the books are kept: records received = delivered + dropped + held, at
 * every instant (queue_books).
 *
 * Threads: any function from any thread; one lock, taken once for each call, never for each
 * record. A cursor is used by one thread, except that anyone may call queue_cancel().
 *
 * Wake-ups: a consumer that finds nothing sleeps on the condition <filled>, a producer that
 * finds no room on <emptied>; both conditions are changed and signalled under the lock, and
 * both sides look again under it before they sleep, so no wake-up can be missed.
 */
#ifndef HVLOG_BRIDGE_QUEUE_H
#define HVLOG_BRIDGE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/batch.h"
#include "common/core/batch_name.h"
#include "spool.h"

struct queue;
struct queue_cursor;

enum {
    QUEUE_CURSORS_MAX = 64,
    QUEUE_TAKE_MAX = 16, /* batches of one queue_take() */
    /* One batch always fits an empty queue, however large it is. */
    QUEUE_MEMORY_MIN = 4 * 1024 * 1024,
};

/* Called when batches of one producer are finished here, so that a link can acknowledge and
 * grant credit: they have left the queue, or they lie on its disk. <seq> is that of the name
 * given to queue_submit(), highest of a run; <bytes> their encoded octets. Called without the
 * queue's lock, in order, by the thread that finished or spooled them; never two at once for
 * one queue.
 */
typedef void queue_release_fn(void *producer, uint64_t seq, size_t bytes);

enum queue_spooling { QUEUE_OFF = 0, QUEUE_OVERFLOW = 1, QUEUE_ALWAYS = 2 };

struct queue_options {
    size_t memory_limit; /* batch_cost() of what is in memory; no more gets in */
    size_t spill_limit;  /* above it the oldest go to disk; at most memory_limit */
    enum queue_spooling spooling;
    struct spool *spool;       /* borrowed; NULL with QUEUE_OFF */
    struct spool_index *index; /* what spool_open() filled; moved into the queue */
    struct spool_recovery recovered;
    queue_release_fn *release; /* NULL: nobody is told */
};

/* queue_new() - with what the spool had; that counts as received, and what was lost there as
 * received and dropped. NULL: out of memory.
 */
struct queue *queue_new(const struct queue_options *options);
void queue_free(struct queue *q); /* cursors closed, threads gone */

/* Where a batch came from, if it was not made here. */
struct queue_origin {
    void *producer;         /* for the release call */
    struct batch_name name; /* as its sender calls it */
};

/* queue_submit() - add <b> at the tail. The queue takes its own reference. <from> is copied;
 * NULL: it was made here. <unwanted>: records that no output takes; they count as dropped.
 *
 * queue_submit() waits for room; those who wait get it in the order in which they came, so that
 * none starves. Returns 0 or ERR_CANCELED (nothing was taken).
 * queue_try_submit() does not wait for room, though it may for a disk. Returns 0, ERR_FULL,
 * ERR_CANCELED. The caller then drops the batch, and says so by queue_reject(), or tries again.
 *
 * A number is in the spool's ledger, and with QUEUE_ALWAYS the batch in its segments (unless
 * the disk fails), before anybody can take the batch, and before these return.
 */
int queue_submit(struct queue *q, struct batch *b, const struct queue_origin *from,
                 size_t unwanted);
int queue_try_submit(struct queue *q, struct batch *b, const struct queue_origin *from,
                     size_t unwanted);
void queue_reject(struct queue *q, size_t records);

/* queue_save() - at a stop: what is in memory only goes to disk. Nobody submits or takes any
 * more. Returns how many records could not be saved (all held, without a spool).
 */
uint64_t queue_save(struct queue *q);

/* queue_set_limits() - for a reload; as in queue_options. Those who wait look again. */
void queue_set_limits(struct queue *q, size_t memory_limit, size_t spill_limit,
                      enum queue_spooling spooling);

/* queue_forget_producer() - no more release calls for <producer>; its batches stay. Returns
 * when a release call under way for it has ended.
 */
void queue_forget_producer(struct queue *q, void *producer);

struct queue_item {
    struct batch *batch; /* a reference of the taker's own: batch_unref() */
    uint64_t seq;
    struct batch_name name; /* .stream all zero, .seq = seq: made here */
};

/* queue_cursor_open() - a new consumer, at the oldest batch held (<from_oldest>) or behind the
 * newest. Returns NULL when memory or QUEUE_CURSORS_MAX is out.
 * queue_cursor_succeed() - one that begins where <c> is done, so that the successor of an
 * output gets what that did not finish.
 * queue_cursor_close() - it wants nothing any more: what only it held back leaves the queue.
 */
struct queue_cursor *queue_cursor_open(struct queue *q, bool from_oldest);
struct queue_cursor *queue_cursor_succeed(struct queue_cursor *c);
void queue_cursor_close(struct queue_cursor *c);

/* queue_cursor_expendable() - a consumer that is away must not hold back one that is here: when
 * the queue is full and another cursor is not expendable, an expendable one is moved to the
 * tail (queue_cursor_skipped() then tells how many batches it lost, once, and becomes 0).
 */
void queue_cursor_expendable(struct queue_cursor *c, bool expendable);
uint64_t queue_cursor_skipped(struct queue_cursor *c);

/* queue_take() - the next batches, at most <max> (<= QUEUE_TAKE_MAX) and, from the second on,
 * not beyond <bytes_max> encoded octets in all. Waits until there is one or <deadline_ms>, and
 * for the disk, if they lie there. They count as taken. Numbers may be left out: those batches
 * were lost.
 *
 * Returns the count; ERR_TIMEOUT; ERR_CANCELED (queue_cancel() was called: may come back with a
 * later take).
 */
int queue_take(struct queue_cursor *c, struct queue_item *ret, int max, size_t bytes_max,
               uint64_t deadline_ms);

/* queue_give_back() - the references of <count> items. They need not be done. */
void queue_give_back(const struct queue_item *items, int count);

/* queue_done() - finished with all batches up to <seq> (those of them that were taken).
 * <dropped> of their records were given up by this consumer for good.
 */
void queue_done(struct queue_cursor *c, uint64_t seq, size_t dropped);

/* queue_resume() - a far side says that it has finished all up to <seq>, taken or not: they are
 * done, and the next take begins behind them. <seq> is at most queue_last_seq().
 * queue_rewind() - the next take begins behind <seq> again, but not before what is done.
 */
void queue_resume(struct queue_cursor *c, uint64_t seq);
void queue_rewind(struct queue_cursor *c, uint64_t seq);

/* queue_cancel() - end this cursor's wait under way, or its next one, with ERR_CANCELED; once.
 */
void queue_cancel(struct queue_cursor *c);

/* queue_close() - nobody waits for room any more: who would have to gets ERR_CANCELED.
 * Consumers go on. */
void queue_close(struct queue *q);

/* queue_wait_drained() - wait until nothing is held or <deadline_ms>. Returns whether it is
 * empty. */
bool queue_wait_drained(struct queue *q, uint64_t deadline_ms);

struct queue_books {
    uint64_t received; /* records: all that were submitted, rejected, recovered or lost */
    uint64_t delivered;
    uint64_t dropped;   /* those lost included */
    uint64_t held;      /* in memory or on disk */
    uint64_t recovered; /* of those received: found in the spool at the start */
    uint64_t lost;      /* of those dropped: missing in the spool at the start */
    uint64_t memory_records, memory_batches, memory_bytes; /* bytes: encoded */
    uint64_t memory; /* batch_cost() of what is in memory */
    uint64_t memory_limit;
    uint64_t disk_records, disk_batches; /* some may be in memory as well */
};
void queue_books(struct queue *q, struct queue_books *ret);
uint64_t queue_last_seq(struct queue *q);

/* queue_cursor_held() - records that this cursor still has before it. */
uint64_t queue_cursor_held(struct queue_cursor *c);

#endif
