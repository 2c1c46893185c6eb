/* SPDX-License-Identifier: MIT */
/* os/receiver.h - what becomes of datagrams behind the hand-over: the socket of a receiver on
 * this machine, as the system's own tables show it.
 *
 * Linux: /proc/net/udp and udp6 (the column drops, see Documentation/networking/proc_net_tcp
 * and net/ipv4/udp.c, udp4_format_sock) and /proc/net/unix (net/unix/af_unix.c,
 * unix_seq_show). Windows shows nothing of the kind.
 */
#ifndef HVLOG_OS_RECEIVER_H
#define HVLOG_OS_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/endpoint.h"

struct os_receiver {
    bool is_there;    /* somebody has the address open */
    uint64_t socket;  /* which socket it is: another number, another socket */
    bool has_dropped; /* is <dropped> known? Never for unix: a full queue makes us wait */
    uint64_t dropped; /* datagrams the system dropped at this socket since it was opened */
    bool has_queued;  /* is <queued> known? */
    uint64_t queued;  /* octets that wait in it to be read */
};

/* os_receiver_look() - the socket on this machine to which datagrams for <to> (udp with a
 * resolved address of this host, or unix-dgram) go. Of several, the first that is bound to
 * just this address, else one bound to every address. Reads a whole table of the system: not
 * more often than once a second.
 *
 * Returns 0 (also when nobody is there); ERR_UNSUPPORTED: <to> is of another kind or is not on
 * this machine, or the system has no such table; ERR_IO.
 */
int os_receiver_look(const struct endpoint *to, struct os_receiver *ret);

/* os_host_udp_errors() - datagrams that the whole machine received and could not hand over, for
 * any reason and to any program (Windows: dwInErrors of GetUdpStatisticsEx, both families).
 * For where a socket's own drops are not told. False: this system tells them of the socket
 * (os_dgram_has_kernel_dropped()), or not at all.
 */
bool os_host_udp_errors(uint64_t *ret);

#endif
