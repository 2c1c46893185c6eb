/* SPDX-License-Identifier: MIT */
/* thread_private.h - what thread.c does for the thread.c of each system. */
#ifndef HVLOG_OS_THREAD_PRIVATE_H
#define HVLOG_OS_THREAD_PRIVATE_H

#include "thread.h"

/* thread_must() - abort unless <r>, of a pthread call, is 0: wrong use of a lock is a bug in
 * the program, and going on would hide it.
 */
void thread_must(int r);

/* thread_keep() - <t>, just started, becomes <ret> and shows as <name>, cut to what fits. */
void thread_keep(struct os_thread *ret, pthread_t t, const char *name);

#endif
