/* SPDX-License-Identifier: MIT */
/* foreign.h - other protocols that come to a syslog port by mistake: TLS and HTTP. */
#ifndef HVLOG_CORE_FOREIGN_H
#define HVLOG_CORE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum foreign {
    FOREIGN_NO = 0,
    FOREIGN_UNDECIDED = 1, /* the octets at hand fit, the rest has not come */
    FOREIGN_YES = 2,
};

/* foreign_tls() - does a stream that begins with <data> begin a TLS handshake: 16 03 and 00 to
 * 04? */
enum foreign foreign_tls(const uint8_t *data, size_t length);

/* foreign_is_http() - is this first line an HTTP request? It begins with a method and SP and
 * holds SP, `HTTP/` and a digit. `PRI` is the method of the HTTP/2 preface (RFC 9113, 3.4). */
bool foreign_is_http(const uint8_t *line, size_t length);

#endif
