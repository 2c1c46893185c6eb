/* SPDX-License-Identifier: MIT */
/* blast.c - sends lines by TCP as fast as they are taken, and times how long until they are in
 * a file.
 *
 *     blast ADDRESS CONNECTIONS MESSAGES SIZE FILE
 *
 * SIZE is a line's with its LF; blocks of 64 KiB go to the connections in turn. The clock stops
 * when FILE has grown by all the lines' octets. Prints messages a second; exit status 1 if FILE
 * stays short for LIMIT_S or grows further than it should.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/peer_address.h"

enum { CONNECTIONS_MAX = 1000, BLOCK_BYTES = 64 * 1024, LIMIT_S = 60, LOOK_US = 500 };

_Noreturn static void die(const char *what)
{
    fprintf(stderr, "blast: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long long size_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? (long long)s.st_size : 0;
}

static int dial(const struct peer_address *to)
{
    int fd = socket(to->address.ss_family, to->type, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&to->address, to->length) < 0)
        die("connect");
    return fd;
}

/* All lines are the same: what is measured does not look into them. */
static size_t fill(char *block, size_t size)
{
    static const char head[] = "<13>Oct 11 22:14:15 lan blast: ";
    size_t used = 0;

    for (; used + size <= BLOCK_BYTES; used += size) {
        memset(block + used, 'x', size - 1);
        memcpy(block + used, head, sizeof(head) - 1);
        block[used + size - 1] = '\n';
    }
    return used;
}

static void send_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t n = send(fd, data, length, MSG_NOSIGNAL);
        if (n < 0)
            die("send");
        data += n;
        length -= (size_t)n;
    }
}

static void wait_for_size(const char *path, long long size, double limit_s)
{
    while (size_of(path) < size) {
        if (now_s() > limit_s) {
            fprintf(stderr, "blast: %s has %lld of %lld octets\n", path, size_of(path), size);
            exit(1);
        }
        clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = LOOK_US * 1000L},
                        NULL);
    }
}

int main(int argc, char **argv)
{
    static char block[BLOCK_BYTES];
    static int fds[CONNECTIONS_MAX];
    struct peer_address to;

    if (argc != 6 || peer_address_parse(argv[1], &to) < 0) {
        fprintf(stderr, "usage: blast ADDRESS CONNECTIONS MESSAGES SIZE FILE\n");
        return 64;
    }
    int connections = atoi(argv[2]);
    long messages = atol(argv[3]);
    size_t size = (size_t)atol(argv[4]);
    if (connections < 1 || connections > CONNECTIONS_MAX || size < 64 || size > BLOCK_BYTES)
        return 64;
    size_t whole = fill(block, size);
    long long base = size_of(argv[5]);
    for (int i = 0; i < connections; i++)
        fds[i] = dial(&to);

    double begin = now_s();
    size_t left = (size_t)messages * size;
    for (int i = 0; left > 0; i = (i + 1) % connections) {
        size_t n = left < whole ? left : whole;
        send_all(fds[i], block, n);
        left -= n;
    }
    long long goal = base + (long long)messages * (long long)size;
    wait_for_size(argv[5], goal, begin + LIMIT_S);
    double took = now_s() - begin;
    for (int i = 0; i < connections; i++)
        close(fds[i]);
    if (size_of(argv[5]) != goal) {
        fprintf(stderr, "blast: %s has more than was sent\n", argv[5]);
        return 1;
    }
    printf("%.0f\n", (double)messages / took);
    return 0;
}
