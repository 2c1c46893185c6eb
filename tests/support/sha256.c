/* SPDX-License-Identifier: MIT */
/* sha256.c - HMAC-SHA-256 for tests. */
#include "tests/support/sha256.h"

#include <string.h>

/* The first 32 bits of the fractions of the cube roots of the first 64 primes (FIPS 180-4,
 * 4.2.2).
 */
static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load_big(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store_big(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16);
    p[2] = (uint8_t)(v >> 8);
    p[3] = (uint8_t)v;
}

static void sha256_block(struct sha256 *h, const uint8_t *block)
{
    uint32_t w[64];
    uint32_t v[8];

    for (unsigned i = 0; i < 16; i++)
        w[i] = load_big(block + 4 * (size_t)i);
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(v, h->state, sizeof(v));
    for (unsigned i = 0; i < 64; i++) {
        uint32_t t1 = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
                      ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
        uint32_t t2 = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
                      ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof(v[0]));
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (unsigned i = 0; i < 8; i++)
        h->state[i] += v[i];
}

void sha256_init(struct sha256 *h)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    *h = (struct sha256){.length = 0};
    memcpy(h->state, start, sizeof(start));
}

void sha256_feed(struct sha256 *h, const uint8_t *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        h->block[h->length++ % SHA256_BLOCK_BYTES] = data[i];
        if (h->length % SHA256_BLOCK_BYTES == 0)
            sha256_block(h, h->block);
    }
}

void sha256_take(struct sha256 *h, uint8_t ret[SHA256_BYTES])
{
    static const uint8_t one = 0x80, zero = 0;
    uint64_t bits = h->length * 8;
    uint8_t length[8];

    store_big(length, (uint32_t)(bits >> 32));
    store_big(length + 4, (uint32_t)bits);
    sha256_feed(h, &one, 1);
    while (h->length % SHA256_BLOCK_BYTES != SHA256_BLOCK_BYTES - 8)
        sha256_feed(h, &zero, 1);
    sha256_feed(h, length, 8);
    for (unsigned i = 0; i < 8; i++)
        store_big(ret + 4 * (size_t)i, h->state[i]);
}

void hmac_sha256(const uint8_t *key, size_t key_length, const uint8_t *data, size_t length,
                 uint8_t ret[SHA256_BYTES])
{
    uint8_t inner[SHA256_BLOCK_BYTES] = {0}, outer[SHA256_BLOCK_BYTES];
    struct sha256 h;

    if (key_length > SHA256_BLOCK_BYTES) {
        sha256_init(&h);
        sha256_feed(&h, key, key_length);
        sha256_take(&h, inner);
    } else if (key_length > 0) {
        memcpy(inner, key, key_length);
    }
    for (size_t i = 0; i < SHA256_BLOCK_BYTES; i++) {
        outer[i] = inner[i] ^ 0x5c;
        inner[i] ^= 0x36;
    }
    sha256_init(&h);
    sha256_feed(&h, inner, sizeof(inner));
    sha256_feed(&h, data, length);
    sha256_take(&h, ret);

    sha256_init(&h);
    sha256_feed(&h, outer, sizeof(outer));
    sha256_feed(&h, ret, SHA256_BYTES);
    sha256_take(&h, ret);
}
