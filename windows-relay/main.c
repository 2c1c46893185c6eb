/* SPDX-License-Identifier: MIT */
/* main.c - hvlog-relay: the program on the Windows host. */
#include "common/bridge/program.h"
#include "windows-relay/defaults.h"

int main(int argc, char **argv)
{
    static const struct program relay = {
        .name = "hvlog-relay",
        .about = "syslog between WSL2 and its Windows host: the host's side",
        .config = {.name = "relay",
                   .defaults = defaults_append,
                   .samples = defaults_append_inputs},
    };
    return program_main(&relay, argc, argv);
}
