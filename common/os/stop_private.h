/* SPDX-License-Identifier: MIT */
/* stop_private.h - the events that were asked for, counted for the stop.c of each system, which
 * wakes the waiter. Any thread.
 */
#ifndef HVLOG_OS_STOP_PRIVATE_H
#define HVLOG_OS_STOP_PRIVATE_H

#include "stop.h"

/* stop_count() - <event> (not OS_STOP_NONE) was asked for once more.
 * stop_take() - take one event off the counts, a stop before a reopen; OS_STOP_NONE: none.
 */
void stop_count(enum os_stop_event event);
enum os_stop_event stop_take(void);

#endif
