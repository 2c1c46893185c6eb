/* SPDX-License-Identifier: MIT */
/* batch.c - a sealed batch: checking what came, and reading it. */
#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "batch_columns.h"
#include "bytes.h"
#include "err.h"

bool batch_name_is_clean(const uint8_t *name, size_t length)
{
    if (length == 0 || length > INPUT_NAME_MAX)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (name[i] < 0x20 || name[i] == 0x7F)
            return false;
    }
    return true;
}

void batch_find_columns(struct batch *b)
{
    const uint8_t *h = b->columns;

    b->time_us = bytes_get64(h + BATCH_AT_TIME);
    b->payload_length = bytes_get32(h + BATCH_AT_PAYLOAD);
    b->records = bytes_get32(h + BATCH_AT_RECORDS);
    b->sources = bytes_get16(h + BATCH_AT_SOURCES);
    b->inputs = h[BATCH_AT_INPUTS];
    b->source_table = h + BATCH_HEADER_BYTES + bytes_get32(h + BATCH_AT_INPUT_BYTES);
    b->rows = b->source_table + b->sources * BATCH_SOURCE_BYTES;
    b->columns_length = (size_t)(b->rows - h) + b->records * BATCH_RECORD_BYTES;
}

/* header_is_valid() - are the counts within their limits, and do they add up to <length>? After
 * this all columns lie inside the octets.
 */
static bool header_is_valid(const uint8_t *data, size_t length)
{
    if (length < BATCH_HEADER_BYTES || length > BATCH_BYTES_MAX)
        return false;

    uint64_t payload = bytes_get32(data + BATCH_AT_PAYLOAD);
    uint64_t records = bytes_get32(data + BATCH_AT_RECORDS);
    uint64_t sources = bytes_get16(data + BATCH_AT_SOURCES);
    uint64_t input_bytes = bytes_get32(data + BATCH_AT_INPUT_BYTES);
    uint8_t inputs = data[BATCH_AT_INPUTS];

    return data[BATCH_AT_VERSION] == BATCH_VERSION && payload <= BATCH_PAYLOAD_MAX &&
           records >= 1 && records <= BATCH_RECORDS_MAX && sources >= 1 &&
           sources <= BATCH_SOURCES_MAX && inputs >= 1 && inputs <= INPUT_COUNT_MAX &&
           bytes_get64(data + BATCH_AT_TIME) <= UINT64_MAX - UINT32_MAX &&
           length == BATCH_HEADER_BYTES + input_bytes + sources * BATCH_SOURCE_BYTES +
                         records * BATCH_RECORD_BYTES + payload;
}

static bool inputs_are_valid(const struct batch *b)
{
    const uint8_t *at = b->columns + BATCH_HEADER_BYTES;

    for (size_t i = 0; i < b->inputs; i++) {
        size_t left = (size_t)(b->source_table - at);

        if (left == 0 || left < 1 + (size_t)at[0] || !batch_name_is_clean(at + 1, at[0]))
            return false;
        at += 1 + at[0];
    }
    return at == b->source_table;
}

/* source_is_valid() - one way to write each source: what the family does not use is 0. */
static bool source_is_valid(const uint8_t *s, size_t inputs)
{
    static const uint8_t zero[16];
    size_t used;

    switch (s[SOURCE_AT_FAMILY]) {
    case ADDRESS_NONE:
        used = 0;
        break;
    case ADDRESS_IPV4:
        used = 4;
        break;
    case ADDRESS_IPV6:
        used = 16;
        break;
    default:
        return false;
    }
    return s[SOURCE_AT_TRANSPORT] <= TRANSPORT_UNIX_DGRAM && s[SOURCE_AT_INPUT] < inputs &&
           s[SOURCE_AT_ZERO] == 0 && bytes_get16(s + SOURCE_AT_ZERO2) == 0 &&
           memcmp(s + SOURCE_AT_IP + used, zero, 16 - used) == 0;
}

static bool sources_are_valid(const struct batch *b)
{
    for (size_t i = 0; i < b->sources; i++) {
        if (!source_is_valid(b->source_table + i * BATCH_SOURCE_BYTES, b->inputs))
            return false;
    }
    return true;
}

/* rows_are_valid() - each record ends behind the one before, with an LF, and the last one where
 * the payload does. Notes on the way whether all are plain.
 */
static bool rows_are_valid(struct batch *b)
{
    const uint8_t *row = b->rows;
    uint32_t start = 0;
    uint16_t flags = 0;

    for (size_t i = 0; i < b->records; i++, row += BATCH_RECORD_BYTES) {
        uint32_t end = bytes_get32(row + ROW_AT_END);

        if (end <= start || end > b->payload_length || b->payload[end - 1] != '\n')
            return false;
        uint32_t length = end - start - 1;
        if (length > MESSAGE_MAX_LIMIT || bytes_get32(row + ROW_AT_ORIG_LENGTH) < length ||
            bytes_get16(row + ROW_AT_SOURCE) >= b->sources)
            return false;
        flags |= bytes_get16(row + ROW_AT_FLAGS);
        start = end;
    }
    b->is_plain = (flags & RECORD_BINARY) == 0;
    return start == b->payload_length;
}

int batch_decode(uint8_t *data, size_t length, struct batch **ret)
{
    if (!header_is_valid(data, length))
        return ERR_PROTOCOL;

    struct batch *b = malloc(sizeof(*b));
    if (b == NULL)
        return ERR_NO_MEMORY;
    *b = (struct batch){.columns = data, .cost = sizeof(*b) + length};
    batch_find_columns(b);
    b->payload = data + b->columns_length;

    if (!inputs_are_valid(b) || !sources_are_valid(b) || !rows_are_valid(b)) {
        free(b);
        return ERR_PROTOCOL;
    }
    atomic_init(&b->references, 1);
    b->owned = data;
    *ret = b;
    return 0;
}

struct batch *batch_ref(struct batch *b)
{
    if (b != NULL)
        atomic_fetch_add_explicit(&b->references, 1, memory_order_relaxed);
    return b;
}

/* The release half publishes this thread's last reads, the acquire half makes sure that whoever
 * frees comes behind all of them.
 */
void batch_unref(struct batch *b)
{
    if (b == NULL || atomic_fetch_sub_explicit(&b->references, 1, memory_order_acq_rel) != 1)
        return;
    free(b->owned);
    free(b);
}

size_t batch_records(const struct batch *b)
{
    return b->records;
}

size_t batch_sources(const struct batch *b)
{
    return b->sources;
}

size_t batch_inputs(const struct batch *b)
{
    return b->inputs;
}

size_t batch_bytes(const struct batch *b)
{
    return b->columns_length + b->payload_length;
}

size_t batch_cost(const struct batch *b)
{
    return b->cost;
}

struct record batch_record(const struct batch *b, size_t i)
{
    const uint8_t *row = b->rows + i * BATCH_RECORD_BYTES;
    uint32_t start = i == 0 ? 0 : bytes_get32(row - BATCH_RECORD_BYTES + ROW_AT_END);

    return (struct record){
        .data = b->payload + start,
        .length = bytes_get32(row + ROW_AT_END) - start - 1,
        .orig_length = bytes_get32(row + ROW_AT_ORIG_LENGTH),
        .time_us = b->time_us + bytes_get32(row + ROW_AT_TIME),
        .flags = bytes_get16(row + ROW_AT_FLAGS),
        .source = bytes_get16(row + ROW_AT_SOURCE),
    };
}

struct source batch_source(const struct batch *b, size_t i)
{
    const uint8_t *s = b->source_table + i * BATCH_SOURCE_BYTES;
    struct source source = {
        .address = {.family = s[SOURCE_AT_FAMILY], .port = bytes_get16(s + SOURCE_AT_PORT)},
        .transport = s[SOURCE_AT_TRANSPORT],
        .input = s[SOURCE_AT_INPUT],
    };

    memcpy(source.address.ip, s + SOURCE_AT_IP, sizeof(source.address.ip));
    return source;
}

const char *batch_input(const struct batch *b, size_t i, size_t *ret_length)
{
    const uint8_t *at = b->columns + BATCH_HEADER_BYTES;

    for (; i > 0; i--)
        at += 1 + at[0];
    *ret_length = at[0];
    return (const char *)(at + 1);
}

void batch_parts(const struct batch *b, struct batch_part ret_parts[2])
{
    ret_parts[0] = (struct batch_part){.data = b->columns, .length = b->columns_length};
    ret_parts[1] = (struct batch_part){.data = b->payload, .length = b->payload_length};
}

bool batch_is_plain(const struct batch *b)
{
    return b->is_plain;
}
