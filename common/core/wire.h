/* SPDX-License-Identifier: MIT */
/* wire.h - the frames of the link: limits, encoding, decoding. PROTOCOL.md is the
 * specification.
 *
 * Everything a peer can choose (lengths, counts) is bounded here and checked by the decoders.
 * Integers are little-endian. Pure; any thread.
 */
#ifndef HVLOG_CORE_WIRE_H
#define HVLOG_CORE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"

enum wire_type {
    WIRE_HELLO = 1,
    WIRE_PROOF = 2,
    WIRE_RESUME = 3,
    WIRE_DATA = 4,
    WIRE_ACK = 5,
    WIRE_CREDIT = 6,
    WIRE_PING = 7,
    WIRE_PONG = 8,
    WIRE_BYE = 9,
    WIRE_COUNTERS = 10, /* set aside: exchange of counters */
    /* 32 to 47 are set aside for byte-stream channels. */
};

enum {
    WIRE_HEADER_BYTES = 8, /* u32 body length, u8 type, u8 flags (0), u16 reserved (0) */
    WIRE_VERSION = 1,      /* lowest and highest that this program speaks */
    WIRE_MAGIC_BYTES = 8,
    WIRE_HELLO_BYTES = 68, /* body without the name */
    WIRE_RESUME_BYTES = 16,
    WIRE_BYE_BYTES = 2, /* body without the text */
    WIRE_NONCE_BYTES = 32,
    WIRE_IDENTITY_BYTES = 16,
    WIRE_PROOF_BYTES = 32,
    WIRE_NAME_MAX = 64,        /* octets of a node's name */
    WIRE_REASON_MAX = 200,     /* octets of BYE's text */
    WIRE_SMALL_BODY_MAX = 512, /* body of every frame but DATA, and of all before the proof */
    WIRE_SEQ_BYTES = 8,        /* in a DATA body, before the batch */
    WIRE_DATA_BODY_MAX = WIRE_SEQ_BYTES + BATCH_BYTES_MAX,
    WIRE_DATA_HEADER_BYTES = WIRE_HEADER_BYTES + WIRE_SEQ_BYTES,
    WIRE_SMALL_FRAME_MAX = WIRE_HEADER_BYTES + WIRE_SMALL_BODY_MAX,
};

/* Why a session ends, in BYE. On the wire; never renumbered. */
enum wire_reason {
    WIRE_REASON_STOP = 0,      /* the program stops; come back later */
    WIRE_REASON_VERSION = 1,   /* no common version */
    WIRE_REASON_SECRET = 2,    /* wrong proof, or one side has a secret and the other none */
    WIRE_REASON_PROTOCOL = 3,  /* something that cannot be */
    WIRE_REASON_TOO_LARGE = 4, /* a frame above the limit */
    WIRE_REASON_BUSY = 5,      /* too many peers */
    WIRE_REASON_TIMEOUT = 6,   /* no hello or no heartbeat in time */
    WIRE_REASON_NAME = 7,      /* another peer of that name or identity is connected */
    WIRE_REASON_INTERNAL = 8,  /* memory or the cryptography failed here; come back later */
};

enum wire_role { WIRE_CONNECTOR = 1, WIRE_LISTENER = 2 };

struct wire_hello {
    uint16_t version_lowest;
    uint16_t version_highest;
    uint32_t capabilities; /* offered; in force is what both offer. Version 1 defines none */
    uint8_t role;          /* enum wire_role */
    uint8_t has_secret;
    uint8_t nonce[WIRE_NONCE_BYTES];
    uint8_t identity[WIRE_IDENTITY_BYTES]; /* of the stream of batches that this side sends */
    char name[WIRE_NAME_MAX + 1];          /* wire_text_is_clean(); may be empty */
};

struct wire_resume {
    uint64_t last_seq; /* the last batch of the peer's stream that is finished; 0: none known */
    uint64_t credit;   /* octets of DATA bodies that may be sent in this session, in all */
};

struct wire_bye {
    uint16_t reason;
    char text[WIRE_REASON_MAX + 1]; /* wire_text_is_clean(); may be empty */
};

/* A decoded frame other than DATA. */
struct wire_frame {
    uint8_t type;
    union {
        struct wire_hello hello;
        uint8_t proof[WIRE_PROOF_BYTES];
        struct wire_resume resume;
        uint64_t seq;    /* ACK */
        uint64_t credit; /* CREDIT */
        uint64_t token;  /* PING, PONG */
        struct wire_bye bye;
    } u;
};

struct wire_header {
    uint32_t length; /* of the body */
    uint8_t type;
};

/* wire_magic - what the body of each side's first frame begins with: "hvlog", then what
 * transfers that mean well with text destroy (CR LF, and the end of file of old systems).
 */
extern const uint8_t wire_magic[WIRE_MAGIC_BYTES];

/* wire_is_foreign() - can a peer whose first <length> octets are <in> no longer be one of ours?
 * Says so from the first octet on that does not fit a HELLO's header and magic.
 */
bool wire_is_foreign(const uint8_t *in, size_t length);

/* wire_text_is_clean() - well-formed UTF-8 without control characters (C0, DEL, C1), so that it
 * can be shown anywhere. All text of a peer is checked with it.
 */
bool wire_text_is_clean(const char *text, size_t length);

/* wire_encode() - write <f> with its header. <size> must hold WIRE_SMALL_FRAME_MAX.
 *
 * Returns the octets written, or ERR_INVALID: a type that is not known, DATA, too little room.
 */
ptrdiff_t wire_encode(const struct wire_frame *f, uint8_t *out, size_t size);

/* wire_encode_data_header() - header and seq of a DATA frame whose batch of <batch_bytes>
 * octets follows separately.
 */
void wire_encode_data_header(uint64_t seq, size_t batch_bytes,
                             uint8_t out[WIRE_DATA_HEADER_BYTES]);

/* wire_decode_header() - the first octets of any frame. Length limits depend on the session's
 * state and are checked there.
 *
 * Returns 0; ERR_PROTOCOL for flags or reserved octets that are not 0 in a known type.
 */
int wire_decode_header(const uint8_t in[WIRE_HEADER_BYTES], struct wire_header *ret);

/* wire_type_is_known() - does this version know what to do with frames of <type>? */
bool wire_type_is_known(uint8_t type);

/* wire_decode() - the body of a frame of <type> (not DATA). Octets behind a HELLO's name belong
 * to later versions and are passed over.
 *
 * Returns 0; ERR_PROTOCOL: wrong length, wrong magic, octets that cannot be; ERR_UNSUPPORTED: a
 * type that this version does not know (skip it), or DATA.
 */
int wire_decode(uint8_t type, const uint8_t *body, size_t length, struct wire_frame *ret);

/* wire_reason_text() - half a sentence for a log line. Never NULL. */
const char *wire_reason_text(unsigned reason);

#endif
