/* SPDX-License-Identifier: MIT */
/* os/thread.h - threads, locks, and waiting with a deadline.
 *
 * A thin layer over pthreads (on Windows winpthreads, linked in): what it adds is a condition
 * that waits for a monotonic deadline (os/clock.h) on both systems, and threads that never take
 * a signal. Locking, unlocking and signalling cannot fail when used rightly; wrong use aborts.
 */
#ifndef HVLOG_OS_THREAD_H
#define HVLOG_OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct os_mutex {
    pthread_mutex_t m;
};

struct os_cond {
    pthread_cond_t c;
};

struct os_thread {
    pthread_t t;
};

void os_mutex_init(struct os_mutex *m);
void os_mutex_release(struct os_mutex *m);
void os_mutex_lock(struct os_mutex *m);
void os_mutex_unlock(struct os_mutex *m);

void os_cond_init(struct os_cond *c);
void os_cond_release(struct os_cond *c);
void os_cond_signal(struct os_cond *c);
void os_cond_broadcast(struct os_cond *c);

/* os_cond_wait_until() - wait for a signal or for the monotonic time <deadline_ms>
 * (OS_NEVER: no limit). May return early for no reason, as every condition may: loop.
 *
 * Returns false when the deadline has passed.
 */
#define OS_NEVER UINT64_MAX
void os_cond_wait(struct os_cond *c, struct os_mutex *m);
bool os_cond_wait_until(struct os_cond *c, struct os_mutex *m, uint64_t deadline_ms);

/* os_thread_start() - run <run>(<arg>) in a thread named <name> (at most 15 octets show). The
 * new thread takes no signals: they stay with the thread that called os_stop_init().
 *
 * Returns 0, or ERR_NO_MEMORY when the system has no thread left.
 */
int os_thread_start(struct os_thread *ret, const char *name, void *(*run)(void *), void *arg);

/* os_thread_join() - wait until the thread's function has returned. Blocks. */
void os_thread_join(struct os_thread *t);

#endif
