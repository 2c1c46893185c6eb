/* SPDX-License-Identifier: MIT */
/* carrier_unix.c - the suite over unix sockets, in the folder where it runs. */
#include <stdio.h>

#include "common/os/process.h"
#include "suite.h"

static const struct os_carrier *carrier(void)
{
    return os_carrier_find("unix");
}

static void address(unsigned number, char listen[SUITE_TEXT_MAX], char dial[SUITE_TEXT_MAX])
{
    snprintf(listen, SUITE_TEXT_MAX, "unix:link-%llu-%u.sock",
             (unsigned long long)os_process_id(), number);
    snprintf(dial, SUITE_TEXT_MAX, "%s", listen);
}

const struct suite_carrier suite_carrier = {
    .name = "unix",
    .carrier = carrier,
    .address = address,
};
