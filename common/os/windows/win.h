/* SPDX-License-Identifier: MIT */
/* windows/win.h - what the files of this folder share: the system's headers in the one order
 * that works, and the few helpers that more than one of them needs. Nothing outside this folder
 * includes it.
 */
#ifndef HVLOG_OS_WINDOWS_WIN_H
#define HVLOG_OS_WINDOWS_WIN_H

#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <winsock2.h>
#include <ws2tcpip.h>
#include <mswsock.h>
#include <windows.h>

/* Words that windows.h takes away from everybody. */
#undef interface
#undef small
#undef near
#undef far
#undef min
#undef max

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/address.h"
#include "common/core/endpoint.h"
#include "common/core/err.h"
#include "common/os/stream.h"

/* error.c: each keeps <code> for os_error_last() and gives the enum err for it, never 0.
 *
 * win_fail() - the plain translation. Code 0, which a failed call on a Hyper-V socket leaves
 * behind on old systems, is ERR_CLOSED.
 * win_fail_last() - the same for this thread's last code; WSAGetLastError() and GetLastError()
 * are one.
 * win_fail_stream() - for a read or write on a connection: whatever ends one is ERR_CLOSED.
 * win_fail_dial() - for an attempt to connect: a connection that was cut while it was made is
 * refused.
 */
int win_fail(DWORD code);
int win_fail_last(void);
int win_fail_stream(DWORD code);
int win_fail_dial(DWORD code);

/* clock.c: how long a wait until <deadline_ms> may last: 0 when it has passed, at most
 * <limit_ms>. Windows does not count sleep in the time-outs of its waits and hvlog's clock
 * does, so a long wait is cut into pieces, after each of which the clock is asked again.
 * OS_NEVER gives <limit_ms>.
 */
enum { WIN_WAIT_SLICE_MS = 1000 };
DWORD win_wait_ms(uint64_t deadline_ms, DWORD limit_ms);

/* text.c: UTF-8 to UTF-16 and back. win_wide() gives memory to free(), or NULL (not UTF-8, or
 * out of memory; the system's code says which). win_path() is win_wide() for a file's path and
 * lifts the limit of 260 characters. win_utf8() cuts at <size> and returns <text>.
 */
wchar_t *win_wide(const char *text);
wchar_t *win_path(const char *path);
char *win_utf8(const wchar_t *wide, char *text, size_t size);

/* security.c: a security descriptor that lets this user, SYSTEM and the administrators in and
 * nobody else; <is_inherited> for a folder: what is made in it gets the same. LocalFree() it.
 * NULL on failure.
 */
PSECURITY_DESCRIPTOR win_private_descriptor(bool is_inherited);

/* path.c: makes the folder above <path> when that alone is missing. 0 or an error. */
int win_folder_above(const wchar_t *path);

/* io.c: overlapped reads and writes of one stream, one of each at a time, and their cancel.
 *
 * win_io_init() - 0, ERR_NO_MEMORY or ERR_IO; win_io_release() also takes what it left behind.
 * win_io_wait() - until the operation with <o> on <file> has ended or was canceled; in the
 * second case the system is told so and true is returned. Either way its result is there, or
 * will be in a moment: ask for it with waiting, since the system writes to <o> until then.
 * win_io_cancel() - for good. Any thread.
 */
struct win_io {
    HANDLE cancel; /* stays set */
    HANDLE reading;
    HANDLE writing;
};
int win_io_init(struct win_io *io);
void win_io_release(struct win_io *io);
bool win_io_is_canceled(const struct win_io *io);
bool win_io_wait(const struct win_io *io, HANDLE file, OVERLAPPED *o);
void win_io_cancel(struct win_io *io);

/* gather.c: a walk over the pieces of a gathering write in runs of at most <limit> octets. A
 * run lies in the piece itself where that is long enough, else its octets are collected in
 * <buffer> (of <limit> octets), so that a short head and its body leave with one call.
 */
struct win_gather {
    const struct os_vec *vec;
    size_t count;
    size_t offset; /* into vec[0] */
};
size_t win_gather_next(struct win_gather *g, uint8_t *buffer, size_t limit, const void **ret);

/* inet.c: IP sockets. */

/* Asked while something waits, at least every OS_CANCEL_POLL_MS. */
struct win_waiter {
    uint64_t deadline_ms;
    bool (*is_canceled)(void *); /* may be NULL */
    void *arg;
};
bool win_waiter_is_canceled(const struct win_waiter *w);

/* win_address() - a socket address as a value; one of another family is ADDRESS_NONE. */
void win_address(const struct sockaddr_storage *from, struct address *ret);

/* win_resolve() - the addresses of <endpoint>'s host and port for <socktype>; FreeAddrInfoExW()
 * them. Literal addresses are answered at once, names by the system's resolver.
 *
 * Returns 0, ERR_NOT_FOUND, ERR_TIMEOUT, ERR_CANCELED, ERR_NO_MEMORY, ERR_IO.
 */
int win_resolve(const struct endpoint *endpoint, int socktype, const struct win_waiter *waiter,
                ADDRINFOEXW **ret);

/* The next of them: the headers of mingw-w64 10 misspell the type that ai_next points to. */
static inline const ADDRINFOEXW *win_resolved_next(const ADDRINFOEXW *a)
{
    return (const void *)a->ai_next;
}

/* win_inet_bind() - a socket bound for <endpoint> that nobody else can share; an any-address is
 * dual-stack where there is IPv6. <receive_buffer> octets of kernel buffer are asked for, 0
 * leaves it.
 *
 * Returns 0; ERR_IN_USE, ERR_ACCESS, ERR_NOT_FOUND, ERR_UNSUPPORTED, ERR_NO_MEMORY, ERR_IO.
 */
int win_inet_bind(const struct endpoint *endpoint, int socktype, uint32_t receive_buffer,
                  SOCKET *ret);
int win_inet_listen(const struct endpoint *endpoint, SOCKET *ret);
uint16_t win_inet_port(SOCKET s);

/* win_set_blocking() - accepted sockets inherit their listener's state, so it is said. */
int win_set_blocking(SOCKET s, bool is_blocking);

/* win_wait_readable() - select() on one socket: 1, 0 (not yet) or SOCKET_ERROR. */
int win_wait_readable(SOCKET s, DWORD wait_ms);

/* stream.c: a connected socket as a stream, which owns it from then on, also when this fails.
 * <write_limit> is the longest single write (0: as the system likes). <peer> is copied.
 *
 * Returns 0, ERR_NO_MEMORY or ERR_IO.
 */
int win_stream_new(SOCKET s, size_t write_limit, const char *peer, struct os_stream **ret);

/* listener.c: a listening socket as a listener, which owns it from then on, also when this
 * fails. <open> makes a stream of an accepted socket and owns that one; 0 or an error.
 */
typedef int win_open_fn(SOCKET s, const struct sockaddr_storage *peer, struct os_stream **ret);
int win_listener_new(SOCKET s, uint32_t port, win_open_fn *open, struct os_listener **ret);

extern const struct os_carrier win_carrier_tcp;
extern const struct os_carrier win_carrier_hvsock;
extern const struct os_carrier win_carrier_control;

#endif
