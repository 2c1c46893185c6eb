/* SPDX-License-Identifier: MIT */
/* sink.c - a small syslog server: writes what it gets to a file, a message a line.
 *
 *     sink ADDRESS FILE
 *
 * One thread, any number of connections; a connection's lines are written when they are whole,
 * a datagram gets its LF. What was read is written before the next is read, and SIGTERM ends it
 * only between the two: so what it has read is never lost, short of SIGKILL. Line framing only.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "peer_address.h"

enum { CONNECTIONS_MAX = 256, BUFFER_BYTES = 128 * 1024 };

struct connection {
    size_t used;
    char data[BUFFER_BYTES + 1]; /* room for an LF */
};

static volatile sig_atomic_t is_ending;
static struct pollfd polls[1 + CONNECTIONS_MAX];
static struct connection *connections[1 + CONNECTIONS_MAX];
static nfds_t count = 1;

_Noreturn static void die(const char *what)
{
    fprintf(stderr, "sink: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void end(int signal_number)
{
    (void)signal_number;
    is_ending = 1;
}

static void write_all(int file, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t n = write(file, data, length);
        if (n < 0 && errno != EINTR)
            die("write");
        if (n > 0) {
            data += n;
            length -= (size_t)n;
        }
    }
}

static void drop_connection(nfds_t i)
{
    close(polls[i].fd);
    free(connections[i]);
    count--;
    polls[i] = polls[count];
    connections[i] = connections[count];
}

static void accept_one(void)
{
    int fd = accept4(polls[0].fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    struct connection *c = count <= CONNECTIONS_MAX ? malloc(sizeof(*c)) : NULL;
    if (c == NULL) {
        close(fd);
        return;
    }
    c->used = 0;
    polls[count] = (struct pollfd){.fd = fd, .events = POLLIN};
    connections[count++] = c;
}

static void read_stream(nfds_t i, int file)
{
    struct connection *c = connections[i];
    ssize_t n = recv(polls[i].fd, c->data + c->used, BUFFER_BYTES - c->used, 0);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        drop_connection(i);
        return;
    }
    c->used += (size_t)n;
    char *last = memrchr(c->data, '\n', c->used);
    size_t whole = last != NULL ? (size_t)(last + 1 - c->data) : 0;
    if (whole == 0 && c->used == BUFFER_BYTES)
        whole = c->used;
    write_all(file, c->data, whole);
    c->used -= whole;
    memmove(c->data, c->data + whole, c->used);
}

static void read_datagram(int file)
{
    static char data[BUFFER_BYTES + 1];
    ssize_t n = recv(polls[0].fd, data, BUFFER_BYTES, 0);
    if (n < 0)
        return;
    data[n] = '\n';
    write_all(file, data, (size_t)n + 1);
}

static int listen_at(const struct peer_address *at)
{
    int fd = socket(at->address.ss_family, at->type | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0)
        die("socket");
    if (at->address.ss_family == AF_UNIX)
        unlink(((const struct sockaddr_un *)&at->address)->sun_path);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, (const struct sockaddr *)&at->address, at->length) < 0)
        die("bind");
    if (at->type == SOCK_STREAM && listen(fd, CONNECTIONS_MAX) < 0)
        die("listen");
    return fd;
}

/* A signal that comes while nothing is to be read must end ppoll(), and is let in only there.
 */
static void run(bool is_stream, int file)
{
    sigset_t none, term;
    sigemptyset(&none);
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
    while (!is_ending) {
        if (ppoll(polls, count, NULL, &none) < 0)
            continue;
        for (nfds_t i = count - 1; i > 0; i--) {
            if (polls[i].revents != 0)
                read_stream(i, file);
        }
        if (polls[0].revents == 0)
            continue;
        if (is_stream)
            accept_one();
        else
            read_datagram(file);
    }
}

int main(int argc, char **argv)
{
    struct peer_address at;

    if (argc != 3 || peer_address_parse(argv[1], &at) < 0) {
        fprintf(stderr, "usage: sink ADDRESS FILE\n");
        return 64;
    }
    int file = open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0)
        die(argv[2]);
    polls[0] = (struct pollfd){.fd = listen_at(&at), .events = POLLIN};
    run(at.type == SOCK_STREAM, file);
    return 0;
}
