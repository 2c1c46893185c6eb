/* SPDX-License-Identifier: MIT */
/* err.c - texts of the error vocabulary. */
#include "err.h"

const char *err_text(int err)
{
    switch (err) {
    case ERR_AGAIN:
        return "nothing to do yet";
    case ERR_CLOSED:
        return "connection closed";
    case ERR_TIMEOUT:
        return "timed out";
    case ERR_CANCELED:
        return "canceled";
    case ERR_REFUSED:
        return "refused";
    case ERR_ACCESS:
        return "permission denied";
    case ERR_IN_USE:
        return "address already in use";
    case ERR_NOT_FOUND:
        return "not found";
    case ERR_UNSUPPORTED:
        return "not supported on this system";
    case ERR_INVALID:
        return "invalid";
    case ERR_PROTOCOL:
        return "protocol error";
    case ERR_FULL:
        return "full";
    case ERR_NO_MEMORY:
        return "out of memory";
    case ERR_IO:
        return "input/output error";
    default:
        return err >= 0 ? "success" : "unknown error";
    }
}
