/* SPDX-License-Identifier: MIT */
/* output_format.c - from batches to the text that an output writes. */
#include "output_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/handover.h"
#include "output.h"

enum { PREFIX_TEXT_MAX = ADDRESS_TEXT_MAX + sizeof(" unix-dgram ") };

struct output_source_prefix {
    uint8_t length;
    char text[PREFIX_TEXT_MAX];
};

static const char *const transport_names[] = {
    [TRANSPORT_INTERNAL] = "internal",
    [TRANSPORT_UDP] = "udp",
    [TRANSPORT_TCP] = "tcp",
    [TRANSPORT_UNIX] = "unix",
    [TRANSPORT_UNIX_DGRAM] = "unix-dgram",
};

static const char *transport_name(uint8_t transport)
{
    return transport < sizeof(transport_names) / sizeof(transport_names[0])
               ? transport_names[transport]
               : "unknown";
}

/* ---- which records ----------------------------------------------------------------------- */

bool output_wants(const struct output_config *config, const char *name, size_t length)
{
    if (config->input_count == 0)
        return true;
    for (size_t i = 0; i < config->input_count; i++)
        if (strlen(config->inputs[i]) == length && memcmp(config->inputs[i], name, length) == 0)
            return true;
    return false;
}

void output_selection_make(struct output_selection *s, const struct output_config *config,
                           const struct batch *b)
{
    bool input_wanted[INPUT_COUNT_MAX] = {false};

    s->is_all = true;
    if (config->input_count == 0)
        return;
    for (size_t i = 0; i < batch_inputs(b); i++) {
        size_t length;
        const char *name = batch_input(b, i, &length);
        input_wanted[i] = output_wants(config, name, length);
    }
    for (size_t i = 0; i < batch_sources(b); i++) {
        s->wanted[i] = input_wanted[batch_source(b, i).input];
        s->is_all = s->is_all && s->wanted[i];
    }
}

/* ---- the text ---------------------------------------------------------------------------- */

int output_format_init(struct output_format *f, const struct output_config *config)
{
    *f = (struct output_format){.config = config};
    if (config->prefix == PREFIX_NONE)
        return 0;
    f->prefixes = calloc(BATCH_SOURCES_MAX, sizeof(*f->prefixes));
    return f->prefixes != NULL ? 0 : ERR_NO_MEMORY;
}

void output_format_release(struct output_format *f)
{
    free(f->prefixes);
    free(f->room);
    *f = (struct output_format){.config = f->config};
}

static void make_prefixes(struct output_format *f)
{
    for (size_t i = 0; i < batch_sources(f->batch); i++) {
        struct source source = batch_source(f->batch, i);
        struct output_source_prefix *p = &f->prefixes[i];
        char address[ADDRESS_TEXT_MAX];
        int n = snprintf(p->text, sizeof(p->text), "%s %s ",
                         address_format(&source.address, address, sizeof(address)),
                         transport_name(source.transport));
        p->length = (uint8_t)n;
    }
}

void output_format_begin(struct output_format *f, const struct batch *b)
{
    const struct output_config *c = f->config;

    f->batch = b;
    f->next = 0;
    f->records = f->bytes = f->nul_escaped = 0;
    output_selection_make(&f->selection, c, b);
    f->is_payload = f->selection.is_all && f->prefixes == NULL && c->framing == OUTPUT_LINE &&
                    (!c->escape || batch_is_plain(b));
    if (f->prefixes != NULL)
        make_prefixes(f);
}

void output_format_clear(struct output_format *f)
{
    f->room_used = 0;
}

static int next_payload(struct output_format *f, struct os_vec *ret)
{
    struct batch_part parts[2];
    size_t records = batch_records(f->batch);

    if (f->next == records)
        return 0;
    batch_parts(f->batch, parts);
    *ret = (struct os_vec){.data = parts[1].data, .length = parts[1].length};
    f->next = f->records = records;
    f->bytes = parts[1].length - records; /* without the LFs */
    return 1;
}

/* One record's text, measured before it is made. */
struct layout {
    struct record record;
    const struct output_source_prefix *prefix; /* or NULL */
    size_t message;                            /* octets of the message as written */
    bool is_escaped;
    uint8_t count[HANDOVER_PREFIX_MAX];
    size_t count_length;
    size_t total;
};

static void measure(const struct output_format *f, const struct record *r, struct layout *l)
{
    const struct output_config *c = f->config;

    *l = (struct layout){.record = *r, .message = r->length};
    size_t prefix = 0;
    if (f->prefixes != NULL) {
        l->prefix = &f->prefixes[r->source];
        prefix = l->prefix->length;
    }
    if (c->framing == OUTPUT_OCTET) {
        l->count_length = handover_count_prefix(l->count, (uint32_t)(prefix + r->length));
        l->total = l->count_length + prefix + l->message;
        return;
    }
    l->is_escaped = c->escape && (r->flags & RECORD_BINARY) != 0;
    if (l->is_escaped)
        l->message = handover_escaped_length(r->data, r->length);
    l->total = prefix + l->message + 1;
}

static void put(struct output_format *f, const void *data, size_t length)
{
    memcpy(f->room + f->room_used, data, length);
    f->room_used += length;
}

static void lay_down(struct output_format *f, const struct layout *l)
{
    put(f, l->count, l->count_length);
    if (l->prefix != NULL)
        put(f, l->prefix->text, l->prefix->length);
    if (l->is_escaped)
        f->room_used += handover_escape(f->room + f->room_used, l->record.data,
                                        l->record.length, &f->nul_escaped);
    else
        put(f, l->record.data, l->record.length);
    if (f->config->framing == OUTPUT_LINE)
        put(f, "\n", 1);
    f->records++;
    f->bytes += l->record.length;
}

/* Room for <length> more octets. It moves only while nothing in it has been handed out. */
static int make_room(struct output_format *f, size_t length)
{
    if (f->room_size - f->room_used >= length)
        return 0;
    if (f->room_used > 0)
        return ERR_FULL;
    size_t size = length > OUTPUT_ROOM_BYTES ? length : OUTPUT_ROOM_BYTES;
    uint8_t *room = realloc(f->room, size);
    if (room == NULL)
        return ERR_NO_MEMORY;
    f->room = room;
    f->room_size = size;
    return 0;
}

int output_format_next(struct output_format *f, struct os_vec *ret)
{
    size_t start = f->room_used;
    int r = 0;

    if (f->is_payload)
        return next_payload(f, ret);
    for (; f->next < batch_records(f->batch); f->next++) {
        struct record record = batch_record(f->batch, f->next);
        struct layout layout;
        if (!output_selection_has(&f->selection, record.source))
            continue;
        measure(f, &record, &layout);
        r = make_room(f, layout.total);
        if (r < 0)
            break;
        lay_down(f, &layout);
    }
    if (f->room_used == start)
        return r;
    *ret = (struct os_vec){.data = f->room + start, .length = f->room_used - start};
    return 1;
}
