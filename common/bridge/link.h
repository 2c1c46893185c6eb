/* SPDX-License-Identifier: MIT */
/* link.h - the stream between the two programs, kept alive: dialled or listened for, proven,
 * resumed, and done again after every break.
 *
 * As connector there is one session at a time; as listener up to LINK_PEERS_MAX, each with its
 * own cursor on the outbound queue. A session runs in three threads: a reader, a writer, and
 * one that watches the heartbeats (link_serve.c).
 */
#ifndef HVLOG_BRIDGE_LINK_H
#define HVLOG_BRIDGE_LINK_H

#include "common/core/wire.h"
#include "common/os/stream.h"
#include "queue.h"

enum {
    LINK_PEERS_MAX = 8, /* agents connected to one relay */
    /* Connections that have not proven the secret yet. One more takes the oldest one's place.
     */
    LINK_HANDSHAKES_MAX = 8,
    LINK_DIAL_TIMEOUT_MS = 5000,
    LINK_REMEMBER_MAX = 32, /* identities whose last finished batch is remembered */
    LINK_WHY_MAX = 256,     /* why a session ended, or cannot be had, with the NUL */
};

struct link_options {
    const struct os_carrier *carrier;
    struct os_target target;
    enum wire_role role;
    const char *name; /* this node's */
    const uint8_t *secret;
    size_t secret_length; /* 0: none */
    uint32_t heartbeat_ms;
    struct queue *outbound; /* what the peer is to get */
    struct queue *inbound;  /* where what it sends goes */
    uint64_t credit;        /* octets of DATA one peer may have unacknowledged here */
    /* How many records of <b> no output takes (NULL: none). */
    size_t (*unwanted)(void *arg, const struct batch *b);
    void *unwanted_arg;
};

struct link;

/* link_new() - <options> is copied, what it points to borrowed. NULL: out of memory.
 * link_start() - as listener, binds before it returns; as connector it returns at once, and a
 * peer that is not there is tried again for ever. Returns 0; ERR_NO_MEMORY (no thread could be
 * started), as listener also what os_carrier.listen gives.
 * link_drain() - take no more batches in (the peer keeps what is not acknowledged, and gets no
 * more credit), but go on sending and acknowledging.
 * link_stop() - say bye and end all threads. Waits for them: a bye that the peer does not take
 * is given up soon.
 */
struct link *link_new(const struct link_options *options);
int link_start(struct link *l);
void link_drain(struct link *l);
void link_stop(struct link *l);
void link_free(struct link *l);
uint32_t link_port(const struct link *l);

/* What status shows of one peer. */
struct link_peer_status {
    char name[WIRE_NAME_MAX + 1];
    char address[OS_PEER_MAX];
    uint64_t since_wall_us;
    uint64_t rtt_us;
    uint64_t sent_records, sent_bytes;
    uint64_t received_records, received_bytes;
};

struct link_status {
    const char *state;             /* "up", "connecting", "listening", "waiting" */
    char last_error[LINK_WHY_MAX]; /* why there is no peer, "" if there is one */
    uint64_t reconnects, refused;
    size_t peer_count;
    struct link_peer_status peers[LINK_PEERS_MAX];
};
void link_status(struct link *l, struct link_status *ret);

/* link_release() - the inbound queue's release function: acknowledges to the peer. */
void link_release(void *producer, uint64_t seq, size_t bytes);

#endif
