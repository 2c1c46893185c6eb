/* SPDX-License-Identifier: MIT */
/* link_serve.h - private to the link: one session from its first octet to its last. */
#ifndef HVLOG_BRIDGE_LINK_SERVE_H
#define HVLOG_BRIDGE_LINK_SERVE_H

#include "link_session.h"

/* link_serve() - start reader and writer, watch the clock, and end the session in order when it
 * is over: the bye gets out, then the stream is finished, then the threads are. Blocks as long
 * as the session lives. Without link.lock. Afterwards <why> and <was_open> say what happened.
 */
void link_serve(struct link_session *s);

#endif
