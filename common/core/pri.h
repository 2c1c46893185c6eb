/* SPDX-License-Identifier: MIT */
/* pri.h - the two shapes that open a syslog frame, and whether a PRI is a valid one.
 *
 * PRI: `<`, one to three digits, `>`. A UTF-8 byte order mark may stand before the `<` and is
 * part of it. COUNT (RFC 6587, octet counting): a digit 1 to 9, up to eight more digits, one SP
 * and a PRI right behind; the number is at least the length of that PRI and at most the largest
 * count believed. The PRI is asked for because texts begin with a number and SP as well (a
 * date, "54 minutes elapsed"), and a number that is wrongly taken for a length swallows what
 * follows.
 *
 * Pure functions; nothing is kept, any thread. Each looks at SHAPE_MAX_OCTETS at most.
 */
#ifndef HVLOG_CORE_PRI_H
#define HVLOG_CORE_PRI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BOM_OCTETS = 3,
    PRI_DIGITS_MAX = 3,
    PRI_VALUE_MAX = 191,  /* RFC 5424, 6.2.1: facility 23, severity 7 */
    COUNT_DIGITS_MAX = 9, /* no count of more digits is believed; it fits in 32 bits */
    SHAPE_MAX_OCTETS = COUNT_DIGITS_MAX + 1 + BOM_OCTETS + 1 + PRI_DIGITS_MAX + 1,
};

enum shape {
    SHAPE_NONE = 0,
    SHAPE_UNDECIDED = 1, /* all octets at hand fit, the rest has not come */
    SHAPE_PRI = 2,
    SHAPE_COUNT = 3,
    SHAPE_OVERSIZE = 4, /* no COUNT: the digits alone say more than may be believed */
};

/* The two numbers of a COUNT. */
struct count {
    uint32_t prefix; /* octets before the message: the digits and SP */
    uint32_t length; /* octets of the message */
};

/* shape_at() - which shape begins at <data>?
 *
 * <max_count> is the largest count believed; 0 means that counts are not looked for at all
 * (then neither SHAPE_COUNT nor SHAPE_OVERSIZE is returned). <ret> is written with SHAPE_COUNT
 * only. With <length> 0 the answer is SHAPE_UNDECIDED. SHAPE_OVERSIZE comes as soon as the
 * digits are too many or too large; what follows them has not been looked at.
 */
enum shape shape_at(const uint8_t *data, size_t length, uint32_t max_count, struct count *ret);

/* pri_is_bad() - the message begins with `<` (after a byte order mark, if any), but not with
 * `<`, a number of 0 to 191 without leading zeros, `>`. A message with no `<` in front has no
 * PRI, which is not bad.
 */
bool pri_is_bad(const uint8_t *data, size_t length);

#endif
