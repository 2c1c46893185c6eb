/* SPDX-License-Identifier: MIT */
/* json_pick.c - prints values of the JSON on stdin: json_pick a.b.c..., a value a line, in
 * order.
 *
 * true and false are printed as such, a null as nothing. Exit status 1 if one is not there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_reader.h"

enum { TEXT_MAX = 1024 * 1024 };

/* The value at <path>, whose dots become ends of words. */
static const struct json_value *walk(const struct json_value *v, char *path)
{
    for (char *word = strtok(path, "."); word != NULL && v != NULL; word = strtok(NULL, "."))
        v = json_member(v, word);
    return v;
}

static void print(const struct json_value *v)
{
    switch (v->kind) {
    case JSON_NUMBER:
        printf("%llu\n", (unsigned long long)v->number);
        break;
    case JSON_BOOL:
        puts(v->number != 0 ? "true" : "false");
        break;
    case JSON_STRING:
        puts(v->text);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        printf("%zu\n", json_count(v));
        break;
    case JSON_NULL:
        puts("");
        break;
    }
}

int main(int argc, char **argv)
{
    static char text[TEXT_MAX];
    size_t length = fread(text, 1, sizeof(text) - 1, stdin);
    text[length] = '\0';
    struct json_value *all = json_read(text);
    if (all == NULL) {
        fprintf(stderr, "json_pick: no JSON: %.200s\n", text);
        return 1;
    }
    for (int i = 1; i < argc; i++) {
        const struct json_value *v = walk(all, argv[i]);
        if (v == NULL)
            return 1;
        print(v);
    }
    json_free(all);
    return 0;
}
