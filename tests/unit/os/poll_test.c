/* SPDX-License-Identifier: MIT */
/* poll_test.c - many connections in one thread. */
#include "common/os/poll.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "common/os/stream.h"
#include "os_test.h"

enum {
    SHORT_MS = 30,
    WAKES = 20000,
    CONNECTIONS = 1500, /* each takes two descriptors of this process */
    TAGS = 64,
    DIAL_MS = 10 * 1000,
};

static struct os_sock *listener(const char *text)
{
    struct endpoint at = endpoint_of(text);
    struct os_sock *s = NULL;

    assert_int_equal(os_sock_listen(&at, &s), 0);
    assert_true(os_sock_port(s) != 0);
    return s;
}

static struct os_stream *dial(const char *text, const struct os_sock *to)
{
    struct endpoint at = endpoint_with_port(text, os_sock_port(to));
    struct os_target target = {.endpoint = &at};
    struct os_stream *s = NULL;

    assert_int_equal(os_carrier_find("tcp")->dial(&target, DIAL_MS, NULL, NULL, &s), 0);
    return s;
}

static void say(struct os_stream *s, const char *text)
{
    struct os_vec vec = {text, strlen(text)};

    assert_int_equal(s->ops->write(s, &vec, 1), 0);
}

static struct os_poll *poll_of(struct os_sock *s, void *tag)
{
    struct os_poll *p = NULL;

    assert_int_equal(os_poll_new(&p), 0);
    if (s)
        assert_int_equal(os_poll_add(p, s, tag), 0);
    return p;
}

static struct os_sock *accept_one(struct os_poll *p, struct os_sock *l,
                                  struct address *ret_peer)
{
    struct os_sock *s = NULL;
    void *tag = NULL;

    assert_int_equal(os_poll_wait(p, &tag, 1, test_deadline()), 1);
    assert_ptr_equal(tag, l);
    assert_int_equal(os_sock_accept(l, &s, ret_peer), 0);
    return s;
}

static void poll__one_connection__comes_speaks_and_ends(void **state)
{
    struct os_sock *l = listener("tcp:*:0");
    struct os_poll *p = poll_of(l, l);
    const char *from[] = {"tcp:127.0.0.1:1", "tcp:[::1]:1"};
    const char *ip[] = {"127.0.0.1", "::1"};
    char text[ADDRESS_TEXT_MAX], got[16];
    size_t count = has_ipv6() ? COUNT(from) : 1;
    void *tag = NULL;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        struct address peer = {0};
        struct os_sock *none = NULL;
        struct os_stream *out = dial(from[i], l);
        struct os_sock *in = accept_one(p, l, &peer);
        assert_string_equal(address_format_ip(&peer, text, sizeof text), ip[i]);
        assert_int_equal(os_sock_accept(l, &none, &peer), ERR_AGAIN);
        assert_int_equal(os_sock_read(in, got, sizeof got), ERR_AGAIN);
        assert_int_equal(os_poll_add(p, in, in), 0);
        say(out, "hello");
        assert_int_equal(os_poll_wait(p, &tag, 1, test_deadline()), 1);
        assert_ptr_equal(tag, in);
        assert_int_equal(os_sock_read(in, got, sizeof got), 5);
        say(out, "end");
        out->ops->close(out);
        assert_int_equal(os_poll_wait(p, &tag, 1, test_deadline()), 1);
        assert_int_equal(os_sock_read(in, got, sizeof got), 3);
        assert_int_equal(os_poll_wait(p, &tag, 1, test_deadline()), 1);
        assert_int_equal(os_sock_read(in, got, sizeof got), ERR_CLOSED);
        os_poll_remove(p, in);
        os_sock_close(in);
    }
    os_poll_remove(p, l);
    os_sock_close(l);
    os_poll_free(p);
}

static void sock__place_is_taken__second_one_is_in_use(void **state)
{
    struct os_sock *l = listener("tcp:127.0.0.1:0");
    struct endpoint at = endpoint_with_port("tcp:127.0.0.1:1", os_sock_port(l));
    struct os_sock *second = NULL;

    (void)state;
    assert_int_equal(os_sock_listen(&at, &second), ERR_IN_USE);
    assert_null(second);
    os_sock_close(l);
}

static void sock__foreign_address__cannot_be_bound(void **state)
{
    struct endpoint at = endpoint_of("tcp:192.0.2.1:0"); /* RFC 5737 */
    struct os_sock *l = NULL;

    (void)state;
    assert_int_equal(os_sock_listen(&at, &l), ERR_NOT_FOUND);
    assert_null(l);
}

static void poll__nothing_happens__deadline_passes(void **state)
{
    struct os_sock *l = listener("tcp:127.0.0.1:0");
    struct os_poll *p = poll_of(l, l);
    uint64_t deadline = os_clock_ms() + SHORT_MS;
    void *tag;

    (void)state;
    assert_int_equal(os_poll_wait(p, &tag, 1, 0), 0);
    assert_int_equal(os_poll_wait(p, &tag, 1, deadline), 0);
    assert_true(os_clock_ms() >= deadline);
    os_poll_remove(p, l);
    os_sock_close(l);
    os_poll_free(p);
}

static void poll__woken_before_the_wait__returns_once(void **state)
{
    struct os_poll *p = poll_of(NULL, NULL);
    uint64_t deadline = os_clock_ms() + SHORT_MS;
    void *tag;

    (void)state;
    os_poll_wake(p);
    os_poll_wake(p);
    assert_int_equal(os_poll_wait(p, &tag, 1, OS_NEVER), 0);
    assert_int_equal(os_poll_wait(p, &tag, 1, deadline), 0);
    assert_true(os_clock_ms() >= deadline);
    os_poll_free(p);
}

/* Each side goes on only when the other has seen its last step, so one lost wake-up stops
 * both. */
struct wakes {
    struct os_poll *there;
    struct os_poll *back;
    atomic_int asked;
    atomic_int answered;
};

static void *answer_run(void *arg)
{
    struct wakes *w = arg;
    void *tag;

    for (int i = 1; i <= WAKES; i++) {
        while (atomic_load(&w->asked) < i)
            os_poll_wait(w->there, &tag, 1, OS_NEVER);
        atomic_store(&w->answered, i);
        os_poll_wake(w->back);
    }
    return NULL;
}

static void poll__woken_by_another_thread__is_never_lost(void **state)
{
    struct wakes w = {.there = poll_of(NULL, NULL), .back = poll_of(NULL, NULL)};
    uint64_t limit = test_deadline();
    struct os_thread t;
    int answered = 0;
    void *tag;

    (void)state;
    assert_int_equal(os_thread_start(&t, "answer", answer_run, &w), 0);
    for (int i = 1; i <= WAKES && answered == i - 1; i++) {
        atomic_store(&w.asked, i);
        os_poll_wake(w.there);
        while ((answered = atomic_load(&w.answered)) < i && os_clock_ms() < limit)
            os_poll_wait(w.back, &tag, 1, limit);
    }
    assert_int_equal(answered, WAKES);
    os_thread_join(&t);
    os_poll_free(w.there);
    os_poll_free(w.back);
}

static void poll__paused__is_silent_until_resumed(void **state)
{
    struct os_sock *l = listener("tcp:127.0.0.1:0");
    struct os_poll *p = poll_of(l, l);
    struct os_stream *out = dial("tcp:127.0.0.1:1", l);
    struct address peer;
    struct os_sock *in = accept_one(p, l, &peer);
    uint64_t deadline = os_clock_ms() + SHORT_MS;
    char got[16];
    void *tag;

    (void)state;
    assert_int_equal(os_poll_add(p, in, in), 0);
    os_poll_pause(p, in, true);
    say(out, "not yet");
    out->ops->close(out); /* data and end, both are to wait */
    assert_int_equal(os_poll_wait(p, &tag, 1, deadline), 0);
    assert_true(os_clock_ms() >= deadline);
    os_poll_pause(p, in, false);
    assert_int_equal(os_poll_wait(p, &tag, 1, test_deadline()), 1);
    assert_ptr_equal(tag, in);
    assert_int_equal(os_sock_read(in, got, sizeof got), 7);
    os_poll_remove(p, in);
    os_sock_close(in);
    os_poll_remove(p, l);
    os_sock_close(l);
    os_poll_free(p);
}

static void poll__removed__is_silent_and_may_be_added_again(void **state)
{
    struct os_sock *l = listener("tcp:127.0.0.1:0");
    struct os_poll *p = poll_of(l, l);
    struct os_stream *out = dial("tcp:127.0.0.1:1", l);
    void *tag;

    (void)state;
    os_poll_remove(p, l);
    assert_int_equal(os_poll_wait(p, &tag, 1, os_clock_ms() + SHORT_MS), 0);
    assert_int_equal(os_poll_add(p, l, out), 0);
    assert_int_equal(os_poll_wait(p, &tag, 1, test_deadline()), 1);
    assert_ptr_equal(tag, out);
    os_poll_remove(p, l);
    out->ops->close(out);
    os_sock_close(l);
    os_poll_free(p);
}

/* Every connection is there at once, speaks, and is heard exactly once. */
static void poll__many_connections__are_all_heard(void **state)
{
    struct os_sock *l = listener("tcp:127.0.0.1:0");
    struct os_poll *p = poll_of(NULL, NULL);
    struct os_stream **out = calloc(CONNECTIONS, sizeof *out);
    struct os_sock **in = calloc(CONNECTIONS, sizeof *in);
    bool *is_heard = calloc(CONNECTIONS, sizeof *is_heard);
    void *tags[TAGS];
    char got[16];
    int heard = 0;

    (void)state;
    assert_true(out && in && is_heard);
    for (int i = 0; i < CONNECTIONS; i++) {
        struct address peer;
        uint64_t limit = test_deadline();
        int r;
        out[i] = dial("tcp:127.0.0.1:1", l);
        do
            r = os_sock_accept(l, &in[i], &peer);
        while (r == ERR_AGAIN && os_clock_ms() < limit);
        assert_int_equal(r, 0);
        assert_int_equal(os_poll_add(p, in[i], &is_heard[i]), 0);
    }
    for (int i = 0; i < CONNECTIONS; i++)
        say(out[i], "here");
    while (heard < CONNECTIONS) {
        int n = os_poll_wait(p, tags, TAGS, test_deadline());
        assert_in_range(n, 1, TAGS);
        for (int i = 0; i < n; i++, heard++) {
            bool *mine = tags[i];
            assert_false(*mine);
            *mine = true;
            assert_int_equal(os_sock_read(in[mine - is_heard], got, sizeof got), 4);
        }
    }
    for (int i = 0; i < CONNECTIONS; i++) {
        os_poll_remove(p, in[i]);
        os_sock_close(in[i]);
        out[i]->ops->close(out[i]);
    }
    free(out);
    free(in);
    free(is_heard);
    os_sock_close(l);
    os_poll_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poll__one_connection__comes_speaks_and_ends),
        cmocka_unit_test(sock__place_is_taken__second_one_is_in_use),
        cmocka_unit_test(sock__foreign_address__cannot_be_bound),
        cmocka_unit_test(poll__nothing_happens__deadline_passes),
        cmocka_unit_test(poll__woken_before_the_wait__returns_once),
        cmocka_unit_test(poll__woken_by_another_thread__is_never_lost),
        cmocka_unit_test(poll__paused__is_silent_until_resumed),
        cmocka_unit_test(poll__removed__is_silent_and_may_be_added_again),
        cmocka_unit_test(poll__many_connections__are_all_heard),
    };

    return RUN_TESTS(tests);
}
