/* SPDX-License-Identifier: MIT */
/* bare_pipeline.c - the least that any bridge of hvlog's shape has to do, to measure hvlog
 * against.
 *
 *     bare_pipeline ADDRESS FILE
 *
 * Two processes. The first takes TCP connections, splits what comes into lines and puts a
 * header of 24 octets before each; a unix socket takes them to the second, which goes by the
 * headers and writes the lines to a file. No queue, no acknowledgement, no source, no counter,
 * no error that it survives. Prints "ready" when it listens; SIGTERM ends it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/peer_address.h"

enum { CONNECTIONS_MAX = 64, READ_BYTES = 256 * 1024, HEADER_BYTES = 24 };
enum { WRITE_BYTES = READ_BYTES * 2, BACK_BYTES = 1024 * 1024 };

struct connection {
    size_t used;
    char data[READ_BYTES];
};

_Noreturn static void die(const char *what)
{
    fprintf(stderr, "bare_pipeline: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void write_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, data, length);
        if (n < 0)
            die("write");
        data += n;
        length -= (size_t)n;
    }
}

/* ---- the first process ------------------------------------------------------------------- */

static struct pollfd polls[1 + CONNECTIONS_MAX];
static struct connection *connections[1 + CONNECTIONS_MAX];
static nfds_t count = 1;

/* split() - header and text of each whole line, to <link>. */
static void split(struct connection *c, int link)
{
    static char out[WRITE_BYTES];
    size_t used = 0, at = 0;
    const char *end;

    while ((end = memchr(c->data + at, '\n', c->used - at)) != NULL) {
        size_t length = (size_t)(end - (c->data + at));
        uint32_t header[HEADER_BYTES / sizeof(uint32_t)] = {(uint32_t)length};
        if (used + HEADER_BYTES + length > sizeof(out)) {
            write_all(link, out, used);
            used = 0;
        }
        memcpy(out + used, header, HEADER_BYTES);
        memcpy(out + used + HEADER_BYTES, c->data + at, length);
        used += HEADER_BYTES + length;
        at += length + 1;
    }
    write_all(link, out, used);
    c->used -= at;
    memmove(c->data, c->data + at, c->used);
}

static void drop_connection(nfds_t i)
{
    close(polls[i].fd);
    free(connections[i]);
    count--;
    polls[i] = polls[count];
    connections[i] = connections[count];
}

static void take(nfds_t i, int link)
{
    struct connection *c = connections[i];
    ssize_t n = recv(polls[i].fd, c->data + c->used, sizeof(c->data) - c->used, 0);
    if (n <= 0) {
        drop_connection(i);
        return;
    }
    c->used += (size_t)n;
    split(c, link);
}

static void accept_one(void)
{
    int fd = accept(polls[0].fd, NULL, NULL);
    struct connection *c = malloc(sizeof(*c));
    if (fd < 0 || c == NULL || count > CONNECTIONS_MAX)
        die("accept");
    c->used = 0;
    polls[count] = (struct pollfd){.fd = fd, .events = POLLIN};
    connections[count++] = c;
}

_Noreturn static void run_front(int listener, int link)
{
    polls[0] = (struct pollfd){.fd = listener, .events = POLLIN};
    for (;;) {
        if (poll(polls, count, -1) < 0)
            die("poll");
        for (nfds_t i = count - 1; i > 0; i--) {
            if (polls[i].revents != 0)
                take(i, link);
        }
        if (polls[0].revents != 0)
            accept_one();
    }
}

/* ---- the second process ------------------------------------------------------------------ */

/* unpack() - the whole lines of <length> octets to <out>. Returns the octets used. */
static size_t unpack(const char *data, size_t length, char *out, size_t *ret_out)
{
    size_t at = 0, used = 0;

    while (length - at >= HEADER_BYTES) {
        uint32_t size;
        memcpy(&size, data + at, sizeof(size));
        if (length - at - HEADER_BYTES < size)
            break;
        memcpy(out + used, data + at + HEADER_BYTES, size);
        out[used + size] = '\n';
        used += size + 1;
        at += HEADER_BYTES + size;
    }
    *ret_out = used;
    return at;
}

_Noreturn static void run_back(int link, int file)
{
    static char in[BACK_BYTES], out[BACK_BYTES];
    size_t held = 0, lines;

    for (;;) {
        ssize_t n = recv(link, in + held, sizeof(in) - held, 0);
        if (n <= 0)
            exit(0);
        held += (size_t)n;
        size_t used = unpack(in, held, out, &lines);
        write_all(file, out, lines);
        held -= used;
        memmove(in, in + used, held);
    }
}

int main(int argc, char **argv)
{
    struct peer_address at;
    int link[2], on = 1;

    if (argc != 3 || peer_address_parse(argv[1], &at) < 0) {
        fprintf(stderr, "usage: bare_pipeline ADDRESS FILE\n");
        return 64;
    }
    int file = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0644);
    int listener = socket(at.address.ss_family, at.type, 0);
    if (file < 0 || listener < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, link) < 0)
        die(argv[2]);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(listener, (const struct sockaddr *)&at.address, at.length) < 0 ||
        listen(listener, CONNECTIONS_MAX) < 0)
        die(argv[1]);
    pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        close(link[0]);
        run_back(link[1], file);
    }
    close(link[1]);
    printf("ready\n");
    fflush(stdout);
    run_front(listener, link[0]);
}
