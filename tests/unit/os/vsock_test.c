/* SPDX-License-Identifier: MIT */
/* vsock_test.c - the suite over AF_VSOCK, where the kernel can connect to itself
 * (vsock_loopback). */
#include <stdio.h>

#include "common/os/stream.h"
#include "os_test.h"
#include "stream_suite.h"

enum { DIAL_MS = 2000, RING_BYTES = 16384, UNUSED_PORT = 4999 };

static const struct stream_place local = {"vsock", "vsock:any:0", "vsock:local:1", {0}};

static int listen_at(const char *text, uint32_t ring_bytes, struct os_listener **ret)
{
    struct endpoint at = endpoint_of(text);
    struct os_target target = {.endpoint = &at, .ring_bytes = ring_bytes};

    return os_carrier_find("vsock")->listen(&target, ret);
}

static int dial_to(uint32_t cid, uint32_t port, unsigned timeout_ms, struct os_stream **ret)
{
    struct endpoint to = endpoint_with_port("vsock:local:1", port);
    struct os_target target = {.endpoint = &to};

    to.cid = cid;
    return os_carrier_find("vsock")->dial(&target, timeout_ms, NULL, NULL, ret);
}

/* A kernel without vsock_loopback says so, or says nothing. */
static bool has_loopback(void)
{
    struct os_listener *l = NULL;
    struct os_stream *s = NULL;

    if (listen_at("vsock:any:0", 0, &l) != 0)
        return false;
    int r = dial_to(ENDPOINT_CID_LOCAL, l->port, DIAL_MS, &s);
    if (r == 0)
        s->ops->close(s);
    l->ops->close(l);
    return r == 0;
}

static void vsock__port_0__is_one_that_the_host_can_reach(void **state)
{
    struct os_listener *l = NULL;

    (void)state;
    assert_int_equal(listen_at("vsock:any:0", RING_BYTES, &l), 0);
    assert_in_range(l->port, 1024, UUID_PORT_MAX);
    l->ops->close(l);
}

static void vsock__port_of_more_than_16_bits__is_told_whole(void **state)
{
    struct os_listener *l = NULL;

    (void)state;
    assert_int_equal(listen_at("vsock:any:1234567", 0, &l), 0);
    assert_int_equal(l->port, 1234567);
    l->ops->close(l);
}

static void vsock__nobody_listens__is_refused_or_silent(void **state)
{
    struct os_stream *s = NULL;
    int r = dial_to(ENDPOINT_CID_LOCAL, UNUSED_PORT, DIAL_MS, &s);

    (void)state;
    assert_true(r == ERR_REFUSED || r == ERR_TIMEOUT);
    assert_null(s);
}

static void vsock__no_such_cid__is_not_found_or_silent(void **state)
{
    struct os_stream *s = NULL;
    uint64_t begin = os_clock_ms();
    int r = dial_to(4711, UNUSED_PORT, 100, &s);

    (void)state;
    assert_true(r == ERR_REFUSED || r == ERR_TIMEOUT || r == ERR_NOT_FOUND);
    assert_true(os_clock_ms() - begin < TEST_LIMIT_MS);
    assert_null(s);
}

static void vsock__peer__is_named_by_its_cid(void **state)
{
    struct stream_pair pair = stream_pair_open(&local);

    (void)state;
    assert_string_equal(pair.dialed->peer, "cid 1");
    assert_string_equal(pair.accepted->peer, "cid 1");
    stream_pair_close(&pair);
}

static void vsock__unsent__is_not_told(void **state)
{
    struct stream_pair pair = stream_pair_open(&local);

    (void)state;
    assert_int_equal(pair.dialed->ops->unsent(pair.dialed), ERR_UNSUPPORTED);
    stream_pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vsock__port_0__is_one_that_the_host_can_reach),
        cmocka_unit_test(vsock__port_of_more_than_16_bits__is_told_whole),
        cmocka_unit_test(vsock__nobody_listens__is_refused_or_silent),
        cmocka_unit_test(vsock__no_such_cid__is_not_found_or_silent),
        cmocka_unit_test(vsock__peer__is_named_by_its_cid),
        cmocka_unit_test(vsock__unsent__is_not_told),
    };

    if (os_process_startup() != 0)
        return 1;
    if (!has_loopback()) {
        printf("skipped: this kernel has no AF_VSOCK loopback\n");
        return TEST_SKIPPED;
    }
    return RUN_TESTS(tests) + stream_suite_run(&local);
}
