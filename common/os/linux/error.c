/* SPDX-License-Identifier: MIT */
/* linux/error.c - errno to enum err, once, and the original for the log. */
#include "common/os/error.h"

#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/core/err.h"
#include "common/os/linux/error.h"

static const struct {
    int code;
    int err;
} table[] = {
    {EAGAIN, ERR_AGAIN},
    {EINTR, ERR_AGAIN},
    {EINPROGRESS, ERR_AGAIN},
    {EPIPE, ERR_CLOSED},
    {ECONNRESET, ERR_CLOSED},
    {ECONNABORTED, ERR_CLOSED},
    {ENOTCONN, ERR_CLOSED},
    {ESHUTDOWN, ERR_CLOSED},
    {ETIMEDOUT, ERR_TIMEOUT},
    {ECANCELED, ERR_CANCELED},
    {ECONNREFUSED, ERR_REFUSED},
    {EPROTOTYPE, ERR_REFUSED}, /* a unix socket of another type */
    {EACCES, ERR_ACCESS},
    {EPERM, ERR_ACCESS},
    {EROFS, ERR_ACCESS},
    {EADDRINUSE, ERR_IN_USE},
    {ENOENT, ERR_NOT_FOUND},
    {ENOTDIR, ERR_NOT_FOUND},
    {EADDRNOTAVAIL, ERR_NOT_FOUND},
    {EHOSTUNREACH, ERR_NOT_FOUND},
    {EHOSTDOWN, ERR_NOT_FOUND},
    {ENETUNREACH, ERR_NOT_FOUND},
    {ENETDOWN, ERR_NOT_FOUND},
    {ENODEV, ERR_NOT_FOUND}, /* vsock: no transport reaches that CID */
    {ENXIO, ERR_NOT_FOUND},  /* a named pipe nobody reads */
    {EAFNOSUPPORT, ERR_UNSUPPORTED},
    {EPROTONOSUPPORT, ERR_UNSUPPORTED},
    {ESOCKTNOSUPPORT, ERR_UNSUPPORTED},
    {EOPNOTSUPP, ERR_UNSUPPORTED},
    {ENOPROTOOPT, ERR_UNSUPPORTED},
    {ENOSYS, ERR_UNSUPPORTED},
    {ENAMETOOLONG, ERR_UNSUPPORTED},
    {ENOSPC, ERR_FULL},
    {EDQUOT, ERR_FULL},
    {EFBIG, ERR_FULL},
    {EMSGSIZE, ERR_FULL},
    {EMFILE, ERR_FULL},
    {ENFILE, ERR_FULL},
    {ENOMEM, ERR_NO_MEMORY},
    {ENOBUFS, ERR_NO_MEMORY},
};

/* This thread's last failure; the resolver has numbers of its own. */
static _Thread_local int last_code;
static _Thread_local bool is_last_resolver;

int error_code(int code)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code == code)
            return table[i].err;
    return ERR_IO;
}

int error_keep(int err, int code)
{
    last_code = code;
    is_last_resolver = false;
    return err;
}

int error_from(int code)
{
    return error_keep(error_code(code), code);
}

int error_errno(void)
{
    return error_from(errno);
}

int error_accept(int code)
{
    int err = error_code(code);

    if (err == ERR_FULL || err == ERR_NO_MEMORY)
        return error_keep(ERR_FULL, code);
    if (code == EBADF || code == EINVAL || code == ENOTSOCK || code == EFAULT)
        return error_keep(ERR_IO, code);
    return error_keep(ERR_AGAIN, code);
}

int error_resolver(int code)
{
    if (code == EAI_SYSTEM)
        return error_errno();
    last_code = code;
    is_last_resolver = true;
    return code == EAI_MEMORY ? ERR_NO_MEMORY : ERR_NOT_FOUND;
}

char *os_error_last(char *text, size_t size)
{
    char room[OS_ERROR_TEXT_MAX];
    const char *what =
        is_last_resolver ? gai_strerror(last_code) : strerror_r(last_code, room, sizeof room);

    if (last_code == 0)
        snprintf(text, size, "no error");
    else
        snprintf(text, size, "%s (%d)", what, last_code);
    return text;
}
