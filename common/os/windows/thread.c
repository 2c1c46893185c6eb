/* SPDX-License-Identifier: MIT */
/* windows/thread.c - conditions that wait for the monotonic clock. */
#include "common/os/thread.h"

#include "common/os/windows/win.h"

#include <errno.h>
#include <stdlib.h>

#include "common/os/clock.h"
#include "common/os/thread_private.h"

enum { MS_PER_S = 1000, NS_PER_MS = 1000000 };

void os_cond_init(struct os_cond *c)
{
    thread_must(pthread_cond_init(&c->c, NULL));
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
    thread_keep(ret, t, name);
    return 0;
}
