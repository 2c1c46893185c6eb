/* SPDX-License-Identifier: MIT */
/* batch_builder.c - collecting records into a batch. */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "batch_columns.h"
#include "bytes.h"
#include "err.h"

enum {
    SLOTS = 2 * BATCH_SOURCES_MAX, /* a power of two, never more than half full */
    PAYLOAD_START = BATCH_PAYLOAD_TARGET / 4,
    /* What the last message may take beyond the target before the buffer grows once more. */
    PAYLOAD_ROOM = BATCH_PAYLOAD_TARGET + 16 * 1024,
    ROWS_START = 256,
};

_Static_assert((SLOTS & (SLOTS - 1)) == 0, "slots are found with a mask");

/* A slot belongs to the batch being built if it has that batch's stamp; so a new batch empties
 * the table by taking the next stamp.
 */
struct slot {
    uint32_t stamp;
    uint16_t index;
};

struct batch_builder {
    uint8_t *payload;
    size_t payload_length;
    size_t payload_size;
    size_t payload_start; /* first allocation: as large as the last batch turned out */
    uint8_t *rows;
    size_t records;
    size_t rows_size; /* in records */
    uint64_t time_us; /* of the header: the first record's, less the slack */
    uint16_t flags;   /* of all records together */
    size_t sources;
    struct source last; /* the source asked for last, and its index */
    size_t last_index;
    uint32_t stamp;
    struct slot slots[SLOTS];
    uint8_t source_table[BATCH_SOURCES_MAX * BATCH_SOURCE_BYTES];
    size_t inputs;
    size_t input_bytes;
    uint8_t input_table[INPUT_COUNT_MAX * BATCH_INPUT_BYTES];
};

static bool builder_add_input(struct batch_builder *bb, const char *name)
{
    size_t length = strlen(name);

    if (!batch_name_is_clean((const uint8_t *)name, length))
        return false;
    uint8_t *at = bb->input_table + bb->input_bytes;
    at[0] = (uint8_t)length;
    memcpy(at + 1, name, at[0]);
    bb->input_bytes += 1 + length;
    bb->inputs++;
    return true;
}

struct batch_builder *batch_builder_new(const char *const *names, size_t input_count)
{
    if (input_count > INPUT_COUNT_MAX)
        return NULL;

    struct batch_builder *bb = calloc(1, sizeof(*bb));
    if (bb == NULL)
        return NULL;
    bb->stamp = 1; /* the slots have 0 */
    bb->payload_start = PAYLOAD_START;
    for (size_t i = 0; i < input_count; i++) {
        if (!builder_add_input(bb, names[i])) {
            batch_builder_free(bb);
            return NULL;
        }
    }
    return bb;
}

void batch_builder_free(struct batch_builder *bb)
{
    if (bb == NULL)
        return;
    free(bb->payload);
    free(bb->rows);
    free(bb);
}

/* ---- sources ----------------------------------------------------------------------------- */

static bool source_is_equal(const struct source *a, const struct source *b)
{
    return a->input == b->input && a->transport == b->transport &&
           a->address.family == b->address.family && a->address.port == b->address.port &&
           memcmp(a->address.ip, b->address.ip, sizeof(a->address.ip)) == 0;
}

static void source_encode(const struct source *source, uint8_t out[BATCH_SOURCE_BYTES])
{
    out[SOURCE_AT_FAMILY] = source->address.family;
    out[SOURCE_AT_TRANSPORT] = source->transport;
    out[SOURCE_AT_INPUT] = source->input;
    out[SOURCE_AT_ZERO] = 0;
    bytes_put16(out + SOURCE_AT_PORT, source->address.port);
    bytes_put16(out + SOURCE_AT_ZERO2, 0);
    memcpy(out + SOURCE_AT_IP, source->address.ip, sizeof(source->address.ip));
}

/* source_hash() - of the encoded form. A sender that forges addresses so that they collide
 * gains BATCH_SOURCES_MAX short steps a message at most.
 */
static size_t source_hash(const uint8_t key[BATCH_SOURCE_BYTES])
{
    uint64_t h = bytes_get64(key) * UINT64_C(0x9E3779B97F4A7C15);

    h = (h ^ (h >> 32) ^ bytes_get64(key + 8)) * UINT64_C(0xD6E8FEB86659FD93);
    h = (h ^ (h >> 32) ^ bytes_get64(key + 16)) * UINT64_C(0xD6E8FEB86659FD93);
    return (size_t)(h >> 40) & (SLOTS - 1);
}

/* builder_find_source() - the index of <key>, added if it is new, or ERR_FULL. Ends, since half
 * of the slots are free.
 */
static int builder_find_source(struct batch_builder *bb, const uint8_t key[BATCH_SOURCE_BYTES])
{
    size_t at = source_hash(key);

    for (; bb->slots[at].stamp == bb->stamp; at = (at + 1) & (SLOTS - 1)) {
        const uint8_t *known =
            bb->source_table + (size_t)bb->slots[at].index * BATCH_SOURCE_BYTES;
        if (memcmp(known, key, BATCH_SOURCE_BYTES) == 0)
            return bb->slots[at].index;
    }
    if (bb->sources == BATCH_SOURCES_MAX)
        return ERR_FULL;
    bb->slots[at] = (struct slot){.stamp = bb->stamp, .index = (uint16_t)bb->sources};
    memcpy(bb->source_table + bb->sources * BATCH_SOURCE_BYTES, key, BATCH_SOURCE_BYTES);
    return (int)bb->sources++;
}

int batch_builder_source(struct batch_builder *bb, const struct source *source)
{
    uint8_t key[BATCH_SOURCE_BYTES];

    if (bb->sources > 0 && source_is_equal(&bb->last, source))
        return (int)bb->last_index;

    source_encode(source, key);
    int index = builder_find_source(bb, key);
    if (index >= 0) {
        bb->last = *source;
        bb->last_index = (size_t)index;
    }
    return index;
}

/* ---- records ----------------------------------------------------------------------------- */

/* payload_size_for() - doubling up to the target, then just enough room for one more usual
 * message, then exactly what an unusual one needs.
 */
static size_t payload_size_for(const struct batch_builder *bb, size_t needed)
{
    size_t size = bb->payload_size > 0 ? bb->payload_size : bb->payload_start;

    while (size < needed && size < BATCH_PAYLOAD_TARGET / 2)
        size *= 2;
    if (size < needed)
        size = PAYLOAD_ROOM;
    return size < needed ? needed : size;
}

static int builder_grow_payload(struct batch_builder *bb, size_t needed)
{
    size_t size = payload_size_for(bb, needed);
    uint8_t *payload = realloc(bb->payload, size);

    if (payload == NULL)
        return ERR_NO_MEMORY;
    bb->payload = payload;
    bb->payload_size = size;
    return 0;
}

static int builder_grow_rows(struct batch_builder *bb)
{
    size_t size = bb->rows_size > 0 ? 2 * bb->rows_size : ROWS_START;
    uint8_t *rows = realloc(bb->rows, size * BATCH_RECORD_BYTES);

    if (rows == NULL)
        return ERR_NO_MEMORY;
    bb->rows = rows;
    bb->rows_size = size;
    return 0;
}

/* builder_has_time() - does <time_us> fit behind the header's time? The first record sets that.
 */
static bool builder_has_time(struct batch_builder *bb, uint64_t time_us)
{
    if (bb->records == 0) {
        bb->time_us = time_us > BATCH_TIME_SLACK_US ? time_us - BATCH_TIME_SLACK_US : 0;
        if (bb->time_us > UINT64_MAX - UINT32_MAX)
            bb->time_us = UINT64_MAX - UINT32_MAX;
    }
    return time_us - bb->time_us <= UINT32_MAX; /* what lies before wraps around */
}

int batch_builder_append(struct batch_builder *bb, const struct record *r)
{
    size_t end = bb->payload_length + r->length + 1;

    if (batch_builder_is_full(bb) || !builder_has_time(bb, r->time_us))
        return ERR_FULL;
    if (end > bb->payload_size && builder_grow_payload(bb, end) != 0)
        return ERR_NO_MEMORY;
    if (bb->records == bb->rows_size && builder_grow_rows(bb) != 0)
        return ERR_NO_MEMORY;

    if (r->length > 0)
        memcpy(bb->payload + bb->payload_length, r->data, r->length);
    bb->payload[end - 1] = '\n';
    bb->payload_length = end;

    uint8_t *row = bb->rows + bb->records++ * BATCH_RECORD_BYTES;
    bytes_put32(row + ROW_AT_END, (uint32_t)end);
    bytes_put32(row + ROW_AT_ORIG_LENGTH,
                r->orig_length < r->length ? r->length : r->orig_length);
    bytes_put32(row + ROW_AT_TIME, (uint32_t)(r->time_us - bb->time_us));
    bytes_put16(row + ROW_AT_SOURCE, r->source);
    bytes_put16(row + ROW_AT_FLAGS, r->flags);
    bb->flags |= r->flags;
    return 0;
}

bool batch_builder_is_full(const struct batch_builder *bb)
{
    return bb->payload_length >= BATCH_PAYLOAD_TARGET || bb->records >= BATCH_RECORDS_MAX;
}

size_t batch_builder_records(const struct batch_builder *bb)
{
    return bb->records;
}

/* ---- sealing ----------------------------------------------------------------------------- */

/* builder_write_columns() - header, inputs, sources and rows one behind the other. */
static void builder_write_columns(const struct batch_builder *bb, uint8_t *out)
{
    bytes_put64(out + BATCH_AT_TIME, bb->time_us);
    bytes_put32(out + BATCH_AT_PAYLOAD, (uint32_t)bb->payload_length);
    bytes_put32(out + BATCH_AT_RECORDS, (uint32_t)bb->records);
    bytes_put16(out + BATCH_AT_SOURCES, (uint16_t)bb->sources);
    out[BATCH_AT_INPUTS] = (uint8_t)bb->inputs;
    out[BATCH_AT_VERSION] = BATCH_VERSION;
    bytes_put32(out + BATCH_AT_INPUT_BYTES, (uint32_t)bb->input_bytes);
    out += BATCH_HEADER_BYTES;
    memcpy(out, bb->input_table, bb->input_bytes);
    out += bb->input_bytes;
    memcpy(out, bb->source_table, bb->sources * BATCH_SOURCE_BYTES);
    out += bb->sources * BATCH_SOURCE_BYTES;
    memcpy(out, bb->rows, bb->records * BATCH_RECORD_BYTES);
}

static void builder_start_next(struct batch_builder *bb)
{
    bb->payload_length = 0;
    bb->records = 0;
    bb->sources = 0;
    bb->flags = 0;
    if (++bb->stamp == 0) {
        memset(bb->slots, 0, sizeof(bb->slots));
        bb->stamp = 1;
    }
}

/* builder_give_payload() - let <b> own the buffer; the next batch begins with one of the usual
 * size.
 */
static void builder_give_payload(struct batch_builder *bb, struct batch *b)
{
    b->owned = bb->payload;
    b->payload = bb->payload;
    b->cost += bb->payload_size;
    bb->payload_start = bb->payload_size < PAYLOAD_ROOM ? bb->payload_size : PAYLOAD_ROOM;
    bb->payload = NULL;
    bb->payload_size = 0;
}

int batch_builder_seal(struct batch_builder *bb, struct batch **ret)
{
    if (bb->records == 0)
        return ERR_AGAIN;

    size_t columns = BATCH_HEADER_BYTES + bb->input_bytes + bb->sources * BATCH_SOURCE_BYTES +
                     bb->records * BATCH_RECORD_BYTES;
    bool gives = bb->payload_length >= bb->payload_size / 2;
    size_t size = sizeof(struct batch) + columns + (gives ? 0 : bb->payload_length);
    struct batch *b = malloc(size);
    if (b == NULL)
        return ERR_NO_MEMORY;

    uint8_t *octets = (uint8_t *)(b + 1);
    *b = (struct batch){
        .columns = octets,
        .cost = size,
        .is_plain = (bb->flags & RECORD_BINARY) == 0,
    };
    atomic_init(&b->references, 1);
    builder_write_columns(bb, octets);
    batch_find_columns(b);
    if (gives) {
        builder_give_payload(bb, b);
    } else {
        memcpy(octets + columns, bb->payload, bb->payload_length);
        b->payload = octets + columns;
    }
    builder_start_next(bb);
    *ret = b;
    return 0;
}
