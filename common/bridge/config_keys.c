/* SPDX-License-Identifier: MIT */
/* config_keys.c - every section and key of the configuration. */
#include "config_keys.h"

#include <string.h>

#include "common/core/ascii.h"
#include "config.h"
#include "queue.h"

/* ---- how a value gets into its member ---------------------------------------------------- */

static char *member(const struct config_key *key, void *base)
{
    return (char *)base + key->offset;
}

/* Numbers, flags and enums, by the size of their member. */
static int set_number(const struct config_key *key, struct view value, void *base,
                      struct reason *why)
{
    uint64_t n;
    int r = key->parse(value, &key->rule, &n, why);
    if (r < 0)
        return r;
    if (key->size == sizeof(bool)) {
        memcpy(member(key, base), &(bool){n != 0}, sizeof(bool));
    } else if (key->size == sizeof(uint32_t)) {
        memcpy(member(key, base), &(uint32_t){(uint32_t)n}, sizeof(uint32_t));
    } else {
        memcpy(member(key, base), &n, sizeof(n));
    }
    return 0;
}

static int set_text(const struct config_key *key, struct view value, void *base,
                    struct reason *why)
{
    return value_text(value, member(key, base), key->size, why);
}

static int set_node_name(const struct config_key *key, struct view value, void *base,
                         struct reason *why)
{
    /* The other side would not take it either. */
    if (!wire_text_is_clean(value.text, value.length))
        return reason_set(why, "is not text in UTF-8");
    return value_text(value, member(key, base), key->size, why);
}

static int set_endpoint(const struct config_key *key, struct view value, void *base,
                        struct reason *why)
{
    struct endpoint e;
    int r = endpoint_parse(value, key->kinds, &e, why);
    if (r < 0)
        return r;
    if (e.kind == ENDPOINT_EVENTLOG)
        return reason_set(why, "is not in this version yet");
    memcpy(member(key, base), &e, sizeof(e));
    return 0;
}

static int set_vm_id(const struct config_key *key, struct view value, void *base,
                     struct reason *why)
{
    struct config *c = base;
    struct uuid id = {0};
    (void)key;
    bool is_auto = view_is(value, "auto");
    int r = is_auto ? 0 : uuid_parse(value, &id, why);
    if (r < 0)
        return r;
    if (!is_auto && uuid_is_zero(&id))
        return reason_set(why, "must be the GUID of one VM, not all zeros");
    c->link.vm_id_auto = is_auto;
    c->link.vm_id = id;
    return 0;
}

static int set_allow(const struct config_key *key, struct view value, void *base,
                     struct reason *why)
{
    struct input_config *in = base;
    struct view rest = value, item;
    int r;
    (void)key;
    in->allow_count = 0;
    while ((r = value_list_next(&rest, &item, why)) > 0) {
        size_t n = in->allow_count;
        if (n == CONFIG_ALLOW_MAX)
            return reason_set(why, "has more than %d prefixes", (int)CONFIG_ALLOW_MAX);
        if (address_prefix_parse(item.text, item.length, &in->allow[n]) < 0)
            return reason_set(why,
                              "has no address or prefix at place %zu: write 192.0.2.0/24 with "
                              "no bits set behind the prefix",
                              n + 1);
        in->allow_count = n + 1;
    }
    return r;
}

static bool is_name(struct view v)
{
    for (size_t i = 0; i < v.length; i++) {
        char c = v.text[i];
        if (!ascii_is_letter(c) && !ascii_is_digit(c) && c != '_' && c != '-' && c != '.')
            return false;
    }
    return v.length > 0 && v.length <= INPUT_NAME_MAX;
}

static int set_inputs(const struct config_key *key, struct view value, void *base,
                      struct reason *why)
{
    struct output_config *out = base;
    struct view rest = value, item;
    int r;
    (void)key;
    out->input_count = 0;
    while ((r = value_list_next(&rest, &item, why)) > 0) {
        size_t n = out->input_count;
        if (n == INPUT_COUNT_MAX)
            return reason_set(why, "has more than %d names", (int)INPUT_COUNT_MAX);
        if (!is_name(item))
            return reason_set(why, "has no name of an input at place %zu", n + 1);
        for (size_t i = 0; i < n; i++) {
            if (view_is(item, out->inputs[i]))
                return reason_set(why, "has the same name at places %zu and %zu", i + 1, n + 1);
        }
        memcpy(out->inputs[n], item.text, item.length);
        out->inputs[n][item.length] = '\0';
        out->input_count = n + 1;
    }
    return r;
}

/* ---- words ------------------------------------------------------------------------------- */

static const struct value_word role_words[] = {
    {"connect", WIRE_CONNECTOR},
    {"listen", WIRE_LISTENER},
    {NULL, 0},
};
static const struct value_word framing_words[] = {
    {"auto", FRAMING_AUTO},
    {"octet", FRAMING_OCTET},
    {"line", FRAMING_LINE},
    {"nul", FRAMING_NUL},
    {NULL, 0},
};
static const struct value_word output_framing_words[] = {
    {"line", OUTPUT_LINE},
    {"octet", OUTPUT_OCTET},
    {NULL, 0},
};
static const struct value_word prefix_words[] = {
    {"none", PREFIX_NONE},
    {"source", PREFIX_SOURCE},
    {NULL, 0},
};
static const struct value_word level_words[] = {
    {"error", LOG_ERROR}, {"warn", LOG_WARN}, {"info", LOG_INFO},
    {"debug", LOG_DEBUG}, {NULL, 0},
};

/* ---- bounds ------------------------------------------------------------------------------ */

enum {
    DRAIN_TIMEOUT_MAX_MS = 60 * 60 * 1000,
    HEARTBEAT_MIN_MS = 100, /* below, a busy machine alone would look like a dead link */
    HEARTBEAT_MAX_MS = 5 * 60 * 1000,
    MESSAGE_MAX_LEAST = 32,
    CONNECTIONS_LIMIT = 1000 * 1000,
    IDLE_TIMEOUT_MAX_MS = 7 * 24 * 60 * 60 * 1000,
    RECEIVE_BUFFER_MAX = 1024 * 1024 * 1024,
};
#define QUEUE_MEMORY_LIMIT (UINT64_C(64) * 1024 * 1024 * 1024)

#define LINK_KINDS                                                  \
    (ENDPOINT_SET(ENDPOINT_VSOCK) | ENDPOINT_SET(ENDPOINT_HVSOCK) | \
     ENDPOINT_SET(ENDPOINT_TCP) | ENDPOINT_SET(ENDPOINT_UNIX))
#define INPUT_KINDS                                                                          \
    (ENDPOINT_SET(ENDPOINT_UDP) | ENDPOINT_SET(ENDPOINT_TCP) | ENDPOINT_SET(ENDPOINT_UNIX) | \
     ENDPOINT_SET(ENDPOINT_UNIX_DGRAM))
#define OUTPUT_KINDS                                                             \
    (INPUT_KINDS | ENDPOINT_SET(ENDPOINT_FILE) | ENDPOINT_SET(ENDPOINT_STDOUT) | \
     ENDPOINT_SET(ENDPOINT_NULL) | ENDPOINT_SET(ENDPOINT_EVENTLOG))

/* ---- the tables -------------------------------------------------------------------------- */

const struct config_section config_sections[] = {
    {"node", false, "this program"},
    {"link", false, "the stream to the other side"},
    {"queue", false, "what waits between inputs, link and outputs"},
    {"input", true, "where messages come in; any number, each with a name"},
    {"output", true, "where messages of the other side go; any number, each with a name"},
    {"log", false, "hvlog's own log, on stderr"},
    {"control", false, "where `status` asks"},
};

_Static_assert(sizeof(enum framing) == sizeof(uint32_t), "set_number stores enums as uint32_t");
_Static_assert(sizeof(bool) == 1, "set_number tells flags by their size");

#define SIZE_OF(type, member_name) sizeof(((type *)NULL)->member_name)
#define AT(type, member_name) \
    .offset = offsetof(type, member_name), .size = SIZE_OF(type, member_name)
#define NUMBER(type, member_name, how) .set = set_number, AT(type, member_name), .parse = (how)
#define LATER(section_name, key_name, what)                                                  \
    {                                                                                        \
        .section = (section_name), .key = (key_name), .fallback = "not in this version yet", \
        .about = (what)                                                                      \
    }

const struct config_key config_keys[] = {
    {"node", "name", .set = set_node_name, AT(struct config, node.name),
     .fallback = "the host's name", .about = "name shown to the other side"},
    {"node", "state_dir", .set = set_text, AT(struct config, node.state_dir),
     .fallback = "the system's place for it", .about = "folder for what outlives the program"},
    {"node", "drain_timeout", NUMBER(struct config, node.drain_timeout_ms, value_time),
     .rule = {.high = DRAIN_TIMEOUT_MAX_MS}, .initial = "5s",
     .about = "how long a stop waits for queued messages to leave"},

    {"link", "address", .set = set_endpoint, AT(struct config, link.address),
     .kinds = LINK_KINDS, .fallback = "see the program's manual page",
     .about = "vsock:CID:PORT, hvsock:PORT, tcp:HOST:PORT or unix:PATH"},
    {"link", "role", NUMBER(struct config, link.role, value_one_of),
     .rule = {.words = role_words}, .fallback = "connect for the agent, listen for the relay",
     .about = "connect or listen"},
    {"link", "vm_id", .set = set_vm_id, .initial = "auto",
     .about = "hvsock: GUID of the running VM (wsl.exe --exec wslinfo --vm-id)"},
    {"link", "secret_file", .set = set_text, AT(struct config, link.secret_file),
     .fallback = "no secret", .about = "file with the secret that both sides must know"},
    {"link", "heartbeat", NUMBER(struct config, link.heartbeat_ms, value_time),
     .rule = {.low = HEARTBEAT_MIN_MS, .high = HEARTBEAT_MAX_MS}, .initial = "2s",
     .about = "time between signs of life; three missed end the link"},

    {"queue", "memory", NUMBER(struct config, queue.memory, value_size),
     .rule = {.low = QUEUE_MEMORY_MIN, .high = QUEUE_MEMORY_LIMIT}, .initial = "64MiB",
     .about = "memory for waiting messages, in each direction"},
    LATER("queue", "spool", "messages on disk while memory is full"),
    LATER("queue", "spool_sync", "fsync each batch that is spooled"),
    LATER("queue", "spool_max", "disk space for the spool"),

    {"input", "listen", .set = set_endpoint, AT(struct input_config, listen),
     .kinds = INPUT_KINDS,
     .about = "udp:ADDR:PORT, tcp:ADDR:PORT, unix:PATH or unix-dgram:PATH"},
    {"input", "framing", NUMBER(struct input_config, framer.framing, value_one_of),
     .rule = {.words = framing_words}, .initial = "auto",
     .about = "how messages of a stream are told apart: auto, octet, line or nul"},
    {"input", "multi_line", NUMBER(struct input_config, framer.multi_line, value_flag),
     .initial = "no", .about = "a line that begins with no <PRI> belongs to the one before"},
    {"input", "max_message", NUMBER(struct input_config, framer.max_message, value_size),
     .rule = {.low = MESSAGE_MAX_LEAST, .high = MESSAGE_MAX_LIMIT}, .initial = "64KiB",
     .about = "octets of a message; what is longer is cut and flagged"},
    {"input", "allow", .set = set_allow, .fallback = "everybody",
     .about = "who may send: CIDR, CIDR, ..."},
    {"input", "max_connections", NUMBER(struct input_config, max_connections, value_number),
     .rule = {.low = 1, .high = CONNECTIONS_LIMIT}, .initial = "10000",
     .about = "connections open at once; more are refused"},
    {"input", "idle_timeout", NUMBER(struct input_config, idle_timeout_ms, value_time),
     .rule = {.high = IDLE_TIMEOUT_MAX_MS}, .initial = "0",
     .about = "close a connection that is silent for so long; 0: never"},
    {"input", "receive_buffer", NUMBER(struct input_config, receive_buffer, value_size),
     .rule = {.high = RECEIVE_BUFFER_MAX}, .fallback = "8MiB for udp, else 0",
     .about = "the system's buffer of the socket; 0: the system's default"},
    LATER("input", "rate", "messages a second from one source"),
    LATER("input", "burst", "messages above rate that are let through"),

    {"output", "to", .set = set_endpoint, AT(struct output_config, to), .kinds = OUTPUT_KINDS,
     .about = "file:PATH, stdout:, udp:HOST:PORT, tcp:HOST:PORT, unix:PATH, unix-dgram:PATH, "
              "null:"},
    {"output", "inputs", .set = set_inputs, .fallback = "all",
     .about = "names of the other side's inputs whose messages go here: a, b, ..."},
    {"output", "framing", NUMBER(struct output_config, framing, value_one_of),
     .rule = {.words = output_framing_words}, .initial = "line",
     .about = "how messages of a stream are told apart: line or octet"},
    {"output", "escape", NUMBER(struct output_config, escape, value_flag), .initial = "yes",
     .about = "with framing = line, write LF as #012 and NUL as #000"},
    {"output", "prefix", NUMBER(struct output_config, prefix, value_one_of),
     .rule = {.words = prefix_words}, .initial = "none",
     .about = "file and stdout: none, or source: \"192.0.2.7:40123 udp \" before each line"},
    LATER("output", "source", "the true source inside the message, or as the sender's address"),

    {"log", "level", NUMBER(struct config, log_level, value_one_of),
     .rule = {.words = level_words}, .initial = "info", .about = "error, warn, info or debug"},

    {"control", "path", .set = set_text, AT(struct config, control_path),
     .fallback = "the system's place for it", .about = "unix socket, or named pipe on Windows"},
};

const struct config_section *config_section_find(struct view name)
{
    for (size_t i = 0; i < CONFIG_SECTION_COUNT; i++) {
        if (view_is(name, config_sections[i].name))
            return &config_sections[i];
    }
    return NULL;
}

const struct config_key *config_key_find(const char *section, struct view key)
{
    for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
        if (strcmp(config_keys[i].section, section) == 0 && view_is(key, config_keys[i].key))
            return &config_keys[i];
    }
    return NULL;
}
