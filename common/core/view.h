/* SPDX-License-Identifier: MIT */
/* view.h - some octets of text that belong to somebody else.
 *
 * Not terminated by NUL: print it with "%.*s", (int)v.length, v.text. It lives as long as the
 * text that it points into.
 */
#ifndef HVLOG_CORE_VIEW_H
#define HVLOG_CORE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct view {
    const char *text;
    size_t length;
};

static inline struct view view_of(const char *string)
{
    return (struct view){.text = string, .length = strlen(string)};
}

/* view_from() - <v> without its first <offset> octets, of which it must have so many. */
static inline struct view view_from(struct view v, size_t offset)
{
    return (struct view){.text = v.text + offset, .length = v.length - offset};
}

static inline bool view_is(struct view v, const char *string)
{
    return v.length == strlen(string) &&
           (v.length == 0 || memcmp(v.text, string, v.length) == 0);
}

/* view_find() - where <c> first stands in <v>, or v.length. */
static inline size_t view_find(struct view v, char c)
{
    const char *at = v.length > 0 ? memchr(v.text, c, v.length) : NULL;
    return at != NULL ? (size_t)(at - v.text) : v.length;
}

static inline bool view_has_control(struct view v)
{
    for (size_t i = 0; i < v.length; i++) {
        unsigned char c = (unsigned char)v.text[i];
        if (c < 0x20 || c == 0x7F)
            return true;
    }
    return false;
}

/* view_trim() - <v> without the blanks and tabs at both ends. */
static inline struct view view_trim(struct view v)
{
    while (v.length > 0 && (v.text[0] == ' ' || v.text[0] == '\t'))
        v = view_from(v, 1);
    while (v.length > 0 && (v.text[v.length - 1] == ' ' || v.text[v.length - 1] == '\t'))
        v.length--;
    return v;
}

#endif
