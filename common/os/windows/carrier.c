/* SPDX-License-Identifier: MIT */
/* windows/carrier.c - the carriers of this system. */
#include "common/os/stream.h"

#include "common/os/windows/win.h"

#include <string.h>

const struct os_carrier *os_carrier_find(const char *scheme)
{
    static const struct os_carrier *const CARRIERS[] = {&win_carrier_tcp, &win_carrier_hvsock,
                                                        &win_carrier_control};

    for (size_t i = 0; i < sizeof CARRIERS / sizeof CARRIERS[0]; i++)
        if (strcmp(CARRIERS[i]->name, scheme) == 0)
            return CARRIERS[i];
    return NULL;
}
