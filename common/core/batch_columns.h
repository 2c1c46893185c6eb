/* SPDX-License-Identifier: MIT */
/* batch_columns.h - how a sealed batch lies in memory: for batch.c and batch_builder.c only. */
#ifndef HVLOG_CORE_BATCH_COLUMNS_H
#define HVLOG_CORE_BATCH_COLUMNS_H

#include <stdatomic.h>

#include "batch.h"

/* Where the fields stand in the header, in a source and in a record's row. */
enum {
    BATCH_AT_TIME = 0,
    BATCH_AT_PAYLOAD = 8,
    BATCH_AT_RECORDS = 12,
    BATCH_AT_SOURCES = 16,
    BATCH_AT_INPUTS = 18,
    BATCH_AT_VERSION = 19,
    BATCH_AT_INPUT_BYTES = 20,

    SOURCE_AT_FAMILY = 0,
    SOURCE_AT_TRANSPORT = 1,
    SOURCE_AT_INPUT = 2,
    SOURCE_AT_ZERO = 3,
    SOURCE_AT_PORT = 4,
    SOURCE_AT_ZERO2 = 6,
    SOURCE_AT_IP = 8,

    ROW_AT_END = 0,
    ROW_AT_ORIG_LENGTH = 4,
    ROW_AT_TIME = 8,
    ROW_AT_SOURCE = 12,
    ROW_AT_FLAGS = 14,
};

/* The octets that are not part of this struct's own allocation are in <owned>. */
struct batch {
    atomic_uint references;
    bool is_plain;
    size_t columns_length;
    size_t payload_length;
    size_t cost;
    size_t records;
    size_t sources;
    size_t inputs;
    uint64_t time_us;
    const uint8_t *columns; /* header, inputs, sources, rows */
    const uint8_t *source_table;
    const uint8_t *rows;
    const uint8_t *payload;
    uint8_t *owned;
};

/* batch_find_columns() - fill in what the header in b->columns says. Nothing is checked. */
void batch_find_columns(struct batch *b);

/* batch_name_is_clean() - 1 to INPUT_NAME_MAX octets, no control octets among them. */
bool batch_name_is_clean(const uint8_t *name, size_t length);

#endif
