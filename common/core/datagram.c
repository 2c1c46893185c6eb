/* SPDX-License-Identifier: MIT */
/* datagram.c - the one syslog message in a datagram (RFC 5426). */
#include "datagram.h"

#include <string.h>

#include "pri.h"
#include "record.h"

static bool is_utf16(const uint8_t *data, size_t length)
{
    return length >= 2 &&
           ((data[0] == 0xFF && data[1] == 0xFE) || (data[0] == 0xFE && data[1] == 0xFF));
}

static size_t stripped_length(const uint8_t *data, size_t length)
{
    while (length > 0 &&
           (data[length - 1] == '\n' || data[length - 1] == '\r' || data[length - 1] == '\0'))
        length--;
    return length;
}

bool framer_datagram(const uint8_t *data, size_t length, size_t true_length, bool was_cut,
                     uint32_t max_message, struct framer_counters *counters, struct framed *ret)
{
    size_t whole = length;
    uint16_t flags = 0;

    if (!was_cut && !is_utf16(data, length))
        whole = stripped_length(data, length);
    if (whole == 0) {
        counters->empty++;
        return false;
    }
    counters->framing_padding += length - whole;

    size_t head = whole < max_message ? whole : max_message;
    if (was_cut && true_length > whole)
        whole = true_length;
    if (was_cut || head < whole) {
        flags |= RECORD_TRUNCATED;
        counters->truncated++;
        counters->cut_octets += whole - head;
    }
    if (memchr(data, '\n', head) || memchr(data, '\0', head))
        flags |= RECORD_BINARY;
    counters->bad_pri += pri_is_bad(data, head);
    *ret = (struct framed){.data = data,
                           .length = (uint32_t)head,
                           .orig_length = whole < UINT32_MAX ? (uint32_t)whole : UINT32_MAX,
                           .flags = flags};
    return true;
}
