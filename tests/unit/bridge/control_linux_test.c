/* SPDX-License-Identifier: MIT */
/* control_linux_test.c - the control channel of a program that has no descriptor left. */
#include "common/bridge/control.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/bridge/log.h"
#include "common/os/clock.h"
#include "common/os/stream.h"
#include "common/os/thread.h"

enum { DESCRIPTORS_MAX = 64, WAIT_MS = 20000, LOOK_MS = 5 };

static const char path[] = "control_linux_test.sock";

static atomic_bool was_told;

static void note_line(enum log_level level, const char *line, size_t length)
{
    (void)level;
    (void)length;
    if (strstr(line, "control: no descriptor left") != NULL)
        atomic_store(&was_told, true);
}

/* With a limit; the condition only makes the pause between two looks. */
static bool wait_told(void)
{
    uint64_t deadline_ms = os_clock_ms() + WAIT_MS;
    struct os_mutex lock;
    struct os_cond never;

    os_mutex_init(&lock);
    os_cond_init(&never);
    os_mutex_lock(&lock);
    while (!atomic_load(&was_told) && os_clock_ms() < deadline_ms)
        os_cond_wait_until(&never, &lock, os_clock_ms() + LOOK_MS);
    os_mutex_unlock(&lock);
    os_cond_release(&never);
    os_mutex_release(&lock);
    return atomic_load(&was_told);
}

static void echo(void *arg, const char *request, struct text *out)
{
    (void)arg;
    text_append_string(out, request);
}

static int take_descriptors(int *fds)
{
    struct rlimit limit;
    int n = 0;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = DESCRIPTORS_MAX;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    while ((fds[n] = open("/dev/null", O_RDONLY)) >= 0)
        n++;
    return n;
}

static void control__no_descriptors_left__answers_when_there_are_again(void **state)
{
    struct endpoint endpoint = {.kind = ENDPOINT_UNIX};
    struct os_target target = {.endpoint = &endpoint};
    int fds[DESCRIPTORS_MAX];
    struct control *c = NULL;
    struct os_stream *s = NULL;
    char answer[sizeof("status")];

    (void)state;
    (void)snprintf(endpoint.path, sizeof(endpoint.path), "%s", path);
    log_set_writer(note_line);
    assert_int_equal(control_open(path, &c), 0);
    assert_int_equal(control_start(c, echo, NULL), 0);
    int n = take_descriptors(fds);
    close(fds[--n]);
    assert_int_equal(
        os_carrier_find("control")->dial(&target, CONTROL_TIMEOUT_MS, NULL, NULL, &s), 0);
    assert_true(wait_told());
    while (n > 0)
        close(fds[--n]);

    const struct os_vec request = {.data = "status\n", .length = 7};
    assert_int_equal(s->ops->write(s, &request, 1), 0);
    assert_int_equal(s->ops->read(s, answer, sizeof(answer)), 6);
    assert_memory_equal(answer, "status", 6);
    s->ops->close(s);
    control_free(c);
    log_set_writer(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control__no_descriptors_left__answers_when_there_are_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
