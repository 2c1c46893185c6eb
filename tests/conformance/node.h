/* SPDX-License-Identifier: MIT */
/* node.h - one side of a link for the suite: two queues, a link, and a sink that checks what
 * comes.
 *
 * Records are numbered: "1", "2", ... The sink demands each number exactly once and in order,
 * which is what the link promises over breaks as long as both programs live.
 */
#ifndef HVLOG_TESTS_NODE_H
#define HVLOG_TESTS_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/bridge/link.h"
#include "common/os/thread.h"

enum { NODE_WAIT_MS = 20000, NODE_POLL_MS = 5 };

struct node {
    struct endpoint endpoint;
    struct link_options options;
    struct queue *outbound, *inbound;
    struct link *link;
    struct queue_cursor *sink;
    struct os_thread thread;
    struct os_mutex lock;
    struct os_cond changed;
    uint64_t received; /* the number of the last record the sink got */
    uint64_t faults;   /* numbers lost, repeated or out of order */
    bool is_held;      /* the sink takes nothing */
    uint64_t sent;     /* the number of the last record submitted */
};

/* node_open() - prepare a node with the given role. Change <n>->options before node_start(). */
void node_open(struct node *n, const struct os_carrier *carrier, const char *address,
               struct uuid vm_id, enum wire_role role, const char *name);
int node_start(struct node *n);
void node_close(struct node *n);

/* node_submit() - <batches> batches of <records> numbered records, padded to <length> octets
 * each. Waits for room. */
void node_submit(struct node *n, size_t batches, size_t records, size_t length);

void node_hold(struct node *n, bool hold);

/* Each waits for a state, at most NODE_WAIT_MS, and says whether it came. */
bool node_wait_up(struct node *n);
bool node_wait_down(struct node *n);
bool node_wait_received(struct node *n, uint64_t number);
bool node_wait_drained(struct node *n);
bool node_wait_error(struct node *n, const char *part); /* of link_status().last_error */
bool node_wait_refused(struct node *n, uint64_t count);
bool node_wait_held(struct node *n, uint64_t bytes); /* in the inbound queue */

/* node_wait_reconnect() - the same for a session that ended after it had been open, but at most
 * <wait_ms>: mostly to see that none does. */
bool node_wait_reconnect(struct node *n, unsigned wait_ms);
uint64_t node_received(struct node *n);
uint64_t node_faults(struct node *n);

#endif
