/* SPDX-License-Identifier: MIT */
/* windows/crypto.c - randomness and HMAC from CNG. */
#include "common/os/crypto.h"

#include "common/os/windows/win.h"

#include <bcrypt.h>
#include <string.h>

/* CNG answers with NTSTATUS codes, which are negative when something failed. */
static int crypto_error(NTSTATUS status)
{
    if (status >= 0)
        return 0;
    win_fail((DWORD)status);
    return ERR_IO;
}

int os_random(void *data, size_t length)
{
    uint8_t *at = data;

    while (length > 0) {
        ULONG n = length > MAXLONG ? MAXLONG : (ULONG)length;
        NTSTATUS status = BCryptGenRandom(NULL, at, n, BCRYPT_USE_SYSTEM_PREFERRED_RNG);
        if (status < 0)
            return crypto_error(status);
        at += n;
        length -= n;
    }
    return 0;
}

/* CNG reads <data> only, but does not say so. */
static UCHAR *readable(const uint8_t *data)
{
    union {
        const uint8_t *in;
        UCHAR *out;
    } p = {.in = data};

    return p.out;
}

static NTSTATUS hash_all(BCRYPT_HASH_HANDLE hash, const uint8_t *data, size_t length,
                         uint8_t *ret_mac)
{
    NTSTATUS status = 0;

    while (length > 0 && status >= 0) {
        ULONG n = length > MAXLONG ? MAXLONG : (ULONG)length;
        status = BCryptHashData(hash, readable(data), n, 0);
        data += n;
        length -= n;
    }
    return status < 0 ? status : BCryptFinishHash(hash, ret_mac, OS_HMAC_BYTES, 0);
}

int os_hmac_sha256(const uint8_t *key, size_t key_length, const uint8_t *data, size_t length,
                   uint8_t ret_mac[OS_HMAC_BYTES])
{
    static const uint8_t NO_KEY[1];
    uint8_t mac[OS_HMAC_BYTES];
    BCRYPT_ALG_HANDLE algorithm;
    BCRYPT_HASH_HANDLE hash;
    NTSTATUS status = BCryptOpenAlgorithmProvider(&algorithm, BCRYPT_SHA256_ALGORITHM, NULL,
                                                  BCRYPT_ALG_HANDLE_HMAC_FLAG);

    if (status < 0)
        return crypto_error(status);
    status = BCryptCreateHash(algorithm, &hash, NULL, 0,
                              readable(key_length > 0 ? key : NO_KEY), (ULONG)key_length, 0);
    if (status >= 0) {
        status = hash_all(hash, data, length, mac);
        BCryptDestroyHash(hash);
    }
    BCryptCloseAlgorithmProvider(algorithm, 0);
    if (status >= 0)
        memcpy(ret_mac, mac, sizeof mac);
    return crypto_error(status);
}
