/* SPDX-License-Identifier: MIT */
/* outlet.c - an output under test, and batches for it. */
#include "outlet.h"

#include <stdio.h>
#include <stdlib.h>

enum { LOOK_MS = 5, QUEUE_BYTES = 256 * 1024 * 1024 };

static const char *const names[] = {[FROM_LAN] = "lan", [FROM_LOCAL] = "local"};

static const struct source sources[] = {
    [FROM_LAN] = {.address = {.family = ADDRESS_IPV4, .port = 40123, .ip = {192, 0, 2, 7}},
                  .transport = TRANSPORT_UDP,
                  .input = FROM_LAN},
    [FROM_LOCAL] = {.transport = TRANSPORT_UNIX, .input = FROM_LOCAL},
};

static void append(struct batch_builder *bb, int from, const void *data, size_t length)
{
    bool is_binary = memchr(data, '\n', length) != NULL || memchr(data, '\0', length) != NULL;
    struct record r = {.data = data,
                       .length = (uint32_t)length,
                       .orig_length = (uint32_t)length,
                       .time_us = 1,
                       .flags = is_binary ? RECORD_BINARY : 0,
                       .source = (uint16_t)batch_builder_source(bb, &sources[from])};

    assert_int_equal(batch_builder_append(bb, &r), 0);
}

static struct batch *seal(struct batch_builder *bb)
{
    struct batch *b = NULL;

    assert_int_equal(batch_builder_seal(bb, &b), 0);
    batch_builder_free(bb);
    return b;
}

struct batch *make_batch(const struct line *lines, size_t count)
{
    struct batch_builder *bb = batch_builder_new(names, COUNT(names));

    assert_non_null(bb);
    for (size_t i = 0; i < count; i++)
        append(bb, lines[i].from, lines[i].text,
               lines[i].length > 0 ? lines[i].length : strlen(lines[i].text));
    return seal(bb);
}

struct batch *make_numbered(size_t first, size_t count, size_t length)
{
    struct batch_builder *bb = batch_builder_new(names, COUNT(names));
    char *text = malloc(length + 1);

    assert_non_null(bb);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++) {
        memset(text, '.', length);
        int n = snprintf(text, length, "<13>%zu ", first + i);
        text[n] = '.';
        append(bb, FROM_LAN, text, length);
    }
    free(text);
    return seal(bb);
}

size_t number_of(const char *text)
{
    return (size_t)strtoull(text + strlen("<13>"), NULL, 10);
}

void outlet_init(struct outlet *t, const char *to)
{
    *t = (struct outlet){.config = {.name = "out", .escape = true}};
    t->config.to = endpoint_of(to);
    t->queue = queue_new(&(struct queue_options){.memory_limit = QUEUE_BYTES});
    assert_non_null(t->queue);
}

void outlet_open(struct outlet *t)
{
    t->out = output_new(&t->config, t->queue);
    assert_non_null(t->out);
    assert_int_equal(output_start(t->out), 0);
}

void outlet_close(struct outlet *t)
{
    if (t->out != NULL)
        output_stop(t->out);
    output_free(t->out);
    queue_free(t->queue);
}

void outlet_submit(struct outlet *t, struct batch *b)
{
    assert_int_equal(queue_try_submit(t->queue, b, NULL, 0), 0);
    batch_unref(b);
}

const struct output_counters *outlet_counters(const struct outlet *t)
{
    return output_counters(t->out);
}

static void await(const struct counter *c, uint64_t at_least, uint64_t at_most)
{
    uint64_t deadline = test_deadline();
    struct os_mutex lock;
    struct os_cond never;

    os_mutex_init(&lock);
    os_cond_init(&never);
    os_mutex_lock(&lock);
    while ((counter_get(c) < at_least || counter_get(c) > at_most) && os_clock_ms() < deadline)
        os_cond_wait_until(&never, &lock, os_clock_ms() + LOOK_MS);
    os_mutex_unlock(&lock);
    os_cond_release(&never);
    os_mutex_release(&lock);
    assert_in_range(counter_get(c), at_least, at_most);
}

void outlet_await(const struct counter *c, uint64_t value)
{
    await(c, value, UINT64_MAX);
}

void outlet_await_exactly(const struct counter *c, uint64_t value)
{
    await(c, value, value);
}
