/* SPDX-License-Identifier: MIT */
/* input_connection.c - one sender's connection: its socket, its framer, and what it fell
 * silent with. */
#include "input_connection.h"

#include <stdlib.h>

#include "common/core/err.h"
#include "common/os/clock.h"

struct connection *connection_new(struct os_sock *sock, const struct source *source,
                                  const struct framer_options *options)
{
    struct connection *c = calloc(1, sizeof(*c));
    if (c == NULL)
        return NULL;
    c->framer = framer_new(options);
    if (c->framer == NULL) {
        free(c);
        return NULL;
    }
    c->sock = sock;
    c->source = *source;
    return c;
}

void connection_free(struct connection *c)
{
    os_sock_close(c->sock);
    framer_free(c->framer);
    free(c);
}

static int take_messages(struct connection *c, struct taker *taker)
{
    struct framed message;
    uint64_t time_us = os_clock_wall_us();
    int r;

    while ((r = framer_next(c->framer, &message)) > 0)
        taker_take(taker, &c->source, &message, time_us);
    taker_count_framing(taker->counters, framer_counters(c->framer), &c->seen);
    return r;
}

int connection_read(struct connection *c, struct taker *taker, void *buffer, size_t size)
{
    ptrdiff_t n = os_sock_read(c->sock, buffer, size);

    if (n < 0)
        return (int)n;
    framer_feed(c->framer, buffer, (size_t)n);
    return take_messages(c, taker);
}

int connection_settle(struct connection *c, struct taker *taker)
{
    framer_settle(c->framer);
    return take_messages(c, taker);
}

int connection_end(struct connection *c, struct taker *taker)
{
    framer_end(c->framer);
    return take_messages(c, taker);
}
