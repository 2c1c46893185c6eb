/* SPDX-License-Identifier: MIT */
/* batch.h - records that travel and are acknowledged together.
 *
 * A batch is self-contained: it carries the names of the inputs and the addresses of the
 * sources that its records use, so that it can be spooled and sent in a later session. Its
 * format is made for speed at both ends, in columns (PROTOCOL.md, "Batch"; all integers
 * little-endian):
 *
 *     header    24 octets   see BATCH_HEADER_*
 *     inputs    for each: u8 length, name
 *     sources   for each: u8 family, u8 transport, u8 input, u8 0, u16 port, u16 0, 16 octets
 *               of address
 *     records   for each: u32 end (of it and its LF in the payload), u32 orig_length, u32 time
 *               offset in us from the header's time, u16 source, u16 flags
 *     payload   for each record its octets and one LF
 *
 * Ends instead of lengths: each record is found in one step, without an index beside the batch.
 *
 * The LF behind each record is not part of it. It is there so that a line-framed output can
 * write a run of records that need no escape (no RECORD_BINARY) straight from the payload,
 * without touching them.
 *
 * All functions are pure memory. One thread at a time for each builder; a sealed batch is
 * read-only and may be read by any number of threads.
 */
#ifndef HVLOG_CORE_BATCH_H
#define HVLOG_CORE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

enum {
    BATCH_HEADER_BYTES = 24, /* u64 time_us, u32 payload bytes, u32 records, u16 sources,
                                u8 inputs, u8 version (1), u32 input table bytes */
    BATCH_VERSION = 1,
    BATCH_INPUT_BYTES = 1 + INPUT_NAME_MAX, /* at most, for each input */
    BATCH_SOURCE_BYTES = 24,
    BATCH_RECORD_BYTES = 16,
    BATCH_RECORDS_MAX = 8192,          /* records in one batch */
    BATCH_SOURCES_MAX = 1024,          /* distinct sources in one batch */
    BATCH_PAYLOAD_TARGET = 256 * 1024, /* a builder with so much payload is full */
    BATCH_TIME_SLACK_US = 1000000,     /* records may be so much older than a batch's first */
    /* What a peer may send at most. A builder that is just not full takes one more message. */
    BATCH_PAYLOAD_MAX = BATCH_PAYLOAD_TARGET + MESSAGE_MAX_LIMIT + 1,
    BATCH_BYTES_MAX = BATCH_HEADER_BYTES + INPUT_COUNT_MAX * BATCH_INPUT_BYTES +
                      BATCH_SOURCES_MAX * BATCH_SOURCE_BYTES +
                      BATCH_RECORDS_MAX * BATCH_RECORD_BYTES + BATCH_PAYLOAD_MAX,
};

/* ---- a sealed batch ---------------------------------------------------------------------- */

/* An encoded batch, checked, with its columns found. Shared by reference counting. */
struct batch;

/* batch_decode() - check <length> octets that came from a peer or a disk, and make a batch of
 * them.
 *
 * Takes ownership of <data> (from malloc) on success only. Every count, index and sum is
 * checked; what the accessors below give afterwards needs no further check.
 *
 * Returns 0 and a batch with one reference; ERR_PROTOCOL when the octets are not a batch;
 * ERR_NO_MEMORY.
 */
int batch_decode(uint8_t *data, size_t length, struct batch **ret);

/* batch_ref() adds a reference and returns <b>; batch_unref() gives one back and frees the
 * batch with the last. NULL does nothing. Any thread.
 */
struct batch *batch_ref(struct batch *b);
void batch_unref(struct batch *b);

size_t batch_records(const struct batch *b);
size_t batch_sources(const struct batch *b);
size_t batch_inputs(const struct batch *b);

/* batch_bytes() - the encoded size; batch_cost() - the memory it takes, for limits. */
size_t batch_bytes(const struct batch *b);
size_t batch_cost(const struct batch *b);

/* batch_record() - the <i>th record. The data lives as long as the batch. */
struct record batch_record(const struct batch *b, size_t i);
struct source batch_source(const struct batch *b, size_t i);

/* batch_input() - the name of input <i> of this batch; <ret_length> octets, no NUL. */
const char *batch_input(const struct batch *b, size_t i, size_t *ret_length);

/* batch_parts() - the encoded octets in two pieces (columns, payload), for a gathering write.
 * The pieces live as long as the batch. The payload's records follow each other, each with its
 * LF.
 */
struct batch_part {
    const uint8_t *data;
    size_t length;
};
void batch_parts(const struct batch *b, struct batch_part ret_parts[2]);

/* batch_is_plain() - true when no record is RECORD_BINARY: the payload is ready-made lines. */
bool batch_is_plain(const struct batch *b);

/* ---- building ---------------------------------------------------------------------------- */

struct batch_builder;

/* batch_builder_new() - for records of <input_count> inputs named <names> (borrowed for the
 * builder's life, each of 1 to INPUT_NAME_MAX octets without control octets, at most
 * INPUT_COUNT_MAX of them); struct source.input indexes them.
 *
 * Returns NULL when memory is out or the names are not like that.
 */
struct batch_builder *batch_builder_new(const char *const *names, size_t input_count);
void batch_builder_free(struct batch_builder *bb);

/* batch_builder_source() - the index of <source> in the batch being built, added if it is new.
 * The last one asked for is found at once, the others by hash.
 *
 * Returns the index, or ERR_FULL: seal first (then all indexes are void).
 */
int batch_builder_source(struct batch_builder *bb, const struct source *source);

/* batch_builder_append() - add one record, whose source index came from batch_builder_source()
 * for this same batch. The octets are copied. <r>.length is at most MESSAGE_MAX_LIMIT; an
 * orig_length below it is taken as equal to it.
 *
 * Never more than a copy and 16 octets of table, and one allocation for a batch whose
 * predecessor took the buffer along.
 *
 * Returns 0; ERR_FULL: seal and come again (the record was not taken; also when its time lies
 * more than BATCH_TIME_SLACK_US before the batch's first or about 2^32 us behind it);
 * ERR_NO_MEMORY.
 */
int batch_builder_append(struct batch_builder *bb, const struct record *r);

/* batch_builder_is_full() - the target size is reached, in payload or records: time to seal. */
bool batch_builder_is_full(const struct batch_builder *bb);
size_t batch_builder_records(const struct batch_builder *bb);

/* batch_builder_seal() - turn what was appended into a batch and leave the builder empty.
 *
 * A small batch gets memory of its exact size; a large one takes the builder's buffer along. In
 * no case is more than half of the memory of a sealed batch unused.
 *
 * Returns 0 and a batch with one reference; ERR_AGAIN when nothing was appended; ERR_NO_MEMORY
 * (the records stay in the builder).
 */
int batch_builder_seal(struct batch_builder *bb, struct batch **ret);

#endif
