/* SPDX-License-Identifier: MIT */
/* json_reader.h - read a trusted JSON file into a tree, for tests only.
 *
 * No \u above 7F, numbers as unsigned integers: what tests/cases holds. Whatever is wrong with
 * the text ends in NULL.
 */
#ifndef HVLOG_TESTS_JSON_READER_H
#define HVLOG_TESTS_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_kind {
    JSON_NULL = 0,
    JSON_BOOL = 1,
    JSON_NUMBER = 2,
    JSON_STRING = 3,
    JSON_ARRAY = 4,
    JSON_OBJECT = 5,
};

/* Children of arrays and objects hang on <child> and, from there, on <next>. */
struct json_value {
    enum json_kind kind;
    uint64_t number; /* JSON_BOOL too: 0 or 1 */
    char *text;      /* JSON_STRING */
    char *name;      /* of a member of an object */
    struct json_value *child;
    struct json_value *next;
};

/* json_read() - the tree of a text; json_read_file() of a file. NULL if it is no JSON or cannot
 * be read. The caller gives it back to json_free(). */
struct json_value *json_read(const char *text);
struct json_value *json_read_file(const char *path);
void json_free(struct json_value *v);

/* json_member() - the member of an object, or NULL if it is not there. <object> may be NULL. */
const struct json_value *json_member(const struct json_value *object, const char *name);

/* json_count() - children of an array or object; 0 for NULL. */
size_t json_count(const struct json_value *v);

#endif
