/* SPDX-License-Identifier: MIT */
/* hyperv_private.h - the parts of the stand-in; its users want hyperv_standin.h. */
#ifndef HVLOG_TESTS_HYPERV_PRIVATE_H
#define HVLOG_TESTS_HYPERV_PRIVATE_H

#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>
#include <ws2tcpip.h>
#include <mswsock.h>
#include <windows.h>
#undef interface
#undef small
#undef near
#undef far

#include <stdbool.h>
#include <stdint.h>

#include "common/core/uuid.h"

/* hyperv_file_make() - makes a listener known; the file lives as long as the handle.
 * INVALID_HANDLE_VALUE when there is one already.
 * hyperv_file_read() - the TCP port behind a service, 0 when nobody listens.
 * hyperv_file_close() - and forgets the handle.
 */
HANDLE hyperv_file_make(const struct uuid *vm, const struct uuid *service, uint16_t tcp_port);
uint16_t hyperv_file_read(const struct uuid *vm, const struct uuid *service);
void hyperv_file_close(HANDLE *file);

/* An overlapped operation that the system is not asked for. */
struct fake {
    OVERLAPPED *o; /* NULL: none */
    bool has_ended;
    int code; /* how: 0 is success with <length> */
    DWORD length;
};

/* hyperv_fake_is() - whether it is the operation of <o>.
 * hyperv_fake_begin() - <o> is under way: SOCKET_ERROR with WSA_IO_PENDING.
 * hyperv_fake_end() - the first end counts: timeout, cancel or what was wished at once.
 * hyperv_fake_result() - as WSAGetOverlappedResult().
 */
bool hyperv_fake_is(const struct fake *f, const OVERLAPPED *o);
int hyperv_fake_begin(struct fake *f, OVERLAPPED *o);
void hyperv_fake_end(struct fake *f, int code, DWORD length);
BOOL hyperv_fake_result(struct fake *f, DWORD *ret_length, BOOL wait);

#endif
