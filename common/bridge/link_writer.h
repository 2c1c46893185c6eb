/* SPDX-License-Identifier: MIT */
/* link_writer.h - private to the link: the thread that writes a session's stream. */
#ifndef HVLOG_BRIDGE_LINK_WRITER_H
#define HVLOG_BRIDGE_LINK_WRITER_H

/* link_writer_run() - the thread's function; its argument is a struct link_session. Ends when
 * the session is over and its last octet is written, or cannot be; is_writer_done says so.
 */
void *link_writer_run(void *session);

#endif
