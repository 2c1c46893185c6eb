/* SPDX-License-Identifier: MIT */
/* control.h - the channel over which `status` asks the running program.
 *
 * A unix socket or named pipe that only its owner may open (carrier "control"). The client
 * sends one line, the request; the server answers with octets and closes.
 */
#ifndef HVLOG_BRIDGE_CONTROL_H
#define HVLOG_BRIDGE_CONTROL_H

#include "common/core/text.h"

struct control;

enum {
    CONTROL_REQUEST_MAX = 64, /* octets of a request without its LF */
    /* Octets of an answer; far more than all inputs fill. */
    CONTROL_ANSWER_MAX = 4 * 1024 * 1024,
    CONTROL_CLIENTS_MAX = 8,   /* at once; a newcomer ends the oldest */
    CONTROL_GRACE_MS = 100,    /* but lets it have so long: who just asks is answered sooner */
    CONTROL_TIMEOUT_MS = 5000, /* what a client waits for an answer */
};

/* Writes the answer to <request> (no LF, NUL behind it). Called in threads of the server,
 * several at once.
 */
typedef void control_answer_fn(void *arg, const char *request, struct text *out);

/* control_open() - bind <path>. Nobody is answered yet, but may connect. Returns 0; ERR_IN_USE
 * (another program answers there), ERR_ACCESS, ERR_NOT_FOUND (no such folder), ERR_UNSUPPORTED,
 * ERR_NO_MEMORY, ERR_IO.
 *
 * control_start() - answer with <answer>(<arg>), in threads of its own. 0 or ERR_NO_MEMORY.
 * control_stop() - end the threads; <answer> is not called any more. Waits.
 * control_free() - remove the socket. NULL does nothing.
 */
int control_open(const char *path, struct control **ret);
int control_start(struct control *c, control_answer_fn *answer, void *arg);
void control_stop(struct control *c);
void control_free(struct control *c);

/* control_ask() - the client: send <request> to whoever listens at <path>, append its whole
 * answer to <answer>.
 *
 * Returns 0; ERR_NOT_FOUND or ERR_REFUSED: nobody is there; ERR_ACCESS; ERR_TIMEOUT: no whole
 * answer within CONTROL_TIMEOUT_MS; ERR_CLOSED: not even a part of one; ERR_FULL,
 * ERR_NO_MEMORY, ERR_UNSUPPORTED, ERR_IO.
 */
int control_ask(const char *path, const char *request, struct text *answer);

#endif
