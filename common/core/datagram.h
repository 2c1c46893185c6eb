/* SPDX-License-Identifier: MIT */
/* datagram.h - the one syslog message in a datagram (RFC 5426). */
#ifndef HVLOG_CORE_DATAGRAM_H
#define HVLOG_CORE_DATAGRAM_H

#include "framer.h"

/* framer_datagram() - one datagram is one message, whatever is in it.
 *
 * LF, CR and NUL at its end are stripped, each counts as framing_padding; nothing is stripped
 * in front, and nothing at all if it begins with FF FE or FE FF (UTF-16, where those octets are
 * halves of characters). Of what is left the first <max_message> octets are handed on.
 * <was_cut> says that the receive buffer was too small (MSG_TRUNC, WSAEMSGSIZE): then <data> is
 * the head, its end is not the datagram's and is not stripped, and the message is truncated
 * whatever its length. <true_length> is the datagram's real length if known, else <length>.
 *
 * Returns true and the message, a view into <data>; or false if nothing is left or nothing was
 * there (then `empty` counts and nothing else). Counts into <counters>. Pure, any thread.
 */
bool framer_datagram(const uint8_t *data, size_t length, size_t true_length, bool was_cut,
                     uint32_t max_message, struct framer_counters *counters,
                     struct framed *ret);

#endif
