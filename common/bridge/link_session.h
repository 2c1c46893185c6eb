/* SPDX-License-Identifier: MIT */
/* link_session.h - private to the link: one session, and what its threads share.
 *
 * Three threads serve a session. The reader (link_reader.c) reads the stream and hands what
 * comes to the session's state machine; whole batches go on to the inbound queue. The writer
 * (link_writer.c) takes control octets from the state machine and batches from the outbound
 * queue, and writes them with one call. The third (link_serve.c) watches the clock: it ends a
 * session whose peer is silent.
 *
 * One lock, link.lock, guards all of this; no thread reads, writes or decodes a batch while
 * holding it (a line for the log is the only I/O). Order of locks: link.lock before a queue's
 * own. Release calls of the inbound queue come without the queue's lock, and take link.lock.
 *
 * Wake-ups. The writer sleeps in one of two places: on <writer_wake> (no credit, or not open
 * yet), or in queue_take() (nothing to send). link_session_wake(), called under link.lock by
 * everyone who gave it something to do, signals the first, and ends the second with
 * queue_cancel(). Before it goes to sleep the writer looks at the state machine under link.lock
 * and sets <is_in_take> under the same lock; queue_cancel() stays pending until a take has seen
 * it. So a wake-up between the look and the sleep is not lost.
 */
#ifndef HVLOG_BRIDGE_LINK_SESSION_H
#define HVLOG_BRIDGE_LINK_SESSION_H

#include <stdbool.h>

#include "common/core/backoff.h"
#include "common/core/session.h"
#include "common/os/thread.h"
#include "link.h"
#include "link_peers.h"
#include "log.h"

enum {
    LINK_SESSIONS_MAX = LINK_PEERS_MAX + LINK_HANDSHAKES_MAX,
    LINK_TAKEOVER_MS = 3000, /* for an older session of the same peer to end */
};

struct link_session {
    struct link *link;
    struct os_stream *stream;
    struct session *session;
    struct link_peer *peer;     /* from SESSION_PEER on */
    struct link_origin *origin; /* from SESSION_PEER on */
    uint64_t number;            /* of a listener's session: in order of arrival */
    bool is_proven;             /* the peer knows the secret */
    struct os_thread thread;    /* of a listener's session: runs link_serve() */
    struct os_thread reader;
    struct os_thread writer;
    struct os_cond writer_wake;
    struct os_cond watcher_wake;
    bool is_open;
    bool is_in_take;
    bool is_reader_done;
    bool is_writer_done;
    bool is_finished; /* of a listener's session: to be joined */
    bool was_open;
    uint64_t granted; /* sum of credit given so far */
    uint64_t since_wall_us;
    uint64_t rtt_us;
    uint64_t sent_records, sent_bytes, received_records, received_bytes;
    char why[LINK_WHY_MAX]; /* why it ended, for the log and status */
};

struct link {
    struct link_options options;
    struct os_mutex lock;
    struct os_cond changed; /* a session ended, a place became free, stop */
    uint8_t identity[WIRE_IDENTITY_BYTES];
    struct os_listener *listener;
    struct os_thread thread;
    bool is_started;
    bool is_stopping;
    bool is_draining;
    const char *state;
    char last_error[LINK_WHY_MAX];
    uint64_t reconnects, refused;
    uint64_t accepted; /* by the listener, ever */
    struct link_session *sessions[LINK_SESSIONS_MAX];
    struct link_peers peers;
    struct backoff backoff;
    struct log_limit limit; /* of those that never were open */
    struct log_limit up_limit, down_limit;
};

/* link_session_new() - for a fresh connection; takes <stream> also when it fails (NULL). */
struct link_session *link_session_new(struct link *l, struct os_stream *stream);
void link_session_free(struct link_session *s);

/* link_session_hang_up() - close the stream of a session that has been served. */
void link_session_hang_up(struct link_session *s);

/* ---- all that follows under link.lock ---------------------------------------------------- */

/* link_session_wake() - the writer has something to do. */
void link_session_wake(struct link_session *s);

/* link_session_close() - say bye and end. */
void link_session_close(struct link_session *s, enum wire_reason reason, const char *text);

/* link_session_adopt() - the peer is who it should be: find what is remembered of it, wait for
 * an older session of it to end (link.lock is given up meanwhile), and accept, or refuse.
 */
void link_session_adopt(struct link_session *s, const char *name,
                        const uint8_t identity[WIRE_IDENTITY_BYTES]);

/* link_session_orphan() - the threads have ended: what is remembered of the peer is free again.
 */
void link_session_orphan(struct link_session *s);

/* link_session_grant() - tell the peer of room for it, if there is enough to be worth it. */
void link_session_grant(struct link_session *s);

#endif
