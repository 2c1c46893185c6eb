/* SPDX-License-Identifier: MIT */
/* poll_linux_test.c - unix listeners, and what happens without descriptors. */
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/os/poll.h"
#include "common/os/stream.h"
#include "os_test.h"

enum { DIAL_MS = 10 * 1000 };

static char folder[] = "/tmp/hvlog-poll-XXXXXX";

static struct endpoint unix_endpoint(const char *name)
{
    char text[160];

    snprintf(text, sizeof text, "unix:%s/%s", folder, name);
    return endpoint_of(text);
}

static struct os_sock *listener(const struct endpoint *at)
{
    struct os_sock *s = NULL;

    assert_int_equal(os_sock_listen(at, &s), 0);
    return s;
}

static struct os_stream *dial(const struct endpoint *to)
{
    struct os_target target = {.endpoint = to};
    struct os_stream *s = NULL;

    assert_int_equal(os_carrier_find("unix")->dial(&target, DIAL_MS, NULL, NULL, &s), 0);
    return s;
}

static void unix__connection__has_no_address(void **state)
{
    struct endpoint at = unix_endpoint("in");
    struct os_sock *l = listener(&at), *in = NULL, *second = NULL;
    struct os_stream *out = dial(&at);
    struct os_vec vec = {"hello", 5};
    struct address peer = {.family = ADDRESS_IPV4};
    struct stat st;
    char got[16];

    (void)state;
    assert_int_equal(stat(at.path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0666);
    assert_int_equal(os_sock_listen(&at, &second), ERR_IN_USE);
    assert_int_equal(os_sock_accept(l, &in, &peer), 0);
    assert_int_equal(peer.family, ADDRESS_NONE);
    assert_int_equal(out->ops->write(out, &vec, 1), 0);
    assert_int_equal(os_sock_read(in, got, sizeof got), 5);
    out->ops->close(out);
    assert_int_equal(os_sock_read(in, got, sizeof got), ERR_CLOSED);
    os_sock_close(in);
    os_sock_close(l);
    assert_int_equal(access(at.path, F_OK), -1);
}

static void unix__stale_file__is_replaced(void **state)
{
    struct endpoint at = unix_endpoint("stale");
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)state;
    snprintf(a.sun_path, sizeof a.sun_path, "%.100s", at.path);
    assert_int_equal(bind(fd, (const struct sockaddr *)&a, sizeof a), 0);
    close(fd);
    struct os_sock *l = listener(&at);
    os_sock_close(l);
}

/* The connection goes on waiting, and is there when a descriptor is. */
static void accept__no_descriptor_left__is_full_and_loses_nothing(void **state)
{
    struct endpoint at = unix_endpoint("in");
    struct os_sock *l = listener(&at), *in = NULL;
    struct os_stream *out = dial(&at);
    struct rlimit before, none;
    struct address peer;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int r = os_sock_accept(l, &in, &peer);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(r, ERR_FULL);
    assert_int_equal(os_sock_accept(l, &in, &peer), 0);
    os_sock_close(in);
    out->ops->close(out);
    os_sock_close(l);
}

/* Senders come until no more are taken: then there still are descriptors for others. */
static void accept__all_that_come__leaves_descriptors_for_others(void **state)
{
    enum { LIMIT = 64, RESERVED = LIMIT / 8 };
    struct endpoint at = unix_endpoint("in");
    struct os_sock *l = listener(&at), *in[LIMIT];
    struct os_stream *out[LIMIT];
    struct rlimit before, few;
    struct address peer;
    int accepted = 0, dialled = 0, left = 0, fds[LIMIT];

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = LIMIT;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    int r = 0;
    while (r == 0) {
        out[dialled++] = dial(&at);
        r = os_sock_accept(l, &in[accepted], &peer);
        accepted += r == 0;
    }
    assert_int_equal(r, ERR_FULL);
    assert_in_range(accepted, 10, LIMIT);
    while ((fds[left] = open("/dev/null", O_RDONLY)) >= 0)
        left++;
    assert_in_range(left, RESERVED - 1, RESERVED); /* the test's own end of the last is one */
    while (left > 0)
        close(fds[--left]);
    while (accepted > 0)
        os_sock_close(in[--accepted]);
    assert_int_equal(os_sock_accept(l, &in[0], &peer), 0);
    assert_int_equal(os_sock_accept(l, &in[1], &peer), ERR_AGAIN);
    os_sock_close(in[0]);
    for (int i = 0; i < dialled; i++)
        out[i]->ops->close(out[i]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    os_sock_close(l);
}

/* A reset is not an orderly end: what the sender wrote last may be lost. */
static void read__connection_is_reset__is_io(void **state)
{
    struct endpoint at = endpoint_of("tcp:127.0.0.1:0");
    struct os_sock *l = listener(&at), *in = NULL;
    struct linger reset = {.l_onoff = 1, .l_linger = 0};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(os_sock_port(l))};
    struct os_poll *p = NULL;
    struct address peer;
    char got[16];
    void *tag;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    (void)state;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(os_sock_accept(l, &in, &peer), 0);
    assert_int_equal(os_poll_new(&p), 0);
    assert_int_equal(os_poll_add(p, in, in), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset), 0);
    close(fd);
    assert_int_equal(os_poll_wait(p, &tag, 1, test_deadline()), 1);
    assert_int_equal(os_sock_read(in, got, sizeof got), ERR_IO);
    os_poll_remove(p, in);
    os_poll_free(p);
    os_sock_close(in);
    os_sock_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unix__connection__has_no_address),
        cmocka_unit_test(unix__stale_file__is_replaced),
        cmocka_unit_test(accept__all_that_come__leaves_descriptors_for_others),
        cmocka_unit_test(accept__no_descriptor_left__is_full_and_loses_nothing),
        cmocka_unit_test(read__connection_is_reset__is_io),
    };

    if (!mkdtemp(folder))
        return 1;
    return RUN_TESTS(tests) + (rmdir(folder) != 0);
}
