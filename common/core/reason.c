/* SPDX-License-Identifier: MIT */
/* reason.c - why a text of the configuration was refused. */
#include "reason.h"

#include <stdarg.h>
#include <stdio.h>

#include "err.h"

int reason_set(struct reason *why, const char *format, ...)
{
    if (why != NULL) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(why->text, sizeof(why->text), format, args);
        va_end(args);
    }
    return ERR_INVALID;
}
