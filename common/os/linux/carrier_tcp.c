/* SPDX-License-Identifier: MIT */
/* linux/carrier_tcp.c - streams over TCP. */
#include <errno.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/os/linux/carrier.h"
#include "common/os/linux/deadline.h"
#include "common/os/linux/error.h"
#include "common/os/linux/inet.h"
#include "common/os/linux/stream_fd.h"

static int tcp_setup(int fd, char *peer, size_t size)
{
    union inet_address at;
    socklen_t length = sizeof at;
    struct address a;

    if (getpeername(fd, &at.any, &length) < 0)
        return error_errno();
    inet_from(&at, &a);
    address_format(&a, peer, size);
    /* What is written is a whole batch: there is nothing to wait for. */
    inet_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    inet_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    return 0;
}

static const struct stream_kind tcp_kind = {.setup = tcp_setup, .has_unsent = true};

static int tcp_dial_address(const struct address *a, const struct stream_wait *wait,
                            struct os_stream **ret)
{
    union inet_address to;
    socklen_t length = inet_to(a, &to);

    int fd = socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_errno();
    int r = stream_connect(fd, &to.any, length, wait);
    if (r < 0) {
        close(fd);
        return r;
    }
    r = stream_new(fd, &tcp_kind, ret);
    return r == ERR_CLOSED ? ERR_REFUSED : r;
}

/* Each address gets an equal part of the time that is left, so that a silent one does not keep
 * the others from being tried. */
static int tcp_dial(const struct os_target *target, unsigned timeout_ms,
                    bool (*is_canceled)(void *), void *arg, struct os_stream **ret)
{
    struct stream_wait all = stream_wait_init(timeout_ms, is_canceled, arg);
    struct address list[INET_ADDRESSES_MAX];

    int count = inet_resolve(target->endpoint, list, INET_ADDRESSES_MAX);
    int r = count < 0 ? count : ERR_NOT_FOUND;
    for (int i = 0; i < count; i++) {
        struct stream_wait part = all;
        uint64_t now = os_clock_ms();
        if (now < all.deadline_ms)
            part.deadline_ms = now + (all.deadline_ms - now) / (unsigned)(count - i);
        r = tcp_dial_address(&list[i], &part, ret);
        if (r == 0 || r == ERR_CANCELED)
            break;
    }
    return r;
}

static int tcp_listen(const struct os_target *target, struct os_listener **ret)
{
    uint16_t port = 0;
    int fd = -1;

    int r = inet_bind(target->endpoint, SOCK_STREAM, &fd, &port);
    if (r < 0)
        return r;
    if (listen(fd, SOMAXCONN) < 0) {
        r = error_errno();
        close(fd);
        return r;
    }
    return stream_listener_new(fd, port, NULL, &tcp_kind, ret);
}

const struct os_carrier carrier_tcp = {.name = "tcp", .dial = tcp_dial, .listen = tcp_listen};
