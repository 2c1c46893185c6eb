/* SPDX-License-Identifier: MIT */
/* linux/sock.h - a socket of a poll set. Private to poll.c and sock.c. */
#ifndef HVLOG_OS_LINUX_SOCK_H
#define HVLOG_OS_LINUX_SOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/os/linux/unix_file.h"
#include "common/os/poll.h"

struct os_sock {
    int fd;
    uint16_t port;  /* a tcp listener's */
    bool is_paused; /* in its set, but not watched */
    void *tag;
    struct unix_file *file; /* a unix listener's */
};

#endif
