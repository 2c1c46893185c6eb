/* SPDX-License-Identifier: MIT */
/* crc32c.h - the checksum of what lies on a disk: CRC-32C (Castagnoli; RFC 3720, appendix B.4),
 * reflected, with all bits inverted before and after.
 *
 * Finds every error of up to 32 bits in a row, and others but for one in 2^32. Guards against
 * accidents, not against people.
 */
#ifndef HVLOG_CORE_CRC32C_H
#define HVLOG_CORE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* crc32c() - go on from <crc>, the checksum of what came before (0: nothing). */
uint32_t crc32c(uint32_t crc, const void *data, size_t length);

#endif
