/* SPDX-License-Identifier: MIT */
/* status_json.c - the snapshot as JSON. */
#include <string.h>

#include "common/core/json.h"
#include "common/os/clock.h"
#include "status.h"

static void put_uint(struct json *j, const char *key, uint64_t value)
{
    json_key(j, key);
    json_uint(j, value);
}

static void put_string(struct json *j, const char *key, const char *value)
{
    json_key(j, key);
    json_string_of(j, value);
}

/* null where there is nothing to say. */
static void put_string_or_null(struct json *j, const char *key, const char *value)
{
    json_key(j, key);
    if (value[0] != '\0')
        json_string_of(j, value);
    else
        json_null(j);
}

static void put_time(struct json *j, const char *key, uint64_t wall_us)
{
    char text[OS_CLOCK_TEXT_MAX];
    put_string(j, key, os_clock_local_text(wall_us, text, sizeof(text)));
}

/* null where the system does not tell. */
static void put_counter(struct json *j, const char *key, uint64_t value)
{
    json_key(j, key);
    if (value == COUNTER_UNKNOWN)
        json_null(j);
    else
        json_uint(j, value);
}

/* All counters of a table, those of a group in an object. */
static void put_counters(struct json *j, const struct status_counter *table, size_t count,
                         const void *counters)
{
    const char *open = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *group = table[i].group;
        bool is_same = open == NULL || group == NULL ? open == group : strcmp(open, group) == 0;
        if (!is_same && open != NULL)
            json_object_end(j);
        if (!is_same && group != NULL) {
            json_key(j, group);
            json_object_begin(j);
        }
        open = group;
        put_counter(j, table[i].name, status_counter_get(&table[i], counters));
    }
    if (open != NULL)
        json_object_end(j);
}

/* ---- link -------------------------------------------------------------------------------- */

static void put_peer(struct json *j, const struct link_peer_status *p)
{
    json_object_begin(j);
    put_string(j, "name", p->name);
    put_string(j, "address", p->address);
    put_time(j, "since", p->since_wall_us);
    put_uint(j, "rtt_us", p->rtt_us);
    put_uint(j, "sent", p->sent_records);
    put_uint(j, "sent_bytes", p->sent_bytes);
    put_uint(j, "received", p->received_records);
    put_uint(j, "received_bytes", p->received_bytes);
    json_object_end(j);
}

/* The first peer is also shown beside the list, as most links have one. */
static void put_first_peer(struct json *j, const struct link_status *l, const char *vm_id)
{
    const struct link_peer_status *p = l->peer_count > 0 ? &l->peers[0] : NULL;
    put_string_or_null(j, "peer", p != NULL ? p->name : "");
    put_string_or_null(j, "vm_id", vm_id);
    if (p != NULL) {
        put_uint(j, "rtt_us", p->rtt_us);
        put_time(j, "since", p->since_wall_us);
    } else {
        put_string_or_null(j, "rtt_us", "");
        put_string_or_null(j, "since", "");
    }
}

static void put_link(struct json *j, const struct status *s)
{
    json_key(j, "link");
    json_object_begin(j);
    put_string(j, "state", s->link.state);
    put_string(j, "address", s->link_address);
    put_string(j, "role", s->link_role);
    put_first_peer(j, &s->link, s->vm_id);
    put_string_or_null(j, "error", s->link.last_error);
    put_uint(j, "reconnects", s->link.reconnects);
    put_uint(j, "refused", s->link.refused);
    json_key(j, "peers");
    json_array_begin(j);
    for (size_t i = 0; i < s->link.peer_count; i++)
        put_peer(j, &s->link.peers[i]);
    json_array_end(j);
    json_object_end(j);
}

/* ---- inputs, outputs --------------------------------------------------------------------- */

static void put_input(struct json *j, const struct status_input *in)
{
    json_key(j, in->name);
    json_object_begin(j);
    put_string(j, "listen", in->listen);
    put_counters(j, status_input_counters, STATUS_INPUT_COUNTERS, &in->counters);
    json_object_end(j);
}

static void put_output(struct json *j, const struct status_output *out)
{
    json_key(j, out->name);
    json_object_begin(j);
    put_string(j, "to", out->to);
    put_string(j, "state", counter_get(&out->counters.is_up) != 0 ? "up" : "away");
    put_string_or_null(j, "error", out->error);
    put_counters(j, status_output_counters, STATUS_OUTPUT_COUNTERS, &out->counters);
    json_object_end(j);
}

/* ---- queues ------------------------------------------------------------------------------ */

static void put_queue(struct json *j, const char *key, const struct queue_books *b)
{
    json_key(j, key);
    json_object_begin(j);
    put_uint(j, "records", b->held);
    put_uint(j, "batches", b->memory_batches);
    put_uint(j, "bytes", b->memory_bytes);
    put_uint(j, "used", b->memory);
    put_uint(j, "limit", b->memory_limit);
    json_object_end(j);
}

static void put_queues(struct json *j, const struct status *s)
{
    json_key(j, "queue");
    json_object_begin(j);
    json_key(j, "memory");
    json_object_begin(j);
    put_uint(j, "records", s->out.held + s->in.held);
    put_uint(j, "bytes", s->out.memory_bytes + s->in.memory_bytes);
    put_queue(j, "out", &s->out);
    put_queue(j, "in", &s->in);
    json_object_end(j);
    json_object_end(j);
}

static void put_balance(struct json *j, const char *key, const struct queue_books *b)
{
    json_key(j, key);
    json_object_begin(j);
    put_uint(j, "received", b->received);
    put_uint(j, "delivered", b->delivered);
    put_uint(j, "dropped", b->dropped);
    put_uint(j, "held", b->held);
    json_key(j, "ok");
    json_bool(j, status_is_balanced(b));
    json_object_end(j);
}

static void put_program(struct json *j, const struct status *s)
{
    put_string(j, "program", s->program);
    put_string(j, "version", s->version);
    put_string(j, "node", s->node);
    put_time(j, "since", s->since_wall_us);
    put_string(j, "config", s->config_file);
}

void status_json(const struct status *s, struct text *out)
{
    struct json j;
    json_init(&j, out);
    json_object_begin(&j);
    put_program(&j, s);
    put_link(&j, s);
    json_key(&j, "inputs");
    json_object_begin(&j);
    for (size_t i = 0; i < s->input_count; i++)
        put_input(&j, &s->inputs[i]);
    json_object_end(&j);
    put_queues(&j, s);
    json_key(&j, "outputs");
    json_object_begin(&j);
    for (size_t i = 0; i < s->output_count; i++)
        put_output(&j, &s->outputs[i]);
    json_object_end(&j);
    json_key(&j, "balance");
    json_object_begin(&j);
    put_balance(&j, "out", &s->out);
    put_balance(&j, "in", &s->in);
    json_object_end(&j);
    json_object_end(&j);
}
