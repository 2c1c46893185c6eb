/* SPDX-License-Identifier: MIT */
/* text.h - a text that grows, up to a limit, without looking at each step for an error.
 *
 * An append that fails changes nothing and leaves its error in the text; so does every append
 * after it. So a caller appends as much as it likes and looks once, at text_err(). What is
 * there always ends with a NUL. Pure memory; one thread at a time.
 */
#ifndef HVLOG_CORE_TEXT_H
#define HVLOG_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "printf_like.h"

/* <length> may be read; all else belongs to text.c. */
struct text {
    char *data;
    size_t length;
    size_t capacity; /* octets at <data>, the NUL's included */
    size_t limit;    /* octets without the NUL */
    int err;
    bool is_fixed; /* <data> is the caller's */
};

/* text_init() - an empty text that may grow to <limit_bytes> and a NUL. Allocates nothing. */
void text_init(struct text *t, size_t limit_bytes);

/* text_init_fixed() - the same in <size> octets of the caller's, of which the NUL takes one;
 * <size> is at least 1. <buffer> is borrowed for the text's life.
 */
void text_init_fixed(struct text *t, char *buffer, size_t size);

/* text_release() - free what was allocated. The text is void; another release does nothing. */
void text_release(struct text *t);

/* text_append() - <length> octets, NULs too. text_append_string() - up to the NUL.
 * text_appendf() - as printf.
 *
 * The errors are kept for text_err(): ERR_FULL when the limit or the buffer is reached,
 * ERR_NO_MEMORY, ERR_INVALID when printf could not convert.
 */
void text_append(struct text *t, const char *data, size_t length);
void text_append_string(struct text *t, const char *string);
void text_appendf(struct text *t, const char *format, ...) PRINTF_LIKE(2, 3);

/* text_err() - 0 or the first error. */
int text_err(const struct text *t);

/* text_string() - what was appended, with a NUL. Lives until the next append. Never NULL. */
const char *text_string(const struct text *t);

/* text_clear() - empty again, without the error; the memory stays for the next use. */
void text_clear(struct text *t);

#endif
