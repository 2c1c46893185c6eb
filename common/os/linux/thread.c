/* SPDX-License-Identifier: MIT */
/* linux/thread.c - conditions on CLOCK_MONOTONIC, threads that take no signal. */
#include "common/os/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "common/core/err.h"
#include "common/os/linux/deadline.h"
#include "common/os/linux/error.h"
#include "common/os/thread_private.h"

enum { NS_OF_SECOND = 1000000000, NS_OF_MS = 1000000 };

void os_cond_init(struct os_cond *c)
{
    pthread_condattr_t attr;

    thread_must(pthread_condattr_init(&attr));
    thread_must(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC));
    thread_must(pthread_cond_init(&c->c, &attr));
    pthread_condattr_destroy(&attr);
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

    thread_keep(ret, t, name);
    return 0;
}
