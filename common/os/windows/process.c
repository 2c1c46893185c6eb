/* SPDX-License-Identifier: MIT */
/* windows/process.c - this process and its machine. */
#include "common/os/process.h"

#include "common/os/windows/win.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>

enum { NAME_WIDE_MAX = 256 };

int os_process_startup(void)
{
    WSADATA data;
    int code = WSAStartup(MAKEWORD(2, 2), &data);

    if (code != 0) {
        win_fail((DWORD)code);
        return ERR_UNSUPPORTED;
    }
    SetConsoleOutputCP(CP_UTF8);
    SetConsoleCP(CP_UTF8);
    /* The octets that were written, without a CR before each LF. The C library knows no line
     * buffering, and takes the word for full buffering: so none, which is also its default.
     */
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
    setvbuf(stderr, NULL, _IONBF, 0);
    return 0;
}

/* Whether an anonymous pipe is full is not told here. */
bool os_stderr_wait(unsigned wait_ms)
{
    (void)wait_ms;
    return true;
}

uint64_t os_process_id(void)
{
    return GetCurrentProcessId();
}

char *os_host_name(char *name, size_t size)
{
    wchar_t wide[NAME_WIDE_MAX];
    DWORD length = NAME_WIDE_MAX;

    if (!GetComputerNameExW(ComputerNameDnsHostname, wide, &length))
        return win_utf8(L"localhost", name, size);
    return win_utf8(wide, name, size);
}

char *os_user_name(char *name, size_t size)
{
    wchar_t wide[NAME_WIDE_MAX];
    DWORD length = NAME_WIDE_MAX;

    if (!GetUserNameW(wide, &length))
        return win_utf8(L"unknown", name, size);
    return win_utf8(wide, name, size);
}

/* Every user may listen on every port here. */
const char *os_listen_right(const struct endpoint *where)
{
    (void)where;
    return NULL;
}
