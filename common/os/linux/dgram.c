/* SPDX-License-Identifier: MIT */
/* linux/dgram.c - recvmmsg() and sendmmsg().
 *
 * Cancel: a flag, then an eventfd that is in each poll(). The owner takes the flag and empties
 * the eventfd. Should it do so between the two, the eventfd stays readable and the next wait
 * ends once for nothing: it looks at the flag and waits on.
 */
#include "common/os/dgram.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/os/linux/deadline.h"
#include "common/os/linux/drop_counter.h"
#include "common/os/linux/error.h"
#include "common/os/linux/inet.h"
#include "common/os/linux/iov.h"
#include "common/os/linux/unix_file.h"
#include "common/os/stream.h"

/* Local programs of every user may send. */
enum { INPUT_MODE = 0666 };

/* One datagram's room. */
struct slot {
    struct iovec iov;
    union inet_address from;
    _Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(uint32_t))];
    uint8_t data[OS_DGRAM_BYTES_MAX];
};

struct os_dgram {
    int fd;
    int cancel_fd;
    atomic_bool is_canceled;
    bool is_unix;
    uint16_t port;
    struct mmsghdr headers[OS_DGRAM_BATCH];

    /* receiving */
    struct slot *slots; /* OS_DGRAM_BATCH of them */
    struct unix_file file;
    struct drop_counter dropped;

    /* sending */
    struct sockaddr_un to; /* unix: where, to connect anew */
    bool is_connected;
};

/* ---- both -------------------------------------------------------------------------------- */

static int dgram_new(bool is_unix, struct os_dgram **ret)
{
    struct os_dgram *d = calloc(1, sizeof *d);

    if (!d)
        return error_keep(ERR_NO_MEMORY, ENOMEM);
    d->is_unix = is_unix;
    d->fd = is_unix ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    d->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if ((is_unix && d->fd < 0) || d->cancel_fd < 0) {
        int r = error_errno();
        os_dgram_close(d);
        return r;
    }
    *ret = d;
    return 0;
}

void os_dgram_close(struct os_dgram *d)
{
    if (!d)
        return;
    unix_file_remove(&d->file);
    if (d->fd >= 0)
        close(d->fd);
    if (d->cancel_fd >= 0)
        close(d->cancel_fd);
    free(d->slots);
    free(d);
}

void os_dgram_cancel(struct os_dgram *d)
{
    atomic_store(&d->is_canceled, true);
    (void)eventfd_write(d->cancel_fd, 1);
}

static bool take_cancel(struct os_dgram *d)
{
    eventfd_t unused;

    if (!atomic_exchange(&d->is_canceled, false))
        return false;
    (void)eventfd_read(d->cancel_fd, &unused);
    return true;
}

/* Waits for <events>. Returns 0 when it is worth trying again; ERR_TIMEOUT, ERR_CANCELED,
 * ERR_IO. */
static int dgram_wait(struct os_dgram *d, short events, uint64_t deadline_ms)
{
    struct pollfd p[] = {{.fd = d->fd, .events = events},
                         {.fd = d->cancel_fd, .events = POLLIN}};

    if (deadline_is_over(deadline_ms))
        return error_keep(ERR_TIMEOUT, ETIMEDOUT);
    int r = poll(p, 2, deadline_slice(deadline_ms));
    if (r < 0 && errno != EINTR)
        return error_keep(ERR_IO, errno);
    if (take_cancel(d))
        return error_keep(ERR_CANCELED, ECANCELED);
    if (r > 0 && p[1].revents) {
        eventfd_t unused;
        (void)eventfd_read(d->cancel_fd, &unused);
    }
    return 0;
}

/* ---- receiving --------------------------------------------------------------------------- */

static void slot_prepare(struct os_dgram *d, int i)
{
    struct slot *s = &d->slots[i];

    s->iov = (struct iovec){s->data, sizeof s->data};
    s->from.any.sa_family = AF_UNSPEC;
    d->headers[i].msg_hdr = (struct msghdr){
        .msg_name = &s->from,
        .msg_namelen = sizeof s->from,
        .msg_iov = &s->iov,
        .msg_iovlen = 1,
        .msg_control = s->control,
        .msg_controllen = sizeof s->control,
    };
}

static int open_slots(struct os_dgram *d)
{
    d->slots = malloc(OS_DGRAM_BATCH * sizeof *d->slots);
    if (!d->slots)
        return error_keep(ERR_NO_MEMORY, ENOMEM);
    for (int i = 0; i < OS_DGRAM_BATCH; i++)
        slot_prepare(d, i);
    return 0;
}

static void set_receive_buffer(int fd, uint32_t octets)
{
    int value = octets > INT32_MAX / 2 ? INT32_MAX / 2 : (int)octets;

    /* Over net.core.rmem_max only with CAP_NET_ADMIN. */
    if (octets > 0 && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &value, sizeof value) < 0)
        inet_set(fd, SOL_SOCKET, SO_RCVBUF, value);
}

static int open_socket(struct os_dgram *d, const struct endpoint *endpoint,
                       uint32_t receive_buffer)
{
    int r = d->is_unix ? unix_bind(d->fd, SOCK_DGRAM, endpoint->path, INPUT_MODE, &d->file)
                       : inet_bind(endpoint, SOCK_DGRAM, &d->fd, &d->port);
    if (r < 0)
        return r;
    set_receive_buffer(d->fd, receive_buffer);
    inet_set(d->fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
    return open_slots(d);
}

int os_dgram_open(const struct endpoint *endpoint, uint32_t receive_buffer,
                  struct os_dgram **ret)
{
    bool is_unix = endpoint->kind == ENDPOINT_UNIX_DGRAM;
    struct os_dgram *d = NULL;

    if (!is_unix && endpoint->kind != ENDPOINT_UDP)
        return error_from(EAFNOSUPPORT);
    int r = dgram_new(is_unix, &d);
    if (!d)
        return r;
    r = open_socket(d, endpoint, receive_buffer);
    if (r < 0) {
        os_dgram_close(d);
        return r;
    }
    *ret = d;
    return 0;
}

uint32_t os_dgram_buffer(const struct os_dgram *d)
{
    int value = 0;
    socklen_t length = sizeof value;

    (void)getsockopt(d->fd, SOL_SOCKET, SO_RCVBUF, &value, &length);
    return (uint32_t)value / 2;
}

uint16_t os_dgram_port(const struct os_dgram *d)
{
    return d->port;
}

uint64_t os_dgram_kernel_dropped(const struct os_dgram *d)
{
    return d->dropped.total;
}

bool os_dgram_has_kernel_dropped(const struct os_dgram *d)
{
    return d->slots != NULL;
}

/* Each datagram carries the counter as it was when it was queued; what was dropped behind the
 * last one is told by the socket itself (SO_MEMINFO, Linux 4.12), asked for when the queue is
 * empty. */
static void dropped_ask(struct os_dgram *d)
{
    uint32_t info[SK_MEMINFO_VARS] = {0};
    socklen_t length = sizeof info;

    if (getsockopt(d->fd, SOL_SOCKET, SO_MEMINFO, info, &length) == 0 &&
        length >= (SK_MEMINFO_DROPS + 1) * sizeof *info)
        drop_counter_update(&d->dropped, info[SK_MEMINFO_DROPS]);
}

static void dropped_read(struct os_dgram *d, struct msghdr *msg)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
            uint32_t counter;
            memcpy(&counter, CMSG_DATA(c), sizeof counter);
            drop_counter_update(&d->dropped, counter);
        }
    }
}

static void deliver(struct os_dgram *d, int i, struct os_datagram *ret)
{
    struct slot *s = &d->slots[i];
    struct mmsghdr *h = &d->headers[i];
    size_t room = sizeof s->data;

    *ret = (struct os_datagram){
        .data = s->data,
        .length = h->msg_len < room ? h->msg_len : room,
        .true_length = h->msg_len, /* with MSG_TRUNC the kernel says what there was */
        .was_cut = h->msg_hdr.msg_flags & MSG_TRUNC,
    };
    if (!d->is_unix)
        inet_from(&s->from, &ret->from);
    dropped_read(d, &h->msg_hdr);
    slot_prepare(d, i);
}

int os_dgram_receive(struct os_dgram *d, struct os_datagram *ret, int max, uint64_t deadline_ms)
{
    unsigned room = max < OS_DGRAM_BATCH ? (unsigned)max : OS_DGRAM_BATCH;

    if (take_cancel(d))
        return error_keep(ERR_CANCELED, ECANCELED);
    for (;;) {
        int n = recvmmsg(d->fd, d->headers, room, MSG_DONTWAIT | MSG_TRUNC, NULL);
        if (n > 0) {
            for (int i = 0; i < n; i++)
                deliver(d, i, &ret[i]);
            return n;
        }
        /* Refused: an answer to a datagram that somebody sent from this port. */
        if (n < 0 && (errno == EINTR || errno == ECONNREFUSED))
            continue;
        if (n < 0 && errno != EAGAIN)
            return error_keep(ERR_IO, errno);
        dropped_ask(d);
        int r = dgram_wait(d, POLLIN, deadline_ms);
        if (r < 0)
            return r;
    }
}

/* ---- sending ----------------------------------------------------------------------------- */

static int connect_unix(struct os_dgram *d)
{
    if (connect(d->fd, (const struct sockaddr *)&d->to, sizeof d->to) < 0)
        return error_errno();
    d->is_connected = true;
    return 0;
}

static int connect_inet(struct os_dgram *d, const struct address *a)
{
    union inet_address to;
    socklen_t length = inet_to(a, &to);

    int fd = socket(to.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_errno();
    if (connect(fd, &to.any, length) < 0) {
        int r = error_errno();
        close(fd);
        return r;
    }
    d->fd = fd;
    d->is_connected = true;
    return 0;
}

/* The first address to which there is a way; UDP says no more than that. */
static int connect_udp(struct os_dgram *d, const struct endpoint *endpoint)
{
    struct address list[INET_ADDRESSES_MAX];

    int count = inet_resolve(endpoint, list, INET_ADDRESSES_MAX);
    int r = count < 0 ? count : ERR_NOT_FOUND;
    for (int i = 0; i < count && !d->is_connected; i++)
        r = connect_inet(d, &list[i]);
    return r;
}

int os_dgram_connect(const struct endpoint *endpoint, struct os_dgram **ret)
{
    bool is_unix = endpoint->kind == ENDPOINT_UNIX_DGRAM;
    struct os_dgram *d = NULL;

    if (!is_unix && endpoint->kind != ENDPOINT_UDP)
        return error_from(EAFNOSUPPORT);
    int r = dgram_new(is_unix, &d);
    if (!d)
        return r;
    if (is_unix)
        r = unix_address(endpoint->path, &d->to);
    if (r == 0)
        r = is_unix ? connect_unix(d) : connect_udp(d, endpoint);
    if (r < 0) {
        os_dgram_close(d);
        return r;
    }
    *ret = d;
    return 0;
}

/* What the datagram's failure means to the caller. A unix receiver that is gone takes the
 * connection with it: the next send makes a new one. */
static int send_failed(struct os_dgram *d, int code)
{
    switch (error_code(code)) {
    case ERR_FULL:
    case ERR_NOT_FOUND:
        return error_from(code);
    case ERR_NO_MEMORY:
        return error_keep(ERR_TIMEOUT, code);
    case ERR_CLOSED:
    case ERR_REFUSED:
    case ERR_ACCESS: /* a packet filter, or a receiver that takes from one peer only */
        d->is_connected = d->is_connected && !d->is_unix;
        return error_keep(ERR_REFUSED, code);
    default:
        return error_keep(ERR_IO, code);
    }
}

static unsigned send_prepare(struct os_dgram *d, const struct os_vec *vec, int count,
                             struct iovec *iov)
{
    unsigned n = count < OS_DGRAM_BATCH ? (unsigned)count : OS_DGRAM_BATCH;

    for (unsigned i = 0; i < n; i++) {
        iov[i] = iov_of(&vec[i]);
        d->headers[i].msg_hdr = (struct msghdr){.msg_iov = &iov[i], .msg_iovlen = 1};
    }
    return n;
}

int os_dgram_send(struct os_dgram *d, const struct os_vec *vec, int count, uint64_t deadline_ms)
{
    struct iovec iov[OS_DGRAM_BATCH];
    unsigned length = send_prepare(d, vec, count, iov);

    if (take_cancel(d))
        return error_keep(ERR_CANCELED, ECANCELED);
    if (!d->is_connected && connect_unix(d) < 0)
        return send_failed(d, errno);
    for (;;) {
        int n = sendmmsg(d->fd, d->headers, length, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n >= 0)
            return n;
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN)
            return send_failed(d, errno);
        int r = dgram_wait(d, POLLOUT, deadline_ms);
        if (r < 0)
            return r;
    }
}

int os_dgram_check(struct os_dgram *d)
{
    int code = 0;
    socklen_t length = sizeof code;

    if (getsockopt(d->fd, SOL_SOCKET, SO_ERROR, &code, &length) < 0)
        return send_failed(d, errno);
    return code == 0 ? 0 : send_failed(d, code);
}
