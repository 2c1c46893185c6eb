/* SPDX-License-Identifier: MIT */
/* input_stream_linux_test.c - unix sockets, and a program that has no descriptor left. */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "inlet.h"

enum { DESCRIPTORS_MAX = 64 };

/* Take every descriptor that is left. Returns how many. */
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

static void input_stream__no_descriptors_left__takes_the_connection_later(void **state)
{
    (void)state;
    int fds[DESCRIPTORS_MAX];
    struct inlet t;
    inlet_init(&t, "tcp:127.0.0.1:0");
    inlet_open(&t);
    struct os_stream *first = inlet_dial(&t);
    inlet_await(&inlet_counters(&t)->connections, 1);

    int n = take_descriptors(fds);
    close(fds[--n]);
    struct os_stream *second = inlet_dial(&t); /* has the last one: the input cannot accept */
    inlet_send_text(second, "<13>second\n");
    /* Who is connected already is served meanwhile. */
    inlet_send_text(first, "<13>first\n");
    inlet_expect(&t, 1);
    assert_string_equal(t.got[0].text, "<13>first");
    assert_int_equal(counter_get(&inlet_counters(&t)->connections), 1);

    while (n > 0)
        close(fds[--n]);
    inlet_expect(&t, 2);
    assert_string_equal(t.got[1].text, "<13>second");
    first->ops->close(first);
    second->ops->close(second);
    inlet_close(&t);
}

static void input_stream__unix__has_no_address_and_passes_allow(void **state)
{
    (void)state;
    struct inlet t;
    inlet_init(&t, "unix:input_stream_linux_test.sock");
    assert_int_equal(address_prefix_parse("192.0.2.0/24", 12, &t.config.allow[0]), 0);
    t.config.allow_count = 1;
    inlet_open(&t);
    struct os_stream *s = inlet_dial(&t);

    inlet_send_text(s, "<13>local\n");
    inlet_expect(&t, 1);
    assert_int_equal(t.got[0].source.transport, TRANSPORT_UNIX);
    assert_int_equal(t.got[0].source.address.family, ADDRESS_NONE);
    assert_int_equal(input_port(t.in), 0);
    s->ops->close(s);
    inlet_close(&t);
    assert_int_not_equal(access("input_stream_linux_test.sock", F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_stream__unix__has_no_address_and_passes_allow),
        cmocka_unit_test(input_stream__no_descriptors_left__takes_the_connection_later),
    };
    return RUN_TESTS(tests);
}
