/* SPDX-License-Identifier: MIT */
/* uuid.h - GUIDs as values, and the service GUID of a Hyper-V socket port.
 *
 * The fields are those of Windows' GUID, in host order: d1-d2-d3 are the text's first three
 * groups as numbers, d4[0..1] its fourth group and d4[2..7] its last, octet by octet. So a GUID
 * structure is filled field by field, and no octet order is ever guessed. Pure; any thread.
 */
#ifndef HVLOG_CORE_UUID_H
#define HVLOG_CORE_UUID_H

#include <stdbool.h>
#include <stdint.h>

#include "reason.h"
#include "view.h"

struct uuid {
    uint32_t d1;
    uint16_t d2;
    uint16_t d3;
    uint8_t d4[8];
};

enum {
    UUID_TEXT_MAX = 37, /* "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" and its NUL */
    /* A guest's AF_VSOCK port that a Hyper-V service GUID can name; the upper half of the range
     * is the host's ephemeral ports (Linux, net/vmw_vsock/hyperv_transport.c). */
    UUID_PORT_MAX = 0x7FFFFFFF,
};

/* uuid_parse() - "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", in braces or bare, in any case.
 *
 * Returns 0, or ERR_INVALID and a reason (nothing was written to <ret>).
 */
int uuid_parse(struct view text, struct uuid *ret, struct reason *why);

/* uuid_format() - bare and in lower case, with a NUL. Returns <text>. */
char *uuid_format(const struct uuid *u, char text[UUID_TEXT_MAX]);

bool uuid_is_equal(const struct uuid *a, const struct uuid *b);

/* uuid_is_zero() - all octets are 0: on Windows, the wildcard address. */
bool uuid_is_zero(const struct uuid *u);

/* uuid_of_port() - the service GUID that a Linux guest knows as vsock port <port>:
 * pppppppp-facb-11e6-bd58-64006a7986d3, the port as d1 (the template is in Windows' hvsocket.h
 * and Linux' hyperv_transport.c). <port> is at most UUID_PORT_MAX.
 */
struct uuid uuid_of_port(uint32_t port);

#endif
