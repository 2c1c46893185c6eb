/* SPDX-License-Identifier: MIT */
/* value.c - the values of settings. */
#include "value.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "ascii.h"
#include "err.h"
#include "suggest.h"

enum { BOUND_TEXT_MAX = 32 };

struct unit {
    const char *name;
    uint64_t factor;
};

/* A unit that people write, and the one that we want of them. */
struct alias {
    const char *wrong; /* compared without case */
    const char *right;
};

/* A kind of number: everything in which sizes, times, rates and plain numbers differ. */
struct scale {
    const char *complaint;
    const struct unit *units; /* ascending factors, ends with a NULL name */
    const struct alias *aliases;
};

static const struct alias no_aliases[] = {{NULL, NULL}};

static const struct unit number_units[] = {{"", 1}, {NULL, 0}};
static const struct scale number_scale = {"is not a whole number", number_units, no_aliases};

static const struct unit size_units[] = {
    {"B", 1}, {"KiB", 1024}, {"MiB", UINT64_C(1) << 20}, {"GiB", UINT64_C(1) << 30}, {NULL, 0},
};
static const struct alias size_aliases[] = {
    {"k", "KiB"}, {"kb", "KiB"}, {"kib", "KiB"}, {"m", "MiB"}, {"mb", "MiB"}, {"mib", "MiB"},
    {"g", "GiB"}, {"gb", "GiB"}, {"gib", "GiB"}, {"b", "B"},   {"byte", "B"}, {"bytes", "B"},
    {"t", "GiB"}, {"tb", "GiB"}, {"tib", "GiB"}, {NULL, NULL},
};
static const struct scale size_scale = {"is not a size: write a number and B, KiB, MiB or GiB",
                                        size_units, size_aliases};

static const struct unit time_units[] = {
    {"ms", 1}, {"s", 1000}, {"min", 60000}, {"h", 3600000}, {NULL, 0},
};
static const struct alias time_aliases[] = {
    {"us", "ms"},      {"ms", "ms"},       {"msec", "ms"}, {"s", "s"},     {"sec", "s"},
    {"second", "s"},   {"seconds", "s"},   {"m", "min"},   {"min", "min"}, {"mins", "min"},
    {"minute", "min"}, {"minutes", "min"}, {"h", "h"},     {"hr", "h"},    {"hour", "h"},
    {"hours", "h"},    {"d", "h"},         {"day", "h"},   {"days", "h"},  {NULL, NULL},
};
static const struct scale time_scale = {"is not a time: write a number and ms, s, min or h",
                                        time_units, time_aliases};

static const struct unit rate_units[] = {{"/s", 1}, {NULL, 0}};
static const struct alias rate_aliases[] = {
    {"", "/s"}, {"/sec", "/s"}, {"/second", "/s"}, {"/min", "/s"}, {"/h", "/s"}, {NULL, NULL},
};
static const struct scale rate_scale = {"is not a rate: write a number and /s, such as 1000/s",
                                        rate_units, rate_aliases};

/* The shortest text that the parser reads as <value>: "64KiB", "1500ms". BOUND_TEXT_MAX octets
 * are always enough.
 */
static char *scale_format(const struct scale *scale, uint64_t value, char *text, size_t size)
{
    const struct unit *best = scale->units;
    for (const struct unit *unit = scale->units; value != 0 && unit->name != NULL; unit++) {
        if (value % unit->factor == 0)
            best = unit;
    }
    (void)snprintf(text, size, "%" PRIu64 "%s", value / best->factor, best->name);
    return text;
}

/* Takes the digits off <text>. Returns false when there are none; <ret_fits> says whether the
 * number fits.
 */
static bool take_digits(struct view *text, uint64_t *ret, bool *ret_fits)
{
    uint64_t n = 0;
    bool fits = true;
    size_t i = 0;
    for (; i < text->length && ascii_is_digit(text->text[i]); i++) {
        uint64_t digit = (uint64_t)(text->text[i] - '0');
        fits = fits && n <= (UINT64_MAX - digit) / 10;
        n = fits ? n * 10 + digit : n;
    }
    if (i == 0)
        return false;
    *text = view_from(*text, i);
    *ret = n;
    *ret_fits = fits;
    return true;
}

static bool is_same_word(struct view v, const char *lower_case)
{
    size_t i = 0;
    while (i < v.length && lower_case[i] != '\0' && ascii_lower(v.text[i]) == lower_case[i])
        i++;
    return i == v.length && lower_case[i] == '\0';
}

static const struct unit *find_unit(const struct scale *scale, struct view name)
{
    for (const struct unit *unit = scale->units; unit->name != NULL; unit++) {
        if (view_is(name, unit->name))
            return unit;
    }
    return NULL;
}

static int refuse_unit(const struct scale *scale, struct view name, struct reason *why)
{
    for (const struct alias *alias = scale->aliases; alias->wrong != NULL; alias++) {
        if (is_same_word(name, alias->wrong))
            return reason_set(why, "%s (use %s)", scale->complaint, alias->right);
    }
    return reason_set(why, "%s", scale->complaint);
}

static int check_range(const struct scale *scale, const struct value_rule *rule, uint64_t value,
                       struct reason *why)
{
    char bound[BOUND_TEXT_MAX];
    if (rule != NULL && value < rule->low)
        return reason_set(why, "is too little: the least is %s",
                          scale_format(scale, rule->low, bound, sizeof(bound)));
    if (rule != NULL && rule->high != 0 && value > rule->high)
        return reason_set(why, "is too much: the most is %s",
                          scale_format(scale, rule->high, bound, sizeof(bound)));
    return 0;
}

static int parse_scaled(const struct scale *scale, struct view text,
                        const struct value_rule *rule, uint64_t *ret, struct reason *why)
{
    uint64_t n;
    bool fits;
    if (!take_digits(&text, &n, &fits))
        return reason_set(why, "%s", scale->complaint);

    /* Zero is the same in every unit. */
    struct view name = view_trim(text);
    bool is_bare_zero = fits && n == 0 && text.length == 0;
    const struct unit *unit = is_bare_zero ? scale->units : find_unit(scale, name);
    if (unit == NULL)
        return refuse_unit(scale, name, why);

    fits = fits && n <= UINT64_MAX / unit->factor;
    uint64_t value = fits ? n * unit->factor : UINT64_MAX;
    int r = check_range(scale, rule, value, why);
    if (r < 0)
        return r;
    if (!fits)
        return reason_set(why, "is too large a number");
    *ret = value;
    return 0;
}

int value_number(struct view text, const struct value_rule *rule, uint64_t *ret,
                 struct reason *why)
{
    return parse_scaled(&number_scale, text, rule, ret, why);
}

int value_size(struct view text, const struct value_rule *rule, uint64_t *ret,
               struct reason *why)
{
    return parse_scaled(&size_scale, text, rule, ret, why);
}

int value_time(struct view text, const struct value_rule *rule, uint64_t *ret,
               struct reason *why)
{
    return parse_scaled(&time_scale, text, rule, ret, why);
}

int value_rate(struct view text, const struct value_rule *rule, uint64_t *ret,
               struct reason *why)
{
    return parse_scaled(&rate_scale, text, rule, ret, why);
}

int value_flag(struct view text, const struct value_rule *rule, uint64_t *ret,
               struct reason *why)
{
    static const struct value_word words[] = {
        {"yes", 1}, {"true", 1}, {"on", 1}, {"no", 0}, {"false", 0}, {"off", 0}, {NULL, 0},
    };
    (void)rule;
    for (const struct value_word *word = words; word->name != NULL; word++) {
        if (is_same_word(text, word->name)) {
            *ret = word->value;
            return 0;
        }
    }
    return reason_set(why, "is neither yes nor no");
}

/* "auto, octet, line or nul", as far as it fits. */
static void list_words(const struct value_word *words, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; words[i].name != NULL && used < size; i++) {
        const char *joint = i == 0 ? "" : words[i + 1].name != NULL ? ", " : " or ";
        int n = snprintf(text + used, size - used, "%s%s", joint, words[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
}

int value_one_of(struct view text, const struct value_rule *rule, uint64_t *ret,
                 struct reason *why)
{
    struct suggest suggest;
    suggest_init(&suggest, text);
    for (const struct value_word *word = rule->words; word->name != NULL; word++) {
        if (view_is(text, word->name)) {
            *ret = word->value;
            return 0;
        }
        suggest_offer(&suggest, word->name);
    }
    char words[REASON_TEXT_MAX / 2];
    list_words(rule->words, words, sizeof(words));
    const char *nearest = suggest_nearest(&suggest);
    return reason_set(why, "is not one of %s%s%s%s", words,
                      nearest != NULL ? " (did you mean " : "", nearest != NULL ? nearest : "",
                      nearest != NULL ? "?)" : "");
}

int value_list_next(struct view *rest, struct view *ret, struct reason *why)
{
    if (rest->text == NULL)
        return 0;
    size_t comma = view_find(*rest, ',');
    struct view item = view_trim((struct view){.text = rest->text, .length = comma});
    if (item.length == 0)
        return reason_set(why, "lacks an item: write a, b, c");
    *ret = item;
    *rest = comma < rest->length ? view_from(*rest, comma + 1) : (struct view){.text = NULL};
    return 1;
}

int value_text(struct view text, char *ret, size_t size, struct reason *why)
{
    if (text.length == 0)
        return reason_set(why, "must not be empty");
    if (text.length >= size)
        return reason_set(why, "is longer than %zu octets", size - 1);
    if (view_has_control(text))
        return reason_set(why, "holds a control character");
    memcpy(ret, text.text, text.length);
    ret[text.length] = '\0';
    return 0;
}
