/* SPDX-License-Identifier: MIT */
/* ini_fuzz.c - any octets as a configuration, and each of its values in every parser.
 *
 * What is asserted: all views lie in the text; what was read can be written and is read again
 * as the same; what a parser takes is, in its smallest unit, taken for the same
 * again; a parser that refuses gives a reason.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/address.h"
#include "common/core/endpoint.h"
#include "common/core/err.h"
#include "common/core/ini.h"
#include "common/core/json.h"
#include "common/core/suggest.h"
#include "common/core/text.h"
#include "common/core/uuid.h"
#include "common/core/value.h"

enum { NUMBER_TEXT_MAX = 32 };

static void require(bool truth)
{
    if (!truth)
        abort();
}

static bool is_same(struct view a, struct view b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.text, b.text, a.length) == 0);
}

static void check_reason(int r, const struct reason *why)
{
    require(r == ERR_INVALID);
    require(why->text[0] != '\0' && memchr(why->text, '\0', sizeof(why->text)) != NULL);
    require(!view_has_control(view_of(why->text)));
}

/* Through a parser and, written with its smallest unit (NULL: words, not numbers), through the
 * parser again.
 */
static void check_number(value_fn parse, const struct value_rule *rule, const char *unit,
                         struct view value)
{
    uint64_t first, second;
    struct reason why = {""};
    char text[NUMBER_TEXT_MAX];
    int r = parse(value, rule, &first, &why);
    if (r < 0) {
        check_reason(r, &why);
        return;
    }
    require(rule == NULL || rule->words != NULL ||
            (first >= rule->low && (rule->high == 0 || first <= rule->high)));
    if (unit != NULL) {
        (void)snprintf(text, sizeof(text), "%" PRIu64 "%s", first, unit);
        require(parse(view_of(text), rule, &second, NULL) == 0 && second == first);
    }
}

static void check_numbers(struct view value)
{
    static const struct value_word words[] = {
        {"error", 0}, {"warn", 1}, {"info", 2}, {NULL, 0}};
    static const struct value_rule word_rule = {.words = words};
    static const struct value_rule rule = {.low = 10, .high = 1000000};
    check_number(value_size, NULL, "B", value);
    check_number(value_size, &rule, "B", value);
    check_number(value_time, NULL, "ms", value);
    check_number(value_time, &rule, "ms", value);
    check_number(value_number, &rule, "", value);
    check_number(value_rate, &rule, "/s", value);
    check_number(value_flag, NULL, NULL, value);
    check_number(value_one_of, &word_rule, NULL, value);
}

static void check_address(struct view value)
{
    struct address first, second;
    char text[ADDRESS_TEXT_MAX];
    if (address_parse_ip(value.text, value.length, &first) != 0)
        return;
    address_format_ip(&first, text, sizeof(text));
    require(address_parse_ip(text, strlen(text), &second) == 0);
    require(address_is_equal(&first, &second));
}

static void check_prefix(struct view value)
{
    struct address_prefix prefix;
    struct address inside;
    if (address_prefix_parse(value.text, value.length, &prefix) != 0)
        return;
    require(prefix.bits <= (prefix.family == ADDRESS_IPV4 ? 32 : 128));
    address_init(&inside, (enum address_family)prefix.family, prefix.ip, 0);
    /* A short IPv6 prefix can hold the mapped range, whose addresses are IPv4 by then. */
    if (inside.family == prefix.family)
        require(address_prefix_has(&prefix, &inside));
}

static void check_endpoint(struct view value)
{
    struct endpoint first, second;
    struct reason why = {""};
    char text[ENDPOINT_TEXT_MAX], again[ENDPOINT_TEXT_MAX];
    int r = endpoint_parse(value, ENDPOINT_SET_ALL, &first, &why);
    if (r < 0) {
        check_reason(r, &why);
        return;
    }
    endpoint_format(&first, text, sizeof(text));
    require(endpoint_parse(view_of(text), ENDPOINT_SET_ALL, &second, &why) == 0);
    require(first.kind == second.kind && first.host_kind == second.host_kind &&
            first.port == second.port && first.cid == second.cid &&
            strcmp(first.host, second.host) == 0 && strcmp(first.path, second.path) == 0 &&
            address_is_equal(&first.address, &second.address));
    require(strcmp(endpoint_format(&second, again, sizeof(again)), text) == 0);

    /* Without its kind in the set it is refused. */
    r = endpoint_parse(value, ~ENDPOINT_SET(first.kind), &second, &why);
    check_reason(r, &why);
    r = endpoint_check(&first, ENDPOINT_LISTEN, &why);
    if (r < 0)
        check_reason(r, &why);
    r = endpoint_check(&first, ENDPOINT_CONNECT, &why);
    if (r < 0)
        check_reason(r, &why);
}

static void check_uuid(struct view value)
{
    struct uuid first, second;
    struct reason why = {""};
    char text[UUID_TEXT_MAX];
    int r = uuid_parse(value, &first, &why);
    if (r < 0) {
        check_reason(r, &why);
        return;
    }
    require(uuid_parse(view_of(uuid_format(&first, text)), &second, NULL) == 0);
    require(uuid_is_equal(&first, &second));
}

static void check_suggest(struct view value)
{
    static const char *const names[] = {"listen", "max_message", "framing", "to", "path"};
    struct suggest suggest;
    suggest_init(&suggest, value);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        suggest_offer(&suggest, names[i]);
        if (view_is(value, names[i]))
            require(suggest_nearest(&suggest) == names[i]);
    }
}

static void check_json(struct view value)
{
    struct text text;
    struct json json;
    text_init(&text, 6 * value.length + 2); /* each octet as \u00XX, and the quotation marks */
    json_init(&json, &text);
    json_string(&json, value.text, value.length);
    require(json_finish(&json) == 0);
    require(text.length >= value.length + 2 && text.data[text.length - 1] == '"');
    require(!view_has_control((struct view){.text = text.data, .length = text.length}));
    text_release(&text);
}

static void check_value(struct view value)
{
    struct view rest = value, item;
    check_numbers(value);
    check_address(value);
    check_endpoint(value);
    check_uuid(value);
    check_suggest(value);
    check_json(value);
    while (value_list_next(&rest, &item, NULL) == 1) {
        require(item.length > 0 && item.text >= value.text &&
                item.text + item.length <= value.text + value.length);
        check_prefix(item);
    }
}

static bool lies_in(struct view v, const char *data, size_t size)
{
    return v.length == 0 || (v.text >= data && v.text + v.length <= data + size);
}

/* Checks an event and writes it, as the shortest text that is read as the same. */
static void check_event(const struct ini_event *ev, const char *data, size_t size,
                        struct text *out)
{
    if (ev->kind == INI_ERROR) {
        require(ev->complaint != NULL);
        return;
    }
    require(lies_in(ev->section, data, size) && lies_in(ev->name, data, size));
    require(ev->section.length > 0 && ev->section.length <= INI_KIND_MAX);
    require(ev->name.length <= INI_NAME_MAX);
    if (ev->kind == INI_SECTION) {
        text_appendf(out, "[%.*s", (int)ev->section.length, ev->section.text);
        if (ev->name.length > 0)
            text_appendf(out, " %.*s", (int)ev->name.length, ev->name.text);
        text_append(out, "]\n", 2);
        return;
    }
    require(lies_in(ev->key, data, size) && lies_in(ev->value, data, size));
    require(ev->key.length > 0 && ev->key.length <= INI_KEY_MAX);
    require(ev->value.length <= INI_LINE_MAX);
    text_append(out, ev->key.text, ev->key.length);
    text_append(out, "=", 1);
    text_append(out, "\"", ev->is_quoted ? 1 : 0);
    text_append(out, ev->value.text, ev->value.length);
    text_append(out, ev->is_quoted ? "\"\n" : "\n", ev->is_quoted ? 2 : 1);
}

/* The first text's pairs and sections are those of the second, which has nothing else. */
static void check_same(const char *data, size_t size, const struct text *written)
{
    struct ini first, second;
    struct ini_event a, b;
    ini_init(&first, data, size);
    ini_init(&second, text_string(written), written->length);
    while (ini_next(&first, &a)) {
        if (a.kind == INI_ERROR)
            continue;
        require(ini_next(&second, &b));
        require(a.kind == b.kind && is_same(a.section, b.section) && is_same(a.name, b.name));
        require(is_same(a.key, b.key) && is_same(a.value, b.value));
        require(a.is_quoted == b.is_quoted);
    }
    require(!ini_next(&second, &b));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct text written;
    struct ini ini;
    struct ini_event ev;
    size_t line = 0;

    text_init(&written, size + 1); /* the last line may lack its end */
    ini_init(&ini, text, size);
    while (ini_next(&ini, &ev)) {
        require(ev.line > line);
        line = ev.line;
        check_event(&ev, text, size, &written);
        if (ev.kind == INI_PAIR)
            check_value(ev.value);
    }
    require(ev.kind == INI_END && ev.line >= line);
    require(text_err(&written) == 0);
    if (size < INI_TEXT_MAX)
        check_same(text, size, &written);
    text_release(&written);

    /* And as one value, with the octets that the grammar keeps away from the parsers. */
    if (size > 0)
        check_value((struct view){.text = text, .length = size});
    return 0;
}
