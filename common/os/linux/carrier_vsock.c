/* SPDX-License-Identifier: MIT */
/* linux/carrier_vsock.c - streams over AF_VSOCK: in a WSL2 guest, Hyper-V sockets. The only
 * file that knows it.
 *
 * What is different from TCP (net/vmw_vsock/hyperv_transport.c, issues of microsoft/WSL):
 * - Nobody listening is silence that ends with ETIMEDOUT after SO_VM_SOCKETS_CONNECT_TIMEOUT (2
 *   s unless set), or ECONNRESET on other transports; never ECONNREFUSED.
 * - Kernels 6.17 to early 6.18 give EIO on read in place of 0 after the peer's FIN (WSL#40184).
 * - A write ends short when the ring is full.
 * - The ring of an accepted connection has the sizes of the listener's buffers: with the
 *   default of 208 KiB each connection needs 512 KiB in one piece, which a guest that runs for
 *   long may not have (WSL#11612); then the offer is dropped without a word. Set before
 *   listen().
 * - Of a connecting socket the buffers cannot be set: kernels since 5.5 overwrite them.
 * - What was written and not yet taken by the host is not told (SIOCOUTQ).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "common/core/err.h"
#include "common/os/crypto.h"
#include "common/os/linux/carrier.h"
#include "common/os/linux/error.h"
#include "common/os/linux/inet.h"
#include "common/os/linux/stream_fd.h"

/* A port that the kernel chooses has 32 bits and may lie in the host's half, where no service
 * GUID reaches it; so the choice is ours: above those of WSL (from 50000 on), tried a few
 * times. */
enum { PORT_FIRST = 52000, PORT_COUNT = 8000, PORT_TRIES = 64 };

union vsock_address {
    struct sockaddr any;
    struct sockaddr_vm vm;
};

static int vsock_setup(int fd, char *peer, size_t size)
{
    union vsock_address at;
    socklen_t length = sizeof at;

    memset(&at, 0, sizeof at);
    if (getpeername(fd, &at.any, &length) < 0)
        return error_errno();
    snprintf(peer, size, "cid %u", at.vm.svm_cid);
    return 0;
}

static const struct stream_kind vsock_kind = {.setup = vsock_setup, .is_eio_end = true};

static union vsock_address vsock_address(uint32_t cid, uint32_t port)
{
    union vsock_address a;

    memset(&a, 0, sizeof a);
    a.vm.svm_family = AF_VSOCK;
    a.vm.svm_cid = cid;
    a.vm.svm_port = port;
    return a;
}

/* The kernel's own limit must not be the shorter one. */
static void set_connect_timeout(int fd, unsigned timeout_ms)
{
    struct timeval t = {.tv_sec = timeout_ms / 1000,
                        .tv_usec = (suseconds_t)(timeout_ms % 1000) * 1000};

    (void)setsockopt(fd, AF_VSOCK, SO_VM_SOCKETS_CONNECT_TIMEOUT, &t, sizeof t);
}

static int vsock_dial(const struct os_target *target, unsigned timeout_ms,
                      bool (*is_canceled)(void *), void *arg, struct os_stream **ret)
{
    struct stream_wait wait = stream_wait_init(timeout_ms, is_canceled, arg);
    union vsock_address to = vsock_address(target->endpoint->cid, target->endpoint->port);

    int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_errno();
    set_connect_timeout(fd, timeout_ms);
    int r = stream_connect(fd, &to.any, sizeof to.vm, &wait);
    if (r < 0) {
        close(fd);
        return r;
    }
    r = stream_new(fd, &vsock_kind, ret);
    return r == ERR_CLOSED ? ERR_REFUSED : r;
}

static int bind_port(int fd, uint32_t cid, uint32_t port)
{
    union vsock_address at = vsock_address(cid, port);

    return bind(fd, &at.any, sizeof at.vm) < 0 ? error_errno() : 0;
}

static int bind_free_port(int fd, uint32_t cid, uint32_t *ret_port)
{
    uint16_t number = 0;
    int r = ERR_IN_USE;

    for (int i = 0; i < PORT_TRIES && r == ERR_IN_USE; i++) {
        r = os_random(&number, sizeof number);
        uint32_t port = PORT_FIRST + number % PORT_COUNT;
        if (r == 0)
            r = bind_port(fd, cid, port);
        if (r == 0)
            *ret_port = port;
    }
    return r;
}

static int vsock_listen(const struct os_target *target, struct os_listener **ret)
{
    uint32_t cid = target->endpoint->cid;
    uint32_t port = target->endpoint->port;

    int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_errno();
    if (target->ring_bytes > 0) {
        inet_set(fd, SOL_SOCKET, SO_SNDBUF, (int)target->ring_bytes);
        inet_set(fd, SOL_SOCKET, SO_RCVBUF, (int)target->ring_bytes);
    }
    int r = port == 0 ? bind_free_port(fd, cid, &port) : bind_port(fd, cid, port);
    if (r == 0 && listen(fd, SOMAXCONN) < 0)
        r = error_errno();
    if (r < 0) {
        close(fd);
        return r;
    }
    return stream_listener_new(fd, port, NULL, &vsock_kind, ret);
}

const struct os_carrier carrier_vsock = {
    .name = "vsock",
    .dial = vsock_dial,
    .listen = vsock_listen,
};
