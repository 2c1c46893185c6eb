/* SPDX-License-Identifier: MIT */
/* fuzz_target.h - what libFuzzer and fuzz_replay.c call; hvlog_fuzz() includes it into every
 * target. */
#ifndef HVLOG_TESTS_FUZZ_TARGET_H
#define HVLOG_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* LLVMFuzzerTestOneInput() - look at one input.
 *
 * <data> is borrowed and ends exactly after <size> octets. Aborts when a rule is broken.
 *
 * Returns 0.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
