/* SPDX-License-Identifier: MIT */
/* hyperv_standin.h - AF_HYPERV for programs that run where it does not exist.
 *
 * A program linked with hvlog_wrap_hyperv() (cmake/hvlog_hyperv.cmake) has the unchanged
 * objects of the product, but its calls to Winsock on sockets of AF_HYPERV come here and become
 * TCP on loopback. Sockets of other families are passed through. One VM runs at a time; {VM,
 * port} is known by a file that holds the number of the TCP port behind it:
 *
 *     FOLDER/<GUID of the VM>_<GUID of the service>      text: the port and a LF
 *
 * FOLDER is $HVLOG_HYPERV_DIR, or one of this process. Programs that share it see each other's
 * listeners, and a guest that speaks plain TCP (the agent with a tcp: link) finds its port
 * there. The file goes when its listener is closed or its program ends.
 *
 * By itself this is a Hyper-V socket on a good day. Its bad habits, all seen on real systems,
 * are switched on by struct hyperv_habits. Some it always has: a listener on a GUID that is not
 * the running VM's (wildcard, children, stale) is never found; a dial that finds nobody hangs
 * until HVSOCKET_CONNECT_TIMEOUT (30 s if it was not set); a dialled wildcard is
 * WSAEADDRNOTAVAIL at once; bind() always succeeds and a duplicate fails in listen();
 * getsockname() of an accepted socket gives another service; ConnectEx() wants a bound socket;
 * SO_SNDBUF, SO_RCVBUF and SO_LINGER are refused.
 *
 * Any thread.
 */
#ifndef HVLOG_TESTS_HYPERV_STANDIN_H
#define HVLOG_TESTS_HYPERV_STANDIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/uuid.h"

/* Codes for the habits, as numbers: no system header has to come into a test. */
enum {
    HYPERV_CODE_NONE = 0,
    HYPERV_CODE_BROKEN_PIPE = 109,
    HYPERV_CODE_CONNECTION_REFUSED = 1225,
    HYPERV_CODE_CONNECTION_UNAVAIL = 1201,
    HYPERV_CODE_ACCES = 10013,
    HYPERV_CODE_INVAL = 10022,
    HYPERV_CODE_AFNOSUPPORT = 10047,
    HYPERV_CODE_ADDRINUSE = 10048,
    HYPERV_CODE_ADDRNOTAVAIL = 10049,
    HYPERV_CODE_NETUNREACH = 10051,
    HYPERV_CODE_CONNABORTED = 10053,
    HYPERV_CODE_CONNRESET = 10054,
    HYPERV_CODE_NOTCONN = 10057,
    HYPERV_CODE_SHUTDOWN = 10058,
    HYPERV_CODE_TIMEDOUT = 10060,
    HYPERV_CODE_REFUSED = 10061,
};

/* All zero: a good day. Codes are Winsock's; 0 in the first three: the call succeeds. */
struct hyperv_habits {
    int socket_code;    /* socket() fails: no Hyper-V on this machine */
    int listen_code;    /* listen() fails, bind() does not: wrong user, or a duplicate */
    int connect_code;   /* a dial ends with it at once */
    bool connect_hangs; /* nobody answers, whoever listens */
    bool connect_ignores_timeout; /* ... and HVSOCKET_CONNECT_TIMEOUT does not end it either */
    bool suspend_refused;         /* HVSOCKET_CONNECTED_SUSPEND is unknown: an old system */
    size_t send_max;              /* longest write that is not short; 0: no limit */
    size_t lost_after; /* octets that a connection delivers; the rest is lost with the
                                     end of the stream that comes then; 0: nothing is lost */
    bool end_is_error; /* the end of the stream is a read that fails with ... */
    int end_code;      /* ... this, which may be 0 */
    int send_code;     /* a write fails with it, if send_fails */
    bool send_fails;
    bool is_silent; /* what is sent vanishes, and no read that begins now ends */
};

/* hyperv_reset() - a good day, with <vm> running; what was seen is forgotten. */
void hyperv_reset(const struct uuid *vm);

void hyperv_set_habits(const struct hyperv_habits *habits);

/* hyperv_set_vm() - the VM is started anew: listeners on the old GUID go on, unheard. */
void hyperv_set_vm(const struct uuid *vm);

/* What the program did. */
struct hyperv_seen {
    uint32_t connect_timeout_ms; /* the last one set, 0: none */
    size_t longest_send;         /* octets asked to send in one call */
    unsigned suspends;           /* sockets that got HVSOCKET_CONNECTED_SUSPEND */
    unsigned options_refused;    /* attempts to set what no Hyper-V socket takes */
    unsigned names_asked;        /* getsockname() on a Hyper-V socket */
};
struct hyperv_seen hyperv_seen(void);

/* hyperv_port() - the TCP port behind <port> of <vm>, for a guest to connect to; 0: nobody
 * listens.
 */
uint16_t hyperv_port(const struct uuid *vm, uint32_t port);

/* hyperv_publish() - a guest listens on <port>: what dials it reaches TCP <tcp_port>. Until the
 * next hyperv_reset(). False when it could not be written down.
 */
bool hyperv_publish(const struct uuid *vm, uint32_t port, uint16_t tcp_port);

#endif
