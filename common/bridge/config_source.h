/* SPDX-License-Identifier: MIT */
/* config_source.h - where each setting stands in its file, and what is wrong there. Between
 * config.c and config_check.c.
 *
 * One thread; lives while a text is parsed.
 */
#ifndef HVLOG_BRIDGE_CONFIG_SOURCE_H
#define HVLOG_BRIDGE_CONFIG_SOURCE_H

#include "config.h"
#include "config_keys.h"

enum { CONFIG_PLACES_MAX = CONFIG_SECTION_COUNT + INPUT_COUNT_MAX + CONFIG_OUTPUTS_MAX };

/* A section that was seen. */
struct config_place {
    const struct config_section *section;
    struct view name;
    unsigned line;
    unsigned key_lines[CONFIG_KEY_COUNT]; /* 0: not set here */
    void *base;                           /* see config_set_fn */
};

struct config_source {
    const char *file;
    struct config *config;
    struct text *errors;
    unsigned complaints;
    struct config_place places[CONFIG_PLACES_MAX];
    size_t place_count;
    struct config_place *place; /* the one being read; NULL: its settings are passed over */
};

/* config_complain() - append "FILE:LINE: ..." (line 0: "FILE: ...") and count it. */
void config_complain(struct config_source *s, unsigned line, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* config_line() - the line of <key> in the section of <base>; of the section if the key is not
 * set; 0 if neither stands in the file.
 * config_has() - is the key set, rightly or not?
 */
unsigned config_line(const struct config_source *s, const void *base, const char *section,
                     const char *key);
bool config_has(const struct config_source *s, const void *base, const char *section,
                const char *key);

/* config_check() - complain about what no single setting shows. */
void config_check(struct config_source *s);

#endif
