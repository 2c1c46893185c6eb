/* SPDX-License-Identifier: MIT */
/* file_linux_test.c - devices, pipes, rights and Linux's places. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/os/file.h"
#include "common/os/stream.h"
#include "common/os/thread.h"
#include "os_test.h"

enum { NOBODY = 65534 };

static char folder[] = "/tmp/hvlog-file-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static unsigned mode_of(const char *path)
{
    struct stat st = {0};

    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void write__disk_is_full__is_full_and_nothing_went_out(void **state)
{
    struct os_vec vec = {"text", 4};
    struct os_file *f = NULL;
    char text[OS_ERROR_TEXT_MAX];
    size_t written = 99;

    (void)state;
    assert_int_equal(os_file_append("/dev/full", &f), 0);
    assert_int_equal(os_file_write(f, &vec, 1, &written), ERR_FULL);
    assert_int_equal(written, 0);
    assert_string_equal(os_error_last(text, sizeof text), "No space left on device (28)");
    assert_true(os_file_is_current(f));
    os_file_close(f);
}

static void pipe__nobody_reads__is_not_found_and_later_closed(void **state)
{
    struct os_vec vec = {"text", 4};
    struct os_file *f = NULL;

    (void)state;
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    assert_int_equal(os_file_append(path_of("pipe"), &f), ERR_NOT_FOUND);
    int reader = open(path_of("pipe"), O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(os_file_append(path_of("pipe"), &f), 0);
    assert_int_equal(os_file_write(f, &vec, 1, NULL), 0);
    close(reader);
    assert_int_equal(os_file_write(f, &vec, 1, NULL), ERR_CLOSED);
    os_file_close(f);
    unlink(path_of("pipe"));
}

/* A write of more than whoever should read it has room for, in a thread of its own. */
struct stuck {
    struct os_file *file;
    struct os_mutex lock;
    struct os_cond changed;
    bool has_ended;
    int r;
    size_t written;
};

static void *write_much(void *arg)
{
    static const char much[1024 * 1024];
    struct os_vec vec = {much, sizeof much};
    struct stuck *s = arg;

    int r = os_file_write(s->file, &vec, 1, &s->written);
    os_mutex_lock(&s->lock);
    s->r = r;
    s->has_ended = true;
    os_cond_signal(&s->changed);
    os_mutex_unlock(&s->lock);
    return NULL;
}

/* <file>'s other end, <reader>, has something to read, but does not. */
static void assert_cancel_ends_it(struct os_file *file, int reader)
{
    struct stuck s = {.file = file};
    struct os_thread thread;
    struct pollfd p = {.fd = reader, .events = POLLIN};

    os_mutex_init(&s.lock);
    os_cond_init(&s.changed);
    assert_int_equal(os_thread_start(&thread, "writer", write_much, &s), 0);
    assert_int_equal(poll(&p, 1, 10000), 1);
    os_file_cancel(file);
    uint64_t deadline = os_clock_ms() + 10000;
    os_mutex_lock(&s.lock);
    while (!s.has_ended && os_cond_wait_until(&s.changed, &s.lock, deadline))
        ;
    os_mutex_unlock(&s.lock);
    assert_true(s.has_ended);
    os_thread_join(&thread);
    assert_int_equal(s.r, ERR_CANCELED);
    assert_in_range(s.written, 1, 1024 * 1024 - 1);
    os_cond_release(&s.changed);
    os_mutex_release(&s.lock);
}

static void cancel__pipe_that_is_not_read__ends_the_write(void **state)
{
    struct os_file *f = NULL;

    (void)state;
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    int reader = open(path_of("pipe"), O_RDONLY | O_NONBLOCK);
    assert_int_equal(os_file_append(path_of("pipe"), &f), 0);
    assert_cancel_ends_it(f, reader);
    os_file_close(f);
    close(reader);
    unlink(path_of("pipe"));
}

/* Standard output is what the program was given, and blocks for all who share it. */
static void assert_stdout_can_be_canceled(int ends[2])
{
    struct os_file *f = NULL;
    int kept = dup(STDOUT_FILENO);

    fflush(stdout);
    dup2(ends[1], STDOUT_FILENO);
    int r = os_file_stdout(&f);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    assert_int_equal(r, 0);
    assert_cancel_ends_it(f, ends[0]);
    assert_int_equal(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
    os_file_close(f);
    close(ends[0]);
    close(ends[1]);
}

static void cancel__standard_output_that_is_not_read__ends_the_write(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_stdout_can_be_canceled(ends);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_stdout_can_be_canceled(ends);
}

static void read_all__no_descriptor_left__is_not_too_long(void **state)
{
    struct rlimit before, none;
    char *data = NULL;
    size_t length;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int r = os_file_read_all("/dev/null", 10, &data, &length);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(r, ERR_IO);
}

static void append__link_into_a_folder_that_is_not_there__is_not_found(void **state)
{
    struct os_file *f = NULL;

    (void)state;
    assert_int_equal(symlink("missing/log", path_of("link")), 0);
    assert_int_equal(os_file_append(path_of("link"), &f), ERR_NOT_FOUND);
    unlink(path_of("link"));
}

static void append__new_file_and_folder__have_the_modes_of_the_contract(void **state)
{
    struct os_file *f = NULL;
    mode_t before = umask(0);

    (void)state;
    assert_int_equal(os_file_append(path_of("new/log"), &f), 0);
    assert_int_equal(os_folder_make(path_of("made")), 0);
    umask(before);
    os_file_close(f);
    assert_int_equal(mode_of(path_of("new/log")), 0640);
    assert_int_equal(mode_of(path_of("new")), 0750);
    assert_int_equal(mode_of(path_of("made")), 0750);
    unlink(path_of("new/log"));
    rmdir(path_of("new"));
    rmdir(path_of("made"));
}

/* Root may do everything, so it becomes somebody who may not. */
static void append__folder_is_somebody_elses__is_access(void **state)
{
    struct os_file *f = NULL;
    char *data = NULL;
    size_t length;

    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(os_file_append(path_of("log"), &f), 0);
    os_file_close(f);
    f = NULL;
    assert_int_equal(seteuid(NOBODY), 0);
    int appended = os_file_append(path_of("log"), &f);
    int read = os_file_read_all(path_of("log"), 100, &data, &length);
    int made = os_folder_make(path_of("a/b"));
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(appended, ERR_ACCESS);
    assert_int_equal(read, ERR_ACCESS);
    assert_int_equal(made, ERR_ACCESS);
    unlink(path_of("log"));
}

static void is_private__only_without_rights_of_others(void **state)
{
    const struct {
        mode_t mode;
        bool is_private;
    } rows[] = {{0600, true}, {0400, true}, {0640, false}, {0604, false}, {0644, false}};
    struct os_file *f = NULL;

    (void)state;
    assert_int_equal(os_file_append(path_of("secret"), &f), 0);
    os_file_close(f);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(chmod(path_of("secret"), rows[i].mode), 0);
        assert_int_equal(os_file_is_private(path_of("secret")), rows[i].is_private);
    }
    unlink(path_of("secret"));
    /* Whoever wants to read it hears that it is not there. */
    assert_true(os_file_is_private(path_of("secret")));
}

static void assert_path(enum os_path what, const char *expected)
{
    char path[256];

    assert_int_equal(os_path_default(what, "agent", path, sizeof path), 0);
    assert_string_equal(path, expected);
}

static void path__of_root_and_of_a_user__are_those_of_the_contract(void **state)
{
    char expected[64];

    (void)state;
    if (geteuid() != 0)
        skip();
    assert_path(OS_PATH_CONFIG, "/etc/hvlog/agent.conf");
    assert_path(OS_PATH_STATE, "/var/lib/hvlog");
    assert_path(OS_PATH_CONTROL, "/run/hvlog/agent.sock");

    assert_int_equal(seteuid(NOBODY), 0);
    setenv("HOME", "/home/somebody", 1);
    unsetenv("XDG_STATE_HOME");
    setenv("XDG_RUNTIME_DIR", "not/absolute", 1);
    assert_path(OS_PATH_CONFIG, "/etc/hvlog/agent.conf");
    assert_path(OS_PATH_STATE, "/home/somebody/.local/state/hvlog");
    snprintf(expected, sizeof expected, "/tmp/hvlog-%d/agent.sock", NOBODY);
    assert_path(OS_PATH_CONTROL, expected);
    setenv("XDG_STATE_HOME", "/state", 1);
    setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
    assert_path(OS_PATH_STATE, "/state/hvlog");
    assert_path(OS_PATH_CONTROL, "/run/user/1/hvlog/agent.sock");
    assert_int_equal(seteuid(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write__disk_is_full__is_full_and_nothing_went_out),
        cmocka_unit_test(pipe__nobody_reads__is_not_found_and_later_closed),
        cmocka_unit_test(cancel__pipe_that_is_not_read__ends_the_write),
        cmocka_unit_test(cancel__standard_output_that_is_not_read__ends_the_write),
        cmocka_unit_test(read_all__no_descriptor_left__is_not_too_long),
        cmocka_unit_test(append__link_into_a_folder_that_is_not_there__is_not_found),
        cmocka_unit_test(append__new_file_and_folder__have_the_modes_of_the_contract),
        cmocka_unit_test(append__folder_is_somebody_elses__is_access),
        cmocka_unit_test(is_private__only_without_rights_of_others),
        cmocka_unit_test(path__of_root_and_of_a_user__are_those_of_the_contract),
    };

    if (!mkdtemp(folder))
        return 1;
    return RUN_TESTS(tests) + (rmdir(folder) != 0);
}
