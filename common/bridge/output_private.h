/* SPDX-License-Identifier: MIT */
/* output_private.h - what the kinds of output share with output.c. */
#ifndef HVLOG_BRIDGE_OUTPUT_PRIVATE_H
#define HVLOG_BRIDGE_OUTPUT_PRIVATE_H

#include <stdatomic.h>

#include "common/core/backoff.h"
#include "common/os/thread.h"
#include "log.h"
#include "output.h"
#include "output_chunk.h"

/* One kind of output. All but <cancel> run in the output's thread, or while there is none. */
struct output_ops {
    /* After a break all that was not finished is given anew, from its first record. Else the
     * kind remembers where in <out>'s items it stopped, and goes on there. */
    bool is_resent;

    /* init - make <out>->kind. 0 or ERR_NO_MEMORY. release - free it; the target is closed. */
    int (*init)(struct output *out);
    void (*release)(struct output *out);

    /* open - reach the target. Returns 0 or why not; all is tried again. */
    int (*open)(struct output *out);

    /* write - hand over <out>->items from <out>->at on, move <out>->at over what is handed
     * over, and call output_finish() for what the target has. May stop early. Returns 0, or an
     * error: the target is then closed and opened again. */
    int (*write)(struct output *out);

    /* look - see what happened since: finish what the target has meanwhile. NULL: nothing can
     * happen. Returns 0, or an error as write. */
    int (*look)(struct output *out);

    /* deadline - when to look again if no batch comes. NULL: never. */
    uint64_t (*deadline)(struct output *out, uint64_t now_ms);

    /* reopen - SIGHUP. NULL: means nothing here. */
    int (*reopen)(struct output *out);

    /* cancel - end a write or an open under way. Any thread, with <out>->lock held, which
     * open and close take to change what this uses. NULL: cannot be done. */
    void (*cancel)(struct output *out);

    void (*close)(struct output *out);
};

extern const struct output_ops output_file_ops;
extern const struct output_ops output_stdout_ops;
extern const struct output_ops output_stream_ops;
extern const struct output_ops output_dgram_ops;
extern const struct output_ops output_null_ops;

struct output {
    const struct output_config *config;
    const struct output_ops *ops;
    void *kind;
    char target[ENDPOINT_TEXT_MAX]; /* for the log */

    struct queue_cursor *cursor;
    struct queue_item items[QUEUE_TAKE_MAX]; /* taken */
    int at, count;                           /* items[at] is the next to be written */
    uint64_t taken_seq;                      /* of the last one taken */
    uint64_t finished_seq;

    struct output_counters counters;
    bool is_open;
    bool is_away; /* and the log has been told */
    struct backoff backoff;
    uint64_t retry_ms; /* when to try to open again */
    struct log_limit limit;

    struct os_thread thread;
    bool is_started;
    atomic_bool is_stopping;
    atomic_bool is_reopening;
    struct os_mutex lock; /* for what follows, and for what ops->cancel uses */
    struct os_cond changed;
    bool is_ended;
    uint64_t stop_ms; /* is_stopping: when to give up */
    char error[OUTPUT_ERROR_MAX];
};

/* output_finish() - the target has all that <mark> says, and nothing of it is written again. */
void output_finish(struct output *out, const struct output_mark *mark);

/* output_is_stopping() - <arg> is the output; for os_carrier.dial. */
bool output_is_stopping(void *arg);

#endif
