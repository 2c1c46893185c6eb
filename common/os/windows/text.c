/* SPDX-License-Identifier: MIT */
/* windows/text.c - UTF-8 outside, UTF-16 where Windows is called. */
#include "common/os/windows/win.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

wchar_t *win_wide(const char *text)
{
    int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = n > 0 ? malloc((size_t)n * sizeof *wide) : NULL;

    if (wide == NULL) {
        if (n > 0)
            SetLastError(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, n);
    return wide;
}

/* The full path of <wide> behind the prefix that tells the system to take it as it is. Takes
 * <wide>.
 */
static wchar_t *extended(wchar_t *wide)
{
    static const wchar_t PREFIX[] = L"\\\\?\\";
    const size_t skip = wcslen(PREFIX);
    DWORD n = GetFullPathNameW(wide, 0, NULL, NULL);
    wchar_t *full = n > 0 ? malloc((skip + n) * sizeof *full) : NULL;

    if (full != NULL) {
        memcpy(full, PREFIX, skip * sizeof *full);
        GetFullPathNameW(wide, n, full + skip, NULL);
    } else if (n > 0) {
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
    }
    free(wide);
    return full;
}

wchar_t *win_path(const char *path)
{
    /* A folder's path may be 12 shorter than MAX_PATH, to leave room for an 8.3 name. */
    enum { PLAIN_MAX = MAX_PATH - 13 };
    wchar_t *wide = win_wide(path);

    if (wide == NULL || wcslen(wide) <= PLAIN_MAX || wcsncmp(wide, L"\\\\", 2) == 0)
        return wide;
    return extended(wide);
}

char *win_utf8(const wchar_t *wide, char *text, size_t size)
{
    /* Converted whole or, where that does not fit, a character less until it does. */
    size_t length = wcslen(wide);
    int limit = size > INT_MAX ? INT_MAX : (int)size;

    if (size == 0)
        return text;
    int n = 0;
    while (length > 0) {
        n = WideCharToMultiByte(CP_UTF8, 0, wide, (int)length, text, limit - 1, NULL, NULL);
        if (n > 0)
            break;
        length--;
    }
    text[n] = '\0';
    return text;
}
