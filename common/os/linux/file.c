/* SPDX-License-Identifier: MIT */
/* linux/file.c - appending to files, and reading small ones. */
#include "common/os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/os/linux/error.h"
#include "common/os/linux/iov.h"
#include "common/os/stream.h"

enum {
    FILE_MODE = 0640,
    FOLDER_MODE = 0750,
    READ_FIRST_BYTES = 4096, /* what a file is read into before its length is known */
};

struct os_file {
    int fd;
    char *path; /* NULL: standard output, which is never rotated away */
    bool is_socket;
    atomic_bool is_canceled;
};

/* Files do not care about O_NONBLOCK. With it a named pipe is not waited for: neither until
 * somebody reads it (ENXIO), nor, so that the wait can be cancelled, until there is room. */
enum { APPEND_FLAGS = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

static int open_append(const char *path)
{
    return open(path, APPEND_FLAGS | O_CREAT, FILE_MODE);
}

static int make_folder_above(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash || slash == path) {
        errno = ENOENT;
        return -1;
    }
    char *folder = strndup(path, (size_t)(slash - path));
    if (!folder)
        return -1;
    int r = mkdir(folder, FOLDER_MODE);
    /* It is there: what is missing is what a symbolic link at <path> points into. */
    int code = errno == EEXIST ? ENOENT : errno;
    free(folder);
    errno = code;
    return r;
}

int os_file_append(const char *path, struct os_file **ret)
{
    struct os_file *f = calloc(1, sizeof *f);
    char *copy = strdup(path);
    int r;

    if (!f || !copy) {
        r = error_keep(ERR_NO_MEMORY, ENOMEM);
        goto fail;
    }
    f->fd = open_append(path);
    if (f->fd < 0 && errno == ENOENT && make_folder_above(path) == 0)
        f->fd = open_append(path);
    if (f->fd < 0) {
        r = error_errno();
        goto fail;
    }
    f->path = copy;
    *ret = f;
    return 0;

fail:
    free(copy);
    free(f);
    return r;
}

/* O_NONBLOCK belongs to what is open, which others share with us: so a pipe or terminal is
 * opened once more. A file is not, since its position is shared as well. A socket cannot be;
 * it takes the wish with each send. */
static int open_stdout(const struct stat *st)
{
    int fd = -1;

    if (S_ISFIFO(st->st_mode) || S_ISCHR(st->st_mode))
        fd = open("/proc/self/fd/1", APPEND_FLAGS);
    return fd >= 0 ? fd : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
}

int os_file_stdout(struct os_file **ret)
{
    struct os_file *f = calloc(1, sizeof *f);
    struct stat st = {0};

    if (!f)
        return error_keep(ERR_NO_MEMORY, ENOMEM);
    (void)fstat(STDOUT_FILENO, &st); /* what fails here fails below */
    f->is_socket = S_ISSOCK(st.st_mode);
    f->fd = open_stdout(&st);
    if (f->fd < 0) {
        int r = error_keep(ERR_IO, errno);
        free(f);
        return r;
    }
    *ret = f;
    return 0;
}

static int write_failed(int code)
{
    int err = error_from(code);

    return err == ERR_FULL || err == ERR_CLOSED ? err : error_keep(ERR_IO, code);
}

/* Wait a while for room. Returns 0, or ERR_CANCELED. */
static int wait_writable(struct os_file *f)
{
    struct pollfd p = {.fd = f->fd, .events = POLLOUT};

    if (!atomic_load(&f->is_canceled))
        (void)poll(&p, 1, OS_CANCEL_POLL_MS);
    return atomic_load(&f->is_canceled) ? error_keep(ERR_CANCELED, ECANCELED) : 0;
}

static ssize_t write_some(struct os_file *f, struct iovec *iov, size_t count)
{
    struct msghdr msg = {.msg_iov = iov, .msg_iovlen = count};

    return f->is_socket ? sendmsg(f->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL)
                        : writev(f->fd, iov, (int)count);
}

/* At most OS_VEC_MAX pieces. <written> goes on counting. */
static int write_pieces(struct os_file *f, const struct os_vec *vec, size_t count,
                        size_t *written)
{
    int r = 0;
    struct iovec iov[OS_VEC_MAX];
    size_t first = 0;

    for (size_t i = 0; i < count; i++)
        iov[i] = iov_of(&vec[i]);
    while (r == 0) {
        first += iov_advance(&iov[first], count - first, 0);
        if (first == count)
            break;
        ssize_t n = write_some(f, &iov[first], count - first);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            r = errno == EAGAIN ? wait_writable(f) : write_failed(errno);
            continue;
        }
        *written += (size_t)n;
        first += iov_advance(&iov[first], count - first, (size_t)n);
    }
    return r;
}

int os_file_write(struct os_file *f, const struct os_vec *vec, size_t count,
                  size_t *ret_written)
{
    size_t written = 0;
    int r = 0;

    for (size_t i = 0; i < count && r == 0; i += OS_VEC_MAX) {
        size_t part = count - i < OS_VEC_MAX ? count - i : OS_VEC_MAX;
        r = write_pieces(f, vec + i, part, &written);
    }
    if (ret_written)
        *ret_written = written;
    return r;
}

void os_file_cancel(struct os_file *f)
{
    atomic_store(&f->is_canceled, true);
}

bool os_file_is_current(const struct os_file *f)
{
    struct stat open_now, at_path;

    if (!f->path)
        return true;
    if (fstat(f->fd, &open_now) < 0 || open_now.st_nlink == 0)
        return false;
    return stat(f->path, &at_path) == 0 && at_path.st_dev == open_now.st_dev &&
           at_path.st_ino == open_now.st_ino;
}

uint64_t os_file_size(const struct os_file *f)
{
    struct stat st;

    return fstat(f->fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

bool os_file_has_torn_end(const struct os_file *f)
{
    uint64_t size = os_file_size(f);
    char last = '\n';

    if (!f->path || size == 0 || !os_file_is_current(f))
        return false;
    int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool is_read = pread(fd, &last, 1, (off_t)(size - 1)) == 1;
    close(fd);
    return is_read && last != '\n';
}

void os_file_close(struct os_file *f)
{
    if (!f)
        return;
    close(f->fd);
    free(f->path);
    free(f);
}

/* ---- reading whole files ----------------------------------------------------------------- */

struct growing {
    char *data;
    size_t length;
    size_t room; /* one more is there, for the NUL */
};

static bool grow(struct growing *g, size_t limit)
{
    size_t room = g->room ? g->room * 2 : READ_FIRST_BYTES;

    /* One octet over the limit shows that the file is too long. */
    if (room > limit + 1)
        room = limit + 1;
    char *data = realloc(g->data, room + 1);
    if (!data)
        return false;
    g->data = data;
    g->room = room;
    return true;
}

static int read_all(int fd, size_t limit, struct growing *g)
{
    for (;;) {
        if (g->length > limit)
            return error_keep(ERR_FULL, EFBIG);
        if (g->length == g->room && !grow(g, limit))
            return error_keep(ERR_NO_MEMORY, ENOMEM);
        ssize_t n = read(fd, g->data + g->length, g->room - g->length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return error_keep(ERR_IO, errno);
        if (n == 0)
            break;
        g->length += (size_t)n;
    }
    g->data[g->length] = '\0';
    return 0;
}

int os_file_read_all(const char *path, size_t limit, char **ret_data, size_t *ret_length)
{
    struct growing g = {0};

    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    int r = fd < 0 ? error_errno() : 0;
    if (fd < 0)
        return r == ERR_FULL ? ERR_IO : r; /* no descriptor left: not 'too long' */
    r = read_all(fd, limit, &g);
    close(fd);
    if (r < 0) {
        free(g.data);
        return r;
    }
    *ret_data = g.data;
    *ret_length = g.length;
    return 0;
}

bool os_file_is_private(const char *path)
{
    struct stat st;

    return stat(path, &st) < 0 || (st.st_mode & (S_IRGRP | S_IROTH)) == 0;
}
