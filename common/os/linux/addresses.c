/* SPDX-License-Identifier: MIT */
/* linux/addresses.c - the addresses of this host. */
#include "common/os/process.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "common/os/linux/error.h"

/* By address, not by IFF_LOOPBACK: addresses that others reach are put on "lo" too. */
static bool is_of_use(const struct ifaddrs *entry, struct address *ret)
{
    if (!entry->ifa_addr || !(entry->ifa_flags & IFF_UP))
        return false;
    if (entry->ifa_addr->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, entry->ifa_addr, sizeof in);
        address_init(ret, ADDRESS_IPV4, (const uint8_t *)&in.sin_addr, 0);
        bool is_link_local = ret->ip[0] == 169 && ret->ip[1] == 254;
        return ret->ip[0] != 127 && !is_link_local;
    }
    if (entry->ifa_addr->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;
        memcpy(&in6, entry->ifa_addr, sizeof in6);
        address_init(ret, ADDRESS_IPV6, (const uint8_t *)&in6.sin6_addr, 0);
        return !IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr) && !IN6_IS_ADDR_LINKLOCAL(&in6.sin6_addr);
    }
    return false;
}

int os_host_addresses(struct address *ret, size_t max)
{
    struct ifaddrs *list;
    size_t count = 0;

    if (getifaddrs(&list) < 0)
        return error_errno();
    for (const struct ifaddrs *entry = list; entry && count < max; entry = entry->ifa_next) {
        struct address a;
        if (is_of_use(entry, &a) && !address_is_among(&a, ret, count))
            ret[count++] = a;
    }
    freeifaddrs(list);
    return (int)count;
}
