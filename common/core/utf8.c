/* SPDX-License-Identifier: MIT */
/* utf8.c - where the characters of a text end. */
#include "utf8.h"

size_t utf8_sequence(uint8_t lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2) /* continuations, and what would only open overlong forms */
        return 0;
    if (lead < 0xE0)
        return 2;
    if (lead < 0xF0)
        return 3;
    return lead < 0xF5 ? 4 : 0;
}

size_t utf8_length(const uint8_t *text, size_t left)
{
    uint8_t lead = text[0];
    size_t length = utf8_sequence(lead);

    if (length > left)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if (!utf8_is_continuation(text[i]))
            return 0;
    }
    if (length < 3)
        return length;
    bool is_overlong = (lead == 0xE0 && text[1] < 0xA0) || (lead == 0xF0 && text[1] < 0x90);
    bool is_outside = (lead == 0xED && text[1] > 0x9F) || (lead == 0xF4 && text[1] > 0x8F);
    return is_overlong || is_outside ? 0 : length;
}

size_t utf8_clean_length(const uint8_t *text, size_t left)
{
    bool is_c0 = text[0] < 0x20 || text[0] == 0x7F;
    bool is_c1 = text[0] == 0xC2 && left > 1 && text[1] < 0xA0;

    return is_c0 || is_c1 ? 0 : utf8_length(text, left);
}
