/* SPDX-License-Identifier: MIT */
/* linux/process.c - facts about this process. */
#include "common/os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/os/linux/error.h"

enum {
    PASSWD_BYTES = 4096,
    HOST_NAME_BYTES = 256,
    UNPRIVILEGED_PORT_FIRST = 1024, /* ip(7), and LAST_RESERVED_PORT of af_vsock.c */
};

/* The soft limit of 1,024 descriptors protects programs that use select(); this one does
 * not. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* A program may be started with one of them closed. The next descriptor would get its number,
 * and our log or the records for standard output would go into a socket or somebody's file.
 * Opened for reading, so that writing is an error and nothing is taken for delivered. */
static int fill_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) != fd)
            return error_keep(ERR_IO, errno);
    return 0;
}

int os_process_startup(void)
{
    /* Writing to a pipe that nobody reads is an error to be returned, not a death. */
    signal(SIGPIPE, SIG_IGN);
    raise_descriptor_limit();
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    return fill_standard_descriptors();
}

/* Room for PIPE_BUF octets: what is longer may still have to wait (pipe_poll() says a pipe has
 * room when one page is free). */
bool os_stderr_wait(unsigned wait_ms)
{
    struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};

    return poll(&p, 1, (int)wait_ms) != 0;
}

uint64_t os_process_id(void)
{
    return (uint64_t)getpid();
}

char *os_host_name(char *name, size_t size)
{
    char host[HOST_NAME_BYTES] = "";

    if (gethostname(host, sizeof host - 1) < 0 || !host[0])
        snprintf(host, sizeof host, "localhost");
    snprintf(name, size, "%s", host);
    return name;
}

char *os_user_name(char *name, size_t size)
{
    char room[PASSWD_BYTES];
    struct passwd entry, *found = NULL;

    if (getpwuid_r(geteuid(), &entry, room, sizeof room, &found) == 0 && found)
        snprintf(name, size, "%s", found->pw_name);
    else
        snprintf(name, size, "uid %u", (unsigned)geteuid());
    return name;
}

const char *os_listen_right(const struct endpoint *where)
{
    if (where->port == 0 || where->port >= UNPRIVILEGED_PORT_FIRST)
        return NULL;
    return "a port below 1024 needs root or CAP_NET_BIND_SERVICE";
}
