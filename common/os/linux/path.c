/* SPDX-License-Identifier: MIT */
/* linux/path.c - folders, and where hvlog's things are. */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/os/file.h"
#include "common/os/linux/error.h"

enum { FOLDER_MODE = 0750, PASSWD_BYTES = 4096, PATH_BYTES = 1024 };

static int make_one(const char *path)
{
    struct stat st;

    if (mkdir(path, FOLDER_MODE) == 0)
        return 0;
    if (errno == EEXIST && stat(path, &st) == 0)
        return S_ISDIR(st.st_mode) ? 0 : error_keep(ERR_IO, ENOTDIR);
    int err = error_errno();
    return err == ERR_ACCESS ? err : error_keep(ERR_IO, errno);
}

int os_folder_make(const char *path)
{
    char *part = strdup(path);
    int r = 0;

    if (!part)
        return error_keep(ERR_IO, ENOMEM);
    /* Behind the first octet, which may be the root's slash. */
    for (char *slash = part; *slash && r == 0 && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        r = make_one(part);
        *slash = '/';
    }
    if (r == 0)
        r = make_one(part);
    free(part);
    return r;
}

static const char *home(char *room, size_t size)
{
    const char *name = getenv("HOME");
    struct passwd entry, *found = NULL;

    if (name && name[0] == '/')
        return name;
    if (getpwuid_r(geteuid(), &entry, room, size, &found) == 0 && found)
        return found->pw_dir;
    return "/";
}

/* Paths of the XDG variables that are not absolute are to be ignored (XDG Base Directory). */
static const char *xdg(const char *variable)
{
    const char *path = getenv(variable);

    return path && path[0] == '/' ? path : NULL;
}

static int state_path(char *path, size_t size)
{
    char room[PASSWD_BYTES];

    if (geteuid() == 0)
        return snprintf(path, size, "/var/lib/hvlog");
    if (xdg("XDG_STATE_HOME"))
        return snprintf(path, size, "%s/hvlog", xdg("XDG_STATE_HOME"));
    return snprintf(path, size, "%s/.local/state/hvlog", home(room, sizeof room));
}

static int control_path(const char *program, char *path, size_t size)
{
    if (geteuid() == 0)
        return snprintf(path, size, "/run/hvlog/%s.sock", program);
    if (xdg("XDG_RUNTIME_DIR"))
        return snprintf(path, size, "%s/hvlog/%s.sock", xdg("XDG_RUNTIME_DIR"), program);
    return snprintf(path, size, "/tmp/hvlog-%lu/%s.sock", (unsigned long)geteuid(), program);
}

int os_path_default(enum os_path what, const char *program, char *path, size_t size)
{
    char whole[PATH_BYTES];
    int length = 0;

    switch (what) {
    case OS_PATH_CONFIG:
        length = snprintf(whole, sizeof whole, "/etc/hvlog/%s.conf", program);
        break;
    case OS_PATH_STATE:
        length = state_path(whole, sizeof whole);
        break;
    case OS_PATH_CONTROL:
        length = control_path(program, whole, sizeof whole);
        break;
    }
    if (length <= 0 || (size_t)length >= sizeof whole || (size_t)length >= size)
        return error_keep(ERR_FULL, ENAMETOOLONG);
    memcpy(path, whole, (size_t)length + 1);
    return 0;
}
