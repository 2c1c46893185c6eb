/* SPDX-License-Identifier: MIT */
/* carrier_memory.c - the suite over memory. */
#include <stdio.h>

#include "memory_carrier.h"
#include "suite.h"

static const struct os_carrier *carrier(void)
{
    return &memory_carrier;
}

static void address(unsigned number, char listen[SUITE_TEXT_MAX], char dial[SUITE_TEXT_MAX])
{
    snprintf(listen, SUITE_TEXT_MAX, "tcp:127.0.0.1:%u", number + 1);
    snprintf(dial, SUITE_TEXT_MAX, "tcp:127.0.0.1:%u", number + 1);
}

const struct suite_carrier suite_carrier = {
    .name = "memory",
    .carrier = carrier,
    .address = address,
};
