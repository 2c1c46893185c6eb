/* SPDX-License-Identifier: MIT */
/* windows/io.c - overlapped reads and writes that can be called off. */
#include "common/os/windows/win.h"

static void event_close(HANDLE event)
{
    if (event != NULL)
        CloseHandle(event);
}

int win_io_init(struct win_io *io)
{
    *io = (struct win_io){.cancel = CreateEventW(NULL, TRUE, FALSE, NULL),
                          .reading = CreateEventW(NULL, TRUE, FALSE, NULL),
                          .writing = CreateEventW(NULL, TRUE, FALSE, NULL)};
    if (io->cancel != NULL && io->reading != NULL && io->writing != NULL)
        return 0;
    return win_fail_last() == ERR_NO_MEMORY ? ERR_NO_MEMORY : ERR_IO;
}

void win_io_release(struct win_io *io)
{
    event_close(io->cancel);
    event_close(io->reading);
    event_close(io->writing);
    *io = (struct win_io){0};
}

bool win_io_is_canceled(const struct win_io *io)
{
    return WaitForSingleObject(io->cancel, 0) == WAIT_OBJECT_0;
}

/* When both are set the first one counts: what has been read is not thrown away. */
bool win_io_wait(const struct win_io *io, HANDLE file, OVERLAPPED *o)
{
    HANDLE events[] = {o->hEvent, io->cancel};

    if (WaitForMultipleObjects(2, events, FALSE, INFINITE) == WAIT_OBJECT_0)
        return false;
    CancelIoEx(file, o);
    return true;
}

void win_io_cancel(struct win_io *io)
{
    SetEvent(io->cancel);
}
