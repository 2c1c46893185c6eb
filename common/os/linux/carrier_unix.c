/* SPDX-License-Identifier: MIT */
/* linux/carrier_unix.c - streams over unix sockets. */
#include "common/os/linux/carrier_unix.h"

#include <errno.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/os/linux/carrier.h"
#include "common/os/linux/error.h"
#include "common/os/linux/stream_fd.h"
#include "common/os/linux/unix_file.h"

/* Owner and group: the link's two programs may run as two users, and prove a secret anyway. */
enum { LINK_MODE = 0660 };

static const struct stream_kind unix_kind = {.setup = unix_peer, .has_unsent = true};

static int set_send_timeout(int fd, int timeout_ms)
{
    struct timeval t = {.tv_sec = timeout_ms / 1000,
                        .tv_usec = (suseconds_t)(timeout_ms % 1000) * 1000};

    return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t) < 0 ? error_errno() : 0;
}

/* A unix socket does not connect in the background: without waiting it says EAGAIN while the
 * listener's backlog is full, and poll() then knows nothing. But a blocking connect waits for
 * room, and for SO_SNDTIMEO at most (net/unix/af_unix.c unix_stream_connect()). */
static int unix_connect(int fd, const struct sockaddr_un *to, const struct stream_wait *wait)
{
    for (;;) {
        int step_ms = 0;
        int r = stream_wait_step(wait, &step_ms);
        if (r == 0)
            r = set_send_timeout(fd, step_ms);
        if (r < 0)
            return r;
        if (connect(fd, (const struct sockaddr *)to, sizeof *to) == 0)
            return set_send_timeout(fd, 0);
        if (errno != EAGAIN && errno != EINTR)
            return error_errno();
    }
}

int carrier_unix_dial(const struct os_target *target, unsigned timeout_ms,
                      bool (*is_canceled)(void *), void *arg, struct os_stream **ret)
{
    struct stream_wait wait = stream_wait_init(timeout_ms, is_canceled, arg);
    struct sockaddr_un to;

    int r = unix_address(target->endpoint->path, &to);
    if (r < 0)
        return r;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_errno();
    r = unix_connect(fd, &to, &wait);
    if (r < 0) {
        close(fd);
        return r;
    }
    return stream_new(fd, &unix_kind, ret);
}

int carrier_unix_listen(const char *path, mode_t mode, struct os_listener **ret)
{
    struct unix_file file;

    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_errno();
    int r = unix_bind(fd, SOCK_STREAM, path, mode, &file);
    if (r == 0 && listen(fd, SOMAXCONN) < 0) {
        r = error_errno();
        unix_file_remove(&file);
    }
    if (r < 0) {
        close(fd);
        return r;
    }
    return stream_listener_new(fd, 0, &file, &unix_kind, ret);
}

static int unix_listen(const struct os_target *target, struct os_listener **ret)
{
    return carrier_unix_listen(target->endpoint->path, LINK_MODE, ret);
}

const struct os_carrier carrier_unix = {
    .name = "unix",
    .dial = carrier_unix_dial,
    .listen = unix_listen,
};
