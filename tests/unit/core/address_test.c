/* SPDX-License-Identifier: MIT */
/* address_test.c - text of addresses and prefixes, against many literals. */
#include "common/core/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/err.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct address parsed(const char *text)
{
    struct address a = {0};
    if (address_parse_ip(text, strlen(text), &a) != 0)
        fail_msg("%s was refused", text);
    return a;
}

static struct address_prefix prefix(const char *text)
{
    struct address_prefix p = {0};
    if (address_prefix_parse(text, strlen(text), &p) != 0)
        fail_msg("%s was refused", text);
    return p;
}

/* Each text and how RFC 5952 writes it. */
static void address__literal__has_one_canonical_text(void **state)
{
    static const char *const cases[][2] = {
        {"0.0.0.0", "0.0.0.0"},
        {"192.0.2.7", "192.0.2.7"},
        {"255.255.255.255", "255.255.255.255"},
        {"::", "::"},
        {"::1", "::1"},
        {"1::", "1::"},
        {"0:0:0:0:0:0:0:0", "::"},
        {"0:0:0:0:0:0:0:1", "::1"},
        {"2001:DB8::A", "2001:db8::a"},
        {"2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"},
        {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
        {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
        {"2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
        {"2001:0:0:1:0:0:0:1", "2001:0:0:1::1"},
        {"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
        {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
        {"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
        {"1:0:0:4:5:6:0:0", "1::4:5:6:0:0"},
        {"1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"},
        {"fe80::1", "fe80::1"},
        {"64:ff9b::192.0.2.33", "64:ff9b::c000:221"},
        {"1:2:3:4:5:6:192.0.2.33", "1:2:3:4:5:6:c000:221"},
        {"::192.0.2.33", "::c000:221"},
        {"ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
         "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
        /* IPv4-mapped is IPv4 */
        {"::ffff:192.0.2.7", "192.0.2.7"},
        {"::FFFF:c000:207", "192.0.2.7"},
        {"0:0:0:0:0:ffff:192.0.2.7", "192.0.2.7"},
        {"::fffe:192.0.2.7", "::fffe:c000:207"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct address a = parsed(cases[i][0]);
        char text[ADDRESS_TEXT_MAX];
        assert_string_equal(address_format_ip(&a, text, sizeof(text)), cases[i][1]);
        assert_int_equal(a.port, 0);
        struct address again = parsed(text);
        assert_true(address_is_equal(&a, &again));
    }
}

static void address__not_a_literal__is_refused(void **state)
{
    static const char *const cases[] = {
        "",
        " ",
        ".",
        "1",
        "1.2.3",
        "1.2.3.",
        ".1.2.3",
        "1.2.3.4.",
        "1.2.3.4.5",
        "1..2.3",
        "256.1.1.1",
        "1.1.1.256",
        "01.2.3.4",
        "1.2.3.00",
        "1.2.3.4 ",
        " 1.2.3.4",
        "1.2.3.-4",
        "1.2.3.+4",
        "0x1.2.3.4",
        "1111.2.3.4",
        "a.b.c.d",
        ":",
        ":::",
        "1:",
        ":1",
        "::1::",
        "1::2::3",
        "1:::2",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:",
        ":2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7:8:",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4::5:6:7:8",
        "::1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7:8::",
        "12345::",
        "g::",
        "::g",
        "[::1]",
        "::1%eth0",
        "fe80::1/64",
        "1.2.3.4::",
        "::1.2.3.4:5",
        "::1.2.3",
        "::1.2.3.256",
        "1:2:3:4:5:6:7:1.2.3.4",
        "1:2:3:4:5:1.2.3.4",
        "::1:2:3:4:5:6:1.2.3.4",
        "::ffff:1.2.3.4.5",
        "localhost",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct address a = {.family = 99};
        if (address_parse_ip(cases[i], strlen(cases[i]), &a) != ERR_INVALID)
            fail_msg("\"%s\" was taken", cases[i]);
        assert_int_equal(a.family, 99);
    }
}

/* The text ends where its length says, not at a NUL. */
static void address__length__ends_the_text(void **state)
{
    struct address a, b = parsed("1.2.3.4");
    (void)state;
    assert_int_equal(address_parse_ip("1.2.3.45", 7, &a), 0);
    assert_true(address_is_equal(&a, &b));
    assert_int_equal(address_parse_ip("1.2.3.4\0", 8, &a), ERR_INVALID);
}

static void address__octets__are_in_network_order(void **state)
{
    struct address a = parsed("192.0.2.7"), b = parsed("2001:db8::7");
    (void)state;
    assert_int_equal(a.family, ADDRESS_IPV4);
    assert_memory_equal(a.ip, ((const uint8_t[16]){192, 0, 2, 7}), 16);
    assert_int_equal(b.family, ADDRESS_IPV6);
    assert_memory_equal(b.ip, ((const uint8_t[16]){0x20, 1, 0x0D, 0xB8, [15] = 7}), 16);
}

static void address__mapped_socket_address__is_folded(void **state)
{
    const uint8_t mapped[16] = {[10] = 0xFF, [11] = 0xFF, [12] = 192, [14] = 2, [15] = 7};
    struct address a, b;
    (void)state;
    address_init(&a, ADDRESS_IPV6, mapped, 514);
    address_init(&b, ADDRESS_IPV4, mapped + 12, 514);
    assert_int_equal(a.family, ADDRESS_IPV4);
    assert_true(address_is_equal(&a, &b));
    b.port = 515;
    assert_false(address_is_equal(&a, &b));
}

static void address_is_among__only_an_equal_one_counts(void **state)
{
    struct address list[] = {parsed("192.0.2.7"), parsed("::1")};
    struct address last = parsed("::1"), other = parsed("192.0.2.8");
    (void)state;
    assert_true(address_is_among(&last, list, 2));
    assert_false(address_is_among(&last, list, 1));
    assert_false(address_is_among(&other, list, 2));
    assert_false(address_is_among(&last, list, 0));
}

static void address__with_port__has_brackets_for_ipv6_only(void **state)
{
    char text[ADDRESS_TEXT_MAX];
    struct address a = parsed("192.0.2.7"), b = parsed("2001:db8::7"), none;
    (void)state;
    a.port = 514;
    b.port = 65535;
    address_init(&none, ADDRESS_NONE, NULL, 9);
    assert_string_equal(address_format(&a, text, sizeof(text)), "192.0.2.7:514");
    assert_string_equal(address_format(&b, text, sizeof(text)), "[2001:db8::7]:65535");
    assert_string_equal(address_format(&none, text, sizeof(text)), "local");
    assert_string_equal(address_format_ip(&none, text, sizeof(text)), "local");
}

static void address__short_buffer__is_cut_and_ended(void **state)
{
    char text[9];
    struct address b = parsed("2001:db8::7");
    (void)state;
    memset(text, 'x', sizeof(text));
    assert_string_equal(address_format(&b, text, 8), "[2001:d");
    assert_int_equal(text[8], 'x');
}

static void address_prefix__members__are_found(void **state)
{
    static const struct {
        const char *prefix, *address;
        bool has;
    } cases[] = {
        {"192.0.2.0/24", "192.0.2.0", true},
        {"192.0.2.0/24", "192.0.2.255", true},
        {"192.0.2.0/24", "192.0.3.0", false},
        {"192.0.2.128/25", "192.0.2.127", false},
        {"192.0.2.128/25", "192.0.2.128", true},
        {"10.0.0.0/7", "11.255.255.255", true},
        {"10.0.0.0/7", "12.0.0.0", false},
        {"192.0.2.7", "192.0.2.7", true},
        {"192.0.2.7", "192.0.2.6", false},
        {"192.0.2.7/32", "192.0.2.7", true},
        {"0.0.0.0/0", "203.0.113.9", true},
        {"0.0.0.0/0", "::1", false},
        {"::/0", "::1", true},
        {"::/0", "1.2.3.4", false},
        {"2001:db8::/32", "2001:db8:ffff::1", true},
        {"2001:db8::/32", "2001:db9::1", false},
        {"2001:db8::/33", "2001:db8:7fff::", true},
        {"2001:db8::/33", "2001:db8:8000::", false},
        {"2001:db8::1", "2001:db8::1", true},
        {"2001:db8::1/128", "2001:db8::2", false},
        /* mapped, on either side */
        {"::ffff:192.0.2.0/120", "192.0.2.9", true},
        {"::ffff:192.0.2.0/120", "192.0.3.9", false},
        {"::ffff:0:0/96", "203.0.113.9", true},
        {"192.0.2.0/24", "::ffff:192.0.2.9", true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct address_prefix p = prefix(cases[i].prefix);
        struct address a = parsed(cases[i].address);
        if (address_prefix_has(&p, &a) != cases[i].has)
            fail_msg("%s in %s: should be %d", cases[i].address, cases[i].prefix, cases[i].has);
    }
}

/* A local sender has no address: no allow-list lets it in or keeps it out by accident. */
static void address_prefix__local_sender__is_in_none(void **state)
{
    struct address local;
    struct address_prefix all = prefix("0.0.0.0/0"), nothing = {0};
    (void)state;
    address_init(&local, ADDRESS_NONE, NULL, 0);
    assert_false(address_prefix_has(&all, &local));
    assert_false(address_prefix_has(&nothing, &local));
}

static void address_prefix__bad_text__is_refused(void **state)
{
    static const char *const cases[] = {
        "",
        "/",
        "/24",
        "192.0.2.0/",
        "192.0.2.0/33",
        "192.0.2.0/024",
        "192.0.2.0/2 4",
        "192.0.2.0/-1",
        "192.0.2.0/24/",
        "192.0.2.0/256",
        "192.0.2.0/255.255.255.0",
        "192.0.2/24",
        "2001:db8::/129",
        "2001:db8::/",
        "host/24",
        /* bits behind the prefix */
        "192.0.2.7/24",
        "192.0.2.1/31",
        "128.0.0.0/0",
        "2001:db8::1/32",
        "::1/0",
        "::1/127",
        "::ffff:192.0.2.7/120",
        "::ffff:0:0/95",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct address_prefix p = {.bits = 99};
        if (address_prefix_parse(cases[i], strlen(cases[i]), &p) != ERR_INVALID)
            fail_msg("\"%s\" was taken", cases[i]);
        assert_int_equal(p.bits, 99);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address__literal__has_one_canonical_text),
        cmocka_unit_test(address__not_a_literal__is_refused),
        cmocka_unit_test(address__length__ends_the_text),
        cmocka_unit_test(address__octets__are_in_network_order),
        cmocka_unit_test(address__mapped_socket_address__is_folded),
        cmocka_unit_test(address_is_among__only_an_equal_one_counts),
        cmocka_unit_test(address__with_port__has_brackets_for_ipv6_only),
        cmocka_unit_test(address__short_buffer__is_cut_and_ended),
        cmocka_unit_test(address_prefix__members__are_found),
        cmocka_unit_test(address_prefix__local_sender__is_in_none),
        cmocka_unit_test(address_prefix__bad_text__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
