/* SPDX-License-Identifier: MIT */
/* log_linux_test.c - a log that nobody reads. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/bridge/log.h"

enum { PIPE_BYTES = 4096 };

static void fill(int fd)
{
    char octets[PIPE_BYTES] = "";

    while (write(fd, octets, sizeof(octets)) > 0)
        ;
    while (write(fd, octets, 1) > 0)
        ;
}

static void empty(int fd)
{
    char octets[PIPE_BYTES];

    while (read(fd, octets, sizeof(octets)) > 0)
        ;
}

/* The program goes on, and what is lost is counted in the log itself. */
static void log_line__stderr_is_full__is_lost_and_counted(void **state)
{
    int ends[2], kept = dup(STDERR_FILENO);
    char got[PIPE_BYTES] = "";

    (void)state;
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    dup2(ends[1], STDERR_FILENO);
    fill(ends[1]);
    log_line(LOG_ERROR, "lost");
    log_line(LOG_ERROR, "lost, too");
    empty(ends[0]);
    log_line(LOG_ERROR, "written");
    log_line(LOG_ERROR, "written, too");
    ssize_t length = read(ends[0], got, sizeof(got) - 1);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(ends[0]);
    close(ends[1]);
    assert_true(length > 0);
    const char *lost = strstr(got, ": warning: log: 2 lines are missing here");
    const char *written = strstr(got, ": error: written\n");
    assert_non_null(lost);
    assert_non_null(written);
    assert_true(lost < written);
    assert_null(strstr(written, "missing"));
    assert_non_null(strstr(written, ": error: written, too\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_line__stderr_is_full__is_lost_and_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
