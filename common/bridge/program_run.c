/* SPDX-License-Identifier: MIT */
/* program_run.c - `run` and `check`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/os/error.h"
#include "common/os/file.h"
#include "common/os/stop.h"
#include "common/os/thread.h"
#include "control.h"
#include "engine.h"
#include "program_commands.h"
#include "status.h"

enum { SUMMARY_BYTES_MAX = LOG_TEXT_MAX };

/* ---- check ------------------------------------------------------------------------------- */

static void read_secret(const struct config *c, int *ret_err, char error[CONFIG_ERROR_MAX])
{
    uint8_t *secret = NULL;
    size_t length;
    *ret_err = config_secret(c, &secret, &length, error);
    if (*ret_err == 0 && secret != NULL)
        memset(secret, 0, length);
    free(secret);
}

/* A file that is not there, or cannot be one, is a wrong configuration; a missing right is
 * that, and so is missing memory.
 */
static enum program_exit exit_of_config(int err)
{
    return err == ERR_ACCESS || err == ERR_NO_MEMORY ? program_exit_of(err)
                                                     : PROGRAM_CONFIGURATION;
}

enum program_exit program_check(const struct program *p, const struct program_options *o)
{
    struct config *c = NULL;
    struct text lines;
    text_init(&lines, CONFIG_COMPLAINTS_BYTES);
    int r = config_load(&p->config, o->config_path, &c, &lines);
    if (r == 0) {
        char error[CONFIG_ERROR_MAX];
        read_secret(c, &r, error);
        if (r < 0)
            text_appendf(&lines, "%s: %s\n", c->file, error);
        else
            config_warnings(c, &lines);
    }
    (void)fputs(text_string(&lines), stderr);
    text_release(&lines);
    if (r == 0)
        (void)printf("%s: ok\n", c->file);
    config_free(c);
    return r == 0 ? program_finish_stdout() : exit_of_config(r);
}

/* ---- run --------------------------------------------------------------------------------- */

/* Each line of <lines> as a line of the log. */
static void log_lines(enum log_level level, const struct text *lines)
{
    const char *at = text_string(lines);
    while (*at != '\0') {
        size_t length = strcspn(at, "\n");
        log_line(level, "%.*s", (int)length, at);
        at += length + (at[length] == '\n' ? 1 : 0);
    }
}

static int load(const struct program *p, const struct program_options *o, struct config **ret)
{
    struct text lines;
    text_init(&lines, CONFIG_COMPLAINTS_BYTES);
    int r = config_load(&p->config, o->config_path, ret, &lines);
    log_lines(LOG_ERROR, &lines);
    if (r == 0)
        log_set_level((*ret)->log_level);
    text_release(&lines);
    return r;
}

/* What is allowed and yet most likely not meant. After the engine has read the secret, so that
 * nothing is said of the rights of a file that is not there.
 */
static void warn(const struct config *c)
{
    struct text lines;
    text_init(&lines, CONFIG_COMPLAINTS_BYTES);
    config_warnings(c, &lines);
    log_lines(LOG_WARN, &lines);
    text_release(&lines);
}

/* A place for status that was asked for has to be had; the default one is given up with a
 * warning.
 */
static int open_control(const struct config *c, struct control **ret)
{
    char detail[OS_ERROR_TEXT_MAX];
    int r = control_open(c->control_path, ret);
    if (r == 0)
        return 0;
    const char *hint = r == ERR_IN_USE ? "; is this program running already?" : "";
    os_error_last(detail, sizeof(detail));
    if (!c->control_path_is_default) {
        log_error("control: cannot listen on %s: %s (%s)%s", c->control_path, err_text(r),
                  detail, hint);
        return r;
    }
    log_warn("control: cannot listen on %s: %s (%s)%s; status will get no answer",
             c->control_path, err_text(r), detail, hint);
    *ret = NULL;
    return 0;
}

static void append_input(const struct input *in, struct text *out)
{
    char text[ENDPOINT_TEXT_MAX];
    const struct input_config *config = input_configuration(in);
    struct endpoint listen = config->listen;
    if (listen.host_kind != ENDPOINT_HOST_NONE)
        listen.port = input_port(in);
    text_appendf(out, " %s %s", config->name, endpoint_format(&listen, text, sizeof(text)));
}

/* The one line that says that all is set up. */
static void log_started(const struct engine *e)
{
    char address[ENDPOINT_TEXT_MAX];
    char buffer[SUMMARY_BYTES_MAX];
    const struct config *c = engine_config(e);
    struct text line;
    text_init_fixed(&line, buffer, sizeof(buffer));
    for (size_t i = 0; i < engine_inputs(e); i++) {
        text_append_string(&line, i == 0 ? "; inputs" : ",");
        append_input(engine_input(e, i), &line);
    }
    for (size_t i = 0; i < engine_outputs(e); i++) {
        const struct output_config *out = output_configuration(engine_output(e, i));
        text_appendf(&line, "%s %s %s", i == 0 ? "; outputs" : ",", out->name,
                     endpoint_format(&out->to, address, sizeof(address)));
    }
    log_info("%s runs as %s by %s; link %s %s%s%s", HVLOG_VERSION, c->node.name, c->file,
             c->link.role == WIRE_LISTENER ? "listens on" : "connects to",
             endpoint_format(&c->link.address, address, sizeof(address)), text_string(&line),
             text_err(&line) < 0 ? ", ..." : "");
}

/* A second request to stop: what is not delivered yet is not waited for. The request is seen
 * once, and is asked for again and again, so <arg> keeps it.
 */
static bool is_hurried(void *arg)
{
    bool *hurried = arg;
    if (!*hurried && os_stop_wait(0) == OS_STOP_STOP) {
        *hurried = true;
        log_info("stops at once");
    }
    return *hurried;
}

static void serve_until_stop(struct engine *e)
{
    for (;;) {
        enum os_stop_event event = os_stop_wait(OS_NEVER);
        if (event == OS_STOP_STOP)
            return;
        if (event == OS_STOP_REOPEN) {
            log_info("outputs reopen their files");
            engine_reopen(e);
        }
    }
}

/* Without a file the agent writes into the state folder, of which an ordinary user may not even
 * have what is above it. When it cannot be made, the output says why it waits.
 */
static void make_state_folder(const struct config *c)
{
    if (c->is_builtin && c->output_count > 0)
        (void)os_folder_make(c->node.state_dir);
}

/* Returns 0 after an orderly stop, or what kept the program from starting. */
static int serve(const struct program *p, const struct config *c)
{
    char error[CONFIG_ERROR_MAX] = "out of memory";
    struct control *control = NULL;
    struct engine *e = NULL;
    int r = open_control(c, &control);
    if (r < 0)
        return r;
    make_state_folder(c);
    r = engine_open(c, p->name, &e, error);
    if (r < 0)
        goto close_control;
    warn(c);
    r = engine_start(e, error);
    if (r < 0)
        goto close_engine;
    if (control != NULL && control_start(control, status_answer, e) < 0)
        log_warn("control: out of threads; status will get no answer");
    log_started(e);
    serve_until_stop(e);
    log_info("stops; what is queued may take %u ms to leave", c->node.drain_timeout_ms);
    bool hurried = false;
    engine_stop(e, is_hurried, &hurried);
    log_info("stopped");
close_engine:
    control_stop(control);
    engine_free(e);
close_control:
    control_free(control);
    if (r < 0)
        log_error("%s", error);
    return r;
}

enum program_exit program_run(const struct program *p, const struct program_options *o)
{
    struct config *c = NULL;
    /* Before signals are held back: a file that is a pipe may keep us waiting, and then a
     * signal is to end it. */
    int r = load(p, o, &c);
    if (r < 0)
        return exit_of_config(r);
    if (os_stop_init() < 0) {
        log_error("cannot watch for the signal to stop");
        config_free(c);
        return PROGRAM_UNAVAILABLE;
    }
    r = serve(p, c);
    config_free(c);
    os_stop_acknowledge();
    return program_exit_of(r);
}
