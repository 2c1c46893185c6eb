/* SPDX-License-Identifier: MIT */
/* json.c - write JSON into a text. */
#include "json.h"

#include <inttypes.h>
#include <string.h>

#include "err.h"
#include "utf8.h"

/* What a level is, and what may come next in it. */
enum {
    LEVEL_OBJECT = 1 << 0,
    LEVEL_ARRAY = 1 << 1,
    LEVEL_USED = 1 << 2,  /* something stands in it: a comma before the next, nothing on top */
    LEVEL_KEYED = 1 << 3, /* a key was written, its value is due */
};

void json_init(struct json *j, struct text *out)
{
    *j = (struct json){.out = out};
}

static void fail(struct json *j, int err)
{
    if (j->err == 0)
        j->err = err;
}

/* What must stand before a value. Returns false when none may stand here. */
static bool begin_value(struct json *j)
{
    uint8_t *level = &j->level[j->depth];
    bool is_object = (*level & LEVEL_OBJECT) != 0;
    bool is_legal = is_object ? (*level & LEVEL_KEYED) != 0
                              : (*level & LEVEL_ARRAY) != 0 || (*level & LEVEL_USED) == 0;
    if (!is_legal)
        fail(j, ERR_INVALID);
    if (j->err != 0)
        return false;
    if ((*level & LEVEL_ARRAY) != 0 && (*level & LEVEL_USED) != 0)
        text_append(j->out, ",", 1);
    *level = (uint8_t)((*level & ~LEVEL_KEYED) | LEVEL_USED);
    return true;
}

static void begin_level(struct json *j, uint8_t kind, const char *bracket)
{
    if (!begin_value(j))
        return;
    if (j->depth == JSON_DEPTH_MAX) {
        fail(j, ERR_FULL);
        return;
    }
    j->level[++j->depth] = kind;
    text_append(j->out, bracket, 1);
}

static void end_level(struct json *j, uint8_t kind, const char *bracket)
{
    uint8_t level = j->level[j->depth];
    if ((level & kind) == 0 || (level & LEVEL_KEYED) != 0)
        fail(j, ERR_INVALID);
    if (j->err != 0)
        return;
    j->depth--;
    text_append(j->out, bracket, 1);
}

void json_object_begin(struct json *j)
{
    begin_level(j, LEVEL_OBJECT, "{");
}

void json_object_end(struct json *j)
{
    end_level(j, LEVEL_OBJECT, "}");
}

void json_array_begin(struct json *j)
{
    begin_level(j, LEVEL_ARRAY, "[");
}

void json_array_end(struct json *j)
{
    end_level(j, LEVEL_ARRAY, "]");
}

static bool is_plain(uint8_t c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

static void append_escaped(struct text *out, uint8_t c)
{
    static const char escapes[][3] = {"\"\"", "\\\\", "\bb", "\ff", "\nn", "\rr", "\tt"};
    for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
        if ((uint8_t)escapes[i][0] == c) {
            text_append(out, "\\", 1);
            text_append(out, &escapes[i][1], 1);
            return;
        }
    }
    text_appendf(out, "\\u%04x", (unsigned)c);
}

/* Runs that need no escape are appended in one piece. */
static void append_quoted(struct text *out, const char *data, size_t length)
{
    size_t done = 0, at = 0;
    text_append(out, "\"", 1);
    while (at < length) {
        uint8_t c = (uint8_t)data[at];
        size_t step = is_plain(c) ? 1
                      : c < 0x80  ? 0
                                  : utf8_length((const uint8_t *)data + at, length - at);
        if (step > 0) {
            at += step;
            continue;
        }
        text_append(out, data + done, at - done);
        append_escaped(out, c);
        done = ++at;
    }
    if (done < length)
        text_append(out, data + done, length - done);
    text_append(out, "\"", 1);
}

void json_key(struct json *j, const char *key)
{
    uint8_t *level = &j->level[j->depth];
    if ((*level & LEVEL_OBJECT) == 0 || (*level & LEVEL_KEYED) != 0)
        fail(j, ERR_INVALID);
    if (j->err != 0)
        return;
    if ((*level & LEVEL_USED) != 0)
        text_append(j->out, ",", 1);
    append_quoted(j->out, key, strlen(key));
    text_append(j->out, ":", 1);
    *level |= LEVEL_KEYED;
}

void json_string(struct json *j, const char *data, size_t length)
{
    if (begin_value(j))
        append_quoted(j->out, data, length);
}

void json_string_of(struct json *j, const char *string)
{
    json_string(j, string, strlen(string));
}

void json_uint(struct json *j, uint64_t value)
{
    if (begin_value(j))
        text_appendf(j->out, "%" PRIu64, value);
}

void json_bool(struct json *j, bool value)
{
    if (begin_value(j))
        text_append_string(j->out, value ? "true" : "false");
}

void json_null(struct json *j)
{
    if (begin_value(j))
        text_append_string(j->out, "null");
}

int json_finish(const struct json *j)
{
    if (j->err != 0)
        return j->err;
    if (text_err(j->out) != 0)
        return text_err(j->out);
    return j->depth == 0 && (j->level[0] & LEVEL_USED) != 0 ? 0 : ERR_INVALID;
}
