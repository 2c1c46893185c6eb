/* SPDX-License-Identifier: MIT */
/* linux/sock.c - listeners and connections that never block. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/os/linux/error.h"
#include "common/os/linux/inet.h"
#include "common/os/linux/sock.h"

/* An input is there for every local program. */
enum { INPUT_MODE = 0666 };

/* Descriptors that senders cannot have: an eighth of all, at most RESERVED_MAX. */
enum { RESERVED_PART = 8, RESERVED_MAX = 64 };

static int listen_unix(struct os_sock *s, const struct endpoint *endpoint)
{
    s->file = calloc(1, sizeof *s->file);
    if (!s->file)
        return error_keep(ERR_NO_MEMORY, ENOMEM);
    s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->fd < 0)
        return error_errno();
    return unix_bind(s->fd, SOCK_STREAM, endpoint->path, INPUT_MODE, s->file);
}

int os_sock_listen(const struct endpoint *endpoint, struct os_sock **ret)
{
    struct os_sock *s = calloc(1, sizeof *s);
    int r;

    if (!s)
        return error_keep(ERR_NO_MEMORY, ENOMEM);
    s->fd = -1;
    if (endpoint->kind == ENDPOINT_UNIX)
        r = listen_unix(s, endpoint);
    else if (endpoint->kind == ENDPOINT_TCP)
        r = inet_bind(endpoint, SOCK_STREAM | SOCK_NONBLOCK, &s->fd, &s->port);
    else
        r = error_from(EAFNOSUPPORT);
    if (r == 0 && listen(s->fd, SOMAXCONN) < 0)
        r = error_errno();
    if (r < 0) {
        os_sock_close(s);
        return r;
    }
    *ret = s;
    return 0;
}

uint16_t os_sock_port(const struct os_sock *s)
{
    return s->port;
}

/* Are only those descriptors left that are for others? A new one gets the lowest free number,
 * so that number tells how many are in use. */
static bool is_scarce(int fd)
{
    struct rlimit limit;
    int lowest = fcntl(fd, F_DUPFD_CLOEXEC, 0);

    if (lowest < 0)
        return true;
    close(lowest);
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return false;
    rlim_t reserved = limit.rlim_cur / RESERVED_PART;
    if (reserved > RESERVED_MAX)
        reserved = RESERVED_MAX;
    return (rlim_t)lowest + reserved >= limit.rlim_cur;
}

static int without_descriptor(int listener)
{
    struct pollfd p = {.fd = listener, .events = POLLIN};

    return poll(&p, 1, 0) == 0 ? ERR_AGAIN : error_keep(ERR_FULL, EMFILE);
}

int os_sock_accept(struct os_sock *listener, struct os_sock **ret, struct address *ret_peer)
{
    union inet_address from = {0};
    socklen_t length = sizeof from;

    if (is_scarce(listener->fd))
        return without_descriptor(listener->fd);
    struct os_sock *s = calloc(1, sizeof *s);
    if (!s)
        return error_keep(ERR_FULL, ENOMEM);
    s->fd = accept4(listener->fd, &from.any, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (s->fd < 0) {
        int r = error_accept(errno);
        free(s);
        return r;
    }
    /* A sender that vanished without a word must not hold its place for ever. */
    inet_set(s->fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    inet_from(&from, ret_peer);
    *ret = s;
    return 0;
}

ptrdiff_t os_sock_read(struct os_sock *s, void *data, size_t length)
{
    ssize_t n;

    do
        n = recv(s->fd, data, length, 0);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        return n;
    if (n == 0)
        return error_keep(ERR_CLOSED, 0);
    return error_keep(errno == EAGAIN ? ERR_AGAIN : ERR_IO, errno);
}

void os_sock_close(struct os_sock *s)
{
    if (!s)
        return;
    if (s->file)
        unix_file_remove(s->file);
    if (s->fd >= 0)
        close(s->fd);
    free(s->file);
    free(s);
}
