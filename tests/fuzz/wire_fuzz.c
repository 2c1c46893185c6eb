/* SPDX-License-Identifier: MIT */
/* wire_fuzz.c - any octets as frames: what is taken is written again as it came. */
#include <stdlib.h>
#include <string.h>

#include "common/core/bytes.h"
#include "common/core/wire.h"

static void must(bool is_true)
{
    if (!is_true)
        abort();
}

/* check_taken() - <f> came from <body>: writing it gives that again, but for what a HELLO of a
 * later version has appended.
 */
static void check_taken(const struct wire_frame *f, const uint8_t *body, size_t length)
{
    uint8_t out[WIRE_SMALL_FRAME_MAX];
    struct wire_header header;
    struct wire_frame again;
    ptrdiff_t size = wire_encode(f, out, sizeof(out));

    must(size >= WIRE_HEADER_BYTES && wire_decode_header(out, &header) == 0);
    must(header.type == f->type && header.length == (size_t)size - WIRE_HEADER_BYTES);
    must(wire_decode(f->type, out + WIRE_HEADER_BYTES, header.length, &again) == 0);
    if (f->type == WIRE_HELLO) {
        must(header.length <= length);
        must(!wire_is_foreign(out, (size_t)size));
        must(wire_text_is_clean(f->u.hello.name, strlen(f->u.hello.name)));
        return;
    }
    must(header.length == length && memcmp(out + WIRE_HEADER_BYTES, body, length) == 0);
    if (f->type == WIRE_BYE) {
        must(wire_text_is_clean(f->u.bye.text, strlen(f->u.bye.text)));
        must(wire_reason_text(f->u.bye.reason) != NULL);
    }
}

/* Once foreign, more octets do not change that. */
static void check_foreign(const uint8_t *data, size_t size)
{
    bool is_foreign = false;

    for (size_t i = 0; i <= size && i < 2 * WIRE_HEADER_BYTES + WIRE_MAGIC_BYTES; i++) {
        must(!is_foreign || wire_is_foreign(data, i));
        is_foreign = wire_is_foreign(data, i);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wire_header header;
    struct wire_frame f;

    check_foreign(data, size);
    if (size < WIRE_HEADER_BYTES || wire_decode_header(data, &header) != 0)
        return 0;
    data += WIRE_HEADER_BYTES;
    size -= WIRE_HEADER_BYTES;
    if (wire_decode(header.type, data, size, &f) == 0)
        check_taken(&f, data, size);
    return 0;
}
