/* SPDX-License-Identifier: MIT */
/* os/crypto.h - randomness and HMAC-SHA-256, from libcrypto (Linux) and CNG (Windows).
 * Any thread; does not block once the system has booted.
 */
#ifndef HVLOG_OS_CRYPTO_H
#define HVLOG_OS_CRYPTO_H

#include <stddef.h>
#include <stdint.h>

enum { OS_HMAC_BYTES = 32 };

/* os_random() - <length> unpredictable octets. Returns 0 or ERR_IO. */
int os_random(void *data, size_t length);

/* os_hmac_sha256() - RFC 2104 with SHA-256. <key> may be empty. Returns 0 or ERR_IO. */
int os_hmac_sha256(const uint8_t *key, size_t key_length, const uint8_t *data, size_t length,
                   uint8_t ret_mac[OS_HMAC_BYTES]);

#endif
