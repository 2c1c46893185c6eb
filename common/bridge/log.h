/* SPDX-License-Identifier: MIT */
/* log.h - hvlog's own log: one line on stderr for each event that matters.
 *
 *     2026-11-30T22:17:03.123456+01:00 hvlog-agent: warning: link: no answer from ...
 *
 * Programs and the engine log; core and seam never do. A line says what happened, to whom, and
 * what happens next. Any thread; a line is written with one call and never torn. Octets that
 * could make a line look like two, or steer a terminal, are written as \xNN, so that no peer
 * can forge a line. errno is kept.
 */
#ifndef HVLOG_BRIDGE_LOG_H
#define HVLOG_BRIDGE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/printf_like.h"

enum log_level { LOG_ERROR = 0, LOG_WARN = 1, LOG_INFO = 2, LOG_DEBUG = 3 };

enum {
    LOG_TEXT_MAX = 2048, /* octets of a line's text before escaping; what is longer is cut */
    LOG_LINE_MAX = 4 * LOG_TEXT_MAX + 128, /* a whole line, LF and NUL included */
};

/* log_init() - once in main(). <program> is borrowed. log_set_level() may follow at any time;
 * until then the level is LOG_INFO.
 */
void log_init(const char *program);
void log_set_level(enum log_level level);
bool log_is_on(enum log_level level);

/* log_set_writer() - where whole lines go (with their LF; no NUL counted); NULL: stderr again.
 * For tests and services without a stderr. Before threads start, or when they are gone.
 */
typedef void log_write_fn(enum log_level level, const char *line, size_t length);
void log_set_writer(log_write_fn *write);

void log_line(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);
#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)

/* log_escape() - <text> with control octets, C1 controls and what is not UTF-8 as \xNN, at most
 * <size> octets with the NUL: what does not fit is left out whole. Pure. Returns <out>.
 */
char *log_escape(const char *text, char *out, size_t size);

/* A limit for a kind of line that an outsider can cause: a burst is let through, the rest is
 * counted and told with the next line ("... (and 312 more like it)"). One for each place that
 * logs such a line; zero-initialised static or in the owner's struct. Any thread.
 */
struct log_limit {
    _Atomic unsigned long long window_start_ms;
    _Atomic unsigned in_window;
    _Atomic unsigned suppressed;
};
enum { LOG_LIMIT_BURST = 10, LOG_LIMIT_WINDOW_MS = 10000 };
void log_limited(struct log_limit *limit, enum log_level level, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* log_limit_take() - may a line be written at <now_ms>? If so, <ret_suppressed> says how many
 * were not since the last one; they count as told. log_limited() with the time as an argument.
 */
bool log_limit_take(struct log_limit *limit, uint64_t now_ms, unsigned *ret_suppressed);

#endif
