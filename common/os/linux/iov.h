/* SPDX-License-Identifier: MIT */
/* linux/iov.h - the pieces of a gathering write as the kernel wants them. Private. */
#ifndef HVLOG_OS_LINUX_IOV_H
#define HVLOG_OS_LINUX_IOV_H

#include <stddef.h>
#include <string.h>
#include <sys/uio.h>

#include "common/os/stream.h"

/* iov_of() - one piece. struct iovec serves reading too, so its pointer is not const; nobody
 * writes through this one.
 */
static inline struct iovec iov_of(const struct os_vec *v)
{
    struct iovec iov = {.iov_len = v->length};

    memcpy(&iov.iov_base, &v->data, sizeof iov.iov_base);
    return iov;
}

/* iov_advance() - take <sent> octets off the front of <count> pieces. Returns how many pieces
 * are used up, empty ones in front included.
 */
static inline size_t iov_advance(struct iovec *iov, size_t count, size_t sent)
{
    size_t used = 0;

    while (used < count && sent >= iov[used].iov_len)
        sent -= iov[used++].iov_len;
    if (used < count) {
        iov[used].iov_base = (char *)iov[used].iov_base + sent;
        iov[used].iov_len -= sent;
    }
    return used;
}

#endif
