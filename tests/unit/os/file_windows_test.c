/* SPDX-License-Identifier: MIT */
/* file_windows_test.c - a standard output that nobody reads. */
#include "common/os/windows/win.h"

#include "common/os/file.h"
#include "common/os/stream.h"
#include "common/os/thread.h"
#include "os_test.h"

/* A write of more than the pipe has room for, in a thread of its own. */
struct stuck {
    struct os_file *file;
    struct os_mutex lock;
    struct os_cond changed;
    bool has_ended;
    int r;
};

static void *write_much(void *arg)
{
    static const char much[1024 * 1024];
    struct os_vec vec = {much, sizeof(much)};
    struct stuck *s = arg;

    int r = os_file_write(s->file, &vec, 1, NULL);
    os_mutex_lock(&s->lock);
    s->r = r;
    s->has_ended = true;
    os_cond_signal(&s->changed);
    os_mutex_unlock(&s->lock);
    return NULL;
}

/* It may be anywhere just then, so that is said again until it has ended. */
static void cancel_until_it_has_ended(struct stuck *s)
{
    uint64_t deadline = os_clock_ms() + 10000;

    os_mutex_lock(&s->lock);
    while (!s->has_ended && os_clock_ms() < deadline) {
        os_file_cancel(s->file);
        os_cond_wait_until(&s->changed, &s->lock, os_clock_ms() + OS_CANCEL_POLL_MS);
    }
    os_mutex_unlock(&s->lock);
}

static void cancel__standard_output_that_is_not_read__ends_the_write(void **state)
{
    struct stuck s = {.file = NULL};
    struct os_thread thread;
    HANDLE reader, writer;
    char octet;
    DWORD n;

    (void)state;
    os_mutex_init(&s.lock);
    os_cond_init(&s.changed);
    assert_true(CreatePipe(&reader, &writer, NULL, 0));
    HANDLE kept = GetStdHandle(STD_OUTPUT_HANDLE);
    SetStdHandle(STD_OUTPUT_HANDLE, writer);
    int r = os_file_stdout(&s.file);
    SetStdHandle(STD_OUTPUT_HANDLE, kept);
    assert_int_equal(r, 0);
    assert_int_equal(os_thread_start(&thread, "writer", write_much, &s), 0);
    assert_true(ReadFile(reader, &octet, 1, &n, NULL)); /* it has begun */
    cancel_until_it_has_ended(&s);
    assert_true(s.has_ended);
    os_thread_join(&thread);
    assert_int_equal(s.r, ERR_CANCELED);
    os_file_close(s.file);
    CloseHandle(reader);
    os_cond_release(&s.changed);
    os_mutex_release(&s.lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancel__standard_output_that_is_not_read__ends_the_write),
    };

    return RUN_TESTS(tests);
}
