/* SPDX-License-Identifier: MIT */
/* rig.h - what the link tests of both files are set up with: addresses, nodes, the suite's
 * carrier. */
#ifndef HVLOG_TESTS_RIG_H
#define HVLOG_TESTS_RIG_H

#include "node.h"
#include "suite.h"

#define RIG_SECRET "a secret of the suite"

/* rig_start() - once in main(). Returns 0, or the exit status of a suite that cannot run here.
 */
int rig_start(void);

/* rig_carrier() - the suite's, with faults (faulty_carrier.h). */
const struct os_carrier *rig_carrier(void);

/* Both ends of an address nobody uses. */
struct place {
    char listen[SUITE_TEXT_MAX];
    char dial[SUITE_TEXT_MAX];
    struct endpoint listen_endpoint, dial_endpoint;
    struct os_target listen_target, dial_target;
};

/* All of these fail the running test when something cannot be had. */
void place_init(struct place *p);

/* A relay that listens and an agent that connects, each with a sink that demands every number
 * once. */
struct both {
    struct place place;
    struct node relay, agent;
};

void both_open(struct both *b);
void both_start(struct both *b);
void both_close(struct both *b);

/* assert_all_there() - all that <from> sent is acknowledged, and <to> got each number once, in
 * order. */
void assert_all_there(struct node *from, struct node *to);

/* A listening link under test, and whatever dials it. */
struct target {
    struct place place;
    struct node node;
};

void target_open(struct target *t);

#endif
