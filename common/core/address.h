/* SPDX-License-Identifier: MIT */
/* address.h - IP addresses and prefixes as values: text to octets and back.
 *
 * No resolver and no system header: host names are resolved at the seam.
 * IPv4-mapped IPv6 addresses (::ffff:a.b.c.d, what a dual-stack socket reports for an IPv4
 * sender) are always folded to IPv4, so that one device has one address.
 * All functions are pure; any thread.
 */
#ifndef HVLOG_CORE_ADDRESS_H
#define HVLOG_CORE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum address_family {
    ADDRESS_NONE = 0, /* a local sender: unix socket, or the program itself */
    ADDRESS_IPV4 = 4,
    ADDRESS_IPV6 = 6,
};

struct address {
    uint8_t family; /* enum address_family */
    uint16_t port;  /* host order */
    uint8_t ip[16]; /* network order; IPv4 uses the first four, the rest is 0 */
};

/* Room for "[ffff:...:255.255.255.255]:65535" and its NUL. */
enum { ADDRESS_TEXT_MAX = 64 };

/* A prefix such as 192.0.2.0/24, 2001:db8::/32 or a single address. */
struct address_prefix {
    uint8_t family;
    uint8_t bits;
    uint8_t ip[16];
};

/* address_init() - from <family> and the octets of a socket address in network order (4 or 16
 * of them) and <port> in host order. Folds IPv4-mapped IPv6. ADDRESS_NONE takes neither: all of
 * <a> is 0.
 */
void address_init(struct address *a, enum address_family family, const uint8_t *ip,
                  uint16_t port);

/* address_format() - "192.0.2.7:514", "[2001:db8::7]:514" (RFC 5952), or "local" for
 * ADDRESS_NONE. address_format_ip() leaves brackets and port out.
 *
 * Writes at most <size> octets with the NUL; ADDRESS_TEXT_MAX is always enough. Returns <text>.
 */
char *address_format(const struct address *a, char *text, size_t size);
char *address_format_ip(const struct address *a, char *text, size_t size);

/* address_parse_ip() - a literal IPv4 or IPv6 address without brackets; the port becomes 0.
 *
 * Returns 0, or ERR_INVALID (nothing was written).
 */
int address_parse_ip(const char *text, size_t length, struct address *ret);

/* address_prefix_parse() - "192.0.2.0/24", "2001:db8::/32", "192.0.2.7".
 *
 * Returns 0, or ERR_INVALID: not an address, or a prefix longer than the address, or bits set
 * behind the prefix (192.0.2.7/24 is more likely a slip than a wish).
 *
 * An IPv4-mapped prefix is folded too. A prefix holds addresses of its own family only: ::/0
 * has no IPv4 sender, 0.0.0.0/0 no IPv6 one, and neither has ADDRESS_NONE.
 */
int address_prefix_parse(const char *text, size_t length, struct address_prefix *ret);
bool address_prefix_has(const struct address_prefix *prefix, const struct address *a);

/* address_is_equal() - same family, octets and port.
 * address_is_among() - is one of the <count> at <list> equal to <a>?
 */
bool address_is_equal(const struct address *a, const struct address *b);
bool address_is_among(const struct address *a, const struct address *list, size_t count);

#endif
