/* SPDX-License-Identifier: MIT */
/* config_keys.h - every section and key of the configuration, as constant tables. */
#ifndef HVLOG_BRIDGE_CONFIG_KEYS_H
#define HVLOG_BRIDGE_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/reason.h"
#include "common/core/value.h"
#include "common/core/view.h"

struct config_section {
    const char *name;
    bool is_named; /* [input lan] */
    const char *about;
};

struct config_key;

/* Reads <value> into <base>: struct input_config for [input], struct output_config for
 * [output], struct config for all others. Returns 0 or ERR_INVALID with a reason.
 */
typedef int config_set_fn(const struct config_key *key, struct view value, void *base,
                          struct reason *why);

struct config_key {
    const char *section;
    const char *key;
    config_set_fn *set; /* NULL: comes with a later version */
    size_t offset;      /* in <base>, */
    size_t size;        /* of the member there */
    value_fn parse;     /* numbers and words */
    struct value_rule rule;
    uint32_t kinds;       /* endpoints: ENDPOINT_SET() of what may stand here */
    const char *initial;  /* the default as it would be written; NULL: none */
    const char *fallback; /* instead of <initial>: the default in words, NULL: it must be set */
    const char *about;    /* one line for help */
};

/* The tables end without a mark; a wrong count does not compile. */
enum { CONFIG_SECTION_COUNT = 7, CONFIG_KEY_COUNT = 30 };
extern const struct config_section config_sections[CONFIG_SECTION_COUNT];
extern const struct config_key config_keys[CONFIG_KEY_COUNT];

/* config_section_find(), config_key_find() - NULL when there is none. */
const struct config_section *config_section_find(struct view name);
const struct config_key *config_key_find(const char *section, struct view key);

#endif
