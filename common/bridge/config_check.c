/* SPDX-License-Identifier: MIT */
/* config_check.c - what is wrong with a configuration though each of its settings is right. */
#include <string.h>

#include "common/core/err.h"
#include "common/os/file.h"
#include "common/os/stream.h"
#include "config_source.h"

static bool is_datagram(enum endpoint_kind kind)
{
    return kind == ENDPOINT_UDP || kind == ENDPOINT_UNIX_DGRAM;
}

static bool is_same_place(const struct endpoint *a, const struct endpoint *b)
{
    bool is_chosen_by_system = a->host_kind != ENDPOINT_HOST_NONE && a->port == 0;
    return a->kind == b->kind && !is_chosen_by_system && a->host_kind == b->host_kind &&
           a->port == b->port && strcmp(a->host, b->host) == 0 && strcmp(a->path, b->path) == 0;
}

/* ---- inputs ------------------------------------------------------------------------------ */

/* Compared with the inputs before it and with a link that listens. */
static void check_not_taken(struct config_source *s, size_t index)
{
    const struct config *c = s->config;
    const struct input_config *in = &c->inputs[index];
    unsigned line = config_line(s, in, "input", "listen");
    for (size_t i = 0; i < index; i++) {
        if (is_same_place(&in->listen, &c->inputs[i].listen)) {
            config_complain(s, line, "[input %s] listens where [input %s] does (line %u)",
                            in->name, c->inputs[i].name,
                            config_line(s, &c->inputs[i], "input", "listen"));
            return;
        }
    }
    if (c->link.role == WIRE_LISTENER && is_same_place(&in->listen, &c->link.address))
        config_complain(s, line, "[input %s] listens where [link] does", in->name);
}

static void check_input(struct config_source *s, size_t index)
{
    const struct input_config *in = &s->config->inputs[index];
    struct reason why;
    if (!config_has(s, in, "input", "listen")) {
        config_complain(s, in->line, "[input %s] has no listen: write listen = udp:*:514",
                        in->name);
        return;
    }
    if (in->listen.kind == ENDPOINT_NONE)
        return; /* complained about when it was read */
    if (endpoint_check(&in->listen, ENDPOINT_LISTEN, &why) < 0) {
        config_complain(s, config_line(s, in, "input", "listen"), "listen %s", why.text);
        return;
    }
    if (in->allow_count > 0 && in->listen.host_kind == ENDPOINT_HOST_NONE)
        config_complain(s, config_line(s, in, "input", "allow"),
                        "allow is for udp and tcp: a unix socket is guarded by its folder");
    check_not_taken(s, index);
}

/* ---- outputs ----------------------------------------------------------------------------- */

static void check_prefix(struct config_source *s, const struct output_config *out)
{
    unsigned line = config_line(s, out, "output", "prefix");
    if (out->prefix == PREFIX_NONE)
        return;
    if (out->to.kind != ENDPOINT_FILE && out->to.kind != ENDPOINT_STDOUT)
        config_complain(s, line, "prefix is for file: and stdout: only");
    else if (out->framing != OUTPUT_LINE)
        config_complain(s, line, "prefix needs framing = line");
}

static void check_output(struct config_source *s, const struct output_config *out)
{
    struct reason why;
    if (!config_has(s, out, "output", "to")) {
        config_complain(s, out->line, "[output %s] has no to: write to = file:PATH", out->name);
        return;
    }
    if (out->to.kind == ENDPOINT_NONE)
        return;
    if (endpoint_check(&out->to, ENDPOINT_CONNECT, &why) < 0) {
        config_complain(s, config_line(s, out, "output", "to"), "to %s", why.text);
        return;
    }
    if (out->framing == OUTPUT_OCTET && is_datagram(out->to.kind))
        config_complain(s, config_line(s, out, "output", "framing"),
                        "framing = octet is for streams: a datagram is one message");
    check_prefix(s, out);
}

/* ---- link and control -------------------------------------------------------------------- */

static void check_link(struct config_source *s)
{
    const struct config *c = s->config;
    unsigned line = config_line(s, c, "link", "address");
    enum endpoint_use use = c->link.role == WIRE_LISTENER ? ENDPOINT_LISTEN : ENDPOINT_CONNECT;
    const char *scheme = endpoint_scheme(c->link.address.kind);
    struct reason why;
    if (c->link.address.kind == ENDPOINT_NONE) {
        if (!config_has(s, c, "link", "address"))
            config_complain(s, line, "[link] has no address");
        return;
    }
    if (endpoint_check(&c->link.address, use, &why) < 0) {
        config_complain(s, line, "address %s (role is %s)", why.text,
                        use == ENDPOINT_LISTEN ? "listen" : "connect");
        return;
    }
    if (os_carrier_find(scheme) == NULL) {
        config_complain(s, line, "address: this system has no %s", scheme);
        return;
    }
    if (c->link.address.kind == ENDPOINT_HVSOCK && c->link.vm_id_auto)
        config_complain(s, config_line(s, c, "link", "vm_id"),
                        "hvsock needs [link] vm_id = GUID in this version: "
                        "wsl.exe --exec wslinfo --vm-id says it");
}

static void check_control(struct config_source *s)
{
    const struct config *c = s->config;
    if (strlen(c->control_path) > ENDPOINT_UNIX_PATH_MAX)
        config_complain(s, config_line(s, c, "control", "path"),
                        "path is longer than %d octets", (int)ENDPOINT_UNIX_PATH_MAX);
}

void config_check(struct config_source *s)
{
    check_link(s);
    for (size_t i = 0; i < s->config->input_count; i++)
        check_input(s, i);
    for (size_t i = 0; i < s->config->output_count; i++)
        check_output(s, &s->config->outputs[i]);
    check_control(s);
}

/* ---- warnings ---------------------------------------------------------------------------- */

void config_warnings(const struct config *c, struct text *warnings)
{
    if (c->link.secret_file[0] != '\0' && !os_file_is_private(c->link.secret_file))
        text_appendf(warnings,
                     "%s: others than its owner can read the secret: chmod 600, on "
                     "Windows icacls\n",
                     c->link.secret_file);
    if (c->input_count == 0 && c->output_count == 0)
        text_appendf(warnings, "%s: there is no [input] and no [output]\n", c->file);
}
