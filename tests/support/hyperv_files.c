/* SPDX-License-Identifier: MIT */
/* hyperv_files.c - the files by which the stand-in's listeners are known. */
#include "tests/support/hyperv_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

enum { PATH_MAX_WIDE = 512 };

static const wchar_t *folder(wchar_t path[PATH_MAX_WIDE])
{
    wchar_t temp[MAX_PATH + 1];
    DWORD n = GetEnvironmentVariableW(L"HVLOG_HYPERV_DIR", path, PATH_MAX_WIDE);

    if (n == 0 || n >= PATH_MAX_WIDE) {
        GetTempPathW(MAX_PATH + 1, temp);
        swprintf(path, PATH_MAX_WIDE, L"%lshvlog-hyperv-%lu", temp,
                 (unsigned long)GetCurrentProcessId());
    }
    CreateDirectoryW(path, NULL);
    return path;
}

static void file_path(const struct uuid *vm, const struct uuid *service,
                      wchar_t ret[PATH_MAX_WIDE])
{
    wchar_t above[PATH_MAX_WIDE];
    char v[UUID_TEXT_MAX], s[UUID_TEXT_MAX];

    swprintf(ret, PATH_MAX_WIDE, L"%ls\\%hs_%hs", folder(above), uuid_format(vm, v),
             uuid_format(service, s));
}

HANDLE hyperv_file_make(const struct uuid *vm, const struct uuid *service, uint16_t tcp_port)
{
    wchar_t path[PATH_MAX_WIDE];
    char text[16];
    DWORD n;

    file_path(vm, service, path);
    HANDLE file = CreateFileW(
        path, GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
        NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (file != INVALID_HANDLE_VALUE)
        WriteFile(file, text, (DWORD)snprintf(text, sizeof text, "%u\n", tcp_port), &n, NULL);
    return file;
}

uint16_t hyperv_file_read(const struct uuid *vm, const struct uuid *service)
{
    wchar_t path[PATH_MAX_WIDE];
    char text[16] = "";
    DWORD n = 0;

    file_path(vm, service, path);
    HANDLE file =
        CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return 0;
    ReadFile(file, text, sizeof text - 1, &n, NULL);
    CloseHandle(file);
    return (uint16_t)strtoul(text, NULL, 10);
}

void hyperv_file_close(HANDLE *file)
{
    if (*file != INVALID_HANDLE_VALUE)
        CloseHandle(*file);
    *file = INVALID_HANDLE_VALUE;
}
