/* SPDX-License-Identifier: MIT */
/* handover.c - what an output does to a message so that its receiver can tell where it ends. */
#include "handover.h"

#include <stdbool.h>
#include <string.h>

#include "utf8.h"

static bool is_escaped(uint8_t c)
{
    return c == '\n' || c == '\0';
}

size_t handover_escaped_length(const uint8_t *data, size_t length)
{
    size_t escapes = 0;

    for (size_t i = 0; i < length; i++)
        escapes += is_escaped(data[i]);
    return length + escapes * (HANDOVER_ESCAPE_OCTETS - 1);
}

size_t handover_escape(uint8_t *out, const uint8_t *data, size_t length, uint64_t *nul_escaped)
{
    uint8_t *to = out;

    for (size_t i = 0; i < length; i++) {
        if (!is_escaped(data[i])) {
            *to++ = data[i];
            continue;
        }
        *nul_escaped += data[i] == '\0';
        memcpy(to, data[i] == '\0' ? "#000" : "#012", HANDOVER_ESCAPE_OCTETS);
        to += HANDOVER_ESCAPE_OCTETS;
    }
    return (size_t)(to - out);
}

size_t handover_count_prefix(uint8_t out[HANDOVER_PREFIX_MAX], uint32_t length)
{
    uint8_t digits[HANDOVER_PREFIX_MAX];
    size_t at = sizeof(digits);

    digits[--at] = ' ';
    do {
        digits[--at] = (uint8_t)('0' + length % 10);
        length /= 10;
    } while (length > 0);
    memcpy(out, digits + at, sizeof(digits) - at);
    return sizeof(digits) - at;
}

size_t handover_udp_length(const uint8_t *data, size_t length)
{
    const size_t cut = HANDOVER_UDP_MAX_OCTETS;

    if (length <= cut)
        return length;
    if (!utf8_is_continuation(data[cut]))
        return cut;
    for (size_t back = 1; back < UTF8_SEQUENCE_MAX; back++) {
        uint8_t c = data[cut - back];
        if (!utf8_is_continuation(c))
            return utf8_sequence(c) > back ? cut - back : cut;
    }
    return cut;
}
