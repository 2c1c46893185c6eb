/* SPDX-License-Identifier: MIT */
/* foreign_test.c - what is taken for TLS and HTTP. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "common/core/foreign.h"

static enum foreign tls(const char *data, size_t length)
{
    return foreign_tls((const uint8_t *)data, length);
}

static bool is_http(const char *line)
{
    return foreign_is_http((const uint8_t *)line, strlen(line));
}

static void tls__each_minor_version__is_known(void **state)
{
    (void)state;
    for (char minor = 0; minor <= 4; minor++)
        assert_int_equal(tls((const char[]){0x16, 0x03, minor}, 3), FOREIGN_YES);
    assert_int_equal(tls("\x16\x03\x05", 3), FOREIGN_NO);
    assert_int_equal(tls("\x16\x03\xFF", 3), FOREIGN_NO);
}

static void tls__beginnings__are_undecided(void **state)
{
    (void)state;
    assert_int_equal(tls("", 0), FOREIGN_UNDECIDED);
    assert_int_equal(tls("\x16", 1), FOREIGN_UNDECIDED);
    assert_int_equal(tls("\x16\x03", 2), FOREIGN_UNDECIDED);
    assert_int_equal(tls("\x17", 1), FOREIGN_NO);
    assert_int_equal(tls("\x16\x02", 2), FOREIGN_NO);
}

static void http__method_and_version__is_a_request(void **state)
{
    (void)state;
    assert_true(is_http("GET / HTTP/1.1"));
    assert_true(is_http("GET HTTP/0"));
    assert_true(is_http("PRI * HTTP/2.0"));
    assert_true(is_http("OPTIONS * HTTP/HTTP/x HTTP/9"));
}

static void http__anything_less__is_none(void **state)
{
    (void)state;
    assert_false(is_http(""));
    assert_false(is_http("GET"));
    assert_false(is_http("GET "));
    assert_false(is_http("GET / HTTP/"));
    assert_false(is_http("GET / HTTP/x"));
    assert_false(is_http("GET /HTTP/1"));
    assert_false(is_http("BREW / HTTP/1.1"));
    assert_false(is_http("<13>GET / HTTP/1.1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tls__each_minor_version__is_known),
        cmocka_unit_test(tls__beginnings__are_undecided),
        cmocka_unit_test(http__method_and_version__is_a_request),
        cmocka_unit_test(http__anything_less__is_none),
    };

    return cmocka_run_group_tests_name("foreign", tests, NULL, NULL);
}
