/* SPDX-License-Identifier: MIT */
/* address.c - IP addresses and prefixes as values.
 *
 * The parsers are our own, since inet_pton() is the system's and the core is pure. They take
 * what inet_pton() takes: dotted quads without leading zeros, and RFC 4291's text with one
 * "::".
 */
#include "address.h"

#include <stdio.h>
#include <string.h>

#include "ascii.h"
#include "err.h"

enum { IPV4_BYTES = 4, IPV6_BYTES = 16, IPV6_GROUPS = 8, MAPPED_BYTES = 12 };

static const uint8_t mapped_prefix[MAPPED_BYTES] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

static bool is_mapped(const uint8_t *ip)
{
    return memcmp(ip, mapped_prefix, sizeof(mapped_prefix)) == 0;
}

void address_init(struct address *a, enum address_family family, const uint8_t *ip,
                  uint16_t port)
{
    *a = (struct address){.family = (uint8_t)family};
    if (family == ADDRESS_NONE)
        return;
    a->port = port;
    if (family == ADDRESS_IPV4) {
        memcpy(a->ip, ip, IPV4_BYTES);
    } else if (is_mapped(ip)) {
        a->family = ADDRESS_IPV4;
        memcpy(a->ip, ip + MAPPED_BYTES, IPV4_BYTES);
    } else {
        memcpy(a->ip, ip, IPV6_BYTES);
    }
}

/* ---- parsing ----------------------------------------------------------------------------- */

/* A decimal number of 1 to 3 digits up to <limit>, without leading zeros. Returns the octets
 * used, or 0.
 */
static size_t parse_decimal(const char *text, size_t length, unsigned limit, uint8_t *ret)
{
    unsigned n = 0;
    size_t i = 0;
    for (; i < length && i < 3 && ascii_is_digit(text[i]); i++)
        n = n * 10 + (unsigned)(text[i] - '0');
    if (i == 0 || n > limit || (i > 1 && text[0] == '0'))
        return 0;
    *ret = (uint8_t)n;
    return i;
}

static bool parse_ipv4(const char *text, size_t length, uint8_t ip[IPV4_BYTES])
{
    size_t at = 0;
    for (size_t i = 0; i < IPV4_BYTES; i++) {
        if (i > 0 && (at >= length || text[at++] != '.'))
            return false;
        size_t used = parse_decimal(text + at, length - at, 255, &ip[i]);
        if (used == 0)
            return false;
        at += used;
    }
    return at == length;
}

/* A group of 1 to 4 hexadecimal digits. Returns the octets used, or 0. */
static size_t parse_group(const char *text, size_t length, uint8_t octets[2])
{
    unsigned n = 0;
    size_t i = 0;
    for (; i < length && i < 4 && ascii_hex(text[i]) >= 0; i++)
        n = n << 4 | (unsigned)ascii_hex(text[i]);
    octets[0] = (uint8_t)(n >> 8);
    octets[1] = (uint8_t)n;
    return i;
}

/* Groups with ':' between them, of which the last two may be a dotted quad. Writes at most
 * <room> octets. Returns the number of octets written, or -1.
 */
static int parse_groups(const char *text, size_t length, uint8_t *ip, size_t room)
{
    size_t at = 0, filled = 0;
    uint8_t quad[IPV4_BYTES];
    while (at < length) {
        if (room - filled >= IPV4_BYTES && parse_ipv4(text + at, length - at, quad)) {
            memcpy(ip + filled, quad, sizeof(quad));
            return (int)(filled + IPV4_BYTES);
        }
        if (filled + 2 > room)
            return -1;
        size_t used = parse_group(text + at, length - at, ip + filled);
        if (used == 0)
            return -1;
        filled += 2;
        at += used;
        if (at < length && (text[at++] != ':' || at == length))
            return -1;
    }
    return (int)filled;
}

/* Where "::" begins, or <length>. */
static size_t find_gap(const char *text, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++) {
        if (text[i] == ':' && text[i + 1] == ':')
            return i;
    }
    return length;
}

static bool parse_ipv6(const char *text, size_t length, uint8_t ip[IPV6_BYTES])
{
    size_t gap = find_gap(text, length);
    if (gap == length)
        return parse_groups(text, length, ip, IPV6_BYTES) == IPV6_BYTES;

    /* The gap stands for one group at least. A dotted quad may end the text, not the head. */
    uint8_t tail[IPV6_BYTES];
    if (memchr(text, '.', gap) != NULL)
        return false;
    memset(ip, 0, IPV6_BYTES);
    int head = parse_groups(text, gap, ip, IPV6_BYTES - 2);
    if (head < 0)
        return false;
    int rest =
        parse_groups(text + gap + 2, length - gap - 2, tail, (size_t)(IPV6_BYTES - 2 - head));
    if (rest < 0)
        return false;
    memcpy(ip + IPV6_BYTES - rest, tail, (size_t)rest);
    return true;
}

int address_parse_ip(const char *text, size_t length, struct address *ret)
{
    uint8_t ip[IPV6_BYTES];
    if (length == 0)
        return ERR_INVALID;
    if (parse_ipv4(text, length, ip))
        address_init(ret, ADDRESS_IPV4, ip, 0);
    else if (parse_ipv6(text, length, ip))
        address_init(ret, ADDRESS_IPV6, ip, 0);
    else
        return ERR_INVALID;
    return 0;
}

/* ---- formatting -------------------------------------------------------------------------- */

/* RFC 5952, 4.2: "::" stands for the longest run of two or more zero groups, the first of
 * several. Returns its first group and <ret_length>, which is 0 when there is none.
 */
static size_t find_zero_run(const uint8_t *ip, size_t *ret_length)
{
    size_t best = 0, best_length = 0, run = 0;
    for (size_t i = 0; i < IPV6_GROUPS; i++) {
        run = ip[2 * i] == 0 && ip[2 * i + 1] == 0 ? run + 1 : 0;
        if (run > best_length) {
            best_length = run;
            best = i + 1 - run;
        }
    }
    *ret_length = best_length >= 2 ? best_length : 0;
    return best;
}

static void format_ipv4(const uint8_t *ip, char *text, size_t size)
{
    (void)snprintf(text, size, "%u.%u.%u.%u", (unsigned)ip[0], (unsigned)ip[1], (unsigned)ip[2],
                   (unsigned)ip[3]);
}

static void format_ipv6(const uint8_t *ip, char *text, size_t size)
{
    size_t run_length;
    size_t run = find_zero_run(ip, &run_length);
    char full[ADDRESS_TEXT_MAX];
    size_t used = 0;
    for (size_t i = 0; i < IPV6_GROUPS; i++) {
        if (run_length > 0 && i == run) {
            full[used++] = ':';
            full[used++] = ':';
            i += run_length - 1;
            continue;
        }
        const char *joint = i == 0 || (run_length > 0 && i == run + run_length) ? "" : ":";
        used += (size_t)snprintf(full + used, sizeof(full) - used, "%s%x", joint,
                                 (unsigned)(ip[2 * i] << 8 | ip[2 * i + 1]));
    }
    full[used] = '\0';
    (void)snprintf(text, size, "%s", full);
}

char *address_format_ip(const struct address *a, char *text, size_t size)
{
    if (a->family == ADDRESS_IPV4)
        format_ipv4(a->ip, text, size);
    else if (a->family == ADDRESS_IPV6)
        format_ipv6(a->ip, text, size);
    else
        (void)snprintf(text, size, "local");
    return text;
}

char *address_format(const struct address *a, char *text, size_t size)
{
    char ip[ADDRESS_TEXT_MAX];
    address_format_ip(a, ip, sizeof(ip));
    if (a->family == ADDRESS_IPV4)
        (void)snprintf(text, size, "%s:%u", ip, (unsigned)a->port);
    else if (a->family == ADDRESS_IPV6)
        (void)snprintf(text, size, "[%s]:%u", ip, (unsigned)a->port);
    else
        (void)snprintf(text, size, "%s", ip);
    return text;
}

bool address_is_equal(const struct address *a, const struct address *b)
{
    return a->family == b->family && a->port == b->port &&
           memcmp(a->ip, b->ip, sizeof(a->ip)) == 0;
}

bool address_is_among(const struct address *a, const struct address *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (address_is_equal(&list[i], a))
            return true;
    return false;
}

/* ---- prefixes ---------------------------------------------------------------------------- */

/* The octet that keeps the first <bits> of the <i>th octet of an address. */
static uint8_t octet_mask(unsigned bits, size_t i)
{
    unsigned before = (unsigned)i * 8;
    if (bits <= before)
        return 0;
    if (bits >= before + 8)
        return 0xFF;
    return (uint8_t)(0xFF << (before + 8 - bits));
}

/* The address and the number of bits, both as they were written. */
static bool split_prefix(const char *text, size_t length, uint8_t ip[IPV6_BYTES],
                         bool *ret_is_v6, unsigned *ret_bits)
{
    const char *slash = length > 0 ? memchr(text, '/', length) : NULL;
    size_t ip_length = slash != NULL ? (size_t)(slash - text) : length;
    bool is_v6 = false;
    if (!parse_ipv4(text, ip_length, ip)) {
        if (!parse_ipv6(text, ip_length, ip))
            return false;
        is_v6 = true;
    }
    uint8_t bits = is_v6 ? 128 : 32;
    if (slash != NULL) {
        size_t left = length - ip_length - 1;
        if (left == 0 || parse_decimal(slash + 1, left, bits, &bits) != left)
            return false;
    }
    *ret_is_v6 = is_v6;
    *ret_bits = bits;
    return true;
}

int address_prefix_parse(const char *text, size_t length, struct address_prefix *ret)
{
    uint8_t ip[IPV6_BYTES] = {0};
    bool is_v6;
    unsigned bits;
    if (!split_prefix(text, length, ip, &is_v6, &bits))
        return ERR_INVALID;
    size_t bytes = is_v6 ? IPV6_BYTES : IPV4_BYTES;
    for (size_t i = 0; i < bytes; i++) {
        if ((ip[i] & (uint8_t)~octet_mask(bits, i)) != 0)
            return ERR_INVALID;
    }
    /* The mapped prefix ends with ones, so with fewer bits the loop above has refused it. */
    bool fold = is_v6 && is_mapped(ip);
    *ret = (struct address_prefix){.family = is_v6 && !fold ? ADDRESS_IPV6 : ADDRESS_IPV4,
                                   .bits = (uint8_t)(fold ? bits - MAPPED_BYTES * 8 : bits)};
    memcpy(ret->ip, fold ? ip + MAPPED_BYTES : ip, fold ? IPV4_BYTES : bytes);
    return 0;
}

bool address_prefix_has(const struct address_prefix *prefix, const struct address *a)
{
    if (a->family != prefix->family || a->family == ADDRESS_NONE)
        return false;
    for (size_t i = 0; i < IPV6_BYTES && octet_mask(prefix->bits, i) != 0; i++) {
        if (((a->ip[i] ^ prefix->ip[i]) & octet_mask(prefix->bits, i)) != 0)
            return false;
    }
    return true;
}
