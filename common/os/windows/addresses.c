/* SPDX-License-Identifier: MIT */
/* windows/addresses.c - the addresses of this host. */
#include "common/os/windows/win.h"

#include <iphlpapi.h>
#include <stdlib.h>
#include <string.h>

#include "common/os/process.h"

enum {
    FIRST_BYTES = 16 * 1024, /* what the system's documentation proposes */
    TRIES_MAX = 4,           /* interfaces may come while we ask */
};

/* The list of all adapters, NULL on a host without any address; free() it. */
static int adapters_get(IP_ADAPTER_ADDRESSES **ret)
{
    ULONG size = FIRST_BYTES;
    ULONG code = ERROR_BUFFER_OVERFLOW;

    for (int i = 0; i < TRIES_MAX && code == ERROR_BUFFER_OVERFLOW; i++) {
        IP_ADAPTER_ADDRESSES *list = malloc(size);
        if (list == NULL)
            return ERR_NO_MEMORY;
        code = GetAdaptersAddresses(AF_UNSPEC,
                                    GAA_FLAG_SKIP_ANYCAST | GAA_FLAG_SKIP_MULTICAST |
                                        GAA_FLAG_SKIP_DNS_SERVER,
                                    NULL, list, &size);
        if (code == ERROR_SUCCESS) {
            *ret = list;
            return 0;
        }
        free(list);
    }
    if (code == ERROR_NO_DATA) {
        *ret = NULL;
        return 0;
    }
    return win_fail(code);
}

static bool is_of_use(const SOCKET_ADDRESS *from, struct address *ret)
{
    struct sockaddr_storage storage = {0};

    if (from->lpSockaddr == NULL || from->iSockaddrLength <= 0 ||
        (size_t)from->iSockaddrLength > sizeof storage)
        return false;
    memcpy(&storage, from->lpSockaddr, (size_t)from->iSockaddrLength);
    win_address(&storage, ret);
    ret->port = 0;
    if (ret->family == ADDRESS_IPV4)
        return ret->ip[0] != 127 && !(ret->ip[0] == 169 && ret->ip[1] == 254);
    if (ret->family == ADDRESS_IPV6) {
        static const uint8_t loopback[16] = {[15] = 1};
        bool is_link_local = ret->ip[0] == 0xFE && (ret->ip[1] & 0xC0) == 0x80;
        return !is_link_local && memcmp(ret->ip, loopback, sizeof loopback) != 0;
    }
    return false;
}

int os_host_addresses(struct address *ret, size_t max)
{
    IP_ADAPTER_ADDRESSES *list = NULL;
    size_t count = 0;
    int r = adapters_get(&list);

    if (r < 0)
        return r;
    for (const IP_ADAPTER_ADDRESSES *a = list; a != NULL; a = a->Next) {
        if (a->OperStatus != IfOperStatusUp)
            continue;
        for (const IP_ADAPTER_UNICAST_ADDRESS *u = a->FirstUnicastAddress;
             u != NULL && count < max; u = u->Next) {
            struct address found;
            /* Nobody can listen on an address that is still looked at, or that another host
             * has.
             */
            if (u->DadState == IpDadStateTentative || u->DadState == IpDadStateDuplicate)
                continue;
            if (is_of_use(&u->Address, &found) && !address_is_among(&found, ret, count))
                ret[count++] = found;
        }
    }
    free(list);
    return (int)count;
}
