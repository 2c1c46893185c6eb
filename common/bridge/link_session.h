/* SPDX-License-Identifier: MIT */
/* link_session.h - private to link.c and link_session.c: one session of a link, and what the link remembers over breaks.
 *
 * Three threads serve a session. The reader reads the stream and hands what comes to the session's state machine;
 * whole batches go on to the inbound queue. The writer takes control octets from the state machine and batches from
 * the outbound queue, and writes them with one call. The third, the one that called link_session_run(), watches the
 * clock: it ends a session whose peer is silent.
 *
 * One lock, link.lock, guards all of this; no thread does I/O or decodes a batch while holding it. Order of locks: link.lock
 * before a queue's own. Release calls of the inbound queue come without the queue's lock, and take link.lock.
 *
 * Wake-ups. The writer sleeps in one of two places: on <writer_wake> (no credit, or not open yet), or in queue_take() (nothing to
 * send). wake_writer(), called under link.lock by everyone who gave it something to do, signals the first, and ends the second
 * with queue_cancel(). Before it goes to sleep the writer looks at the state machine under link.lock and sets <in_take> under the same
 * lock; queue_cancel() stays pending until a take has seen it. So a wake-up between the look and the sleep is not lost.
 */
#ifndef HVLOG_BRIDGE_LINK_SESSION_H
#define HVLOG_BRIDGE_LINK_SESSION_H

#include <stdbool.h>

#include "common/core/backoff.h"
#include "common/core/session.h"
#include "common/os/thread.h"
#include "link.h"
#include "log.h"

enum {
    LINK_SESSIONS_MAX = LINK_PEERS_MAX + LINK_HANDSHAKES_MAX,
    LINK_BYE_MS = 1000,      /* for a bye to get out, and for the peer to close in answer */
    LINK_TAKEOVER_MS = 3000, /* for an older session of the same peer to end */
    LINK_WRITE_BYTES = 1024 * 1024, /* octets of batches in one write */
};

/* What we remember of one sender's stream of batches, as long as the program lives. */
struct link_origin {
    struct link *link;
    bool is_used;
    uint8_t identity[WIRE_IDENTITY_BYTES];
    uint64_t received;            /* highest seq that stands, or stood, in the inbound queue */
    uint64_t finished;            /* highest seq that the outputs finished */
    uint64_t outstanding;         /* octets of its batches in the inbound queue */
    uint64_t last_used;           /* a counter, for forgetting the one not seen for longest */
    struct link_session *session; /* the one that is open, or NULL */
};

/* A node that was connected once: its place in the outbound queue is kept over breaks. */
struct link_peer {
    char name[WIRE_NAME_MAX + 1]; /* "": unused */
    struct queue_cursor *cursor;
    struct link_session *session; /* the one that is connected, or NULL */
    uint64_t last_used;
};

struct link_session {
    struct link *link;
    struct os_stream *stream;
    struct session *session;
    struct link_peer *peer;     /* from SESSION_PEER on */
    struct link_origin *origin; /* from SESSION_PEER on */
    struct os_thread thread;    /* of a listener's session: runs link_session_run() */
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
    unsigned reason; /* enum wire_reason, when closed */
    bool by_peer;
    char why[256]; /* why it ended, for the log and status */
};

struct link {
    struct link_options options;
    struct os_mutex lock;
    struct os_cond changed; /* a session ended, a peer became free, stop */
    uint8_t identity[WIRE_IDENTITY_BYTES];
    struct os_listener *listener;
    struct os_thread thread;
    bool is_started;
    bool is_stopping;
    bool is_draining;
    const char *state;
    char last_error[256];
    uint64_t reconnects, refused;
    uint64_t uses; /* the clock of last_used */
    struct link_session *sessions[LINK_SESSIONS_MAX];
    struct link_peer peers[LINK_PEERS_MAX];
    struct link_origin origins[LINK_REMEMBER_MAX];
    struct backoff backoff;
    struct log_limit limit;
};

/* link_session_new() - for a fresh connection; takes <stream> also when it fails (NULL). */
struct link_session *link_session_new(struct link *l, struct os_stream *stream);
/* link_session_run() - serve it until it ends. Blocks. Afterwards <why>, <was_open> and <reason> say what happened. */
void link_session_run(struct link_session *s);
void link_session_free(struct link_session *s);

/* link_session_close() - under link.lock: say bye and end. */
void link_session_close(struct link_session *s, enum wire_reason reason, const char *text);

/* link_session_released() - under link.lock: batches of <s>'s peer are finished: acknowledge, grant. */
void link_session_released(struct link_session *s);

/* link_adopt() - under link.lock, in answer to SESSION_PEER: find or make what is remembered of this peer, and wait for an
 * older session of it to end. Returns 0; ERR_FULL when there is no place, ERR_CANCELED when the link stops.
 */
int link_adopt(struct link *l, struct link_session *s, const char *name,
               const uint8_t identity[WIRE_IDENTITY_BYTES]);
void link_orphan(struct link *l, struct link_session *s);

#endif
