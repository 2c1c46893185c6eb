/* SPDX-License-Identifier: MIT */
/* addresses_test.c - the addresses of this host, whichever it has. */
#include "common/os/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ADDRESSES_MAX = 64 };

static int addresses_get(struct address *ret, size_t max)
{
    assert_int_equal(os_process_startup(), 0);
    int count = os_host_addresses(ret, max);
    assert_true(count >= 0);
    assert_true((size_t)count <= max);
    return count;
}

static bool is_reachable(const struct address *a)
{
    static const uint8_t ipv6_loopback[16] = {[15] = 1};
    if (a->family == ADDRESS_IPV4)
        return a->ip[0] != 127 && !(a->ip[0] == 169 && a->ip[1] == 254);
    return a->family == ADDRESS_IPV6 && memcmp(a->ip, ipv6_loopback, 16) != 0 &&
           !(a->ip[0] == 0xFE && (a->ip[1] & 0xC0) == 0x80);
}

static void addresses__each__is_one_that_others_reach(void **state)
{
    struct address all[ADDRESSES_MAX];
    int count = addresses_get(all, ADDRESSES_MAX);
    (void)state;
    for (int i = 0; i < count; i++) {
        assert_true(is_reachable(&all[i]));
        assert_int_equal(all[i].port, 0);
        for (int k = 0; k < i; k++)
            assert_false(address_is_equal(&all[i], &all[k]));
    }
}

static void addresses__little_room__gets_the_first_ones(void **state)
{
    struct address all[ADDRESSES_MAX], one[1];
    int count = addresses_get(all, ADDRESSES_MAX);
    (void)state;
    assert_int_equal(addresses_get(one, 0), 0);
    assert_int_equal(addresses_get(one, 1), count > 0 ? 1 : 0);
    if (count > 0)
        assert_true(address_is_equal(&one[0], &all[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses__each__is_one_that_others_reach),
        cmocka_unit_test(addresses__little_room__gets_the_first_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
