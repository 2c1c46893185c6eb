/* SPDX-License-Identifier: MIT */
/* framer_fuzz.c - any stream, any cuts: what the plain rules say comes out, no octet is lost.
 *
 * Input: options, number of cuts (low three bits), the lengths of the reads, the stream.
 */
#include <stdlib.h>

#include "tests/support/framer_capture.h"

enum { CUTS_MAX = 7, HEAD_OCTETS = 2 };

static struct framer_options options_of(uint8_t octet)
{
    static const uint32_t limits[] = {1, 7, 64, 64 * 1024};
    static const uint32_t frames[] = {0, 9, 100, 70 * 1024};

    return (struct framer_options){.framing = (enum framing)(octet & 3),
                                   .multi_line = (octet & 4) != 0,
                                   .max_message = limits[(octet >> 3) & 3],
                                   .max_frame = frames[(octet >> 5) & 3]};
}

static void expect(const struct capture *want, const struct framer_options *options,
                   const uint8_t *data, size_t length, const struct capture_cuts *cuts)
{
    struct capture got;

    capture_stream(&got, options, data, length, cuts);
    if (!capture_is_equal(want, &got) || !capture_is_balanced(&got, length))
        abort();
    capture_release(&got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t lengths[CUTS_MAX];
    size_t count;
    struct framer_options options;
    struct capture want;

    if (size < HEAD_OCTETS)
        return 0;
    options = options_of(data[0]);
    count = data[1] & CUTS_MAX;
    data += HEAD_OCTETS;
    size -= HEAD_OCTETS;
    if (size < count)
        return 0;
    for (size_t i = 0; i < count; i++)
        lengths[i] = (size_t)data[i] + 1;
    data += count;
    size -= count;

    capture_reference(&want, &options, data, size);
    expect(&want, &options, data, size, &(struct capture_cuts){0});
    expect(&want, &options, data, size,
           &(struct capture_cuts){.lengths = lengths, .count = count, .settles = true});
    capture_release(&want);
    return 0;
}
