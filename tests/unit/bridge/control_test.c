/* SPDX-License-Identifier: MIT */
/* control_test.c - the channel over which `status` asks, over the system's own sockets or
 * pipes.
 */
#include "common/bridge/control.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/err.h"
#include "common/os/process.h"
#include "common/os/stream.h"
#include "common/os/thread.h"

enum { LARGE_LINES = 40 * 1000 };

static char path[64];

/* A name of our own: a file in the working folder, or a pipe. */
static int set_up(void **state)
{
    (void)state;
    (void)os_process_startup();
    (void)snprintf(path, sizeof(path), "control-test-%" PRIu64 ".sock", os_process_id());
    return 0;
}

static void echo(void *arg, const char *request, struct text *out)
{
    text_appendf(out, "%s: %s\n", (const char *)arg, request);
}

static void answer_large(void *arg, const char *request, struct text *out)
{
    (void)arg;
    (void)request;
    for (int i = 0; i < LARGE_LINES; i++)
        text_appendf(out, "line %d\n", i);
}

static struct control *start(control_answer_fn *answer)
{
    static char name[] = "answer";
    struct control *c = NULL;
    assert_int_equal(control_open(path, &c), 0);
    assert_int_equal(control_start(c, answer, name), 0);
    return c;
}

/* A client that says what it likes. */
static struct os_stream *connect_raw(void)
{
    struct endpoint endpoint = {.kind = ENDPOINT_UNIX};
    (void)snprintf(endpoint.path, sizeof(endpoint.path), "%s", path);
    struct os_target target = {.endpoint = &endpoint};
    struct os_stream *s = NULL;
    assert_int_equal(
        os_carrier_find("control")->dial(&target, CONTROL_TIMEOUT_MS, NULL, NULL, &s), 0);
    return s;
}

static void control__request__is_answered_again_and_again(void **state)
{
    struct control *c = start(echo);
    struct text answer;
    (void)state;
    text_init(&answer, CONTROL_ANSWER_MAX);
    for (int i = 0; i < 3 * CONTROL_CLIENTS_MAX; i++) {
        text_clear(&answer);
        assert_int_equal(control_ask(path, "status json", &answer), 0);
        assert_string_equal(text_string(&answer), "answer: status json\n");
    }
    text_release(&answer);
    control_stop(c);
    control_free(c);
}

static void control__large_answer__arrives_whole(void **state)
{
    struct control *c = start(answer_large);
    struct text answer, expected;
    (void)state;
    text_init(&answer, CONTROL_ANSWER_MAX);
    text_init(&expected, CONTROL_ANSWER_MAX);
    answer_large(NULL, "", &expected);
    assert_int_equal(control_ask(path, "x", &answer), 0);
    assert_int_equal(answer.length, expected.length);
    assert_string_equal(text_string(&answer), text_string(&expected));
    text_release(&answer);
    text_release(&expected);
    control_free(c);
}

static void control__nobody__is_not_found_or_refused(void **state)
{
    struct text answer;
    (void)state;
    text_init(&answer, CONTROL_ANSWER_MAX);
    int r = control_ask(path, "x", &answer);
    assert_true(r == ERR_NOT_FOUND || r == ERR_REFUSED);
    assert_int_equal(answer.length, 0);
    text_release(&answer);
}

static void *ask_once(void *arg)
{
    struct text answer;
    text_init(&answer, CONTROL_ANSWER_MAX);
    *(int *)arg = control_ask(path, "x", &answer);
    text_release(&answer);
    return NULL;
}

static void control__more_clients_than_places_at_once__are_all_answered(void **state)
{
    enum { CLIENTS = 4 * CONTROL_CLIENTS_MAX };
    struct control *c = start(echo);
    struct os_thread threads[CLIENTS];
    int results[CLIENTS];
    (void)state;
    for (size_t i = 0; i < CLIENTS; i++)
        assert_int_equal(os_thread_start(&threads[i], "ask", ask_once, &results[i]), 0);
    for (size_t i = 0; i < CLIENTS; i++)
        os_thread_join(&threads[i]);
    for (size_t i = 0; i < CLIENTS; i++)
        assert_int_equal(results[i], 0);
    control_free(c);
}

static void control__silent_clients__do_not_keep_others_out(void **state)
{
    struct control *c = start(echo);
    struct os_stream *silent[2 * CONTROL_CLIENTS_MAX];
    struct text answer;
    (void)state;
    text_init(&answer, CONTROL_ANSWER_MAX);
    for (size_t i = 0; i < 2 * CONTROL_CLIENTS_MAX; i++)
        silent[i] = connect_raw();
    assert_int_equal(control_ask(path, "x", &answer), 0);
    assert_string_equal(text_string(&answer), "answer: x\n");
    for (size_t i = 0; i < 2 * CONTROL_CLIENTS_MAX; i++)
        silent[i]->ops->close(silent[i]);
    text_release(&answer);
    control_free(c);
}

static void control__endless_request__is_closed_without_an_answer(void **state)
{
    struct control *c = start(echo);
    struct os_stream *s = connect_raw();
    char octets[CONTROL_REQUEST_MAX + 1];
    (void)state;
    memset(octets, 'x', sizeof(octets));
    struct os_vec vec = {octets, sizeof(octets)};
    assert_int_equal(s->ops->write(s, &vec, 1), 0);
    assert_int_equal(s->ops->read(s, octets, sizeof(octets)), ERR_CLOSED);
    s->ops->close(s);
    control_free(c);
}

static void control__stop__ends_clients_that_wait(void **state)
{
    struct control *c = start(echo);
    struct os_stream *s = connect_raw();
    char octet;
    (void)state;
    control_stop(c);
    control_free(c);
    assert_true(s->ops->read(s, &octet, 1) < 0);
    s->ops->close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control__request__is_answered_again_and_again),
        cmocka_unit_test(control__large_answer__arrives_whole),
        cmocka_unit_test(control__nobody__is_not_found_or_refused),
        cmocka_unit_test(control__more_clients_than_places_at_once__are_all_answered),
        cmocka_unit_test(control__silent_clients__do_not_keep_others_out),
        cmocka_unit_test(control__endless_request__is_closed_without_an_answer),
        cmocka_unit_test(control__stop__ends_clients_that_wait),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
