/* SPDX-License-Identifier: MIT */
/* status_text.c - the snapshot for people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/os/clock.h"
#include "status.h"

enum {
    BYTES_TEXT_MAX = 32,
    SHOWN_MAX = 4 * CONFIG_ERROR_MAX, /* a name, address or error, escaped */
};

/* "812 B", "3.4 KiB": for reading, not for adding up. */
static const char *bytes_text(uint64_t bytes, char text[BYTES_TEXT_MAX])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        (void)snprintf(text, BYTES_TEXT_MAX, "%" PRIu64 " B", bytes);
        return text;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    for (; value >= 1024; unit++)
        value /= 1024;
    (void)snprintf(text, BYTES_TEXT_MAX, "%.1f %s", value, units[unit]);
    return text;
}

static const char *time_text(uint64_t wall_us, char text[OS_CLOCK_TEXT_MAX])
{
    return os_clock_local_text(wall_us, text, OS_CLOCK_TEXT_MAX);
}

/* What others chose must not steer the terminal. */
static void put_name(struct text *out, const char *name)
{
    char shown[SHOWN_MAX];
    text_append_string(out, log_escape(name, shown, sizeof(shown)));
}

/* The line's first column. */
static void put_label(struct text *out, const char *label)
{
    text_appendf(out, "%-8s", label);
}

static void put_records(struct text *out, const char *what, uint64_t records, uint64_t bytes)
{
    char text[BYTES_TEXT_MAX];
    text_appendf(out, "%s %" PRIu64 " (%s)", what, records, bytes_text(bytes, text));
}

/* ---- link -------------------------------------------------------------------------------- */

static void put_peer(struct text *out, const struct link_peer_status *p)
{
    char time[OS_CLOCK_TEXT_MAX];
    put_label(out, "");
    put_name(out, p->name);
    text_append_string(out, " at ");
    put_name(out, p->address);
    text_appendf(out, ", since %s\n", time_text(p->since_wall_us, time));
    put_label(out, "");
    text_append_string(out, "  ");
    put_records(out, "sent", p->sent_records, p->sent_bytes);
    put_records(out, ", received", p->received_records, p->received_bytes);
    text_appendf(out, ", round trip %" PRIu64 " us\n", p->rtt_us);
}

static void put_link(struct text *out, const struct status *s)
{
    put_label(out, "link");
    text_appendf(out, "%s, %s ", s->link.state, s->link_role);
    put_name(out, s->link_address);
    if (s->vm_id[0] != '\0')
        text_appendf(out, ", VM %s", s->vm_id);
    text_append_string(out, "\n");
    if (s->link.last_error[0] != '\0') {
        put_label(out, "");
        put_name(out, s->link.last_error);
        text_append_string(out, "\n");
    }
    if (s->link.reconnects + s->link.refused > 0) {
        put_label(out, "");
        text_appendf(out, "reconnected %" PRIu64 ", refused %" PRIu64 "\n", s->link.reconnects,
                     s->link.refused);
    }
    for (size_t i = 0; i < s->link.peer_count; i++)
        put_peer(out, &s->link.peers[i]);
}

/* ---- counters ---------------------------------------------------------------------------- */

static bool is_of_group(const struct status_counter *counter, const char *group)
{
    return counter->group != NULL && strcmp(counter->group, group) == 0;
}

/* "  dropped queue_full 3, empty 1", or nothing when all of the group are 0. */
static void put_group(struct text *out, const char *group, const struct status_counter *table,
                      size_t count, const void *counters)
{
    bool is_first = true;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = status_counter_get(&table[i], counters);
        if (!is_of_group(&table[i], group) || value == 0)
            continue;
        if (is_first) {
            put_label(out, "");
            text_appendf(out, "  %s:", group);
        }
        text_appendf(out, "%s %s %" PRIu64, is_first ? "" : ",", table[i].name, value);
        is_first = false;
    }
    if (!is_first)
        text_append_string(out, "\n");
}

static void put_kernel_dropped(struct text *out, uint64_t value)
{
    if (value == COUNTER_UNKNOWN)
        text_append_string(out, ", kernel_dropped unknown");
    else if (value > 0)
        text_appendf(out, ", kernel_dropped %" PRIu64, value);
}

static void put_input(struct text *out, const struct status_input *in)
{
    static const char *const groups[] = {"dropped", "flagged", "framing"};
    const struct input_counters *c = &in->counters;
    put_label(out, "input");
    text_appendf(out, "%s ", in->name);
    put_name(out, in->listen);
    text_append_string(out, "\n");
    put_label(out, "");
    put_records(out, "  received", counter_get(&c->received), counter_get(&c->received_bytes));
    if (counter_get(&c->connections_total) > 0)
        text_appendf(out, ", connections %" PRIu64 " of %" PRIu64, counter_get(&c->connections),
                     counter_get(&c->connections_total));
    put_kernel_dropped(out, counter_get(&c->kernel_dropped));
    text_append_string(out, "\n");
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        put_group(out, groups[i], status_input_counters, STATUS_INPUT_COUNTERS, c);
}

static void put_output(struct text *out, const struct status_output *o)
{
    const struct output_counters *c = &o->counters;
    put_label(out, "output");
    text_appendf(out, "%s ", o->name);
    put_name(out, o->to);
    text_append_string(out, counter_get(&c->is_up) != 0 ? ", up\n" : ", away\n");
    if (o->error[0] != '\0') {
        put_label(out, "");
        text_append_string(out, "  ");
        put_name(out, o->error);
        text_append_string(out, "\n");
    }
    put_label(out, "");
    put_records(out, "  delivered", counter_get(&c->delivered),
                counter_get(&c->delivered_bytes));
    text_appendf(out, ", retried %" PRIu64 "\n", counter_get(&c->retried));
    put_group(out, "dropped", status_output_counters, STATUS_OUTPUT_COUNTERS, c);
}

/* ---- queues ------------------------------------------------------------------------------ */

static void put_queue(struct text *out, const char *direction, const struct queue_books *b)
{
    char used[BYTES_TEXT_MAX], limit[BYTES_TEXT_MAX];
    put_label(out, "queue");
    text_appendf(out, "%s: held %" PRIu64 ", memory %s of %s\n", direction, b->held,
                 bytes_text(b->memory, used), bytes_text(b->memory_limit, limit));
    put_label(out, "");
    text_appendf(out,
                 "  balance %s: received %" PRIu64 " %s delivered %" PRIu64
                 " + dropped %" PRIu64 " + held %" PRIu64 "\n",
                 status_is_balanced(b) ? "ok" : "WRONG", b->received,
                 status_is_balanced(b) ? "=" : "is not", b->delivered, b->dropped, b->held);
}

void status_text(const struct status *s, struct text *out)
{
    char time[OS_CLOCK_TEXT_MAX];
    text_appendf(out, "%s %s on ", s->program, s->version);
    put_name(out, s->node);
    text_appendf(out, ", since %s\n", time_text(s->since_wall_us, time));
    put_label(out, "config");
    put_name(out, s->config_file);
    text_append_string(out, "\n");
    put_link(out, s);
    for (size_t i = 0; i < s->input_count; i++)
        put_input(out, &s->inputs[i]);
    put_queue(out, "out, from inputs to link", &s->out);
    for (size_t i = 0; i < s->output_count; i++)
        put_output(out, &s->outputs[i]);
    put_queue(out, "in, from link to outputs", &s->in);
}
