/* SPDX-License-Identifier: MIT */
/* hvsock_rig.h - what the tests of the Hyper-V carrier share: its two ends over the stand-in.
 *
 * The stand-in (tests/support/hyperv_standin.h) is linked in place of AF_HYPERV; the guest is
 * the tcp carrier on the port behind it.
 */
#ifndef HVLOG_TESTS_HVSOCK_RIG_H
#define HVLOG_TESTS_HVSOCK_RIG_H

#include "common/os/stream.h"
#include "os_test.h"
#include "tests/support/hyperv_standin.h"

enum { DIAL_MS = 10 * 1000, PORT = 5140 };

static const struct uuid VM = {.d1 = 0x5a2b6c10, .d2 = 0x1234, .d3 = 0x4321, .d4 = {1, 2, 3}};

/* setup() - before each test: a good day with VM running. */
int setup(void **state);
void habits(struct hyperv_habits h);

/* listener() must be had; hv_listen() and hv_dial() say how it went. */
int hv_listen(const struct uuid *vm, struct os_listener **ret);
int hv_dial(const struct uuid *vm, unsigned timeout_ms, bool (*is_canceled)(void *), void *arg,
            struct os_stream **ret);
struct os_listener *listener(const struct uuid *vm);

/* guest_connect() - the guest's connect(): nobody is found behind a GUID on which no one is
 * heard. guest_listener() - a guest that listens, for the other direction.
 */
int guest_connect(const struct uuid *vm, struct os_stream **ret);
struct os_listener *guest_listener(void);

/* A link that the guest opened: the default direction. */
struct link {
    struct os_stream *host;
    struct os_stream *guest;
};

struct link link_open(void);
void link_close(struct link *link);

int write_text(struct os_stream *s, const char *text);

/* read_all() - everything up to the end, which is returned. */
ptrdiff_t read_all(struct os_stream *s, uint8_t *data, size_t room, size_t *ret_length);

#endif
