/* SPDX-License-Identifier: MIT */
/* linux/clock.c - CLOCK_BOOTTIME goes on while the machine sleeps; CLOCK_MONOTONIC does not. */
#include "common/os/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { US_OF_SECOND = 1000000 };

static uint64_t clock_us(clockid_t id)
{
    struct timespec t = {0};

    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * US_OF_SECOND + (uint64_t)t.tv_nsec / 1000;
}

uint64_t os_clock_us(void)
{
    return clock_us(CLOCK_BOOTTIME);
}

uint64_t os_clock_ms(void)
{
    return os_clock_us() / 1000;
}

uint64_t os_clock_wall_us(void)
{
    return clock_us(CLOCK_REALTIME);
}

char *os_clock_local_text(uint64_t wall_us, char *text, unsigned size)
{
    time_t seconds = (time_t)(wall_us / US_OF_SECOND);
    struct tm t = {0};

    localtime_r(&seconds, &t);
    long minutes = labs(t.tm_gmtoff) / 60;
    snprintf(text, size, "%04d-%02d-%02dT%02d:%02d:%02d.%06u%c%02ld:%02ld", t.tm_year + 1900,
             t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec,
             (unsigned)(wall_us % US_OF_SECOND), t.tm_gmtoff < 0 ? '-' : '+', minutes / 60,
             minutes % 60);
    return text;
}
