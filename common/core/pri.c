/* SPDX-License-Identifier: MIT */
/* pri.c - the two shapes that open a syslog frame, and whether a PRI is a valid one. */
#include "pri.h"

#include "ascii.h"

static const uint8_t bom[BOM_OCTETS] = {0xEF, 0xBB, 0xBF};

static bool is_digit(uint8_t c)
{
    return ascii_is_digit((char)c);
}

/* A PRI at <data>; its length with SHAPE_PRI. */
static enum shape pri_at(const uint8_t *data, size_t length, uint32_t *ret_length)
{
    size_t at = 0;
    size_t digits = 0;

    if (length > 0 && data[0] == bom[0]) {
        for (at = 1; at < BOM_OCTETS; at++) {
            if (at == length)
                return SHAPE_UNDECIDED;
            if (data[at] != bom[at])
                return SHAPE_NONE;
        }
    }
    if (at == length)
        return SHAPE_UNDECIDED;
    if (data[at++] != '<')
        return SHAPE_NONE;
    while (at < length && digits < PRI_DIGITS_MAX && is_digit(data[at])) {
        at++;
        digits++;
    }
    if (at == length)
        return SHAPE_UNDECIDED;
    if (digits == 0 || data[at] != '>')
        return SHAPE_NONE;
    *ret_length = (uint32_t)at + 1;
    return SHAPE_PRI;
}

static enum shape count_at(const uint8_t *data, size_t length, uint32_t max_count,
                           struct count *ret)
{
    uint32_t number = 0;
    uint32_t pri_length = 0;
    size_t at = 0;

    for (; at < length && is_digit(data[at]); at++) {
        if (at == COUNT_DIGITS_MAX)
            return SHAPE_OVERSIZE;
        number = number * 10 + (uint32_t)(data[at] - '0');
        if (number > max_count)
            return SHAPE_OVERSIZE;
    }
    if (at == length)
        return SHAPE_UNDECIDED;
    if (data[at++] != ' ')
        return SHAPE_NONE;

    enum shape pri = pri_at(data + at, length - at, &pri_length);
    if (pri != SHAPE_PRI)
        return pri;
    if (number < pri_length)
        return SHAPE_NONE;
    *ret = (struct count){.prefix = (uint32_t)at, .length = number};
    return SHAPE_COUNT;
}

enum shape shape_at(const uint8_t *data, size_t length, uint32_t max_count, struct count *ret)
{
    uint32_t pri_length;

    if (length == 0)
        return SHAPE_UNDECIDED;
    if (data[0] >= '1' && data[0] <= '9')
        return max_count == 0 ? SHAPE_NONE : count_at(data, length, max_count, ret);
    return pri_at(data, length, &pri_length);
}

bool pri_is_bad(const uint8_t *data, size_t length)
{
    uint32_t value = 0;
    size_t at = 0;

    if (length > BOM_OCTETS && data[0] == bom[0] && data[1] == bom[1] && data[2] == bom[2])
        at = BOM_OCTETS;
    if (at == length || data[at] != '<')
        return false;

    size_t first = ++at;
    while (at < length && at - first < PRI_DIGITS_MAX && is_digit(data[at]))
        value = value * 10 + (uint32_t)(data[at++] - '0');
    if (at == first || at == length || data[at] != '>')
        return true;
    return value > PRI_VALUE_MAX || (data[first] == '0' && at - first > 1);
}
