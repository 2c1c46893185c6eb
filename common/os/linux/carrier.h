/* SPDX-License-Identifier: MIT */
/* linux/carrier.h - the carriers of this system. Private. */
#ifndef HVLOG_OS_LINUX_CARRIER_H
#define HVLOG_OS_LINUX_CARRIER_H

#include "common/os/stream.h"

extern const struct os_carrier carrier_tcp;
extern const struct os_carrier carrier_unix;
extern const struct os_carrier carrier_vsock;
extern const struct os_carrier carrier_control;

#endif
