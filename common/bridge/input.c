/* SPDX-License-Identifier: MIT */
/* input.c - the life of an input, whatever its kind. */
#include "input_private.h"

#include <stdlib.h>

#include "common/core/err.h"
#include "common/os/clock.h"

static const struct kind {
    enum endpoint_kind endpoint;
    enum transport transport;
    const struct input_ops *ops;
} kinds[] = {
    {ENDPOINT_UDP, TRANSPORT_UDP, &input_dgram_ops},
    {ENDPOINT_TCP, TRANSPORT_TCP, &input_stream_ops},
    {ENDPOINT_UNIX, TRANSPORT_UNIX, &input_stream_ops},
    {ENDPOINT_UNIX_DGRAM, TRANSPORT_UNIX_DGRAM, &input_dgram_ops},
};

static const struct kind *kind_of(enum endpoint_kind endpoint)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].endpoint == endpoint)
            return &kinds[i];
    return NULL;
}

int input_open(const struct input_config *config, size_t index,
               const struct input_context *context, struct input **ret)
{
    const struct kind *kind = kind_of(config->listen.kind);
    if (kind == NULL)
        return ERR_UNSUPPORTED;
    struct input *in = calloc(1, sizeof(*in));
    if (in == NULL)
        return ERR_NO_MEMORY;
    in->config = config;
    in->index = (uint8_t)index;
    in->ops = kind->ops;
    in->transport = (uint8_t)kind->transport;

    int r = taker_init(&in->taker, context, &in->counters, in->ops->is_waiting);
    if (r < 0)
        goto free_input;
    r = in->ops->open(in);
    if (r < 0)
        goto release_taker;
    os_mutex_init(&in->lock);
    os_cond_init(&in->stopping);
    *ret = in;
    return 0;

release_taker:
    taker_release(&in->taker);
free_input:
    free(in);
    return r;
}

static void *run(void *arg)
{
    struct input *in = arg;

    in->ops->run(in);
    return NULL;
}

int input_start(struct input *in)
{
    int r = os_thread_start(&in->thread, in->config->name, run, in);

    in->is_started = r == 0;
    return r;
}

void input_finish(struct input *in)
{
    os_mutex_lock(&in->lock);
    atomic_store(&in->is_stopping, true);
    os_cond_broadcast(&in->stopping);
    os_mutex_unlock(&in->lock);
    in->ops->wake(in);
}

void input_stop(struct input *in)
{
    if (!in->is_started)
        return;
    input_finish(in);
    os_thread_join(&in->thread);
    in->is_started = false;
}

void input_free(struct input *in)
{
    if (in == NULL)
        return;
    in->ops->close(in);
    taker_release(&in->taker);
    os_cond_release(&in->stopping);
    os_mutex_release(&in->lock);
    free(in);
}

bool input_is_stopping(struct input *in)
{
    return atomic_load(&in->is_stopping);
}

void input_pause(struct input *in, unsigned ms)
{
    uint64_t deadline = os_clock_ms() + ms;

    os_mutex_lock(&in->lock);
    while (!input_is_stopping(in))
        if (!os_cond_wait_until(&in->stopping, &in->lock, deadline))
            break;
    os_mutex_unlock(&in->lock);
}

bool input_allows(const struct input *in, const struct address *from)
{
    const struct input_config *c = in->config;

    if (c->allow_count == 0 || from->family == ADDRESS_NONE)
        return true;
    for (size_t i = 0; i < c->allow_count; i++)
        if (address_prefix_has(&c->allow[i], from))
            return true;
    return false;
}

uint16_t input_port(const struct input *in)
{
    return in->port;
}

const struct input_counters *input_counters(const struct input *in)
{
    return &in->counters;
}

const struct input_config *input_configuration(const struct input *in)
{
    return in->config;
}
