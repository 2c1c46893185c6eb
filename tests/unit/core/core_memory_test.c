/* SPDX-License-Identifier: MIT */
/* core_memory_test.c - the n-th allocation of batches and sessions fails. Linked with --wrap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/batch.h"
#include "common/core/err.h"
#include "common/core/session.h"
#include "tests/support/session_pair.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

/* Allocations that still work; below 0: all do. */
static int allowance = -1;

static bool may_allocate(void)
{
    if (allowance < 0)
        return true;
    if (allowance == 0)
        return false;
    allowance--;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
    return may_allocate() ? __real_realloc(memory, size) : NULL;
}

static const char *const names[] = {"lan"};

static int append(struct batch_builder *bb, const void *data, size_t length)
{
    struct source source = {.transport = TRANSPORT_UDP};
    struct record r = {.data = data, .length = (uint32_t)length, .time_us = 1};

    r.source = (uint16_t)batch_builder_source(bb, &source);
    return batch_builder_append(bb, &r);
}

/* Whatever fails, nothing was changed: the same call works when there is memory again. */
static void batch__allocation_fails__can_be_repeated(void **state)
{
    static uint8_t text[200000];
    struct batch *b = NULL;

    (void)state;
    allowance = 0;
    assert_null(batch_builder_new(names, 1));
    allowance = -1;
    struct batch_builder *bb = batch_builder_new(names, 1);
    assert_non_null(bb);
    for (int round = 0; round < 2; round++) {
        for (allowance = 0; append(bb, "first", 5) != 0; allowance++)
            assert_int_equal(batch_builder_records(bb), 0);
        size_t length =
            sizeof(text) / (round == 0 ? 2 : 1); /* more than the builder has by now */
        allowance = 0;
        assert_int_equal(append(bb, text, length), ERR_NO_MEMORY);
        assert_int_equal(batch_builder_records(bb), 1);
        assert_int_equal(batch_builder_seal(bb, &b), ERR_NO_MEMORY);
        assert_null(b);
        allowance = -1;
        assert_int_equal(append(bb, text, length), 0);
        assert_int_equal(batch_builder_seal(bb, &b), 0);
        assert_int_equal(batch_records(b), 2);
        assert_memory_equal(batch_record(b, 0).data, "first", 5);
        batch_unref(b);
        b = NULL;
    }
    batch_builder_free(bb);
}

static void batch_decode__no_memory__leaves_the_octets(void **state)
{
    struct batch_builder *bb = batch_builder_new(names, 1);
    struct batch_part parts[2];
    struct batch *b = NULL, *copy = NULL;

    (void)state;
    assert_int_equal(append(bb, "first", 5), 0);
    assert_int_equal(batch_builder_seal(bb, &b), 0);
    batch_parts(b, parts);
    uint8_t *data = malloc(batch_bytes(b));
    assert_non_null(data);
    memcpy(data, parts[0].data, parts[0].length);
    memcpy(data + parts[0].length, parts[1].data, parts[1].length);
    allowance = 0;
    int r = batch_decode(data, batch_bytes(b), &copy);
    allowance = -1;
    assert_int_equal(r, ERR_NO_MEMORY);
    assert_null(copy);
    assert_int_equal(batch_decode(data, batch_bytes(b), &copy), 0);
    batch_unref(copy);
    batch_unref(b);
    batch_builder_free(bb);
}

static void session__no_memory__is_no_session(void **state)
{
    struct pair p;

    (void)state;
    pair_init(&p, NULL, NULL);
    struct session_options options = pair_options(&p, 0);
    allowance = 0;
    struct session *s = session_new(&options, 0);
    allowance = -1;
    assert_null(s);
    pair_release(&p);
}

/* The peer keeps the batch and sends it again in the next session. */
static void session__no_memory_for_a_batch__ends_as_internal(void **state)
{
    struct pair p;
    uint8_t header[WIRE_DATA_HEADER_BYTES];

    (void)state;
    pair_init(&p, NULL, NULL);
    pair_connect(&p);
    pair_run(&p);
    wire_encode_data_header(1, 1000, header);
    allowance = 0;
    pair_feed(&p, 1, header, sizeof(header), SIZE_MAX);
    allowance = -1;
    const struct pair_event *closed = pair_find(&p, 1, SESSION_CLOSED);
    assert_non_null(closed);
    assert_int_equal(closed->reason, WIRE_REASON_INTERNAL);
    pair_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch__allocation_fails__can_be_repeated),
        cmocka_unit_test(batch_decode__no_memory__leaves_the_octets),
        cmocka_unit_test(session__no_memory__is_no_session),
        cmocka_unit_test(session__no_memory_for_a_batch__ends_as_internal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
