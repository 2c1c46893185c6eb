/* SPDX-License-Identifier: MIT */
/* crypto_test.c - HMAC-SHA-256 against RFC 4231, and randomness that differs. */
#include "common/os/crypto.h"

#include "os_test.h"

/* Key and data are an octet repeated, or a text. */
struct part {
    const char *text;
    uint8_t octet;
    size_t length;
};

static const struct {
    struct part key;
    struct part data;
    const char *mac;
} vectors[] = {
    {{NULL, 0x0B, 20},
     {"Hi There", 0, 8},
     "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
    {{"Jefe", 0, 4},
     {"what do ya want for nothing?", 0, 28},
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    {{NULL, 0xAA, 20},
     {NULL, 0xDD, 50},
     "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
    {{"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F\x10\x11\x12\x13\x14\x15\x16"
      "\x17\x18\x19",
      0, 25},
     {NULL, 0xCD, 50},
     "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
    {{NULL, 0xAA, 131},
     {"Test Using Larger Than Block-Size Key - Hash Key First", 0, 54},
     "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
    {{NULL, 0xAA, 131},
     {"This is a test using a larger than block-size key and a larger than block-size data. The "
      "key needs to be hashed before being used by the HMAC algorithm.",
      0, 152},
     "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
    /* Not of the RFC: an empty key and nothing to sign. */
    {{"", 0, 0},
     {"", 0, 0},
     "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"},
};

static void fill(const struct part *p, uint8_t *room)
{
    if (p->text)
        memcpy(room, p->text, p->length);
    else
        memset(room, p->octet, p->length);
}

static void hmac__vectors_of_rfc_4231__match(void **state)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t key[256], data[256], mac[OS_HMAC_BYTES];
    char text[2 * OS_HMAC_BYTES + 1] = "";

    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        fill(&vectors[i].key, key);
        fill(&vectors[i].data, data);
        assert_int_equal(
            os_hmac_sha256(key, vectors[i].key.length, data, vectors[i].data.length, mac), 0);
        for (size_t j = 0; j < OS_HMAC_BYTES; j++) {
            text[2 * j] = digits[mac[j] >> 4];
            text[2 * j + 1] = digits[mac[j] & 15];
        }
        assert_string_equal(text, vectors[i].mac);
    }
}

static void hmac__empty_key_behind_another__is_not_the_other(void **state)
{
    uint8_t with[OS_HMAC_BYTES], without[OS_HMAC_BYTES];

    (void)state;
    assert_int_equal(os_hmac_sha256((const uint8_t *)"key", 3, NULL, 0, with), 0);
    assert_int_equal(os_hmac_sha256(NULL, 0, NULL, 0, without), 0);
    assert_memory_not_equal(with, without, OS_HMAC_BYTES);
}

static void random__two_draws__differ(void **state)
{
    uint8_t a[32] = {0}, b[32] = {0}, nothing[32] = {0};

    (void)state;
    assert_int_equal(os_random(a, sizeof a), 0);
    assert_int_equal(os_random(b, sizeof b), 0);
    assert_int_equal(os_random(nothing, 0), 0);
    assert_memory_not_equal(a, b, sizeof a);
    assert_memory_not_equal(a, nothing, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hmac__vectors_of_rfc_4231__match),
        cmocka_unit_test(hmac__empty_key_behind_another__is_not_the_other),
        cmocka_unit_test(random__two_draws__differ),
    };

    return RUN_TESTS(tests);
}
