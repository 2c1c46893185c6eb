/* SPDX-License-Identifier: MIT */
/* node.c - one side of a link for the suite. */
#include "node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/os/clock.h"

static const char *const input_names[] = {"numbers"};

static void check_batch(struct node *n, const struct batch *b)
{
    for (size_t i = 0; i < batch_records(b); i++) {
        struct record r = batch_record(b, i);
        char text[24] = "";
        memcpy(text, r.data, r.length < sizeof text - 1 ? r.length : sizeof text - 1);
        uint64_t number = strtoull(text, NULL, 10);
        n->faults += number != n->received + 1;
        n->received = number;
    }
}

static void *run_sink(void *arg)
{
    struct node *n = arg;
    struct queue_item items[QUEUE_TAKE_MAX];

    for (;;) {
        int count = queue_take(n->sink, items, QUEUE_TAKE_MAX, SIZE_MAX, OS_NEVER);
        if (count < 0)
            return NULL;
        os_mutex_lock(&n->lock);
        while (n->is_held)
            os_cond_wait(&n->changed, &n->lock);
        for (int i = 0; i < count; i++)
            check_batch(n, items[i].batch);
        os_cond_broadcast(&n->changed);
        os_mutex_unlock(&n->lock);
        queue_give_back(items, count);
        queue_done(n->sink, items[count - 1].seq, 0);
    }
}

void node_open(struct node *n, const struct os_carrier *carrier, const char *address,
               struct uuid vm_id, enum wire_role role, const char *name)
{
    struct reason why;

    memset(n, 0, sizeof *n);
    if (endpoint_parse(view_of(address), ENDPOINT_SET_ALL, &n->endpoint, &why) < 0)
        abort();
    os_mutex_init(&n->lock);
    os_cond_init(&n->changed);
    n->outbound = queue_new(&(struct queue_options){.memory_limit = QUEUE_MEMORY_MIN});
    n->inbound = queue_new(&(struct queue_options){.memory_limit = 16 * QUEUE_MEMORY_MIN,
                                                   .release = link_release});
    n->options = (struct link_options){
        .carrier = carrier,
        .target = {.endpoint = &n->endpoint, .vm_id = vm_id},
        .role = role,
        .name = name,
        .secret = (const uint8_t *)"a secret of the suite",
        .secret_length = 21,
        .heartbeat_ms = 100,
        .outbound = n->outbound,
        .inbound = n->inbound,
        .credit = 2 * (uint64_t)WIRE_DATA_BODY_MAX,
    };
}

int node_start(struct node *n)
{
    n->sink = queue_cursor_open(n->inbound, true);
    n->link = link_new(&n->options);
    if (!n->sink || !n->link || os_thread_start(&n->thread, "sink", run_sink, n) < 0)
        abort();
    return link_start(n->link);
}

void node_close(struct node *n)
{
    node_hold(n, false);
    queue_close(n->inbound);
    link_stop(n->link);
    queue_cancel(n->sink);
    os_thread_join(&n->thread);
    link_free(n->link);
    queue_cursor_close(n->sink);
    queue_free(n->inbound);
    queue_free(n->outbound);
    os_cond_release(&n->changed);
    os_mutex_release(&n->lock);
}

static void append_number(struct batch_builder *bb, uint64_t number, uint8_t *data,
                          size_t length)
{
    struct source source = {.transport = TRANSPORT_TCP};
    char text[24];

    memset(data, ' ', length);
    int digits = snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    memcpy(data, text, (size_t)digits);
    struct record r = {
        .data = data,
        .length = (uint32_t)length,
        .orig_length = (uint32_t)length,
        .source = (uint16_t)batch_builder_source(bb, &source),
    };
    if (batch_builder_append(bb, &r) < 0)
        abort();
}

void node_submit(struct node *n, size_t batches, size_t records, size_t length)
{
    struct batch_builder *bb = batch_builder_new(input_names, 1);
    uint8_t *data = malloc(length);
    struct batch *b;

    if (!bb || !data || length < 24)
        abort();
    for (size_t i = 0; i < batches; i++) {
        for (size_t k = 0; k < records; k++)
            append_number(bb, ++n->sent, data, length);
        if (batch_builder_seal(bb, &b) < 0 || queue_submit(n->outbound, b, NULL, 0) < 0)
            abort();
        batch_unref(b);
    }
    batch_builder_free(bb);
    free(data);
}

void node_hold(struct node *n, bool hold)
{
    os_mutex_lock(&n->lock);
    n->is_held = hold;
    os_cond_broadcast(&n->changed);
    os_mutex_unlock(&n->lock);
}

/* ---- waiting for a state ----------------------------------------------------------------- */

uint64_t node_received(struct node *n)
{
    os_mutex_lock(&n->lock);
    uint64_t received = n->received;
    os_mutex_unlock(&n->lock);
    return received;
}

uint64_t node_faults(struct node *n)
{
    os_mutex_lock(&n->lock);
    uint64_t faults = n->faults;
    os_mutex_unlock(&n->lock);
    return faults;
}

struct wish {
    uint64_t number;
    const char *text;
};

typedef bool state_fn(struct node *n, const struct wish *wish);

/* Look again and again, with a limit; the condition only makes the pause between two looks. */
static bool wait_state_for(struct node *n, state_fn *is_there, struct wish wish,
                           unsigned wait_ms)
{
    uint64_t deadline = os_clock_ms() + wait_ms;

    while (!is_there(n, &wish)) {
        if (os_clock_ms() >= deadline)
            return false;
        os_mutex_lock(&n->lock);
        os_cond_wait_until(&n->changed, &n->lock, os_clock_ms() + NODE_POLL_MS);
        os_mutex_unlock(&n->lock);
    }
    return true;
}

static bool wait_state(struct node *n, state_fn *is_there, struct wish wish)
{
    return wait_state_for(n, is_there, wish, NODE_WAIT_MS);
}

static bool is_up(struct node *n, const struct wish *wish)
{
    struct link_status status;

    link_status(n->link, &status);
    return (status.peer_count > 0) == (wish->number > 0);
}

static bool has_received(struct node *n, const struct wish *wish)
{
    return node_received(n) >= wish->number;
}

static bool has_error(struct node *n, const struct wish *wish)
{
    struct link_status status;

    link_status(n->link, &status);
    return strstr(status.last_error, wish->text) != NULL;
}

static bool has_refused(struct node *n, const struct wish *wish)
{
    struct link_status status;

    link_status(n->link, &status);
    return status.refused >= wish->number;
}

static bool has_reconnected(struct node *n, const struct wish *wish)
{
    struct link_status status;

    link_status(n->link, &status);
    return status.reconnects >= wish->number;
}

static bool has_held(struct node *n, const struct wish *wish)
{
    struct queue_books books;

    queue_books(n->inbound, &books);
    return books.memory_bytes >= wish->number;
}

bool node_wait_held(struct node *n, uint64_t bytes)
{
    return wait_state(n, has_held, (struct wish){.number = bytes});
}

bool node_wait_up(struct node *n)
{
    return wait_state(n, is_up, (struct wish){.number = 1});
}

bool node_wait_down(struct node *n)
{
    return wait_state(n, is_up, (struct wish){.number = 0});
}

bool node_wait_received(struct node *n, uint64_t number)
{
    return wait_state(n, has_received, (struct wish){.number = number});
}

bool node_wait_drained(struct node *n)
{
    return queue_wait_drained(n->outbound, os_clock_ms() + NODE_WAIT_MS);
}

bool node_wait_error(struct node *n, const char *part)
{
    return wait_state(n, has_error, (struct wish){.text = part});
}

bool node_wait_refused(struct node *n, uint64_t count)
{
    return wait_state(n, has_refused, (struct wish){.number = count});
}

bool node_wait_reconnect(struct node *n, unsigned wait_ms)
{
    return wait_state_for(n, has_reconnected, (struct wish){.number = 1}, wait_ms);
}
