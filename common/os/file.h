/* SPDX-License-Identifier: MIT */
/* os/file.h - files: append with rotation noticed, and small files read whole. Blocks as the
 * disk does. One thread for each file.
 */
#ifndef HVLOG_OS_FILE_H
#define HVLOG_OS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct os_file;
struct os_vec;

/* os_file_append() - open <path> for appending, created with mode 0640 (and the folder above
 * it, 0750, when only that is missing). A named pipe that nobody reads is ERR_NOT_FOUND.
 *
 * Returns 0; ERR_ACCESS, ERR_NOT_FOUND, ERR_FULL, ERR_NO_MEMORY, ERR_IO.
 */
int os_file_append(const char *path, struct os_file **ret);
int os_file_stdout(struct os_file **ret);

/* os_file_write() - append all pieces, looping over short writes.
 *
 * Returns 0, or ERR_FULL (disk or quota full), ERR_CLOSED (a pipe nobody reads), ERR_CANCELED,
 * ERR_IO. After an error <ret_written>, if not NULL, says how many octets went out.
 */
int os_file_write(struct os_file *f, const struct os_vec *vec, size_t count,
                  size_t *ret_written);

/* os_file_cancel() - a write that waits for somebody to read (a pipe, a terminal) ends with
 * ERR_CANCELED, and so does each later one that would wait. Any thread. A write that just
 * begins may miss it: say it again until the writer has noticed. What waits for a disk goes on
 * waiting.
 */
void os_file_cancel(struct os_file *f);

/* os_file_is_current() - false when <f>'s path now names another file or none (rotated
 * away). */
bool os_file_is_current(const struct os_file *f);
uint64_t os_file_size(const struct os_file *f);

/* os_file_has_torn_end() - the file at <f>'s path holds something, and its last octet is not an
 * LF. False where that cannot be told: a pipe, or no right to read it. */
bool os_file_has_torn_end(const struct os_file *f);
void os_file_close(struct os_file *f);

/* os_file_read_all() - a whole small file, with a NUL behind it that is not counted. free()
 * <ret_data>.
 *
 * Returns 0; ERR_NOT_FOUND, ERR_ACCESS, ERR_FULL (longer than <limit>), ERR_NO_MEMORY, ERR_IO.
 */
int os_file_read_all(const char *path, size_t limit, char **ret_data, size_t *ret_length);

/* os_file_is_private() - only the owner (or root, SYSTEM) can read it. True where the system
 * cannot say, and when there is no such file: whoever reads it is told. */
bool os_file_is_private(const char *path);

/* os_folder_make() - make <path> and what is missing above it, mode 0750. 0, ERR_ACCESS,
 * ERR_IO. */
int os_folder_make(const char *path);

/* os_path_default() - where this system keeps hvlog's things, by the name of the program
 * ("agent", "relay"): configuration (/etc/hvlog/agent.conf, %ProgramData%\hvlog\relay.conf),
 * state folder (/var/lib/hvlog or, for an ordinary user, $XDG_STATE_HOME/hvlog or
 * ~/.local/state/hvlog; %ProgramData%\hvlog\state), control (/run/hvlog/agent.sock or
 * $XDG_RUNTIME_DIR/hvlog/agent.sock, else /tmp/hvlog-UID/agent.sock; \\.\pipe\hvlog-relay).
 * Writes at most <size> octets with the NUL.
 *
 * Returns 0 or ERR_FULL.
 */
enum os_path { OS_PATH_CONFIG, OS_PATH_STATE, OS_PATH_CONTROL };
int os_path_default(enum os_path what, const char *program, char *path, size_t size);

#endif
