/* SPDX-License-Identifier: MIT */
/* slot.h - a small state on a disk that is whole at every moment.
 *
 * The file has two slots of equal size; states are written to them in turn, each with a
 * generation and a checksum. A program killed in the middle of a write, or a machine that lost
 * power, leaves the other slot whole: the newest good one counts. Pure.
 *
 *     slot    u32 magic, u32 kind, u64 generation, u32 length, content, u32 CRC-32C of it all
 */
#ifndef HVLOG_CORE_SLOT_H
#define HVLOG_CORE_SLOT_H

#include <stddef.h>
#include <stdint.h>

enum {
    SLOT_OVERHEAD = 24, /* octets of a slot beside its content */
    SLOT_CONTENT_MAX = 16 * 1024,
    SLOT_BYTES_MAX = SLOT_OVERHEAD + SLOT_CONTENT_MAX,
};

/* What the content is, so that no file is taken for another. On disks: never renumbered. */
enum slot_kind { SLOT_LEDGER = 1, SLOT_PROGRESS = 2, SLOT_ORIGINS = 3 };

/* slot_encode() - <content> of <length> octets as a slot in <out>, which has room for
 * SLOT_OVERHEAD + <length>. Returns the octets written.
 * slot_decode() - is there a good slot of <kind> in the <size> octets at <in> (what lies behind
 * it is not looked at)? Returns 0, its generation and its content, which points into <in>;
 * ERR_PROTOCOL if not.
 */
size_t slot_encode(enum slot_kind kind, uint64_t generation, const uint8_t *content,
                   size_t length, uint8_t *out);
int slot_decode(enum slot_kind kind, const uint8_t *in, size_t size, uint64_t *ret_generation,
                const uint8_t **ret_content, size_t *ret_length);

#endif
