/* SPDX-License-Identifier: MIT */
/* foreign.c - other protocols that come to a syslog port by mistake: TLS and HTTP. */
#include "foreign.h"

#include <string.h>

enum foreign foreign_tls(const uint8_t *data, size_t length)
{
    static const uint8_t handshake[] = {0x16, 0x03}; /* record type, major version */
    enum { TLS_MINOR_MAX = 4, TLS_OCTETS = sizeof(handshake) + 1 };
    size_t head = length < sizeof(handshake) ? length : sizeof(handshake);

    if (head > 0 && memcmp(data, handshake, head) != 0)
        return FOREIGN_NO;
    if (length < TLS_OCTETS)
        return FOREIGN_UNDECIDED;
    return data[sizeof(handshake)] <= TLS_MINOR_MAX ? FOREIGN_YES : FOREIGN_NO;
}

static bool has_http_version(const uint8_t *line, size_t length)
{
    static const char version[] = " HTTP/";
    const size_t fixed = sizeof(version) - 1;

    for (size_t i = 0; i + fixed < length; i++)
        if (line[i] == ' ' && memcmp(line + i, version, fixed) == 0 && line[i + fixed] >= '0' &&
            line[i + fixed] <= '9')
            return true;
    return false;
}

bool foreign_is_http(const uint8_t *line, size_t length)
{
    static const char *const methods[] = {"GET ",     "HEAD ",    "POST ",  "PUT ",   "DELETE ",
                                          "OPTIONS ", "CONNECT ", "PATCH ", "TRACE ", "PRI "};

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        size_t n = strlen(methods[i]);
        if (length > n && memcmp(line, methods[i], n) == 0)
            return has_http_version(line + n - 1, length - n + 1);
    }
    return false;
}
