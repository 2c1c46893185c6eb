/* SPDX-License-Identifier: MIT */
/* os/stream.h - connected byte streams with plain blocking reads and writes, and their
 * carriers.
 *
 * The link, the stream outputs and the control channel use these, each direction in a thread of
 * its own. (Many TCP senders at once are served by os/poll.h instead.) A carrier is one way to
 * make streams: tcp, unix, vsock, hvsock, control. Tests bring one of their own, in memory.
 *
 * Threads: one thread may read, another write, at the same time; any thread may cancel. Close
 * only when both have returned for the last time. Carriers and their tables are constant.
 */
#ifndef HVLOG_OS_STREAM_H
#define HVLOG_OS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/endpoint.h"
#include "common/core/uuid.h"

/* One piece of a gathering write. */
struct os_vec {
    const void *data;
    size_t length;
};
enum { OS_VEC_MAX = 64 }; /* pieces in one call */

struct os_stream;
struct os_listener;

/* Where to dial or listen. */
struct os_target {
    const struct endpoint *endpoint; /* scheme, host, port, CID, path */
    struct uuid vm_id;               /* hvsock only: the exact GUID of the running VM */
    uint32_t ring_bytes; /* SO_SNDBUF and SO_RCVBUF of a vsock listener; 0: leave it */
};

struct os_stream_ops {
    /* read - wait for octets and take up to <length> (at least 1). Returns how many, or
     * ERR_CLOSED (orderly end and broken connection alike: what counts as arrived is told by
     * the protocol above, see hvsock facts in os/windows/carrier_hvsock.c), ERR_CANCELED,
     * ERR_IO. Never 0. */
    ptrdiff_t (*read)(struct os_stream *s, void *data, size_t length);

    /* write - send all of <count> pieces (at most OS_VEC_MAX), looping over short writes. Waits
     * as long as the peer does not read. Never raises SIGPIPE. Returns 0, ERR_CLOSED,
     * ERR_CANCELED, ERR_IO. After an error nobody knows how much went out: close. */
    int (*write)(struct os_stream *s, const struct os_vec *vec, size_t count);

    /* unsent - how many written octets the far side's system has not yet taken: TCP, not
     * acknowledged (finish() counts as one); unix socket, not read. Of a unix socket only 0 is
     * exact: Linux counts the memory, which is more than the octets. 0 says nothing once the
     * peer has closed: what it did not read is gone. Returns the count or ERR_UNSUPPORTED
     * (vsock, hvsock, and wherever the system does not tell). Does not block. */
    ptrdiff_t (*unsent)(struct os_stream *s);

    /* is_ended - a look without waiting: true when the peer has closed or the connection broke.
     * Octets that the peer sent are thrown away. Only for streams that nobody reads. */
    bool (*is_ended)(struct os_stream *s);

    /* finish - no more will be written: the peer reads end of stream after the last octet. */
    void (*finish)(struct os_stream *s);

    /* cancel - end every read and write that is under way or comes later, with ERR_CANCELED or
     * ERR_CLOSED. Does not block. May be called more than once. */
    void (*cancel)(struct os_stream *s);

    /* close - give everything back. Does not block. */
    void (*close)(struct os_stream *s);
};

enum { OS_PEER_MAX = 96 };

struct os_stream {
    const struct os_stream_ops *ops;
    /* Who is at the other end, for the log: "cid 2", "192.0.2.7:4711", "pid 812". */
    char peer[OS_PEER_MAX];
};

struct os_listener_ops {
    /* accept - wait for the next connection. Returns 0, ERR_CANCELED, ERR_AGAIN (that one
     * connection failed, try again), ERR_FULL (out of descriptors or memory: try again after a
     * pause, or it fails at once again), or ERR_IO (close the listener, make a new one). */
    int (*accept)(struct os_listener *l, struct os_stream **ret);
    void (*cancel)(struct os_listener *l);
    void (*close)(struct os_listener *l);
};

struct os_listener {
    const struct os_listener_ops *ops;
    uint32_t port; /* what was bound, if the endpoint's was 0; 0 where there are none */
};

struct os_carrier {
    const char *name; /* the endpoint's scheme */

    /* dial - connect, waiting at most <timeout_ms>. Returns 0 and a stream; ERR_REFUSED,
     * ERR_TIMEOUT, ERR_NOT_FOUND (no such host, path or VM), ERR_ACCESS, ERR_FULL (out of
     * descriptors), ERR_NO_MEMORY, ERR_UNSUPPORTED, ERR_IO: all but the last two may pass, try
     * again. <is_canceled> (may be NULL) is asked at least every OS_CANCEL_POLL_MS while
     * waiting; true ends it with ERR_CANCELED. A host name is resolved first, which takes as
     * long as the system's resolver does and listens to neither; each of its addresses then
     * gets an equal part of the time. */
    int (*dial)(const struct os_target *target, unsigned timeout_ms,
                bool (*is_canceled)(void *), void *arg, struct os_stream **ret);

    /* listen - Returns 0 and a listener; ERR_IN_USE, ERR_ACCESS, ERR_NOT_FOUND (no such address
     * or folder), ERR_FULL, ERR_NO_MEMORY, ERR_UNSUPPORTED, ERR_IO. A unix socket left by a
     * dead program is replaced; one on which somebody listens is ERR_IN_USE. Closing removes
     * the socket's file. */
    int (*listen)(const struct os_target *target, struct os_listener **ret);
};

enum { OS_CANCEL_POLL_MS = 200 };

/* os_carrier_find() - the carrier for <scheme> ("tcp", "unix", "vsock", "hvsock", "control") on
 * this system, or NULL when this system has none. "control" is where `status` asks: a unix
 * socket that only its owner may open, or a named pipe on Windows.
 */
const struct os_carrier *os_carrier_find(const char *scheme);

#endif
