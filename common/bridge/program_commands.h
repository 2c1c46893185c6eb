/* SPDX-License-Identifier: MIT */
/* program_commands.h - the commands behind the command line. Between program.c and program_*.c.
 */
#ifndef HVLOG_BRIDGE_PROGRAM_COMMANDS_H
#define HVLOG_BRIDGE_PROGRAM_COMMANDS_H

#include "program.h"

struct program_options {
    const char *config_path; /* NULL: the default file */
    bool json;
    bool watch;
};

/* One command; the first argument of its function is the program it belongs to. */
typedef enum program_exit program_command_fn(const struct program *p,
                                             const struct program_options *o);

enum { PROGRAM_TAKES_CONFIG = 1, PROGRAM_TAKES_JSON = 2, PROGRAM_TAKES_WATCH = 4 };

struct program_command {
    const char *name;
    program_command_fn *run;
    unsigned takes; /* PROGRAM_TAKES_* */
    const char *usage;
    const char *about;
};

enum { PROGRAM_COMMAND_COUNT = 5 };
extern const struct program_command program_commands[PROGRAM_COMMAND_COUNT];

program_command_fn program_run, program_check, program_status, program_version, program_help;

/* program_finish_stdout() - PROGRAM_OK when all that was printed is out; PROGRAM_UNAVAILABLE
 * when stdout did not take it (a full disk, a pipe that nobody reads). */
enum program_exit program_finish_stdout(void);

/* program_help_text() - what `help` prints. */
enum { PROGRAM_HELP_MAX = 64 * 1024 };
void program_help_text(const struct program *p, struct text *out);

#endif
