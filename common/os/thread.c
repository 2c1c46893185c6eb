/* SPDX-License-Identifier: MIT */
/* thread.c - what pthreads and winpthreads do alike. */
#include "thread.h"

#include <stdio.h>
#include <stdlib.h>

#include "thread_private.h"

enum { THREAD_NAME_MAX = 15 };

void thread_must(int r)
{
    if (r != 0)
        abort();
}

void os_mutex_init(struct os_mutex *m)
{
    pthread_mutexattr_t attr;

    thread_must(pthread_mutexattr_init(&attr));
    thread_must(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK));
    thread_must(pthread_mutex_init(&m->m, &attr));
    pthread_mutexattr_destroy(&attr);
}

void os_mutex_release(struct os_mutex *m)
{
    thread_must(pthread_mutex_destroy(&m->m));
}

void os_mutex_lock(struct os_mutex *m)
{
    thread_must(pthread_mutex_lock(&m->m));
}

void os_mutex_unlock(struct os_mutex *m)
{
    thread_must(pthread_mutex_unlock(&m->m));
}

void os_cond_release(struct os_cond *c)
{
    thread_must(pthread_cond_destroy(&c->c));
}

void os_cond_signal(struct os_cond *c)
{
    thread_must(pthread_cond_signal(&c->c));
}

void os_cond_broadcast(struct os_cond *c)
{
    thread_must(pthread_cond_broadcast(&c->c));
}

void os_cond_wait(struct os_cond *c, struct os_mutex *m)
{
    thread_must(pthread_cond_wait(&c->c, &m->m));
}

void os_thread_join(struct os_thread *t)
{
    thread_must(pthread_join(t->t, NULL));
}

void thread_keep(struct os_thread *ret, pthread_t t, const char *name)
{
    char shown[THREAD_NAME_MAX + 1];

    snprintf(shown, sizeof shown, "%s", name);
    pthread_setname_np(t, shown);
    ret->t = t;
}
