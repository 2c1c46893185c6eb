/* SPDX-License-Identifier: MIT */
/* framer.h - find the syslog messages in a stream.
 *
 * RFC 6587 leaves the framing of syslog over TCP to custom, and senders mix counted frames, LF,
 * CR LF and NUL on one port. The framer decides for each frame anew, loses no octet, and asks
 * for a close only where the peer speaks another protocol. PRI and COUNT are the shapes of
 * pri.h; padding is LF, CR and NUL. The rules, by the numbers that framer.c refers to:
 *
 * 1. Between frames padding is passed over; so is a run of SP after it, if a PRI or COUNT
 *    follows (else the SP belong to the text). Each octet counts as framing_padding.
 * 2. COUNT opens a counted frame: the octets that it says, whatever they are.
 * 3. All else is a text line, taken as it stands. It ends at LF (one CR before the LF goes with
 *    it); at a NUL if after any further NUL and CR comes LF, PRI, COUNT or the end; with
 *    multi_line an LF ends it only if after any further LF and CR comes PRI, COUNT or the end.
 *    What was looked past is padding. An LF or NUL that does not end the line is text. A line
 *    that begins with digits, SP and a PRI where the digits are more than nine or say more than
 *    max_frame is text as well, and counts as frame_too_large.
 * 4. Of a message longer than max_message the head is handed on when its end is found, with the
 *    true (or declared) length beside it; the rest is passed over.
 * 5. After a counted frame should come PRI, COUNT or the end. If not, the next line is a
 *    left-over: flagged, framing_desync. From there to the next counted frame or line end, a
 *    line also ends right before a PRI or COUNT that is not its own first octet (a COUNT has no
 *    digit before it).
 * 6. The end of the connection closes an open text line (unterminated) and a counted frame
 *    (truncated, frame_incomplete).
 * 7. Datagrams: datagram.h.
 * 8. A stream that begins with 16 03 and 00 to 04 is TLS; one whose first message is a text
 *    line that begins with an HTTP method and SP and holds SP, `HTTP/` and a digit (within the
 *    first max_message octets) is HTTP: nothing of it is handed on.
 * 9. A message that begins with `<` but not with a valid PRI counts as bad_pri.
 *
 * Undecided: while the octets at hand may be the beginning of a shape, or a NUL, LF or SP hangs
 * on what follows, nothing is decided. So the result does not depend on how the stream was cut
 * into reads. framer_settle() and framer_end() decide as if nothing followed.
 *
 * FRAMING_OCTET is as auto, but what is not COUNT is a left-over, PRI in front or not, also at
 * the start and after another left-over (RFC 5425). FRAMING_LINE: no COUNT, no rule 5, NUL
 * never ends a line. FRAMING_NUL: no COUNT, no rule 5, NUL ends a line at once, LF and CR are
 * text, only NUL is padding, multi_line means nothing.
 *
 * Work is linear in the octets fed, however they are cut. A message that lies whole in what was
 * fed is handed on without a copy.
 */
#ifndef HVLOG_CORE_FRAMER_H
#define HVLOG_CORE_FRAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum framing {
    FRAMING_AUTO = 0,
    FRAMING_OCTET = 1,
    FRAMING_LINE = 2,
    FRAMING_NUL = 3,
};

enum { FRAME_COUNT_MAX = 10 * 1024 * 1024 }; /* max_frame: the largest count believed */

struct framer_options {
    enum framing framing;
    bool multi_line;
    uint32_t max_message; /* octets of a message handed on; at least 1 */
    uint32_t max_frame;   /* largest count believed; 0 means FRAME_COUNT_MAX */
};

/* What framing saw. Plain numbers; the owner's thread adds them up and publishes them.
 *
 * When framer_next() has returned 0 after framer_end(), or ERR_PROTOCOL:
 * octets fed = lengths handed on + framing_padding + the four octet counts at the end.
 */
struct framer_counters {
    uint64_t framing_padding;
    uint64_t framing_desync;
    uint64_t frame_too_large;
    uint64_t frame_incomplete;
    uint64_t truncated;
    uint64_t empty;
    uint64_t bad_pri;
    uint64_t tls_on_plain;
    uint64_t foreign_protocol;

    uint64_t delimiter_octets; /* LF, CR LF or NUL that ended a line */
    uint64_t prefix_octets;    /* counts and their SP */
    uint64_t cut_octets;       /* behind max_message */
    uint64_t discarded_octets; /* of a connection that spoke another protocol */
};

/* One message. The octets live until the next call on the same framer. */
struct framed {
    const uint8_t *data;
    uint32_t length;
    uint32_t orig_length; /* true or declared length; UINT32_MAX also stands for more */
    uint16_t flags;       /* RECORD_* of record.h, RECORD_BINARY included */
};

/* One for each connection, used by one thread at a time. 256 octets, counters included, while
 * nothing of a message is kept. Memory for the beginning of a message that a read cut off is
 * taken when needed, at most max_message; a little of it (carry.h) stays for the next such
 * message, until some reads did not need it or framer_release_idle() is called.
 */
struct framer;

/* framer_new() - <options> is copied. NULL when there is no memory. */
struct framer *framer_new(const struct framer_options *options);
void framer_free(struct framer *f);

/* framer_feed() - the next octets of the stream. They are borrowed until framer_next() has
 * returned 0 or an error. Legal only when the last framer_next() returned 0, or at the start.
 */
void framer_feed(struct framer *f, const uint8_t *data, size_t length);

/* framer_next() - the next message in what was fed.
 *
 * Returns 1 and a message; 0 when all octets fed are used up (the framer holds a copy of what
 * it still needs); ERR_PROTOCOL when the peer speaks TLS or HTTP: close the connection, nothing
 * of it is delivered (which of them, the counters say); ERR_NO_MEMORY: close the connection,
 * what was held of it is lost. An error is returned again by each later call.
 */
int framer_next(struct framer *f, struct framed *ret);

/* framer_is_undecided() - octets are held whose meaning hangs on what follows. When no octet
 * comes for prefix_timeout (FRAMER_PREFIX_TIMEOUT_MS), the owner calls framer_settle() and
 * takes what framer_next() then gives: it is decided as if nothing followed. If nothing is
 * undecided, settling changes nothing.
 * framer_end() - the connection ended; framer_next() then gives what is left. Nothing may be
 * fed afterwards. All three are legal when framer_feed() is.
 */
enum { FRAMER_PREFIX_TIMEOUT_MS = 1000 };
bool framer_is_undecided(const struct framer *f);
void framer_settle(struct framer *f);
void framer_end(struct framer *f);

/* framer_release_idle() - give back memory kept for speed, if nothing is held in it. For
 * connections that were silent for a while; legal when framer_feed() is. */
void framer_release_idle(struct framer *f);

/* framer_counters() - what was counted since framer_new(). Lives as long as the framer. */
const struct framer_counters *framer_counters(const struct framer *f);

#endif
