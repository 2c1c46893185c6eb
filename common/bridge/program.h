/* SPDX-License-Identifier: MIT */
/* program.h - the command line that both programs share, and what it does.
 *
 *     PROGRAM run | check | status | version | help [-c FILE] [--json] [--watch]
 *
 * Options may stand before or after the command. What is printed on stdout and the exit code
 * are an interface: users and service managers rely on them.
 */
#ifndef HVLOG_BRIDGE_PROGRAM_H
#define HVLOG_BRIDGE_PROGRAM_H

#include "config.h"

/* Exit codes, as in BSD's sysexits.h. */
enum program_exit {
    PROGRAM_OK = 0,
    PROGRAM_USAGE = 64,         /* the command line is wrong */
    PROGRAM_UNAVAILABLE = 69,   /* an address is taken or not there; nobody answers */
    PROGRAM_BUG = 70,           /* hvlog itself is wrong */
    PROGRAM_TRY_LATER = 75,     /* out of memory: starting again may help */
    PROGRAM_NO_PERMISSION = 77, /* a right is missing */
    PROGRAM_CONFIGURATION = 78, /* the configuration or the secret is missing or wrong */
};

struct program {
    const char *name;  /* "hvlog-agent" */
    const char *about; /* one line */
    struct config_program config;
};

/* program_main() - all of main(). Call it first thing. Returns an enum program_exit. */
int program_main(const struct program *p, int argc, char **argv);

/* program_exit_of() - the exit code for an error of config.h and engine.h. Pure. */
enum program_exit program_exit_of(int err);

#endif
