/* SPDX-License-Identifier: MIT */
/* linux/stream.c - streams and listeners on sockets, and the table of carriers. */
#include "common/os/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/os/linux/carrier.h"
#include "common/os/linux/deadline.h"
#include "common/os/linux/error.h"
#include "common/os/linux/iov.h"
#include "common/os/linux/stream_fd.h"
#include "common/os/linux/unix_file.h"

/* is_ended() throws away so much and then leaves the rest for the next look. */
enum { DISCARD_BYTES = 4096, DISCARD_READS_MAX = 64 };

struct fd_stream {
    struct os_stream s; /* first: the two are one address */
    const struct stream_kind *kind;
    atomic_bool is_canceled;
    int fd;
};

static struct fd_stream *fd_stream(struct os_stream *s)
{
    return (struct fd_stream *)s;
}

/* A broken connection is an end: the protocol above knows what has arrived. What is left, such
 * as a bad descriptor, is a failure. */
static int stream_failed(struct fd_stream *f, int code)
{
    if (atomic_load(&f->is_canceled))
        return error_keep(ERR_CANCELED, code);
    switch (error_code(code)) {
    case ERR_CLOSED:
    case ERR_TIMEOUT:   /* keep-alive or retransmission gave up */
    case ERR_NOT_FOUND: /* no route any more */
    case ERR_REFUSED:
        return error_keep(ERR_CLOSED, code);
    default:
        return error_keep(ERR_IO, code);
    }
}

static ptrdiff_t stream_read(struct os_stream *s, void *data, size_t length)
{
    struct fd_stream *f = fd_stream(s);
    ssize_t n;

    if (atomic_load(&f->is_canceled))
        return ERR_CANCELED;
    do
        n = recv(f->fd, data, length, 0);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        return n;
    if (n == 0)
        return atomic_load(&f->is_canceled) ? ERR_CANCELED : error_keep(ERR_CLOSED, 0);
    if (errno == EIO && f->kind->is_eio_end && !atomic_load(&f->is_canceled))
        return error_keep(ERR_CLOSED, EIO);
    return stream_failed(f, errno);
}

static int stream_write(struct os_stream *s, const struct os_vec *vec, size_t count)
{
    struct fd_stream *f = fd_stream(s);
    struct iovec pieces[OS_VEC_MAX];
    struct iovec *iov = pieces;

    if (count > OS_VEC_MAX)
        return error_keep(ERR_IO, EINVAL);
    for (size_t i = 0; i < count; i++)
        iov[i] = iov_of(&vec[i]);

    for (size_t sent = 0;;) {
        size_t used = iov_advance(iov, count, sent);
        iov += used;
        count -= used;
        if (atomic_load(&f->is_canceled))
            return ERR_CANCELED;
        if (count == 0)
            return 0;
        struct msghdr msg = {.msg_iov = iov, .msg_iovlen = count};
        ssize_t n = sendmsg(f->fd, &msg, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return stream_failed(f, errno);
        sent = n < 0 ? 0 : (size_t)n;
    }
}

static ptrdiff_t stream_unsent(struct os_stream *s)
{
    struct fd_stream *f = fd_stream(s);
    int octets = 0;

    if (!f->kind->has_unsent)
        return error_keep(ERR_UNSUPPORTED, EOPNOTSUPP);
    if (ioctl(f->fd, SIOCOUTQ, &octets) < 0)
        return error_keep(ERR_UNSUPPORTED, errno);
    return octets;
}

static bool stream_is_ended(struct os_stream *s)
{
    struct fd_stream *f = fd_stream(s);
    char unwanted[DISCARD_BYTES];
    ssize_t n = 1;

    for (int i = 0; i < DISCARD_READS_MAX && n > 0; i++)
        n = recv(f->fd, unwanted, sizeof unwanted, MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

static void stream_finish(struct os_stream *s)
{
    shutdown(fd_stream(s)->fd, SHUT_WR);
}

static void stream_cancel(struct os_stream *s)
{
    atomic_store(&fd_stream(s)->is_canceled, true);
    shutdown(fd_stream(s)->fd, SHUT_RDWR);
}

static void stream_close(struct os_stream *s)
{
    if (!s)
        return;
    close(fd_stream(s)->fd);
    free(s);
}

static const struct os_stream_ops stream_ops = {
    .read = stream_read,
    .write = stream_write,
    .unsent = stream_unsent,
    .is_ended = stream_is_ended,
    .finish = stream_finish,
    .cancel = stream_cancel,
    .close = stream_close,
};

int stream_new(int fd, const struct stream_kind *kind, struct os_stream **ret)
{
    struct fd_stream *f = calloc(1, sizeof *f);

    if (!f) {
        close(fd);
        return error_keep(ERR_NO_MEMORY, ENOMEM);
    }
    int r = kind->setup(fd, f->s.peer, sizeof f->s.peer);
    if (r < 0) {
        free(f);
        close(fd);
        return r;
    }
    f->s.ops = &stream_ops;
    f->kind = kind;
    f->fd = fd;
    *ret = &f->s;
    return 0;
}

/* ---- connecting -------------------------------------------------------------------------- */

struct stream_wait stream_wait_init(unsigned timeout_ms, bool (*is_canceled)(void *), void *arg)
{
    return (struct stream_wait){os_clock_ms() + timeout_ms, is_canceled, arg};
}

int stream_wait_step(const struct stream_wait *wait, int *ret_step_ms)
{
    if (wait->is_canceled && wait->is_canceled(wait->arg))
        return error_keep(ERR_CANCELED, ECANCELED);
    int step_ms = deadline_slice(wait->deadline_ms);
    if (step_ms == 0)
        return error_keep(ERR_TIMEOUT, ETIMEDOUT);
    *ret_step_ms = step_ms < OS_CANCEL_POLL_MS ? step_ms : OS_CANCEL_POLL_MS;
    return 0;
}

static int connect_finish(int fd, const struct stream_wait *wait)
{
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        int step_ms = 0;
        int r = stream_wait_step(wait, &step_ms);
        if (r < 0)
            return r;
        r = poll(&p, 1, step_ms);
        if (r < 0 && errno != EINTR)
            return error_errno();
        if (r > 0)
            break;
    }

    int code = 0;
    socklen_t length = sizeof code;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &length) < 0)
        code = errno;
    return code == 0 ? 0 : error_from(code);
}

static bool set_blocking(int fd, bool is_blocking)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags < 0)
        return false;
    flags = is_blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
    return fcntl(fd, F_SETFL, flags) == 0;
}

int stream_connect(int fd, const struct sockaddr *to, socklen_t length,
                   const struct stream_wait *wait)
{
    int r = 0;

    if (!set_blocking(fd, false))
        return error_errno();
    if (connect(fd, to, length) < 0)
        r = errno == EINPROGRESS || errno == EINTR ? connect_finish(fd, wait) : error_errno();
    /* Reset while connecting is how vsock says that nobody listens. */
    if (r == ERR_CLOSED)
        r = ERR_REFUSED;
    if (r == 0 && !set_blocking(fd, true))
        r = error_errno();
    return r;
}

/* ---- listening --------------------------------------------------------------------------- */

struct fd_listener {
    struct os_listener l; /* first, as above */
    const struct stream_kind *kind;
    struct unix_file file;
    atomic_bool is_canceled;
    int fd;
    int cancel_fd;
};

static struct fd_listener *fd_listener(struct os_listener *l)
{
    return (struct fd_listener *)l;
}

static int listener_wait(struct fd_listener *f)
{
    struct pollfd p[] = {{.fd = f->fd, .events = POLLIN},
                         {.fd = f->cancel_fd, .events = POLLIN}};

    int r = poll(p, 2, -1);
    if (atomic_load(&f->is_canceled))
        return ERR_CANCELED;
    return r < 0 && errno != EINTR ? error_keep(ERR_IO, errno) : 0;
}

static int listener_accept(struct os_listener *l, struct os_stream **ret)
{
    struct fd_listener *f = fd_listener(l);

    for (;;) {
        int r = listener_wait(f);
        if (r < 0)
            return r;
        int fd = accept4(f->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (fd < 0)
            return error_accept(errno);
        r = stream_new(fd, f->kind, ret);
        return r == 0 || r == ERR_CANCELED ? r : ERR_AGAIN;
    }
}

static void listener_cancel(struct os_listener *l)
{
    atomic_store(&fd_listener(l)->is_canceled, true);
    (void)eventfd_write(fd_listener(l)->cancel_fd, 1);
}

static void listener_close(struct os_listener *l)
{
    if (!l)
        return;
    struct fd_listener *f = fd_listener(l);
    unix_file_remove(&f->file);
    close(f->fd);
    close(f->cancel_fd);
    free(f);
}

static const struct os_listener_ops listener_ops = {
    .accept = listener_accept,
    .cancel = listener_cancel,
    .close = listener_close,
};

int stream_listener_new(int fd, uint32_t port, const struct unix_file *file,
                        const struct stream_kind *kind, struct os_listener **ret)
{
    struct fd_listener *f = calloc(1, sizeof *f);
    int cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    if (!f || cancel_fd < 0 || !set_blocking(fd, false)) {
        int r = f ? error_keep(ERR_IO, errno) : error_keep(ERR_NO_MEMORY, ENOMEM);
        if (file)
            unix_file_remove(file);
        if (cancel_fd >= 0)
            close(cancel_fd);
        close(fd);
        free(f);
        return r;
    }
    f->l = (struct os_listener){.ops = &listener_ops, .port = port};
    f->kind = kind;
    f->fd = fd;
    f->cancel_fd = cancel_fd;
    if (file)
        f->file = *file;
    *ret = &f->l;
    return 0;
}

/* ---- the table --------------------------------------------------------------------------- */

const struct os_carrier *os_carrier_find(const char *scheme)
{
    static const struct os_carrier *const carriers[] = {
        &carrier_tcp,
        &carrier_unix,
        &carrier_vsock,
        &carrier_control,
    };

    for (size_t i = 0; i < sizeof carriers / sizeof carriers[0]; i++)
        if (strcmp(carriers[i]->name, scheme) == 0)
            return carriers[i];
    return NULL;
}
