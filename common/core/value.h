/* SPDX-License-Identifier: MIT */
/* value.h - the values of settings: text to numbers, with a reason when it is none.
 *
 * All parsers of numbers have one signature, so that a static table of keys can name the parser
 * and its rule beside section, key and offset:
 *
 *     {"queue", "memory", offsetof(struct config, queue.memory), value_size,
 *      {.low = 1 << 20, .high = 1 << 30}},
 *
 * They take the text without white space at its ends (what ini.h gives), write <ret> only on
 * success and return 0 or ERR_INVALID with the reason (reason.h; <why> may be NULL). Nothing
 * overflows, whatever the digits. Pure; any thread.
 */
#ifndef HVLOG_CORE_VALUE_H
#define HVLOG_CORE_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "reason.h"
#include "view.h"

struct value_word {
    const char *name;
    uint64_t value;
};

/* What is allowed. A NULL rule allows all that the parser can read. */
struct value_rule {
    uint64_t low, high;             /* the bounds belong to the range; high 0: no upper bound */
    const struct value_word *words; /* value_one_of() only: ends with a NULL name */
};

typedef int (*value_fn)(struct view text, const struct value_rule *rule, uint64_t *ret,
                        struct reason *why);

/* value_number() - a whole number: decimal digits, no sign. */
int value_number(struct view text, const struct value_rule *rule, uint64_t *ret,
                 struct reason *why);

/* value_size() - a number and B, KiB, MiB or GiB, to bytes: "64KiB", "1 GiB", "0".
 *
 * A unit is needed with any number but 0. K, KB, MB and their like are refused with a hint,
 * since they mean one thing to one reader and another to the next.
 */
int value_size(struct view text, const struct value_rule *rule, uint64_t *ret,
               struct reason *why);

/* value_time() - a number and ms, s, min or h, to milliseconds: "500ms", "2 s", "0". */
int value_time(struct view text, const struct value_rule *rule, uint64_t *ret,
               struct reason *why);

/* value_rate() - "1000/s", to a number a second. */
int value_rate(struct view text, const struct value_rule *rule, uint64_t *ret,
               struct reason *why);

/* value_flag() - yes, true or on to 1; no, false or off to 0. The rule is not looked at. */
int value_flag(struct view text, const struct value_rule *rule, uint64_t *ret,
               struct reason *why);

/* value_one_of() - one of <rule>->words to its value. <rule> must be given. */
int value_one_of(struct view text, const struct value_rule *rule, uint64_t *ret,
                 struct reason *why);

/* value_list_next() - the next item of a list such as "a, b, c", without white space around it.
 *
 * Begin with <rest> as the whole value. Takes the item off <rest>. An item that is empty (two
 * commas, a comma at an end, an empty list) is an error.
 *
 * Returns 1 and an item; 0 at the end; ERR_INVALID.
 */
int value_list_next(struct view *rest, struct view *ret, struct reason *why);

/* value_text() - copy a text into <size> octets at <ret>, with a NUL.
 *
 * Returns 0, or ERR_INVALID when it is too long, empty, or holds control octets.
 */
int value_text(struct view text, char *ret, size_t size, struct reason *why);

#endif
