/* SPDX-License-Identifier: MIT */
/* reason.h - why a text of the configuration was refused, as one sentence for its author.
 *
 * A reason is a predicate without subject and full stop: "is not a size: write a number and B,
 * KiB, MiB or GiB". The caller sets file, line, key and value before it. It never repeats
 * octets of the refused text, so it is always printable ASCII. Pure; any thread.
 */
#ifndef HVLOG_CORE_REASON_H
#define HVLOG_CORE_REASON_H

#include "printf_like.h"

enum { REASON_TEXT_MAX = 200 }; /* with the NUL; what is longer is cut */

struct reason {
    char text[REASON_TEXT_MAX];
};

/* reason_set() - write the sentence; <why> may be NULL when nobody wants to know.
 *
 * Always returns ERR_INVALID, so that a parser can end with "return reason_set(why, ...)".
 */
int reason_set(struct reason *why, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
