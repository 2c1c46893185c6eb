/* SPDX-License-Identifier: MIT */
/* log.h - hvlog's own log: one line on stderr for each event that matters.
 *
 *     2026-11-30T22:17:03.123456+01:00 hvlog-agent: warning: link: no answer from vsock:2:5140 ...
 *
 * Programs and the engine log; core and seam never do. A line says what happened, to whom, and what
 * happens next. Any thread; a line is written with one call and never torn.
 */
#ifndef HVLOG_BRIDGE_LOG_H
#define HVLOG_BRIDGE_LOG_H

enum log_level { LOG_ERROR = 0, LOG_WARN = 1, LOG_INFO = 2, LOG_DEBUG = 3 };

/* log_init() - once in main(). <program> is borrowed. log_set_level() may follow at any time. */
void log_init(const char *program);
void log_set_level(enum log_level level);

#if defined(__GNUC__)
#define LOG_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define LOG_PRINTF(a, b)
#endif

void log_line(enum log_level level, const char *format, ...) LOG_PRINTF(2, 3);
#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)

/* A limit for a kind of line that an outsider can cause: a burst is let through, the rest is counted
 * and told with the next line ("... (and 312 more like it)"). One for each place that logs such a
 * line; zero-initialised static or in the owner's struct. Any thread.
 */
struct log_limit {
    _Atomic unsigned long long window_start_ms;
    _Atomic unsigned in_window;
    _Atomic unsigned suppressed;
};
enum { LOG_LIMIT_BURST = 10, LOG_LIMIT_WINDOW_MS = 10000 };
void log_limited(struct log_limit *limit, enum log_level level, const char *format, ...)
    LOG_PRINTF(3, 4);

#endif
