/* SPDX-License-Identifier: MIT */
/* os/dgram.h - datagrams, many with one call.
 *
 * Linux: recvmmsg and sendmmsg. Windows: many posted receives on a completion port. One thread
 * owns a socket; only os_dgram_cancel() may come from another.
 */
#ifndef HVLOG_OS_DGRAM_H
#define HVLOG_OS_DGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/address.h"
#include "common/core/endpoint.h"

enum {
    OS_DGRAM_BATCH = 128,           /* datagrams of one call */
    OS_DGRAM_BYTES_MAX = 64 * 1024, /* 65,535 octets of payload and one to spare */
    OS_DGRAM_SEND_MAX = 65507,      /* the largest UDP payload over IPv4 */
};

struct os_dgram;

/* A received datagram. The octets live until the next os_dgram_receive(). */
struct os_datagram {
    const uint8_t *data;
    size_t length;
    size_t true_length;  /* what was sent, if the system tells; else length */
    bool was_cut;        /* did not fit the buffer: the head is here */
    struct address from; /* ADDRESS_NONE for unix-dgram */
};

/* os_dgram_open() - receive on <endpoint> (udp or unix-dgram), with <receive_buffer> octets of
 * kernel buffer asked for (0: the system's default; SO_RCVBUFFORCE first where there is one).
 * Dual-stack like os_sock_listen(). A unix socket is open to every local user, and replaced
 * when stale.
 *
 * Returns 0; ERR_IN_USE, ERR_ACCESS, ERR_NOT_FOUND, ERR_UNSUPPORTED, ERR_FULL, ERR_NO_MEMORY,
 * ERR_IO.
 */
int os_dgram_open(const struct endpoint *endpoint, uint32_t receive_buffer,
                  struct os_dgram **ret);

/* os_dgram_buffer() - octets of kernel receive buffer really got (Linux: half of what it
 * reports, as it doubles every wish).
 * os_dgram_port() - the bound port.
 * os_dgram_kernel_dropped() - datagrams that the system dropped for want of buffer since
 * opening (SO_RXQ_OVFL), 64 bits wide over the counter's wraps; 0 where the system does not
 * tell (os_dgram_has_kernel_dropped()). It is a value kept by os_dgram_receive(): up to the
 * newest datagram taken, and complete when a receive found nothing there (before it waits or
 * gives ERR_TIMEOUT).
 */
uint32_t os_dgram_buffer(const struct os_dgram *d);
uint16_t os_dgram_port(const struct os_dgram *d);
uint64_t os_dgram_kernel_dropped(const struct os_dgram *d);
bool os_dgram_has_kernel_dropped(const struct os_dgram *d);

/* os_dgram_receive() - wait until at least one datagram is there or the monotonic <deadline_ms>
 * passes, then take up to <max> (at most OS_DGRAM_BATCH) without waiting. A datagram of 0
 * octets is a datagram. What a failed send left behind (ICMP port unreachable, WSAECONNRESET)
 * is no error.
 *
 * Returns the count; ERR_TIMEOUT; ERR_CANCELED; ERR_IO (reopen).
 */
int os_dgram_receive(struct os_dgram *d, struct os_datagram *ret, int max,
                     uint64_t deadline_ms);

/* os_dgram_connect() - a socket that sends to <endpoint> (udp: host is resolved now;
 * unix-dgram).
 *
 * Returns 0; ERR_NOT_FOUND, ERR_REFUSED (a unix socket nobody has open), ERR_ACCESS,
 * ERR_UNSUPPORTED, ERR_NO_MEMORY, ERR_IO.
 */
int os_dgram_connect(const struct endpoint *endpoint, struct os_dgram **ret);

struct os_vec;

/* os_dgram_send() - send <count> datagrams (at most OS_DGRAM_BATCH), one for each piece.
 * unix-dgram waits while the receiver's queue is full, until <deadline_ms>; UDP does so only in
 * the rare case that the system's own send buffer is full.
 *
 * Returns how many were sent, which may be fewer: call again with the rest. When not even the
 * first could be sent: ERR_TIMEOUT; ERR_CANCELED; ERR_REFUSED, ERR_NOT_FOUND (the receiver is
 * away, or a packet filter says no: keep and retry on this socket, which finds a unix receiver
 * that came back); ERR_FULL (this one is too long for the path: EMSGSIZE; shorten or drop it);
 * ERR_IO (reopen).
 */
int os_dgram_send(struct os_dgram *d, const struct os_vec *vec, int count,
                  uint64_t deadline_ms);

/* os_dgram_check() - whether the system was told meanwhile that a datagram sent found nobody
 * (ICMP port unreachable). On loopback it is told before the send returns, from elsewhere some
 * time later, or never. The next send would say so too, but where one call sends many the
 * system may swallow it. Does not block.
 *
 * Returns 0, or an error as os_dgram_send(); it is told once.
 */
int os_dgram_check(struct os_dgram *d);

/* os_dgram_cancel() - ends the receive or send that is under way, else the next one, with
 * ERR_CANCELED; once. Datagrams that were there stay for the receive behind it. Any thread.
 */
void os_dgram_cancel(struct os_dgram *d);
void os_dgram_close(struct os_dgram *d); /* removes a receiver's unix socket file */

#endif
