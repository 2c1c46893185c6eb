/* SPDX-License-Identifier: MIT */
/* protocol_hex_test.c - the examples and limits of PROTOCOL.md are what the program does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/bytes.h"
#include "common/core/session.h"
#include "tests/support/sha256.h"

enum { DOCUMENT_MAX = 256 * 1024, EXAMPLE_MAX = 1024, EXAMPLES = 11 };

static char document[DOCUMENT_MAX];
static char secret[] = "example secret";

static int read_document(void **state)
{
    FILE *file = fopen(HVLOG_TEST_DIR "/../PROTOCOL.md", "rb");

    (void)state;
    if (file == NULL)
        return -1;
    size_t length = fread(document, 1, sizeof(document) - 1, file);
    document[length] = '\0';
    int r = ferror(file) != 0 || length == sizeof(document) - 1 ? -1 : 0;
    fclose(file);
    return r;
}

static int nibble(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;

    return at != NULL ? (int)(at - digits) : -1;
}

/* example() - the octets of the hex block below the line that begins with <caption>. */
static size_t example(const char *caption, uint8_t out[EXAMPLE_MAX])
{
    char line[128];
    size_t length = 0;

    snprintf(line, sizeof(line), "\n%s", caption);
    const char *at = strstr(document, line);
    assert_non_null(at);
    assert_null(strstr(at + 1, line));
    at = strchr(at + 1, '\n');
    while (at[0] == '\n' || at[0] == '\r')
        at++;
    assert_int_equal(strncmp(at, "```hex", 6), 0);
    for (at += 6; at[0] != '`'; at++) {
        if (nibble(at[0]) < 0) {
            assert_non_null(strchr(" \r\n", at[0]));
            continue;
        }
        assert_true(nibble(at[1]) >= 0 && length < EXAMPLE_MAX);
        out[length++] = (uint8_t)(nibble(at[0]) << 4 | nibble(at[1]));
        at++;
    }
    return length;
}

/* frame() - decode an example, and write it again: the same octets. */
static struct wire_frame frame(const char *caption, uint8_t type)
{
    uint8_t octets[EXAMPLE_MAX], again[WIRE_SMALL_FRAME_MAX];
    struct wire_header header;
    struct wire_frame f;
    size_t length = example(caption, octets);

    assert_true(length >= WIRE_HEADER_BYTES);
    assert_int_equal(wire_decode_header(octets, &header), 0);
    assert_int_equal(header.type, type);
    assert_int_equal(WIRE_HEADER_BYTES + header.length, length);
    assert_int_equal(wire_decode(type, octets + WIRE_HEADER_BYTES, header.length, &f), 0);
    assert_int_equal(wire_encode(&f, again, sizeof(again)), length);
    assert_memory_equal(octets, again, length);
    return f;
}

/* ---- examples ---------------------------------------------------------------------------- */

static void check_hello(const char *caption, enum wire_role role, const char *name,
                        uint8_t nonce, uint8_t identity)
{
    struct wire_frame f = frame(caption, WIRE_HELLO);

    assert_int_equal(f.u.hello.version_lowest, WIRE_VERSION);
    assert_int_equal(f.u.hello.version_highest, WIRE_VERSION);
    assert_int_equal(f.u.hello.capabilities, 0);
    assert_int_equal(f.u.hello.role, role);
    assert_int_equal(f.u.hello.has_secret, 1);
    assert_string_equal(f.u.hello.name, name);
    for (uint8_t i = 0; i < WIRE_NONCE_BYTES; i++)
        assert_int_equal(f.u.hello.nonce[i], nonce + i);
    for (uint8_t i = 0; i < WIRE_IDENTITY_BYTES; i++)
        assert_int_equal(f.u.hello.identity[i], identity + i);
}

static void protocol__hello_examples__say_what_their_captions_say(void **state)
{
    (void)state;
    check_hello("HELLO of the connector", WIRE_CONNECTOR, "agent", 0x00, 0xA0);
    check_hello("HELLO of the listener", WIRE_LISTENER, "relay", 0x80, 0xB0);
}

/* From the words of the section, not from session.c: label, role, both frames. */
static void protocol__proof_examples__follow_from_the_hellos(void **state)
{
    static const char *const captions[] = {"PROOF of the connector", "PROOF of the listener"};
    static const char label[] = "hvlog link proof 1";
    uint8_t data[64 + 2 * EXAMPLE_MAX], proof[WIRE_PROOF_BYTES];
    size_t at = strlen(label) + 1;

    (void)state;
    memcpy(data, label, strlen(label));
    at += example("HELLO of the connector", data + at);
    at += example("HELLO of the listener", data + at);
    for (int i = 0; i < 2; i++) {
        data[strlen(label)] = (uint8_t)(i == 0 ? WIRE_CONNECTOR : WIRE_LISTENER);
        hmac_sha256((const uint8_t *)secret, strlen(secret), data, at, proof);
        struct wire_frame f = frame(captions[i], WIRE_PROOF);
        assert_memory_equal(f.u.proof, proof, sizeof(proof));
    }
}

static void protocol__short_examples__say_what_their_captions_say(void **state)
{
    (void)state;
    struct wire_frame f = frame("RESUME (41 is finished, 4 MiB may come)", WIRE_RESUME);
    assert_int_equal(f.u.resume.last_seq, 41);
    assert_int_equal(f.u.resume.credit, 4 << 20);
    assert_int_equal(frame("ACK (all up to 42)", WIRE_ACK).u.seq, 42);
    assert_int_equal(frame("CREDIT (8 MiB in all)", WIRE_CREDIT).u.credit, 8 << 20);
    assert_true(frame("PING (token 0x0102030405060708)", WIRE_PING).u.token ==
                0x0102030405060708);
    assert_true(frame("PONG (token 0x0102030405060708)", WIRE_PONG).u.token ==
                0x0102030405060708);
    f = frame("BYE (NAME, with a text)", WIRE_BYE);
    assert_int_equal(f.u.bye.reason, WIRE_REASON_NAME);
    assert_string_equal(f.u.bye.text, "'agent' is connected already");
}

static void check_record(const struct batch *b, size_t i, const struct record *expected)
{
    struct record r = batch_record(b, i);

    assert_int_equal(r.length, expected->length);
    assert_memory_equal(r.data, expected->data, r.length);
    assert_int_equal(r.orig_length, expected->orig_length);
    assert_true(r.time_us == expected->time_us);
    assert_int_equal(r.flags, expected->flags);
    assert_int_equal(r.source, expected->source);
}

/* The records of the example, as they came in. */
static const uint64_t example_us = 1764547200000000;
static const struct record example_records[2] = {
    {.data = (const uint8_t *)"<13>link up", .length = 11, .orig_length = 11, .source = 0},
    {.data = (const uint8_t *)"<14>a\nb",
     .length = 7,
     .orig_length = 9,
     .flags = RECORD_BINARY | RECORD_TRUNCATED,
     .source = 1},
};
static const struct source example_sources[2] = {
    {.address = {.family = ADDRESS_IPV4, .port = 50123, .ip = {192, 0, 2, 7}},
     .transport = TRANSPORT_UDP,
     .input = 0},
    {.transport = TRANSPORT_UNIX_DGRAM, .input = 1},
};

static struct record example_record(size_t i)
{
    struct record r = example_records[i];

    r.time_us = example_us + 1500 * i;
    return r;
}

/* check_built_again() - the batch that a builder makes of the example's records is the same,
 * octet for octet.
 */
static void check_built_again(const uint8_t *octets, size_t length)
{
    static const char *const names[] = {"lan", "local"};
    struct batch_builder *bb = batch_builder_new(names, 2);
    struct batch_part parts[2];
    struct batch *b;

    assert_non_null(bb);
    for (size_t i = 0; i < 2; i++) {
        struct record r = example_record(i);
        assert_int_equal(batch_builder_source(bb, &example_sources[i]), i);
        assert_int_equal(batch_builder_append(bb, &r), 0);
    }
    assert_int_equal(batch_builder_seal(bb, &b), 0);
    batch_parts(b, parts);
    assert_int_equal(batch_bytes(b), length);
    assert_memory_equal(parts[0].data, octets, parts[0].length);
    assert_memory_equal(parts[1].data, octets + parts[0].length, parts[1].length);
    batch_unref(b);
    batch_builder_free(bb);
}

static void protocol__data_example__is_the_batch_it_says(void **state)
{
    uint8_t octets[EXAMPLE_MAX], header[WIRE_DATA_HEADER_BYTES];
    size_t length = example("DATA (seq 42; two inputs, two sources, two records)", octets);
    size_t batch_length = length - WIRE_DATA_HEADER_BYTES, name_length;
    struct batch *b;

    (void)state;
    wire_encode_data_header(42, batch_length, header);
    assert_memory_equal(octets, header, sizeof(header));
    uint8_t *copy = malloc(batch_length);
    assert_non_null(copy);
    memcpy(copy, octets + WIRE_DATA_HEADER_BYTES, batch_length);
    assert_int_equal(batch_decode(copy, batch_length, &b), 0);
    assert_int_equal(batch_records(b), 2);
    assert_int_equal(batch_sources(b), 2);
    assert_int_equal(batch_inputs(b), 2);
    for (size_t i = 0; i < 2; i++) {
        struct record expected = example_record(i);
        check_record(b, i, &expected);
        struct source source = batch_source(b, i);
        assert_true(address_is_equal(&source.address, &example_sources[i].address));
        assert_int_equal(source.transport, example_sources[i].transport);
        assert_int_equal(source.input, example_sources[i].input);
    }
    assert_memory_equal(batch_input(b, 0, &name_length), "lan", 3);
    assert_memory_equal(batch_input(b, 1, &name_length), "local", 5);
    check_built_again(octets + WIRE_DATA_HEADER_BYTES, batch_length);
    batch_unref(b);
}

/* ---- the handshake ----------------------------------------------------------------------- */

static int example_hmac(void *arg, const uint8_t *data, size_t length,
                        uint8_t ret[WIRE_PROOF_BYTES])
{
    (void)arg;
    hmac_sha256((const uint8_t *)secret, strlen(secret), data, length, ret);
    return 0;
}

static struct session *example_side(enum wire_role role)
{
    bool is_connector = role == WIRE_CONNECTOR;
    struct wire_frame hello =
        frame(is_connector ? "HELLO of the connector" : "HELLO of the listener", WIRE_HELLO);
    struct session_options options = {
        .role = role,
        .name = hello.u.hello.name,
        .has_secret = true,
        .hmac = example_hmac,
        .heartbeat_ms = 2000,
    };

    memcpy(options.nonce, hello.u.hello.nonce, WIRE_NONCE_BYTES);
    memcpy(options.identity, hello.u.hello.identity, WIRE_IDENTITY_BYTES);
    struct session *s = session_new(&options, 0);
    assert_non_null(s);
    return s;
}

static void feed_example(struct session *s, const char *caption)
{
    uint8_t octets[EXAMPLE_MAX], *space;
    size_t size, length = example(caption, octets);

    session_reserve(s, &space, &size);
    assert_true(size >= length);
    memcpy(space, octets, length);
    session_commit(s, length, 0);
}

/* expect_said() - the session says this example now, and nothing else. */
static void expect_said(struct session *s, const char *caption)
{
    uint8_t octets[EXAMPLE_MAX], said[SESSION_PULL_MAX];
    size_t length = example(caption, octets);

    assert_int_equal(session_pull(s, said, sizeof(said), 0), length);
    assert_memory_equal(said, octets, length);
}

static void protocol__examples_in_order__open_a_session_of_either_role(void **state)
{
    struct session_event ev;
    struct session *connector = example_side(WIRE_CONNECTOR);
    struct session *listener = example_side(WIRE_LISTENER);

    (void)state;
    expect_said(connector, "HELLO of the connector");
    expect_said(listener, "HELLO of the listener");
    feed_example(connector, "HELLO of the listener");
    assert_int_equal(session_next(connector, 0, &ev), 0);
    expect_said(connector, "PROOF of the connector");
    feed_example(listener, "HELLO of the connector");
    feed_example(listener, "PROOF of the connector");
    assert_int_equal(session_next(listener, 0, &ev), 1);
    assert_int_equal(ev.type, SESSION_PEER);
    assert_string_equal(ev.u.peer.name, "agent");
    expect_said(listener, "PROOF of the listener");
    feed_example(connector, "PROOF of the listener");
    assert_int_equal(session_next(connector, 0, &ev), 1);
    assert_int_equal(ev.type, SESSION_PEER);

    session_accept(listener, 41, 4 << 20);
    expect_said(listener, "RESUME (41 is finished, 4 MiB may come)");
    session_free(connector);
    session_free(listener);
}

/* ---- tables ------------------------------------------------------------------------------ */

/* number_in_row() - the number in column <column> of the table row that begins with <start>. */
static long number_in_row(const char *start, int column)
{
    char line[128];

    snprintf(line, sizeof(line), "\n| %s |", start);
    const char *at = strstr(document, line);
    assert_non_null(at);
    for (at++; column >= 0; column--) {
        at = strchr(at, '|');
        assert_non_null(at);
        at++;
    }
    return strtol(at, NULL, 10);
}

static void protocol__limits__are_those_of_the_headers(void **state)
{
    static const struct {
        const char *name;
        long value;
    } limits[] = {
        {"octets of a body before the proof, and of all but DATA", WIRE_SMALL_BODY_MAX},
        {"octets of a DATA body", WIRE_DATA_BODY_MAX},
        {"octets of a node's name", WIRE_NAME_MAX},
        {"octets of the text in a BYE", WIRE_REASON_MAX},
        {"octets of a batch", BATCH_BYTES_MAX},
        {"records of a batch", BATCH_RECORDS_MAX},
        {"sources of a batch", BATCH_SOURCES_MAX},
        {"inputs of a batch", INPUT_COUNT_MAX},
        {"octets of an input's name", INPUT_NAME_MAX},
        {"octets of a record", MESSAGE_MAX_LIMIT},
        {"octets of a batch's payload", BATCH_PAYLOAD_MAX},
        {"milliseconds from start to open", SESSION_HANDSHAKE_MS},
        {"heartbeats missed until the end", SESSION_MISSED_BEATS},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        assert_int_equal(number_in_row(limits[i].name, 1), limits[i].value);
}

static void protocol__types_and_reasons__have_their_numbers(void **state)
{
    static const char *const types[] = {"1 | HELLO", "2 | PROOF",    "3 | RESUME", "4 | DATA",
                                        "5 | ACK",   "6 | CREDIT",   "7 | PING",   "8 | PONG",
                                        "9 | BYE",   "10 | COUNTERS"};
    static const uint8_t numbers[] = {WIRE_HELLO, WIRE_PROOF,   WIRE_RESUME, WIRE_DATA,
                                      WIRE_ACK,   WIRE_CREDIT,  WIRE_PING,   WIRE_PONG,
                                      WIRE_BYE,   WIRE_COUNTERS};
    static const char *const reasons[] = {"0 | STOP",     "1 | VERSION",   "2 | SECRET",
                                          "3 | PROTOCOL", "4 | TOO_LARGE", "5 | BUSY",
                                          "6 | TIMEOUT",  "7 | NAME",      "8 | INTERNAL"};
    static const unsigned values[] = {
        WIRE_REASON_STOP,     WIRE_REASON_VERSION,   WIRE_REASON_SECRET,
        WIRE_REASON_PROTOCOL, WIRE_REASON_TOO_LARGE, WIRE_REASON_BUSY,
        WIRE_REASON_TIMEOUT,  WIRE_REASON_NAME,      WIRE_REASON_INTERNAL};

    (void)state;
    for (size_t i = 0; i < sizeof(numbers); i++)
        assert_int_equal(number_in_row(types[i], 0), numbers[i]);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        assert_int_equal(number_in_row(reasons[i], 0), values[i]);
}

/* An example that no test looks at would not be proven. */
static void protocol__hex_blocks__are_all_looked_at(void **state)
{
    size_t count = 0;

    (void)state;
    for (const char *at = document; (at = strstr(at, "\n```hex")) != NULL; at++)
        count++;
    assert_int_equal(count, EXAMPLES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(protocol__hello_examples__say_what_their_captions_say),
        cmocka_unit_test(protocol__proof_examples__follow_from_the_hellos),
        cmocka_unit_test(protocol__short_examples__say_what_their_captions_say),
        cmocka_unit_test(protocol__data_example__is_the_batch_it_says),
        cmocka_unit_test(protocol__examples_in_order__open_a_session_of_either_role),
        cmocka_unit_test(protocol__limits__are_those_of_the_headers),
        cmocka_unit_test(protocol__types_and_reasons__have_their_numbers),
        cmocka_unit_test(protocol__hex_blocks__are_all_looked_at),
    };

    return cmocka_run_group_tests(tests, read_document, NULL);
}
