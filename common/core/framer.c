/* SPDX-License-Identifier: MIT */
/* framer.c - find the syslog messages in a stream.
 *
 * A state machine over one contiguous segment of the stream (segment.h). It consumes octets
 * only when their meaning is certain; what it leaves is the undecided beginning of a shape, at
 * most SHAPE_MAX_OCTETS. Text that a segment ends in goes to the carry (carry.h), and the phase
 * says where in a frame we are; so nothing is looked at twice but such a tail.
 */
#include "framer.h"

#include <stdlib.h>
#include <string.h>

#include "carry.h"
#include "err.h"
#include "foreign.h"
#include "pri.h"
#include "record.h"
#include "segment.h"

enum {
    DIGIT_FIRST = '1', /* what a count begins with */
    BOM_FIRST = 0xEF,
};
_Static_assert((int)STITCH_OCTETS > (int)SHAPE_MAX_OCTETS,
               "a shape is decidable in the stitch");

enum phase {
    PHASE_START = 0,    /* no octet was looked at */
    PHASE_BETWEEN = 1,  /* before a frame, rule 1 */
    PHASE_COUNTED = 2,  /* in a counted frame, rule 2 */
    PHASE_OVERSIZE = 3, /* in the digits of a line that begins with too large a count, rule 3 */
    PHASE_OVERSIZE_PRI = 4, /* behind the SP of such a line */
    PHASE_TEXT = 5,         /* in a text line, rule 3 */
    PHASE_RUN = 6,          /* in a text line, behind an octet that may have ended it */
    PHASE_CLOSED = 7,       /* error was returned */
};

/* What a step returns; negative is an error. */
enum {
    STEP_WANT = 0,    /* nothing more can be decided in this segment */
    STEP_MESSAGE = 1, /* a message was given out */
    STEP_ON = 2,      /* the phase changed */
};

struct framer {
    struct framer_options options;
    struct segment in;
    struct carry carry; /* what earlier segments held of the open message */

    uint64_t pending;  /* BETWEEN: SP passed over; RUN: length if the line ended there */
    uint32_t declared; /* COUNTED: the count */
    int error;         /* CLOSED: what framer_next() returns */
    uint8_t phase;
    uint8_t flags;         /* RECORD_DESYNC or 0, of the open line */
    uint8_t run;           /* RUN: the octet that may have ended the line, NUL or LF */
    uint8_t run_delimiter; /* RUN: octets of the delimiter, CR included */
    bool after_count;      /* BETWEEN: the last frame was a counted one */
    bool desync;           /* a line ends before PRI and COUNT too, rule 5 */
    bool first;            /* no message was seen yet */
    bool settling;         /* decide as if nothing followed */
    bool ended;

    struct framer_counters counters;
};
_Static_assert(sizeof(struct framer) <= 256, "many connections are idle");

struct framer *framer_new(const struct framer_options *options)
{
    struct framer *f = calloc(1, sizeof(*f));

    if (f == NULL)
        return NULL;
    f->options = *options;
    if (f->options.max_frame == 0)
        f->options.max_frame = FRAME_COUNT_MAX;
    segment_init(&f->in);
    f->first = true;
    return f;
}

void framer_free(struct framer *f)
{
    if (f == NULL)
        return;
    carry_release(&f->carry);
    free(f);
}

const struct framer_counters *framer_counters(const struct framer *f)
{
    return &f->counters;
}

/* ---- giving out -------------------------------------------------------------------------- */

static int close_foreign(struct framer *f, uint64_t *counter)
{
    (*counter)++;
    f->counters.discarded_octets += segment_left(&f->in);
    return ERR_PROTOCOL;
}

static bool is_binary(const uint8_t *data, size_t length)
{
    return memchr(data, '\n', length) != NULL || memchr(data, '\0', length) != NULL;
}

/* Rule 4: how many of so many octets are handed on. */
static uint32_t head_of(const struct framer *f, uint64_t octets)
{
    return octets < f->options.max_message ? (uint32_t)octets : f->options.max_message;
}

/* A message of which <came> octets came and <declared> belong to it. <data> holds them, or what
 * the carry keeps of them. */
static int deliver(struct framer *f, struct framed *ret, const uint8_t *data, uint64_t came,
                   uint64_t declared, unsigned flags)
{
    uint32_t head = head_of(f, came);

    f->phase = PHASE_BETWEEN;
    f->pending = 0;
    f->first = false;
    if (head < declared)
        flags |= RECORD_TRUNCATED;
    if (head < came) {
        f->counters.truncated++;
        f->counters.cut_octets += came - head;
    }
    if (flags & RECORD_DESYNC)
        f->counters.framing_desync++;
    f->counters.bad_pri += pri_is_bad(data, head);
    ret->data = data;
    ret->length = head;
    ret->orig_length = declared < UINT32_MAX ? (uint32_t)declared : UINT32_MAX;
    ret->flags = (uint16_t)flags;
    return STEP_MESSAGE;
}

/* A text line of <came> octets; <flags> beside those that it has had from its beginning. */
static int deliver_line(struct framer *f, struct framed *ret, const uint8_t *data,
                        uint64_t came, unsigned flags)
{
    if (f->first && foreign_is_http(data, head_of(f, came))) {
        f->counters.discarded_octets += came;
        return close_foreign(f, &f->counters.foreign_protocol);
    }
    f->after_count = false;
    return deliver(f, ret, data, came, came, flags | f->flags);
}

/* The same for the line in the carry, of which <came> octets are the message. */
static int deliver_carried_line(struct framer *f, struct framed *ret, uint64_t came,
                                unsigned flags)
{
    if (is_binary(f->carry.data, head_of(f, came)))
        flags |= RECORD_BINARY;
    f->carry.spent = true;
    return deliver_line(f, ret, f->carry.data, came, flags);
}

static int deliver_counted(struct framer *f, struct framed *ret, const uint8_t *data,
                           uint64_t came)
{
    f->after_count = true;
    f->desync = false;
    return deliver(f, ret, data, came, f->declared,
                   is_binary(data, head_of(f, came)) ? RECORD_BINARY : 0);
}

/* ---- looking ----------------------------------------------------------------------------- */

static bool has_counts(const struct framer *f)
{
    return f->options.framing == FRAMING_AUTO || f->options.framing == FRAMING_OCTET;
}

/* The shape at <p>. The caller sees to it that SHAPE_UNDECIDED ends the step. */
static enum shape look(const struct framer *f, const uint8_t *p, struct count *ret)
{
    enum shape shape =
        shape_at(p, (size_t)(f->in.end - p), has_counts(f) ? f->options.max_frame : 0, ret);

    return shape == SHAPE_UNDECIDED && f->settling ? SHAPE_NONE : shape;
}

static bool is_padding(const struct framer *f, uint8_t c)
{
    if (f->options.framing == FRAMING_NUL)
        return c == '\0';
    return c == '\n' || c == '\r' || c == '\0';
}

/* The next octet at or behind <from> that may end the line, or the end. */
static const uint8_t *next_candidate(struct framer *f, const uint8_t *from)
{
    const uint8_t *stop = f->in.end;
    const uint8_t *nul;

    if (from == stop)
        return stop;
    if (f->desync) {
        for (; from < stop; from++)
            if (*from == '<' || *from == '\n' || *from == '\0' || *from == BOM_FIRST ||
                (*from >= DIGIT_FIRST && *from <= '9'))
                break;
        return from;
    }
    if (f->options.framing != FRAMING_NUL)
        stop = segment_next_lf(&f->in, from);
    if (f->options.framing == FRAMING_LINE)
        return stop;
    nul = memchr(from, '\0', (size_t)(stop - from));
    return nul != NULL ? nul : stop;
}

static const uint8_t *skip_run(uint8_t run, const uint8_t *p, const uint8_t *end)
{
    while (p < end && (*p == run || *p == '\r'))
        p++;
    return p;
}

enum verdict {
    VERDICT_TEXT = 0, /* an octet like any other */
    VERDICT_ENDS = 1, /* it ended the line */
    VERDICT_WAIT = 2,
};

/* A line may end where a frame begins: does one begin at <p>? */
static enum verdict judge_frame(const struct framer *f, const uint8_t *p)
{
    struct count count;
    enum shape shape = look(f, p, &count);

    if (shape == SHAPE_UNDECIDED)
        return VERDICT_WAIT;
    return shape == SHAPE_PRI || shape == SHAPE_COUNT ? VERDICT_ENDS : VERDICT_TEXT;
}

/* Rule 3: did <run> (NUL, or LF with multi_line) end the line, when <p> stands behind it and
 * what may follow it? */
static enum verdict judge_run(const struct framer *f, uint8_t run, const uint8_t *p)
{
    if (p == f->in.end)
        return f->settling ? VERDICT_ENDS : VERDICT_WAIT;
    if (run == '\0' && *p == '\n')
        return VERDICT_ENDS;
    return judge_frame(f, p);
}

/* Rule 5: does the line that has its octets from <line> on, and perhaps in the carry, end right
 * before <p>? */
static enum verdict judge_split(const struct framer *f, const uint8_t *line, const uint8_t *p)
{
    uint8_t before = p > line ? p[-1] : f->carry.last;

    if (p == line && f->carry.length == 0)
        return VERDICT_TEXT;
    if (*p >= DIGIT_FIRST && *p <= '9' && before >= '0' && before <= '9')
        return VERDICT_TEXT;
    return judge_frame(f, p);
}

/* ---- the steps, one for each phase ------------------------------------------------------- */

/* Consume up to <p>: it belongs to the open message. */
static int keep_to(struct framer *f, const uint8_t *p)
{
    int r = carry_add(&f->carry, f->options.max_message, f->in.at, (size_t)(p - f->in.at));

    f->in.at = p;
    return r;
}

/* Rule 8: TLS. */
static int step_start(struct framer *f)
{
    size_t length = (size_t)(f->in.end - f->in.at);

    if (length == 0)
        return STEP_WANT;
    enum foreign tls = foreign_tls(f->in.at, length);
    if (tls == FOREIGN_YES)
        return close_foreign(f, &f->counters.tls_on_plain);
    if (tls == FOREIGN_UNDECIDED && !f->settling)
        return STEP_WANT;
    f->phase = PHASE_BETWEEN;
    return STEP_ON;
}

static int open_line(struct framer *f, enum shape shape)
{
    bool left_over =
        f->options.framing == FRAMING_OCTET || (f->after_count && shape != SHAPE_PRI);

    f->flags = left_over ? RECORD_DESYNC : 0;
    f->desync = f->desync || left_over;
    f->phase = PHASE_TEXT;
    if (shape == SHAPE_PRI) {
        f->counters.framing_padding += f->pending;
    } else if (f->pending > 0) {
        if (carry_add_spaces(&f->carry, f->options.max_message, f->pending) < 0)
            return ERR_NO_MEMORY;
    } else if (shape == SHAPE_OVERSIZE) {
        f->phase = PHASE_OVERSIZE;
    }
    f->pending = 0;
    return STEP_ON;
}

/* Rule 1. */
static int step_between(struct framer *f)
{
    const uint8_t *p = f->in.at;
    struct count count;

    if (f->pending == 0)
        while (p < f->in.end && is_padding(f, *p))
            p++;
    f->counters.framing_padding += (size_t)(p - f->in.at);
    f->in.at = p;
    while (p < f->in.end && *p == ' ')
        p++;
    f->pending += (size_t)(p - f->in.at);
    f->in.at = p;
    if (p == f->in.end && !(f->settling && f->pending > 0))
        return STEP_WANT;

    enum shape shape = look(f, p, &count);
    if (shape == SHAPE_UNDECIDED)
        return STEP_WANT;
    if (shape != SHAPE_COUNT)
        return open_line(f, shape);
    f->counters.framing_padding += f->pending;
    f->counters.prefix_octets += count.prefix;
    f->pending = 0;
    f->in.at += count.prefix;
    f->declared = count.length;
    f->phase = PHASE_COUNTED;
    return STEP_ON;
}

/* Rule 2. */
static int step_counted(struct framer *f, struct framed *ret)
{
    const uint8_t *data = f->in.at;
    size_t left = f->declared - (size_t)f->carry.length;
    size_t here = (size_t)(f->in.end - data);

    if (here >= left && f->carry.length == 0) {
        f->in.at += left;
        return deliver_counted(f, ret, data, left);
    }
    here = here < left ? here : left;
    if (keep_to(f, data + here) < 0)
        return ERR_NO_MEMORY;
    if (here < left)
        return STEP_WANT;
    f->carry.spent = true;
    return deliver_counted(f, ret, f->carry.data, f->declared);
}

/* Rule 3: digits, more or larger than those of a count; they are text, however many come. */
static int step_oversize(struct framer *f)
{
    const uint8_t *p = f->in.at;

    while (p < f->in.end && *p >= '0' && *p <= '9')
        p++;
    bool has_space = p < f->in.end && *p == ' ';
    bool is_decided = p < f->in.end;
    p += has_space;
    if (keep_to(f, p) < 0)
        return ERR_NO_MEMORY;
    if (!is_decided)
        return STEP_WANT;
    f->phase = has_space ? PHASE_OVERSIZE_PRI : PHASE_TEXT;
    return STEP_ON;
}

static int step_oversize_pri(struct framer *f)
{
    struct count count;

    if (f->in.at == f->in.end)
        return STEP_WANT;
    enum shape shape = look(f, f->in.at, &count);
    if (shape == SHAPE_UNDECIDED)
        return STEP_WANT;
    f->counters.frame_too_large += shape == SHAPE_PRI;
    f->phase = PHASE_TEXT;
    return STEP_ON;
}

/* The line ends before <p>, where <delimiter> octets (a CR among them has been left in the
 * line) are passed over. */
static int end_line(struct framer *f, struct framed *ret, const uint8_t *p, size_t delimiter,
                    bool is_clean)
{
    const uint8_t *line = f->in.at;
    uint8_t before = p > line ? p[-1] : f->carry.last;
    size_t cr = delimiter > 0 && *p == '\n' && before == '\r';

    if (f->carry.length > 0 && keep_to(f, p) < 0)
        return ERR_NO_MEMORY;
    f->in.at = p + delimiter;
    f->counters.delimiter_octets += delimiter + cr;
    if (delimiter > 0)
        f->desync = false;
    if (f->carry.length > 0)
        return deliver_carried_line(f, ret, f->carry.length - cr, 0);

    size_t came = (size_t)(p - line) - cr;
    is_clean = is_clean || !is_binary(line, head_of(f, came));
    return deliver_line(f, ret, line, came, is_clean ? 0 : RECORD_BINARY);
}

/* Nothing more can be decided here: the line goes on, or <run_at> is where a run in it begins,
 * the octets before <p> are its. */
static int keep_line(struct framer *f, const uint8_t *run_at, const uint8_t *p)
{
    if (keep_to(f, run_at) < 0)
        return ERR_NO_MEMORY;
    if (run_at < p) {
        size_t cr = *run_at == '\n' && f->carry.last == '\r';
        f->phase = PHASE_RUN;
        f->run = *run_at;
        f->run_delimiter = (uint8_t)(1 + cr);
        f->pending = f->carry.length - cr;
        if (keep_to(f, p) < 0)
            return ERR_NO_MEMORY;
    }
    return STEP_WANT;
}

/* Rule 3, and 5 with desync. */
static int step_text(struct framer *f, struct framed *ret)
{
    const uint8_t *scan = f->in.at;
    bool is_clean = has_counts(f); /* nothing in it can be LF or NUL */

    for (;;) {
        const uint8_t *p = next_candidate(f, scan);
        enum verdict verdict = VERDICT_ENDS;
        size_t delimiter = 1;

        if (p == f->in.end)
            return keep_line(f, p, p);
        scan = p + 1;
        if (*p == '\0' ? has_counts(f) : *p == '\n' && f->options.multi_line) {
            scan = skip_run(*p, scan, f->in.end);
            verdict = judge_run(f, *p, scan);
        } else if (*p != '\0' && *p != '\n') {
            verdict = judge_split(f, f->in.at, p);
            delimiter = 0;
        }
        if (verdict == VERDICT_ENDS)
            return end_line(f, ret, p, delimiter, is_clean);
        if (verdict == VERDICT_WAIT)
            return keep_line(f, p, delimiter > 0 ? scan : p);
        is_clean = is_clean && delimiter == 0;
    }
}

/* Rule 3: behind a NUL, or an LF with multi_line, that the end of a segment left open. */
static int step_run(struct framer *f, struct framed *ret)
{
    const uint8_t *p = skip_run(f->run, f->in.at, f->in.end);

    if (keep_to(f, p) < 0)
        return ERR_NO_MEMORY;
    switch (judge_run(f, f->run, p)) {
    case VERDICT_WAIT:
        return STEP_WANT;
    case VERDICT_TEXT:
        f->phase = PHASE_TEXT;
        f->pending = 0;
        return STEP_ON;
    case VERDICT_ENDS:
        break;
    }
    uint64_t passed = f->carry.length - f->pending - f->run_delimiter;
    f->desync = false;
    f->counters.delimiter_octets += f->run_delimiter;
    int r = deliver_carried_line(f, ret, f->pending, 0);
    /* Of a foreign stream all that follows is discarded, also what came before the decision. */
    *(r < 0 ? &f->counters.discarded_octets : &f->counters.framing_padding) += passed;
    return r;
}

static int step(struct framer *f, struct framed *ret)
{
    switch ((enum phase)f->phase) {
    case PHASE_START:
        return step_start(f);
    case PHASE_BETWEEN:
        return step_between(f);
    case PHASE_COUNTED:
        return step_counted(f, ret);
    case PHASE_OVERSIZE:
        return step_oversize(f);
    case PHASE_OVERSIZE_PRI:
        return step_oversize_pri(f);
    case PHASE_TEXT:
        return step_text(f, ret);
    case PHASE_RUN:
        return step_run(f, ret);
    case PHASE_CLOSED:
        break;
    }
    return f->error;
}

/* ---- driving ----------------------------------------------------------------------------- */

void framer_feed(struct framer *f, const uint8_t *data, size_t length)
{
    carry_tick(&f->carry);
    f->settling = false;
    if (length > 0)
        segment_feed(&f->in, data, length);
}

/* Rule 6: what is open when the connection has ended. */
static int close_open(struct framer *f, struct framed *ret)
{
    f->ended = false;
    switch ((enum phase)f->phase) {
    case PHASE_COUNTED:
        f->counters.frame_incomplete++;
        f->carry.spent = true;
        return deliver_counted(f, ret, f->carry.data, f->carry.length);
    case PHASE_OVERSIZE:
    case PHASE_OVERSIZE_PRI:
    case PHASE_TEXT:
        return deliver_carried_line(f, ret, f->carry.length, RECORD_UNTERMINATED);
    case PHASE_START:
    case PHASE_BETWEEN:
    case PHASE_RUN:
    case PHASE_CLOSED:
        break;
    }
    return 0;
}

static int stop_at(struct framer *f, int error)
{
    f->phase = PHASE_CLOSED;
    f->error = error;
    segment_init(&f->in);
    return error;
}

int framer_next(struct framer *f, struct framed *ret)
{
    int r;

    if (f->carry.spent)
        carry_clear(&f->carry);
    do {
        if (f->in.stitched)
            segment_settle_down(&f->in);
        r = step(f, ret);
    } while (r == STEP_ON || (r == STEP_WANT && segment_refill(&f->in)));
    if (r < 0)
        return stop_at(f, r);
    if (r == STEP_MESSAGE)
        return r;
    segment_hold(&f->in);
    r = f->ended ? close_open(f, ret) : 0;
    return r < 0 ? stop_at(f, r) : r;
}

bool framer_is_undecided(const struct framer *f)
{
    return f->in.at < f->in.end || f->phase == PHASE_RUN ||
           (f->phase == PHASE_BETWEEN && f->pending > 0);
}

void framer_settle(struct framer *f)
{
    f->settling = true;
}

void framer_end(struct framer *f)
{
    f->settling = true;
    f->ended = true;
}

void framer_release_idle(struct framer *f)
{
    if (f->carry.spent)
        carry_clear(&f->carry);
    if (f->carry.length == 0)
        carry_release(&f->carry);
}
