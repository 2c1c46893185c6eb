/* SPDX-License-Identifier: MIT */
/* windows/clock.c - time from the interrupt counter and the system clock. */
#include "common/os/clock.h"

#include "common/os/windows/win.h"

#include <stdatomic.h>
#include <stdio.h>

#include "common/os/thread.h"

/* Between 1601, where Windows begins to count, and 1970, in units of 100 ns. */
#define EPOCH_1970_TICKS UINT64_C(116444736000000000)

enum { TICKS_PER_US = 10, US_PER_MS = 1000, US_PER_S = 1000000 };

typedef void WINAPI interrupt_time_fn(PULONGLONG time);

/* QueryInterruptTimePrecise (Windows 10) counts sleep and has the counter's resolution, but no
 * import library of mingw-w64 names the DLL that has it on every system: asked for by name,
 * once.
 */
static interrupt_time_fn *interrupt_time(void)
{
    static _Atomic(interrupt_time_fn *) found;
    static atomic_bool is_asked;

    if (!atomic_load_explicit(&is_asked, memory_order_acquire)) {
        HMODULE module = GetModuleHandleW(L"kernelbase.dll");
        FARPROC f = module != NULL ? GetProcAddress(module, "QueryInterruptTimePrecise") : NULL;

        atomic_store(&found, (interrupt_time_fn *)(void (*)(void))f);
        atomic_store_explicit(&is_asked, true, memory_order_release);
    }
    return atomic_load(&found);
}

/* The performance counter runs on in sleep too; it is the way out where the interrupt time is
 * missing (Wine 8). Its quotient and remainder are scaled apart, so that the product cannot
 * overflow.
 */
static uint64_t counter_us(void)
{
    LARGE_INTEGER frequency, now;

    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    uint64_t f = (uint64_t)frequency.QuadPart, n = (uint64_t)now.QuadPart;
    return n / f * US_PER_S + n % f * US_PER_S / f;
}

uint64_t os_clock_us(void)
{
    interrupt_time_fn *query = interrupt_time();
    ULONGLONG ticks;

    if (query == NULL)
        return counter_us();
    query(&ticks);
    return ticks / TICKS_PER_US;
}

uint64_t os_clock_ms(void)
{
    return os_clock_us() / US_PER_MS;
}

uint64_t os_clock_wall_us(void)
{
    FILETIME t;

    GetSystemTimePreciseAsFileTime(&t);
    uint64_t ticks = ((uint64_t)t.dwHighDateTime << 32) | t.dwLowDateTime;
    return (ticks - EPOCH_1970_TICKS) / TICKS_PER_US;
}

static uint64_t system_time_s(const SYSTEMTIME *t)
{
    FILETIME f = {0};

    SystemTimeToFileTime(t, &f);
    return (((uint64_t)f.dwHighDateTime << 32) | f.dwLowDateTime) / TICKS_PER_US / US_PER_S;
}

char *os_clock_local_text(uint64_t wall_us, char *text, unsigned size)
{
    uint64_t ticks = wall_us * TICKS_PER_US + EPOCH_1970_TICKS;
    FILETIME f = {.dwLowDateTime = (DWORD)ticks, .dwHighDateTime = (DWORD)(ticks >> 32)};
    SYSTEMTIME utc = {0}, local;

    FileTimeToSystemTime(&f, &utc);
    if (!SystemTimeToTzSpecificLocalTime(NULL, &utc, &local))
        local = utc;
    int minutes = (int)(((int64_t)system_time_s(&local) - (int64_t)system_time_s(&utc)) / 60);
    unsigned offset = (unsigned)(minutes < 0 ? -minutes : minutes);
    snprintf(text, size, "%04u-%02u-%02uT%02u:%02u:%02u.%06u%c%02u:%02u", local.wYear,
             local.wMonth, local.wDay, local.wHour, local.wMinute, local.wSecond,
             (unsigned)(wall_us % US_PER_S), minutes < 0 ? '-' : '+', offset / 60, offset % 60);
    return text;
}

DWORD win_wait_ms(uint64_t deadline_ms, DWORD limit_ms)
{
    if (deadline_ms == OS_NEVER)
        return limit_ms;
    uint64_t now = os_clock_ms();
    uint64_t left = deadline_ms > now ? deadline_ms - now : 0;

    return left < limit_ms ? (DWORD)left : limit_ms;
}
