/* SPDX-License-Identifier: MIT */
/* windows/file.c - files that are appended to, and small ones read whole. */
#include "common/os/file.h"

#include "common/os/windows/win.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { JOIN_BYTES = 64 * 1024 }; /* pieces are joined to writes of this size */

/* Others may rename or delete a log that is open: rotation works as elsewhere. */
#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

struct os_file {
    HANDLE handle;
    wchar_t *path;        /* NULL: standard output */
    _Atomic DWORD writer; /* the thread that is writing; 0: none */
    atomic_bool is_canceled;
    uint8_t join[JOIN_BYTES];
};

/* ---- appending --------------------------------------------------------------------------- */

static HANDLE open_append(const wchar_t *path)
{
    /* Without FILE_WRITE_DATA every write goes to the end, whoever else writes. */
    return CreateFileW(path, FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | SYNCHRONIZE, SHARE_ALL,
                       NULL, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
}

static int file_error(DWORD code)
{
    switch (win_fail(code)) {
    case ERR_ACCESS:
        return ERR_ACCESS;
    case ERR_NOT_FOUND:
        return ERR_NOT_FOUND;
    case ERR_FULL:
        return ERR_FULL;
    case ERR_CLOSED:
        return ERR_CLOSED;
    case ERR_NO_MEMORY:
        return ERR_NO_MEMORY;
    default:
        return ERR_IO;
    }
}

static int file_new(HANDLE handle, wchar_t *path, struct os_file **ret)
{
    struct os_file *f = malloc(sizeof *f);

    if (f == NULL)
        return win_fail(ERROR_NOT_ENOUGH_MEMORY);
    f->handle = handle;
    f->path = path;
    atomic_init(&f->writer, 0);
    atomic_init(&f->is_canceled, false);
    *ret = f;
    return 0;
}

int os_file_append(const char *path, struct os_file **ret)
{
    wchar_t *wide = win_path(path);

    if (wide == NULL)
        return file_error(GetLastError());
    HANDLE handle = open_append(wide);
    if (handle == INVALID_HANDLE_VALUE && GetLastError() == ERROR_PATH_NOT_FOUND &&
        win_folder_above(wide) == 0)
        handle = open_append(wide);
    if (handle == INVALID_HANDLE_VALUE) {
        int r = file_error(GetLastError());
        free(wide);
        return r;
    }
    int r = file_new(handle, wide, ret);
    if (r < 0) {
        CloseHandle(handle);
        free(wide);
    }
    return r;
}

int os_file_stdout(struct os_file **ret)
{
    return file_new(GetStdHandle(STD_OUTPUT_HANDLE), NULL, ret);
}

static int write_error(DWORD code)
{
    int r = win_fail(code);

    if (code == ERROR_OPERATION_ABORTED)
        return ERR_CANCELED;
    return r == ERR_FULL || r == ERR_CLOSED ? r : ERR_IO;
}

/* One WriteFile(), unless all is cancelled. <ret_written> goes on counting. */
static int write_some(struct os_file *f, const uint8_t *data, size_t length,
                      size_t *ret_written)
{
    DWORD n = 0;
    int r = 0;

    atomic_store(&f->writer, GetCurrentThreadId());
    if (atomic_load(&f->is_canceled))
        r = write_error(ERROR_OPERATION_ABORTED);
    else if (!WriteFile(f->handle, data, (DWORD)length, &n, NULL))
        r = write_error(GetLastError());
    atomic_store(&f->writer, 0);
    *ret_written += n;
    return r;
}

void os_file_cancel(struct os_file *f)
{
    atomic_store(&f->is_canceled, true);
    DWORD id = atomic_load(&f->writer);
    HANDLE thread = id != 0 ? OpenThread(THREAD_TERMINATE, FALSE, id) : NULL;
    if (thread == NULL)
        return;
    CancelSynchronousIo(thread);
    CloseHandle(thread);
}

int os_file_write(struct os_file *f, const struct os_vec *vec, size_t count,
                  size_t *ret_written)
{
    struct win_gather g = {.vec = vec, .count = count};
    size_t written = 0, length;
    const void *data;
    int r = 0;

    while (r == 0 && (length = win_gather_next(&g, f->join, JOIN_BYTES, &data)) > 0) {
        const uint8_t *at = data;
        size_t done = 0;
        while (r == 0 && done < length)
            r = write_some(f, at + done, length - done, &done);
        written += done;
    }
    if (ret_written != NULL)
        *ret_written = written;
    return r;
}

/* Deleted: gone from the folder, or to go when the last who has it open closes it. */
static bool is_deleted(HANDLE handle)
{
    FILE_STANDARD_INFO info;

    return GetFileInformationByHandleEx(handle, FileStandardInfo, &info, sizeof info) &&
           (info.DeletePending || info.NumberOfLinks == 0);
}

/* Two names of one file have the same volume and index. */
bool os_file_is_current(const struct os_file *f)
{
    BY_HANDLE_FILE_INFORMATION ours, named;

    if (f->path == NULL)
        return true;
    if (is_deleted(f->handle))
        return false;
    HANDLE handle =
        CreateFileW(f->path, FILE_READ_ATTRIBUTES, SHARE_ALL, NULL, OPEN_EXISTING, 0, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return false;
    bool is_known = GetFileInformationByHandle(f->handle, &ours) &&
                    GetFileInformationByHandle(handle, &named);
    CloseHandle(handle);
    return is_known && ours.dwVolumeSerialNumber == named.dwVolumeSerialNumber &&
           ours.nFileIndexHigh == named.nFileIndexHigh &&
           ours.nFileIndexLow == named.nFileIndexLow;
}

uint64_t os_file_size(const struct os_file *f)
{
    LARGE_INTEGER size = {.QuadPart = 0};

    GetFileSizeEx(f->handle, &size);
    return (uint64_t)size.QuadPart;
}

bool os_file_has_torn_end(const struct os_file *f)
{
    uint64_t size = os_file_size(f);
    char last = '\n';
    DWORD n = 0;

    if (f->path == NULL || size == 0)
        return false;
    HANDLE handle = CreateFileW(f->path, GENERIC_READ, SHARE_ALL, NULL, OPEN_EXISTING, 0, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return false;
    LARGE_INTEGER at = {.QuadPart = (LONGLONG)(size - 1)};
    bool is_read = SetFilePointerEx(handle, at, NULL, FILE_BEGIN) &&
                   ReadFile(handle, &last, 1, &n, NULL) && n == 1;
    CloseHandle(handle);
    return is_read && last != '\n';
}

void os_file_close(struct os_file *f)
{
    if (f == NULL)
        return;
    if (f->path != NULL)
        CloseHandle(f->handle);
    free(f->path);
    free(f);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* As long as the file was when it was opened; shorter if it shrinks meanwhile. */
static int read_handle(HANDLE handle, size_t limit, char **ret_data, size_t *ret_length)
{
    LARGE_INTEGER size;
    size_t length = 0;
    DWORD n;

    if (!GetFileSizeEx(handle, &size))
        return file_error(GetLastError());
    if ((uint64_t)size.QuadPart > limit || (uint64_t)size.QuadPart > MAXLONG)
        return win_fail(ERROR_HANDLE_DISK_FULL);
    char *data = malloc((size_t)size.QuadPart + 1);
    if (data == NULL)
        return win_fail(ERROR_NOT_ENOUGH_MEMORY);
    do {
        if (!ReadFile(handle, data + length, (DWORD)((size_t)size.QuadPart - length), &n,
                      NULL)) {
            int r = file_error(GetLastError());
            free(data);
            return r;
        }
        length += n;
    } while (n > 0 && length < (size_t)size.QuadPart);
    data[length] = '\0';
    *ret_data = data;
    *ret_length = length;
    return 0;
}

int os_file_read_all(const char *path, size_t limit, char **ret_data, size_t *ret_length)
{
    wchar_t *wide = win_path(path);

    if (wide == NULL)
        return file_error(GetLastError());
    HANDLE handle = CreateFileW(wide, GENERIC_READ, SHARE_ALL, NULL, OPEN_EXISTING,
                                FILE_ATTRIBUTE_NORMAL, NULL);
    DWORD code = GetLastError();
    free(wide);
    if (handle == INVALID_HANDLE_VALUE)
        return file_error(code);
    int r = read_handle(handle, limit, ret_data, ret_length);
    CloseHandle(handle);
    return r;
}
