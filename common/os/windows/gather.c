/* SPDX-License-Identifier: MIT */
/* windows/gather.c - the pieces of a gathering write, cut and joined into runs. */
#include "common/os/windows/win.h"

#include <string.h>

static size_t left_in_piece(const struct win_gather *g)
{
    return g->vec[0].length - g->offset;
}

static void skip_finished(struct win_gather *g)
{
    while (g->count > 0 && left_in_piece(g) == 0) {
        g->vec++;
        g->count--;
        g->offset = 0;
    }
}

size_t win_gather_next(struct win_gather *g, uint8_t *buffer, size_t limit, const void **ret)
{
    size_t used = 0;

    skip_finished(g);
    if (g->count > 0 && (g->count == 1 || left_in_piece(g) >= limit)) {
        size_t n = left_in_piece(g) < limit ? left_in_piece(g) : limit;
        *ret = (const uint8_t *)g->vec[0].data + g->offset;
        g->offset += n;
        return n;
    }
    while (g->count > 0 && used < limit) {
        size_t n = left_in_piece(g) < limit - used ? left_in_piece(g) : limit - used;
        memcpy(buffer + used, (const uint8_t *)g->vec[0].data + g->offset, n);
        used += n;
        g->offset += n;
        skip_finished(g);
    }
    *ret = buffer;
    return used;
}
