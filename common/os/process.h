/* SPDX-License-Identifier: MIT */
/* os/process.h - facts about this process and its host. Any thread; nothing here blocks or
 * fails, but os_stderr_wait(). */
#ifndef HVLOG_OS_PROCESS_H
#define HVLOG_OS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/address.h"
#include "common/core/endpoint.h"

/* os_process_startup() - once in main(), first: sockets (WSAStartup); SIGPIPE ignored, as many
 * descriptors as this user may have; UTF-8 console, line-buffered stderr. Returns 0 or
 * ERR_UNSUPPORTED.
 */
int os_process_startup(void);

/* os_stderr_wait() - wait at most <wait_ms> until stderr takes something. False when it does
 * not: a pipe whose reader has stopped reading. True also where the system cannot tell. */
bool os_stderr_wait(unsigned wait_ms);

uint64_t os_process_id(void);

/* os_host_name() - the machine's name, for [node] name. Writes at most <size> octets with the
 * NUL. */
char *os_host_name(char *name, size_t size);

/* os_user_name() - the user this program runs as, for messages about rights. */
char *os_user_name(char *name, size_t size);

/* os_listen_right() - for a message that this user may not listen on <where>: what that takes,
 * such as "a port below 1024 needs root"; NULL when it takes nothing that this system could
 * name.
 */
const char *os_listen_right(const struct endpoint *where);

/* os_host_addresses() - the IP addresses under which others reach this host: of interfaces that
 * are up, without loopback and link-local ones; each once, port 0, in the system's order.
 *
 * Returns how many were written to <ret> (at most <max>), ERR_NO_MEMORY or ERR_IO.
 */
int os_host_addresses(struct address *ret, size_t max);

#endif
