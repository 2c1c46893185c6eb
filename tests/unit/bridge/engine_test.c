/* SPDX-License-Identifier: MIT */
/* engine_test.c - starting and stopping all parts together. */
#include "common/bridge/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/err.h"
#include "common/os/poll.h"
#include "common/os/process.h"
#include "common/os/thread.h"

/* The linker puts this in front of os_thread_start(): the thread called <refused> cannot be
 * had.
 */
static const char *refused;
int __real_os_thread_start(struct os_thread *ret, const char *name, void *(*run)(void *),
                           void *arg);
int __wrap_os_thread_start(struct os_thread *ret, const char *name, void *(*run)(void *),
                           void *arg);
int __wrap_os_thread_start(struct os_thread *ret, const char *name, void *(*run)(void *),
                           void *arg)
{
    if (refused != NULL && strcmp(name, refused) == 0)
        return ERR_NO_MEMORY;
    return __real_os_thread_start(ret, name, run, arg);
}

static void append_nothing(struct text *out)
{
    (void)out;
}

static const struct config_program program = {
    .name = "test", .defaults = append_nothing, .samples = append_nothing};

/* A program with every kind of part, and a link of <role> at <port> of loopback. */
static struct config *make_config(const char *role, uint16_t port)
{
    struct config *c = NULL;
    struct text errors, text;

    text_init(&errors, CONFIG_COMPLAINTS_BYTES);
    text_init(&text, CONFIG_COMPLAINTS_BYTES);
    text_appendf(&text,
                 "[node]\nname = test\ndrain_timeout = 0\n"
                 "[link]\naddress = tcp:127.0.0.1:%u\nrole = %s\n"
                 "[input in]\nlisten = tcp:127.0.0.1:0\n"
                 "[output one]\nto = null:\n"
                 "[output two]\nto = null:\n",
                 (unsigned)port, role);
    int r = config_parse(&program, "test", text_string(&text), text.length, &c, &errors);
    if (r < 0)
        print_error("%s", text_string(&errors));
    assert_int_equal(r, 0);
    text_release(&text);
    text_release(&errors);
    return c;
}

static void engine__start_and_stop__leave_nothing_held(void **state)
{
    struct config *c = make_config("listen", 0);
    struct engine *e = NULL;
    char error[CONFIG_ERROR_MAX];
    struct queue_books books;

    (void)state;
    assert_int_equal(engine_open(c, "test", &e, error), 0);
    assert_int_equal(engine_start(e, error), 0);
    engine_stop(e, NULL, NULL);
    queue_books(engine_outbound(e), &books);
    assert_int_equal(books.held, 0);
    engine_free(e);
    config_free(c);
}

/* The outputs run by the time that the link finds its port taken. */
static void engine__link_port_in_use__start_fails_and_nothing_runs_on(void **state)
{
    struct endpoint at = {.kind = ENDPOINT_TCP, .host_kind = ENDPOINT_HOST_LITERAL};
    struct os_sock *other = NULL;
    struct engine *e = NULL;
    char error[CONFIG_ERROR_MAX];

    (void)state;
    assert_int_equal(address_parse_ip("127.0.0.1", 9, &at.address), 0);
    (void)snprintf(at.host, sizeof(at.host), "127.0.0.1");
    assert_int_equal(os_sock_listen(&at, &other), 0);
    struct config *c = make_config("listen", os_sock_port(other));
    assert_int_equal(engine_open(c, "test", &e, error), 0);
    assert_int_equal(engine_start(e, error), ERR_IN_USE);
    assert_ptr_equal(strstr(error, "link: cannot listen on tcp:127.0.0.1:"), error);
    engine_free(e);
    config_free(c);
    os_sock_close(other);
}

/* A link that connects has no address of its own that could be at fault. */
static void
engine__no_thread_for_the_connector__start_fails_without_talk_of_listening(void **state)
{
    struct config *c = make_config("connect", 1);
    struct engine *e = NULL;
    char error[CONFIG_ERROR_MAX];

    (void)state;
    assert_int_equal(engine_open(c, "test", &e, error), 0);
    refused = "link";
    int r = engine_start(e, error);
    refused = NULL;
    assert_int_equal(r, ERR_NO_MEMORY);
    assert_string_equal(error, "no thread could be started, or memory is out");
    engine_free(e);
    config_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine__start_and_stop__leave_nothing_held),
        cmocka_unit_test(engine__link_port_in_use__start_fails_and_nothing_runs_on),
        cmocka_unit_test(
            engine__no_thread_for_the_connector__start_fails_without_talk_of_listening),
    };

    return os_process_startup() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
