/* SPDX-License-Identifier: MIT */
/* carrier_hvsock.c - the suite over the product's Hyper-V sockets, with the stand-in behind
 * them. */
#include <stdio.h>

#include "suite.h"
#include "tests/support/hyperv_standin.h"

#ifndef SUITE_BAD_DAY
#define SUITE_BAD_DAY 0
#endif

enum { FIRST_PORT = 5140, CONNECTION_RESET = 10054, SHORT_SEND = 1000 };

static const struct uuid vm = {
    .d1 = 0x7f3a2c11, .d2 = 0x4b0d, .d3 = 0x4e2f, .d4 = {0x9a, 0x11}};

static const struct os_carrier *carrier(void)
{
    return os_carrier_find("hvsock");
}

/* A reset in place of the end of the stream, short sends, and no option that only newer systems
 * have. */
static const char *prepare(void)
{
    static const struct hyperv_habits bad = {
        .suspend_refused = true,
        .send_max = SHORT_SEND,
        .end_is_error = true,
        .end_code = CONNECTION_RESET,
    };

    hyperv_reset(&vm);
    if (SUITE_BAD_DAY)
        hyperv_set_habits(&bad);
    return NULL;
}

static void address(unsigned number, char listen[SUITE_TEXT_MAX], char dial[SUITE_TEXT_MAX])
{
    snprintf(listen, SUITE_TEXT_MAX, "hvsock:%u", FIRST_PORT + number);
    snprintf(dial, SUITE_TEXT_MAX, "hvsock:%u", FIRST_PORT + number);
}

const struct suite_carrier suite_carrier = {
    .name = SUITE_BAD_DAY ? "hvsock on a bad day" : "hvsock",
    .prepare = prepare,
    .carrier = carrier,
    .address = address,
    .vm_id = {.d1 = 0x7f3a2c11, .d2 = 0x4b0d, .d3 = 0x4e2f, .d4 = {0x9a, 0x11}},
};
