/* SPDX-License-Identifier: MIT */
/* verify.c - are flood's messages all there, in order, none twice, none changed?
 *
 *     verify [-d] [-g MISSING] [-l MESSAGES:STREAMS] [-m MANIFEST]... FILE...
 *
 * Looks for flood's mark in each line, whatever a syslog server wrote around it. A stream of a
 * manifest that is whole must have all its messages; one that is cut may lack its end. With -d
 * messages may come again, as at-least-once allows: going back is fine, a gap is not. With -g
 * up to so many may be missing inside of streams, in all. With -l there are also the messages
 * of loggen, so many in all and from so many of its connections. Any line without a mark is
 * counted as foreign, which is an error. Prints one line; exit status 0 if all is well.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STREAMS_MAX = 4096, NAME_MAX_BYTES = 48 };

struct stream {
    char name[NAME_MAX_BYTES];
    bool is_expected, is_whole, is_loggen;
    long count; /* that were sent, if expected */
    long next;  /* number that is to come */
};

struct findings {
    long messages, again, missing, changed, foreign, unexpected;
    long loggen_messages;
    int loggen_streams;
};

static struct stream streams[STREAMS_MAX];
static int stream_count;

_Noreturn static void die(const char *what)
{
    fprintf(stderr, "verify: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* Most often it is the stream of the line before. */
static struct stream *stream_named(const char *name, size_t length)
{
    static struct stream *last;

    if (last != NULL && strncmp(last->name, name, length) == 0 && last->name[length] == '\0')
        return last;
    for (int i = 0; i < stream_count; i++) {
        if (strncmp(streams[i].name, name, length) == 0 && streams[i].name[length] == '\0')
            return last = &streams[i];
    }
    if (stream_count == STREAMS_MAX || length >= NAME_MAX_BYTES) {
        errno = E2BIG;
        die("streams");
    }
    last = &streams[stream_count++];
    memcpy(last->name, name, length);
    return last;
}

static void read_manifest(const char *path)
{
    char name[NAME_MAX_BYTES], how[8];
    long count;
    FILE *f = fopen(path, "r");

    if (f == NULL)
        die(path);
    while (fscanf(f, "%47s %7s %ld", name, how, &count) == 3) {
        struct stream *s = stream_named(name, strlen(name));
        s->is_expected = true;
        s->is_whole = strcmp(how, "whole") == 0;
        s->count = count;
    }
    fclose(f);
}

static void arrived(struct stream *s, long number, struct findings *found)
{
    found->messages++;
    if (number < s->next) {
        found->again++;
        return;
    }
    found->missing += number - s->next;
    s->next = number + 1;
}

/* The letters behind the number: each follows from it, and a semicolon ends them. */
static bool is_intact(const char *p, long number)
{
    size_t n = (size_t)number;
    while (*p == (char)('a' + n % 26)) {
        p++;
        n++;
    }
    return p[0] == ';' && (p[1] == '\n' || p[1] == '\0');
}

static bool take_flood(const char *line, struct findings *found)
{
    const char *mark = strstr(line, "~c=");
    if (mark == NULL)
        return false;
    const char *name = mark + 3, *space = strchr(name, ' ');
    char *end;
    if (space == NULL || strncmp(space, " n=", 3) != 0) {
        found->changed++;
        return true;
    }
    long number = strtol(space + 3, &end, 10);
    if (*end != ' ' || !is_intact(end + 1, number)) {
        found->changed++;
        return true;
    }
    struct stream *s = stream_named(name, (size_t)(space - name));
    if (!s->is_expected)
        found->unexpected++;
    arrived(s, number, found);
    return true;
}

static bool take_loggen(const char *line, struct findings *found)
{
    unsigned long number, thread, run;
    char name[NAME_MAX_BYTES];
    const char *mark = strstr(line, "seq: ");

    if (mark == NULL ||
        sscanf(mark, "seq: %lu, thread: %lu, runid: %lu,", &number, &thread, &run) != 3)
        return false;
    int length = snprintf(name, sizeof(name), "loggen-%lu-%lu", run, thread);
    struct stream *s = stream_named(name, (size_t)length);
    if (!s->is_loggen)
        found->loggen_streams++;
    s->is_loggen = true;
    found->loggen_messages++;
    arrived(s, (long)number, found);
    return true;
}

static void read_file(const char *path, struct findings *found)
{
    char *line = NULL;
    size_t size = 0;
    FILE *f = fopen(path, "r");

    if (f == NULL)
        die(path);
    while (getline(&line, &size, f) > 0) {
        if (!take_flood(line, found) && !take_loggen(line, found)) {
            if (found->foreign++ == 0)
                fprintf(stderr, "verify: %s: foreign: %.200s", path, line);
        }
    }
    free(line);
    fclose(f);
}

/* What whole streams lack at their ends. */
static long missing_ends(void)
{
    long missing = 0;
    for (int i = 0; i < stream_count; i++) {
        const struct stream *s = &streams[i];
        if (!s->is_expected || !s->is_whole || s->next >= s->count)
            continue;
        if (missing == 0)
            fprintf(stderr, "verify: %s ends at %ld of %ld\n", s->name, s->next, s->count);
        missing += s->count - s->next;
    }
    return missing;
}

/* Numbers that nobody sent. */
static long invented(void)
{
    long count = 0;
    for (int i = 0; i < stream_count; i++) {
        if (streams[i].is_expected && streams[i].next > streams[i].count)
            count += streams[i].next - streams[i].count;
    }
    return count;
}

int main(int argc, char **argv)
{
    struct findings found = {0};
    bool is_again_allowed = false;
    long missing_allowed = 0, loggen_messages = 0;
    int option, loggen_streams = 0;

    while ((option = getopt(argc, argv, "dg:l:m:")) != -1) {
        switch (option) {
        case 'd':
            is_again_allowed = true;
            break;
        case 'g':
            missing_allowed = atol(optarg);
            break;
        case 'm':
            read_manifest(optarg);
            break;
        case 'l':
            if (sscanf(optarg, "%ld:%d", &loggen_messages, &loggen_streams) == 2)
                break;
            return 64;
        default:
            return 64;
        }
    }
    if (optind == argc)
        return 64;
    for (int i = optind; i < argc; i++)
        read_file(argv[i], &found);
    found.missing += missing_ends();
    long strange = found.changed + found.foreign + found.unexpected + invented();
    printf("%ld messages of %d streams; %ld missing, %ld again, %ld changed, %ld foreign, "
           "%ld unexpected\n",
           found.messages, stream_count, found.missing, found.again, found.changed,
           found.foreign, found.unexpected);
    return strange != 0 || found.missing > missing_allowed ||
           (found.again != 0 && !is_again_allowed) || found.messages == 0 ||
           found.loggen_messages != loggen_messages || found.loggen_streams != loggen_streams;
}
