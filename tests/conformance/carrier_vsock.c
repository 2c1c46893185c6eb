/* SPDX-License-Identifier: MIT */
/* carrier_vsock.c - the suite over AF_VSOCK, from the machine to itself (CID 1). */
#include <stdio.h>

#include "suite.h"

enum { FIRST_PORT = 51400, PROBE_PORT = 51399, PROBE_MS = 3000 };

static const struct os_carrier *carrier(void)
{
    return os_carrier_find("vsock");
}

static void address(unsigned number, char listen[SUITE_TEXT_MAX], char dial[SUITE_TEXT_MAX])
{
    snprintf(listen, SUITE_TEXT_MAX, "vsock:any:%u", FIRST_PORT + number);
    snprintf(dial, SUITE_TEXT_MAX, "vsock:local:%u", FIRST_PORT + number);
}

/* A kernel may know AF_VSOCK and have no loopback: then a connection to oneself never comes. */
static const char *prepare(void)
{
    struct endpoint listen = {
        .kind = ENDPOINT_VSOCK, .cid = ENDPOINT_CID_ANY, .port = PROBE_PORT};
    struct endpoint dial = {
        .kind = ENDPOINT_VSOCK, .cid = ENDPOINT_CID_LOCAL, .port = PROBE_PORT};
    struct os_listener *listener;
    struct os_stream *stream;
    const char *missing = NULL;

    if (carrier()->listen(&(struct os_target){.endpoint = &listen}, &listener) < 0)
        return "this kernel has no AF_VSOCK";
    if (carrier()->dial(&(struct os_target){.endpoint = &dial}, PROBE_MS, NULL, NULL, &stream) <
        0)
        missing = "this kernel has no vsock loopback";
    else
        stream->ops->close(stream);
    listener->ops->close(listener);
    return missing;
}

const struct suite_carrier suite_carrier = {
    .name = "vsock",
    .prepare = prepare,
    .carrier = carrier,
    .address = address,
};
