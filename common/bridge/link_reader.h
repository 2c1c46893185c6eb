/* SPDX-License-Identifier: MIT */
/* link_reader.h - private to the link: the thread that reads a session's stream. */
#ifndef HVLOG_BRIDGE_LINK_READER_H
#define HVLOG_BRIDGE_LINK_READER_H

/* link_reader_run() - the thread's function; its argument is a struct link_session. Ends when
 * the stream does, and says so in is_reader_done; <why> then says why the session ended.
 */
void *link_reader_run(void *session);

#endif
