/* SPDX-License-Identifier: MIT */
/* os/clock.h - time. Any thread; nothing here blocks or fails.
 *
 * Deadlines are made with the monotonic clock only: a wall clock that is set changes nothing in
 * how hvlog behaves. It counts while the machine sleeps where the system can say so (Linux
 * CLOCK_BOOTTIME, Windows GetTickCount64/QueryInterruptTime), so that a laptop that wakes finds
 * its heartbeats missed at once.
 */
#ifndef HVLOG_OS_CLOCK_H
#define HVLOG_OS_CLOCK_H

#include <stdint.h>

/* Monotonic, from an arbitrary start. */
uint64_t os_clock_ms(void);
uint64_t os_clock_us(void);

/* Wall clock, microseconds since 1970 UTC: for arrival times and log lines only. */
uint64_t os_clock_wall_us(void);

/* os_clock_local_text() - <wall_us> as "2026-11-30T22:17:03.123456+01:00" (RFC 3339, local
 * time). Writes at most <size> octets with the NUL. Returns <text>.
 */
enum { OS_CLOCK_TEXT_MAX = 40 };
char *os_clock_local_text(uint64_t wall_us, char *text, unsigned size);

#endif
