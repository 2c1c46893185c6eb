/* SPDX-License-Identifier: MIT */
/* defaults.h - what the relay does when its configuration says nothing else. */
#ifndef HVLOG_WINDOWS_RELAY_DEFAULTS_H
#define HVLOG_WINDOWS_RELAY_DEFAULTS_H

#include "common/core/text.h"

/* Configuration texts, for struct config_program.
 *
 * defaults_append() - the link: hvsock:5140, listening; on a system without Hyper-V sockets,
 * where the relay is tried out, the unix socket link.sock beside the control socket.
 * defaults_append_inputs() - UDP and TCP 514 on each address of the host but loopback.
 */
void defaults_append(struct text *out);
void defaults_append_inputs(struct text *out);

#endif
