/* SPDX-License-Identifier: MIT */
/* stop_linux_test.c - signals as events. */
#include <signal.h>
#include <unistd.h>

#include "common/os/stop.h"
#include "os_test.h"

static void signal__each_one__is_its_event(void **state)
{
    const struct {
        int signal;
        enum os_stop_event event;
    } rows[] = {{SIGTERM, OS_STOP_STOP}, {SIGINT, OS_STOP_STOP}, {SIGHUP, OS_STOP_REOPEN}};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(raise(rows[i].signal), 0);
        assert_int_equal(os_stop_wait(test_deadline()), rows[i].event);
        assert_int_equal(os_stop_wait(0), OS_STOP_NONE);
    }
}

static void signal__second_stop__is_an_event_too(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(kill(getpid(), SIGTERM), 0);
        assert_int_equal(os_stop_wait(test_deadline()), OS_STOP_STOP);
    }
}

static void signal__stop_and_reopen_at_once__stop_comes_first(void **state)
{
    (void)state;
    assert_int_equal(raise(SIGHUP), 0);
    assert_int_equal(raise(SIGTERM), 0);
    assert_int_equal(os_stop_wait(0), OS_STOP_STOP);
    assert_int_equal(os_stop_wait(0), OS_STOP_REOPEN);
}

static void *kill_run(void *arg)
{
    int *result = arg;
    sigset_t blocked;

    /* Of those that others send, a thread takes none. */
    *result = pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 &&
              sigismember(&blocked, SIGTERM) == 1 && sigismember(&blocked, SIGUSR1) == 1 &&
              sigismember(&blocked, SIGSEGV) == 0 && kill(getpid(), SIGTERM) == 0;
    return NULL;
}

static void signal__to_the_process__wakes_the_wait_and_no_thread(void **state)
{
    struct os_thread t;
    int result = 0;

    (void)state;
    assert_int_equal(os_thread_start(&t, "kill", kill_run, &result), 0);
    assert_int_equal(os_stop_wait(test_deadline()), OS_STOP_STOP);
    os_thread_join(&t);
    assert_true(result);
}

static void signal__pipe_nobody_reads__is_no_death(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(write(ends[1], "x", 1), -1);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signal__each_one__is_its_event),
        cmocka_unit_test(signal__second_stop__is_an_event_too),
        cmocka_unit_test(signal__stop_and_reopen_at_once__stop_comes_first),
        cmocka_unit_test(signal__to_the_process__wakes_the_wait_and_no_thread),
        cmocka_unit_test(signal__pipe_nobody_reads__is_no_death),
    };

    return os_stop_init() == 0 ? RUN_TESTS(tests) : 1;
}
