/* SPDX-License-Identifier: MIT */
/* windows/sock.h - what poll.c must know of a socket that never blocks. Private. */
#ifndef HVLOG_OS_WINDOWS_SOCK_H
#define HVLOG_OS_WINDOWS_SOCK_H

#include "common/os/windows/win.h"

struct os_sock {
    SOCKET s;
    uint16_t port;
    void *tag;
    size_t index; /* its place in the poll set's watched part, or SOCK_UNWATCHED */
};
#define SOCK_UNWATCHED SIZE_MAX

#endif
