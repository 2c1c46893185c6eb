/* SPDX-License-Identifier: MIT */
/* config.h - the configuration both programs share: sections, keys, defaults, and their check.
 *
 * The grammar is core/ini.h, the names are fixed in the manual page hvlog.conf(5). Keys stand
 * in one table (config_keys.c), from which parsing, `help` and suggestions all come.
 */
#ifndef HVLOG_BRIDGE_CONFIG_H
#define HVLOG_BRIDGE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/address.h"
#include "common/core/endpoint.h"
#include "common/core/framer.h"
#include "common/core/record.h"
#include "common/core/text.h"
#include "common/core/uuid.h"
#include "common/core/wire.h"
#include "log.h"

enum {
    CONFIG_PATH_MAX = 1024,
    CONFIG_OUTPUTS_MAX = 32,
    CONFIG_ALLOW_MAX = 64,
    CONFIG_ERROR_MAX = 1536,    /* one line that may hold a path */
    CONFIG_COMPLAINTS_MAX = 20, /* lines about one file; the rest is only said to be there */
    CONFIG_COMPLAINTS_BYTES = (CONFIG_COMPLAINTS_MAX + 1) * CONFIG_ERROR_MAX,
};

struct input_config {
    char name[INPUT_NAME_MAX + 1];
    unsigned line; /* where its section begins, for messages */
    struct endpoint listen;
    struct framer_options framer;
    struct address_prefix allow[CONFIG_ALLOW_MAX];
    size_t allow_count; /* 0: everybody */
    uint32_t max_connections;
    uint32_t idle_timeout_ms; /* 0: none */
    uint32_t receive_buffer;  /* octets; 0: the system's default */
};

enum output_framing { OUTPUT_LINE = 0, OUTPUT_OCTET = 1 };
enum output_prefix { PREFIX_NONE = 0, PREFIX_SOURCE = 1 };

struct output_config {
    char name[INPUT_NAME_MAX + 1];
    unsigned line;
    struct endpoint to;
    char inputs[INPUT_COUNT_MAX][INPUT_NAME_MAX + 1];
    size_t input_count; /* 0: all */
    enum output_framing framing;
    bool escape;
    enum output_prefix prefix; /* "192.0.2.7:40123 udp " before each line of a file or stdout */
};

struct config {
    char file[CONFIG_PATH_MAX]; /* for messages; "built-in defaults" when there is none */
    bool is_builtin;            /* there is none */
    struct {
        char name[WIRE_NAME_MAX + 1];
        char state_dir[CONFIG_PATH_MAX];
        uint32_t drain_timeout_ms;
    } node;
    struct {
        struct endpoint address;
        enum wire_role role;
        bool vm_id_auto;
        struct uuid vm_id;
        char secret_file[CONFIG_PATH_MAX]; /* "" : none */
        uint32_t heartbeat_ms;
    } link;
    struct {
        uint64_t memory;
    } queue;
    struct input_config inputs[INPUT_COUNT_MAX];
    size_t input_count;
    struct output_config outputs[CONFIG_OUTPUTS_MAX];
    size_t output_count;
    enum log_level log_level;
    char control_path[CONFIG_PATH_MAX];
    bool control_path_is_default; /* nobody asked for this one */
};

/* What a program brings of its own. The functions append configuration text. */
struct config_program {
    const char *name; /* "agent", "relay" */

    /* What holds unless the file says otherwise, key by key; settings of named sections do not
     * belong here.
     */
    void (*defaults)(struct text *out);

    /* Inputs and outputs that hold only when there is no file at all. */
    void (*samples)(struct text *out);
};

/* config_load() - read <path>, or the program's default file when <path> is NULL (and the
 * built-in samples when that does not exist). Resolves what defaults depend on (host name,
 * state folder, control path). Blocks as the disk does.
 *
 * Returns 0 and a heap-allocated config (free with config_free()); ERR_NOT_FOUND, ERR_ACCESS,
 * ERR_INVALID, ERR_NO_MEMORY, ERR_IO with all that is wrong in <errors>, a line each, with its
 * LF: "FILE:LINE: what is wrong (did you mean ...?)".
 */
int config_load(const struct config_program *program, const char *path, struct config **ret,
                struct text *errors);

/* config_parse() - the same for <length> octets of text, named <file> in messages. Touches no
 * file: name, state_dir and control_path stay "" where nobody set them. For tests, fuzzing and
 * config_load(). ERR_INVALID, ERR_NO_MEMORY.
 */
int config_parse(const struct config_program *program, const char *file, const char *text,
                 size_t length, struct config **ret, struct text *errors);
void config_free(struct config *c);

/* config_secret() - read the shared secret: the file's octets without blanks and line ends
 * around them, at least CONFIG_SECRET_MIN of them. Returns 0 and the secret (free() it; length
 * 0 and NULL when none is configured); else one clear line in <error> and ERR_NOT_FOUND,
 * ERR_ACCESS, ERR_INVALID (too short or too long), ERR_NO_MEMORY, ERR_IO.
 */
enum { CONFIG_SECRET_MIN = 16, CONFIG_SECRET_MAX = 4096 };
int config_secret(const struct config *c, uint8_t **ret_secret, size_t *ret_length,
                  char error[CONFIG_ERROR_MAX]);

/* config_warnings() - append a line for each thing that works but should not be: a secret that
 * others can read, a configuration that moves nothing. Looks at files.
 */
void config_warnings(const struct config *c, struct text *warnings);

#endif
