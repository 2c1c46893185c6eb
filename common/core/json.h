/* SPDX-License-Identifier: MIT */
/* json.h - write JSON (RFC 8259) into a text, without white space.
 *
 *     struct json j;
 *     json_init(&j, &text);
 *     json_object_begin(&j);
 *     json_key(&j, "received");
 *     json_uint(&j, 7);
 *     json_object_end(&j);
 *     r = json_finish(&j);
 *
 * Errors are kept until json_finish(), like those of text.h; so are mistakes of the caller: a
 * key outside of an object, a value without a key in one, an end that does not belong to the
 * innermost begin, a second value on top. What would follow a mistake is not written. There are
 * no fractions: counters and times are whole numbers. Pure; one thread at a time.
 */
#ifndef HVLOG_CORE_JSON_H
#define HVLOG_CORE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

enum { JSON_DEPTH_MAX = 16 }; /* objects and arrays within each other */

/* The fields belong to json.c. */
struct json {
    struct text *out;
    int err;
    unsigned depth;
    uint8_t level[JSON_DEPTH_MAX + 1]; /* [0] is the top */
};

/* json_init() - append one value to <out>, which is borrowed until json_finish(). */
void json_init(struct json *j, struct text *out);

void json_object_begin(struct json *j);
void json_object_end(struct json *j);
void json_array_begin(struct json *j);
void json_array_end(struct json *j);

/* json_key() - the name of the next value of an object. Names are not checked for doubles. */
void json_key(struct json *j, const char *key);

/* json_string() - <length> octets. Octets that are not UTF-8 are written as \u00XX, each for
 * itself: the result is always valid, shows every octet, and says of \u0080 to \u00ff nothing
 * certain. Control characters, DEL, '"' and '\' are escaped.
 * json_string_of() - the same up to the NUL.
 */
void json_string(struct json *j, const char *data, size_t length);
void json_string_of(struct json *j, const char *string);
void json_uint(struct json *j, uint64_t value);
void json_bool(struct json *j, bool value);
void json_null(struct json *j);

/* json_finish() - whether a whole value was written.
 *
 * Returns 0; ERR_INVALID: the caller's mistake, or something is still open; ERR_FULL: deeper
 * than JSON_DEPTH_MAX, or the text's limit; ERR_NO_MEMORY.
 */
int json_finish(const struct json *j);

#endif
