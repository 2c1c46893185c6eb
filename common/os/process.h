/* SPDX-License-Identifier: MIT */
/* os/process.h - facts about this process and its host. Any thread; nothing here blocks or fails. */
#ifndef HVLOG_OS_PROCESS_H
#define HVLOG_OS_PROCESS_H

#include <stddef.h>
#include <stdint.h>

/* os_process_startup() - once in main(), first: sockets (WSAStartup) or SIGPIPE ignored, UTF-8
 * console, line-buffered stderr. Returns 0 or ERR_UNSUPPORTED.
 */
int os_process_startup(void);

uint64_t os_process_id(void);

/* os_host_name() - the machine's name, for [node] name. Writes at most <size> octets with the NUL. */
char *os_host_name(char *name, size_t size);

/* os_user_name() - the user this program runs as, for messages about rights. */
char *os_user_name(char *name, size_t size);

#endif
