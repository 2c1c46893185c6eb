/* SPDX-License-Identifier: MIT */
/* linux/error.h - the one place where errno and resolver codes become enum err. Private. */
#ifndef HVLOG_OS_LINUX_ERROR_H
#define HVLOG_OS_LINUX_ERROR_H

/* error_code() - what errno <code> is in our words. Remembers nothing. */
int error_code(int code);

/* error_from() - the same, and keeps <code> for os_error_last(). error_errno() takes errno.
 * error_keep() keeps <code> but returns <err>: where the call site knows better than the table.
 */
int error_from(int code);
int error_errno(void);
int error_keep(int err, int code);

/* error_accept() - what accept() failed with. Linux reports errors of the waiting connection
 * here, which say nothing about the listener (accept(2)): ERR_AGAIN. ERR_FULL: no descriptor or
 * no memory left for it. ERR_IO: the listener itself is broken.
 */
int error_accept(int code);

/* error_resolver() - the same for what getaddrinfo() returned. */
int error_resolver(int code);

#endif
