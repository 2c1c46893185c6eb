/* SPDX-License-Identifier: MIT */
/* stream_linux_test.c - the suite over unix sockets, and what only Linux's carriers do. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/os/stream.h"
#include "os_test.h"
#include "stream_suite.h"

enum {
    DIAL_MS = 10 * 1000,
    SHORT_MS = 300,
    LONG_MS = 60 * 1000,
    FILLERS_MAX = 64, /* connections that fill the backlog of one or two */
};

static char folder[] = "/tmp/hvlog-stream-XXXXXX";
static char listen_text[128];
static char control_text[128];

/* Whatever the umask, the modes are those of the contract. */
static int folder_setup(void **state)
{
    (void)state;
    umask(077);
    return 0;
}

static const char *path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static struct endpoint unix_endpoint(const char *name)
{
    char text[160];

    snprintf(text, sizeof text, "unix:%s", path_of(name));
    return endpoint_of(text);
}

static int listen_at(const char *scheme, const char *name, struct os_listener **ret)
{
    struct endpoint at = unix_endpoint(name);
    struct os_target target = {.endpoint = &at};

    return os_carrier_find(scheme)->listen(&target, ret);
}

static int dial_at(const struct endpoint *to, unsigned timeout_ms, bool (*is_canceled)(void *),
                   void *arg, struct os_stream **ret)
{
    struct os_target target = {.endpoint = to};

    return os_carrier_find(to->kind == ENDPOINT_TCP ? "tcp" : "unix")
        ->dial(&target, timeout_ms, is_canceled, arg, ret);
}

static bool exists(const char *name)
{
    struct stat st;

    return lstat(path_of(name), &st) == 0;
}

static unsigned mode_of(const char *name)
{
    struct stat st = {0};

    assert_int_equal(lstat(path_of(name), &st), 0);
    return st.st_mode & 07777;
}

static struct sockaddr_un unix_address(const char *name)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    const char *path = path_of(name);

    assert_true(strlen(path) < sizeof a.sun_path);
    memcpy(a.sun_path, path, strlen(path) + 1);
    return a;
}

/* ---- the socket's file ------------------------------------------------------------------- */

/* A program that was killed leaves its socket's file. */
static void leave_stale(const char *name, int type)
{
    struct sockaddr_un a = unix_address(name);
    int fd = socket(AF_UNIX, type, 0);

    assert_int_equal(bind(fd, (const struct sockaddr *)&a, sizeof a), 0);
    close(fd);
    assert_true(exists(name));
}

static void unix__stale_file__is_replaced_and_goes_at_close(void **state)
{
    const int types[] = {SOCK_STREAM, SOCK_DGRAM};
    struct os_listener *l = NULL;

    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        leave_stale("stale", types[i]);
        assert_int_equal(listen_at("unix", "stale", &l), 0);
        l->ops->close(l);
        assert_false(exists("stale"));
    }
}

static void unix__live_socket_of_any_type__is_in_use(void **state)
{
    struct sockaddr_un a = unix_address("live");
    struct os_listener *l = NULL;
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    (void)state;
    assert_int_equal(bind(fd, (const struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen_at("unix", "live", &l), ERR_IN_USE);
    assert_null(l);
    assert_true(exists("live"));
    close(fd);
    unlink(path_of("live"));
}

static void unix__something_else_is_there__is_in_use_and_stays(void **state)
{
    struct os_listener *l = NULL;
    int fd = open(path_of("file"), O_CREAT | O_WRONLY, 0600);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(listen_at("unix", "file", &l), ERR_IN_USE);
    assert_true(exists("file"));
    unlink(path_of("file"));
}

static void unix__file_is_a_successors__it_stays(void **state)
{
    struct os_listener *first = NULL, *second = NULL;

    (void)state;
    assert_int_equal(listen_at("unix", "shared", &first), 0);
    assert_int_equal(unlink(path_of("shared")), 0);
    assert_int_equal(listen_at("unix", "shared", &second), 0);
    first->ops->close(first);
    assert_true(exists("shared"));
    second->ops->close(second);
    assert_false(exists("shared"));
}

static void unix__no_folder__is_not_found(void **state)
{
    struct os_listener *l = NULL;

    (void)state;
    assert_int_equal(listen_at("unix", "none/socket", &l), ERR_NOT_FOUND);
    assert_null(l);
}

static void unix__nobody_there__tells_why(void **state)
{
    struct endpoint none = unix_endpoint("nothing"), stale = unix_endpoint("stale");
    struct os_stream *s = NULL;

    (void)state;
    assert_int_equal(dial_at(&none, DIAL_MS, NULL, NULL, &s), ERR_NOT_FOUND);
    leave_stale("stale", SOCK_STREAM);
    assert_int_equal(dial_at(&stale, DIAL_MS, NULL, NULL, &s), ERR_REFUSED);
    unlink(path_of("stale"));
    assert_null(s);
}

static void control__folder_is_missing__is_made_and_both_are_private(void **state)
{
    struct os_listener *l = NULL;

    (void)state;
    assert_int_equal(listen_at("control", "own/socket", &l), 0);
    assert_int_equal(mode_of("own/socket"), 0600);
    /* Under the umask of this test; without it a service's folder is 0755. */
    assert_int_equal(mode_of("own"), 0700);
    l->ops->close(l);
    rmdir(path_of("own"));
}

static void control__folder_is_open_to_others__is_no_place(void **state)
{
    struct os_listener *l = NULL;

    (void)state;
    assert_int_equal(mkdir(path_of("open"), 0700), 0);
    assert_int_equal(chmod(path_of("open"), 0777), 0);
    assert_int_equal(listen_at("control", "open/socket", &l), ERR_ACCESS);
    assert_null(l);
    rmdir(path_of("open"));
}

static void control__peer__is_this_process(void **state)
{
    const struct stream_place place = {"control", control_text, control_text, {0}};
    struct stream_pair pair = stream_pair_open(&place);
    char expected[64];

    (void)state;
    snprintf(expected, sizeof expected, "pid %ld uid %lu", (long)getpid(),
             (unsigned long)geteuid());
    assert_string_equal(pair.accepted->peer, expected);
    assert_string_equal(pair.dialed->peer, expected);
    stream_pair_close(&pair);
}

/* ---- dialing somebody who does not answer ------------------------------------------------ */

/* A listener whose backlog is full: for TCP the kernel drops what comes then, so that a dial
 * waits; a unix socket makes the dialer wait. */
struct silence {
    int listener;
    int fillers[FILLERS_MAX];
    size_t count;
};

static struct endpoint silence_tcp(struct silence *q)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof a;

    *q = (struct silence){.listener = socket(AF_INET, SOCK_STREAM, 0)};
    assert_int_equal(bind(q->listener, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(q->listener, 0), 0);
    assert_int_equal(getsockname(q->listener, (struct sockaddr *)&a, &length), 0);
    /* A backlog of 0 has room for one; it is taken when the listener is readable. */
    q->fillers[q->count++] = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(q->fillers[0], (struct sockaddr *)&a, sizeof a), 0);
    struct pollfd p = {.fd = q->listener, .events = POLLIN};
    assert_int_equal(poll(&p, 1, TEST_LIMIT_MS), 1);
    return endpoint_with_port("tcp:127.0.0.1:1", ntohs(a.sin_port));
}

static struct endpoint silence_unix(struct silence *q)
{
    struct sockaddr_un a = unix_address("silent");

    *q = (struct silence){.listener = socket(AF_UNIX, SOCK_STREAM, 0)};
    assert_int_equal(bind(q->listener, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(q->listener, 0), 0);
    bool is_full = false;
    while (!is_full) {
        assert_true(q->count < FILLERS_MAX);
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        assert_true(fd >= 0);
        is_full = connect(fd, (struct sockaddr *)&a, sizeof a) < 0 && errno == EAGAIN;
        q->fillers[q->count++] = fd;
    }
    return unix_endpoint("silent");
}

static void silence_end(struct silence *q)
{
    for (size_t i = 0; i < q->count; i++)
        close(q->fillers[i]);
    close(q->listener);
    unlink(path_of("silent"));
}

static void assert_dial_times_out(const struct endpoint *to)
{
    struct os_stream *s = NULL;
    uint64_t begin = os_clock_ms();

    assert_int_equal(dial_at(to, SHORT_MS, NULL, NULL, &s), ERR_TIMEOUT);
    assert_in_range(os_clock_ms() - begin, SHORT_MS, TEST_LIMIT_MS);
    assert_null(s);
}

static void dial__silence__times_out(void **state)
{
    struct silence q;
    struct endpoint to;

    (void)state;
    to = silence_tcp(&q);
    assert_dial_times_out(&to);
    silence_end(&q);
    to = silence_unix(&q);
    assert_dial_times_out(&to);
    silence_end(&q);
}

static bool is_asked_three_times(void *arg)
{
    return ++*(int *)arg >= 3;
}

static void assert_dial_is_canceled(const struct endpoint *to)
{
    struct os_stream *s = NULL;
    uint64_t begin = os_clock_ms();
    int asked = 0;

    assert_int_equal(dial_at(to, LONG_MS, is_asked_three_times, &asked, &s), ERR_CANCELED);
    assert_int_equal(asked, 3);
    assert_in_range(os_clock_ms() - begin, 0, TEST_LIMIT_MS);
    assert_null(s);
}

static void dial__canceled_while_it_waits__ends(void **state)
{
    struct silence q;
    struct endpoint to;

    (void)state;
    to = silence_tcp(&q);
    assert_dial_is_canceled(&to);
    silence_end(&q);
    to = silence_unix(&q);
    assert_dial_is_canceled(&to);
    silence_end(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unix__stale_file__is_replaced_and_goes_at_close),
        cmocka_unit_test(unix__live_socket_of_any_type__is_in_use),
        cmocka_unit_test(unix__something_else_is_there__is_in_use_and_stays),
        cmocka_unit_test(unix__file_is_a_successors__it_stays),
        cmocka_unit_test(unix__no_folder__is_not_found),
        cmocka_unit_test(unix__nobody_there__tells_why),
        cmocka_unit_test(control__folder_is_missing__is_made_and_both_are_private),
        cmocka_unit_test(control__folder_is_open_to_others__is_no_place),
        cmocka_unit_test(control__peer__is_this_process),
        cmocka_unit_test(dial__silence__times_out),
        cmocka_unit_test(dial__canceled_while_it_waits__ends),
    };

    if (os_process_startup() != 0 || !mkdtemp(folder))
        return 1;
    snprintf(listen_text, sizeof listen_text, "unix:%s/link", folder);
    snprintf(control_text, sizeof control_text, "unix:%s/control", folder);
    const struct stream_place link = {"unix", listen_text, listen_text, {0}};
    const struct stream_place control = {"control", control_text, control_text, {0}};
    int failed = cmocka_run_group_tests(tests, folder_setup, NULL);
    failed += stream_suite_run(&link) + stream_suite_run(&control);
    return failed + (rmdir(folder) != 0);
}
