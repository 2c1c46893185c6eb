/* SPDX-License-Identifier: MIT */
/* inlet.c - an input under test. */
#include "inlet.h"

#include <stdlib.h>

static const char *const names[] = {"other", "lan"};

enum { INDEX = 1, LOOK_MS = 5, MAX_CONNECTIONS = 1000 };

void inlet_init(struct inlet *t, const char *listen)
{
    *t = (struct inlet){
        .config = {.name = "lan",
                   .framer = {.max_message = MESSAGE_MAX_DEFAULT},
                   .max_connections = MAX_CONNECTIONS},
    };
    t->config.listen = endpoint_of(listen);
    t->queue = queue_new(&(struct queue_options){.memory_limit = QUEUE_MEMORY_MIN});
    assert_non_null(t->queue);
    t->cursor = queue_cursor_open(t->queue, true);
    assert_non_null(t->cursor);
    t->context =
        (struct input_context){.queue = t->queue, .names = names, .name_count = COUNT(names)};
}

void inlet_open(struct inlet *t)
{
    assert_int_equal(input_open(&t->config, INDEX, &t->context, &t->in), 0);
    assert_int_equal(input_start(t->in), 0);
}

void inlet_close(struct inlet *t)
{
    if (t->in != NULL)
        input_stop(t->in);
    input_free(t->in);
    queue_cursor_close(t->cursor);
    queue_free(t->queue);
    for (size_t i = 0; i < t->got_count; i++)
        free(t->got[i].text);
    free(t->got);
}

static void keep(struct inlet *t, const struct batch *b, size_t i)
{
    struct record r = batch_record(b, i);

    if (t->got_count == t->got_size) {
        t->got_size = t->got_size > 0 ? 2 * t->got_size : 1024;
        t->got = realloc(t->got, t->got_size * sizeof(*t->got));
        assert_non_null(t->got);
    }
    struct got *g = &t->got[t->got_count++];
    *g = (struct got){.text = malloc(r.length + 1U),
                      .length = r.length,
                      .orig_length = r.orig_length,
                      .flags = r.flags,
                      .source = batch_source(b, r.source)};
    assert_non_null(g->text);
    memcpy(g->text, r.data, r.length);
    g->text[r.length] = '\0';
    size_t length;
    const char *name = batch_input(b, g->source.input, &length);
    assert_int_equal(length, strlen(names[INDEX]));
    assert_memory_equal(name, names[INDEX], length);
}

static bool take(struct inlet *t, uint64_t deadline_ms)
{
    struct queue_item items[QUEUE_TAKE_MAX];
    int n = queue_take(t->cursor, items, QUEUE_TAKE_MAX, SIZE_MAX, deadline_ms);

    if (n <= 0)
        return false;
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < batch_records(items[i].batch); k++)
            keep(t, items[i].batch, k);
    queue_give_back(items, n);
    queue_done(t->cursor, items[n - 1].seq, 0);
    return true;
}

void inlet_expect(struct inlet *t, size_t count)
{
    uint64_t deadline = test_deadline();

    while (t->got_count < count)
        if (!take(t, deadline))
            fail_msg("%zu of %zu records came", t->got_count, count);
    assert_int_equal(t->got_count, count);
}

void inlet_drain(struct inlet *t)
{
    while (take(t, 0))
        ;
}

void inlet_await(const struct counter *c, uint64_t value)
{
    uint64_t deadline = test_deadline();
    struct os_mutex lock;
    struct os_cond never;

    os_mutex_init(&lock);
    os_cond_init(&never);
    os_mutex_lock(&lock);
    while (counter_get(c) < value && os_clock_ms() < deadline)
        os_cond_wait_until(&never, &lock, os_clock_ms() + LOOK_MS);
    os_mutex_unlock(&lock);
    os_cond_release(&never);
    os_mutex_release(&lock);
    assert_true(counter_get(c) >= value);
}

const struct input_counters *inlet_counters(const struct inlet *t)
{
    return input_counters(t->in);
}

struct os_stream *inlet_dial(const struct inlet *t)
{
    struct endpoint to = t->config.listen;
    const struct os_carrier *carrier =
        os_carrier_find(to.kind == ENDPOINT_TCP ? "tcp" : "unix");
    struct os_stream *s = NULL;

    to.port = input_port(t->in);
    to.address.port = (uint16_t)to.port;
    assert_non_null(carrier);
    assert_int_equal(
        carrier->dial(&(struct os_target){.endpoint = &to}, TEST_LIMIT_MS, NULL, NULL, &s), 0);
    return s;
}

void inlet_send(struct os_stream *s, const void *data, size_t length)
{
    struct os_vec vec = {.data = data, .length = length};

    assert_int_equal(s->ops->write(s, &vec, 1), 0);
}

void inlet_send_text(struct os_stream *s, const char *text)
{
    inlet_send(s, text, strlen(text));
}

bool inlet_is_closed(struct os_stream *s)
{
    char octet;

    return s->ops->read(s, &octet, 1) == ERR_CLOSED;
}
