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

static void append_nothing(struct text *out)
{
    (void)out;
}

static const struct config_program program = {
    .name = "test", .defaults = append_nothing, .samples = append_nothing};

/* A program that listens for its peer on <port> of loopback, with every kind of part. */
static struct config *make_config(uint16_t port)
{
    struct config *c = NULL;
    struct text errors, text;

    text_init(&errors, CONFIG_COMPLAINTS_BYTES);
    text_init(&text, CONFIG_COMPLAINTS_BYTES);
    text_appendf(&text,
                 "[node]\nname = test\ndrain_timeout = 0\n"
                 "[link]\naddress = tcp:127.0.0.1:%u\nrole = listen\n"
                 "[input in]\nlisten = tcp:127.0.0.1:0\n"
                 "[output one]\nto = null:\n"
                 "[output two]\nto = null:\n",
                 (unsigned)port);
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
    struct config *c = make_config(0);
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
    struct config *c = make_config(os_sock_port(other));
    assert_int_equal(engine_open(c, "test", &e, error), 0);
    assert_int_equal(engine_start(e, error), ERR_IN_USE);
    assert_ptr_equal(strstr(error, "link: cannot listen on tcp:127.0.0.1:"), error);
    engine_free(e);
    config_free(c);
    os_sock_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine__start_and_stop__leave_nothing_held),
        cmocka_unit_test(engine__link_port_in_use__start_fails_and_nothing_runs_on),
    };

    return os_process_startup() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
