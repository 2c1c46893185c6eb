/* SPDX-License-Identifier: MIT */
/* text.c - a text that grows, up to a limit. */
#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"

enum { TEXT_FIRST_BYTES = 256 }; /* the first allocation; each further one doubles */

void text_init(struct text *t, size_t limit_bytes)
{
    *t = (struct text){.limit = limit_bytes};
}

void text_init_fixed(struct text *t, char *buffer, size_t size)
{
    *t = (struct text){.data = buffer, .capacity = size, .limit = size - 1, .is_fixed = true};
    buffer[0] = '\0';
}

void text_release(struct text *t)
{
    if (!t->is_fixed)
        free(t->data);
    *t = (struct text){.data = NULL};
}

static size_t grown_capacity(const struct text *t, size_t needed)
{
    size_t capacity = t->capacity > 0 ? t->capacity : TEXT_FIRST_BYTES;
    while (capacity < needed)
        capacity = capacity > SIZE_MAX / 2 ? needed : capacity * 2;
    return capacity;
}

/* Makes room for <more> octets and the NUL, or sets the error. */
static bool reserve(struct text *t, size_t more)
{
    if (t->err != 0)
        return false;
    if (more > t->limit - t->length) {
        t->err = ERR_FULL;
        return false;
    }
    size_t needed = t->length + more + 1;
    if (needed <= t->capacity)
        return true;

    /* A fixed buffer has its limit's room, so this one is ours. */
    size_t capacity = grown_capacity(t, needed);
    char *data = realloc(t->data, capacity);
    if (data == NULL) {
        t->err = ERR_NO_MEMORY;
        return false;
    }
    t->data = data;
    t->capacity = capacity;
    return true;
}

void text_append(struct text *t, const char *data, size_t length)
{
    if (!reserve(t, length))
        return;
    if (length > 0)
        memcpy(t->data + t->length, data, length);
    t->length += length;
    t->data[t->length] = '\0';
}

void text_append_string(struct text *t, const char *string)
{
    text_append(t, string, strlen(string));
}

void text_appendf(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);

    if (length < 0) {
        if (t->err == 0)
            t->err = ERR_INVALID;
        return;
    }
    if (!reserve(t, (size_t)length))
        return;
    va_start(args, format);
    (void)vsnprintf(t->data + t->length, (size_t)length + 1, format, args);
    va_end(args);
    t->length += (size_t)length;
}

int text_err(const struct text *t)
{
    return t->err;
}

const char *text_string(const struct text *t)
{
    return t->data != NULL ? t->data : "";
}

void text_clear(struct text *t)
{
    t->length = 0;
    t->err = 0;
    if (t->data != NULL)
        t->data[0] = '\0';
}
