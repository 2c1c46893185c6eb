/* SPDX-License-Identifier: MIT */
/* endpoint_test.c - the addresses of the configuration. */
#include "common/core/endpoint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/err.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define NETWORK      (ENDPOINT_SET(ENDPOINT_UDP) | ENDPOINT_SET(ENDPOINT_TCP))

static struct endpoint parsed(const char *text)
{
    struct endpoint e = {.kind = ENDPOINT_NONE};
    struct reason why = {""};
    if (endpoint_parse(view_of(text), ENDPOINT_SET_ALL, &e, &why) != 0)
        fail_msg("\"%s\" %s", text, why.text);
    return e;
}

static void assert_refused(const char *text, uint32_t kinds, const char *reason)
{
    struct endpoint e = {.port = 99};
    struct reason why = {""};
    if (endpoint_parse(view_of(text), kinds, &e, &why) != ERR_INVALID)
        fail_msg("\"%s\" was taken", text);
    assert_string_equal(why.text, reason);
    assert_int_equal(e.port, 99);
}

/* Each text, and the canonical one; which is its own canonical text. */
static void endpoint__text__has_one_canonical_form(void **state)
{
    static const char *const cases[][2] = {
        {"udp:192.0.2.7:514", "udp:192.0.2.7:514"},
        {"udp:[2001:DB8:0::1]:514", "udp:[2001:db8::1]:514"},
        {"udp:[::ffff:192.0.2.7]:514", "udp:192.0.2.7:514"},
        {"udp:*:514", "udp:*:514"},
        {"udp::514", "udp:*:514"},
        {"tcp:[::]:0", "tcp:[::]:0"},
        {"tcp:0.0.0.0:65535", "tcp:0.0.0.0:65535"},
        {"tcp:log.example.:0514", "tcp:log.example.:514"},
        {"tcp:log_1.Example-2.com:601", "tcp:log_1.Example-2.com:601"},
        {"tcp:3com:601", "tcp:3com:601"},
        {"unix:/run/log sock:1", "unix:/run/log sock:1"},
        {"unix-dgram:/dev/log", "unix-dgram:/dev/log"},
        {"vsock:2:5140", "vsock:2:5140"},
        {"vsock:host:5140", "vsock:2:5140"},
        {"vsock:local:5140", "vsock:1:5140"},
        {"vsock:any:5140", "vsock:any:5140"},
        {"vsock:4294967295:1", "vsock:any:1"},
        {"vsock:0:0", "vsock:0:0"},
        {"hvsock:2147483647", "hvsock:2147483647"},
        {"file:C:\\logs\\a.log", "file:C:\\logs\\a.log"},
        {"stdout:", "stdout:"},
        {"null:", "null:"},
        {"eventlog:", "eventlog:"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct endpoint e = parsed(cases[i][0]);
        char text[ENDPOINT_TEXT_MAX], again[ENDPOINT_TEXT_MAX];
        assert_string_equal(endpoint_format(&e, text, sizeof(text)), cases[i][1]);
        size_t colon = strlen(endpoint_scheme(e.kind));
        assert_int_equal(strncmp(text, endpoint_scheme(e.kind), colon), 0);
        assert_int_equal(text[colon], ':');
        struct endpoint second = parsed(text);
        assert_string_equal(endpoint_format(&second, again, sizeof(again)), text);
    }
}

static void endpoint__fields__say_what_was_written(void **state)
{
    struct endpoint e = parsed("udp:[::1]:514");
    char text[ADDRESS_TEXT_MAX];
    (void)state;
    assert_int_equal(e.kind, ENDPOINT_UDP);
    assert_int_equal(e.host_kind, ENDPOINT_HOST_LITERAL);
    assert_string_equal(e.host, "::1");
    assert_int_equal(e.port, 514);
    assert_string_equal(address_format(&e.address, text, sizeof(text)), "[::1]:514");

    e = parsed("tcp:log.example:601");
    assert_int_equal(e.host_kind, ENDPOINT_HOST_NAME);
    assert_string_equal(e.host, "log.example");
    assert_int_equal(e.address.family, ADDRESS_NONE);

    e = parsed("tcp:*:601");
    assert_int_equal(e.host_kind, ENDPOINT_HOST_ANY);
    assert_string_equal(e.host, "");

    e = parsed("vsock:host:5140");
    assert_int_equal(e.host_kind, ENDPOINT_HOST_NONE);
    assert_int_equal(e.cid, ENDPOINT_CID_HOST);
    assert_int_equal(e.port, 5140);
    assert_string_equal(parsed("unix:/a:b").path, "/a:b");
}

static void endpoint__unknown_scheme__suggests_or_lists(void **state)
{
    (void)state;
    assert_refused("upd:*:514", ENDPOINT_SET_ALL, "is not an address (did you mean udp:?)");
    assert_refused("TCP:*:514", ENDPOINT_SET_ALL, "is not an address (did you mean tcp:?)");
    assert_refused("unix_dgram:/dev/log", ENDPOINT_SET_ALL,
                   "is not an address (did you mean unix-dgram:?)");
    assert_refused("192.0.2.7", NETWORK,
                   "is not an address: write udp:ADDR:PORT or tcp:ADDR:PORT");
    assert_refused("", ENDPOINT_SET(ENDPOINT_UDP), "is not an address: write udp:ADDR:PORT");
    assert_refused("C:\\log", ENDPOINT_SET_ALL,
                   "is not an address: write udp:ADDR:PORT, tcp:ADDR:PORT, unix:PATH, "
                   "unix-dgram:PATH, vsock:CID:PORT, hvsock:PORT, file:PATH, stdout:, null: or "
                   "eventlog:");
    assert_refused("stdout", ENDPOINT_SET_ALL, "lacks its colon: write stdout:");
    assert_refused("udp", ENDPOINT_SET_ALL, "lacks its colon: write udp:ADDR:PORT");
}

static void endpoint__kind_out_of_place__lists_what_may_stand_there(void **state)
{
    (void)state;
    assert_refused("file:/x", NETWORK,
                   "cannot stand here: write udp:ADDR:PORT or tcp:ADDR:PORT");
    assert_refused("udq:*:1", ENDPOINT_SET(ENDPOINT_FILE),
                   "is not an address: write file:PATH");
}

static void endpoint__bad_host__says_why(void **state)
{
    static const char *const neither[] = {
        "tcp:1.2.3:1",     "tcp:256.1.1.1:1", "tcp:1.2.3.4.5:1", "tcp:12:1",  "tcp:a..b:1",
        "tcp:.:1",         "tcp:.a:1",        "tcp:-a:1",        "tcp:a b:1", "tcp:a/b:1",
        "tcp:h\xC3\xA4:1", "tcp:**:1",        "tcp:[]:1x",       "tcp:a.1:1",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(neither); i++) {
        struct endpoint e;
        struct reason why;
        if (endpoint_parse(view_of(neither[i]), ENDPOINT_SET_ALL, &e, &why) != ERR_INVALID)
            fail_msg("\"%s\" was taken", neither[i]);
        if (neither[i][4] != '[')
            assert_string_equal(why.text,
                                "has neither an IP address nor a host name before the port");
    }
    assert_refused("udp:::1:514", ENDPOINT_SET_ALL,
                   "has an IPv6 address without brackets: write [::1]:PORT");
    assert_refused("udp:[::1%eth0]:514", ENDPOINT_SET_ALL,
                   "has a zone in its IPv6 address, which is not supported");
    assert_refused("udp:[192.0.2.7]:514", ENDPOINT_SET_ALL,
                   "has no IPv6 address between its brackets");
    assert_refused("udp:[]:514", ENDPOINT_SET_ALL, "has no IPv6 address between its brackets");
    assert_refused("udp://a:514", ENDPOINT_SET_ALL,
                   "must be written without //: udp:ADDR:PORT");
}

static void endpoint__bad_port__says_why(void **state)
{
    (void)state;
    assert_refused("udp:192.0.2.7", ENDPOINT_SET_ALL, "has no port: write udp:ADDR:PORT");
    assert_refused("udp:[::1]", ENDPOINT_SET_ALL, "has no port: write udp:ADDR:PORT");
    assert_refused("udp:", ENDPOINT_SET_ALL, "has no port: write udp:ADDR:PORT");
    assert_refused("udp:*:", ENDPOINT_SET_ALL,
                   "does not end with a port number from 0 to 65535");
    assert_refused("udp:*:65536", ENDPOINT_SET_ALL,
                   "does not end with a port number from 0 to 65535");
    assert_refused("udp:*:syslog", ENDPOINT_SET_ALL,
                   "does not end with a port number from 0 to 65535");
    assert_refused("hvsock:2147483648", ENDPOINT_SET_ALL,
                   "does not end with a port number from 0 to 2147483647");
    assert_refused("vsock:2:", ENDPOINT_SET_ALL,
                   "does not end with a port number from 0 to 2147483647");
    assert_refused("vsock:2", ENDPOINT_SET_ALL, "has no port: write vsock:CID:PORT");
    assert_refused("vsock::5140", ENDPOINT_SET_ALL,
                   "has no CID: write a number, any, host or local");
    assert_refused("vsock:4294967296:1", ENDPOINT_SET_ALL,
                   "has no CID: write a number, any, host or local");
}

static void endpoint__bad_path__says_why(void **state)
{
    (void)state;
    assert_refused("unix:", ENDPOINT_SET_ALL, "has no path: write unix:PATH");
    assert_refused("file:a\tb", ENDPOINT_SET_ALL, "has a control character in its path");
    assert_refused("null:x", ENDPOINT_SET_ALL, "has text behind the colon: write null:");
}

static void assert_length_limit(const char *scheme, const char *tail, size_t limit, char fill,
                                const char *reason)
{
    char text[ENDPOINT_TEXT_MAX + 32];
    struct endpoint e;
    struct reason why;
    size_t head = strlen(scheme);
    memcpy(text, scheme, head);
    for (size_t i = 0; i <= limit; i++)
        text[head + i] = fill == '.' && i % 50 == 49 ? '.' : 'a';
    strcpy(text + head + limit, tail);
    assert_int_equal(endpoint_parse(view_of(text), ENDPOINT_SET_ALL, &e, &why), 0);
    strcpy(text + head + limit, "b");
    strcat(text, tail);
    assert_int_equal(endpoint_parse(view_of(text), ENDPOINT_SET_ALL, &e, &why), ERR_INVALID);
    assert_string_equal(why.text, reason);
}

static void endpoint__lengths__are_bounded_exactly(void **state)
{
    (void)state;
    assert_length_limit("unix:", "", 107, 'a', "has a path longer than 107 octets");
    assert_length_limit("unix-dgram:", "", 107, 'a', "has a path longer than 107 octets");
    assert_length_limit("file:", "", 1023, 'a', "has a path longer than 1023 octets");
    assert_length_limit("tcp:", ":1", 253, '.', "has a host name longer than 253 octets");
    assert_length_limit("tcp:", ":1", 63, 'a',
                        "has neither an IP address nor a host name before the port");
}

static void assert_use(const char *text, enum endpoint_use use, const char *reason)
{
    struct endpoint e = parsed(text);
    struct reason why = {""};
    assert_int_equal(endpoint_check(&e, use, &why), reason[0] != '\0' ? ERR_INVALID : 0);
    assert_string_equal(why.text, reason);
}

static void endpoint__to_listen__needs_no_resolver(void **state)
{
    static const char *const good[] = {"udp:*:0",     "tcp:[::1]:514", "udp:0.0.0.0:514",
                                       "unix:/run/x", "unix-dgram:/x", "vsock:any:5140",
                                       "vsock:2:0",   "hvsock:5140"};
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++)
        assert_use(good[i], ENDPOINT_LISTEN, "");
    assert_use("udp:localhost:514", ENDPOINT_LISTEN,
               "has a host name: to listen, write an IP address or *");
    assert_use("hvsock:0", ENDPOINT_LISTEN, "must have a port other than 0");
    assert_use("file:/x", ENDPOINT_LISTEN, "is nothing that can be listened on");
    assert_use("null:", ENDPOINT_LISTEN, "is nothing that can be listened on");
}

static void endpoint__to_connect__needs_the_other_side(void **state)
{
    static const char *const good[] = {"udp:localhost:514", "tcp:[::1]:514", "unix:/run/x",
                                       "vsock:2:5140",      "hvsock:5140",   "file:/x",
                                       "stdout:",           "null:",         "eventlog:"};
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++)
        assert_use(good[i], ENDPOINT_CONNECT, "");
    assert_use("udp:*:514", ENDPOINT_CONNECT,
               "must name the other side: any address will not do");
    assert_use("vsock:any:514", ENDPOINT_CONNECT,
               "must name the other side: any address will not do");
    assert_use("tcp:localhost:0", ENDPOINT_CONNECT, "must have a port other than 0");
    assert_use("vsock:2:0", ENDPOINT_CONNECT, "must have a port other than 0");
    assert_use("hvsock:0", ENDPOINT_CONNECT, "must have a port other than 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endpoint__text__has_one_canonical_form),
        cmocka_unit_test(endpoint__fields__say_what_was_written),
        cmocka_unit_test(endpoint__unknown_scheme__suggests_or_lists),
        cmocka_unit_test(endpoint__kind_out_of_place__lists_what_may_stand_there),
        cmocka_unit_test(endpoint__bad_host__says_why),
        cmocka_unit_test(endpoint__bad_port__says_why),
        cmocka_unit_test(endpoint__bad_path__says_why),
        cmocka_unit_test(endpoint__lengths__are_bounded_exactly),
        cmocka_unit_test(endpoint__to_listen__needs_no_resolver),
        cmocka_unit_test(endpoint__to_connect__needs_the_other_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
