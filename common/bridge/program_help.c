/* SPDX-License-Identifier: MIT */
/* program_help.c - `help` and `version`. */
#include <stdio.h>
#include <string.h>

#include "common/os/file.h"
#include "config_keys.h"
#include "program_commands.h"

static void append_commands(const struct program *p, struct text *out)
{
    text_appendf(out, "%s - %s\n\nUsage: %s COMMAND [OPTION...]\n\nCommands:\n", p->name,
                 p->about, p->name);
    for (size_t i = 0; i < PROGRAM_COMMAND_COUNT; i++)
        text_appendf(out, "  %-36s %s\n", program_commands[i].usage, program_commands[i].about);
}

static void append_options(const struct program *p, struct text *out)
{
    char path[CONFIG_PATH_MAX];
    if (os_path_default(OS_PATH_CONFIG, p->config.name, path, sizeof(path)) < 0)
        path[0] = '\0';
    text_appendf(out,
                 "\nOptions:\n"
                 "  -c FILE    the configuration; without it %s,\n"
                 "             and built-in defaults where that is not there\n"
                 "  --json     status as one line of JSON\n"
                 "  --watch    status again every second\n"
                 "  --help     this; --version\n",
                 path);
}

static void append_exit_codes(struct text *out)
{
    text_append_string(out, "\nExit codes: 0 ok, 64 usage, 69 unavailable, 70 bug, "
                            "75 temporary failure,\n"
                            "77 no permission, 78 configuration\n");
}

static void append_key(const struct config_key *key, struct text *out)
{
    text_appendf(out, "  %-16s %s\n", key->key, key->about);
    if (key->initial != NULL)
        text_appendf(out, "  %-16s default: %s\n", "", key->initial);
    else if (key->set == NULL)
        text_appendf(out, "  %-16s %s\n", "", key->fallback);
    else if (key->fallback != NULL)
        text_appendf(out, "  %-16s default: %s\n", "", key->fallback);
    else
        text_appendf(out, "  %-16s must be set\n", "");
}

static void append_keys(struct text *out)
{
    text_append_string(out,
                       "\nConfiguration: [section], then key = value; # begins a comment\n");
    for (size_t i = 0; i < CONFIG_SECTION_COUNT; i++) {
        const struct config_section *section = &config_sections[i];
        text_appendf(out, "\n[%s%s]  %s\n", section->name, section->is_named ? " NAME" : "",
                     section->about);
        for (size_t k = 0; k < CONFIG_KEY_COUNT; k++) {
            if (strcmp(config_keys[k].section, section->name) == 0)
                append_key(&config_keys[k], out);
        }
    }
}

void program_help_text(const struct program *p, struct text *out)
{
    append_commands(p, out);
    append_options(p, out);
    append_exit_codes(out);
    append_keys(out);
}

/* What is longer than the buffer has failed before the flush, which then finds nothing to do.
 */
enum program_exit program_finish_stdout(void)
{
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? PROGRAM_OK : PROGRAM_UNAVAILABLE;
}

enum program_exit program_help(const struct program *p, const struct program_options *o)
{
    struct text help;
    (void)o;
    text_init(&help, PROGRAM_HELP_MAX);
    program_help_text(p, &help);
    bool is_whole = text_err(&help) == 0;
    (void)fputs(text_string(&help), stdout);
    text_release(&help);
    return is_whole ? program_finish_stdout() : PROGRAM_TRY_LATER;
}

enum program_exit program_version(const struct program *p, const struct program_options *o)
{
    (void)o;
    (void)printf("%s %s\n", p->name, HVLOG_VERSION);
    return program_finish_stdout();
}
