/* SPDX-License-Identifier: MIT */
/* hvsock_stream_test.c - streams of the Hyper-V carrier, against the habits of the real thing.
 */
#include "hvsock_rig.h"

#include "stream_suite.h"

enum { WRITE_MAX = 8 * 1024 };

/* ---- writing ----------------------------------------------------------------------------- */

static uint8_t octet_at(size_t i)
{
    return (uint8_t)(i * 7 + i / 251);
}

struct sink {
    struct os_stream *guest;
    uint8_t *data;
    size_t room, length;
    ptrdiff_t end;
};

static void *sink_run(void *arg)
{
    struct sink *sink = arg;

    sink->end = read_all(sink->guest, sink->data, sink->room, &sink->length);
    return NULL;
}

/* Pieces of many sizes, among them none at all, a frame's head and more than one write. */
static void assert_pieces_arrive(struct link *link)
{
    static const size_t lengths[] = {0, 1, 24, 3000, 8192, 0, 8193, 20000, 7, 1, 100000};
    struct os_vec vec[COUNT(lengths)];
    uint8_t *sent = malloc(200000), *got = malloc(200000);
    size_t total = 0;
    struct os_thread t;

    assert_non_null(sent);
    assert_non_null(got);
    for (size_t i = 0; i < COUNT(lengths); i++) {
        vec[i] = (struct os_vec){sent + total, lengths[i]};
        total += lengths[i];
    }
    for (size_t i = 0; i < total; i++)
        sent[i] = octet_at(i);
    struct sink sink = {.guest = link->guest, .data = got, .room = 200000};
    assert_int_equal(os_thread_start(&t, "sink", sink_run, &sink), 0);
    int r = link->host->ops->write(link->host, vec, COUNT(vec));
    link->host->ops->finish(link->host);
    os_thread_join(&t);
    assert_int_equal(r, 0);
    assert_int_equal(sink.end, ERR_CLOSED);
    assert_int_equal(sink.length, total);
    assert_memory_equal(got, sent, total);
    free(sent);
    free(got);
}

static void write__many_pieces__are_joined_to_writes_of_8_kib(void **state)
{
    struct link link = link_open();

    (void)state;
    assert_pieces_arrive(&link);
    assert_int_equal(hyperv_seen().longest_send, WRITE_MAX);
    link_close(&link);
}

static void write__system_takes_less__goes_on_with_the_rest(void **state)
{
    static const size_t takes[] = {777, 4088};

    (void)state;
    for (size_t i = 0; i < COUNT(takes); i++) {
        struct link link = link_open();
        habits((struct hyperv_habits){.send_max = takes[i]});
        assert_pieces_arrive(&link);
        link_close(&link);
        habits((struct hyperv_habits){0});
    }
}

/* ---- the end of the stream --------------------------------------------------------------- */

static const int ENDS[] = {HYPERV_CODE_NONE,        HYPERV_CODE_BROKEN_PIPE,
                           HYPERV_CODE_CONNABORTED, HYPERV_CODE_CONNRESET,
                           HYPERV_CODE_NOTCONN,     HYPERV_CODE_SHUTDOWN,
                           HYPERV_CODE_TIMEDOUT};

static void read__end_looks_like_an_error__is_closed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ENDS); i++) {
        struct link link = link_open();
        uint8_t data[16];
        size_t length;
        assert_int_equal(write_text(link.guest, "last words"), 0);
        habits((struct hyperv_habits){.end_is_error = true, .end_code = ENDS[i]});
        link.guest->ops->close(link.guest);
        link.guest = NULL;
        assert_int_equal(read_all(link.host, data, sizeof data, &length), ERR_CLOSED);
        assert_int_equal(length, 10);
        assert_true(link.host->ops->is_ended(link.host));
        link_close(&link);
        habits((struct hyperv_habits){0});
    }
}

static void write__connection_broke__is_closed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ENDS); i++) {
        struct link link = link_open();
        habits((struct hyperv_habits){.send_fails = true, .send_code = ENDS[i]});
        assert_int_equal(write_text(link.host, "x"), ERR_CLOSED);
        link_close(&link);
        habits((struct hyperv_habits){0});
    }
}

/* What the system lost it does not tell: the reader sees less, and an ordinary end. */
static void read__octets_lost_before_the_end__is_closed_with_fewer(void **state)
{
    (void)state;
    for (int is_error = 0; is_error < 2; is_error++) {
        struct link link = link_open();
        uint8_t data[64];
        size_t length;
        habits((struct hyperv_habits){
            .lost_after = 10, .end_is_error = is_error, .end_code = HYPERV_CODE_CONNRESET});
        assert_int_equal(write_text(link.guest, "arrives...never does"), 0);
        link.guest->ops->close(link.guest);
        link.guest = NULL;
        assert_int_equal(read_all(link.host, data, sizeof data, &length), ERR_CLOSED);
        assert_int_equal(length, 10);
        assert_memory_equal(data, "arrives...", 10);
        link_close(&link);
        habits((struct hyperv_habits){0});
    }
}

struct reading {
    struct os_stream *stream;
    ptrdiff_t result;
};

static void *read_run(void *arg)
{
    struct reading *r = arg;
    char text[8];

    r->result = r->stream->ops->read(r->stream, text, sizeof text);
    return NULL;
}

/* Looks alive and is not: writes succeed, nothing comes. Only our own cancel ends the read. */
static void link__goes_silent__ends_by_cancel(void **state)
{
    struct link link = link_open();
    struct reading r = {.stream = link.host};
    struct os_thread t;

    (void)state;
    habits((struct hyperv_habits){.is_silent = true});
    assert_int_equal(write_text(link.guest, "lost"), 0);
    assert_int_equal(write_text(link.host, "vanishes"), 0);
    assert_int_equal(os_thread_start(&t, "read", read_run, &r), 0);
    link.host->ops->cancel(link.host);
    os_thread_join(&t);
    assert_int_equal(r.result, ERR_CANCELED);
    assert_int_equal(write_text(link.host, "x"), ERR_CANCELED);
    link_close(&link);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(write__many_pieces__are_joined_to_writes_of_8_kib, setup),
        cmocka_unit_test_setup(write__system_takes_less__goes_on_with_the_rest, setup),
        cmocka_unit_test_setup(read__end_looks_like_an_error__is_closed, setup),
        cmocka_unit_test_setup(write__connection_broke__is_closed, setup),
        cmocka_unit_test_setup(read__octets_lost_before_the_end__is_closed_with_fewer, setup),
        cmocka_unit_test_setup(link__goes_silent__ends_by_cancel, setup),
    };
    const struct stream_place place = {"hvsock", "hvsock:5141", "hvsock:5141", VM};
    int failed = RUN_TESTS(tests);

    hyperv_reset(&VM);
    return failed + stream_suite_run(&place);
}
