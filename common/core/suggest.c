/* SPDX-License-Identifier: MIT */
/* suggest.c - the known name that somebody probably meant. */
#include "suggest.h"

#include "ascii.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Damerau and Levenshtein's distance, in the form where no part is changed twice (optimal
 * string alignment): three rows of the table are enough. Both lengths are at most
 * SUGGEST_WORD_MAX.
 */
static size_t distance(struct view a, struct view b)
{
    size_t rows[3][SUGGEST_WORD_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];

    for (size_t j = 0; j <= b.length; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= a.length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b.length; j++) {
            char ca = ascii_lower(a.text[i - 1]), cb = ascii_lower(b.text[j - 1]);
            size_t d = last[j - 1] + (ca == cb ? 0 : 1);
            d = least(d, least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && ca == ascii_lower(b.text[j - 2]) &&
                ascii_lower(a.text[i - 2]) == cb)
                d = least(d, before[j - 2] + 1);
            row[j] = d;
        }
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[b.length];
}

static bool is_helpful(size_t slips, size_t length)
{
    size_t allowed = length / 3 > 1 ? length / 3 : 1;
    return slips <= allowed && slips * 2 <= length;
}

void suggest_init(struct suggest *s, struct view word)
{
    *s = (struct suggest){.word = word};
}

void suggest_offer(struct suggest *s, const char *name)
{
    struct view v = view_of(name);
    if (s->word.length == 0 || s->word.length > SUGGEST_WORD_MAX || v.length > SUGGEST_WORD_MAX)
        return;
    size_t slips = distance(s->word, v);
    if (is_helpful(slips, v.length) && (s->nearest == NULL || slips < s->distance)) {
        s->nearest = name;
        s->distance = slips;
    }
}

const char *suggest_nearest(const struct suggest *s)
{
    return s->nearest;
}
