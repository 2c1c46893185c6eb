/* SPDX-License-Identifier: MIT */
/* windows/carrier_control.c - the control channel: a named pipe of this machine.
 *
 * Pipes carry messages here and an empty one is the end of stream, since a pipe cannot be
 * closed in one direction (go-winio's CloseWrite does the same).
 */
#include "common/os/windows/win.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "common/os/clock.h"

enum {
    PIPE_BUFFER_BYTES = 64 * 1024,
    PIPE_WRITE_MAX = 16 * 1024,
    PIPE_INSTANCES_MAX = 64, /* clients at one time, those included that wait */
    PIPE_NAME_MAX = 256,     /* the system's limit */
};

static const wchar_t PIPE_PREFIX[] = L"\\\\.\\pipe\\";

/* ---- stream ------------------------------------------------------------------------------ */

struct pipe_stream {
    struct os_stream base;
    HANDLE pipe;
    struct win_io io;
    bool has_ended; /* the reader's */
};

static struct pipe_stream *own(struct os_stream *base)
{
    return (struct pipe_stream *)base;
}

/* How an operation on <file> ended that is under way: 0 or an error. */
static int pipe_wait(const struct win_io *io, HANDLE file, OVERLAPPED *o, DWORD *ret_done)
{
    bool is_canceled = win_io_wait(io, file, o);

    if (GetOverlappedResult(file, o, ret_done, TRUE))
        return 0;
    DWORD code = GetLastError();
    if (code == ERROR_MORE_DATA) /* the rest of a message; what fits has been read */
        return 0;
    int r = win_fail_stream(code);
    return is_canceled ? ERR_CANCELED : r;
}

/* What a call that begins an operation answered: 0 when it is done or on its way. */
static int pipe_begun(BOOL is_done)
{
    DWORD code = is_done ? ERROR_SUCCESS : GetLastError();

    if (is_done || code == ERROR_IO_PENDING || code == ERROR_MORE_DATA)
        return 0;
    return win_fail_stream(code);
}

static ptrdiff_t pipe_read(struct os_stream *base, void *data, size_t length)
{
    struct pipe_stream *s = own(base);
    OVERLAPPED o = {.hEvent = s->io.reading};
    DWORD done = 0;

    if (win_io_is_canceled(&s->io))
        return ERR_CANCELED;
    if (s->has_ended)
        return ERR_CLOSED;
    int r = pipe_begun(
        ReadFile(s->pipe, data, length > MAXLONG ? MAXLONG : (DWORD)length, NULL, &o));
    if (r == 0)
        r = pipe_wait(&s->io, s->pipe, &o, &done);
    if (r < 0)
        return r;
    s->has_ended = done == 0;
    return done > 0 ? (ptrdiff_t)done : ERR_CLOSED;
}

static int pipe_write_message(struct pipe_stream *s, const void *data, DWORD length)
{
    OVERLAPPED o = {.hEvent = s->io.writing};
    DWORD done;
    int r = pipe_begun(WriteFile(s->pipe, data, length, NULL, &o));

    return r < 0 ? r : pipe_wait(&s->io, s->pipe, &o, &done);
}

static int pipe_write(struct os_stream *base, const struct os_vec *vec, size_t count)
{
    struct pipe_stream *s = own(base);
    uint8_t buffer[PIPE_WRITE_MAX];
    struct win_gather g = {.vec = vec, .count = count};
    const void *data;
    size_t n;

    while ((n = win_gather_next(&g, buffer, sizeof buffer, &data)) > 0) {
        if (win_io_is_canceled(&s->io))
            return ERR_CANCELED;
        int r = pipe_write_message(s, data, (DWORD)n);
        if (r < 0)
            return r;
    }
    return 0;
}

static ptrdiff_t pipe_unsent(struct os_stream *base)
{
    (void)base;
    return ERR_UNSUPPORTED;
}

/* A pipe that is whole answers a peek; what waits in it is read away. */
static bool pipe_is_ended(struct os_stream *base)
{
    enum { ROUNDS_MAX = 64, BYTES = 4096 };
    struct pipe_stream *s = own(base);
    char unwanted[BYTES];
    DWORD waiting;

    for (int i = 0; i < ROUNDS_MAX; i++) {
        if (s->has_ended || !PeekNamedPipe(s->pipe, NULL, 0, NULL, &waiting, NULL))
            return true;
        if (waiting == 0)
            return false;
        if (pipe_read(base, unwanted, sizeof unwanted) < 0)
            return true;
    }
    return false;
}

/* The empty message takes no room, so it does not wait for the reader. */
static void pipe_finish(struct os_stream *base)
{
    pipe_write_message(own(base), "", 0);
}

static void pipe_cancel(struct os_stream *base)
{
    win_io_cancel(&own(base)->io);
}

/* Closing, and not DisconnectNamedPipe(), leaves what was written to the peer to be read. */
static void pipe_close(struct os_stream *base)
{
    struct pipe_stream *s = own(base);

    CloseHandle(s->pipe);
    win_io_release(&s->io);
    free(s);
}

static const struct os_stream_ops PIPE_OPS = {
    .read = pipe_read,
    .write = pipe_write,
    .unsent = pipe_unsent,
    .is_ended = pipe_is_ended,
    .finish = pipe_finish,
    .cancel = pipe_cancel,
    .close = pipe_close,
};

/* Takes <pipe>, also on failure. */
static int pipe_open(HANDLE pipe, ULONG peer_pid, struct os_stream **ret)
{
    struct pipe_stream *s = calloc(1, sizeof *s);

    if (s == NULL) {
        CloseHandle(pipe);
        return win_fail(ERROR_NOT_ENOUGH_MEMORY);
    }
    s->base.ops = &PIPE_OPS;
    s->pipe = pipe;
    int r = win_io_init(&s->io);
    if (r < 0) {
        pipe_close(&s->base);
        return r;
    }
    snprintf(s->base.peer, sizeof s->base.peer, "pid %lu", (unsigned long)peer_pid);
    *ret = &s->base;
    return 0;
}

/* ---- names ------------------------------------------------------------------------------- */

/* The pipe of an endpoint's path: the path itself, or one behind the prefix. free() it. */
static int pipe_name(const struct os_target *target, wchar_t ret[PIPE_NAME_MAX + 1])
{
    wchar_t *path = win_wide(target->endpoint->path);

    if (path == NULL)
        return win_fail_last();
    const wchar_t *prefix = wcsncmp(path, L"\\\\", 2) == 0 ? L"" : PIPE_PREFIX;
    int n = swprintf(ret, PIPE_NAME_MAX + 1, L"%ls%ls", prefix, path);
    free(path);
    return n > 0 ? 0 : win_fail(ERROR_INVALID_NAME);
}

/* ---- dial -------------------------------------------------------------------------------- */

/* One try. The server may learn who we are but not act in our name. */
static HANDLE pipe_try(const wchar_t *name)
{
    return CreateFileW(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING,
                       FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION,
                       NULL);
}

static int pipe_connect(const wchar_t *name, const struct win_waiter *waiter, HANDLE *ret)
{
    for (;;) {
        HANDLE pipe = pipe_try(name);
        if (pipe != INVALID_HANDLE_VALUE) {
            *ret = pipe;
            return 0;
        }
        if (GetLastError() != ERROR_PIPE_BUSY)
            return win_fail_dial(GetLastError());
        if (win_waiter_is_canceled(waiter))
            return ERR_CANCELED;
        DWORD wait_ms = win_wait_ms(waiter->deadline_ms, OS_CANCEL_POLL_MS);
        if (wait_ms == 0)
            return win_fail(ERROR_SEM_TIMEOUT);
        WaitNamedPipeW(name, wait_ms);
    }
}

static int control_dial(const struct os_target *target, unsigned timeout_ms,
                        bool (*canceled)(void *), void *arg, struct os_stream **ret)
{
    const struct win_waiter waiter = {
        .deadline_ms = os_clock_ms() + timeout_ms, .is_canceled = canceled, .arg = arg};
    wchar_t name[PIPE_NAME_MAX + 1];
    DWORD mode = PIPE_READMODE_MESSAGE;
    ULONG pid = 0;
    HANDLE pipe = INVALID_HANDLE_VALUE;
    int r = pipe_name(target, name);

    if (r == 0)
        r = pipe_connect(name, &waiter, &pipe);
    if (r < 0)
        return r;
    if (!SetNamedPipeHandleState(pipe, &mode, NULL, NULL)) {
        r = win_fail_last();
        CloseHandle(pipe);
        return r;
    }
    GetNamedPipeServerProcessId(pipe, &pid);
    return pipe_open(pipe, pid, ret);
}

/* ---- listen ------------------------------------------------------------------------------ */

struct pipe_listener {
    struct os_listener base;
    wchar_t name[PIPE_NAME_MAX + 1];
    HANDLE next; /* the instance that the next client gets; INVALID_HANDLE_VALUE: to be made */
    struct win_io io; /* a client that comes is what is read */
};

static struct pipe_listener *own_listener(struct os_listener *base)
{
    return (struct pipe_listener *)base;
}

/* An instance of the pipe. The first one claims the name: nobody can put a pipe of theirs under
 * it as long as one instance is open, so the next is made before the last is given away.
 */
static HANDLE pipe_instance(const wchar_t *name, bool is_first)
{
    HANDLE pipe = INVALID_HANDLE_VALUE;
    SECURITY_ATTRIBUTES attributes = {.nLength = sizeof attributes,
                                      .lpSecurityDescriptor = win_private_descriptor(false)};

    if (attributes.lpSecurityDescriptor == NULL)
        return pipe;
    pipe = CreateNamedPipeW(
        name,
        PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED |
            (is_first ? FILE_FLAG_FIRST_PIPE_INSTANCE : 0),
        PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE | PIPE_REJECT_REMOTE_CLIENTS,
        PIPE_INSTANCES_MAX, PIPE_BUFFER_BYTES, PIPE_BUFFER_BYTES, 0, &attributes);
    DWORD code = GetLastError();
    LocalFree(attributes.lpSecurityDescriptor);
    SetLastError(code);
    return pipe;
}

static bool is_there(const wchar_t *name)
{
    return WaitNamedPipeW(name, 1) || GetLastError() != ERROR_FILE_NOT_FOUND;
}

/* The first instance. A name that exists already is "access denied" to whoever asks to be the
 * first on Windows, and no error under Wine 8: so it is looked for as well.
 */
static int pipe_claim(struct pipe_listener *l)
{
    if (is_there(l->name))
        return win_fail(ERROR_PIPE_BUSY);
    l->next = pipe_instance(l->name, true);
    if (l->next != INVALID_HANDLE_VALUE)
        return 0;
    int r = win_fail_last();
    return r == ERR_ACCESS && is_there(l->name) ? ERR_IN_USE : r;
}

static int pipe_wait_client(struct pipe_listener *l)
{
    OVERLAPPED o = {.hEvent = l->io.reading};
    DWORD unused;

    if (ConnectNamedPipe(l->next, &o) || GetLastError() == ERROR_PIPE_CONNECTED)
        return 0;
    int r = pipe_begun(FALSE);
    return r < 0 ? r : pipe_wait(&l->io, l->next, &o, &unused);
}

static int control_accept(struct os_listener *base, struct os_stream **ret)
{
    struct pipe_listener *l = own_listener(base);
    ULONG pid = 0;

    if (win_io_is_canceled(&l->io))
        return ERR_CANCELED;
    if (l->next == INVALID_HANDLE_VALUE)
        l->next = pipe_instance(l->name, false);
    if (l->next == INVALID_HANDLE_VALUE)
        return win_fail_last() == ERR_IO ? ERR_IO : ERR_FULL; /* all instances are taken */
    int r = pipe_wait_client(l);
    if (r == ERR_CANCELED)
        return r;
    HANDLE pipe = l->next;
    l->next = pipe_instance(l->name, false);
    if (r < 0) {
        CloseHandle(pipe); /* a client that came and went */
        return ERR_AGAIN;
    }
    GetNamedPipeClientProcessId(pipe, &pid);
    return pipe_open(pipe, pid, ret) < 0 ? ERR_FULL : 0;
}

static void control_cancel(struct os_listener *base)
{
    win_io_cancel(&own_listener(base)->io);
}

static void control_close(struct os_listener *base)
{
    struct pipe_listener *l = own_listener(base);

    if (l->next != INVALID_HANDLE_VALUE)
        CloseHandle(l->next);
    win_io_release(&l->io);
    free(l);
}

static const struct os_listener_ops CONTROL_OPS = {
    .accept = control_accept,
    .cancel = control_cancel,
    .close = control_close,
};

static int control_listen(const struct os_target *target, struct os_listener **ret)
{
    struct pipe_listener *l = calloc(1, sizeof *l);

    if (l == NULL)
        return win_fail(ERROR_NOT_ENOUGH_MEMORY);
    l->base.ops = &CONTROL_OPS;
    l->next = INVALID_HANDLE_VALUE;
    int r = pipe_name(target, l->name);
    if (r < 0)
        goto fail;
    r = win_io_init(&l->io);
    if (r < 0)
        goto fail;
    r = pipe_claim(l);
    if (r < 0)
        goto fail;
    *ret = &l->base;
    return 0;

fail:
    control_close(&l->base);
    return r;
}

const struct os_carrier win_carrier_control = {
    .name = "control",
    .dial = control_dial,
    .listen = control_listen,
};
