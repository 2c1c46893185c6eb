/* SPDX-License-Identifier: MIT */
/* uml_xstate.c - lets User-Mode Linux run on processors with more registers than it knows.
 *
 * A library for LD_PRELOAD. The kernel takes a traced process's extended state only whole
 * (PTRACE_SETREGSET of NT_X86_XSTATE, else EFAULT). User-Mode Linux 6.1 has room for that of
 * AVX-512, not for the 8 KiB more of AMX, and dies as its first program starts. Here what it
 * hands over is completed by what the process has already.
 */
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { XSTATE_MAX_BYTES = 64 * 1024 };

long ptrace(enum __ptrace_request request, ...);

static long call(long request, pid_t pid, void *address, void *data)
{
    return syscall(SYS_ptrace, request, pid, address, data);
}

static long set_xstate(pid_t pid, void *address, const struct iovec *part)
{
    static char whole[XSTATE_MAX_BYTES];
    struct iovec v = {.iov_base = whole, .iov_len = sizeof(whole)};

    if (call(PTRACE_GETREGSET, pid, address, &v) < 0)
        return -1;
    memcpy(whole, part->iov_base, part->iov_len < v.iov_len ? part->iov_len : v.iov_len);
    return call(PTRACE_SETREGSET, pid, address, &v);
}

/* The C library's ptrace() returns what PEEK requests read; the system call writes it to
 * <data>. */
long ptrace(enum __ptrace_request request, ...)
{
    va_list list;
    long peeked;

    va_start(list, request);
    pid_t pid = va_arg(list, pid_t);
    void *address = va_arg(list, void *), *data = va_arg(list, void *);
    va_end(list);
    if (request == PTRACE_SETREGSET && (long)address == NT_X86_XSTATE)
        return set_xstate(pid, address, data);
    if (request < PTRACE_PEEKTEXT || request > PTRACE_PEEKUSER)
        return call((long)request, pid, address, data);
    return call((long)request, pid, address, &peeked) < 0 ? -1 : peeked;
}
