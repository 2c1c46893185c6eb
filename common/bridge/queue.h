/* SPDX-License-Identifier: MIT */
/* queue.h - batches in order, in bounded memory, each held until everyone who wants it is done.
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

struct queue;
struct queue_cursor;

enum {
    QUEUE_CURSORS_MAX = 64,
    QUEUE_TAKE_MAX = 16, /* batches of one queue_take() */
    /* One batch always fits an empty queue, however large it is. */
    QUEUE_MEMORY_MIN = 4 * 1024 * 1024,
};

/* Called when batches of one producer have left the queue, so that a link can acknowledge and
 * grant credit: <tag> as given to queue_submit(), highest of a run; <bytes> their encoded
 * octets. Called without the queue's lock, in order, by the thread whose queue_done() finished
 * them; never two at once for one queue.
 */
typedef void queue_release_fn(void *producer, uint64_t tag, size_t bytes);

/* queue_new() - room for batches whose batch_cost() adds up to <memory_limit>. NULL: out of
 * memory. */
struct queue *queue_new(size_t memory_limit, queue_release_fn *release);
void queue_free(struct queue *q); /* cursors closed, threads gone */

/* queue_submit() - add <b> at the tail. The queue takes its own reference. <producer> and <tag>
 * are for the release call (producer NULL: none). <unwanted>: records that no output takes;
 * they count as dropped.
 *
 * queue_submit() waits for room. Returns 0 or ERR_CANCELED (nothing was taken).
 * queue_try_submit() does not. Returns 0, ERR_FULL, ERR_CANCELED. The caller then drops the
 * batch, and says so by queue_reject(), or tries again.
 */
int queue_submit(struct queue *q, struct batch *b, void *producer, uint64_t tag,
                 size_t unwanted);
int queue_try_submit(struct queue *q, struct batch *b, void *producer, uint64_t tag,
                     size_t unwanted);
void queue_reject(struct queue *q, size_t records);

/* queue_forget_producer() - no more release calls for <producer>; its batches stay. Returns
 * when a release call under way for it has ended.
 */
void queue_forget_producer(struct queue *q, void *producer);

struct queue_item {
    struct batch *batch; /* borrowed: held by the queue until this cursor is done with it */
    uint64_t seq;
};

/* queue_cursor_open() - a new consumer, at the oldest batch held (<from_oldest>) or behind the
 * newest. Returns NULL when memory or QUEUE_CURSORS_MAX is out.
 * queue_cursor_close() - it wants nothing any more: what only it held back leaves the queue.
 */
struct queue_cursor *queue_cursor_open(struct queue *q, bool from_oldest);
void queue_cursor_close(struct queue_cursor *c);

/* queue_cursor_expendable() - a consumer that is away must not hold back one that is here: when
 * the queue is full and another cursor is not expendable, an expendable one is moved to the
 * tail (queue_cursor_skipped() then tells how many batches it lost, once, and becomes 0).
 */
void queue_cursor_expendable(struct queue_cursor *c, bool expendable);
uint64_t queue_cursor_skipped(struct queue_cursor *c);

/* queue_take() - the next batches, at most <max> (<= QUEUE_TAKE_MAX) and, from the second on,
 * not beyond <bytes_max> encoded octets in all. Waits until there is one or <deadline_ms>. They
 * count as taken.
 *
 * Returns the count; ERR_TIMEOUT; ERR_CANCELED (queue_cancel() was called: may come back with a
 * later take).
 */
int queue_take(struct queue_cursor *c, struct queue_item *ret, int max, size_t bytes_max,
               uint64_t deadline_ms);

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
    uint64_t received; /* records: all that were submitted or rejected */
    uint64_t delivered;
    uint64_t dropped;
    uint64_t held;
    uint64_t held_batches;
    uint64_t held_bytes;
    uint64_t memory; /* batch_cost() of what is held */
    uint64_t memory_limit;
};
void queue_books(struct queue *q, struct queue_books *ret);
uint64_t queue_last_seq(struct queue *q);

/* queue_cursor_held() - records that this cursor still has before it. */
uint64_t queue_cursor_held(struct queue_cursor *c);

#endif
