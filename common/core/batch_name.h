/* SPDX-License-Identifier: MIT */
/* batch_name.h - what a batch is called in every program and every life: the stream it belongs
 * to, and its number in it.
 */
#ifndef HVLOG_CORE_BATCH_NAME_H
#define HVLOG_CORE_BATCH_NAME_H

#include <stdint.h>

#include "lineage.h"

struct batch_name {
    uint8_t stream[LINEAGE_IDENTITY_BYTES]; /* its sender's identity; all zero: our own */
    uint64_t seq;
};

#endif
