/* SPDX-License-Identifier: MIT */
/* linux/stream_fd.h - what all carriers of this system share: a stream is a connected socket.
 * Private.
 *
 * Plain blocking recv and sendmsg. Cancel sets a flag and shuts the socket down, which wakes
 * whoever waits in it and stays true for whoever comes later. A listener waits in poll() for
 * its socket and an eventfd that cancel writes and nobody reads.
 */
#ifndef HVLOG_OS_LINUX_STREAM_FD_H
#define HVLOG_OS_LINUX_STREAM_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "common/os/stream.h"

/* How one carrier's streams differ from another's. */
struct stream_kind {
    /* Set options of a new connection and name the other end. 0, or a negative code when the
     * connection is gone already. */
    int (*setup)(int fd, char *peer, size_t size);
    bool has_unsent; /* SIOCOUTQ tells something */
    bool is_eio_end; /* EIO on read is an end of stream */
};

/* Waiting for a connection: until when, and who may call it off. */
struct stream_wait {
    uint64_t deadline_ms;
    bool (*is_canceled)(void *);
    void *arg;
};

struct stream_wait stream_wait_init(unsigned timeout_ms, bool (*is_canceled)(void *),
                                    void *arg);

/* stream_wait_step() - how long to wait now, at most OS_CANCEL_POLL_MS. Returns 0 and
 * <ret_step_ms>, ERR_CANCELED or ERR_TIMEOUT.
 */
int stream_wait_step(const struct stream_wait *wait, int *ret_step_ms);

/* stream_connect() - connect the socket <fd> within <wait>; it is a blocking one again
 * afterwards. Not for unix sockets, which do not go on connecting in the background.
 *
 * Returns 0; ERR_TIMEOUT, ERR_CANCELED, and what a dial may return.
 */
int stream_connect(int fd, const struct sockaddr *to, socklen_t length,
                   const struct stream_wait *wait);

/* stream_new() - a stream of the connected <fd>. Takes <fd>, also when it fails.
 *
 * Returns 0, or ERR_NO_MEMORY, or what the kind's setup said.
 */
int stream_new(int fd, const struct stream_kind *kind, struct os_stream **ret);

/* stream_listener_new() - a listener of the listening <fd>. <file>, if not NULL, is a unix
 * socket's and goes when the listener closes. Takes <fd>, also when it fails (the file goes
 * then as well).
 *
 * Returns 0, ERR_NO_MEMORY, ERR_IO.
 */
struct unix_file;
int stream_listener_new(int fd, uint32_t port, const struct unix_file *file,
                        const struct stream_kind *kind, struct os_listener **ret);

#endif
