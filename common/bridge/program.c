/* SPDX-License-Identifier: MIT */
/* program.c - from the command line to a command. */
#include "program.h"

#include <stdio.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/suggest.h"
#include "common/os/process.h"
#include "program_commands.h"

const struct program_command program_commands[] = {
    {"run", program_run, PROGRAM_TAKES_CONFIG, "run [-c FILE]",
     "carry messages, in the foreground, until SIGTERM or Ctrl-C"},
    {"check", program_check, PROGRAM_TAKES_CONFIG, "check [-c FILE]",
     "say what is wrong with the configuration"},
    {"status", program_status, PROGRAM_TAKES_CONFIG | PROGRAM_TAKES_JSON | PROGRAM_TAKES_WATCH,
     "status [-c FILE] [--json] [--watch]", "ask the running program how it is"},
    {"version", program_version, 0, "version", "print the version"},
    {"help", program_help, 0, "help", "print this"},
};

/* What was read of the command line. */
struct command_line {
    const struct program_command *command;
    struct program_options options;
    unsigned given; /* PROGRAM_TAKES_* */
};

static const struct program_command *find_command(const char *name)
{
    for (size_t i = 0; i < PROGRAM_COMMAND_COUNT; i++) {
        if (strcmp(program_commands[i].name, name) == 0)
            return &program_commands[i];
    }
    return NULL;
}

static enum program_exit complain(const struct program *p, const char *what, const char *word,
                                  const char *nearest)
{
    (void)fprintf(stderr, "%s: %s%s%s%s%s%s; see %s help\n", p->name, what, word[0] ? " " : "",
                  word, nearest != NULL ? " (did you mean " : "",
                  nearest != NULL ? nearest : "", nearest != NULL ? "?)" : "", p->name);
    return PROGRAM_USAGE;
}

static enum program_exit read_command(const struct program *p, const char *word,
                                      struct command_line *line)
{
    if (line->command != NULL)
        return complain(p, "one command is enough, there is also", word, NULL);
    line->command = find_command(word);
    if (line->command != NULL)
        return PROGRAM_OK;
    struct suggest suggest;
    suggest_init(&suggest, view_of(word));
    for (size_t i = 0; i < PROGRAM_COMMAND_COUNT; i++)
        suggest_offer(&suggest, program_commands[i].name);
    return complain(p, "unknown command", word, suggest_nearest(&suggest));
}

static enum program_exit unknown_option(const struct program *p, const char *word)
{
    static const char *const known[] = {"-c", "--json", "--watch", "--help", "--version"};
    struct suggest suggest;
    suggest_init(&suggest, view_of(word));
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        suggest_offer(&suggest, known[i]);
    return complain(p, "unknown option", word, suggest_nearest(&suggest));
}

/* <rest> is the argument behind <word>, or NULL. Returns PROGRAM_OK; <ret_used> says how many
 * of the two were used.
 */
static enum program_exit read_option(const struct program *p, const char *word,
                                     const char *rest, struct command_line *line, int *ret_used)
{
    *ret_used = 1;
    if (strcmp(word, "-c") == 0) {
        if (rest == NULL)
            return complain(p, "-c needs the name of a file", "", NULL);
        line->options.config_path = rest;
        line->given |= PROGRAM_TAKES_CONFIG;
        *ret_used = 2;
    } else if (strcmp(word, "--json") == 0) {
        line->options.json = true;
        line->given |= PROGRAM_TAKES_JSON;
    } else if (strcmp(word, "--watch") == 0) {
        line->options.watch = true;
        line->given |= PROGRAM_TAKES_WATCH;
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        line->command = find_command("help");
    } else if (strcmp(word, "--version") == 0) {
        line->command = find_command("version");
    } else {
        return unknown_option(p, word);
    }
    return PROGRAM_OK;
}

static enum program_exit read_line(const struct program *p, int argc, char **argv,
                                   struct command_line *line)
{
    int used = 1;
    for (int i = 1; i < argc; i += used) {
        bool is_option = argv[i][0] == '-';
        used = 1;
        enum program_exit r =
            is_option ? read_option(p, argv[i], i + 1 < argc ? argv[i + 1] : NULL, line, &used)
                      : read_command(p, argv[i], line);
        if (r != PROGRAM_OK)
            return r;
        /* --help and --version hold whatever else is there. */
        if (is_option && line->command != NULL && line->command->takes == 0)
            return PROGRAM_OK;
    }
    return PROGRAM_OK;
}

static enum program_exit print_help_to_stderr(const struct program *p)
{
    struct text help;
    text_init(&help, PROGRAM_HELP_MAX);
    program_help_text(p, &help);
    (void)fputs(text_string(&help), stderr);
    text_release(&help);
    return PROGRAM_USAGE;
}

static const char *name_of_option(unsigned option)
{
    return option & PROGRAM_TAKES_CONFIG ? "-c"
           : option & PROGRAM_TAKES_JSON ? "--json"
                                         : "--watch";
}

static enum program_exit obey(const struct program *p, int argc, char **argv)
{
    struct command_line line = {.command = NULL};
    enum program_exit r = read_line(p, argc, argv, &line);
    if (r != PROGRAM_OK)
        return r;
    if (line.command == NULL)
        return print_help_to_stderr(p);
    unsigned foreign = line.given & ~line.command->takes;
    if (foreign != 0 && line.command->takes != 0)
        return complain(p, "this command takes no", name_of_option(foreign), NULL);
    return line.command->run(p, &line.options);
}

int program_main(const struct program *p, int argc, char **argv)
{
    if (os_process_startup() < 0) {
        (void)fprintf(stderr, "%s: this system is too old\n", p->name);
        return (int)PROGRAM_UNAVAILABLE;
    }
    log_init(p->name);
    return (int)obey(p, argc, argv);
}

enum program_exit program_exit_of(int err)
{
    switch (err) {
    case 0:
        return PROGRAM_OK;
    case ERR_ACCESS:
        return PROGRAM_NO_PERMISSION;
    case ERR_INVALID:
        return PROGRAM_CONFIGURATION;
    case ERR_NO_MEMORY:
        return PROGRAM_TRY_LATER;
    case ERR_REFUSED:
    case ERR_IN_USE:
    case ERR_NOT_FOUND:
    case ERR_UNSUPPORTED:
    case ERR_TIMEOUT:
    case ERR_CLOSED:
    case ERR_FULL:
    case ERR_IO:
        return PROGRAM_UNAVAILABLE;
    default:
        return PROGRAM_BUG;
    }
}
