/* SPDX-License-Identifier: MIT */
/* dgram_linux_test.c - unix-dgram sockets, and what Linux tells about UDP. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/os/dgram.h"
#include "common/os/stream.h"
#include "os_test.h"

enum {
    SHORT_MS = 50,
    LONG_BYTES = 100 * 1024, /* more than OS_DGRAM_BYTES_MAX, less than a send buffer */
    QUEUE_LIMIT = 100000,    /* datagrams that no queue holds */
    ASKED_BUFFER = 32 * 1024 * 1024,
};

static char folder[] = "/tmp/hvlog-dgram-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[108];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static struct endpoint unix_endpoint(const char *name)
{
    char text[160];

    snprintf(text, sizeof text, "unix-dgram:%s", path_of(name));
    return endpoint_of(text);
}

static struct os_dgram *receiver(const char *name)
{
    struct endpoint at = unix_endpoint(name);
    struct os_dgram *d = NULL;

    assert_int_equal(os_dgram_open(&at, 0, &d), 0);
    return d;
}

static struct os_dgram *sender(const char *name)
{
    struct endpoint at = unix_endpoint(name);
    struct os_dgram *d = NULL;

    assert_int_equal(os_dgram_connect(&at, &d), 0);
    return d;
}

static int send_text(struct os_dgram *d, const char *text, uint64_t deadline_ms)
{
    struct os_vec vec = {text, strlen(text)};

    return os_dgram_send(d, &vec, 1, deadline_ms);
}

static bool exists(const char *name)
{
    struct stat st;

    return lstat(path_of(name), &st) == 0;
}

static void unix__sender_of_any_kind__has_no_address(void **state)
{
    struct os_dgram *in = receiver("in");
    struct os_dgram *out = sender("in");
    struct os_datagram got;
    struct stat st;

    (void)state;
    assert_int_equal(stat(path_of("in"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0666);
    assert_int_equal(send_text(out, "hello", test_deadline()), 1);
    assert_int_equal(send_text(out, "", test_deadline()), 1);
    assert_int_equal(os_dgram_receive(in, &got, 1, test_deadline()), 1);
    assert_int_equal(got.from.family, ADDRESS_NONE);
    assert_int_equal(got.length, 5);
    assert_int_equal(os_dgram_receive(in, &got, 1, test_deadline()), 1);
    assert_int_equal(got.length, 0);
    os_dgram_close(out);
    os_dgram_close(in);
    assert_false(exists("in"));
}

static void unix__longer_than_the_room__is_cut_and_its_length_told(void **state)
{
    struct os_dgram *in = receiver("in");
    struct os_dgram *out = sender("in");
    char *data = malloc(LONG_BYTES);
    struct os_vec vec[2] = {{data, LONG_BYTES}, {"next", 4}};
    struct os_datagram got[2];

    (void)state;
    assert_non_null(data);
    for (size_t i = 0; i < LONG_BYTES; i++)
        data[i] = (char)(i * 7 >> 2);
    assert_int_equal(os_dgram_send(out, vec, 2, test_deadline()), 2);
    assert_int_equal(os_dgram_receive(in, got, 2, test_deadline()), 2);
    assert_true(got[0].was_cut);
    assert_int_equal(got[0].length, OS_DGRAM_BYTES_MAX);
    assert_int_equal(got[0].true_length, LONG_BYTES);
    assert_memory_equal(got[0].data, data, OS_DGRAM_BYTES_MAX);
    assert_false(got[1].was_cut);
    assert_int_equal(got[1].length, 4);
    free(data);
    os_dgram_close(out);
    os_dgram_close(in);
}

static void unix__stale_file__is_replaced_and_a_live_one_is_in_use(void **state)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    struct endpoint at = unix_endpoint("stale");
    struct os_dgram *second = NULL;
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    (void)state;
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path_of("stale"));
    assert_int_equal(bind(fd, (const struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(os_dgram_open(&at, 0, &second), ERR_IN_USE);
    assert_null(second);
    close(fd);
    struct os_dgram *in = receiver("stale");
    assert_int_equal(os_dgram_open(&at, 0, &second), ERR_IN_USE);
    os_dgram_close(in);
}

static void unix__nobody_there__connect_tells_why(void **state)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    struct endpoint none = unix_endpoint("none"), stale = unix_endpoint("stale");
    struct os_dgram *d = NULL;
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    (void)state;
    assert_int_equal(os_dgram_connect(&none, &d), ERR_NOT_FOUND);
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path_of("stale"));
    assert_int_equal(bind(fd, (const struct sockaddr *)&a, sizeof a), 0);
    close(fd);
    assert_int_equal(os_dgram_connect(&stale, &d), ERR_REFUSED);
    assert_null(d);
    unlink(path_of("stale"));
}

/* A syslog server that is restarted: the sender keeps its socket and finds the new one. */
static void unix__receiver_comes_back__sender_finds_it(void **state)
{
    struct os_dgram *in = receiver("in");
    struct os_dgram *out = sender("in");
    struct os_datagram got;

    (void)state;
    assert_int_equal(send_text(out, "first", test_deadline()), 1);
    os_dgram_close(in);
    assert_int_equal(send_text(out, "second", test_deadline()), ERR_REFUSED);
    assert_int_equal(send_text(out, "second", test_deadline()), ERR_NOT_FOUND);
    in = receiver("in");
    assert_int_equal(send_text(out, "second", test_deadline()), 1);
    assert_int_equal(os_dgram_receive(in, &got, 1, test_deadline()), 1);
    assert_int_equal(got.length, 6);
    os_dgram_close(out);
    os_dgram_close(in);
}

struct sending {
    struct os_dgram *dgram;
    int result;
};

static void *send_run(void *arg)
{
    struct sending *s = arg;

    s->result = send_text(s->dgram, "more", OS_NEVER);
    return NULL;
}

static int fill(struct os_dgram *out)
{
    int sent = 0;

    while (sent < QUEUE_LIMIT && send_text(out, "more", 0) == 1)
        sent++;
    assert_in_range(sent, 1, QUEUE_LIMIT - 1);
    return sent;
}

static void unix__queue_is_full__send_waits_for_deadline_cancel_or_room(void **state)
{
    struct os_dgram *in = receiver("in");
    struct sending s = {.dgram = sender("in")};
    struct os_datagram got[OS_DGRAM_BATCH];
    struct os_thread t;
    int sent = fill(s.dgram), received = 0;
    uint64_t deadline = os_clock_ms() + SHORT_MS;

    (void)state;
    assert_int_equal(send_text(s.dgram, "more", deadline), ERR_TIMEOUT);
    assert_true(os_clock_ms() >= deadline);

    assert_int_equal(os_thread_start(&t, "send", send_run, &s), 0);
    os_dgram_cancel(s.dgram);
    os_thread_join(&t);
    assert_int_equal(s.result, ERR_CANCELED);

    assert_int_equal(os_thread_start(&t, "send", send_run, &s), 0);
    while (received < sent + 1) {
        int n = os_dgram_receive(in, got, OS_DGRAM_BATCH, test_deadline());
        assert_true(n > 0);
        received += n;
    }
    os_thread_join(&t);
    assert_int_equal(s.result, 1);
    assert_int_equal(received, sent + 1);
    os_dgram_close(s.dgram);
    os_dgram_close(in);
}

static void udp__nobody_listens__later_sends_are_refused(void **state)
{
    struct endpoint at = endpoint_of("udp:127.0.0.1:0");
    struct os_dgram *in = NULL, *out = NULL;
    uint64_t limit = test_deadline();
    int r;

    (void)state;
    assert_int_equal(os_dgram_open(&at, 0, &in), 0);
    at = endpoint_with_port("udp:127.0.0.1:1", os_dgram_port(in));
    assert_int_equal(os_dgram_connect(&at, &out), 0);
    os_dgram_close(in);
    do
        r = send_text(out, "anybody?", limit);
    while (r == 1 && os_clock_ms() < limit);
    assert_int_equal(r, ERR_REFUSED);

    /* And when somebody comes, the same socket reaches him. */
    struct os_datagram got;
    assert_int_equal(os_dgram_open(&at, 0, &in), 0);
    do
        r = send_text(out, "there", limit);
    while (r == ERR_REFUSED && os_clock_ms() < limit);
    assert_int_equal(r, 1);
    assert_int_equal(os_dgram_receive(in, &got, 1, limit), 1);
    os_dgram_close(out);
    os_dgram_close(in);
}

static void udp__literal_any__is_its_own_family_only(void **state)
{
    struct endpoint six = endpoint_of("udp:[::]:0");
    struct os_dgram *d6 = NULL, *d4 = NULL;

    (void)state;
    if (!has_ipv6())
        skip();
    assert_int_equal(os_dgram_open(&six, 0, &d6), 0);
    struct endpoint four = endpoint_with_port("udp:0.0.0.0:1", os_dgram_port(d6));
    assert_int_equal(os_dgram_open(&four, 0, &d4), 0);
    os_dgram_close(d4);
    os_dgram_close(d6);
}

/* Here and not in dgram_test.c: Wine binds such a socket to every address. */
static void udp__foreign_address__cannot_be_bound(void **state)
{
    struct endpoint at = endpoint_of("udp:192.0.2.1:0"); /* RFC 5737 */
    struct os_dgram *d = NULL;

    (void)state;
    assert_int_equal(os_dgram_open(&at, 0, &d), ERR_NOT_FOUND);
    assert_null(d);
}

static void udp__buffer__is_what_was_asked_for_with_the_right(void **state)
{
    struct endpoint at = endpoint_of("udp:127.0.0.1:0");
    struct os_dgram *d = NULL;

    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(os_dgram_open(&at, ASKED_BUFFER, &d), 0);
    assert_int_equal(os_dgram_buffer(d), ASKED_BUFFER);
    os_dgram_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unix__sender_of_any_kind__has_no_address),
        cmocka_unit_test(unix__longer_than_the_room__is_cut_and_its_length_told),
        cmocka_unit_test(unix__stale_file__is_replaced_and_a_live_one_is_in_use),
        cmocka_unit_test(unix__nobody_there__connect_tells_why),
        cmocka_unit_test(unix__receiver_comes_back__sender_finds_it),
        cmocka_unit_test(unix__queue_is_full__send_waits_for_deadline_cancel_or_room),
        cmocka_unit_test(udp__nobody_listens__later_sends_are_refused),
        cmocka_unit_test(udp__literal_any__is_its_own_family_only),
        cmocka_unit_test(udp__foreign_address__cannot_be_bound),
        cmocka_unit_test(udp__buffer__is_what_was_asked_for_with_the_right),
    };

    if (!mkdtemp(folder))
        return 1;
    return RUN_TESTS(tests) + (rmdir(folder) != 0);
}
