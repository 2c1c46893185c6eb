/* SPDX-License-Identifier: MIT */
/* stream_test.c - streams over TCP, which every system has. */
#include "common/os/stream.h"

#include "os_test.h"
#include "stream_suite.h"

enum { DIAL_MS = 10 * 1000 };

static const struct stream_place tcp = {"tcp", "tcp:127.0.0.1:0", "tcp:127.0.0.1:1", {0}};
static const struct stream_place tcp6 = {"tcp", "tcp:[::1]:0", "tcp:[::1]:1", {0}};

static struct os_listener *listen_on(const char *text)
{
    struct endpoint at = endpoint_of(text);
    struct os_target target = {.endpoint = &at};
    struct os_listener *l = NULL;

    assert_int_equal(os_carrier_find("tcp")->listen(&target, &l), 0);
    return l;
}

static int dial_to(const char *text, uint32_t port, struct os_stream **ret)
{
    struct endpoint to = endpoint_with_port(text, port);
    struct os_target target = {.endpoint = &to};

    return os_carrier_find("tcp")->dial(&target, DIAL_MS, NULL, NULL, ret);
}

static void carrier__unknown_scheme__is_not_found(void **state)
{
    (void)state;
    assert_null(os_carrier_find("carrier-pigeon"));
    assert_null(os_carrier_find(""));
}

static void tcp__nobody_listens__is_refused(void **state)
{
    struct os_listener *l = listen_on("tcp:127.0.0.1:0");
    struct os_stream *s = NULL;
    char text[OS_ERROR_TEXT_MAX];
    uint32_t port = l->port;

    (void)state;
    l->ops->close(l);
    assert_int_equal(dial_to("tcp:127.0.0.1:1", port, &s), ERR_REFUSED);
    assert_null(s);
    os_error_last(text, sizeof text);
    assert_non_null(strchr(text, '('));
}

static void tcp__foreign_address__cannot_be_bound(void **state)
{
    /* From the block for documentation (RFC 5737): no interface has it. */
    struct endpoint at = endpoint_of("tcp:192.0.2.1:0");
    struct os_target target = {.endpoint = &at};
    struct os_listener *l = NULL;

    (void)state;
    assert_int_equal(os_carrier_find("tcp")->listen(&target, &l), ERR_NOT_FOUND);
    assert_null(l);
}

static void tcp__any_address__takes_both_families(void **state)
{
    struct os_listener *l = listen_on("tcp:*:0");
    const char *to[] = {"tcp:127.0.0.1:1", "tcp:[::1]:1"};
    const char *peer[] = {"127.0.0.1:", "[::1]:"};
    size_t count = has_ipv6() ? COUNT(to) : 1;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        struct os_stream *dialed = NULL, *accepted = NULL;
        assert_int_equal(dial_to(to[i], l->port, &dialed), 0);
        assert_int_equal(l->ops->accept(l, &accepted), 0);
        assert_memory_equal(accepted->peer, peer[i], strlen(peer[i]));
        dialed->ops->close(dialed);
        accepted->ops->close(accepted);
    }
    l->ops->close(l);
}

static void tcp__name__is_resolved(void **state)
{
    struct os_listener *l = listen_on("tcp:*:0");
    struct os_stream *s = NULL;

    (void)state;
    assert_int_equal(dial_to("tcp:localhost:1", l->port, &s), 0);
    s->ops->close(s);
    l->ops->close(l);
}

static void tcp__name_that_cannot_be__is_not_found(void **state)
{
    struct os_stream *s = NULL;

    (void)state;
    /* RFC 6761: never exists. */
    assert_int_equal(dial_to("tcp:host.invalid:1", 9, &s), ERR_NOT_FOUND);
    assert_null(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carrier__unknown_scheme__is_not_found),
        cmocka_unit_test(tcp__nobody_listens__is_refused),
        cmocka_unit_test(tcp__foreign_address__cannot_be_bound),
        cmocka_unit_test(tcp__any_address__takes_both_families),
        cmocka_unit_test(tcp__name__is_resolved),
        cmocka_unit_test(tcp__name_that_cannot_be__is_not_found),
    };

    int failed = RUN_TESTS(tests) + stream_suite_run(&tcp);
    return has_ipv6() ? failed + stream_suite_run(&tcp6) : failed;
}
