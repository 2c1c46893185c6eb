/* SPDX-License-Identifier: MIT */
/* endpoint.h - where to listen, connect or write: the addresses of the configuration.
 *
 *     udp:ADDR:PORT  tcp:ADDR:PORT   ADDR is an IPv4 address, an IPv6 address in brackets, a
 *                                    host name, or "*" or nothing for every address
 *     unix:PATH  unix-dgram:PATH     sockets of this machine
 *     vsock:CID:PORT                 CID is a number, any, host (2) or local (1)
 *     hvsock:PORT                    Hyper-V socket; the VM is said elsewhere
 *     file:PATH  stdout:  null:  eventlog:
 *
 * Names are resolved later, at the seam. IPv4-mapped addresses are folded as in address.h;
 * zones (fe80::1%eth0) are not known. PATH is everything behind the colon, as it is. Pure; any
 * thread.
 */
#ifndef HVLOG_CORE_ENDPOINT_H
#define HVLOG_CORE_ENDPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "address.h"
#include "reason.h"
#include "uuid.h"
#include "view.h"

enum endpoint_kind {
    ENDPOINT_NONE = 0,
    ENDPOINT_UDP = 1,
    ENDPOINT_TCP = 2,
    ENDPOINT_UNIX = 3,
    ENDPOINT_UNIX_DGRAM = 4,
    ENDPOINT_VSOCK = 5,
    ENDPOINT_HVSOCK = 6,
    ENDPOINT_FILE = 7,
    ENDPOINT_STDOUT = 8,
    ENDPOINT_NULL = 9,
    ENDPOINT_EVENTLOG = 10,
};

/* Sets of kinds, to say what may stand at a place: ENDPOINT_SET(ENDPOINT_UDP) | ... */
#define ENDPOINT_SET(kind) (UINT32_C(1) << (kind))
#define ENDPOINT_SET_ALL   UINT32_MAX

/* What ADDR was, for udp and tcp. */
enum endpoint_host {
    ENDPOINT_HOST_NONE = 0,    /* this kind has none */
    ENDPOINT_HOST_ANY = 1,     /* every address of both families */
    ENDPOINT_HOST_LITERAL = 2, /* an IP address: <address> */
    ENDPOINT_HOST_NAME = 3,    /* to be resolved */
};

enum {
    ENDPOINT_HOST_MAX = 253,            /* octets of a host name (RFC 1035, 2.3.4) */
    ENDPOINT_LABEL_MAX = 63,            /* octets between its dots */
    ENDPOINT_PATH_MAX = 1023,           /* octets of a file's path */
    ENDPOINT_UNIX_PATH_MAX = 107,       /* sockaddr_un's 108 without the NUL, on both systems */
    ENDPOINT_PORT_MAX = 65535,          /* udp, tcp */
    ENDPOINT_VPORT_MAX = UUID_PORT_MAX, /* vsock, hvsock */
    /* Room for the longest text and its NUL. */
    ENDPOINT_TEXT_MAX = sizeof("unix-dgram:") + ENDPOINT_PATH_MAX + 1,
};

#define ENDPOINT_CID_LOCAL 1U
#define ENDPOINT_CID_HOST  2U
#define ENDPOINT_CID_ANY   UINT32_MAX

/* Fields that a kind does not use are 0. */
struct endpoint {
    enum endpoint_kind kind;
    enum endpoint_host host_kind;
    char host[ENDPOINT_HOST_MAX + 1]; /* canonical address without brackets, or the name */
    struct address address;           /* ENDPOINT_HOST_LITERAL: with the port */
    uint32_t port;                    /* udp, tcp, vsock, hvsock */
    uint32_t cid;                     /* vsock */
    char path[ENDPOINT_PATH_MAX + 1]; /* unix, unix-dgram, file */
};

/* endpoint_parse() - any of the above whose kind is in the set <kinds>.
 *
 * Returns 0, or ERR_INVALID and a reason, which knows what <kinds> allows (nothing was written
 * to <ret>).
 */
int endpoint_parse(struct view text, uint32_t kinds, struct endpoint *ret, struct reason *why);

/* endpoint_check() - whether one can listen there, or connect or send there.
 *
 * Apart from parsing, since for the link another setting (role) decides. To listen takes no
 * host name, since a name can change its address behind the program's back. Port 0 is allowed
 * (the system chooses) but for hvsock, whose port is part of a GUID. To connect takes an
 * address that is not "any" and a port other than 0. file, stdout, null and eventlog are
 * written to: they satisfy ENDPOINT_CONNECT only.
 *
 * Returns 0, or ERR_INVALID and a reason.
 */
enum endpoint_use { ENDPOINT_LISTEN = 1, ENDPOINT_CONNECT = 2 };
int endpoint_check(const struct endpoint *e, enum endpoint_use use, struct reason *why);

/* endpoint_scheme() - the word before the colon, "tcp"; "none" for ENDPOINT_NONE. A constant.
 */
const char *endpoint_scheme(enum endpoint_kind kind);

/* endpoint_format() - the canonical text: two endpoints are the same if their texts are.
 *
 * "*" for every address, IPv6 as RFC 5952, numbers for host and local, "any" for any CID.
 * Parses to an equal endpoint. Writes at most <size> octets with the NUL; ENDPOINT_TEXT_MAX is
 * always enough. Returns <text>.
 */
char *endpoint_format(const struct endpoint *e, char *text, size_t size);

#endif
