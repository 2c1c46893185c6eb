/* SPDX-License-Identifier: MIT */
/* batch_test.c - building, sealing, decoding, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/batch.h"
#include "common/core/bytes.h"
#include "common/core/err.h"

enum { START_US = 5000000 };

static const char *const names[] = {"lan", "local"};

static struct source source_number(unsigned i)
{
    struct source source = {.transport = TRANSPORT_UDP, .input = (uint8_t)(i % 2)};
    uint8_t ip[4] = {10, 0, (uint8_t)(i >> 8), (uint8_t)i};

    source.address.family = ADDRESS_IPV4;
    source.address.port = (uint16_t)(1000 + i);
    memcpy(source.address.ip, ip, sizeof(ip));
    return source;
}

static int append(struct batch_builder *bb, unsigned source_index, const void *data,
                  size_t length, uint64_t time_us)
{
    struct source source = source_number(source_index);
    int index = batch_builder_source(bb, &source);

    if (index < 0)
        return index;
    struct record r = {
        .data = data,
        .length = (uint32_t)length,
        .orig_length = (uint32_t)length,
        .time_us = time_us,
        .source = (uint16_t)index,
    };
    return batch_builder_append(bb, &r);
}

static struct batch_builder *new_builder(void)
{
    struct batch_builder *bb = batch_builder_new(names, 2);

    assert_non_null(bb);
    return bb;
}

static struct batch *seal(struct batch_builder *bb)
{
    struct batch *b = NULL;

    assert_int_equal(batch_builder_seal(bb, &b), 0);
    assert_int_equal(batch_builder_records(bb), 0);
    return b;
}

/* octets_of() - a batch as it goes over the wire. */
static uint8_t *octets_of(const struct batch *b)
{
    struct batch_part parts[2];
    uint8_t *octets = malloc(batch_bytes(b));

    assert_non_null(octets);
    batch_parts(b, parts);
    assert_int_equal(parts[0].length + parts[1].length, batch_bytes(b));
    memcpy(octets, parts[0].data, parts[0].length);
    memcpy(octets + parts[0].length, parts[1].data, parts[1].length);
    return octets;
}

/* carried() - the batch that the far side makes of <b>. */
static struct batch *carried(const struct batch *b)
{
    struct batch *copy = NULL;

    assert_int_equal(batch_decode(octets_of(b), batch_bytes(b), &copy), 0);
    return copy;
}

static void check_equal(const struct batch *a, const struct batch *b)
{
    assert_int_equal(batch_records(a), batch_records(b));
    assert_int_equal(batch_sources(a), batch_sources(b));
    assert_int_equal(batch_inputs(a), batch_inputs(b));
    assert_int_equal(batch_is_plain(a), batch_is_plain(b));
    for (size_t i = 0; i < batch_records(a); i++) {
        struct record x = batch_record(a, i), y = batch_record(b, i);
        assert_int_equal(x.length, y.length);
        assert_memory_equal(x.data, y.data, x.length);
        assert_int_equal(x.data[x.length], '\n');
        assert_int_equal(y.data[y.length], '\n');
        assert_int_equal(x.orig_length, y.orig_length);
        assert_int_equal(x.time_us, y.time_us);
        assert_int_equal(x.flags, y.flags);
        assert_int_equal(x.source, y.source);
    }
}

/* ---- building ---------------------------------------------------------------------------- */

static void batch__records_of_several_sources__come_back(void **state)
{
    struct batch_builder *bb = new_builder();
    size_t length;

    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        char text[32];
        int n = snprintf(text, sizeof(text), "message %u", i);
        assert_int_equal(append(bb, i % 7, text, (size_t)n, START_US + i), 0);
    }
    assert_int_equal(batch_builder_records(bb), 100);
    struct batch *b = seal(bb);
    struct batch *copy = carried(b);
    check_equal(b, copy);
    assert_int_equal(batch_records(copy), 100);
    assert_int_equal(batch_sources(copy), 7);
    assert_true(batch_is_plain(copy));

    struct record r = batch_record(copy, 42);
    assert_int_equal(r.length, strlen("message 42"));
    assert_memory_equal(r.data, "message 42", r.length);
    assert_int_equal(r.time_us, START_US + 42);
    struct source source = batch_source(copy, r.source), expected = source_number(42 % 7);
    assert_true(source.address.port == expected.address.port);
    assert_memory_equal(source.address.ip, expected.address.ip, 16);
    assert_int_equal(source.address.family, ADDRESS_IPV4);
    assert_int_equal(source.transport, TRANSPORT_UDP);
    assert_int_equal(source.input, 0);
    const char *name = batch_input(copy, 1, &length);
    assert_int_equal(length, 5);
    assert_memory_equal(name, "local", 5);
    name = batch_input(copy, 0, &length);
    assert_int_equal(length, 3);
    assert_memory_equal(name, "lan", 3);
    batch_unref(b);
    batch_unref(copy);
    batch_builder_free(bb);
}

/* Octets are carried as they came, whatever they are; flags that are not known too. */
static void batch__any_octets_and_flags__come_back(void **state)
{
    struct batch_builder *bb = new_builder();
    struct source source = {.transport = TRANSPORT_INTERNAL};
    uint8_t octets[256];

    (void)state;
    for (unsigned i = 0; i < sizeof(octets); i++)
        octets[i] = (uint8_t)i;
    struct record r = {.data = octets,
                       .length = sizeof(octets),
                       .orig_length = 100000,
                       .time_us = 1,
                       .flags = 0x8000 | RECORD_TRUNCATED | RECORD_BINARY};
    r.source = (uint16_t)batch_builder_source(bb, &source);
    assert_int_equal(batch_builder_append(bb, &r), 0);
    assert_int_equal(append(bb, 3, "", 0, 2), 0);
    struct batch *b = seal(bb);
    struct batch *copy = carried(b);
    check_equal(b, copy);
    assert_false(batch_is_plain(copy));
    assert_memory_equal(batch_record(copy, 0).data, octets, sizeof(octets));
    assert_int_equal(batch_record(copy, 0).orig_length, 100000);
    assert_int_equal(batch_record(copy, 0).flags, 0x8000 | RECORD_TRUNCATED | RECORD_BINARY);
    assert_int_equal(batch_record(copy, 1).length, 0);
    batch_unref(b);
    batch_unref(copy);
    batch_builder_free(bb);
}

static void batch__original_length_below_the_length__is_raised(void **state)
{
    struct batch_builder *bb = new_builder();
    struct source source = source_number(1);
    struct record r = {.data = (const uint8_t *)"abc", .length = 3};

    (void)state;
    r.source = (uint16_t)batch_builder_source(bb, &source);
    assert_int_equal(batch_builder_append(bb, &r), 0);
    struct batch *b = seal(bb);
    struct batch *copy = carried(b);
    assert_int_equal(batch_record(copy, 0).orig_length, 3);
    batch_unref(b);
    batch_unref(copy);
    batch_builder_free(bb);
}

static void batch__nothing_appended__is_again(void **state)
{
    struct batch_builder *bb = new_builder();
    struct batch *b = NULL;

    (void)state;
    assert_int_equal(batch_builder_seal(bb, &b), ERR_AGAIN);
    assert_null(b);
    batch_builder_free(bb);
    batch_builder_free(NULL);
    batch_unref(NULL);
    assert_null(batch_ref(NULL));
}

/* The far side takes every batch that a builder can make: full in payload with the largest
 * message last.
 */
static void batch__full_payload__is_within_the_limits(void **state)
{
    struct batch_builder *bb = new_builder();
    uint8_t *large = malloc(MESSAGE_MAX_LIMIT);

    (void)state;
    assert_non_null(large);
    memset(large, 'L', MESSAGE_MAX_LIMIT);
    assert_int_equal(append(bb, 0, large, BATCH_PAYLOAD_TARGET - 2, START_US), 0);
    assert_false(batch_builder_is_full(bb));
    assert_int_equal(append(bb, 0, large, MESSAGE_MAX_LIMIT, START_US), 0);
    assert_true(batch_builder_is_full(bb));
    assert_int_equal(append(bb, 0, "x", 1, START_US), ERR_FULL);
    struct batch *b = seal(bb);
    struct batch *copy = carried(b);
    check_equal(b, copy);
    assert_true(batch_bytes(b) <= BATCH_BYTES_MAX);
    batch_unref(b);
    batch_unref(copy);
    free(large);
    batch_builder_free(bb);
}

static void batch__records_to_the_limit__is_full(void **state)
{
    struct batch_builder *bb = new_builder();

    (void)state;
    for (unsigned i = 0; i < BATCH_RECORDS_MAX; i++)
        assert_int_equal(append(bb, 0, "x", 1, START_US), 0);
    assert_true(batch_builder_is_full(bb));
    assert_int_equal(append(bb, 0, "x", 1, START_US), ERR_FULL);
    struct batch *b = seal(bb);
    struct batch *copy = carried(b);
    assert_int_equal(batch_records(copy), BATCH_RECORDS_MAX);
    assert_int_equal(append(bb, 0, "x", 1, START_US), 0);
    batch_unref(b);
    batch_unref(copy);
    batch_builder_free(bb);
}

static void batch__sources_to_the_limit__are_found_again_and_no_more_are_taken(void **state)
{
    struct batch_builder *bb = new_builder();

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (unsigned i = 0; i < BATCH_SOURCES_MAX; i++) {
            struct source source = source_number(i);
            assert_int_equal(batch_builder_source(bb, &source), i);
        }
        struct source one_more = source_number(BATCH_SOURCES_MAX);
        assert_int_equal(batch_builder_source(bb, &one_more), ERR_FULL);
        for (unsigned i = BATCH_SOURCES_MAX; i-- > 0;) {
            struct source source = source_number(i);
            assert_int_equal(batch_builder_source(bb, &source), i);
            assert_int_equal(append(bb, i, "x", 1, START_US), 0);
        }
        struct batch *b = seal(bb);
        struct batch *copy = carried(b);
        assert_int_equal(batch_sources(copy), BATCH_SOURCES_MAX);
        check_equal(b, copy);
        batch_unref(b);
        batch_unref(copy);
    }
    batch_builder_free(bb);
}

/* Sources that differ in one field only are different sources. */
static void batch__source__each_field_counts(void **state)
{
    struct batch_builder *bb = new_builder();
    struct source base = source_number(0);
    struct source sources[6] = {base, base, base, base, base, base};

    (void)state;
    sources[1].address.port++;
    sources[2].address.ip[3]++;
    sources[3].transport = TRANSPORT_TCP;
    sources[4].input = 1;
    sources[5].address.family = ADDRESS_IPV6;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 6; i++)
            assert_int_equal(batch_builder_source(bb, &sources[i]), i);
    }
    batch_builder_free(bb);
}

/* After a seal all indexes are void, also that of the source asked for last. */
static void batch__seal__forgets_the_sources(void **state)
{
    struct batch_builder *bb = new_builder();

    (void)state;
    assert_int_equal(append(bb, 1, "a", 1, START_US), 0);
    assert_int_equal(append(bb, 2, "b", 1, START_US), 0);
    batch_unref(seal(bb));
    assert_int_equal(append(bb, 2, "c", 1, START_US), 0);
    struct batch *b = seal(bb);
    assert_int_equal(batch_sources(b), 1);
    assert_int_equal(batch_record(b, 0).source, 0);
    batch_unref(b);
    batch_builder_free(bb);
}

/* Times of several sources need not be in order; what does not fit goes into the next batch. */
static void batch__times_out_of_order__fit_within_the_slack(void **state)
{
    struct batch_builder *bb = new_builder();

    (void)state;
    assert_int_equal(append(bb, 0, "a", 1, START_US), 0);
    assert_int_equal(append(bb, 0, "b", 1, START_US - BATCH_TIME_SLACK_US), 0);
    assert_int_equal(append(bb, 0, "c", 1, START_US - BATCH_TIME_SLACK_US - 1), ERR_FULL);
    assert_int_equal(
        append(bb, 0, "d", 1, (uint64_t)START_US - BATCH_TIME_SLACK_US + UINT32_MAX), 0);
    assert_int_equal(append(bb, 0, "e", 1, START_US - BATCH_TIME_SLACK_US + (1ULL << 32)),
                     ERR_FULL);
    struct batch *b = seal(bb);
    assert_int_equal(batch_records(b), 3);
    assert_int_equal(batch_record(b, 0).time_us, START_US);
    assert_int_equal(batch_record(b, 1).time_us, START_US - BATCH_TIME_SLACK_US);
    batch_unref(b);

    static const uint64_t extremes[] = {0, 1, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(append(bb, 0, "x", 1, extremes[i]), 0);
        b = seal(bb);
        struct batch *copy = carried(b);
        assert_true(batch_record(copy, 0).time_us == extremes[i]);
        batch_unref(copy);
        batch_unref(b);
    }
    batch_builder_free(bb);
}

/* Memory limits count what a batch takes; it is never more than twice what it carries. */
static void batch__cost__is_at_most_twice_the_octets(void **state)
{
    struct batch_builder *bb = new_builder();
    static uint8_t text[BATCH_PAYLOAD_TARGET];

    (void)state;
    for (size_t length = 0; length < sizeof(text); length = length * 3 + 1) {
        for (size_t count = 1; count <= 30; count += 7) {
            for (size_t i = 0; i < count && !batch_builder_is_full(bb); i++)
                assert_int_equal(append(bb, 0, text, length, START_US), 0);
            struct batch *b = seal(bb);
            assert_true(batch_cost(b) >= batch_bytes(b));
            assert_true(batch_cost(b) <= 2 * batch_bytes(b) + 256);
            batch_unref(b);
        }
    }
    batch_builder_free(bb);
}

/* A batch outlives its builder and each of its holders but the last. */
static void batch__references__free_with_the_last(void **state)
{
    struct batch_builder *bb = new_builder();

    (void)state;
    assert_int_equal(append(bb, 0, "kept", 4, START_US), 0);
    struct batch *b = seal(bb);
    batch_builder_free(bb);
    assert_ptr_equal(batch_ref(b), b);
    batch_unref(b);
    assert_memory_equal(batch_record(b, 0).data, "kept", 4);
    batch_unref(b);
}

static void batch_builder__names_that_cannot_be__is_null(void **state)
{
    const char *many[INPUT_COUNT_MAX + 1];
    const char *empty[] = {""}, *control[] = {"a\tb"};
    const char *longest[] = {"0123456789abcdef0123456789abcdef"};
    const char *longer[] = {"0123456789abcdef0123456789abcdefX"};

    (void)state;
    for (size_t i = 0; i <= INPUT_COUNT_MAX; i++)
        many[i] = longest[0];
    assert_null(batch_builder_new(empty, 1));
    assert_null(batch_builder_new(control, 1));
    assert_null(batch_builder_new(longer, 1));
    assert_null(batch_builder_new(many, INPUT_COUNT_MAX + 1));
    struct batch_builder *bb = batch_builder_new(many, INPUT_COUNT_MAX);
    assert_non_null(bb);
    assert_int_equal(append(bb, 0, "x", 1, START_US), 0);
    struct batch *b = seal(bb), *copy = carried(b);
    assert_int_equal(batch_inputs(copy), INPUT_COUNT_MAX);
    batch_unref(b);
    batch_unref(copy);
    batch_builder_free(bb);
}

/* ---- decoding ---------------------------------------------------------------------------- */

/* Two inputs, two sources, three records: header 24, inputs 4 + 6, sources 48, rows 48,
 * payload.
 */
enum { AT_INPUTS = 24, AT_SOURCES = 34, AT_ROWS = 82, AT_PAYLOAD = 130, SAMPLE_BYTES = 139 };

static uint8_t *sample(void)
{
    struct batch_builder *bb = new_builder();

    assert_int_equal(append(bb, 0, "one", 3, START_US), 0);
    assert_int_equal(append(bb, 1, "two", 3, START_US), 0);
    assert_int_equal(append(bb, 0, "", 0, START_US), 0);
    struct batch *b = seal(bb);
    assert_int_equal(batch_bytes(b), SAMPLE_BYTES);
    uint8_t *octets = octets_of(b);
    batch_unref(b);
    batch_builder_free(bb);
    return octets;
}

/* check_refused() - <data> stays the caller's when it is refused. */
static void check_refused(uint8_t *data, size_t length)
{
    struct batch *b = NULL;

    assert_int_equal(batch_decode(data, length, &b), ERR_PROTOCOL);
    assert_null(b);
    free(data);
}

static void refuse_octet(size_t at, uint8_t octet)
{
    uint8_t *data = sample();

    assert_int_not_equal(data[at], octet);
    data[at] = octet;
    check_refused(data, SAMPLE_BYTES);
}

static void batch_decode__cut_anywhere__is_refused(void **state)
{
    (void)state;
    for (size_t length = 0; length < SAMPLE_BYTES; length++) {
        uint8_t *whole = sample(), *cut = malloc(length > 0 ? length : 1);
        assert_non_null(cut);
        memcpy(cut, whole, length);
        free(whole);
        check_refused(cut, length);
    }
}

static void batch_decode__octet_too_many__is_refused(void **state)
{
    uint8_t *data = realloc(sample(), SAMPLE_BYTES + 1);

    (void)state;
    assert_non_null(data);
    data[SAMPLE_BYTES] = '\n';
    check_refused(data, SAMPLE_BYTES + 1);
}

static void batch_decode__header__is_checked(void **state)
{
    (void)state;
    refuse_octet(8, 8);  /* payload shorter */
    refuse_octet(8, 10); /* payload longer */
    refuse_octet(11, 0xFF);
    refuse_octet(12, 0); /* no records */
    refuse_octet(12, 2);
    refuse_octet(15, 0x10);
    refuse_octet(16, 0); /* no sources */
    refuse_octet(16, 3);
    refuse_octet(17, 0xFF);
    refuse_octet(18, 0); /* no inputs */
    refuse_octet(18, 1); /* table longer than its names */
    refuse_octet(18, 3); /* shorter */
    refuse_octet(18, 65);
    refuse_octet(19, 2); /* version */
    refuse_octet(20, 9);
    refuse_octet(23, 0xFF);
}

static void batch_decode__time_that_overflows__is_refused(void **state)
{
    uint8_t *data = sample();

    (void)state;
    bytes_put64(data, UINT64_MAX - UINT32_MAX + 1);
    check_refused(data, SAMPLE_BYTES);
}

static void batch_decode__inputs__are_checked(void **state)
{
    (void)state;
    refuse_octet(AT_INPUTS, 0);
    refuse_octet(AT_INPUTS, 2);
    refuse_octet(AT_INPUTS, 9);
    refuse_octet(AT_INPUTS, 255);
    refuse_octet(AT_INPUTS + 1, '\n');
    refuse_octet(AT_INPUTS + 2, 0x7F);
    refuse_octet(AT_INPUTS + 4, 6);
}

static void batch_decode__sources__are_checked(void **state)
{
    (void)state;
    refuse_octet(AT_SOURCES, 5);            /* family */
    refuse_octet(AT_SOURCES, ADDRESS_NONE); /* with an address */
    refuse_octet(AT_SOURCES + 1, TRANSPORT_UNIX_DGRAM + 1);
    refuse_octet(AT_SOURCES + 2, 2); /* input */
    refuse_octet(AT_SOURCES + 3, 1);
    refuse_octet(AT_SOURCES + 6, 1);
    refuse_octet(AT_SOURCES + 7, 1);
    refuse_octet(AT_SOURCES + 8 + 4, 1); /* behind an IPv4 address */
    refuse_octet(AT_SOURCES + 8 + 15, 1);
}

static void batch_decode__rows__are_checked(void **state)
{
    (void)state;
    refuse_octet(AT_ROWS, 0);  /* ends before it begins */
    refuse_octet(AT_ROWS, 3);  /* where no LF is */
    refuse_octet(AT_ROWS, 10); /* behind the payload */
    refuse_octet(AT_ROWS + 3, 0xFF);
    refuse_octet(AT_ROWS + 16, 4); /* not behind the one before */
    refuse_octet(AT_ROWS + 16, 9); /* leaves nothing for the last */
    refuse_octet(AT_ROWS + 32, 8); /* payload left over */
    refuse_octet(AT_ROWS + 4, 2);  /* original length below the length */
    refuse_octet(AT_ROWS + 12, 2); /* source */
    refuse_octet(AT_PAYLOAD + 3, ' ');
    refuse_octet(AT_PAYLOAD + 8, 0);
}

/* One message may not be larger than any input would have made it. */
static void batch_decode__message_above_the_limit__is_refused(void **state)
{
    enum { LENGTH = MESSAGE_MAX_LIMIT + 1 };
    struct batch_builder *bb = new_builder();
    uint8_t *large = calloc(1, LENGTH);

    (void)state;
    assert_non_null(large);
    assert_int_equal(append(bb, 0, large, LENGTH - 1, START_US), 0);
    struct batch *b = seal(bb);
    batch_unref(carried(b));
    batch_unref(b);
    assert_int_equal(append(bb, 0, large, LENGTH, START_US), 0);
    b = seal(bb);
    check_refused(octets_of(b), batch_bytes(b));
    batch_unref(b);
    free(large);
    batch_builder_free(bb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch__records_of_several_sources__come_back),
        cmocka_unit_test(batch__any_octets_and_flags__come_back),
        cmocka_unit_test(batch__original_length_below_the_length__is_raised),
        cmocka_unit_test(batch__nothing_appended__is_again),
        cmocka_unit_test(batch__full_payload__is_within_the_limits),
        cmocka_unit_test(batch__records_to_the_limit__is_full),
        cmocka_unit_test(batch__sources_to_the_limit__are_found_again_and_no_more_are_taken),
        cmocka_unit_test(batch__source__each_field_counts),
        cmocka_unit_test(batch__seal__forgets_the_sources),
        cmocka_unit_test(batch__times_out_of_order__fit_within_the_slack),
        cmocka_unit_test(batch__cost__is_at_most_twice_the_octets),
        cmocka_unit_test(batch__references__free_with_the_last),
        cmocka_unit_test(batch_builder__names_that_cannot_be__is_null),
        cmocka_unit_test(batch_decode__cut_anywhere__is_refused),
        cmocka_unit_test(batch_decode__octet_too_many__is_refused),
        cmocka_unit_test(batch_decode__header__is_checked),
        cmocka_unit_test(batch_decode__time_that_overflows__is_refused),
        cmocka_unit_test(batch_decode__inputs__are_checked),
        cmocka_unit_test(batch_decode__sources__are_checked),
        cmocka_unit_test(batch_decode__rows__are_checked),
        cmocka_unit_test(batch_decode__message_above_the_limit__is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
