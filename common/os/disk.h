/* SPDX-License-Identifier: MIT */
/* os/disk.h - files that are read and written at positions, and the folders they lie in: for
 * what outlives the program.
 *
 * Blocks as the disk does. One thread at a time for each file, but reads may go on beside one
 * write. What was written is in the system's cache when a call returns: it survives the death
 * of this program, and that of the machine only after os_disk_sync().
 */
#ifndef HVLOG_OS_DISK_H
#define HVLOG_OS_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct os_vec;
struct os_disk;

/* How a file is opened. */
enum os_disk_mode {
    OS_DISK_READ = 1,  /* must be there; only read */
    OS_DISK_WRITE = 2, /* read and written; made (mode 0600) when it is not there */
    OS_DISK_FRESH = 3, /* as WRITE, and emptied when it is there */
};

/* os_disk_open() - open <path>. No folder is made. On Windows others may delete or rename the
 * file while it is open, as on Linux.
 *
 * Returns 0; ERR_NOT_FOUND (no such file or folder), ERR_ACCESS (also: a disk that is read
 * only), ERR_FULL (no room for the entry, or no descriptor), ERR_NO_MEMORY, ERR_IO.
 */
int os_disk_open(const char *path, enum os_disk_mode mode, struct os_disk **ret);
void os_disk_close(struct os_disk *f); /* NULL does nothing */

/* os_disk_lock() - keep others who also call this out, until the file is closed or the program
 * ends, however it ends. Returns 0; ERR_IN_USE: somebody else has it; ERR_IO.
 */
int os_disk_lock(struct os_disk *f);

/* os_disk_read() - up to <size> octets from <at> on; fewer only at the file's end.
 * Returns how many (0: <at> is at or behind the end), or ERR_IO.
 */
ptrdiff_t os_disk_read(struct os_disk *f, uint64_t at, void *buffer, size_t size);

/* os_disk_write() - all pieces, one behind the other, from <at> on.
 *
 * Returns 0; ERR_FULL (disk or quota is full), ERR_ACCESS, ERR_IO. After an error a part may be
 * there.
 */
int os_disk_write(struct os_disk *f, uint64_t at, const struct os_vec *vec, size_t count);

int os_disk_truncate(struct os_disk *f, uint64_t length); /* 0 or ERR_IO */
int os_disk_sync(struct os_disk *f); /* onto the disk itself. 0, ERR_FULL, ERR_IO */
uint64_t os_disk_size(const struct os_disk *f);

/* os_disk_is_there() - false when the file's path now names another file or none: whoever opens
 * it by name later will not find what is written here.
 */
bool os_disk_is_there(const struct os_disk *f);

/* What tells one file from all others on this machine, whatever its name (device and inode;
 * volume and file index). All zero: none. */
struct os_file_id {
    uint64_t volume;
    uint64_t index;
};

/* os_file_id_of() - of the file at <path>. Returns 0; ERR_NOT_FOUND, ERR_ACCESS, ERR_IO. */
int os_file_id_of(const char *path, struct os_file_id *ret);

/* os_disk_remove() - delete a file. ERR_NOT_FOUND, ERR_ACCESS, ERR_IO.
 * os_disk_rename() - <from> takes the place of <to>, whole or not at all. As above, ERR_FULL.
 * os_disk_sync_folder() - the names in <folder> onto the disk itself, where that is needed.
 * os_disk_list() - call <each> for every name in <folder> but . and .., in any order; it
 * returns 0 to go on, else that ends the list and is returned. <each> may remove what it is
 * told of. 0; ERR_NOT_FOUND, ERR_ACCESS, ERR_NO_MEMORY, ERR_IO.
 */
int os_disk_remove(const char *path);
int os_disk_rename(const char *from, const char *to);
int os_disk_sync_folder(const char *folder);
int os_disk_list(const char *folder, int (*each)(void *arg, const char *name), void *arg);

#endif
