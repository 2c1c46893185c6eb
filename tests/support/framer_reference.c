/* SPDX-License-Identifier: MIT */
/* framer_reference.c - the framing rules once more, slow and plain.
 *
 * The whole stream is in memory and has ended, so nothing is ever undecided. It shares no line
 * with common/core: an error has to be made twice to stay hidden.
 */
#include "framer_capture.h"

#include <string.h>

#include "common/core/record.h"

struct stream {
    const struct framer_options *options;
    struct capture *out;
    const uint8_t *d;
    size_t n;
};

static bool has(const struct stream *s, size_t i, const char *set)
{
    return i < s->n && s->d[i] != '\0' && strchr(set, s->d[i]) != NULL;
}

static size_t digits_at(const struct stream *s, size_t i)
{
    size_t n = 0;

    while (has(s, i + n, "0123456789"))
        n++;
    return n;
}

/* Length of the PRI at <i>, 0 if there is none. */
static size_t pri_length(const struct stream *s, size_t i)
{
    size_t bom = i + 3 <= s->n && memcmp(s->d + i, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    size_t digits;

    if (!has(s, i + bom, "<"))
        return 0;
    digits = digits_at(s, i + bom + 1);
    return digits >= 1 && digits <= 3 && has(s, i + bom + 1 + digits, ">") ? bom + digits + 2
                                                                           : 0;
}

static bool counts(const struct stream *s)
{
    return s->options->framing == FRAMING_AUTO || s->options->framing == FRAMING_OCTET;
}

/* Digits, SP, PRI at <i>; the number, as far as it can matter. */
static bool looks_counted(const struct stream *s, size_t i, uint64_t *ret_number)
{
    size_t digits = digits_at(s, i);

    if (!counts(s) || digits == 0 || s->d[i] == '0' || !has(s, i + digits, " ") ||
        pri_length(s, i + digits + 1) == 0)
        return false;
    *ret_number = 0;
    for (size_t k = 0; k < digits && *ret_number < UINT32_MAX; k++)
        *ret_number = *ret_number * 10 + (uint64_t)(s->d[i + k] - '0');
    return true;
}

static uint64_t count_limit(const struct stream *s)
{
    uint64_t limit = s->options->max_frame > 0 ? s->options->max_frame : FRAME_COUNT_MAX;

    return limit < 999999999 ? limit : 999999999;
}

/* The number of the COUNT at <i>, 0 if there is none. */
static uint64_t count_at(const struct stream *s, size_t i)
{
    uint64_t number;

    if (!looks_counted(s, i, &number) || number > count_limit(s) ||
        number < pri_length(s, i + digits_at(s, i) + 1))
        return 0;
    return number;
}

static bool frame_at(const struct stream *s, size_t i)
{
    return pri_length(s, i) > 0 || count_at(s, i) > 0;
}

static bool is_pad(const struct stream *s, size_t i)
{
    return i < s->n &&
           (s->d[i] == '\0' || (s->options->framing != FRAMING_NUL && has(s, i, "\r\n")));
}

/* Does the octet at <i> end a text line? */
static bool ends_line(const struct stream *s, size_t i)
{
    uint8_t c = s->d[i];
    size_t j = i + 1;

    if (s->options->framing == FRAMING_NUL)
        return c == '\0';
    if (c == '\n' && !s->options->multi_line)
        return true;
    if (c != '\n' && (c != '\0' || s->options->framing == FRAMING_LINE))
        return false;
    while (j < s->n && (s->d[j] == c || s->d[j] == '\r'))
        j++;
    return j == s->n || (c == '\0' && s->d[j] == '\n') || frame_at(s, j);
}

static bool splits_line(const struct stream *s, size_t i)
{
    return pri_length(s, i) > 0 || (count_at(s, i) > 0 && !has(s, i - 1, "0123456789"));
}

static bool begins_http(const uint8_t *d, size_t n)
{
    static const char *const methods[] = {"GET ",     "HEAD ",    "POST ",  "PUT ",   "DELETE ",
                                          "OPTIONS ", "CONNECT ", "PATCH ", "TRACE ", "PRI "};
    bool method = false;

    for (size_t i = 0; i < 10; i++)
        method = method ||
                 (n >= strlen(methods[i]) && memcmp(d, methods[i], strlen(methods[i])) == 0);
    for (size_t i = 0; method && i + 7 <= n; i++)
        if (memcmp(d + i, " HTTP/", 6) == 0 && d[i + 6] >= '0' && d[i + 6] <= '9')
            return true;
    return false;
}

static bool is_bad_pri(const uint8_t *d, size_t n)
{
    static const uint8_t shapes[3] = {1, 2, 3};
    char text[8];
    size_t skip = n >= 3 && memcmp(d, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

    if (n == skip || d[skip] != '<')
        return false;
    for (unsigned value = 0; value <= 191; value++) {
        size_t w = shapes[value > 99 ? 2 : value > 9 ? 1 : 0];
        text[0] = '<';
        for (size_t k = 0, v = value; k < w; k++, v /= 10)
            text[w - k] = (char)('0' + v % 10);
        text[w + 1] = '>';
        if (n - skip >= w + 2 && memcmp(d + skip, text, w + 2) == 0)
            return false;
    }
    return true;
}

static void give(struct stream *s, size_t from, size_t came, uint64_t declared, uint16_t flags)
{
    struct framed m = {.data = s->d + from, .length = (uint32_t)came, .flags = flags};
    struct framer_counters *k = &s->out->counters;

    if (came > s->options->max_message) {
        m.length = s->options->max_message;
        k->truncated++;
        k->cut_octets += came - m.length;
    }
    m.orig_length = (uint32_t)declared;
    if (m.length < declared)
        m.flags |= RECORD_TRUNCATED;
    for (size_t i = 0; i < m.length; i++)
        if (m.data[i] == '\n' || m.data[i] == '\0')
            m.flags |= RECORD_BINARY;
    k->framing_desync += (flags & RECORD_DESYNC) != 0;
    k->bad_pri += is_bad_pri(m.data, m.length);
    capture_add(s->out, &m);
}

static size_t give_counted(struct stream *s, size_t i, uint64_t number)
{
    size_t prefix = digits_at(s, i) + 1;
    size_t came = s->n - i - prefix;

    if (came < number)
        s->out->counters.frame_incomplete++;
    else
        came = (size_t)number;
    s->out->counters.prefix_octets += prefix;
    give(s, i + prefix, came, number, 0);
    return i + prefix + came;
}

/* A text line from <i> on. Returns where the next frame may begin, or the end after a close. */
static size_t give_line(struct stream *s, size_t i, uint16_t flags, bool *desync)
{
    struct framer_counters *k = &s->out->counters;
    size_t end = i;
    size_t delimiter = 0;
    size_t cr = 0;
    uint64_t number;

    if (looks_counted(s, i, &number) && number > count_limit(s))
        k->frame_too_large++;
    while (end < s->n && !ends_line(s, end) && !(*desync && end > i && splits_line(s, end)))
        end++;
    if (end == s->n)
        flags |= RECORD_UNTERMINATED;
    else if (ends_line(s, end))
        delimiter = 1;
    if (delimiter > 0 && s->d[end] == '\n' && end > i && s->d[end - 1] == '\r')
        cr = 1;
    size_t came = end - cr - i;
    size_t head = came < s->options->max_message ? came : s->options->max_message;
    k->delimiter_octets += delimiter + cr;
    if (s->out->count == 0 && begins_http(s->d + i, head)) {
        k->foreign_protocol++;
        k->discarded_octets += came + (s->n - end - delimiter);
        s->out->is_closed = true;
        return s->n;
    }
    give(s, i, came, came, flags);
    if (delimiter > 0)
        *desync = false;
    return end + delimiter;
}

void capture_reference(struct capture *c, const struct framer_options *options,
                       const uint8_t *data, size_t length)
{
    struct stream s = {.options = options, .out = c, .d = data, .n = length};
    bool after_count = false;
    bool desync = false;
    size_t i = 0;

    *c = (struct capture){0};
    if (length >= 3 && data[0] == 0x16 && data[1] == 3 && data[2] <= 4) {
        c->counters.tls_on_plain = 1;
        c->counters.discarded_octets = length;
        c->is_closed = true;
        return;
    }
    while (i < length) {
        size_t spaces = 0;
        while (is_pad(&s, i)) {
            i++;
            c->counters.framing_padding++;
        }
        while (has(&s, i + spaces, " "))
            spaces++;
        if (frame_at(&s, i + spaces)) {
            c->counters.framing_padding += spaces;
            i += spaces;
        }
        if (i == length)
            break;
        uint64_t number = count_at(&s, i);
        if (number > 0) {
            i = give_counted(&s, i, number);
            after_count = true;
            desync = false;
            continue;
        }
        bool left_over =
            options->framing == FRAMING_OCTET || (after_count && pri_length(&s, i) == 0);
        desync = desync || left_over;
        i = give_line(&s, i, left_over ? RECORD_DESYNC : 0, &desync);
        after_count = false;
    }
}
