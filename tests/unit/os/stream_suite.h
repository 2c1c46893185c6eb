/* SPDX-License-Identifier: MIT */
/* stream_suite.h - one suite for the streams of every carrier.
 *
 * A test program calls stream_suite_run() for each carrier that its system has.
 */
#ifndef HVLOG_TESTS_STREAM_SUITE_H
#define HVLOG_TESTS_STREAM_SUITE_H

#include <stdbool.h>

#include "common/core/uuid.h"

/* Where a carrier's streams are made: <listen> may have port 0, <dial> then gets the bound
 * one. */
struct stream_place {
    const char *scheme;
    const char *listen;
    const char *dial;
    struct uuid vm_id; /* hvsock */
};

/* Returns how many tests failed. */
int stream_suite_run(const struct stream_place *place);

/* A connected pair by way of <place>'s carrier; aborts the test when there is none. */
struct os_stream;
struct stream_pair {
    struct os_stream *dialed;
    struct os_stream *accepted;
};
struct stream_pair stream_pair_open(const struct stream_place *place);
void stream_pair_close(struct stream_pair *pair);

#endif
