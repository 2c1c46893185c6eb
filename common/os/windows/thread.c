/* SPDX-License-Identifier: MIT */
/* windows/thread.c - winpthreads, with conditions that wait for the monotonic clock. */
#include "common/os/thread.h"

#include "common/os/windows/win.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/os/clock.h"

enum { THREAD_NAME_MAX = 15, MS_PER_S = 1000, NS_PER_MS = 1000000 };

/* Wrong use of a lock is a bug in the program; going on would hide it. */
static void must(int r)
{
    if (r != 0)
        abort();
}

void os_mutex_init(struct os_mutex *m)
{
    pthread_mutexattr_t attr;

    must(pthread_mutexattr_init(&attr));
    must(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK));
    must(pthread_mutex_init(&m->m, &attr));
    pthread_mutexattr_destroy(&attr);
}

void os_mutex_release(struct os_mutex *m)
{
    must(pthread_mutex_destroy(&m->m));
}

void os_mutex_lock(struct os_mutex *m)
{
    must(pthread_mutex_lock(&m->m));
}

void os_mutex_unlock(struct os_mutex *m)
{
    must(pthread_mutex_unlock(&m->m));
}

void os_cond_init(struct os_cond *c)
{
    must(pthread_cond_init(&c->c, NULL));
}

void os_cond_release(struct os_cond *c)
{
    must(pthread_cond_destroy(&c->c));
}

void os_cond_signal(struct os_cond *c)
{
    must(pthread_cond_signal(&c->c));
}

void os_cond_broadcast(struct os_cond *c)
{
    must(pthread_cond_broadcast(&c->c));
}

void os_cond_wait(struct os_cond *c, struct os_mutex *m)
{
    must(pthread_cond_wait(&c->c, &m->m));
}

bool os_cond_wait_until(struct os_cond *c, struct os_mutex *m, uint64_t deadline_ms)
{
    if (deadline_ms == OS_NEVER) {
        os_cond_wait(c, m);
        return true;
    }
    for (;;) {
        DWORD wait_ms = win_wait_ms(deadline_ms, WIN_WAIT_SLICE_MS);
        if (wait_ms == 0)
            return false;
        /* Relative, since winpthreads knows absolute times on the wall clock only, which may be
         * set.
         */
        struct timespec t = {.tv_sec = (time_t)(wait_ms / MS_PER_S),
                             .tv_nsec = (long)(wait_ms % MS_PER_S) * NS_PER_MS};
        int r = pthread_cond_timedwait_relative_np(&c->c, &m->m, &t);
        if (r == 0)
            return true;
        if (r != ETIMEDOUT)
            abort();
    }
}

int os_thread_start(struct os_thread *ret, const char *name, void *(*run)(void *), void *arg)
{
    pthread_t t;
    int r = pthread_create(&t, NULL, run, arg);

    if (r != 0) {
        win_fail(ERROR_NO_SYSTEM_RESOURCES);
        return ERR_NO_MEMORY;
    }
    char shown[THREAD_NAME_MAX + 1];
    snprintf(shown, sizeof shown, "%s", name);
    pthread_setname_np(t, shown);
    ret->t = t;
    return 0;
}

void os_thread_join(struct os_thread *t)
{
    must(pthread_join(t->t, NULL));
}
