/* SPDX-License-Identifier: MIT */
/* windows/stop.c - console events and requests, counted behind one event object.
 *
 * A request cannot be missed: it counts first and sets the event behind it; the waiter looks at
 * the counts before each wait, and the event (which one wait takes) stays set until a wait has
 * seen it.
 */
#include "common/os/stop.h"

#include "common/os/windows/win.h"

#include "common/os/clock.h"
#include "common/os/stop_private.h"

static HANDLE event;
static HANDLE acknowledged;

/* Runs in a thread that the system makes. When it returns from a console close, a log-off or a
 * shutdown the system ends the program, and some seconds later it does so anyway: it waits
 * until the program has ended in order. After Ctrl-C and Ctrl-Break it may return.
 */
static BOOL WINAPI console_event(DWORD type)
{
    os_stop_request(OS_STOP_STOP);
    if (type != CTRL_C_EVENT && type != CTRL_BREAK_EVENT)
        WaitForSingleObject(acknowledged, INFINITE);
    return TRUE;
}

int os_stop_init(void)
{
    if (event == NULL)
        event = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (acknowledged == NULL)
        acknowledged = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (event == NULL || acknowledged == NULL) {
        win_fail_last();
        return ERR_IO;
    }
    /* Undoes an inherited "ignore Ctrl-C", which whoever started us may have set. */
    SetConsoleCtrlHandler(NULL, FALSE);
    if (!SetConsoleCtrlHandler(console_event, TRUE)) {
        win_fail_last();
        return ERR_IO;
    }
    return 0;
}

enum os_stop_event os_stop_wait(uint64_t deadline_ms)
{
    for (;;) {
        enum os_stop_event asked = stop_take();
        if (asked != OS_STOP_NONE)
            return asked;
        DWORD wait_ms = win_wait_ms(deadline_ms, WIN_WAIT_SLICE_MS);
        if (wait_ms == 0)
            return OS_STOP_NONE;
        WaitForSingleObject(event, wait_ms);
    }
}

void os_stop_request(enum os_stop_event what)
{
    if (what == OS_STOP_NONE)
        return;
    stop_count(what);
    SetEvent(event);
}

void os_stop_acknowledge(void)
{
    SetEvent(acknowledged);
}
