/* SPDX-License-Identifier: MIT */
/* linux/crypto.c - the kernel's randomness and libcrypto's HMAC. */
#include "common/os/crypto.h"

#include <errno.h>
#include <limits.h>
#include <sys/random.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "common/core/err.h"
#include "common/os/linux/error.h"

int os_random(void *data, size_t length)
{
    uint8_t *at = data;

    while (length > 0) {
        ssize_t n = getrandom(at, length, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return error_keep(ERR_IO, errno);
        at += n;
        length -= (size_t)n;
    }
    return 0;
}

int os_hmac_sha256(const uint8_t *key, size_t key_length, const uint8_t *data, size_t length,
                   uint8_t ret_mac[OS_HMAC_BYTES])
{
    static const uint8_t empty[1];
    unsigned mac_length = 0;

    if (key_length > INT_MAX)
        return error_keep(ERR_IO, EINVAL);
    /* To libcrypto a NULL key means "the key of the last call". */
    const uint8_t *mac = HMAC(EVP_sha256(), key_length ? key : empty, (int)key_length,
                              length ? data : empty, length, ret_mac, &mac_length);
    return mac && mac_length == OS_HMAC_BYTES ? 0 : error_keep(ERR_IO, EIO);
}
