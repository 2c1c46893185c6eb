/* SPDX-License-Identifier: MIT */
/* faulty_carrier.h - any carrier, with the faults of a wire that may be cut without notice.
 *
 * What is dialled or accepted through it can be cut by the test at any moment, or after a given
 * number of octets, in the middle of a frame. One for each process; any thread.
 */
#ifndef HVLOG_TESTS_FAULTY_CARRIER_H
#define HVLOG_TESTS_FAULTY_CARRIER_H

#include "common/os/stream.h"

/* faulty_carrier() - <real> with faults. */
const struct os_carrier *faulty_carrier(const struct os_carrier *real);

/* faulty_cut_all() - break every open stream now. Returns how many there were. */
size_t faulty_cut_all(void);

/* faulty_cut_after() - break a stream when it has written <bytes> octets more, the last write
 * ending exactly there. Holds for the next stream that reaches it, once.
 */
void faulty_cut_after(size_t bytes);

/* faulty_cuts() - how many streams were broken so far. */
size_t faulty_cuts(void);

#endif
