/* SPDX-License-Identifier: MIT */
/* stream_windows_test.c - the control channel as a named pipe. */
#include "common/os/stream.h"

#include <stdlib.h>

#include "os_test.h"
#include "stream_suite.h"

static const struct stream_place control = {
    "control", "unix:hvlog-suite", "unix:hvlog-suite", {0}};

static int control_dial(const char *text, unsigned timeout_ms, struct os_stream **ret)
{
    struct endpoint to = endpoint_of(text);
    struct os_target target = {.endpoint = &to};

    return os_carrier_find("control")->dial(&target, timeout_ms, NULL, NULL, ret);
}

static void carrier__unix_or_vsock__is_not_there(void **state)
{
    (void)state;
    assert_null(os_carrier_find("unix"));
    assert_null(os_carrier_find("vsock"));
}

static void control__nobody_listens__is_not_found(void **state)
{
    struct os_stream *s = NULL;

    (void)state;
    assert_int_equal(control_dial("unix:hvlog-nobody", 1000, &s), ERR_NOT_FOUND);
    assert_null(s);
}

static void control__full_path__is_the_same_pipe(void **state)
{
    struct endpoint at = endpoint_of("unix:\\\\.\\pipe\\hvlog-suite");
    struct os_target target = {.endpoint = &at};
    struct os_listener *l = NULL;
    struct os_stream *dialed = NULL, *accepted = NULL;

    (void)state;
    assert_int_equal(os_carrier_find("control")->listen(&target, &l), 0);
    assert_int_equal(control_dial("unix:hvlog-suite", 1000, &dialed), 0);
    assert_int_equal(l->ops->accept(l, &accepted), 0);
    dialed->ops->close(dialed);
    accepted->ops->close(accepted);
    l->ops->close(l);
}

/* A question, its end, the answer, the end: what `status` does. */
static void control__question_and_answer__both_arrive_whole(void **state)
{
    enum { ANSWER_BYTES = 300000 };
    struct stream_pair pair = stream_pair_open(&control);
    char *answer = malloc(ANSWER_BYTES), text[16] = "";
    struct os_vec question = {"status", 6};

    (void)state;
    assert_non_null(answer);
    assert_int_equal(pair.dialed->ops->write(pair.dialed, &question, 1), 0);
    pair.dialed->ops->finish(pair.dialed);
    assert_int_equal(pair.accepted->ops->read(pair.accepted, text, 4), 4);
    assert_int_equal(pair.accepted->ops->read(pair.accepted, text + 4, 12), 2);
    assert_memory_equal(text, "status", 6);
    assert_int_equal(pair.accepted->ops->read(pair.accepted, text, 12), ERR_CLOSED);
    assert_int_equal(pair.accepted->ops->read(pair.accepted, text, 12), ERR_CLOSED);
    /* Small enough to lie in the pipe, and closed before it is read. */
    struct os_vec reply = {answer, 5000};
    memset(answer, 'a', ANSWER_BYTES);
    assert_int_equal(pair.accepted->ops->write(pair.accepted, &reply, 1), 0);
    pair.accepted->ops->close(pair.accepted);
    pair.accepted = NULL;
    size_t length = 0;
    ptrdiff_t n;
    while ((n = pair.dialed->ops->read(pair.dialed, answer, ANSWER_BYTES)) > 0)
        length += (size_t)n;
    assert_int_equal(n, ERR_CLOSED);
    assert_int_equal(length, 5000);
    free(answer);
    stream_pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carrier__unix_or_vsock__is_not_there),
        cmocka_unit_test(control__nobody_listens__is_not_found),
        cmocka_unit_test(control__full_path__is_the_same_pipe),
        cmocka_unit_test(control__question_and_answer__both_arrive_whole),
    };

    return RUN_TESTS(tests) + stream_suite_run(&control);
}
