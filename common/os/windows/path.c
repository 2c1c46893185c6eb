/* SPDX-License-Identifier: MIT */
/* windows/path.c - folders, where hvlog's things lie, and who may read them. */
#include "common/os/file.h"

#include "common/os/windows/win.h"

#include <aclapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* ---- folders ----------------------------------------------------------------------------- */

static bool is_separator(wchar_t c)
{
    return c == L'\\' || c == L'/';
}

static bool is_folder(const wchar_t *path)
{
    DWORD attributes = GetFileAttributesW(path);

    return attributes != INVALID_FILE_ATTRIBUTES &&
           (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

/* One folder that only this user, SYSTEM and the administrators may enter. %ProgramData% would
 * hand down the right to read to everybody. Being there already is success.
 */
static int folder_make(const wchar_t *path)
{
    SECURITY_ATTRIBUTES attributes = {.nLength = sizeof attributes,
                                      .lpSecurityDescriptor = win_private_descriptor(true)};

    if (attributes.lpSecurityDescriptor == NULL)
        return win_fail_last();
    DWORD code = CreateDirectoryW(path, &attributes) ? ERROR_SUCCESS : GetLastError();
    LocalFree(attributes.lpSecurityDescriptor);
    if (code == ERROR_SUCCESS || is_folder(path))
        return 0;
    return win_fail(code);
}

int win_folder_above(const wchar_t *path)
{
    size_t length = wcslen(path);

    while (length > 0 && !is_separator(path[length - 1]))
        length--;
    if (length < 2)
        return win_fail(ERROR_PATH_NOT_FOUND);
    wchar_t *folder = _wcsdup(path);
    if (folder == NULL)
        return win_fail(ERROR_NOT_ENOUGH_MEMORY);
    folder[length - 1] = L'\0';
    int r = folder_make(folder);
    free(folder);
    return r;
}

/* Makes <path> from the first missing folder down; it writes to <path> and mends it again. */
static int folders_make(wchar_t *path)
{
    for (wchar_t *c = path; *c != L'\0'; c++) {
        if (c == path || !is_separator(*c) || is_separator(c[-1]) || c[-1] == L':')
            continue;
        wchar_t kept = *c;
        *c = L'\0';
        /* What is above may be a server, a volume or a folder that this user may not make. */
        if (!is_folder(path))
            folder_make(path);
        *c = kept;
    }
    return is_folder(path) ? 0 : folder_make(path);
}

int os_folder_make(const char *path)
{
    wchar_t *wide = win_path(path);

    if (wide == NULL)
        return win_fail_last() == ERR_NO_MEMORY ? ERR_NO_MEMORY : ERR_IO;
    int r = folders_make(wide);
    free(wide);
    return r == 0 || r == ERR_ACCESS ? r : ERR_IO;
}

/* ---- who may read ------------------------------------------------------------------------ */

enum { READ_RIGHTS = FILE_READ_DATA | GENERIC_READ | GENERIC_ALL };

static bool is_trusted(PSID sid, PSID owner)
{
    static const WELL_KNOWN_SID_TYPE TRUSTED[] = {
        WinLocalSystemSid, WinBuiltinAdministratorsSid, WinCreatorOwnerRightsSid};

    if (owner != NULL && EqualSid(sid, owner))
        return true;
    for (size_t i = 0; i < sizeof TRUSTED / sizeof TRUSTED[0]; i++)
        if (IsWellKnownSid(sid, TRUSTED[i]))
            return true;
    return false;
}

/* Whether the entry lets somebody read who is not trusted. */
static bool is_leak(const ACE_HEADER *header, PSID owner)
{
    union { /* the list's entries are what their heads say */
        const ACE_HEADER *header;
        const ACCESS_ALLOWED_ACE *allowed;
        ACCESS_ALLOWED_ACE *entry;
    } ace = {.header = header};

    if (header->AceType != ACCESS_ALLOWED_ACE_TYPE ||
        (header->AceFlags & INHERIT_ONLY_ACE) != 0 || (ace.allowed->Mask & READ_RIGHTS) == 0)
        return false;
    return !is_trusted(&ace.entry->SidStart, owner);
}

static bool is_list_private(PACL list, PSID owner)
{
    if (list == NULL) /* everybody may everything */
        return false;
    for (DWORD i = 0; i < list->AceCount; i++) {
        void *ace;
        if (GetAce(list, i, &ace) && is_leak(ace, owner))
            return false;
    }
    return true;
}

bool os_file_is_private(const char *path)
{
    PSECURITY_DESCRIPTOR descriptor;
    PACL list;
    PSID owner;
    wchar_t *wide = win_path(path);

    if (wide == NULL)
        return false;
    DWORD code = GetNamedSecurityInfoW(wide, SE_FILE_OBJECT,
                                       OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                                       &owner, NULL, &list, NULL, &descriptor);
    free(wide);
    if (code != ERROR_SUCCESS)
        return true;
    bool is_private = is_list_private(list, owner);
    LocalFree(descriptor);
    return is_private;
}

/* ---- places ------------------------------------------------------------------------------ */

/* %ProgramData%, which is set in every session, services' too. */
static char *program_data(char *text, size_t size)
{
    wchar_t wide[MAX_PATH];
    DWORD n = GetEnvironmentVariableW(L"ProgramData", wide, MAX_PATH);

    return win_utf8(n > 0 && n < MAX_PATH ? wide : L"C:\\ProgramData", text, size);
}

int os_path_default(enum os_path what, const char *program, char *path, size_t size)
{
    enum { UTF8_MAX = 3 * MAX_PATH + 1 }; /* a UTF-16 unit takes at most three octets */
    char base[UTF8_MAX];
    int n = 0;

    program_data(base, sizeof base);
    switch (what) {
    case OS_PATH_CONFIG:
        n = snprintf(path, size, "%s\\hvlog\\%s.conf", base, program);
        break;
    case OS_PATH_STATE:
        n = snprintf(path, size, "%s\\hvlog\\state", base);
        break;
    case OS_PATH_CONTROL:
        n = snprintf(path, size, "\\\\.\\pipe\\hvlog-%s", program);
        break;
    }
    return n > 0 && (size_t)n < size ? 0 : ERR_FULL;
}
