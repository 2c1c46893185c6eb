/* SPDX-License-Identifier: MIT */
/* linux/carrier_control.c - where `status` asks: a unix socket that only its owner may open. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/os/linux/carrier.h"
#include "common/os/linux/carrier_unix.h"
#include "common/os/linux/error.h"
#include "common/os/linux/unix_file.h"

enum { CONTROL_MODE = 0600 };

/* In a folder of another user's, such as one that was put into /tmp before us, the socket could
 * be exchanged for another: no place to answer from. A sticky folder (/tmp itself) protects
 * it. */
static int folder_check(const char *folder)
{
    struct stat st;

    if (stat(folder, &st) < 0)
        return error_errno();
    if (!S_ISDIR(st.st_mode))
        return error_from(ENOTDIR);
    bool is_ours = st.st_uid == 0 || st.st_uid == geteuid();
    bool is_open = (st.st_mode & (S_IWGRP | S_IWOTH)) && !(st.st_mode & S_ISVTX);
    return is_ours && !is_open ? 0 : error_from(EACCES);
}

/* /run/hvlog may be looked into by everybody, a folder of a user's own not. */
static int folder_prepare(const char *path)
{
    char folder[sizeof((struct sockaddr_un *)0)->sun_path];
    struct sockaddr_un a;

    int r = unix_address(path, &a);
    if (r < 0)
        return r;
    memcpy(folder, a.sun_path, sizeof folder);
    char *slash = strrchr(folder, '/');
    if (!slash)
        return folder_check(".");
    if (slash == folder)
        return 0;
    *slash = '\0';
    if (mkdir(folder, geteuid() == 0 ? 0755 : 0700) < 0 && errno != EEXIST)
        return error_errno();
    return folder_check(folder);
}

static int control_listen(const struct os_target *target, struct os_listener **ret)
{
    int r = folder_prepare(target->endpoint->path);

    return r < 0 ? r : carrier_unix_listen(target->endpoint->path, CONTROL_MODE, ret);
}

const struct os_carrier carrier_control = {
    .name = "control",
    .dial = carrier_unix_dial,
    .listen = control_listen,
};
