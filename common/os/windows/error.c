/* SPDX-License-Identifier: MIT */
/* windows/error.c - the system's codes as enum err, in one table, and the original kept for the
 * log. */
#include "common/os/error.h"

#include "common/os/windows/win.h"

#include <stdio.h>

#ifndef ERROR_DISK_QUOTA_EXCEEDED
#define ERROR_DISK_QUOTA_EXCEEDED 1295 /* in no header of mingw-w64 10 */
#endif

static const struct {
    DWORD code;
    int err;
} TABLE[] = {
    {WSAEWOULDBLOCK, ERR_AGAIN},
    /* Seen when a Hyper-V socket breaks: hvsock facts in carrier_hvsock.c. */
    {ERROR_SUCCESS, ERR_CLOSED},
    {WSAECONNRESET, ERR_CLOSED},
    {WSAECONNABORTED, ERR_CLOSED},
    {WSAENETRESET, ERR_CLOSED},
    {WSAENOTCONN, ERR_CLOSED},
    {WSAESHUTDOWN, ERR_CLOSED},
    {WSAEDISCON, ERR_CLOSED},
    {ERROR_BROKEN_PIPE, ERR_CLOSED},
    {ERROR_NO_DATA, ERR_CLOSED},
    {ERROR_PIPE_NOT_CONNECTED, ERR_CLOSED},
    {ERROR_NETNAME_DELETED, ERR_CLOSED},
    {ERROR_CONNECTION_ABORTED, ERR_CLOSED},
    {ERROR_GRACEFUL_DISCONNECT, ERR_CLOSED},
    {ERROR_HANDLE_EOF, ERR_CLOSED},
    {WSAETIMEDOUT, ERR_TIMEOUT},
    {ERROR_SEM_TIMEOUT, ERR_TIMEOUT},
    {ERROR_TIMEOUT, ERR_TIMEOUT},
    {WAIT_TIMEOUT, ERR_TIMEOUT},
    {WSAEINTR, ERR_CANCELED},
    {ERROR_OPERATION_ABORTED, ERR_CANCELED}, /* also WSA_OPERATION_ABORTED */
    {WSAECONNREFUSED, ERR_REFUSED},
    {ERROR_CONNECTION_REFUSED, ERR_REFUSED},
    {ERROR_CONNECTION_UNAVAIL, ERR_REFUSED},
    {ERROR_PORT_UNREACHABLE, ERR_REFUSED},
    {WSAEACCES, ERR_ACCESS},
    {ERROR_ACCESS_DENIED, ERR_ACCESS},
    {ERROR_PRIVILEGE_NOT_HELD, ERR_ACCESS},
    {ERROR_SHARING_VIOLATION, ERR_ACCESS},
    {ERROR_WRITE_PROTECT, ERR_ACCESS},
    {WSAEADDRINUSE, ERR_IN_USE},
    {ERROR_PIPE_BUSY, ERR_IN_USE},
    {WSAEADDRNOTAVAIL, ERR_NOT_FOUND},
    {WSAENETUNREACH, ERR_NOT_FOUND},
    {WSAEHOSTUNREACH, ERR_NOT_FOUND},
    {WSAENETDOWN, ERR_NOT_FOUND},
    {WSAEHOSTDOWN, ERR_NOT_FOUND},
    {WSAHOST_NOT_FOUND, ERR_NOT_FOUND},
    {WSATRY_AGAIN, ERR_NOT_FOUND},
    {WSANO_DATA, ERR_NOT_FOUND},
    {WSANO_RECOVERY, ERR_NOT_FOUND},
    {ERROR_NETWORK_UNREACHABLE, ERR_NOT_FOUND},
    {ERROR_HOST_UNREACHABLE, ERR_NOT_FOUND},
    {ERROR_FILE_NOT_FOUND, ERR_NOT_FOUND},
    {ERROR_PATH_NOT_FOUND, ERR_NOT_FOUND},
    {ERROR_BAD_PATHNAME, ERR_NOT_FOUND},
    {ERROR_INVALID_NAME, ERR_NOT_FOUND},
    {ERROR_INVALID_DRIVE, ERR_NOT_FOUND},
    {ERROR_BAD_NETPATH, ERR_NOT_FOUND},
    {WSAEAFNOSUPPORT, ERR_UNSUPPORTED},
    {WSAEPFNOSUPPORT, ERR_UNSUPPORTED},
    {WSAEPROTONOSUPPORT, ERR_UNSUPPORTED},
    {WSAEPROTOTYPE, ERR_UNSUPPORTED},
    {WSAESOCKTNOSUPPORT, ERR_UNSUPPORTED},
    {WSAEOPNOTSUPP, ERR_UNSUPPORTED},
    {WSAVERNOTSUPPORTED, ERR_UNSUPPORTED},
    {WSASYSNOTREADY, ERR_UNSUPPORTED},
    {ERROR_NOT_SUPPORTED, ERR_UNSUPPORTED},
    {ERROR_CALL_NOT_IMPLEMENTED, ERR_UNSUPPORTED},
    {WSAEMSGSIZE, ERR_FULL},
    {WSAEMFILE, ERR_FULL},
    {ERROR_DISK_FULL, ERR_FULL},
    {ERROR_HANDLE_DISK_FULL, ERR_FULL},
    {ERROR_DISK_QUOTA_EXCEEDED, ERR_FULL},
    {WSAENOBUFS, ERR_NO_MEMORY},
    {ERROR_NOT_ENOUGH_MEMORY, ERR_NO_MEMORY},
    {ERROR_OUTOFMEMORY, ERR_NO_MEMORY},
    {ERROR_NO_SYSTEM_RESOURCES, ERR_NO_MEMORY},
};

static _Thread_local DWORD last_code;

int win_fail(DWORD code)
{
    last_code = code;
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++) {
        if (TABLE[i].code == code)
            return TABLE[i].err;
    }
    return ERR_IO;
}

int win_fail_last(void)
{
    return win_fail(GetLastError());
}

int win_fail_stream(DWORD code)
{
    int r = win_fail(code);

    /* By time-outs and lost routes TCP and a sleeping VM say that the connection is gone. */
    return r == ERR_TIMEOUT || r == ERR_NOT_FOUND ? ERR_CLOSED : r;
}

int win_fail_dial(DWORD code)
{
    int r = win_fail(code);

    return r == ERR_CLOSED ? ERR_REFUSED : r;
}

char *os_error_last(char *text, size_t size)
{
    enum { WIDE_MAX = 256 };
    wchar_t wide[WIDE_MAX];
    char words[OS_ERROR_TEXT_MAX];
    DWORD n = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS |
                                 FORMAT_MESSAGE_MAX_WIDTH_MASK,
                             NULL, last_code, 0, wide, WIDE_MAX, NULL);

    /* The system ends its texts with a full stop and a space. */
    while (n > 0 && (wide[n - 1] == L' ' || wide[n - 1] == L'.'))
        n--;
    wide[n] = L'\0';
    win_utf8(n > 0 ? wide : L"system error", words, sizeof words);
    int used = snprintf(NULL, 0, " (%lu)", (unsigned long)last_code);
    if (size > (size_t)used) {
        snprintf(text, size, "%.*s (%lu)", (int)(size - (size_t)used - 1), words,
                 (unsigned long)last_code);
    } else if (size > 0) {
        text[0] = '\0';
    }
    return text;
}
