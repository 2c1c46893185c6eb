/* SPDX-License-Identifier: MIT */
/* linux/thread.c - pthreads, with conditions on CLOCK_MONOTONIC. */
#include "common/os/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/core/err.h"
#include "common/os/linux/deadline.h"
#include "common/os/linux/error.h"

enum { THREAD_NAME_MAX = 15, NS_OF_SECOND = 1000000000, NS_OF_MS = 1000000 };

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
    pthread_condattr_t attr;

    must(pthread_condattr_init(&attr));
    must(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC));
    must(pthread_cond_init(&c->c, &attr));
    pthread_condattr_destroy(&attr);
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

static struct timespec monotonic_in(int timeout_ms)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += timeout_ms / 1000;
    t.tv_nsec += (long)(timeout_ms % 1000) * NS_OF_MS;
    if (t.tv_nsec >= NS_OF_SECOND) {
        t.tv_sec++;
        t.tv_nsec -= NS_OF_SECOND;
    }
    return t;
}

bool os_cond_wait_until(struct os_cond *c, struct os_mutex *m, uint64_t deadline_ms)
{
    for (;;) {
        int slice_ms = deadline_slice(deadline_ms);
        if (slice_ms < 0) {
            os_cond_wait(c, m);
            return true;
        }
        if (slice_ms == 0)
            return false;
        struct timespec until = monotonic_in(slice_ms);
        int r = pthread_cond_timedwait(&c->c, &m->m, &until);
        if (r == 0)
            return true;
        if (r != ETIMEDOUT)
            abort();
    }
}

/* Signals that the running code itself raises stay open: blocked, they end the program unseen
 * by any handler of a debugger or sanitizer. */
static void all_but_faults(sigset_t *set)
{
    sigfillset(set);
    sigdelset(set, SIGSEGV);
    sigdelset(set, SIGBUS);
    sigdelset(set, SIGFPE);
    sigdelset(set, SIGILL);
    sigdelset(set, SIGTRAP);
    sigdelset(set, SIGABRT);
}

int os_thread_start(struct os_thread *ret, const char *name, void *(*run)(void *), void *arg)
{
    sigset_t blocked, before;
    pthread_t t;

    all_but_faults(&blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int r = pthread_create(&t, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (r != 0)
        return error_keep(ERR_NO_MEMORY, r);

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
