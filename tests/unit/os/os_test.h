/* SPDX-License-Identifier: MIT */
/* os_test.h - what the tests of the seam share. Portable: each runs on every system.
 *
 * cmocka's assertions belong to the main thread; other threads keep their results for it.
 */
#ifndef HVLOG_TESTS_OS_TEST_H
#define HVLOG_TESTS_OS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/core/endpoint.h"
#include "common/core/err.h"
#include "common/os/clock.h"
#include "common/os/dgram.h"
#include "common/os/error.h"
#include "common/os/process.h"
#include "common/os/thread.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* How long a test waits for what must happen; only a failing test waits so long. */
enum { TEST_LIMIT_MS = 20 * 1000 };

static inline uint64_t test_deadline(void)
{
    return os_clock_ms() + TEST_LIMIT_MS;
}

static inline struct endpoint endpoint_of(const char *text)
{
    struct endpoint e = {0};
    struct reason why;

    if (endpoint_parse(view_of(text), ENDPOINT_SET_ALL, &e, &why) != 0)
        fail_msg("%s %s", text, why.text);
    return e;
}

static inline struct endpoint endpoint_with_port(const char *text, uint32_t port)
{
    struct endpoint e = endpoint_of(text);

    e.port = port;
    e.address.port = (uint16_t)port;
    return e;
}

/* has_ipv6() - this machine has ::1; containers often have none. */
static inline bool has_ipv6(void)
{
    struct endpoint at = endpoint_of("udp:[::1]:0");
    struct os_dgram *d = NULL;

    if (os_dgram_open(&at, 0, &d) != 0)
        return false;
    os_dgram_close(d);
    return true;
}

/* Wine is Windows but for some habits, which a test may have to leave out. */
static inline bool test_is_wine(void)
{
    return getenv("WINELOADER") != NULL;
}

/* Exit status of a test program whose subject this machine does not have. */
enum { TEST_SKIPPED = 77 };

/* For a file's main(): the seam made ready, then cmocka. */
#define RUN_TESTS(tests) \
    (os_process_startup() == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 1)

#endif
