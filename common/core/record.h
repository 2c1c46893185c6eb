/* SPDX-License-Identifier: MIT */
/* record.h - one syslog message with what the bridge learned about it.
 *
 * A record never owns its octets: it is a view into a read buffer or a batch and lives as long
 * as that does.
 */
#ifndef HVLOG_CORE_RECORD_H
#define HVLOG_CORE_RECORD_H

#include <stdint.h>

#include "address.h"

/* How a message came in. The values are on the wire (PROTOCOL.md) and never change. */
enum transport {
    TRANSPORT_INTERNAL = 0, /* made by hvlog itself */
    TRANSPORT_UDP = 1,
    TRANSPORT_TCP = 2,
    TRANSPORT_UNIX = 3,
    TRANSPORT_UNIX_DGRAM = 4,
};

/* Flags of a record; on the wire, as above. */
enum {
    RECORD_TRUNCATED = 1 << 0,    /* its end is missing; orig_length says how long it was */
    RECORD_UNTERMINATED = 1 << 1, /* a text line that the connection's end closed */
    RECORD_DESYNC = 1 << 2,       /* left-over text after a counted frame */
    RECORD_BINARY = 1 << 3,       /* holds an LF or a NUL: a line-framed output must escape */
};

/* Where a message came from: shared by all records of a sender in a batch. */
struct source {
    struct address address;
    uint8_t transport; /* enum transport */
    uint8_t input;     /* index into the batch's (or the engine's) table of input names */
};

struct record {
    const uint8_t *data;
    uint32_t length;
    uint32_t orig_length; /* true or declared length; equals length unless truncated */
    uint64_t time_us;     /* arrival, microseconds since 1970 UTC */
    uint16_t flags;       /* RECORD_* */
    uint16_t source;      /* index into the batch's sources */
};

/* Bounds that all layers share. */
enum {
    MESSAGE_MAX_DEFAULT = 64 * 1024, /* max_message unless the configuration says otherwise */
    MESSAGE_MAX_LIMIT = 1024 * 1024, /* the largest max_message that may be configured */
    INPUT_NAME_MAX = 32,             /* octets of an input's or output's name */
    INPUT_COUNT_MAX = 64,            /* inputs of one program */
};

#endif
