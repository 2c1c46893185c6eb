/* SPDX-License-Identifier: MIT */
/* engine.c - inputs, queues, link and outputs put together. */
#include "engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/os/clock.h"
#include "common/os/error.h"
#include "common/os/process.h"

struct engine {
    const struct config *config;
    const char *program;
    uint64_t since_wall_us;
    uint8_t *secret;
    size_t secret_length;
    struct queue *outbound;
    struct queue *inbound;
    struct link *link;
    const char *names[INPUT_COUNT_MAX];
    struct input_context context;
    struct input *inputs[INPUT_COUNT_MAX];
    size_t input_count;
    struct output *outputs[CONFIG_OUTPUTS_MAX];
    size_t output_count;
    bool takes_all; /* some output takes the records of every input */
};

enum {
    /* The link's reader must never wait for room, since heartbeats come through it: credit
     * bounds what waits in the inbound queue, in octets on the wire, and the queue's own limit
     * lies above that. For the smallest batches memory is some three times their octets
     * (batch_cost()). */
    INBOUND_OVERHEAD = 4,
    DRAIN_POLL_MS = 100, /* how often a hurried stop is looked for */
    USER_NAME_MAX = 128,
};

/* ---- which records nobody wants ---------------------------------------------------------- */

static bool is_wanted(const struct engine *e, const struct batch *b, size_t source)
{
    size_t length;
    const char *name = batch_input(b, batch_source(b, source).input, &length);

    for (size_t i = 0; i < e->output_count; i++)
        if (output_wants(output_configuration(e->outputs[i]), name, length))
            return true;
    return false;
}

static size_t count_unwanted(void *arg, const struct batch *b)
{
    const struct engine *e = arg;
    bool wanted[BATCH_SOURCES_MAX];
    bool all = true;
    size_t count = 0;

    if (e->takes_all)
        return 0;
    for (size_t i = 0; i < batch_sources(b); i++)
        all &= wanted[i] = is_wanted(e, b, i);
    if (all)
        return 0;
    for (size_t i = 0; i < batch_records(b); i++)
        count += !wanted[batch_record(b, i).source];
    return count;
}

/* ---- opening ----------------------------------------------------------------------------- */

/* Behind a line about a missing right: who lacks it, and (NULL: unknown) what it takes. */
static void append_user(char error[CONFIG_ERROR_MAX], const char *right)
{
    char user[USER_NAME_MAX];
    size_t length = strlen(error);

    snprintf(error + length, CONFIG_ERROR_MAX - length, "; this runs as %s%s%s",
             os_user_name(user, sizeof(user)), right ? ", and " : "", right ? right : "");
}

/* One line for what cannot be listened on; the system's own word is behind it. */
static int fail_listen(char error[CONFIG_ERROR_MAX], const char *what, const char *name,
                       const struct endpoint *where, int r)
{
    char detail[OS_ERROR_TEXT_MAX], text[ENDPOINT_TEXT_MAX];

    os_error_last(detail, sizeof(detail));
    endpoint_format(where, text, sizeof(text));
    snprintf(error, CONFIG_ERROR_MAX, "%s%s%s: cannot listen on %s: %s (%s)", what,
             name[0] ? " " : "", name, text, err_text(r), detail);
    if (r == ERR_ACCESS)
        append_user(error, os_listen_right(where));
    return r;
}

static uint64_t peers_of(const struct config *c)
{
    return c->link.role == WIRE_LISTENER ? LINK_PEERS_MAX : 1;
}

/* The octets of DATA that one peer may have unacknowledged here: two of the largest batches at
 * least, so that one can come while the other is written. */
static uint64_t credit_of(const struct config *c)
{
    uint64_t least = 2 * (uint64_t)WIRE_DATA_BODY_MAX;
    uint64_t credit = c->queue.memory / peers_of(c);

    return credit < least ? least : credit;
}

static int open_queues(struct engine *e)
{
    const struct config *c = e->config;
    uint64_t inbound = peers_of(c) * credit_of(c) * INBOUND_OVERHEAD;

    e->outbound = queue_new(&(struct queue_options){.memory_limit = (size_t)c->queue.memory});
    e->inbound = queue_new(
        &(struct queue_options){.memory_limit = (size_t)inbound, .release = link_release});
    return e->outbound && e->inbound ? 0 : ERR_NO_MEMORY;
}

static int open_outputs(struct engine *e)
{
    for (size_t i = 0; i < e->config->output_count; i++) {
        struct output *out = output_new(&e->config->outputs[i], e->inbound);
        if (!out)
            return ERR_NO_MEMORY;
        e->outputs[e->output_count++] = out;
        e->takes_all |= e->config->outputs[i].input_count == 0;
    }
    return 0;
}

static int open_link(struct engine *e, char error[CONFIG_ERROR_MAX])
{
    const struct config *c = e->config;
    struct link_options options = {
        .target = {.endpoint = &c->link.address, .vm_id = c->link.vm_id},
        .role = c->link.role,
        .name = c->node.name,
        .heartbeat_ms = c->link.heartbeat_ms,
        .outbound = e->outbound,
        .inbound = e->inbound,
        .credit = credit_of(c),
        .unwanted = count_unwanted,
        .unwanted_arg = e,
    };
    const char *scheme = endpoint_scheme(c->link.address.kind);

    options.carrier = os_carrier_find(scheme);
    if (!options.carrier) {
        snprintf(error, CONFIG_ERROR_MAX, "link: this system has no %s sockets", scheme);
        return ERR_UNSUPPORTED;
    }
    int r = config_secret(c, &e->secret, &e->secret_length, error);
    if (r == ERR_ACCESS)
        append_user(error, NULL);
    if (r < 0)
        return r == ERR_NOT_FOUND ? ERR_INVALID : r;
    if (!e->secret_length)
        log_warn(
            "link: no secret_file is set: any program that reaches the link may be the peer");
    options.secret = e->secret;
    options.secret_length = e->secret_length;
    e->link = link_new(&options);
    return e->link ? 0 : ERR_NO_MEMORY;
}

static int open_inputs(struct engine *e, char error[CONFIG_ERROR_MAX])
{
    for (size_t i = 0; i < e->config->input_count; i++)
        e->names[i] = e->config->inputs[i].name;
    e->context = (struct input_context){
        .queue = e->outbound,
        .names = e->names,
        .name_count = e->config->input_count,
    };
    for (size_t i = 0; i < e->config->input_count; i++) {
        const struct input_config *in = &e->config->inputs[i];
        int r = input_open(in, i, &e->context, &e->inputs[i]);
        if (r < 0)
            return fail_listen(error, "input", in->name, &in->listen, r);
        e->input_count++;
    }
    return 0;
}

int engine_open(const struct config *config, const char *program, struct engine **ret,
                char error[CONFIG_ERROR_MAX])
{
    struct engine *e = calloc(1, sizeof(*e));
    int r = ERR_NO_MEMORY;

    snprintf(error, CONFIG_ERROR_MAX, "out of memory");
    if (!e)
        return r;
    e->config = config;
    e->program = program;
    e->since_wall_us = os_clock_wall_us();
    if ((r = open_queues(e)) < 0 || (r = open_outputs(e)) < 0 ||
        (r = open_link(e, error)) < 0 || (r = open_inputs(e, error)) < 0) {
        engine_free(e);
        return r;
    }
    *ret = e;
    return 0;
}

void engine_free(struct engine *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->input_count; i++)
        input_free(e->inputs[i]);
    for (size_t i = 0; i < e->output_count; i++)
        output_free(e->outputs[i]);
    link_free(e->link);
    queue_free(e->inbound);
    queue_free(e->outbound);
    free(e->secret);
    free(e);
}

/* ---- running ----------------------------------------------------------------------------- */

static int start_all(struct engine *e, char error[CONFIG_ERROR_MAX])
{
    int r = 0;

    snprintf(error, CONFIG_ERROR_MAX, "no thread could be started, or memory is out");
    for (size_t i = 0; i < e->output_count && r == 0; i++)
        r = output_start(e->outputs[i]);
    if (r == 0)
        r = link_start(e->link);
    if (r < 0 && r != ERR_NO_MEMORY) /* what only a listener's address can give */
        return fail_listen(error, "link", "", &e->config->link.address, r);
    for (size_t i = 0; i < e->input_count && r == 0; i++)
        r = input_start(e->inputs[i]);
    return r;
}

static void stop_inputs(struct engine *e)
{
    queue_close(e->outbound); /* an input that still waits for room gives up */
    queue_close(e->inbound);
    for (size_t i = 0; i < e->input_count; i++)
        input_stop(e->inputs[i]);
}

/* The link last: what the outputs finish is acknowledged. */
static void stop_outputs_and_link(struct engine *e)
{
    for (size_t i = 0; i < e->output_count; i++)
        output_stop(e->outputs[i]);
    link_stop(e->link);
}

int engine_start(struct engine *e, char error[CONFIG_ERROR_MAX])
{
    int r = start_all(e, error);

    if (r < 0) {
        stop_inputs(e);
        stop_outputs_and_link(e);
    }
    return r;
}

void engine_reopen(struct engine *e)
{
    for (size_t i = 0; i < e->output_count; i++)
        output_reopen(e->outputs[i]);
}

/* Wait until <q> is empty, the deadline passes, or somebody is in a hurry. */
static void drain(struct queue *q, uint64_t deadline_ms, bool (*is_hurried)(void *), void *arg)
{
    while (os_clock_ms() < deadline_ms && !(is_hurried && is_hurried(arg))) {
        uint64_t next = os_clock_ms() + DRAIN_POLL_MS;
        if (queue_wait_drained(q, next < deadline_ms ? next : deadline_ms))
            return;
    }
}

static void tell_held(struct queue *q, const char *what)
{
    struct queue_books books;

    queue_books(q, &books);
    if (books.held)
        log_warn("stopping: %" PRIu64 " records %s", books.held, what);
}

void engine_stop(struct engine *e, bool (*is_hurried)(void *), void *arg)
{
    uint64_t deadline = os_clock_ms() + e->config->node.drain_timeout_ms;

    link_drain(e->link);
    for (size_t i = 0; i < e->input_count; i++)
        input_finish(e->inputs[i]);
    drain(e->outbound, deadline, is_hurried, arg);
    drain(e->inbound, deadline, is_hurried, arg);
    stop_inputs(e);
    drain(e->outbound, deadline, is_hurried, arg); /* what the inputs handed over last */
    stop_outputs_and_link(e);
    tell_held(e->outbound, "for the link are lost: the peer did not take them in time");
    tell_held(e->inbound, "for the outputs stay with the peer, which sends them again");
}

/* ---- for status -------------------------------------------------------------------------- */

const struct config *engine_config(const struct engine *e)
{
    return e->config;
}

const char *engine_program(const struct engine *e)
{
    return e->program;
}

uint64_t engine_since_wall_us(const struct engine *e)
{
    return e->since_wall_us;
}

size_t engine_inputs(const struct engine *e)
{
    return e->input_count;
}

struct input *engine_input(const struct engine *e, size_t i)
{
    return e->inputs[i];
}

size_t engine_outputs(const struct engine *e)
{
    return e->output_count;
}

struct output *engine_output(const struct engine *e, size_t i)
{
    return e->outputs[i];
}

struct queue *engine_outbound(const struct engine *e)
{
    return e->outbound;
}

struct queue *engine_inbound(const struct engine *e)
{
    return e->inbound;
}

void engine_link_status(const struct engine *e, struct link_status *ret)
{
    link_status(e->link, ret);
}
