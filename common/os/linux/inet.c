/* SPDX-License-Identifier: MIT */
/* linux/inet.c - sockets of IPv4 and IPv6. */
#include "common/os/linux/inet.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/os/linux/error.h"

void inet_from(const union inet_address *from, struct address *ret)
{
    uint8_t ip[16];

    *ret = (struct address){0};
    if (from->any.sa_family == AF_INET) {
        memcpy(ip, &from->v4.sin_addr, 4);
        address_init(ret, ADDRESS_IPV4, ip, ntohs(from->v4.sin_port));
    } else if (from->any.sa_family == AF_INET6) {
        memcpy(ip, &from->v6.sin6_addr, 16);
        address_init(ret, ADDRESS_IPV6, ip, ntohs(from->v6.sin6_port));
    }
}

socklen_t inet_to(const struct address *a, union inet_address *ret)
{
    memset(ret, 0, sizeof *ret);
    if (a->family == ADDRESS_IPV4) {
        ret->v4.sin_family = AF_INET;
        ret->v4.sin_port = htons(a->port);
        memcpy(&ret->v4.sin_addr, a->ip, 4);
        return sizeof ret->v4;
    }
    if (a->family == ADDRESS_IPV6) {
        ret->v6.sin6_family = AF_INET6;
        ret->v6.sin6_port = htons(a->port);
        memcpy(&ret->v6.sin6_addr, a->ip, 16);
        return sizeof ret->v6;
    }
    return 0;
}

static int resolve_name(const struct endpoint *endpoint, struct address *ret, int limit)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    int count = 0;

    int r = getaddrinfo(endpoint->host, NULL, &hints, &list);
    if (r != 0)
        return error_resolver(r);
    for (struct addrinfo *i = list; i && count < limit; i = i->ai_next) {
        union inet_address found;
        if (i->ai_addrlen > sizeof found)
            continue;
        memcpy(&found, i->ai_addr, i->ai_addrlen);
        inet_from(&found, &ret[count]);
        ret[count].port = (uint16_t)endpoint->port;
        count += ret[count].family != ADDRESS_NONE;
    }
    freeaddrinfo(list);
    return count > 0 ? count : error_resolver(EAI_NONAME);
}

int inet_resolve(const struct endpoint *endpoint, struct address *ret, int limit)
{
    switch (endpoint->host_kind) {
    case ENDPOINT_HOST_LITERAL:
        *ret = endpoint->address;
        ret->port = (uint16_t)endpoint->port;
        return 1;
    case ENDPOINT_HOST_NAME:
        return resolve_name(endpoint, ret, limit);
    default:
        return error_from(EADDRNOTAVAIL);
    }
}

void inet_set(int fd, int level, int option, int value)
{
    (void)setsockopt(fd, level, option, &value, sizeof value);
}

static int bind_address(const struct address *a, int type, bool is_dual, int *ret_fd,
                        uint16_t *ret_port)
{
    union inet_address at;
    socklen_t length = inet_to(a, &at);
    struct address bound;

    int fd = socket(at.any.sa_family, type | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_errno();
    if (a->family == ADDRESS_IPV6)
        inet_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, !is_dual);
    /* A restart must not wait for the last one's connections in TIME_WAIT. For UDP the option
     * would let a second receiver take the port. */
    if ((type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_STREAM)
        inet_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (bind(fd, &at.any, length) < 0)
        goto fail;
    length = sizeof at;
    if (getsockname(fd, &at.any, &length) < 0)
        goto fail;
    inet_from(&at, &bound);
    *ret_port = bound.port;
    *ret_fd = fd;
    return 0;

fail:;
    int r = error_errno();
    close(fd);
    return r;
}

int inet_bind(const struct endpoint *endpoint, int type, int *ret_fd, uint16_t *ret_port)
{
    struct address a = {.family = ADDRESS_IPV6, .port = (uint16_t)endpoint->port};

    if (endpoint->host_kind != ENDPOINT_HOST_ANY) {
        int r = inet_resolve(endpoint, &a, 1);
        return r < 0 ? r : bind_address(&a, type, false, ret_fd, ret_port);
    }
    /* Without IPv6 in the kernel the socket fails; with IPv6 switched off, the bind. */
    int r = bind_address(&a, type, true, ret_fd, ret_port);
    if (r != ERR_UNSUPPORTED && r != ERR_NOT_FOUND)
        return r;
    a.family = ADDRESS_IPV4;
    return bind_address(&a, type, false, ret_fd, ret_port);
}
