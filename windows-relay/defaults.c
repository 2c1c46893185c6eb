/* SPDX-License-Identifier: MIT */
/* defaults.c - what the relay does when its configuration says nothing else. */
#include "windows-relay/defaults.h"

#include <string.h>

#include "common/bridge/config.h"
#include "common/os/file.h"
#include "common/os/process.h"
#include "common/os/stream.h"

enum {
    SYSLOG_PORT = 514,
    ADDRESSES_MAX = INPUT_COUNT_MAX / 2, /* each gets two inputs */
};

static void append_unix_link(struct text *out)
{
    char path[CONFIG_PATH_MAX];
    if (os_path_default(OS_PATH_CONTROL, "relay", path, sizeof(path)) < 0)
        return;
    char *slash = strrchr(path, '/');
    int folder = slash != NULL ? (int)(slash - path) + 1 : 0;
    text_appendf(out, "address = \"unix:%.*slink.sock\"\n", folder, path);
}

void defaults_append(struct text *out)
{
    text_append_string(out, "[link]\nrole = listen\n");
    if (os_carrier_find("hvsock") != NULL)
        text_append_string(out, "address = hvsock:5140\n");
    else
        append_unix_link(out);
}

static void append_input(const char *scheme, size_t number, const struct address *a,
                         struct text *out)
{
    char text[ADDRESS_TEXT_MAX];
    text_appendf(out, "[input %s-%zu]\nlisten = %s:%s\n", scheme, number, scheme,
                 address_format(a, text, sizeof(text)));
}

void defaults_append_inputs(struct text *out)
{
    struct address addresses[ADDRESSES_MAX];
    int count = os_host_addresses(addresses, ADDRESSES_MAX);
    for (int i = 0; i < count; i++) {
        addresses[i].port = SYSLOG_PORT;
        append_input("udp", (size_t)i + 1, &addresses[i], out);
        append_input("tcp", (size_t)i + 1, &addresses[i], out);
    }
}
