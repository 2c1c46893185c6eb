/* SPDX-License-Identifier: MIT */
/* flood.c - sends numbered syslog messages, as many, as large and as fast as asked.
 *
 *     flood [-c CONNECTIONS] [-n MESSAGES] [-r RATE] [-s SIZE] [-f line|octet] [-p 3164|5424]
 *           [-t TAG] [-o MANIFEST] [-k] [-w SECONDS] ADDRESS|lines:
 *
 * Each message names its stream, "TAG<connection>.<epoch>", and its number in it; behind them
 * come letters that follow from the number, so that verify sees what was cut or mixed up:
 *
 *     <13>Oct 11 22:14:15 lan flood: ~c=T3.0 n=42 qrstuvwxyzab;
 *
 * MESSAGES is for each connection, RATE a second for all of them together (0: no limit). With
 * -k a connection that breaks is made again, as the stream's next epoch; without, that is a
 * failure. At the end of a stream connection flood waits until the peer has closed, too, so
 * that nothing is under way any more. MANIFEST gets one line for each stream, "NAME whole|cut
 * COUNT", the list that verify checks against: of a cut one the end may be missing. lines:
 * writes messages without their headers to stdout, for logger -f.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "peer_address.h"

enum {
    CONNECTIONS_MAX = 1000,
    SIZE_MAX_BYTES = 1024 * 1024,
    BLOCK_BYTES = 16 * 1024, /* what one stream connection gets in its turn, at least */
    PACE_US = 1000,          /* how finely RATE is spread */
    REDIAL_MS = 20,
};

struct options {
    int connections;
    long messages, rate;
    size_t size;
    bool is_octet, is_5424, is_redialling, is_lines;
    int wait_s;
    const char *tag;
    FILE *manifest;
    struct peer_address to;
};

struct connection {
    int fd, epoch;
    long sent;  /* of all epochs */
    long begun; /* of this epoch */
};

static uint64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void pause_until(uint64_t us)
{
    struct timespec t = {.tv_sec = (time_t)(us / 1000000),
                         .tv_nsec = (long)(us % 1000000) * 1000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

_Noreturn static void die(const char *what)
{
    fprintf(stderr, "flood: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void dial(const struct options *o, struct connection *c)
{
    uint64_t limit = now_us() + (uint64_t)o->wait_s * 1000000;

    for (;;) {
        c->fd = socket(o->to.address.ss_family, o->to.type | SOCK_CLOEXEC, 0);
        if (c->fd < 0)
            die("socket");
        if (connect(c->fd, (const struct sockaddr *)&o->to.address, o->to.length) == 0)
            return;
        if (!o->is_redialling || now_us() > limit)
            die("connect");
        close(c->fd);
        pause_until(now_us() + REDIAL_MS * 1000);
    }
}

/* What stands before a message's text; the same for all, since time is not what is tested. */
static const char *header(const struct options *o)
{
    if (o->is_lines)
        return "";
    return o->is_5424 ? "<13>1 2024-10-11T22:14:15.003Z lan flood - - - "
                      : "<13>Oct 11 22:14:15 lan flood: ";
}

/* make() - message <n> of <c> with its framing, at <out>. Returns its octets. */
static size_t make(const struct options *o, int index, const struct connection *c, char *out)
{
    char text[256];
    int head = snprintf(text, sizeof(text), "%s~c=%s%d.%d n=%ld ", header(o), o->tag, index,
                        c->epoch, c->begun);
    size_t length = (size_t)head + 1 > o->size ? (size_t)head + 1 : o->size;
    char *p = out;

    if (o->is_octet)
        p += sprintf(p, "%zu ", length);
    memcpy(p, text, (size_t)head);
    for (size_t i = (size_t)head, n = (size_t)c->begun; i + 1 < length; i++, n++)
        p[i] = (char)('a' + n % 26);
    p[length - 1] = ';';
    p += length;
    if (o->is_lines || (o->to.type == SOCK_STREAM && !o->is_octet))
        *p++ = '\n';
    return (size_t)(p - out);
}

static void note(const struct options *o, int index, const struct connection *c, bool is_whole)
{
    if (o->manifest != NULL && c->begun > 0)
        fprintf(o->manifest, "%s%d.%d %s %ld\n", o->tag, index, c->epoch,
                is_whole ? "whole" : "cut", c->begun);
}

static void redial(const struct options *o, int index, struct connection *c)
{
    if (!o->is_redialling)
        die("send");
    note(o, index, c, false);
    close(c->fd);
    c->epoch++;
    c->begun = 0;
    dial(o, c);
}

static bool send_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t n = send(fd, data, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        data += n;
        length -= (size_t)n;
    }
    return true;
}

/* A refusal of a datagram before this one is no failure of this one; a full queue empties. */
static void send_datagram(const struct connection *c, const char *data, size_t length)
{
    while (send(c->fd, data, length, MSG_NOSIGNAL) < 0) {
        if (errno != EINTR && errno != ECONNREFUSED && errno != ENOBUFS)
            die("send");
    }
}

static void send_block(const struct options *o, int index, struct connection *c, long count)
{
    static char block[BLOCK_BYTES + SIZE_MAX_BYTES + 64];
    size_t used = 0;

    for (; count > 0 && used < BLOCK_BYTES; count--) {
        used += make(o, index, c, block + used);
        c->begun++;
        c->sent++;
        if (!o->is_lines && o->to.type == SOCK_DGRAM) {
            send_datagram(c, block, used);
            used = 0;
        }
    }
    if (o->is_lines)
        fwrite(block, 1, used, stdout);
    else if (used > 0 && !send_all(c->fd, block, used))
        redial(o, index, c);
}

/* The turns go round until each connection has sent its messages; RATE bounds a turn. */
static void run(const struct options *o, struct connection *connections)
{
    uint64_t begin = now_us();
    long total = 0, goal = o->messages * o->connections;

    while (total < goal) {
        long due = goal - total;
        if (o->rate > 0) {
            long allowed = (long)((now_us() - begin) * (uint64_t)o->rate / 1000000);
            due = allowed - total;
            if (due <= 0) {
                pause_until(now_us() + PACE_US);
                continue;
            }
        }
        for (int i = 0; i < o->connections && due > 0; i++) {
            struct connection *c = &connections[i];
            long left = o->messages - c->sent, before = c->sent;
            long share = due / (o->connections - i);
            long count = share > 0 ? share : 1;
            send_block(o, i, c, count < left ? count : left);
            total += c->sent - before;
            due -= c->sent - before;
        }
    }
}

/* finish() - end the stream; whether the peer ended it as well, orderly, within the limit. */
static bool finish(const struct options *o, const struct connection *c)
{
    struct pollfd p = {.fd = c->fd, .events = POLLIN};
    char ignored[256];
    ssize_t n;

    shutdown(c->fd, SHUT_WR);
    do {
        if (poll(&p, 1, o->wait_s * 1000) <= 0) {
            errno = ETIMEDOUT;
            return false;
        }
        n = recv(c->fd, ignored, sizeof(ignored), 0);
    } while (n > 0);
    return n == 0;
}

static void end(const struct options *o, struct connection *connections)
{
    for (int i = 0; i < o->connections; i++) {
        bool is_whole = o->is_lines || o->to.type == SOCK_DGRAM || finish(o, &connections[i]);
        if (!is_whole && !o->is_redialling)
            die("the peer's end of the connection");
        note(o, i, &connections[i], is_whole);
        if (!o->is_lines)
            close(connections[i].fd);
    }
}

static void parse(int argc, char **argv, struct options *o)
{
    int option;

    while ((option = getopt(argc, argv, "c:n:r:s:f:p:t:o:kw:")) != -1) {
        switch (option) {
        case 'c':
            o->connections = atoi(optarg);
            break;
        case 'n':
            o->messages = atol(optarg);
            break;
        case 'r':
            o->rate = atol(optarg);
            break;
        case 's':
            o->size = (size_t)atol(optarg);
            break;
        case 'f':
            o->is_octet = strcmp(optarg, "octet") == 0;
            break;
        case 'p':
            o->is_5424 = strcmp(optarg, "5424") == 0;
            break;
        case 't':
            o->tag = optarg;
            break;
        case 'k':
            o->is_redialling = true;
            break;
        case 'w':
            o->wait_s = atoi(optarg);
            break;
        case 'o':
            o->manifest = fopen(optarg, "w");
            if (o->manifest == NULL)
                die(optarg);
            break;
        default:
            exit(64);
        }
    }
    o->is_lines = optind < argc && strcmp(argv[optind], "lines:") == 0;
    if (optind + 1 != argc || o->connections < 1 || o->connections > CONNECTIONS_MAX ||
        o->messages < 1 || o->size > SIZE_MAX_BYTES ||
        (!o->is_lines && peer_address_parse(argv[optind], &o->to) < 0)) {
        fprintf(stderr, "flood: see the top of flood.c\n");
        exit(64);
    }
}

int main(int argc, char **argv)
{
    static struct connection connections[CONNECTIONS_MAX];
    struct options o = {.connections = 1, .messages = 1, .tag = "m", .wait_s = 60};

    parse(argc, argv, &o);
    for (int i = 0; i < o.connections && !o.is_lines; i++)
        dial(&o, &connections[i]);
    run(&o, connections);
    end(&o, connections);
    if (fflush(NULL) != 0)
        die("write");
    return 0;
}
