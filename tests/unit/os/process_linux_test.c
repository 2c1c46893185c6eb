/* SPDX-License-Identifier: MIT */
/* process_linux_test.c - what a program on Linux may be started with. */
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/os/process.h"
#include "os_test.h"

/* Says by its exit status which of the rules is broken; 0: none. */
static int start_without_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        close(fd);
    if (os_process_startup() < 0)
        return 1;
    if (open("/dev/null", O_RDWR) <= STDERR_FILENO)
        return 2;
    if (write(STDOUT_FILENO, "x", 1) >= 0 || errno != EBADF)
        return 3;
    if (write(STDERR_FILENO, "x", 1) >= 0 || errno != EBADF)
        return 4;
    return 0;
}

/* Else the next file or socket would be standard output or error, and get what is meant for
 * it. */
static void startup__standard_descriptors_closed__their_numbers_stay_taken(void **state)
{
    int status = 0;

    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(start_without_descriptors());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void stderr__pipe_that_is_not_read__is_said_to_be_full(void **state)
{
    static char much[1024 * 1024];
    int ends[2], kept = dup(STDERR_FILENO);

    (void)state;
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    dup2(ends[1], STDERR_FILENO);
    bool empty = os_stderr_wait(0);
    while (write(ends[1], much, sizeof(much)) > 0)
        ;
    bool full = os_stderr_wait(10);
    bool is_read = read(ends[0], much, sizeof(much)) > 0 && os_stderr_wait(0);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(ends[0]);
    close(ends[1]);
    assert_true(empty);
    assert_false(full);
    assert_true(is_read);
}

static void listen_right__port_below_1024__is_named(void **state)
{
    struct endpoint where = {.kind = ENDPOINT_UDP, .port = 1023};

    (void)state;
    assert_non_null(strstr(os_listen_right(&where), "CAP_NET_BIND_SERVICE"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listen_right__port_below_1024__is_named),
        cmocka_unit_test(stderr__pipe_that_is_not_read__is_said_to_be_full),
        cmocka_unit_test(startup__standard_descriptors_closed__their_numbers_stay_taken),
    };

    return RUN_TESTS(tests);
}
