/* SPDX-License-Identifier: MIT */
/* status_test.c - a snapshot made by hand, as JSON and as text. */
#include "common/bridge/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/os/clock.h"

enum { SINCE_US = 1500000000, PEER_US = 1600000000 };

static char since[OS_CLOCK_TEXT_MAX], peer_since[OS_CLOCK_TEXT_MAX];

static void fill_input(struct status_input *in)
{
    (void)snprintf(in->name, sizeof(in->name), "lan");
    (void)snprintf(in->listen, sizeof(in->listen), "udp:*:514");
    counter_set(&in->counters.received, 12);
    counter_set(&in->counters.received_bytes, 3482);
    counter_set(&in->counters.dropped_queue_full, 1);
    counter_set(&in->counters.dropped_not_allowed, 4);
    counter_set(&in->counters.flagged_truncated, 2);
    counter_set(&in->counters.kernel_dropped, 5);
    counter_set(&in->counters.framing_padding, 6);
}

static void fill_output(struct status_output *out)
{
    (void)snprintf(out->name, sizeof(out->name), "net");
    (void)snprintf(out->to, sizeof(out->to), "tcp:192.0.2.9:601");
    (void)snprintf(out->error, sizeof(out->error), "refused\x1b");
    counter_set(&out->counters.delivered, 3);
    counter_set(&out->counters.delivered_bytes, 99);
    counter_set(&out->counters.retried, 7);
    counter_set(&out->counters.dropped_too_large, 1);
}

static void fill_link(struct link_status *l)
{
    l->state = "up";
    l->reconnects = 1;
    l->peer_count = 1;
    l->peers[0] = (struct link_peer_status){
        .name = "wsl",
        .address = "cid 3",
        .since_wall_us = PEER_US,
        .rtt_us = 123,
        .sent_records = 10,
        .sent_bytes = 2048,
        .received_records = 4,
        .received_bytes = 100,
    };
}

/* One of everything. free() it. */
static struct status *make_status(void)
{
    struct status *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    s->program = "hvlog-relay";
    s->version = "9.8.7";
    (void)snprintf(s->node, sizeof(s->node), "pc \"1\"");
    (void)snprintf(s->config_file, sizeof(s->config_file), "relay.conf");
    s->since_wall_us = SINCE_US;
    (void)snprintf(s->link_address, sizeof(s->link_address), "hvsock:5140");
    s->link_role = "listen";
    (void)snprintf(s->vm_id, sizeof(s->vm_id), "00112233-4455-6677-8899-aabbccddeeff");
    fill_link(&s->link);
    s->out = (struct queue_books){.received = 12,
                                  .delivered = 10,
                                  .held = 2,
                                  .memory_batches = 1,
                                  .memory_bytes = 300,
                                  .memory = 2048,
                                  .memory_limit = 64 * 1024 * 1024};
    s->in = (struct queue_books){.received = 4, .delivered = 3, .memory_limit = 4194304};
    s->input_count = 1;
    fill_input(&s->inputs[0]);
    s->output_count = 1;
    fill_output(&s->outputs[0]);
    os_clock_local_text(SINCE_US, since, sizeof(since));
    os_clock_local_text(PEER_US, peer_since, sizeof(peer_since));
    return s;
}

static void status_json__snapshot__has_stable_names_and_order(void **state)
{
    struct status *s = make_status();
    struct text json;
    char expected[4096];
    (void)state;
    (void)snprintf(
        expected, sizeof(expected),
        "{\"program\":\"hvlog-relay\",\"version\":\"9.8.7\",\"node\":\"pc \\\"1\\\"\","
        "\"since\":\"%s\",\"config\":\"relay.conf\","
        "\"link\":{\"state\":\"up\",\"address\":\"hvsock:5140\",\"role\":\"listen\","
        "\"peer\":\"wsl\",\"vm_id\":\"00112233-4455-6677-8899-aabbccddeeff\",\"rtt_us\":123,"
        "\"since\":\"%s\",\"error\":null,\"reconnects\":1,\"refused\":0,"
        "\"peers\":[{\"name\":\"wsl\",\"address\":\"cid 3\",\"since\":\"%s\",\"rtt_us\":123,"
        "\"sent\":10,\"sent_bytes\":2048,\"received\":4,\"received_bytes\":100}]},"
        "\"inputs\":{\"lan\":{\"listen\":\"udp:*:514\",\"received\":12,\"received_bytes\":3482,"
        "\"dropped\":{\"queue_full\":1,\"no_memory\":0,\"empty\":0,\"not_allowed\":4,\"connections\":0},"
        "\"flagged\":{\"truncated\":2,\"unterminated\":0,\"desync\":0},"
        "\"kernel_dropped\":5,\"connections\":0,\"connections_total\":0,"
        "\"framing\":{\"framing_padding\":6,\"framing_desync\":0,\"frame_too_large\":0,"
        "\"frame_incomplete\":0,\"truncated\":0,\"bad_pri\":0,\"tls_on_plain\":0,"
        "\"foreign_protocol\":0}}},"
        "\"queue\":{\"memory\":{\"records\":2,\"bytes\":300,"
        "\"out\":{\"records\":2,\"batches\":1,\"bytes\":300,\"used\":2048,\"limit\":67108864},"
        "\"in\":{\"records\":0,\"batches\":0,\"bytes\":0,\"used\":0,\"limit\":4194304}}},"
        "\"outputs\":{\"net\":{\"to\":\"tcp:192.0.2.9:601\",\"state\":\"away\","
        "\"error\":\"refused\\u001b\",\"delivered\":3,\"delivered_bytes\":99,\"retried\":7,"
        "\"dropped\":{\"too_large\":1},\"truncated\":0,\"nul_escaped\":0,\"reopened\":0}},"
        "\"balance\":{"
        "\"out\":{\"received\":12,\"delivered\":10,\"dropped\":0,\"held\":2,\"ok\":true},"
        "\"in\":{\"received\":4,\"delivered\":3,\"dropped\":0,\"held\":0,\"ok\":false}}}",
        since, peer_since, peer_since);
    text_init(&json, 65536);
    status_json(s, &json);
    assert_int_equal(text_err(&json), 0);
    assert_string_equal(text_string(&json), expected);
    text_release(&json);
    status_free(s);
}

static void status_json__no_peer__has_nulls(void **state)
{
    struct status *s = make_status();
    struct text json;
    (void)state;
    s->link.peer_count = 0;
    s->link.state = "waiting";
    s->vm_id[0] = '\0';
    (void)snprintf(s->link.last_error, sizeof(s->link.last_error), "refused");
    text_init(&json, 65536);
    status_json(s, &json);
    assert_non_null(strstr(text_string(&json),
                           "\"peer\":null,\"vm_id\":null,\"rtt_us\":null,\"since\":null,"
                           "\"error\":\"refused\","));
    assert_non_null(strstr(text_string(&json), "\"peers\":[]}"));
    text_release(&json);
    status_free(s);
}

static void status_text__snapshot__is_for_people(void **state)
{
    struct status *s = make_status();
    struct text text;
    char expected[4096];
    (void)state;
    (void)snprintf(
        expected, sizeof(expected),
        "hvlog-relay 9.8.7 on pc \"1\", since %s\n"
        "config  relay.conf\n"
        "link    up, listen hvsock:5140, VM 00112233-4455-6677-8899-aabbccddeeff\n"
        "        reconnected 1, refused 0\n"
        "        wsl at cid 3, since %s\n"
        "          sent 10 (2.0 KiB), received 4 (100 B), round trip 123 us\n"
        "input   lan udp:*:514\n"
        "          received 12 (3.4 KiB), kernel_dropped 5\n"
        "          dropped: queue_full 1, not_allowed 4\n"
        "          flagged: truncated 2\n"
        "          framing: framing_padding 6\n"
        "queue   out, from inputs to link: held 2, memory 2.0 KiB of 64.0 MiB\n"
        "          balance ok: received 12 = delivered 10 + dropped 0 + held 2\n"
        "output  net tcp:192.0.2.9:601, away\n"
        "          refused\\x1b\n"
        "          delivered 3 (99 B), retried 7\n"
        "          dropped: too_large 1\n"
        "queue   in, from link to outputs: held 0, memory 0 B of 4.0 MiB\n"
        "          balance WRONG: received 4 is not delivered 3 + dropped 0 + held 0\n",
        since, peer_since);
    text_init(&text, 65536);
    status_text(s, &text);
    assert_int_equal(text_err(&text), 0);
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
    status_free(s);
}

static void status_text__lines__fit_80_columns(void **state)
{
    struct status *s = make_status();
    struct text text;
    (void)state;
    text_init(&text, 65536);
    status_text(s, &text);
    for (const char *at = text_string(&text); *at != '\0';) {
        size_t length = strcspn(at, "\n");
        assert_true(length <= 80);
        at += length + 1;
    }
    text_release(&text);
    status_free(s);
}

static void status__every_counter__is_in_a_table(void **state)
{
    (void)state;
    /* is_up is the state, not a counter. */
    assert_int_equal(STATUS_INPUT_COUNTERS * sizeof(struct counter),
                     sizeof(struct input_counters));
    assert_int_equal((STATUS_OUTPUT_COUNTERS + 1) * sizeof(struct counter),
                     sizeof(struct output_counters));
}

static void status__books__balance_only_when_they_add_up(void **state)
{
    (void)state;
    assert_true(status_is_balanced(&(const struct queue_books){0}));
    assert_true(status_is_balanced(
        &(const struct queue_books){.received = 6, .delivered = 1, .dropped = 2, .held = 3}));
    assert_false(status_is_balanced(
        &(const struct queue_books){.received = 6, .delivered = 1, .dropped = 2, .held = 2}));
    assert_false(status_is_balanced(
        &(const struct queue_books){.received = 6, .delivered = 1, .dropped = 2, .held = 4}));
}

/* Where the system does not count what it drops, 0 would claim that nothing was lost. */
static void status__unknown_kernel_drops__are_not_shown_as_none(void **state)
{
    struct status *s = make_status();
    struct text text;
    (void)state;
    counter_set(&s->inputs[0].counters.kernel_dropped, COUNTER_UNKNOWN);
    text_init(&text, 65536);
    status_json(s, &text);
    assert_non_null(strstr(text_string(&text), "\"kernel_dropped\":null,"));
    text_clear(&text);
    status_text(s, &text);
    assert_non_null(strstr(text_string(&text), ", kernel_dropped unknown\n"));
    text_release(&text);
    status_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_json__snapshot__has_stable_names_and_order),
        cmocka_unit_test(status_json__no_peer__has_nulls),
        cmocka_unit_test(status_text__snapshot__is_for_people),
        cmocka_unit_test(status_text__lines__fit_80_columns),
        cmocka_unit_test(status__every_counter__is_in_a_table),
        cmocka_unit_test(status__books__balance_only_when_they_add_up),
        cmocka_unit_test(status__unknown_kernel_drops__are_not_shown_as_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
