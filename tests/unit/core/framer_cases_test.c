/* SPDX-License-Identifier: MIT */
/* framer_cases_test.c - every case of tests/cases/framing.json, whole and cut at each place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/core/datagram.h"
#include "common/core/handover.h"
#include "common/core/record.h"
#include "tests/support/framer_capture.h"
#include "tests/support/json_reader.h"

/* A field of a variant stands before the same field of its case. */
struct scene {
    const struct json_value *base;
    const struct json_value *variant; /* or NULL */
    const char *id;
};

struct octets {
    uint8_t *data;
    size_t length;
};

/* Counters of a run under the names of the file. */
struct tally {
    struct framer_counters framer;
    uint64_t nul_escaped;
    uint64_t proxy_bad;
};

static const struct {
    const char *name;
    size_t offset;
} tally_names[] = {
    {"framing_padding", offsetof(struct tally, framer.framing_padding)},
    {"framing_desync", offsetof(struct tally, framer.framing_desync)},
    {"frame_too_large", offsetof(struct tally, framer.frame_too_large)},
    {"frame_incomplete", offsetof(struct tally, framer.frame_incomplete)},
    {"truncated", offsetof(struct tally, framer.truncated)},
    {"empty", offsetof(struct tally, framer.empty)},
    {"bad_pri", offsetof(struct tally, framer.bad_pri)},
    {"nul_escaped", offsetof(struct tally, nul_escaped)},
    {"tls_on_plain", offsetof(struct tally, framer.tls_on_plain)},
    {"foreign_protocol", offsetof(struct tally, framer.foreign_protocol)},
    {"proxy_bad", offsetof(struct tally, proxy_bad)},
};
enum {
    TALLY_NAMES = sizeof(tally_names) / sizeof(tally_names[0]),
    NAME_OCTETS = 160, /* of a test: a longer title is cut */
};

static const struct json_value *field(const struct scene *s, const char *name)
{
    const struct json_value *v = json_member(s->variant, name);

    if (v != NULL)
        return v;
    if (s->variant != NULL && strcmp(name, "orig_len") == 0)
        return NULL; /* of a variant: all null, if not given */
    return json_member(s->base, name);
}

static uint8_t nibble(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void append_hex(struct octets *o, const char *hex)
{
    size_t n = strlen(hex) / 2;

    o->data = realloc(o->data, o->length + n + 1);
    assert_non_null(o->data);
    for (size_t i = 0; i < n; i++)
        o->data[o->length++] = (uint8_t)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
}

static struct framer_options options_of(const struct scene *s)
{
    static const char *const framings[] = {
        [FRAMING_AUTO] = "auto",
        [FRAMING_OCTET] = "octet",
        [FRAMING_LINE] = "line",
        [FRAMING_NUL] = "nul",
    };
    const struct json_value *given = field(s, "options");
    struct framer_options o = {.framing = FRAMING_AUTO, .max_message = MESSAGE_MAX_DEFAULT};

    for (const struct json_value *v = given != NULL ? given->child : NULL; v; v = v->next) {
        if (strcmp(v->name, "max_message") == 0) {
            o.max_message = (uint32_t)v->number;
        } else if (strcmp(v->name, "max_frame") == 0) {
            o.max_frame = (uint32_t)v->number;
        } else if (strcmp(v->name, "multi_line") == 0) {
            o.multi_line = v->kind == JSON_STRING ? strcmp(v->text, "yes") == 0 : v->number;
        } else if (strcmp(v->name, "framing") == 0) {
            int i = 0;
            while (i <= FRAMING_NUL && strcmp(v->text, framings[i]) != 0)
                i++;
            assert_in_range(i, FRAMING_AUTO, FRAMING_NUL);
            o.framing = (enum framing)i;
        } else {
            fail_msg("%s: unknown option %s", s->id, v->name);
        }
    }
    return o;
}

static void expect_tally(const struct scene *s, const struct json_value *want,
                         const struct tally *got)
{
    for (size_t i = 0; i < TALLY_NAMES; i++) {
        const struct json_value *v = json_member(want, tally_names[i].name);
        uint64_t number;
        memcpy(&number, (const uint8_t *)got + tally_names[i].offset, sizeof(number));
        if (number != (v != NULL ? v->number : 0))
            fail_msg("%s: counter %s is %u", s->id, tally_names[i].name, (unsigned)number);
    }
    for (const struct json_value *v = want != NULL ? want->child : NULL; v; v = v->next) {
        size_t i = 0;
        while (i < TALLY_NAMES && strcmp(v->name, tally_names[i].name) != 0)
            i++;
        if (i == TALLY_NAMES)
            fail_msg("%s: unknown counter %s", s->id, v->name);
    }
}

static uint16_t flags_of(const struct json_value *list)
{
    uint16_t flags = 0;

    for (const struct json_value *v = list->child; v != NULL; v = v->next) {
        if (strcmp(v->text, "truncated") == 0)
            flags |= RECORD_TRUNCATED;
        else if (strcmp(v->text, "unterminated") == 0)
            flags |= RECORD_UNTERMINATED;
        else if (strcmp(v->text, "desync") == 0)
            flags |= RECORD_DESYNC;
        else
            fail_msg("unknown flag %s", v->text);
    }
    return flags;
}

static void expect_message(const struct scene *s, const struct captured *m,
                           const uint8_t *octets, const struct octets *want, uint16_t flags,
                           const struct json_value *orig)
{
    uint32_t orig_length =
        orig != NULL && orig->kind == JSON_NUMBER ? (uint32_t)orig->number : m->length;

    if (memchr(want->data, '\n', want->length) || memchr(want->data, '\0', want->length))
        flags |= RECORD_BINARY;
    if (m->length != want->length || memcmp(octets, want->data, want->length) != 0)
        fail_msg("%s: another message of %u octets", s->id, m->length);
    if (m->flags != flags)
        fail_msg("%s: flags %u, not %u", s->id, m->flags, flags);
    if (m->orig_length != orig_length)
        fail_msg("%s: orig_length %u, not %u", s->id, m->orig_length, orig_length);
}

static void expect_capture(const struct scene *s, const struct capture *c)
{
    const struct json_value *want = field(s, "expect_hex")->child;
    const struct json_value *flags = field(s, "flags")->child;
    const struct json_value *orig_list = field(s, "orig_len");
    const struct json_value *orig = orig_list != NULL ? orig_list->child : NULL;
    const struct json_value *closed = field(s, "closed");

    if (json_count(field(s, "expect_hex")) != c->count)
        fail_msg("%s: %u messages", s->id, (unsigned)c->count);
    for (size_t i = 0; i < c->count; i++, want = want->next, flags = flags->next) {
        struct octets o = {0};
        append_hex(&o, want->text);
        expect_message(s, &c->messages[i], c->octets + c->messages[i].offset, &o,
                       flags_of(flags), orig);
        orig = orig != NULL ? orig->next : NULL;
        free(o.data);
    }
    if (c->is_closed != (closed != NULL && closed->number != 0))
        fail_msg("%s: closed is %d", s->id, c->is_closed);
    expect_tally(s, field(s, "counters"), &(struct tally){.framer = c->counters});
}

static void expect_handover(const struct scene *s, const struct capture *c)
{
    const struct json_value *handover = field(s, "handover");
    const struct json_value *want = json_member(handover, "expect_hex");
    struct tally tally = {0};

    if (handover == NULL)
        return;
    assert_string_equal(json_member(json_member(handover, "options"), "framing")->text, "line");
    assert_string_equal(json_member(json_member(handover, "options"), "escape")->text, "yes");
    assert_int_equal(json_count(want), c->count);
    want = want->child;
    for (size_t i = 0; i < c->count; i++, want = want->next) {
        const struct captured *m = &c->messages[i];
        const uint8_t *data = c->octets + m->offset;
        struct octets o = {0};
        size_t room = handover_escaped_length(data, m->length);
        uint8_t *out = malloc(room);
        assert_non_null(out);
        append_hex(&o, want->text);
        assert_int_equal(handover_escape(out, data, m->length, &tally.nul_escaped), room);
        assert_int_equal(room, o.length);
        assert_memory_equal(out, o.data, o.length);
        free(out);
        free(o.data);
    }
    expect_tally(s, json_member(handover, "counters"), &tally);
}

static void run_cut(const struct scene *s, const struct octets *in, const size_t *lengths,
                    size_t count)
{
    struct framer_options options = options_of(s);
    struct capture c;

    capture_stream(&c, &options, in->data, in->length,
                   &(struct capture_cuts){.lengths = lengths, .count = count});
    expect_capture(s, &c);
    assert_true(capture_is_balanced(&c, in->length));
    if (count == 0)
        expect_handover(s, &c);
    capture_release(&c);
}

static void run_stream(const struct scene *s)
{
    static const size_t one = 1;
    const struct json_value *input = field(s, "input_hex");
    struct octets in = {0};

    if (input->kind == JSON_STRING) {
        append_hex(&in, input->text);
    } else {
        size_t count = json_count(input);
        size_t *reads = calloc(count + 1, sizeof(*reads));
        size_t i = 0;
        assert_non_null(reads);
        for (const struct json_value *v = input->child; v != NULL; v = v->next) {
            append_hex(&in, v->text);
            reads[i++] = strlen(v->text) / 2;
        }
        run_cut(s, &in, reads, count);
        free(reads);
    }
    run_cut(s, &in, NULL, 0);
    run_cut(s, &in, &one, 1);
    for (size_t cut = 1; cut < in.length; cut++)
        run_cut(s, &in, (const size_t[]){cut, in.length - cut}, 2);
    free(in.data);
}

static void run_datagram(const struct scene *s)
{
    struct framer_options options = options_of(s);
    struct capture c = {0};
    struct octets in = {0};
    struct framed m;

    append_hex(&in, field(s, "input_hex")->text);
    if (framer_datagram(in.data, in.length, in.length, false, options.max_message, &c.counters,
                        &m))
        capture_add(&c, &m);
    expect_capture(s, &c);
    expect_handover(s, &c);
    capture_release(&c);
    free(in.data);
}

/* What a UDP output does with a message, and what it counts. */
static void run_send(const struct scene *s)
{
    struct capture c = {0};
    struct octets in = {0};

    append_hex(&in, field(s, "input_hex")->text);
    struct framed m = {.data = in.data,
                       .length = (uint32_t)handover_udp_length(in.data, in.length),
                       .orig_length = (uint32_t)in.length};
    if (m.length < in.length) {
        m.flags = RECORD_TRUNCATED;
        c.counters.truncated++;
    }
    capture_add(&c, &m);
    expect_capture(s, &c);
    capture_release(&c);
    free(in.data);
}

static void run_scene(const struct scene *s)
{
    const char *kind = field(s, "kind")->text;

    if (json_member(field(s, "options"), "proxy") != NULL) {
        print_message("%s: a variant is left out: no input reads PROXY headers\n", s->id);
        return;
    }
    if (strcmp(kind, "tcp") == 0 || strcmp(kind, "tcp-split") == 0)
        run_stream(s);
    else if (strcmp(kind, "udp") == 0)
        run_datagram(s);
    else if (strcmp(kind, "send") == 0)
        run_send(s);
    else
        fail_msg("%s: unknown kind %s", s->id, kind);
}

static void run_case(void **state)
{
    const struct json_value *c = *state;
    const struct json_value *variants = json_member(c, "variants");
    const char *id = json_member(c, "id")->text;

    run_scene(&(struct scene){.base = c, .id = id});
    for (const struct json_value *v = variants != NULL ? variants->child : NULL; v; v = v->next)
        run_scene(&(struct scene){.base = c, .variant = v, .id = id});
}

int main(void)
{
    struct json_value *file = json_read_file(HVLOG_TEST_DIR "/cases/framing.json");
    const struct json_value *cases = json_member(file, "cases");
    size_t count = json_count(cases);
    struct CMUnitTest *tests = calloc(count + 1, sizeof(*tests));
    char(*names)[NAME_OCTETS] = calloc(count + 1, sizeof(*names));
    size_t i = 0;
    int failed;

    if (count == 0 || tests == NULL || names == NULL) {
        print_error("no cases in %s\n", HVLOG_TEST_DIR "/cases/framing.json");
        return EXIT_FAILURE;
    }
    for (struct json_value *c = cases->child; c != NULL; c = c->next, i++) {
        snprintf(names[i], sizeof(names[i]), "%s: %s", json_member(c, "id")->text,
                 json_member(c, "title")->text);
        tests[i] =
            (struct CMUnitTest){.name = names[i], .test_func = run_case, .initial_state = c};
    }
    failed = _cmocka_run_group_tests("framing.json", tests, count, NULL, NULL);
    free(names);
    free(tests);
    json_free(file);
    return failed;
}
