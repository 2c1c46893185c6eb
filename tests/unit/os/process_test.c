/* SPDX-License-Identifier: MIT */
/* process_test.c - names and numbers of this process. */
#include "common/os/process.h"

#include "os_test.h"

static void process__names__are_there_and_are_cut_to_size(void **state)
{
    char host[256], user[256], tiny[2];

    (void)state;
    assert_ptr_equal(os_host_name(host, sizeof host), host);
    assert_ptr_equal(os_user_name(user, sizeof user), user);
    assert_true(strlen(host) > 0);
    assert_true(strlen(user) > 0);
    assert_int_equal(strlen(os_host_name(tiny, sizeof tiny)), 1);
    assert_int_equal(tiny[0], host[0]);
}

static void process__id__stays(void **state)
{
    (void)state;
    assert_true(os_process_id() > 0);
    assert_int_equal(os_process_id(), os_process_id());
}

/* Nobody needs a right for a port that the system chooses, or for a high one. */
static void listen_right__ordinary_port__takes_nothing(void **state)
{
    struct endpoint where = {.kind = ENDPOINT_UDP, .port = 0};

    (void)state;
    assert_null(os_listen_right(&where));
    where.port = 1024;
    assert_null(os_listen_right(&where));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(process__names__are_there_and_are_cut_to_size),
        cmocka_unit_test(process__id__stays),
        cmocka_unit_test(listen_right__ordinary_port__takes_nothing),
    };

    return RUN_TESTS(tests);
}
