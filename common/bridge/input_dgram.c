/* SPDX-License-Identifier: MIT */
/* input_dgram.c - the inputs that take datagrams: udp and unix-dgram.
 *
 * Nobody can be made to wait here: when the queue is full the newest are dropped and counted,
 * and the socket is emptied all the same, so that the count is ours and not the system's.
 */
#include "input_private.h"

#include <stdlib.h>

#include "common/core/datagram.h"
#include "common/core/err.h"
#include "common/os/clock.h"
#include "common/os/dgram.h"
#include "common/os/error.h"

enum {
    RECEIVES_MAX = 16,       /* full receives that go into one hand-over */
    LAST_RECEIVES_MAX = 128, /* when the input stops */
    LOOK_MS = 1000,   /* after the last datagram: whether the system dropped some behind it */
    REOPEN_MS = 1000, /* when the socket failed */
};

struct input_dgram {
    struct input *in;
    struct endpoint endpoint; /* as configured, with the port that was bound */
    struct os_dgram *socket;  /* NULL while it could not be opened again */
    struct os_mutex lock; /* for <socket>: its owner replaces it, input_finish() cancels it */
    bool tells_drops;     /* does the system? */
    uint64_t kernel_dropped; /* by sockets that are closed */
    struct address allowed;  /* the last one that allow let through: senders come in runs */
    struct framer_counters framing, seen;
    struct os_datagram got[OS_DGRAM_BATCH];
};

static void publish_kernel_dropped(struct input_dgram *d)
{
    uint64_t now = d->socket != NULL ? os_dgram_kernel_dropped(d->socket) : 0;

    counter_set(&d->in->counters.kernel_dropped,
                d->tells_drops ? d->kernel_dropped + now : COUNTER_UNKNOWN);
}

static void say_opened(const struct input_dgram *d)
{
    const struct input_config *c = d->in->config;
    uint32_t got = os_dgram_buffer(d->socket);

    if (c->receive_buffer > 0 && got < c->receive_buffer)
        log_warn("input %s: receive_buffer is %u octets of the %u asked for: the system gives "
                 "no more (on Linux see net.core.rmem_max)",
                 c->name, (unsigned)got, (unsigned)c->receive_buffer);
}

static int dgram_open(struct input *in)
{
    struct input_dgram *d = calloc(1, sizeof(*d));
    if (d == NULL)
        return ERR_NO_MEMORY;
    d->in = in;
    d->endpoint = in->config->listen;
    int r = os_dgram_open(&d->endpoint, in->config->receive_buffer, &d->socket);
    if (r < 0) {
        free(d);
        return r;
    }
    os_mutex_init(&d->lock);
    d->tells_drops = os_dgram_has_kernel_dropped(d->socket);
    publish_kernel_dropped(d);
    in->kind = d;
    in->port = os_dgram_port(d->socket);
    d->endpoint.port = in->port;
    d->endpoint.address.port = in->port;
    say_opened(d);
    return 0;
}

static void set_socket(struct input_dgram *d, struct os_dgram *socket)
{
    os_mutex_lock(&d->lock);
    struct os_dgram *old = d->socket;
    d->socket = socket;
    os_mutex_unlock(&d->lock);
    if (old != NULL)
        os_dgram_close(old);
}

static void dgram_wake(struct input *in)
{
    struct input_dgram *d = in->kind;

    os_mutex_lock(&d->lock);
    if (d->socket != NULL)
        os_dgram_cancel(d->socket);
    os_mutex_unlock(&d->lock);
}

static void publish(struct input_dgram *d)
{
    publish_kernel_dropped(d);
    taker_count_framing(&d->in->counters, &d->framing, &d->seen);
}

static bool is_allowed(struct input_dgram *d, const struct address *from)
{
    if (d->in->config->allow_count == 0 || address_is_equal(from, &d->allowed))
        return true;
    if (!input_allows(d->in, from))
        return false;
    d->allowed = *from;
    return true;
}

static void refuse(struct input_dgram *d, const struct address *from)
{
    char text[ADDRESS_TEXT_MAX];

    counter_add(&d->in->counters.dropped_not_allowed, 1);
    log_limited(&d->in->peer_limit, LOG_WARN,
                "input %s: datagram from %s dropped: not in allow", d->in->config->name,
                address_format(from, text, sizeof(text)));
}

static void take(struct input_dgram *d, const struct os_datagram *got, uint64_t time_us)
{
    struct input *in = d->in;
    struct framed message;

    if (!is_allowed(d, &got->from)) {
        refuse(d, &got->from);
        return;
    }
    if (!framer_datagram(got->data, got->length, got->true_length, got->was_cut,
                         in->config->framer.max_message, &d->framing, &message))
        return;
    taker_take(
        &in->taker,
        &(struct source){.address = got->from, .transport = in->transport, .input = in->index},
        &message, time_us);
}

/* Wait until <deadline_ms> for datagrams and take those of one call. Returns as
 * os_dgram_receive(). */
static int receive(struct input_dgram *d, uint64_t deadline_ms)
{
    int n = os_dgram_receive(d->socket, d->got, OS_DGRAM_BATCH, deadline_ms);
    if (n <= 0)
        return n;
    uint64_t time_us = os_clock_wall_us();
    for (int i = 0; i < n; i++)
        take(d, &d->got[i], time_us);
    return n;
}

/* The same, and then what else is there: the more there is, the larger the batch. Only a full
 * call says that more may be there, so a single datagram costs a single call. */
static int receive_run(struct input_dgram *d, uint64_t deadline_ms)
{
    int n = receive(d, deadline_ms);
    int first = n;

    for (int i = 1; i < RECEIVES_MAX && n == OS_DGRAM_BATCH; i++)
        n = receive(d, 0);
    taker_hand_over(&d->in->taker);
    publish(d);
    return n < 0 && n != ERR_TIMEOUT ? n : first;
}

static void reopen(struct input_dgram *d)
{
    const struct input *in = d->in;
    char text[OS_ERROR_TEXT_MAX];

    log_error("input %s: its socket failed (%s), opening it again", in->config->name,
              os_error_last(text, sizeof(text)));
    d->kernel_dropped += os_dgram_kernel_dropped(d->socket);
    set_socket(d, NULL);
    while (!input_is_stopping(d->in)) {
        struct os_dgram *socket;
        int r = os_dgram_open(&d->endpoint, in->config->receive_buffer, &socket);
        if (r == 0) {
            set_socket(d, socket);
            log_info("input %s: its socket is open again", in->config->name);
            return;
        }
        log_limited(&d->in->system_limit, LOG_ERROR,
                    "input %s: cannot open its socket (%s), trying again in %d ms",
                    in->config->name, os_error_last(text, sizeof(text)), (int)REOPEN_MS);
        input_pause(d->in, REOPEN_MS);
    }
}

/* A stop that came while the socket was away cancelled nothing: is_stopping is looked at
 * after the socket is set, and set before it is looked for (input_finish), so one of the two
 * sees the other. */
static void dgram_run(struct input *in)
{
    struct input_dgram *d = in->kind;
    bool is_quiet = false;

    while (!input_is_stopping(in)) {
        uint64_t now_ms = os_clock_ms();
        uint64_t deadline = taker_deadline(&in->taker, now_ms);
        if (deadline == OS_NEVER && !is_quiet)
            deadline = now_ms + LOOK_MS;
        int r = receive_run(d, deadline);
        is_quiet = r == ERR_TIMEOUT;
        if (r == ERR_IO) {
            reopen(d);
            is_quiet = false;
        }
    }
    /* What the system has taken for us is read out; a pending cancel ends one call of it. */
    for (int i = 0, r = 1; d->socket != NULL && i < LAST_RECEIVES_MAX; i++) {
        r = receive(d, 0);
        if (r <= 0 && r != ERR_CANCELED)
            break;
    }
    taker_hand_over(&in->taker);
    publish(d);
    if (d->socket != NULL)
        d->kernel_dropped += os_dgram_kernel_dropped(d->socket);
    set_socket(d, NULL);
}

static void dgram_close(struct input *in)
{
    struct input_dgram *d = in->kind;

    set_socket(d, NULL);
    os_mutex_release(&d->lock);
    free(d);
}

const struct input_ops input_dgram_ops = {
    .is_waiting = false,
    .open = dgram_open,
    .run = dgram_run,
    .wake = dgram_wake,
    .close = dgram_close,
};
