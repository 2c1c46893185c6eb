/* SPDX-License-Identifier: MIT */
/* config.c - text to configuration: sections, keys, defaults, and a message for each mistake.
 *
 * Defaults are configuration text too: first each key's own, then the program's, then the file.
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/ini.h"
#include "common/core/suggest.h"
#include "common/os/file.h"
#include "common/os/process.h"
#include "config_source.h"

enum {
    VALUE_SHOWN_MAX = 64,                 /* octets of a wrong value that are repeated */
    PROGRAM_TEXT_MAX = 64 * 1024,         /* octets of a program's defaults or samples */
    UDP_RECEIVE_BUFFER = 8 * 1024 * 1024, /* half a second of 100,000 messages a second */
};

static const char builtin_name[] = "built-in defaults";

/* ---- complaints -------------------------------------------------------------------------- */

void config_complain(struct config_source *s, unsigned line, const char *format, ...)
{
    char text[CONFIG_ERROR_MAX];
    va_list args;
    if (++s->complaints > CONFIG_COMPLAINTS_MAX) {
        if (s->complaints == CONFIG_COMPLAINTS_MAX + 1)
            text_appendf(s->errors, "%s: more is wrong, but is not shown\n", s->file);
        return;
    }
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (line > 0)
        text_appendf(s->errors, "%s:%u: %s\n", s->file, line, text);
    else
        text_appendf(s->errors, "%s: %s\n", s->file, text);
}

/* " (did you mean [link]?)", or "". */
static const char *meant(const struct suggest *suggest, const char *open, const char *close,
                         char *text, size_t size)
{
    const char *nearest = suggest_nearest(suggest);
    text[0] = '\0';
    if (nearest != NULL)
        (void)snprintf(text, size, " (did you mean %s%s%s?)", open, nearest, close);
    return text;
}

static void complain_section(struct config_source *s, unsigned line, struct view kind)
{
    char hint[VALUE_SHOWN_MAX];
    struct suggest suggest;
    suggest_init(&suggest, kind);
    for (size_t i = 0; i < CONFIG_SECTION_COUNT; i++)
        suggest_offer(&suggest, config_sections[i].name);
    config_complain(s, line, "unknown section [%.*s]%s", (int)kind.length, kind.text,
                    meant(&suggest, "[", "]", hint, sizeof(hint)));
}

/* The section in which a key of that name belongs, or NULL. */
static const char *home_of(struct view key)
{
    for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
        if (view_is(key, config_keys[i].key))
            return config_keys[i].section;
    }
    return NULL;
}

static void complain_key(struct config_source *s, unsigned line, struct view key)
{
    const char *section = s->place->section->name;
    const char *home = home_of(key);
    char hint[VALUE_SHOWN_MAX];
    struct suggest suggest;
    suggest_init(&suggest, key);
    for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
        if (strcmp(config_keys[i].section, section) == 0)
            suggest_offer(&suggest, config_keys[i].key);
    }
    meant(&suggest, "", "", hint, sizeof(hint));
    if (home != NULL)
        (void)snprintf(hint, sizeof(hint), " (it belongs in [%s])", home);
    config_complain(s, line, "unknown key \"%.*s\" in [%s]%s", (int)key.length, key.text,
                    section, hint);
}

static void complain_value(struct config_source *s, const struct ini_event *ev,
                           const struct reason *why)
{
    bool is_long = ev->value.length > VALUE_SHOWN_MAX;
    config_complain(s, (unsigned)ev->line, "%.*s \"%.*s%s\" %s", (int)ev->key.length,
                    ev->key.text, is_long ? VALUE_SHOWN_MAX : (int)ev->value.length,
                    ev->value.text, is_long ? "..." : "", why->text);
}

/* ---- sections and settings --------------------------------------------------------------- */

static void set_initial(const char *section, void *base)
{
    for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
        const struct config_key *key = &config_keys[i];
        if (key->initial != NULL && strcmp(key->section, section) == 0)
            (void)key->set(key, view_of(key->initial), base, NULL);
    }
}

static struct config_place *find_place(struct config_source *s,
                                       const struct config_section *section, struct view name)
{
    for (size_t i = 0; i < s->place_count; i++) {
        struct config_place *p = &s->places[i];
        bool is_same = p->name.length == name.length &&
                       (name.length == 0 || memcmp(p->name.text, name.text, name.length) == 0);
        if (p->section == section && is_same)
            return p;
    }
    return NULL;
}

static void copy_name(char name[INPUT_NAME_MAX + 1], struct view v)
{
    memcpy(name, v.text, v.length);
    name[v.length] = '\0';
}

/* The struct that the settings of a section go to, a new one for an input or output. NULL, with
 * a complaint: there are too many.
 */
static void *make_base(struct config_source *s, const struct ini_event *ev)
{
    struct config *c = s->config;
    if (view_is(ev->section, "input")) {
        if (c->input_count == INPUT_COUNT_MAX) {
            config_complain(s, (unsigned)ev->line, "more than %d inputs", (int)INPUT_COUNT_MAX);
            return NULL;
        }
        struct input_config *in = &c->inputs[c->input_count++];
        copy_name(in->name, ev->name);
        in->line = (unsigned)ev->line;
        set_initial("input", in);
        return in;
    }
    if (view_is(ev->section, "output")) {
        if (c->output_count == CONFIG_OUTPUTS_MAX) {
            config_complain(s, (unsigned)ev->line, "more than %d outputs",
                            (int)CONFIG_OUTPUTS_MAX);
            return NULL;
        }
        struct output_config *out = &c->outputs[c->output_count++];
        copy_name(out->name, ev->name);
        out->line = (unsigned)ev->line;
        set_initial("output", out);
        return out;
    }
    return c;
}

static void begin_section(struct config_source *s, const struct ini_event *ev)
{
    unsigned line = (unsigned)ev->line;
    const struct config_section *section = config_section_find(ev->section);
    s->place = NULL;
    if (section == NULL) {
        complain_section(s, line, ev->section);
        return;
    }
    if (section->is_named != (ev->name.length > 0)) {
        config_complain(s, line,
                        section->is_named ? "[%s] needs a name, such as [%s lan]"
                                          : "[%s] takes no name: write [%s]",
                        section->name, section->name);
        return;
    }
    const struct config_place *first = find_place(s, section, ev->name);
    if (first != NULL) {
        config_complain(s, line, "[%s%s%.*s] is there twice: it began in line %u",
                        section->name, ev->name.length > 0 ? " " : "", (int)ev->name.length,
                        ev->name.text != NULL ? ev->name.text : "", first->line);
        return;
    }
    void *base = make_base(s, ev);
    if (base == NULL)
        return;
    s->place = &s->places[s->place_count++];
    *s->place =
        (struct config_place){.section = section, .name = ev->name, .line = line, .base = base};
}

static void set_pair(struct config_source *s, const struct ini_event *ev)
{
    unsigned line = (unsigned)ev->line;
    const struct config_key *key = config_key_find(s->place->section->name, ev->key);
    if (key == NULL) {
        complain_key(s, line, ev->key);
        return;
    }
    unsigned *first = &s->place->key_lines[key - config_keys];
    if (*first > 0) {
        config_complain(s, line, "%s is set twice: first in line %u", key->key, *first);
        return;
    }
    *first = line;
    if (key->set == NULL) {
        config_complain(s, line, "%s is not in this version yet", key->key);
        return;
    }
    struct reason why;
    if (key->set(key, ev->value, s->place->base, &why) < 0)
        complain_value(s, ev, &why);
}

static void read_text(struct config_source *s, const char *text, size_t length)
{
    struct ini ini;
    struct ini_event ev;
    ini_init(&ini, text, length);
    while (ini_next(&ini, &ev)) {
        if (ev.kind == INI_ERROR)
            config_complain(s, (unsigned)ev.line, "%s", ev.complaint);
        else if (ev.kind == INI_SECTION)
            begin_section(s, &ev);
        else if (s->place != NULL)
            set_pair(s, &ev);
    }
}

unsigned config_line(const struct config_source *s, const void *base, const char *section,
                     const char *key)
{
    const struct config_key *k = config_key_find(section, view_of(key));
    for (size_t i = 0; k != NULL && i < s->place_count; i++) {
        const struct config_place *p = &s->places[i];
        if (p->base == base && strcmp(p->section->name, section) == 0)
            return p->key_lines[k - config_keys] > 0 ? p->key_lines[k - config_keys] : p->line;
    }
    return 0;
}

bool config_has(const struct config_source *s, const void *base, const char *section,
                const char *key)
{
    const struct config_key *k = config_key_find(section, view_of(key));
    for (size_t i = 0; k != NULL && i < s->place_count; i++) {
        const struct config_place *p = &s->places[i];
        if (p->base == base && strcmp(p->section->name, section) == 0)
            return p->key_lines[k - config_keys] > 0;
    }
    return false;
}

/* ---- a whole configuration --------------------------------------------------------------- */

static void init_config(struct config *c, const char *file)
{
    (void)snprintf(c->file, sizeof(c->file), "%s", file);
    for (size_t i = 0; i < CONFIG_SECTION_COUNT; i++) {
        if (!config_sections[i].is_named)
            set_initial(config_sections[i].name, c);
    }
}

/* Defaults that hang on other settings. */
static void fill_inputs(struct config_source *s)
{
    for (size_t i = 0; i < s->config->input_count; i++) {
        struct input_config *in = &s->config->inputs[i];
        if (in->listen.kind == ENDPOINT_UDP && !config_has(s, in, "input", "receive_buffer"))
            in->receive_buffer = UDP_RECEIVE_BUFFER;
    }
}

/* Read what <append> writes; it is the program's own, and seen by no user unless it is wrong.
 */
static void read_program_text(struct config_source *s, void (*append)(struct text *out))
{
    struct text text;
    text_init(&text, PROGRAM_TEXT_MAX);
    append(&text);
    if (text_err(&text) < 0)
        config_complain(s, 0, "the defaults are incomplete: %s", err_text(text_err(&text)));
    else
        read_text(s, text_string(&text), text.length);
    text_release(&text);
}

int config_parse(const struct config_program *program, const char *file, const char *text,
                 size_t length, struct config **ret, struct text *errors)
{
    struct config *c = calloc(1, sizeof(*c));
    struct config_source *s = calloc(1, sizeof(*s));
    int r = 0;
    if (c == NULL || s == NULL) {
        text_appendf(errors, "%s: out of memory\n", file);
        r = ERR_NO_MEMORY;
        goto out;
    }
    init_config(c, file);
    *s = (struct config_source){.file = builtin_name, .config = c, .errors = errors};
    read_program_text(s, program->defaults);

    /* What the program said stands in no line of the file. */
    s->file = c->file;
    s->place = NULL;
    s->place_count = 0;
    read_text(s, text, length);
    fill_inputs(s);
    config_check(s);
    r = s->complaints > 0 ? ERR_INVALID : 0;
    if (r == 0) {
        *ret = c;
        c = NULL;
    }
out:
    free(s);
    config_free(c);
    return r;
}

void config_free(struct config *c)
{
    free(c);
}

/* What depends on the machine. */
static int resolve(const struct config_program *program, struct config *c, struct text *errors)
{
    int r = 0;
    if (c->node.name[0] == '\0')
        os_host_name(c->node.name, sizeof(c->node.name));
    if (!wire_text_is_clean(c->node.name, strlen(c->node.name))) /* a host may have any name */
        (void)snprintf(c->node.name, sizeof(c->node.name), "localhost");
    if (c->node.state_dir[0] == '\0')
        r = os_path_default(OS_PATH_STATE, program->name, c->node.state_dir,
                            sizeof(c->node.state_dir));
    if (r == 0 && c->control_path[0] == '\0') {
        c->control_path_is_default = true;
        r = os_path_default(OS_PATH_CONTROL, program->name, c->control_path,
                            sizeof(c->control_path));
    }
    if (r < 0)
        text_appendf(errors,
                     "%s: the default folders have names that are too long: set "
                     "state_dir and [control] path\n",
                     c->file);
    return r < 0 ? ERR_INVALID : 0;
}

/* The program's default file, or "" when the system cannot say. */
static const char *default_path(const struct config_program *program,
                                char path[CONFIG_PATH_MAX])
{
    if (os_path_default(OS_PATH_CONFIG, program->name, path, CONFIG_PATH_MAX) < 0)
        path[0] = '\0';
    return path;
}

static int parse_samples(const struct config_program *program, struct config **ret,
                         struct text *errors)
{
    struct text samples;
    text_init(&samples, PROGRAM_TEXT_MAX);
    program->samples(&samples);
    int r = text_err(&samples);
    if (r == 0)
        r = config_parse(program, builtin_name, text_string(&samples), samples.length, ret,
                         errors);
    else
        text_appendf(errors, "%s: %s\n", builtin_name, err_text(r));
    if (r == 0)
        (*ret)->is_builtin = true;
    text_release(&samples);
    return r;
}

static int parse_file(const struct config_program *program, const char *path, bool is_asked_for,
                      struct config **ret, struct text *errors)
{
    char *data = NULL;
    size_t length = 0;
    int r = os_file_read_all(path, INI_TEXT_MAX, &data, &length);
    if (r == ERR_NOT_FOUND && !is_asked_for)
        return parse_samples(program, ret, errors);
    if (r < 0) {
        text_appendf(errors, "%s: %s\n", path,
                     r == ERR_FULL ? "the file is larger than 1 MiB" : err_text(r));
        return r == ERR_FULL ? ERR_INVALID : r;
    }
    r = config_parse(program, path, data, length, ret, errors);
    free(data);
    return r;
}

int config_load(const struct config_program *program, const char *path, struct config **ret,
                struct text *errors)
{
    char standard[CONFIG_PATH_MAX];
    struct config *c = NULL;
    bool is_asked_for = path != NULL;
    if (!is_asked_for)
        path = default_path(program, standard);
    int r = parse_file(program, path, is_asked_for, &c, errors);
    if (r == 0)
        r = resolve(program, c, errors);
    if (r < 0) {
        config_free(c);
        return r;
    }
    *ret = c;
    return 0;
}
