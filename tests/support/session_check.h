/* SPDX-License-Identifier: MIT */
/* session_check.h - what every session that broke off must show; for cmocka tests. */
#ifndef HVLOG_TESTS_SESSION_CHECK_H
#define HVLOG_TESTS_SESSION_CHECK_H

#include "tests/support/session_pair.h"

/* check_ended() - the side noticed <reason> by itself, with <part_of_text> in its text, and
 * says one bye, last, with that reason. What it says is in its out afterwards.
 */
void check_ended(struct pair *p, int side, unsigned reason, const char *part_of_text);

#endif
