/* SPDX-License-Identifier: MIT */
/* state_file.h - a small state of one part of the program, kept on disk over its death: the
 * two slots of core/slot.h in one file, with one writer.
 *
 * A disk that cannot be used keeps nobody from working: the state then lives in memory, the log
 * says once what that means and once when it is over, and each store tries again after
 * STATE_RETRY_MS. A file that was deleted under us is made anew, with the folder above it.
 *
 * Blocks as the disk does. One thread at a time.
 */
#ifndef HVLOG_BRIDGE_STATE_FILE_H
#define HVLOG_BRIDGE_STATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/slot.h"

enum {
    STATE_RETRY_MS = 5000, /* after a failure, until the disk is asked again */
    STATE_LOOK_MS = 500,   /* between looks whether the file is still there */
};

struct state_file;

enum state_found {
    STATE_NEW = 1,      /* there was no file */
    STATE_GOOD = 2,     /* the newest good slot was read */
    STATE_DAMAGED = 3,  /* there is a file, and no slot of it is good; it stays until a store */
    STATE_UNUSABLE = 4, /* the disk does not let us */
};

struct state_options {
    const char *path; /* copied, as all that follows */
    enum slot_kind kind;
    size_t content_max; /* octets, at most SLOT_CONTENT_MAX */
    bool is_synced;     /* each store reaches the disk itself */
    const char *what;   /* begins the log's lines: "output messages" */
    const char *loss;   /* ends them: "after a kill some messages may come twice" */
};

/* state_file_open() - open, lock and read. <content> has room for content_max; <ret_length> is
 * set for STATE_GOOD only. Returns 0; ERR_IN_USE: another program holds this state;
 * ERR_NO_MEMORY.
 */
int state_file_open(const struct state_options *options, struct state_file **ret,
                    enum state_found *ret_found, uint8_t *content, size_t *ret_length);

/* state_file_store() - <content> is the state from now on, also after a kill at any instant.
 * Returns 0, or why not: ERR_FULL, ERR_ACCESS, ERR_NOT_FOUND, ERR_IO. The state before it may
 * then be what is found at the next start.
 */
int state_file_store(struct state_file *s, const uint8_t *content, size_t length);

bool state_file_is_failing(const struct state_file *s); /* the last store did not work */
void state_file_close(struct state_file *s);            /* NULL does nothing */

#endif
