/* SPDX-License-Identifier: MIT */
/* ini.c - the grammar of the configuration.
 *
 * The parsing functions return NULL, or the complaint of the error event.
 */
#include "ini.h"

#include <string.h>

#include "ascii.h"

_Static_assert(INI_TEXT_MAX == 1024 * 1024 && INI_LINE_MAX == 4096 && INI_NAME_MAX == 32,
               "the complaints below name these limits");

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_word_char(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c) || c == '_' || c == '-';
}

static bool is_word(struct view v, const char *also)
{
    for (size_t i = 0; i < v.length; i++) {
        if (!is_word_char(v.text[i]) && (v.text[i] == '\0' || strchr(also, v.text[i]) == NULL))
            return false;
    }
    return true;
}

static bool begins_with(struct view v, const char *octets)
{
    size_t length = strlen(octets);
    return v.length >= length && memcmp(v.text, octets, length) == 0;
}

/* What may follow a closing ']' or '"': nothing, white space, a comment after white space. */
static bool is_tail(struct view v)
{
    struct view trimmed = view_trim(v);
    return trimmed.length == 0 || (is_blank(v.text[0]) && trimmed.text[0] == '#');
}

/* The next line without its end, taken from the rest. */
static struct view take_line(struct ini *p)
{
    size_t length = view_find(p->rest, '\n');
    struct view line = {.text = p->rest.text, .length = length};
    p->rest = view_from(p->rest, length < p->rest.length ? length + 1 : length);
    if (line.length > 0 && line.text[line.length - 1] == '\r')
        line.length--;
    p->line++;
    return line;
}

static bool has_control(struct view line)
{
    for (size_t i = 0; i < line.length; i++) {
        unsigned char c = (unsigned char)line.text[i];
        if ((c < 0x20 && c != '\t') || c == 0x7F)
            return true;
    }
    return false;
}

/* <line> begins with '['. */
static const char *parse_section(struct view line, struct ini_event *ev)
{
    size_t close = view_find(line, ']');
    if (close == line.length)
        return "the section's ']' is missing";
    if (!is_tail(view_from(line, close + 1)))
        return "there is text behind the section's ']'";

    struct view inside = view_trim((struct view){.text = line.text + 1, .length = close - 1});
    size_t length = 0;
    while (length < inside.length && !is_blank(inside.text[length]))
        length++;
    struct view kind = {.text = inside.text, .length = length};
    struct view name = view_trim(view_from(inside, length));

    if (kind.length == 0)
        return "the section has no kind between '[' and ']'";
    if (kind.length > INI_KIND_MAX)
        return "the section's kind is too long";
    if (!is_word(kind, ""))
        return "a section's kind is made of letters, digits, '_' and '-'";
    if (name.length > INI_NAME_MAX)
        return "the section's name is longer than 32 characters";
    if (!is_word(name, "."))
        return "a section's name is one word of letters, digits, '_', '-' and '.'";
    ev->kind = INI_SECTION;
    ev->section = kind;
    ev->name = name;
    return NULL;
}

/* <v> begins with '"'. */
static const char *parse_quoted(struct view v, struct ini_event *ev)
{
    struct view rest = view_from(v, 1);
    size_t close = view_find(rest, '"');
    if (close == rest.length)
        return "the closing quotation mark is missing";
    if (!is_tail(view_from(rest, close + 1)))
        return "there is text behind the closing quotation mark";
    ev->value = (struct view){.text = rest.text, .length = close};
    ev->is_quoted = true;
    return NULL;
}

/* <v> is all behind the '=': the white space there decides whether a '#' begins a comment. */
static const char *parse_value(struct view v, struct ini_event *ev)
{
    struct view trimmed = view_trim(v);
    if (trimmed.length > 0 && trimmed.text[0] == '"')
        return parse_quoted(trimmed, ev);

    size_t length = 0;
    while (length < v.length &&
           !(v.text[length] == '#' && length > 0 && is_blank(v.text[length - 1])))
        length++;
    ev->value = view_trim((struct view){.text = v.text, .length = length});
    ev->is_quoted = false;
    return NULL;
}

static const char *parse_pair(struct view line, struct ini_event *ev)
{
    if (line.text[0] == ';')
        return "a comment begins with '#', not with ';'";
    size_t equals = view_find(line, '=');
    if (equals == line.length)
        return "this is neither a [section] nor a setting: a setting is written key = value";

    struct view key = view_trim((struct view){.text = line.text, .length = equals});
    if (key.length == 0)
        return "the key before '=' is missing";
    if (key.length > INI_KEY_MAX)
        return "the key is too long";
    if (!is_word(key, ""))
        return "a key is made of letters, digits, '_' and '-'";
    ev->kind = INI_PAIR;
    ev->key = key;
    return parse_value(view_from(line, equals + 1), ev);
}

static bool is_header(struct view line)
{
    struct view trimmed = view_trim(line);
    return trimmed.length > 0 && trimmed.text[0] == '[';
}

static const char *parse_line(const struct ini *p, struct view line, struct ini_event *ev)
{
    if (line.length > INI_LINE_MAX)
        return "the line is longer than 4096 octets";
    if (has_control(line))
        return "the line holds a NUL or another control character";
    struct view trimmed = view_trim(line);
    if (trimmed.length == 0 || trimmed.text[0] == '#')
        return NULL;
    if (trimmed.text[0] == '[')
        return parse_section(trimmed, ev);
    if (!p->has_section)
        return "a setting must stand below a [section]";
    return parse_pair(trimmed, ev);
}

/* What makes it useless to look at single lines. */
static const char *refuse_text(struct view text)
{
    if (text.length > INI_TEXT_MAX)
        return "the file is larger than 1 MiB";
    if (begins_with(text, "\xFF\xFE") || begins_with(text, "\xFE\xFF"))
        return "the file is UTF-16: save it as UTF-8";
    return NULL;
}

void ini_init(struct ini *p, const char *text, size_t length)
{
    *p = (struct ini){.rest = {.text = text, .length = length}};
}

static void give_error(const struct ini *p, const char *complaint, struct ini_event *ret)
{
    *ret = (struct ini_event){.kind = INI_ERROR, .line = p->line, .complaint = complaint};
}

/* Ties the event to the section that it stands in. Returns false when that is not known. */
static bool place(struct ini *p, struct ini_event *ev)
{
    if (ev->kind == INI_SECTION) {
        p->section = ev->section;
        p->name = ev->name;
        p->is_lost = false;
    }
    ev->section = p->section;
    ev->name = p->name;
    ev->line = p->line;
    return !p->is_lost;
}

bool ini_next(struct ini *p, struct ini_event *ret)
{
    if (p->line == 0) {
        const char *complaint = refuse_text(p->rest);
        if (complaint != NULL) {
            p->rest.length = 0;
            p->line = 1;
            give_error(p, complaint, ret);
            return true;
        }
        if (begins_with(p->rest, "\xEF\xBB\xBF"))
            p->rest = view_from(p->rest, 3);
    }
    while (p->rest.length > 0) {
        struct ini_event ev = {.kind = INI_END};
        struct view line = take_line(p);
        p->has_section = p->has_section || is_header(line);
        const char *complaint = parse_line(p, line, &ev);
        if (complaint != NULL) {
            p->is_lost = p->is_lost || is_header(line);
            give_error(p, complaint, ret);
            return true;
        }
        if (ev.kind != INI_END && place(p, &ev)) {
            *ret = ev;
            return true;
        }
    }
    *ret = (struct ini_event){.kind = INI_END, .line = p->line};
    return false;
}
