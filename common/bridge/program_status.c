/* SPDX-License-Identifier: MIT */
/* program_status.c - `status`: ask the running program and print what it says. */
#include <stdio.h>

#include "common/core/err.h"
#include "common/os/clock.h"
#include "common/os/stop.h"
#include "control.h"
#include "program_commands.h"

enum { WATCH_PERIOD_MS = 1000 };

static bool is_nobody(int err)
{
    return err == ERR_NOT_FOUND || err == ERR_REFUSED;
}

static enum program_exit complain(const struct program *p, const struct config *c, int err)
{
    if (is_nobody(err))
        (void)fprintf(stderr, "%s: not running: nobody answers at %s\n", p->name,
                      c->control_path);
    else
        (void)fprintf(stderr, "%s: no status from %s: %s\n", p->name, c->control_path,
                      err_text(err));
    return program_exit_of(err);
}

/* Ask and print once. */
static enum program_exit show(const struct program *p, const struct config *c,
                              const struct program_options *o)
{
    struct text answer;
    text_init(&answer, CONTROL_ANSWER_MAX);
    int r = control_ask(c->control_path, o->json ? "status json" : "status text", &answer);
    enum program_exit e = PROGRAM_OK;
    if (r < 0) {
        e = complain(p, c, r);
    } else {
        (void)fwrite(text_string(&answer), 1, answer.length, stdout);
        /* Under --watch, where one status ends and the next begins. */
        if (o->watch && !o->json)
            (void)fputs("\n", stdout);
    }
    text_release(&answer);
    return e;
}

/* Again and again, also while the program is away, until it is told to stop or nobody reads. */
static enum program_exit watch(const struct program *p, const struct config *c,
                               const struct program_options *o)
{
    if (os_stop_init() < 0)
        return PROGRAM_UNAVAILABLE;
    uint64_t next_ms = os_clock_ms();
    do {
        (void)show(p, c, o);
        if (program_finish_stdout() != PROGRAM_OK)
            return PROGRAM_UNAVAILABLE;
        next_ms += WATCH_PERIOD_MS;
    } while (os_stop_wait(next_ms) != OS_STOP_STOP);
    os_stop_acknowledge();
    return PROGRAM_OK;
}

enum program_exit program_status(const struct program *p, const struct program_options *o)
{
    struct config *c = NULL;
    struct text errors;
    text_init(&errors, CONFIG_COMPLAINTS_BYTES);
    int r = config_load(&p->config, o->config_path, &c, &errors);
    (void)fputs(text_string(&errors), stderr);
    text_release(&errors);
    if (r < 0)
        return r == ERR_NOT_FOUND ? PROGRAM_CONFIGURATION : program_exit_of(r);
    enum program_exit e = o->watch ? watch(p, c, o) : show(p, c, o);
    if (e == PROGRAM_OK)
        e = program_finish_stdout();
    config_free(c);
    return e;
}
