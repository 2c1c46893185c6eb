/* SPDX-License-Identifier: MIT */
/* uuid.c - GUIDs as values. */
#include "uuid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ascii.h"

/* The 32 digits of "8-4-4-4-12" as octets in the order of the text. */
static bool parse_digits(struct view v, uint8_t octets[16])
{
    size_t digits = 0;
    if (v.length != UUID_TEXT_MAX - 1)
        return false;
    for (size_t i = 0; i < v.length; i++) {
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (v.text[i] != '-')
                return false;
            continue;
        }
        int digit = ascii_hex(v.text[i]);
        if (digit < 0)
            return false;
        octets[digits / 2] = (uint8_t)((octets[digits / 2] << 4) | digit);
        digits++;
    }
    return true;
}

int uuid_parse(struct view text, struct uuid *ret, struct reason *why)
{
    uint8_t o[16] = {0};
    struct view v = text;
    if (v.length == UUID_TEXT_MAX + 1 && v.text[0] == '{' && v.text[v.length - 1] == '}')
        v = (struct view){.text = v.text + 1, .length = v.length - 2};
    if (!parse_digits(v, o))
        return reason_set(why, "is not a GUID: write xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx "
                               "in hexadecimal digits");
    ret->d1 = (uint32_t)o[0] << 24 | (uint32_t)o[1] << 16 | (uint32_t)o[2] << 8 | o[3];
    ret->d2 = (uint16_t)(o[4] << 8 | o[5]);
    ret->d3 = (uint16_t)(o[6] << 8 | o[7]);
    memcpy(ret->d4, o + 8, sizeof(ret->d4));
    return 0;
}

char *uuid_format(const struct uuid *u, char text[UUID_TEXT_MAX])
{
    (void)snprintf(text, UUID_TEXT_MAX,
                   "%08" PRIx32 "-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", u->d1,
                   (unsigned)u->d2, (unsigned)u->d3, (unsigned)u->d4[0], (unsigned)u->d4[1],
                   (unsigned)u->d4[2], (unsigned)u->d4[3], (unsigned)u->d4[4],
                   (unsigned)u->d4[5], (unsigned)u->d4[6], (unsigned)u->d4[7]);
    return text;
}

bool uuid_is_equal(const struct uuid *a, const struct uuid *b)
{
    return a->d1 == b->d1 && a->d2 == b->d2 && a->d3 == b->d3 &&
           memcmp(a->d4, b->d4, sizeof(a->d4)) == 0;
}

bool uuid_is_zero(const struct uuid *u)
{
    return uuid_is_equal(u, &(const struct uuid){0});
}

struct uuid uuid_of_port(uint32_t port)
{
    return (struct uuid){.d1 = port,
                         .d2 = 0xFACB,
                         .d3 = 0x11E6,
                         .d4 = {0xBD, 0x58, 0x64, 0x00, 0x6A, 0x79, 0x86, 0xD3}};
}
