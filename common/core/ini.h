/* SPDX-License-Identifier: MIT */
/* ini.h - the grammar of the configuration, without knowing any section or key.
 *
 *     # a comment: a '#' at the start of a line or after white space, up to the end of the line
 *     [kind]
 *     [kind name]
 *     key = value
 *     key = "value"
 *
 * Blanks and tabs around each part mean nothing. Lines end with LF or CR LF; a UTF-8 byte order
 * mark at the start is passed over. Kinds and keys are letters, digits, '_' and '-'; names may
 * also have '.'. All are case-sensitive.
 *
 * A value goes up to the end of the line or its comment, and may be empty. A '#' without white
 * space before it belongs to the value. A value that begins with '"' goes up to the next '"',
 * and nothing but a comment may follow: so it can hold " #" and white space at its ends. There
 * are no escapes, since a backslash is part of Windows paths; so a quoted value cannot hold a
 * '"', and one that is not quoted can hold it anywhere but at its start. There are no
 * continuation lines.
 *
 * Octets from 0x80 on may stand in values and comments and are passed through. NUL and other
 * control octets but the tab are errors.
 *
 * Pure: a pull parser over a whole text in memory, which is borrowed for the parser's life and
 * into which all views point. No allocation. One thread for each parser.
 */
#ifndef HVLOG_CORE_INI_H
#define HVLOG_CORE_INI_H

#include <stdbool.h>
#include <stddef.h>

#include "record.h"
#include "view.h"

enum {
    INI_TEXT_MAX = 1024 * 1024, /* octets of a configuration */
    INI_LINE_MAX = 4096,        /* octets of a line without its end; holds the longest path */
    INI_KIND_MAX = 32,          /* octets of a section's kind */
    INI_NAME_MAX = INPUT_NAME_MAX, /* octets of a section's name: inputs and outputs bear it */
    INI_KEY_MAX = 32,              /* octets of a key */
};

enum ini_event_kind {
    INI_END = 0,
    INI_SECTION = 1,
    INI_PAIR = 2,
    INI_ERROR = 3,
};

struct ini_event {
    enum ini_event_kind kind;
    size_t line;           /* from 1 */
    struct view section;   /* SECTION and PAIR: the kind of the section that it stands in, */
    struct view name;      /* and the section's name; length 0 when it has none */
    struct view key;       /* PAIR */
    struct view value;     /* PAIR: without quotation marks */
    bool is_quoted;        /* PAIR: the value stood in quotation marks */
    const char *complaint; /* ERROR: one sentence without full stop; a constant */
};

/* The fields belong to ini.c. */
struct ini {
    struct view rest;
    size_t line;
    bool has_section; /* a header was seen, */
    bool is_lost;     /* and the last one was an error */
    struct view section;
    struct view name;
};

/* ini_init() - begin to parse <length> octets at <text> (may be NULL when <length> is 0). */
void ini_init(struct ini *p, const char *text, size_t length);

/* ini_next() - the next section header, pair or error; comments and empty lines are passed
 * over.
 *
 * After an error the parser goes on with the next line, so that all errors of a file can be
 * shown at once. Pairs below a header that was an error are checked but not given: nobody knows
 * where they belong. A text that is too large or UTF-16 gives one error and the end.
 *
 * Returns true and an event, or false at the end (<ret>.kind is INI_END, <ret>.line the last
 * line).
 */
bool ini_next(struct ini *p, struct ini_event *ret);

#endif
