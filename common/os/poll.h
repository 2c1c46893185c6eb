/* SPDX-License-Identifier: MIT */
/* os/poll.h - many stream connections in one thread: listeners and the connections of senders.
 *
 * Level-triggered readiness (epoll on Linux, WSAPoll on Windows), and sockets that never block.
 * One thread owns a poll set and everything in it; only os_poll_wake() may come from another.
 */
#ifndef HVLOG_OS_POLL_H
#define HVLOG_OS_POLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/address.h"
#include "common/core/endpoint.h"

struct os_poll;
struct os_sock;

int os_poll_new(struct os_poll **ret); /* 0, ERR_NO_MEMORY, ERR_IO */
void os_poll_free(struct os_poll *p);  /* remove the sockets first */

/* os_poll_add() - watch <s> for readability; <tag> comes back from os_poll_wait(). A socket is
 * in at most one set. Returns 0, ERR_NO_MEMORY, ERR_FULL (the system's limit).
 * os_poll_remove() - forget <s>. Events already returned for it by the current wait are the
 * caller's to ignore.
 * os_poll_pause() - stop or resume watching without forgetting.
 */
int os_poll_add(struct os_poll *p, struct os_sock *s, void *tag);
void os_poll_remove(struct os_poll *p, struct os_sock *s);
void os_poll_pause(struct os_poll *p, struct os_sock *s, bool paused);

/* os_poll_wait() - wait until something is readable (or closed, or failed: a read then says),
 * until the monotonic <deadline_ms> (OS_NEVER: no limit), or os_poll_wake().
 *
 * Returns how many tags were written to <ret_tags> (at most <max>), 0 at the deadline or a
 * wake-up; ERR_IO.
 */
int os_poll_wait(struct os_poll *p, void **ret_tags, int max, uint64_t deadline_ms);

/* os_poll_wake() - make the current or the next os_poll_wait() return. Any thread. Never lost:
 * it stays pending until a wait has returned for it.
 */
void os_poll_wake(struct os_poll *p);

/* os_sock_listen() - listen on <endpoint> (tcp or unix). ENDPOINT_HOST_ANY is dual-stack where
 * the system allows it (IPV6_V6ONLY off), IPv4 alone where there is no IPv6; a literal 0.0.0.0
 * or [::] is its own family only. A unix socket is open to every local user; a stale one is
 * replaced, one behind which somebody listens is ERR_IN_USE.
 *
 * Returns 0; ERR_IN_USE, ERR_ACCESS, ERR_NOT_FOUND (no such address, host, or folder),
 * ERR_UNSUPPORTED, ERR_FULL, ERR_NO_MEMORY, ERR_IO.
 */
int os_sock_listen(const struct endpoint *endpoint, struct os_sock **ret);
uint16_t os_sock_port(const struct os_sock *s);

/* os_sock_accept() - take one waiting connection; <ret_peer> is its address (ADDRESS_NONE for
 * unix). Returns 0; ERR_AGAIN (none waiting, or that one is gone already); ERR_FULL (out of
 * descriptors or memory; it goes on waiting: pause the listener for a while); ERR_IO. Where
 * descriptors are limited, some are left: senders, who may be anybody, cannot take those that
 * the link, the outputs and status need.
 */
int os_sock_accept(struct os_sock *listener, struct os_sock **ret, struct address *ret_peer);

/* os_sock_read() - what is there, up to <length>. Returns the count; ERR_AGAIN; ERR_CLOSED
 * (orderly end: every octet has been read); ERR_IO (reset, or any other failure: treat as
 * closed).
 */
ptrdiff_t os_sock_read(struct os_sock *s, void *data, size_t length);
void os_sock_close(struct os_sock *s); /* removes a listener's unix socket file */

#endif
