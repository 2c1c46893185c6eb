/* SPDX-License-Identifier: MIT */
/* peer_address.h - addresses as the test tools take them, in the words of hvlog's
 * configuration. */
#ifndef HVLOG_TESTS_PEER_ADDRESS_H
#define HVLOG_TESTS_PEER_ADDRESS_H

#include <sys/socket.h>

struct peer_address {
    int type; /* SOCK_STREAM or SOCK_DGRAM */
    struct sockaddr_storage address;
    socklen_t length;
};

/* peer_address_parse() - udp:HOST:PORT, tcp:HOST:PORT (numbers only, [::1] for IPv6), unix:PATH
 * or unix-dgram:PATH. Returns 0, or -1 when it is none of them. */
int peer_address_parse(const char *text, struct peer_address *ret);

#endif
