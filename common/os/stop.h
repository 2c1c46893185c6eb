/* SPDX-License-Identifier: MIT */
/* os/stop.h - what the outside asks of the program: stop, or reopen files.
 *
 * Linux: SIGTERM and SIGINT stop, SIGHUP reopens. Windows: Ctrl-C, Ctrl-Break, console close,
 * log-off and shutdown stop. SIGPIPE asks for nothing: os_process_startup() (os/process.h)
 * turns it off. Call os_stop_init() in main() before any thread starts; then wait in that
 * thread.
 */
#ifndef HVLOG_OS_STOP_H
#define HVLOG_OS_STOP_H

#include <stdint.h>

enum os_stop_event {
    OS_STOP_NONE = 0,   /* the deadline passed */
    OS_STOP_STOP = 1,   /* end in order; a second one means at once */
    OS_STOP_REOPEN = 2, /* reopen files (later: reload) */
};

int os_stop_init(void); /* 0 or ERR_IO */

/* os_stop_wait() - wait for the next event until <deadline_ms>. Main thread only. */
enum os_stop_event os_stop_wait(uint64_t deadline_ms);

/* os_stop_request() - as if the outside had asked for <event>. Any thread. */
void os_stop_request(enum os_stop_event event);

/* os_stop_acknowledge() - the program has ended in order. On Windows the system kills a program
 * as soon as its console handler returns; the handler therefore waits for this.
 */
void os_stop_acknowledge(void);

#endif
