/* SPDX-License-Identifier: MIT */
/* peer_address.c - addresses as the test tools take them, in the words of hvlog's
 * configuration. */
#include "peer_address.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

/* The text behind <word>, or NULL. */
static const char *behind(const char *text, const char *word)
{
    size_t n = strlen(word);
    return strncmp(text, word, n) == 0 ? text + n : NULL;
}

static int parse_path(const char *path, int type, struct peer_address *ret)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    if (*path == '\0' || strlen(path) >= sizeof(un.sun_path))
        return -1;
    memcpy(un.sun_path, path, strlen(path) + 1);
    memcpy(&ret->address, &un, sizeof(un));
    ret->length = sizeof(un);
    ret->type = type;
    return 0;
}

static int parse_inet(const char *text, int type, struct peer_address *ret)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = type};
    struct addrinfo *found;
    char host[64];
    const char *port = strrchr(text, ':');

    if (port == NULL || (size_t)(port - text) >= sizeof(host))
        return -1;
    size_t length = (size_t)(port - text);
    if (text[0] == '[' && length >= 2 && text[length - 1] == ']')
        snprintf(host, sizeof(host), "%.*s", (int)length - 2, text + 1);
    else
        snprintf(host, sizeof(host), "%.*s", (int)length, text);
    if (getaddrinfo(host, port + 1, &hints, &found) != 0)
        return -1;
    memcpy(&ret->address, found->ai_addr, found->ai_addrlen);
    ret->length = found->ai_addrlen;
    ret->type = type;
    freeaddrinfo(found);
    return 0;
}

int peer_address_parse(const char *text, struct peer_address *ret)
{
    const char *rest;

    *ret = (struct peer_address){0};
    if ((rest = behind(text, "unix:")) != NULL)
        return parse_path(rest, SOCK_STREAM, ret);
    if ((rest = behind(text, "unix-dgram:")) != NULL)
        return parse_path(rest, SOCK_DGRAM, ret);
    if ((rest = behind(text, "tcp:")) != NULL)
        return parse_inet(rest, SOCK_STREAM, ret);
    if ((rest = behind(text, "udp:")) != NULL)
        return parse_inet(rest, SOCK_DGRAM, ret);
    return -1;
}
