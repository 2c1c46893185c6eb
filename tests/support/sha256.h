/* SPDX-License-Identifier: MIT */
/* sha256.h - HMAC-SHA-256 for tests of the core, which knows no system's cryptography.
 *
 * Written after FIPS 180-4 and RFC 2104, for clarity and not for secrets. Pure; any thread.
 */
#ifndef HVLOG_TESTS_SHA256_H
#define HVLOG_TESTS_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_BLOCK_BYTES = 64 };

struct sha256 {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[SHA256_BLOCK_BYTES];
};

void sha256_init(struct sha256 *h);
void sha256_feed(struct sha256 *h, const uint8_t *data, size_t length);
void sha256_take(struct sha256 *h, uint8_t ret[SHA256_BYTES]);

/* hmac_sha256() - <key> of any length, may be empty. */
void hmac_sha256(const uint8_t *key, size_t key_length, const uint8_t *data, size_t length,
                 uint8_t ret[SHA256_BYTES]);

#endif
