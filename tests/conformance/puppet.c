/* SPDX-License-Identifier: MIT */
/* puppet.c - a peer that does what the test says and nothing else. */
#include "puppet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/os/clock.h"
#include "common/os/crypto.h"

static int hmac(void *arg, const uint8_t *data, size_t length,
                uint8_t ret_mac[WIRE_PROOF_BYTES])
{
    const char *secret = arg;

    return os_hmac_sha256((const uint8_t *)secret, strlen(secret), data, length, ret_mac);
}

void puppet_dial(struct puppet *p, const struct os_carrier *carrier,
                 const struct os_target *target)
{
    memset(p, 0, sizeof *p);
    if (carrier->dial(target, 5000, NULL, NULL, &p->stream) < 0)
        abort();
}

void puppet_accept(struct puppet *p, struct os_listener *listener)
{
    memset(p, 0, sizeof *p);
    if (listener->ops->accept(listener, &p->stream) < 0)
        abort();
}

void puppet_close(struct puppet *p)
{
    p->stream->ops->close(p->stream);
    session_free(p->session);
}

void puppet_greet(struct puppet *p, enum wire_role role, const char *name, const char *secret)
{
    struct session_options options = {
        .role = role,
        .name = name,
        .has_secret = secret[0] != '\0',
        .hmac = hmac,
        .heartbeat_ms = 100,
    };

    memcpy(&options.hmac_arg, &secret, sizeof secret); /* hmac() only reads it */
    os_random(options.nonce, sizeof options.nonce);
    os_random(options.identity, sizeof options.identity);
    p->session = session_new(&options, os_clock_us());
}

static void on_event(struct puppet *p, const struct session_event *ev)
{
    if (ev->type == SESSION_PEER)
        session_accept(p->session, 0, p->credit);
    if (ev->type == SESSION_OPEN)
        p->is_open = true;
    if (ev->type == SESSION_DATA) {
        p->last_seq = ev->u.data.seq;
        free(ev->u.data.batch);
    }
    if (ev->type == SESSION_CLOSED) {
        p->is_closed = true;
        p->by_peer = ev->u.closed.by_peer;
        p->reason = ev->u.closed.reason;
        snprintf(p->text, sizeof p->text, "%s", ev->u.closed.text);
    }
}

static void send_control(struct puppet *p)
{
    uint8_t control[SESSION_PULL_MAX];
    size_t n = session_pull(p->session, control, sizeof control, os_clock_us());

    if (n)
        puppet_write(p, control, n);
}

bool puppet_turn(struct puppet *p)
{
    struct session_event ev;
    uint8_t *space;
    size_t size;

    send_control(p);
    session_reserve(p->session, &space, &size);
    ptrdiff_t n = p->stream->ops->read(p->stream, space, size);
    if (n < 0)
        return false;
    session_commit(p->session, (size_t)n, os_clock_us());
    while (session_next(p->session, os_clock_us(), &ev))
        on_event(p, &ev);
    send_control(p);
    return true;
}

void puppet_open(struct puppet *p, enum wire_role role, const char *name, const char *secret)
{
    puppet_greet(p, role, name, secret);
    while (!p->is_open)
        if (!puppet_turn(p))
            abort();
}

void puppet_drain(struct puppet *p)
{
    while (puppet_turn(p))
        ;
}

void puppet_write(struct puppet *p, const void *data, size_t length)
{
    p->stream->ops->write(p->stream, &(struct os_vec){.data = data, .length = length}, 1);
}
