/* SPDX-License-Identifier: MIT */
/* memory_carrier.h - a carrier without a system: two pipes in memory for each connection.
 *
 * Addresses are the ports of tcp endpoints, in this process only. A pipe holds
 * MEMORY_PIPE_BYTES, so that writers do wait for readers, and a read gives whatever is there.
 */
#ifndef HVLOG_TESTS_MEMORY_CARRIER_H
#define HVLOG_TESTS_MEMORY_CARRIER_H

#include "common/os/stream.h"

enum { MEMORY_PIPE_BYTES = 20 * 1024 }; /* a Hyper-V ring of the guest holds as much */

extern const struct os_carrier memory_carrier;

#endif
