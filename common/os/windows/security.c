/* SPDX-License-Identifier: MIT */
/* windows/security.c - who may: this user, SYSTEM and the administrators. */
#include "common/os/windows/win.h"

#include <sddl.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

/* The user of this process in S-1-... form; LocalFree() it. NULL on failure. */
static wchar_t *user_sid(void)
{
    union {
        TOKEN_USER user;
        uint8_t octets[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } info;
    DWORD length;
    HANDLE token;
    wchar_t *text = NULL;

    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return NULL;
    if (GetTokenInformation(token, TokenUser, &info, sizeof info, &length))
        ConvertSidToStringSidW(info.user.User.Sid, &text);
    CloseHandle(token);
    return text;
}

PSECURITY_DESCRIPTOR win_private_descriptor(bool is_inherited)
{
    enum { SDDL_MAX = 512 };
    wchar_t sddl[SDDL_MAX];
    PSECURITY_DESCRIPTOR descriptor = NULL;
    wchar_t *sid = user_sid();
    const wchar_t *flags = is_inherited ? L"OICI" : L"";

    if (sid == NULL)
        return NULL;
    int n = swprintf(sddl, SDDL_MAX, L"D:P(A;%ls;GA;;;SY)(A;%ls;GA;;;BA)(A;%ls;GA;;;%ls)",
                     flags, flags, flags, sid);
    if (n > 0)
        ConvertStringSecurityDescriptorToSecurityDescriptorW(sddl, SDDL_REVISION_1, &descriptor,
                                                             NULL);
    LocalFree(sid);
    return descriptor;
}
