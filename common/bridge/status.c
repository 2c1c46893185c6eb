/* SPDX-License-Identifier: MIT */
/* status.c - a snapshot of the running program. */
#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the JSON; the counters of a group follow each other. */
#define INPUT(group_name, counter_name, member_name)                               \
    {                                                                              \
        (group_name), (counter_name), offsetof(struct input_counters, member_name) \
    }
const struct status_counter status_input_counters[] = {
    INPUT(NULL, "received", received),
    INPUT(NULL, "received_bytes", received_bytes),
    INPUT("dropped", "queue_full", dropped_queue_full),
    INPUT("dropped", "no_memory", dropped_no_memory),
    INPUT("dropped", "empty", dropped_empty),
    INPUT("dropped", "not_allowed", dropped_not_allowed),
    INPUT("dropped", "connections", dropped_connections),
    INPUT("flagged", "truncated", flagged_truncated),
    INPUT("flagged", "unterminated", flagged_unterminated),
    INPUT("flagged", "desync", flagged_desync),
    INPUT(NULL, "kernel_dropped", kernel_dropped),
    INPUT(NULL, "connections", connections),
    INPUT(NULL, "connections_total", connections_total),
    INPUT("framing", "framing_padding", framing_padding),
    INPUT("framing", "framing_desync", framing_desync),
    INPUT("framing", "frame_too_large", frame_too_large),
    INPUT("framing", "frame_incomplete", frame_incomplete),
    INPUT("framing", "truncated", truncated),
    INPUT("framing", "bad_pri", bad_pri),
    INPUT("framing", "tls_on_plain", tls_on_plain),
    INPUT("framing", "foreign_protocol", foreign_protocol),
};

#define OUTPUT(group_name, counter_name, member_name)                               \
    {                                                                               \
        (group_name), (counter_name), offsetof(struct output_counters, member_name) \
    }
const struct status_counter status_output_counters[] = {
    OUTPUT(NULL, "delivered", delivered), OUTPUT(NULL, "delivered_bytes", delivered_bytes),
    OUTPUT(NULL, "retried", retried),     OUTPUT("dropped", "too_large", dropped_too_large),
    OUTPUT(NULL, "truncated", truncated), OUTPUT(NULL, "nul_escaped", nul_escaped),
    OUTPUT(NULL, "reopened", reopened),
};

static const struct counter *counter_at(const struct status_counter *counter,
                                        const void *counters)
{
    return (const struct counter *)(const void *)((const char *)counters + counter->offset);
}

uint64_t status_counter_get(const struct status_counter *counter, const void *counters)
{
    return counter_get(counter_at(counter, counters));
}

bool status_is_balanced(const struct queue_books *books)
{
    return books->received == books->delivered + books->dropped + books->held;
}

static void copy_counter(const struct status_counter *counter, const void *from, void *to)
{
    struct counter *copy = (struct counter *)(void *)((char *)to + counter->offset);
    counter_set(copy, status_counter_get(counter, from));
}

static void take_input(struct input *in, struct status_input *ret)
{
    const struct input_config *config = input_configuration(in);
    struct endpoint listen = config->listen;
    if (listen.host_kind != ENDPOINT_HOST_NONE)
        listen.port = input_port(in);
    (void)snprintf(ret->name, sizeof(ret->name), "%s", config->name);
    endpoint_format(&listen, ret->listen, sizeof(ret->listen));
    for (size_t i = 0; i < STATUS_INPUT_COUNTERS; i++)
        copy_counter(&status_input_counters[i], input_counters(in), &ret->counters);
}

static void take_output(struct output *out, struct status_output *ret)
{
    const struct output_config *config = output_configuration(out);
    const struct output_counters *counters = output_counters(out);
    (void)snprintf(ret->name, sizeof(ret->name), "%s", config->name);
    endpoint_format(&config->to, ret->to, sizeof(ret->to));
    output_error(out, ret->error, sizeof(ret->error));
    for (size_t i = 0; i < STATUS_OUTPUT_COUNTERS; i++)
        copy_counter(&status_output_counters[i], counters, &ret->counters);
    counter_set(&ret->counters.is_up, counter_get(&counters->is_up));
}

static void take_link(const struct engine *e, struct status *s)
{
    const struct config *c = engine_config(e);
    endpoint_format(&c->link.address, s->link_address, sizeof(s->link_address));
    s->link_role = c->link.role == WIRE_LISTENER ? "listen" : "connect";
    if (c->link.address.kind == ENDPOINT_HVSOCK)
        uuid_format(&c->link.vm_id, s->vm_id);
    engine_link_status(e, &s->link);
}

struct status *status_take(const struct engine *e)
{
    const struct config *c = engine_config(e);
    struct status *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return NULL;
    s->program = engine_program(e);
    s->version = HVLOG_VERSION;
    s->since_wall_us = engine_since_wall_us(e);
    (void)snprintf(s->node, sizeof(s->node), "%s", c->node.name);
    (void)snprintf(s->config_file, sizeof(s->config_file), "%s", c->file);
    take_link(e, s);
    s->input_count = engine_inputs(e);
    for (size_t i = 0; i < s->input_count; i++)
        take_input(engine_input(e, i), &s->inputs[i]);
    s->output_count = engine_outputs(e);
    for (size_t i = 0; i < s->output_count; i++)
        take_output(engine_output(e, i), &s->outputs[i]);
    queue_books(engine_outbound(e), &s->out);
    queue_books(engine_inbound(e), &s->in);
    return s;
}

void status_free(struct status *s)
{
    free(s);
}

void status_answer(void *arg, const char *request, struct text *out)
{
    const struct engine *e = arg;
    bool is_json = strcmp(request, "status json") == 0;
    if (!is_json && strcmp(request, "status text") != 0) {
        text_append_string(out, "unknown request\n");
        return;
    }
    struct status *s = status_take(e);
    if (s == NULL) {
        text_append_string(out, "out of memory\n");
        return;
    }
    if (is_json)
        status_json(s, out);
    else
        status_text(s, out);
    if (is_json)
        text_append_string(out, "\n");
    status_free(s);
}
