/* SPDX-License-Identifier: MIT */
/* endpoint.c - the addresses of the configuration. */
#include "endpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ascii.h"
#include "suggest.h"
#include "value.h"

struct scheme {
    const char *name;
    const char *usage;
    enum endpoint_kind kind;
    /* Reads what stands behind the colon into <e>, whose kind is set. */
    int (*parse)(const struct scheme *scheme, struct view rest, struct endpoint *e,
                 struct reason *why);
};

static int parse_inet(const struct scheme *scheme, struct view rest, struct endpoint *e,
                      struct reason *why);
static int parse_path(const struct scheme *scheme, struct view rest, struct endpoint *e,
                      struct reason *why);
static int parse_vsock(const struct scheme *scheme, struct view rest, struct endpoint *e,
                       struct reason *why);
static int parse_hvsock(const struct scheme *scheme, struct view rest, struct endpoint *e,
                        struct reason *why);
static int parse_bare(const struct scheme *scheme, struct view rest, struct endpoint *e,
                      struct reason *why);

static const struct scheme schemes[] = {
    {"udp", "udp:ADDR:PORT", ENDPOINT_UDP, parse_inet},
    {"tcp", "tcp:ADDR:PORT", ENDPOINT_TCP, parse_inet},
    {"unix", "unix:PATH", ENDPOINT_UNIX, parse_path},
    {"unix-dgram", "unix-dgram:PATH", ENDPOINT_UNIX_DGRAM, parse_path},
    {"vsock", "vsock:CID:PORT", ENDPOINT_VSOCK, parse_vsock},
    {"hvsock", "hvsock:PORT", ENDPOINT_HVSOCK, parse_hvsock},
    {"file", "file:PATH", ENDPOINT_FILE, parse_path},
    {"stdout", "stdout:", ENDPOINT_STDOUT, parse_bare},
    {"null", "null:", ENDPOINT_NULL, parse_bare},
    {"eventlog", "eventlog:", ENDPOINT_EVENTLOG, parse_bare},
};
enum { SCHEME_COUNT = sizeof(schemes) / sizeof(schemes[0]) };

static bool is_in(const struct scheme *scheme, uint32_t kinds)
{
    return (kinds & ENDPOINT_SET(scheme->kind)) != 0;
}

/* ---- udp and tcp ------------------------------------------------------------------------- */

static int parse_port(struct view text, uint32_t limit, uint32_t *ret, struct reason *why)
{
    uint64_t port;
    if (value_number(text, &(const struct value_rule){.high = limit}, &port, NULL) < 0)
        return reason_set(why, "does not end with a port number from 0 to %" PRIu32, limit);
    *ret = (uint32_t)port;
    return 0;
}

/* Letters, digits, '-' and '_' (which DNS hosts should not have, and some do) with dots between
 * them, a dot allowed at the end; the last part is no number, so that a mistyped address is not
 * taken for a name.
 */
static bool is_host_name(struct view v)
{
    size_t label = 0;
    bool is_number = true;
    if (v.length > 0 && v.text[v.length - 1] == '.')
        v.length--;
    for (size_t i = 0; i < v.length; i++) {
        char c = v.text[i];
        bool is_digit = ascii_is_digit(c);
        if (c == '.') {
            if (label == 0)
                return false;
            label = 0;
            is_number = true;
            continue;
        }
        if (!is_digit && !ascii_is_letter(c) && c != '_' && (c != '-' || label == 0))
            return false;
        is_number = is_number && is_digit;
        if (++label > ENDPOINT_LABEL_MAX)
            return false;
    }
    return label > 0 && !is_number;
}

static void set_literal(struct endpoint *e, const struct address *address)
{
    e->host_kind = ENDPOINT_HOST_LITERAL;
    e->address = *address;
    address_format_ip(address, e->host, sizeof(e->host));
}

static int parse_host(struct view host, struct endpoint *e, struct reason *why)
{
    struct address address;
    if (host.length == 0 || view_is(host, "*")) {
        e->host_kind = ENDPOINT_HOST_ANY;
        return 0;
    }
    if (view_find(host, ':') < host.length)
        return reason_set(why, "has an IPv6 address without brackets: write [::1]:PORT");
    if (address_parse_ip(host.text, host.length, &address) == 0) {
        set_literal(e, &address);
        return 0;
    }
    if (host.length > ENDPOINT_HOST_MAX)
        return reason_set(why, "has a host name longer than %d octets", ENDPOINT_HOST_MAX);
    if (!is_host_name(host))
        return reason_set(why, "has neither an IP address nor a host name before the port");
    e->host_kind = ENDPOINT_HOST_NAME;
    memcpy(e->host, host.text, host.length);
    return 0;
}

/* <inside> stood between brackets. */
static int parse_bracketed(struct view inside, struct endpoint *e, struct reason *why)
{
    struct address address;
    if (view_find(inside, '%') < inside.length)
        return reason_set(why, "has a zone in its IPv6 address, which is not supported");
    if (view_find(inside, ':') == inside.length ||
        address_parse_ip(inside.text, inside.length, &address) < 0)
        return reason_set(why, "has no IPv6 address between its brackets");
    set_literal(e, &address);
    return 0;
}

/* The last ':' outside of brackets, or v.length. */
static size_t find_port_colon(struct view v)
{
    for (size_t i = v.length; i > 0 && v.text[i - 1] != ']'; i--) {
        if (v.text[i - 1] == ':')
            return i - 1;
    }
    return v.length;
}

static int parse_inet(const struct scheme *scheme, struct view rest, struct endpoint *e,
                      struct reason *why)
{
    if (rest.length >= 2 && memcmp(rest.text, "//", 2) == 0)
        return reason_set(why, "must be written without //: %s", scheme->usage);
    size_t colon = find_port_colon(rest);
    if (colon == rest.length)
        return reason_set(why, "has no port: write %s", scheme->usage);

    struct view host = {.text = rest.text, .length = colon};
    bool is_bracketed = colon >= 2 && host.text[0] == '[' && host.text[colon - 1] == ']';
    int r =
        is_bracketed
            ? parse_bracketed((struct view){.text = host.text + 1, .length = colon - 2}, e, why)
            : parse_host(host, e, why);
    if (r == 0)
        r = parse_port(view_from(rest, colon + 1), ENDPOINT_PORT_MAX, &e->port, why);
    if (r == 0 && e->host_kind == ENDPOINT_HOST_LITERAL)
        e->address.port = (uint16_t)e->port;
    return r;
}

/* ---- the other kinds --------------------------------------------------------------------- */

static int parse_path(const struct scheme *scheme, struct view rest, struct endpoint *e,
                      struct reason *why)
{
    size_t limit = scheme->kind == ENDPOINT_FILE ? ENDPOINT_PATH_MAX : ENDPOINT_UNIX_PATH_MAX;
    if (rest.length == 0)
        return reason_set(why, "has no path: write %s", scheme->usage);
    if (rest.length > limit)
        return reason_set(why, "has a path longer than %zu octets", limit);
    if (view_has_control(rest))
        return reason_set(why, "has a control character in its path");
    memcpy(e->path, rest.text, rest.length);
    return 0;
}

static int parse_cid(struct view text, uint32_t *ret, struct reason *why)
{
    static const struct value_word words[] = {
        {"any", ENDPOINT_CID_ANY},
        {"host", ENDPOINT_CID_HOST},
        {"local", ENDPOINT_CID_LOCAL},
        {NULL, 0},
    };
    uint64_t cid;
    const struct value_rule word_rule = {.words = words};
    const struct value_rule number_rule = {.high = ENDPOINT_CID_ANY};
    if (value_one_of(text, &word_rule, &cid, NULL) < 0 &&
        value_number(text, &number_rule, &cid, NULL) < 0)
        return reason_set(why, "has no CID: write a number, any, host or local");
    *ret = (uint32_t)cid;
    return 0;
}

static int parse_vsock(const struct scheme *scheme, struct view rest, struct endpoint *e,
                       struct reason *why)
{
    size_t colon = view_find(rest, ':');
    if (colon == rest.length)
        return reason_set(why, "has no port: write %s", scheme->usage);
    int r = parse_cid((struct view){.text = rest.text, .length = colon}, &e->cid, why);
    if (r < 0)
        return r;
    return parse_port(view_from(rest, colon + 1), ENDPOINT_VPORT_MAX, &e->port, why);
}

static int parse_hvsock(const struct scheme *scheme, struct view rest, struct endpoint *e,
                        struct reason *why)
{
    (void)scheme;
    return parse_port(rest, ENDPOINT_VPORT_MAX, &e->port, why);
}

static int parse_bare(const struct scheme *scheme, struct view rest, struct endpoint *e,
                      struct reason *why)
{
    (void)e;
    if (rest.length > 0)
        return reason_set(why, "has text behind the colon: write %s", scheme->usage);
    return 0;
}

/* ---- all kinds --------------------------------------------------------------------------- */

/* "write udp:ADDR:PORT, tcp:ADDR:PORT or unix:PATH", or the nearest of them. */
static int refuse_scheme(struct view name, const char *complaint, uint32_t kinds,
                         struct reason *why)
{
    char usages[REASON_TEXT_MAX] = "";
    const char *last = NULL;
    size_t used = 0;
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (size_t i = 0; i < SCHEME_COUNT; i++) {
        if (!is_in(&schemes[i], kinds))
            continue;
        suggest_offer(&suggest, schemes[i].name);
        if (last != NULL && used < sizeof(usages)) {
            int n = snprintf(usages + used, sizeof(usages) - used, "%s%s", used > 0 ? ", " : "",
                             last);
            used += n > 0 ? (size_t)n : 0;
        }
        last = schemes[i].usage;
    }
    const char *nearest = suggest_nearest(&suggest);
    if (nearest != NULL)
        return reason_set(why, "%s (did you mean %s:?)", complaint, nearest);
    return reason_set(why, "%s: write %s%s%s", complaint, usages, used > 0 ? " or " : "",
                      last != NULL ? last : "something else");
}

static const struct scheme *find_scheme(struct view name)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++) {
        if (view_is(name, schemes[i].name))
            return &schemes[i];
    }
    return NULL;
}

int endpoint_parse(struct view text, uint32_t kinds, struct endpoint *ret, struct reason *why)
{
    size_t colon = view_find(text, ':');
    struct view name = {.text = text.text, .length = colon};
    const struct scheme *scheme = find_scheme(name);

    if (scheme == NULL)
        return refuse_scheme(name, "is not an address", kinds, why);
    if (!is_in(scheme, kinds))
        return refuse_scheme((struct view){.text = NULL}, "cannot stand here", kinds, why);
    if (colon == text.length)
        return reason_set(why, "lacks its colon: write %s", scheme->usage);

    struct endpoint e = {.kind = scheme->kind};
    int r = scheme->parse(scheme, view_from(text, colon + 1), &e, why);
    if (r == 0)
        *ret = e;
    return r;
}

static int check_listen(const struct endpoint *e, struct reason *why)
{
    switch (e->kind) {
    case ENDPOINT_UDP:
    case ENDPOINT_TCP:
        if (e->host_kind == ENDPOINT_HOST_NAME)
            return reason_set(why, "has a host name: to listen, write an IP address or *");
        return 0;
    case ENDPOINT_HVSOCK:
        if (e->port == 0)
            return reason_set(why, "must have a port other than 0");
        return 0;
    case ENDPOINT_UNIX:
    case ENDPOINT_UNIX_DGRAM:
    case ENDPOINT_VSOCK:
        return 0;
    default:
        return reason_set(why, "is nothing that can be listened on");
    }
}

static int check_connect(const struct endpoint *e, struct reason *why)
{
    bool has_port = e->kind == ENDPOINT_UDP || e->kind == ENDPOINT_TCP ||
                    e->kind == ENDPOINT_VSOCK || e->kind == ENDPOINT_HVSOCK;
    bool is_any = e->host_kind == ENDPOINT_HOST_ANY ||
                  (e->kind == ENDPOINT_VSOCK && e->cid == ENDPOINT_CID_ANY);
    if (is_any)
        return reason_set(why, "must name the other side: any address will not do");
    if (has_port && e->port == 0)
        return reason_set(why, "must have a port other than 0");
    return 0;
}

int endpoint_check(const struct endpoint *e, enum endpoint_use use, struct reason *why)
{
    return use == ENDPOINT_LISTEN ? check_listen(e, why) : check_connect(e, why);
}

const char *endpoint_scheme(enum endpoint_kind kind)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++) {
        if (schemes[i].kind == kind)
            return schemes[i].name;
    }
    return "none";
}

char *endpoint_format(const struct endpoint *e, char *text, size_t size)
{
    const char *name = endpoint_scheme(e->kind);
    bool is_ipv6 = e->host_kind == ENDPOINT_HOST_LITERAL && e->address.family == ADDRESS_IPV6;
    switch (e->kind) {
    case ENDPOINT_UDP:
    case ENDPOINT_TCP:
        (void)snprintf(text, size, "%s:%s%s%s:%" PRIu32, name, is_ipv6 ? "[" : "",
                       e->host_kind == ENDPOINT_HOST_ANY ? "*" : e->host, is_ipv6 ? "]" : "",
                       e->port);
        break;
    case ENDPOINT_VSOCK:
        if (e->cid == ENDPOINT_CID_ANY)
            (void)snprintf(text, size, "%s:any:%" PRIu32, name, e->port);
        else
            (void)snprintf(text, size, "%s:%" PRIu32 ":%" PRIu32, name, e->cid, e->port);
        break;
    case ENDPOINT_HVSOCK:
        (void)snprintf(text, size, "%s:%" PRIu32, name, e->port);
        break;
    default:
        (void)snprintf(text, size, "%s:%s", name, e->path);
        break;
    }
    return text;
}
