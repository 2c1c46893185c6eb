/* SPDX-License-Identifier: MIT */
/* carrier_tcp.c - the suite over TCP on loopback. */
#include <stdio.h>

#include "common/os/process.h"
#include "suite.h"

enum { FIRST_PORT = 20140 };

static const struct os_carrier *carrier(void)
{
    return os_carrier_find("tcp");
}

/* A loopback address of our own, made from the process id, so that fixed ports meet nobody
 * else's. */
static void address(unsigned number, char listen[SUITE_TEXT_MAX], char dial[SUITE_TEXT_MAX])
{
    unsigned id = (unsigned)os_process_id();

    snprintf(listen, SUITE_TEXT_MAX, "tcp:127.%u.%u.%u:%u", 64 + (id >> 16 & 63), id >> 8 & 255,
             1 + (id & 255) % 254, FIRST_PORT + number);
    snprintf(dial, SUITE_TEXT_MAX, "%s", listen);
}

const struct suite_carrier suite_carrier = {
    .name = "tcp",
    .carrier = carrier,
    .address = address,
};
