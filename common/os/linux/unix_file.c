/* SPDX-License-Identifier: MIT */
/* linux/unix_file.c - unix sockets by path. */
#include "common/os/linux/unix_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/os/linux/error.h"

int unix_address(const char *path, struct sockaddr_un *ret)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    size_t length = strlen(path);

    if (length >= sizeof a.sun_path)
        return error_from(ENAMETOOLONG);
    memcpy(a.sun_path, path, length);
    *ret = a;
    return 0;
}

/* Is the socket file at <a> left over from a program that is gone? Only a connect tells: it is
 * refused when no socket is behind the file any more. */
static int check_stale(const struct sockaddr_un *a, int type)
{
    struct stat st;

    if (lstat(a->sun_path, &st) < 0)
        return errno == ENOENT ? 0 : error_errno();
    if (!S_ISSOCK(st.st_mode))
        return error_from(EADDRINUSE);
    int probe = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0)
        return error_errno();
    int code = connect(probe, (const struct sockaddr *)a, sizeof *a) < 0 ? errno : 0;
    close(probe);
    if (code == ECONNREFUSED || code == ENOENT)
        return 0;
    return code == EACCES ? error_from(code) : error_from(EADDRINUSE);
}

static int bind_once(int fd, const struct sockaddr_un *a)
{
    return bind(fd, (const struct sockaddr *)a, sizeof *a) < 0 ? error_errno() : 0;
}

int unix_bind(int fd, int type, const char *path, mode_t mode, struct unix_file *ret_file)
{
    struct unix_file file = {0};
    struct sockaddr_un a;
    struct stat st;

    int r = unix_address(path, &a);
    if (r < 0)
        return r;
    /* The file's mode is the socket inode's, less the umask (net/unix/af_unix.c
     * unix_bind_bsd()): set first, there is no moment in which the file is open to more users
     * than it should be. */
    if (fchmod(fd, mode) < 0)
        return error_errno();
    r = bind_once(fd, &a);
    if (r == ERR_IN_USE) {
        r = check_stale(&a, type);
        if (r < 0)
            return r;
        if (unlink(path) < 0 && errno != ENOENT)
            return error_errno();
        r = bind_once(fd, &a);
    }
    if (r < 0)
        return r;

    memcpy(file.path, a.sun_path, sizeof file.path);
    /* The umask may have taken away what was wished for. */
    if (chmod(path, mode) < 0 || lstat(path, &st) < 0) {
        r = error_errno();
        unlink(path);
        return r;
    }
    file.device = st.st_dev;
    file.inode = st.st_ino;
    *ret_file = file;
    return 0;
}

void unix_file_remove(const struct unix_file *file)
{
    struct stat st;

    if (file->path[0] && lstat(file->path, &st) == 0 && st.st_dev == file->device &&
        st.st_ino == file->inode)
        unlink(file->path);
}

int unix_peer(int fd, char *peer, size_t size)
{
    struct ucred who = {0};
    socklen_t length = sizeof who;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &length) < 0)
        return error_errno();
    snprintf(peer, size, "pid %ld uid %lu", (long)who.pid, (unsigned long)who.uid);
    return 0;
}
