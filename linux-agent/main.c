/* SPDX-License-Identifier: MIT */
/* main.c - hvlog-agent: the program in the WSL2 guest. */
#include "common/bridge/program.h"
#include "common/os/file.h"

static void append_defaults(struct text *out)
{
    text_append_string(out, "[link]\n"
                            "address = vsock:2:5140\n"
                            "role = connect\n");
}

/* Without any file: what the other side sends is written to one file; nothing is sent. */
static void append_samples(struct text *out)
{
    char state_dir[CONFIG_PATH_MAX];
    if (os_path_default(OS_PATH_STATE, "agent", state_dir, sizeof(state_dir)) < 0)
        return;
    text_appendf(out, "[output messages]\nto = \"file:%s/messages.log\"\n", state_dir);
}

int main(int argc, char **argv)
{
    static const struct program agent = {
        .name = "hvlog-agent",
        .about = "syslog between WSL2 and its Windows host: the guest's side",
        .config = {.name = "agent", .defaults = append_defaults, .samples = append_samples},
    };
    return program_main(&agent, argc, argv);
}
