/* SPDX-License-Identifier: MIT */
/* err.h - the one vocabulary of errors, shared by all layers.
 *
 * Functions return 0, or a count, or one of these negative codes; each header names the few
 * that its functions can give. The seam translates the system's own codes once, in
 * os/<system>/error.c, and keeps the original for the log (os/error.h).
 */
#ifndef HVLOG_CORE_ERR_H
#define HVLOG_CORE_ERR_H

enum err {
    ERR_AGAIN = -1,       /* nothing to do now; wait and call again */
    ERR_CLOSED = -2,      /* the other end closed, or the connection broke */
    ERR_TIMEOUT = -3,     /* the deadline passed */
    ERR_CANCELED = -4,    /* our own side called it off (cancel, stop) */
    ERR_REFUSED = -5,     /* nobody serves that address, or the peer said no */
    ERR_ACCESS = -6,      /* this user may not */
    ERR_IN_USE = -7,      /* somebody else has the address */
    ERR_NOT_FOUND = -8,   /* no such file, host, or interface */
    ERR_UNSUPPORTED = -9, /* this system has no such thing */
    ERR_INVALID = -10,    /* an argument or a text that cannot be */
    ERR_PROTOCOL = -11,   /* the peer broke the protocol */
    ERR_FULL = -12,       /* a bound was reached; nothing was taken */
    ERR_NO_MEMORY = -13,  /* allocation failed; nothing was changed */
    ERR_IO = -14,         /* anything else the system said */
};

/* err_text() - what <err> means, as half a sentence for a log line. Never NULL. Any thread. */
const char *err_text(int err);

#endif
