/* SPDX-License-Identifier: MIT */
/* suite.h - what a carrier must bring to be put through the conformance suite of links.
 *
 * link_good_ends.c and link_bad_peers.c are the suite; each is linked with one carrier_NAME.c
 * for each carrier.
 */
#ifndef HVLOG_TESTS_SUITE_H
#define HVLOG_TESTS_SUITE_H

#include "common/os/stream.h"

enum { SUITE_TEXT_MAX = 256 };

struct suite_carrier {
    const char *name;
    /* Why it cannot be had here, or NULL. Called once, first. */
    const char *(*prepare)(void);
    const struct os_carrier *(*carrier)(void);
    /* An address nobody uses, as endpoint texts, for one listener and those who dial it. */
    void (*address)(unsigned number, char listen[SUITE_TEXT_MAX], char dial[SUITE_TEXT_MAX]);
    struct uuid vm_id;
};

/* Defined by the carrier's file. */
extern const struct suite_carrier suite_carrier;

#endif
