/* SPDX-License-Identifier: MIT */
/* ascii.h - classes of ASCII characters, without a locale.
 *
 * <ctype.h> asks the locale, and takes an int that must not be a negative char.
 */
#ifndef HVLOG_CORE_ASCII_H
#define HVLOG_CORE_ASCII_H

#include <stdbool.h>

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ascii_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline char ascii_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* ascii_hex() - the value of a hexadecimal digit, or -1. */
static inline int ascii_hex(char c)
{
    if (ascii_is_digit(c))
        return c - '0';
    char letter = ascii_lower(c);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

#endif
