/* SPDX-License-Identifier: MIT */
/* batch_fuzz.c - any octets as a batch, and any records into a builder. */
#include <stdlib.h>
#include <string.h>

#include "common/core/batch.h"
#include "common/core/err.h"

enum { OP_BYTES = 8 };

static void must(bool is_true)
{
    if (!is_true)
        abort();
}

static void check_records(const struct batch *b, const struct batch_part *payload)
{
    const uint8_t *at = payload->data;
    bool is_plain = true;

    for (size_t i = 0; i < batch_records(b); i++) {
        struct record r = batch_record(b, i);
        must(r.data == at && r.data[r.length] == '\n');
        must(r.orig_length >= r.length && r.source < batch_sources(b));
        at += r.length + 1;
        is_plain = is_plain && (r.flags & RECORD_BINARY) == 0;
    }
    must(at == payload->data + payload->length && is_plain == batch_is_plain(b));
}

/* check_batch() - all that a batch promises without further checks. */
static void check_batch(const struct batch *b)
{
    struct batch_part parts[2];

    batch_parts(b, parts);
    must(parts[0].length + parts[1].length == batch_bytes(b));
    must(batch_bytes(b) <= BATCH_BYTES_MAX && batch_cost(b) >= batch_bytes(b));
    for (size_t i = 0; i < batch_sources(b); i++)
        must(batch_source(b, i).input < batch_inputs(b));
    for (size_t i = 0; i < batch_inputs(b); i++) {
        size_t length;
        const char *name = batch_input(b, i, &length);
        must(length >= 1 && length <= INPUT_NAME_MAX && memchr(name, '\n', length) == NULL);
    }
    check_records(b, &parts[1]);
}

static void try_decode(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    struct batch *b;

    must(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    if (batch_decode(copy, size, &b) != 0) {
        free(copy);
        return;
    }
    check_batch(b);
    batch_unref(b);
}

/* seal_and_carry() - the far side takes whatever a builder made. */
static void seal_and_carry(struct batch_builder *bb)
{
    struct batch_part parts[2];
    struct batch *b, *copy;
    size_t records = batch_builder_records(bb);
    int r = batch_builder_seal(bb, &b);

    must((r == 0) == (records > 0));
    if (r != 0)
        return;
    must(batch_records(b) == records);
    check_batch(b);
    batch_parts(b, parts);
    uint8_t *octets = malloc(batch_bytes(b));
    must(octets != NULL);
    memcpy(octets, parts[0].data, parts[0].length);
    memcpy(octets + parts[0].length, parts[1].data, parts[1].length);
    must(batch_decode(octets, batch_bytes(b), &copy) == 0);
    must(batch_records(copy) == records && batch_is_plain(copy) == batch_is_plain(b));
    batch_unref(copy);
    batch_unref(b);
}

/* append() - one record as the octets of <op> say; its text begins there too. */
static int append(struct batch_builder *bb, const uint8_t *op, size_t left)
{
    struct source source = {.transport = op[0] % 5, .input = op[1] % 2};
    struct record r = {.data = op,
                       .length = (uint32_t)(op[2] % (left + 1)),
                       .orig_length = op[3],
                       .time_us = (uint64_t)op[4] << (op[5] & 63),
                       .flags = op[6]};

    if ((op[7] & 1) != 0) {
        source.address.family = ADDRESS_IPV4;
        source.address.port = op[7];
        source.address.ip[0] = op[6];
    }
    int index = batch_builder_source(bb, &source);
    if (index < 0)
        return index;
    r.source = (uint16_t)index;
    return batch_builder_append(bb, &r);
}

static void try_build(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"lan", "local"};
    struct batch_builder *bb = batch_builder_new(names, 2);

    must(bb != NULL);
    for (; size >= OP_BYTES; data += OP_BYTES, size -= OP_BYTES) {
        int r = append(bb, data, size);
        must(r == 0 || r == ERR_FULL);
        if (r == ERR_FULL)
            seal_and_carry(bb);
    }
    seal_and_carry(bb);
    batch_builder_free(bb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_decode(data, size);
    try_build(data, size);
    return 0;
}
