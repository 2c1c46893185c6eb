/* SPDX-License-Identifier: MIT */
/* utf8.h - where the characters of a text end, for whoever must not trust that it is UTF-8.
 *
 * RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. Pure; any thread.
 */
#ifndef HVLOG_CORE_UTF8_H
#define HVLOG_CORE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_SEQUENCE_MAX = 4 }; /* octets of one character */

static inline bool utf8_is_continuation(uint8_t c)
{
    return (c & 0xC0) == 0x80;
}

/* utf8_sequence() - octets of the character that <lead> opens; 0 if it opens none. */
size_t utf8_sequence(uint8_t lead);

/* utf8_length() - octets of the character at <text>, of which <left> octets (at least one) are
 * there; 0 if there is no whole one.
 * utf8_clean_length() - the same, and 0 for the control characters (C0, DEL, C1), which
 * terminals obey.
 */
size_t utf8_length(const uint8_t *text, size_t left);
size_t utf8_clean_length(const uint8_t *text, size_t left);

#endif
