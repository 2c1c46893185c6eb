/* SPDX-License-Identifier: MIT */
/* link_serve.c - one session from its first octet to its last. */
#include "link_serve.h"

#include <stdio.h>

#include "common/os/clock.h"
#include "link_reader.h"
#include "link_writer.h"

enum { BYE_MS = 1000 }; /* for a bye to get out, and for the peer to close in answer */

/* Under link.lock: wait for <flag> until BYE_MS have passed. */
static void wait_flag(struct link_session *s, const bool *flag)
{
    uint64_t deadline = os_clock_ms() + BYE_MS;

    while (!*flag && os_cond_wait_until(&s->watcher_wake, &s->link->lock, deadline))
        ;
}

/* When to tick again. What the session says holds until the writer or the reader calls it, and
 * they do not tell: a heartbeat that was due is out, or was answered, and the next is due
 * earlier. One tick in each heartbeat sees that (session_tick()). */
static uint64_t next_tick_ms(const struct link_session *s, uint64_t next_us)
{
    uint64_t next_ms = next_us / 1000 + 1;
    uint64_t beat_ms = os_clock_ms() + s->link->options.heartbeat_ms;

    return next_ms < beat_ms ? next_ms : beat_ms;
}

static void watch(struct link_session *s)
{
    while (!session_is_closed(s->session) && !s->is_reader_done && !s->is_writer_done) {
        uint64_t next_us = session_tick(s->session, os_clock_us());
        if (session_has_output(s->session))
            link_session_wake(s);
        if (!session_is_closed(s->session))
            os_cond_wait_until(&s->watcher_wake, &s->link->lock, next_tick_ms(s, next_us));
    }
}

void link_serve(struct link_session *s)
{
    struct link *l = s->link;
    bool has_reader = os_thread_start(&s->reader, "link-reader", link_reader_run, s) == 0;
    bool has_writer =
        has_reader && os_thread_start(&s->writer, "link-writer", link_writer_run, s) == 0;

    os_mutex_lock(&l->lock);
    if (has_writer) {
        watch(s);
        /* An orderly end: the bye gets out, then the peer reads end of stream and closes. */
        link_session_wake(s);
        if (!s->is_reader_done)
            wait_flag(s, &s->is_writer_done);
        if (s->is_writer_done && !s->is_reader_done) {
            s->stream->ops->finish(s->stream);
            wait_flag(s, &s->is_reader_done);
        }
    } else {
        snprintf(s->why, sizeof(s->why), "no thread could be started");
    }
    s->stream->ops->cancel(s->stream);
    link_session_wake(s);
    os_mutex_unlock(&l->lock);
    if (has_writer)
        os_thread_join(&s->writer);
    if (has_reader)
        os_thread_join(&s->reader);
    os_mutex_lock(&l->lock);
    link_session_orphan(s);
    os_mutex_unlock(&l->lock);
}
