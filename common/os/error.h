/* SPDX-License-Identifier: MIT */
/* os/error.h - the system's own word for the last failure.
 *
 * Each seam function that fails translates the system's code to enum err once, and keeps the
 * original for this thread. A log line may then add it: "cannot listen on udp:*:514: address
 * already in use (EADDRINUSE)".
 */
#ifndef HVLOG_OS_ERROR_H
#define HVLOG_OS_ERROR_H

#include <stddef.h>

enum { OS_ERROR_TEXT_MAX = 160 };

/* os_error_last() - text of the system's code behind this thread's last seam failure, such as
 * "Address already in use (98)". Writes at most <size> octets with the NUL. Returns <text>.
 */
char *os_error_last(char *text, size_t size);

#endif
