/* SPDX-License-Identifier: MIT */
/* log.c - hvlog's own log. */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "common/core/utf8.h"
#include "common/os/clock.h"
#include "common/os/process.h"

enum { WRITE_WAIT_MS = 100 }; /* for room in stderr; then the line is lost */

/* The one log of the program. */
static struct {
    const char *program;
    _Atomic int level;
    log_write_fn *write;
    atomic_uint lost; /* lines, since the last one that was written */
} the_log = {.program = "hvlog", .level = LOG_INFO, .write = NULL};

static const char *const level_names[] = {"error", "warning", "info", "debug"};

void log_init(const char *program)
{
    the_log.program = program;
}

void log_set_level(enum log_level level)
{
    atomic_store_explicit(&the_log.level, (int)level, memory_order_relaxed);
}

bool log_is_on(enum log_level level)
{
    return (int)level <= atomic_load_explicit(&the_log.level, memory_order_relaxed);
}

void log_set_writer(log_write_fn *write)
{
    the_log.write = write;
}

char *log_escape(const char *text, char *out, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *p = (const uint8_t *)text;
    const uint8_t *end = p + strlen(text);
    size_t used = 0;
    while (p < end) {
        size_t length = utf8_clean_length(p, (size_t)(end - p));
        char escaped[4] = {'\\', 'x', digits[*p >> 4], digits[*p & 15]};
        size_t needed = length > 0 ? length : sizeof(escaped);
        if (used + needed >= size)
            break;
        memcpy(out + used, length > 0 ? (const char *)p : escaped, needed);
        used += needed;
        p += length > 0 ? length : 1;
    }
    out[used] = '\0';
    return out;
}

static void write_line(enum log_level level, const char *line, size_t length)
{
    if (the_log.write != NULL) {
        the_log.write(level, line, length);
        return;
    }
    /* Whoever should read it may have stopped: the program goes on, and ends, all the same. */
    if (!os_stderr_wait(WRITE_WAIT_MS)) {
        atomic_fetch_add(&the_log.lost, 1);
        return;
    }
    unsigned lost = atomic_exchange(&the_log.lost, 0);
    if (lost > 0) /* comes here again, but not to this */
        log_line(LOG_WARN, "log: %u lines are missing here: nobody read them in time", lost);
    /* Where stderr cannot be line-buffered (Windows) the flush makes the one write. */
    (void)fwrite(line, 1, length, stderr);
    (void)fflush(stderr);
}

static void log_text(enum log_level level, const char *text)
{
    char time[OS_CLOCK_TEXT_MAX];
    char line[LOG_LINE_MAX];
    int head =
        snprintf(line, sizeof(line),
                 "%s %.40s: %s: ", os_clock_local_text(os_clock_wall_us(), time, sizeof(time)),
                 the_log.program, level_names[level]);
    if (head < 0)
        return;
    size_t used = (size_t)head;
    log_escape(text, line + used, sizeof(line) - used - 1);
    used += strlen(line + used);
    line[used++] = '\n';
    write_line(level, line, used);
}

void log_line(enum log_level level, const char *format, ...)
{
    if (!log_is_on(level))
        return;
    int kept = errno;
    char text[LOG_TEXT_MAX];
    va_list args;
    va_start(args, format);
    if (vsnprintf(text, sizeof(text), format, args) >= 0)
        log_text(level, text);
    va_end(args);
    errno = kept;
}

bool log_limit_take(struct log_limit *limit, uint64_t now_ms, unsigned *ret_suppressed)
{
    /* Two threads may both find the window over; the exchange lets one of them begin the next.
     */
    unsigned long long start = atomic_load(&limit->window_start_ms);
    if ((start == 0 || now_ms - start >= LOG_LIMIT_WINDOW_MS) &&
        atomic_compare_exchange_strong(&limit->window_start_ms, &start, now_ms))
        atomic_store(&limit->in_window, 0);
    if (atomic_fetch_add(&limit->in_window, 1) >= LOG_LIMIT_BURST) {
        atomic_fetch_sub(&limit->in_window, 1); /* so that it never wraps */
        atomic_fetch_add(&limit->suppressed, 1);
        return false;
    }
    *ret_suppressed = atomic_exchange(&limit->suppressed, 0);
    return true;
}

void log_limited(struct log_limit *limit, enum log_level level, const char *format, ...)
{
    unsigned suppressed;
    if (!log_is_on(level) || !log_limit_take(limit, os_clock_ms(), &suppressed))
        return;
    int kept = errno;
    char text[LOG_TEXT_MAX];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (length >= 0 && suppressed > 0) {
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof(text) - used, " (and %u more like it)", suppressed);
    }
    if (length >= 0)
        log_text(level, text);
    errno = kept;
}
