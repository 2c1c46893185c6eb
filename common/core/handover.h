/* SPDX-License-Identifier: MIT */
/* handover.h - what an output does to a message so that its receiver can tell where it ends.
 *
 * Nothing here un-escapes anything, ever: `#012` in a received text may be the escape of
 * another relay, or may be text. Pure functions; any thread; nothing is kept.
 */
#ifndef HVLOG_CORE_HANDOVER_H
#define HVLOG_CORE_HANDOVER_H

#include <stddef.h>
#include <stdint.h>

enum {
    HANDOVER_ESCAPE_OCTETS = 4, /* `#012`: a message grows to at most four times its length */
    HANDOVER_PREFIX_MAX = 11,   /* ten digits and SP */
    HANDOVER_UDP_MAX_OCTETS = 65507, /* 65,535 less 20 of IPv4 and 8 of UDP */
};

/* handover_escaped_length() - octets that handover_escape() will write for this message. */
size_t handover_escaped_length(const uint8_t *data, size_t length);

/* handover_escape() - write the message for a line-framed output: LF as `#012`, NUL as `#000`,
 * all else as it is. <out> has room for handover_escaped_length() octets and does not overlap
 * <data>. For each NUL one is added to <nul_escaped>. Returns the octets written. A message
 * without RECORD_BINARY comes out unchanged and need not be passed through here.
 */
size_t handover_escape(uint8_t *out, const uint8_t *data, size_t length, uint64_t *nul_escaped);

/* handover_count_prefix() - write the count and the SP that stand before a message of <length>
 * octets in octet framing. Returns the octets written; no NUL is appended. */
size_t handover_count_prefix(uint8_t out[HANDOVER_PREFIX_MAX], uint32_t length);

/* handover_udp_length() - how many octets of a message to send in one datagram: all, if they
 * fit; else HANDOVER_UDP_MAX_OCTETS, or up to three less, so that a UTF-8 sequence is not
 * split. If the result is less than <length> the caller flags the message truncated and counts
 * it.
 */
size_t handover_udp_length(const uint8_t *data, size_t length);

#endif
