/* SPDX-License-Identifier: MIT */
/* bytes.h - integers to octets and back, in the wire's little-endian order.
 *
 * No struct is ever laid over octets: alignment, padding and byte order stay out of the
 * formats. Compilers turn each of these into one load or store.
 */
#ifndef HVLOG_CORE_BYTES_H
#define HVLOG_CORE_BYTES_H

#include <stdint.h>

static inline void bytes_put16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void bytes_put32(uint8_t *p, uint32_t v)
{
    bytes_put16(p, (uint16_t)v);
    bytes_put16(p + 2, (uint16_t)(v >> 16));
}

static inline void bytes_put64(uint8_t *p, uint64_t v)
{
    bytes_put32(p, (uint32_t)v);
    bytes_put32(p + 4, (uint32_t)(v >> 32));
}

static inline uint16_t bytes_get16(const uint8_t *p)
{
    return (uint16_t)(p[0] | (uint16_t)(p[1] << 8));
}

static inline uint32_t bytes_get32(const uint8_t *p)
{
    return bytes_get16(p) | ((uint32_t)bytes_get16(p + 2) << 16);
}

static inline uint64_t bytes_get64(const uint8_t *p)
{
    return bytes_get32(p) | ((uint64_t)bytes_get32(p + 4) << 32);
}

#endif
