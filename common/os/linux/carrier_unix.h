/* SPDX-License-Identifier: MIT */
/* linux/carrier_unix.h - what carrier_control.c takes from carrier_unix.c. Private. */
#ifndef HVLOG_OS_LINUX_CARRIER_UNIX_H
#define HVLOG_OS_LINUX_CARRIER_UNIX_H

#include <sys/types.h>

#include "common/os/stream.h"

/* The carrier's operations; the socket's file is made with access <mode>. */
int carrier_unix_dial(const struct os_target *target, unsigned timeout_ms,
                      bool (*is_canceled)(void *), void *arg, struct os_stream **ret);
int carrier_unix_listen(const char *path, mode_t mode, struct os_listener **ret);

#endif
