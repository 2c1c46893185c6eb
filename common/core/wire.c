/* SPDX-License-Identifier: MIT */
/* wire.c - the frames of the link. */
#include "wire.h"

#include <string.h>

#include "bytes.h"
#include "err.h"
#include "utf8.h"

/* Where the fields stand in a HELLO's body. The same in every version: later ones append. */
enum {
    HELLO_AT_LOWEST = 8,
    HELLO_AT_HIGHEST = 10,
    HELLO_AT_CAPABILITIES = 12,
    HELLO_AT_ROLE = 16,
    HELLO_AT_HAS_SECRET = 17,
    HELLO_AT_NAME_LENGTH = 18,
    HELLO_AT_ZERO = 19,
    HELLO_AT_NONCE = 20,
    HELLO_AT_IDENTITY = 52,
    HELLO_AT_NAME = 68,
};

_Static_assert((int)HELLO_AT_NAME == (int)WIRE_HELLO_BYTES, "the name is the last field");
_Static_assert(WIRE_HELLO_BYTES + WIRE_NAME_MAX <= WIRE_SMALL_BODY_MAX, "a hello fits");
_Static_assert(WIRE_BYE_BYTES + WIRE_REASON_MAX <= WIRE_SMALL_BODY_MAX, "a bye fits");

const uint8_t wire_magic[WIRE_MAGIC_BYTES] = {'h', 'v', 'l', 'o', 'g', '\r', '\n', 0x1A};

/* ---- what a peer may say ----------------------------------------------------------------- */

bool wire_text_is_clean(const char *text, size_t length)
{
    const uint8_t *s = (const uint8_t *)text;

    while (length > 0) {
        size_t used = utf8_clean_length(s, length);
        if (used == 0)
            return false;
        s += used;
        length -= used;
    }
    return true;
}

/* text_decode() - a peer's text into a string. */
static int text_decode(const uint8_t *in, size_t length, char *ret, size_t limit)
{
    if (length > limit || !wire_text_is_clean((const char *)in, length))
        return ERR_PROTOCOL;
    memcpy(ret, in, length);
    ret[length] = '\0';
    return 0;
}

/* hello_octet_fits() - may octet <i> of <in> stand there in a HELLO's header or magic? A
 * length's low octet says nothing alone.
 */
static bool hello_octet_fits(const uint8_t *in, size_t i)
{
    switch (i) {
    case 0:
        return true;
    case 1:
        return bytes_get16(in) >= WIRE_HELLO_BYTES && bytes_get16(in) <= WIRE_SMALL_BODY_MAX;
    case 4:
        return in[i] == WIRE_HELLO;
    default:
        return in[i] == (i < WIRE_HEADER_BYTES ? 0 : wire_magic[i - WIRE_HEADER_BYTES]);
    }
}

bool wire_is_foreign(const uint8_t *in, size_t length)
{
    for (size_t i = 0; i < length && i < WIRE_HEADER_BYTES + WIRE_MAGIC_BYTES; i++) {
        if (!hello_octet_fits(in, i))
            return true;
    }
    return false;
}

/* ---- encoding ---------------------------------------------------------------------------- */

static size_t encode_hello(const struct wire_hello *h, uint8_t *out)
{
    size_t length = strlen(h->name);

    memcpy(out, wire_magic, WIRE_MAGIC_BYTES);
    bytes_put16(out + HELLO_AT_LOWEST, h->version_lowest);
    bytes_put16(out + HELLO_AT_HIGHEST, h->version_highest);
    bytes_put32(out + HELLO_AT_CAPABILITIES, h->capabilities);
    out[HELLO_AT_ROLE] = h->role;
    out[HELLO_AT_HAS_SECRET] = h->has_secret;
    out[HELLO_AT_NAME_LENGTH] = (uint8_t)length;
    out[HELLO_AT_ZERO] = 0;
    memcpy(out + HELLO_AT_NONCE, h->nonce, WIRE_NONCE_BYTES);
    memcpy(out + HELLO_AT_IDENTITY, h->identity, WIRE_IDENTITY_BYTES);
    memcpy(out + HELLO_AT_NAME, h->name, length);
    return WIRE_HELLO_BYTES + length;
}

static size_t encode_bye(const struct wire_bye *bye, uint8_t *out)
{
    size_t length = strlen(bye->text);

    bytes_put16(out, bye->reason);
    memcpy(out + WIRE_BYE_BYTES, bye->text, length);
    return WIRE_BYE_BYTES + length;
}

/* encode_body() - returns the body's length, or ERR_INVALID. */
static ptrdiff_t encode_body(const struct wire_frame *f, uint8_t *out)
{
    switch (f->type) {
    case WIRE_HELLO:
        return (ptrdiff_t)encode_hello(&f->u.hello, out);
    case WIRE_PROOF:
        memcpy(out, f->u.proof, WIRE_PROOF_BYTES);
        return WIRE_PROOF_BYTES;
    case WIRE_RESUME:
        bytes_put64(out, f->u.resume.last_seq);
        bytes_put64(out + 8, f->u.resume.credit);
        return WIRE_RESUME_BYTES;
    case WIRE_ACK:
        bytes_put64(out, f->u.seq);
        return 8;
    case WIRE_CREDIT:
        bytes_put64(out, f->u.credit);
        return 8;
    case WIRE_PING:
    case WIRE_PONG:
        bytes_put64(out, f->u.token);
        return 8;
    case WIRE_BYE:
        return (ptrdiff_t)encode_bye(&f->u.bye, out);
    default:
        return ERR_INVALID;
    }
}

static void encode_header(uint8_t *out, size_t length, uint8_t type)
{
    bytes_put32(out, (uint32_t)length);
    out[4] = type;
    out[5] = 0;
    bytes_put16(out + 6, 0);
}

ptrdiff_t wire_encode(const struct wire_frame *f, uint8_t *out, size_t size)
{
    if (size < WIRE_SMALL_FRAME_MAX)
        return ERR_INVALID;

    ptrdiff_t length = encode_body(f, out + WIRE_HEADER_BYTES);
    if (length < 0)
        return length;
    encode_header(out, (size_t)length, f->type);
    return WIRE_HEADER_BYTES + length;
}

void wire_encode_data_header(uint64_t seq, size_t batch_bytes,
                             uint8_t out[WIRE_DATA_HEADER_BYTES])
{
    encode_header(out, WIRE_SEQ_BYTES + batch_bytes, WIRE_DATA);
    bytes_put64(out + WIRE_HEADER_BYTES, seq);
}

/* ---- decoding ---------------------------------------------------------------------------- */

bool wire_type_is_known(uint8_t type)
{
    return type >= WIRE_HELLO && type <= WIRE_BYE;
}

int wire_decode_header(const uint8_t in[WIRE_HEADER_BYTES], struct wire_header *ret)
{
    if (wire_type_is_known(in[4]) && (in[5] != 0 || bytes_get16(in + 6) != 0))
        return ERR_PROTOCOL;
    *ret = (struct wire_header){.length = bytes_get32(in), .type = in[4]};
    return 0;
}

static int decode_hello(const uint8_t *in, size_t length, struct wire_hello *ret)
{
    if (length < WIRE_HELLO_BYTES || length > WIRE_SMALL_BODY_MAX ||
        memcmp(in, wire_magic, WIRE_MAGIC_BYTES) != 0)
        return ERR_PROTOCOL;

    *ret = (struct wire_hello){
        .version_lowest = bytes_get16(in + HELLO_AT_LOWEST),
        .version_highest = bytes_get16(in + HELLO_AT_HIGHEST),
        .capabilities = bytes_get32(in + HELLO_AT_CAPABILITIES),
        .role = in[HELLO_AT_ROLE],
        .has_secret = in[HELLO_AT_HAS_SECRET],
    };
    memcpy(ret->nonce, in + HELLO_AT_NONCE, WIRE_NONCE_BYTES);
    memcpy(ret->identity, in + HELLO_AT_IDENTITY, WIRE_IDENTITY_BYTES);

    size_t name_length = in[HELLO_AT_NAME_LENGTH];
    if (ret->version_lowest > ret->version_highest || ret->has_secret > 1 ||
        (ret->role != WIRE_CONNECTOR && ret->role != WIRE_LISTENER) ||
        name_length > length - WIRE_HELLO_BYTES)
        return ERR_PROTOCOL;
    return text_decode(in + HELLO_AT_NAME, name_length, ret->name, WIRE_NAME_MAX);
}

static int decode_bye(const uint8_t *in, size_t length, struct wire_bye *ret)
{
    if (length < WIRE_BYE_BYTES)
        return ERR_PROTOCOL;
    ret->reason = bytes_get16(in);
    return text_decode(in + WIRE_BYE_BYTES, length - WIRE_BYE_BYTES, ret->text,
                       WIRE_REASON_MAX);
}

static int decode_u64(const uint8_t *in, size_t length, uint64_t *ret)
{
    if (length != 8)
        return ERR_PROTOCOL;
    *ret = bytes_get64(in);
    return 0;
}

static int decode_body(uint8_t type, const uint8_t *body, size_t length, struct wire_frame *f)
{
    switch (type) {
    case WIRE_HELLO:
        return decode_hello(body, length, &f->u.hello);
    case WIRE_PROOF:
        if (length != WIRE_PROOF_BYTES)
            return ERR_PROTOCOL;
        memcpy(f->u.proof, body, WIRE_PROOF_BYTES);
        return 0;
    case WIRE_RESUME:
        if (length != WIRE_RESUME_BYTES)
            return ERR_PROTOCOL;
        f->u.resume.last_seq = bytes_get64(body);
        f->u.resume.credit = bytes_get64(body + 8);
        return 0;
    case WIRE_ACK:
        return decode_u64(body, length, &f->u.seq);
    case WIRE_CREDIT:
        return decode_u64(body, length, &f->u.credit);
    case WIRE_PING:
    case WIRE_PONG:
        return decode_u64(body, length, &f->u.token);
    case WIRE_BYE:
        return decode_bye(body, length, &f->u.bye);
    default:
        return ERR_UNSUPPORTED;
    }
}

int wire_decode(uint8_t type, const uint8_t *body, size_t length, struct wire_frame *ret)
{
    struct wire_frame f = {.type = type};
    int r = decode_body(type, body, length, &f);

    if (r == 0)
        *ret = f;
    return r;
}

const char *wire_reason_text(unsigned reason)
{
    static const char *const texts[] = {
        [WIRE_REASON_STOP] = "the program stops",
        [WIRE_REASON_VERSION] = "no common version of the protocol",
        [WIRE_REASON_SECRET] = "the secrets differ",
        [WIRE_REASON_PROTOCOL] = "the protocol was broken",
        [WIRE_REASON_TOO_LARGE] = "a frame above the limit",
        [WIRE_REASON_BUSY] = "too many peers",
        [WIRE_REASON_TIMEOUT] = "no sign of life in time",
        [WIRE_REASON_NAME] = "another peer of that name or identity is connected",
        [WIRE_REASON_INTERNAL] = "memory or the cryptography failed",
    };

    if (reason < sizeof(texts) / sizeof(texts[0]))
        return texts[reason];
    return "a reason that this version does not know";
}
