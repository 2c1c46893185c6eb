/* SPDX-License-Identifier: MIT */
/* linux/inet.h - sockets of IPv4 and IPv6, from endpoints. Private. */
#ifndef HVLOG_OS_LINUX_INET_H
#define HVLOG_OS_LINUX_INET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "common/core/address.h"
#include "common/core/endpoint.h"

union inet_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_storage room;
};

/* inet_from() - a socket address as a value (IPv4-mapped folded); ADDRESS_NONE for other
 * families.
 * inet_to() - a value as a socket address; returns its length, 0 for ADDRESS_NONE.
 */
void inet_from(const union inet_address *from, struct address *ret);
socklen_t inet_to(const struct address *a, union inet_address *ret);

/* inet_resolve() - the addresses of <endpoint>'s host, with its port; at most <limit>. A name
 * blocks for as long as the system's resolver takes; a literal never does.
 *
 * Returns the count, at least 1; ERR_NOT_FOUND, ERR_NO_MEMORY.
 */
enum { INET_ADDRESSES_MAX = 16 };
int inet_resolve(const struct endpoint *endpoint, struct address *ret, int limit);

/* inet_bind() - a socket of <type> (SOCK_STREAM also gets SO_REUSEADDR) bound to <endpoint>,
 * with flags such as SOCK_NONBLOCK in <type>. Dual-stack for ENDPOINT_HOST_ANY where there is
 * IPv6.
 *
 * Returns 0, <ret_fd> and <ret_port>; ERR_IN_USE, ERR_ACCESS, ERR_NOT_FOUND, ERR_UNSUPPORTED,
 * ERR_NO_MEMORY, ERR_FULL, ERR_IO.
 */
int inet_bind(const struct endpoint *endpoint, int type, int *ret_fd, uint16_t *ret_port);

/* inet_set() - an option of type int; what fails is not worth failing for. */
void inet_set(int fd, int level, int option, int value);

#endif
