/* SPDX-License-Identifier: MIT */
/* stop_test.c - events that the program asks itself for. Signals: stop_linux_test.c. */
#include "common/os/stop.h"

#include "os_test.h"

enum { ROUNDS = 500 };

static void stop__nothing_happens__deadline_passes(void **state)
{
    uint64_t deadline = os_clock_ms() + 30;

    (void)state;
    assert_int_equal(os_stop_wait(0), OS_STOP_NONE);
    assert_int_equal(os_stop_wait(deadline), OS_STOP_NONE);
    assert_true(os_clock_ms() >= deadline);
}

static void stop__requested_before_the_wait__is_pending(void **state)
{
    (void)state;
    os_stop_request(OS_STOP_REOPEN);
    assert_int_equal(os_stop_wait(0), OS_STOP_REOPEN);
    assert_int_equal(os_stop_wait(0), OS_STOP_NONE);
    os_stop_request(OS_STOP_STOP);
    assert_int_equal(os_stop_wait(0), OS_STOP_STOP);
    assert_int_equal(os_stop_wait(0), OS_STOP_NONE);
}

static void stop__requested_twice__comes_twice(void **state)
{
    (void)state;
    os_stop_request(OS_STOP_STOP);
    os_stop_request(OS_STOP_STOP);
    assert_int_equal(os_stop_wait(0), OS_STOP_STOP);
    assert_int_equal(os_stop_wait(0), OS_STOP_STOP);
    assert_int_equal(os_stop_wait(0), OS_STOP_NONE);
}

static void *request_run(void *arg)
{
    (void)arg;
    os_stop_request(OS_STOP_STOP);
    return NULL;
}

static void stop__requested_by_a_thread__wakes_the_wait(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct os_thread t;
        assert_int_equal(os_thread_start(&t, "request", request_run, NULL), 0);
        assert_int_equal(os_stop_wait(test_deadline()), OS_STOP_STOP);
        os_thread_join(&t);
    }
    os_stop_acknowledge();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stop__nothing_happens__deadline_passes),
        cmocka_unit_test(stop__requested_before_the_wait__is_pending),
        cmocka_unit_test(stop__requested_twice__comes_twice),
        cmocka_unit_test(stop__requested_by_a_thread__wakes_the_wait),
    };

    return os_stop_init() == 0 ? RUN_TESTS(tests) : 1;
}
