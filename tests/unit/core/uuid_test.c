/* SPDX-License-Identifier: MIT */
/* uuid_test.c - GUIDs and the service GUID of a port. */
#include "common/core/uuid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/err.h"

static void uuid__text__fills_the_fields(void **state)
{
    struct uuid u;
    const uint8_t d4[8] = {0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67};
    (void)state;
    assert_int_equal(uuid_parse(view_of("00112233-4455-6677-89ab-cdef01234567"), &u, NULL), 0);
    assert_int_equal(u.d1, 0x00112233);
    assert_int_equal(u.d2, 0x4455);
    assert_int_equal(u.d3, 0x6677);
    assert_memory_equal(u.d4, d4, sizeof(d4));
}

static void uuid__braces_and_case__mean_nothing(void **state)
{
    struct uuid a, b;
    char text[UUID_TEXT_MAX];
    (void)state;
    assert_int_equal(uuid_parse(view_of("{0E0B6031-5213-4934-818B-38D90CED39DB}"), &a, NULL),
                     0);
    assert_int_equal(uuid_parse(view_of("0e0b6031-5213-4934-818b-38d90ced39db"), &b, NULL), 0);
    assert_true(uuid_is_equal(&a, &b));
    assert_string_equal(uuid_format(&a, text), "0e0b6031-5213-4934-818b-38d90ced39db");
    b.d4[7] ^= 1;
    assert_false(uuid_is_equal(&a, &b));
}

static void uuid__bad_text__is_refused(void **state)
{
    static const char *const cases[] = {
        "",
        "{}",
        "0e0b6031-5213-4934-818b-38d90ced39d",
        "0e0b6031-5213-4934-818b-38d90ced39dbb",
        "0e0b60315-213-4934-818b-38d90ced39db",
        "0e0b6031-5213-4934-818b-38d90ced39dg",
        "0e0b6031-5213-4934-818b-38d90ced39d-",
        "0e0b6031_5213_4934_818b_38d90ced39db",
        "{0e0b6031-5213-4934-818b-38d90ced39db",
        "0e0b6031-5213-4934-818b-38d90ced39db}",
        "(0e0b6031-5213-4934-818b-38d90ced39db)",
        " 0e0b6031-5213-4934-818b-38d90ced39db ",
        "0e0b603152134934818b38d90ced39db",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct uuid u = {.d1 = 99};
        struct reason why = {""};
        if (uuid_parse(view_of(cases[i]), &u, &why) != ERR_INVALID)
            fail_msg("\"%s\" was taken", cases[i]);
        assert_int_equal(u.d1, 99);
        assert_memory_equal(why.text, "is not a GUID: ", 15);
    }
}

static void uuid__port__is_the_first_group_of_the_service(void **state)
{
    char text[UUID_TEXT_MAX];
    struct uuid u = uuid_of_port(5140);
    (void)state;
    assert_string_equal(uuid_format(&u, text), "00001414-facb-11e6-bd58-64006a7986d3");
    u = uuid_of_port(UUID_PORT_MAX);
    assert_string_equal(uuid_format(&u, text), "7fffffff-facb-11e6-bd58-64006a7986d3");
}

static void uuid__zero__is_the_wildcard(void **state)
{
    struct uuid u;
    (void)state;
    assert_int_equal(uuid_parse(view_of("00000000-0000-0000-0000-000000000000"), &u, NULL), 0);
    assert_true(uuid_is_zero(&u));
    u.d4[3] = 1;
    assert_false(uuid_is_zero(&u));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uuid__text__fills_the_fields),
        cmocka_unit_test(uuid__braces_and_case__mean_nothing),
        cmocka_unit_test(uuid__bad_text__is_refused),
        cmocka_unit_test(uuid__port__is_the_first_group_of_the_service),
        cmocka_unit_test(uuid__zero__is_the_wildcard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
