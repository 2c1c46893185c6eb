/* SPDX-License-Identifier: MIT */
/* linux/unix_file.h - unix sockets by path, and the file that a bound one leaves. Private. */
#ifndef HVLOG_OS_LINUX_UNIX_FILE_H
#define HVLOG_OS_LINUX_UNIX_FILE_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

/* The file of a socket that we bound: where, and which one, so that the file of a successor is
 * left alone. An empty path: none. */
struct unix_file {
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    dev_t device;
    ino_t inode;
};

/* unix_address() - <path> as a socket address. Returns 0 or ERR_UNSUPPORTED (too long). */
int unix_address(const char *path, struct sockaddr_un *ret);

/* unix_bind() - bind the new socket <fd> of <type> to <path>, with access <mode>. The file of a
 * dead program is replaced; one behind which a socket lives, or that is no socket, is not. The
 * file never has more rights than <mode>. (Two programs that start on one path at the very same
 * time may both win: the second one's file stays.)
 *
 * Returns 0 and <ret_file>; ERR_IN_USE, ERR_ACCESS, ERR_NOT_FOUND, ERR_UNSUPPORTED, ERR_IO.
 */
int unix_bind(int fd, int type, const char *path, mode_t mode, struct unix_file *ret_file);

/* unix_file_remove() - remove the file, if it is still ours. */
void unix_file_remove(const struct unix_file *file);

/* unix_peer() - "pid 812 uid 1000" of the process at the other end, as far as the system
 * tells. */
int unix_peer(int fd, char *peer, size_t size);

#endif
