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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(startup__standard_descriptors_closed__their_numbers_stay_taken),
    };

    return RUN_TESTS(tests);
}
