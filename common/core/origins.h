/* SPDX-License-Identifier: MIT */
/* origins.h - what a receiver remembers of each stream that it was sent: how far it finished
 * it, in which life of the sender, and which node that was. Pure.
 */
#ifndef HVLOG_CORE_ORIGINS_H
#define HVLOG_CORE_ORIGINS_H

#include <stddef.h>
#include <stdint.h>

#include "lineage.h"
#include "wire.h"

enum { ORIGINS_MAX = 32 };

struct origin {
    uint8_t identity[LINEAGE_IDENTITY_BYTES];
    char name[WIRE_NAME_MAX + 1]; /* of the node, when it was seen last */
    uint64_t life;                /* the sender's, under which <finished> was last told */
    uint64_t finished;            /* the last batch that is finished here */
};

/* In the order of their last use, the newest last. */
struct origins {
    struct origin list[ORIGINS_MAX];
    uint32_t count;
};

enum {
    ORIGINS_BYTES_MAX = 4 + ORIGINS_MAX * (LINEAGE_IDENTITY_BYTES + 1 + WIRE_NAME_MAX + 16)
};

/* origins_encode() - returns the octets written.
 * origins_decode() - 0; ERR_PROTOCOL: counts, lengths, a name that is not clean, or one stream
 * twice.
 */
size_t origins_encode(const struct origins *o, uint8_t out[ORIGINS_BYTES_MAX]);
int origins_decode(const uint8_t *in, size_t length, struct origins *ret);

#endif
