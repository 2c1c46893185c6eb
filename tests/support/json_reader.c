/* SPDX-License-Identifier: MIT */
/* json_reader.c - read a trusted JSON file into a tree, for tests only. */
#include "json_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_DEPTH_MAX = 32 };

static struct json_value *read_value(const char **at, int depth);

static void skip_space(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

static bool take(const char **at, const char *word)
{
    size_t n = strlen(word);

    skip_space(at);
    if (strncmp(*at, word, n) != 0)
        return false;
    *at += n;
    return true;
}

static char unescaped(const char **at)
{
    char c = *(*at)++;

    switch (c) {
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'u': {
        char digits[5] = "";
        unsigned long code;
        strncpy(digits, *at, 4);
        code = strtoul(digits, NULL, 16);
        *at += strlen(digits);
        return code < 0x80 ? (char)code : '\0';
    }
    default:
        return c == '"' || c == '\\' || c == '/' ? c : '\0';
    }
}

/* The text behind an opening quote; NULL if it does not end or holds what is not supported. */
static char *read_text(const char **at)
{
    const char *end = *at;
    char *text;
    size_t n = 0;

    while (*end != '\0' && *end != '"')
        end += *end == '\\' && end[1] != '\0' ? 2 : 1;
    text = malloc((size_t)(end - *at) + 1);
    if (text == NULL)
        return NULL;
    while (**at != '\0' && **at != '"') {
        char c = *(*at)++;
        text[n] = c == '\\' ? unescaped(at) : c;
        if (text[n++] == '\0')
            break;
    }
    text[n] = '\0';
    if (strlen(text) != n || !take(at, "\"")) {
        free(text);
        return NULL;
    }
    return text;
}

static bool read_children(const char **at, struct json_value *parent, int depth)
{
    const char *close = parent->kind == JSON_ARRAY ? "]" : "}";
    struct json_value **link = &parent->child;

    if (depth > JSON_DEPTH_MAX)
        return false;
    if (take(at, close))
        return true;
    do {
        char *name = NULL;
        if (parent->kind == JSON_OBJECT) {
            if (!take(at, "\"") || (name = read_text(at)) == NULL)
                return false;
            if (!take(at, ":")) {
                free(name);
                return false;
            }
        }
        *link = read_value(at, depth);
        if (*link == NULL) {
            free(name);
            return false;
        }
        (*link)->name = name;
        link = &(*link)->next;
    } while (take(at, ","));
    return take(at, close);
}

static bool fill(struct json_value *v, const char **at, int depth)
{
    if (take(at, "null"))
        return true;
    if (take(at, "true") || take(at, "false")) {
        v->kind = JSON_BOOL;
        v->number = (*at)[-2] == 'u'; /* of "true" */
        return true;
    }
    if (take(at, "\"")) {
        v->kind = JSON_STRING;
        v->text = read_text(at);
        return v->text != NULL;
    }
    if (take(at, "[")) {
        v->kind = JSON_ARRAY;
        return read_children(at, v, depth + 1);
    }
    if (take(at, "{")) {
        v->kind = JSON_OBJECT;
        return read_children(at, v, depth + 1);
    }
    if (**at >= '0' && **at <= '9') {
        char *end;
        v->kind = JSON_NUMBER;
        v->number = strtoull(*at, &end, 10);
        *at = end;
        return true;
    }
    return false;
}

static struct json_value *read_value(const char **at, int depth)
{
    struct json_value *v = calloc(1, sizeof(*v));

    if (v != NULL && !fill(v, at, depth)) {
        json_free(v);
        v = NULL;
    }
    return v;
}

struct json_value *json_read(const char *text)
{
    struct json_value *v = read_value(&text, 0);

    skip_space(&text);
    if (*text != '\0') {
        json_free(v);
        return NULL;
    }
    return v;
}

struct json_value *json_read_file(const char *path)
{
    struct json_value *v = NULL;
    char *text = NULL;
    long size;
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (text = calloc(1, (size_t)size + 1)) != NULL &&
        fread(text, 1, (size_t)size, file) == (size_t)size)
        v = json_read(text);
    free(text);
    fclose(file);
    return v;
}

void json_free(struct json_value *v)
{
    while (v != NULL) {
        struct json_value *next = v->next;
        json_free(v->child);
        free(v->text);
        free(v->name);
        free(v);
        v = next;
    }
}

const struct json_value *json_member(const struct json_value *object, const char *name)
{
    if (object == NULL || object->kind != JSON_OBJECT)
        return NULL;
    for (const struct json_value *v = object->child; v != NULL; v = v->next)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

size_t json_count(const struct json_value *v)
{
    size_t n = 0;

    if (v == NULL)
        return 0;
    for (const struct json_value *child = v->child; child != NULL; child = child->next)
        n++;
    return n;
}
