/* SPDX-License-Identifier: MIT */
/* windows/stream.c - a connected socket as a stream: one read and one write at a time,
 * overlapped.
 *
 * To the caller they block. Overlapped they are because then a cancel cannot be missed, and
 * because this is how WSL itself and go-winio use Hyper-V sockets, day by day: an operation is
 * begun first and then waited for together with the cancel event, which stays set. A cancel
 * before the beginning or behind it is seen by that wait, and CancelIoEx() ends this one
 * operation. With blocking calls a thread could pass its last look at a flag, be overtaken by
 * shutdown() and CancelIoEx(), and wait for ever (seen with a blocking WSASend() under Wine).
 */
#include "common/os/stream.h"

#include "common/os/windows/win.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    /* Room to join pieces for carriers with a limit; the Hyper-V one has the smallest. */
    WRITE_LIMIT_MAX = 8 * 1024,
    /* Rounds of a look at what nobody reads: a talkative peer cannot hold the caller. */
    ENDED_ROUNDS_MAX = 64,
    ENDED_BYTES = 4096,
};

struct socket_stream {
    struct os_stream base;
    SOCKET s;
    size_t write_limit;
    struct win_io io;
};

static struct socket_stream *own(struct os_stream *base)
{
    return (struct socket_stream *)base;
}

/* How an operation ended of which the system said <begun> at its beginning: octets, or an
 * error.
 */
static ptrdiff_t io_end(struct socket_stream *s, int begun, OVERLAPPED *o)
{
    DWORD n = 0, flags;
    bool is_canceled = false;

    if (begun == SOCKET_ERROR) {
        DWORD code = (DWORD)WSAGetLastError();
        if (code != WSA_IO_PENDING)
            return win_fail_stream(code);
        is_canceled = win_io_wait(&s->io, (HANDLE)s->s, o);
    }
    if (WSAGetOverlappedResult(s->s, o, &n, TRUE, &flags))
        return (ptrdiff_t)n;
    int r = win_fail_stream((DWORD)WSAGetLastError());
    return is_canceled ? ERR_CANCELED : r;
}

static ptrdiff_t stream_read(struct os_stream *base, void *data, size_t length)
{
    struct socket_stream *s = own(base);
    WSABUF piece = {.buf = data, .len = length > MAXLONG ? MAXLONG : (ULONG)length};
    OVERLAPPED o = {.hEvent = s->io.reading};
    DWORD flags = 0;

    if (win_io_is_canceled(&s->io))
        return ERR_CANCELED;
    ptrdiff_t n = io_end(s, WSARecv(s->s, &piece, 1, NULL, &flags, &o, NULL), &o);
    return n == 0 ? ERR_CLOSED : n;
}

/* Octets sent, which may be fewer than there are, or an error. */
static ptrdiff_t send_some(struct socket_stream *s, WSABUF *pieces, size_t count)
{
    OVERLAPPED o = {.hEvent = s->io.writing};

    if (win_io_is_canceled(&s->io))
        return ERR_CANCELED;
    return io_end(s, WSASend(s->s, pieces, (DWORD)count, NULL, 0, &o, NULL), &o);
}

static WSABUF piece_of(const void *data, size_t length)
{
    union { /* WSASend() does not write there */
        const void *data;
        char *buf;
    } p = {.data = data};

    return (WSABUF){.buf = p.buf, .len = (ULONG)length};
}

static int send_all(struct socket_stream *s, const void *data, size_t length)
{
    const char *at = data;

    while (length > 0) {
        WSABUF piece = piece_of(at, length);
        ptrdiff_t n = send_some(s, &piece, 1);
        if (n < 0)
            return (int)n;
        at += n;
        length -= (size_t)n;
    }
    return 0;
}

static int write_limited(struct socket_stream *s, const struct os_vec *vec, size_t count)
{
    uint8_t buffer[WRITE_LIMIT_MAX];
    struct win_gather g = {.vec = vec, .count = count};

    for (;;) {
        const void *data;
        size_t n = win_gather_next(&g, buffer, s->write_limit, &data);
        if (n == 0)
            return 0;
        int r = send_all(s, data, n);
        if (r < 0)
            return r;
    }
}

/* All pieces with one call; what a short write left over goes piece by piece. */
static int write_gathered(struct socket_stream *s, const struct os_vec *vec, size_t count)
{
    WSABUF pieces[OS_VEC_MAX];
    size_t used = 0;

    for (size_t i = 0; i < count; i++)
        if (vec[i].length > 0)
            pieces[used++] = piece_of(vec[i].data, vec[i].length);
    if (used == 0)
        return 0;
    ptrdiff_t sent = send_some(s, pieces, used);
    if (sent < 0)
        return (int)sent;
    for (size_t i = 0; i < used; i++) {
        size_t skip = (size_t)sent < pieces[i].len ? (size_t)sent : pieces[i].len;
        int r = send_all(s, pieces[i].buf + skip, pieces[i].len - skip);
        if (r < 0)
            return r;
        sent -= (ptrdiff_t)skip;
    }
    return 0;
}

static int stream_write(struct os_stream *base, const struct os_vec *vec, size_t count)
{
    struct socket_stream *s = own(base);

    if (win_io_is_canceled(&s->io))
        return ERR_CANCELED;
    return s->write_limit > 0 ? write_limited(s, vec, count) : write_gathered(s, vec, count);
}

/* SIO_TCP_INFO tells what is in flight, but not what still waits in the socket's buffer. */
static ptrdiff_t stream_unsent(struct os_stream *base)
{
    (void)base;
    return ERR_UNSUPPORTED;
}

static bool stream_is_ended(struct os_stream *base)
{
    struct socket_stream *s = own(base);
    char unwanted[ENDED_BYTES];

    for (int i = 0; i < ENDED_ROUNDS_MAX; i++) {
        int n = win_wait_readable(s->s, 0);
        if (n == 0)
            return false;
        if (n < 0 || stream_read(base, unwanted, sizeof unwanted) < 0)
            return true;
    }
    return false;
}

static void stream_finish(struct os_stream *base)
{
    shutdown(own(base)->s, SD_SEND);
}

static void stream_cancel(struct os_stream *base)
{
    win_io_cancel(&own(base)->io);
}

static void stream_close(struct os_stream *base)
{
    struct socket_stream *s = own(base);

    closesocket(s->s);
    win_io_release(&s->io);
    free(s);
}

static const struct os_stream_ops STREAM_OPS = {
    .read = stream_read,
    .write = stream_write,
    .unsent = stream_unsent,
    .is_ended = stream_is_ended,
    .finish = stream_finish,
    .cancel = stream_cancel,
    .close = stream_close,
};

int win_stream_new(SOCKET socket, size_t write_limit, const char *peer, struct os_stream **ret)
{
    struct socket_stream *s = calloc(1, sizeof *s);

    if (s == NULL) {
        closesocket(socket);
        return win_fail(ERROR_NOT_ENOUGH_MEMORY);
    }
    s->base.ops = &STREAM_OPS;
    s->s = socket;
    s->write_limit = write_limit < WRITE_LIMIT_MAX ? write_limit : WRITE_LIMIT_MAX;
    int r = win_io_init(&s->io);
    if (r < 0) {
        stream_close(&s->base);
        return r;
    }
    snprintf(s->base.peer, sizeof s->base.peer, "%s", peer);
    *ret = &s->base;
    return 0;
}
