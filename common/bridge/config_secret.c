/* SPDX-License-Identifier: MIT */
/* config_secret.c - the secret that both sides of the link must know. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/os/file.h"
#include "config.h"

enum { SECRET_FILE_MAX = CONFIG_SECRET_MAX + 256 }; /* with white space around it */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Moves the secret to the start of <data>. Returns its length. */
static size_t strip(char *data, size_t length)
{
    size_t begin = 0;
    while (begin < length && is_space(data[begin]))
        begin++;
    while (length > begin && is_space(data[length - 1]))
        length--;
    memmove(data, data + begin, length - begin);
    return length - begin;
}

static int complain(const struct config *c, int err, char error[CONFIG_ERROR_MAX])
{
    (void)snprintf(error, CONFIG_ERROR_MAX, "cannot read the secret in %s: %s",
                   c->link.secret_file, err_text(err));
    return err;
}

static int complain_length(const struct config *c, const char *what, int limit,
                           char error[CONFIG_ERROR_MAX])
{
    (void)snprintf(error, CONFIG_ERROR_MAX, "the secret in %s is %s than %d octets",
                   c->link.secret_file, what, limit);
    return ERR_INVALID;
}

int config_secret(const struct config *c, uint8_t **ret_secret, size_t *ret_length,
                  char error[CONFIG_ERROR_MAX])
{
    char *data = NULL;
    size_t length = 0;
    if (c->link.secret_file[0] == '\0') {
        *ret_secret = NULL;
        *ret_length = 0;
        return 0;
    }
    int r = os_file_read_all(c->link.secret_file, SECRET_FILE_MAX, &data, &length);
    if (r == ERR_FULL)
        return complain_length(c, "longer", CONFIG_SECRET_MAX, error);
    if (r < 0)
        return complain(c, r, error);

    length = strip(data, length);
    if (length < CONFIG_SECRET_MIN)
        r = complain_length(c, "shorter", CONFIG_SECRET_MIN, error);
    else if (length > CONFIG_SECRET_MAX)
        r = complain_length(c, "longer", CONFIG_SECRET_MAX, error);
    if (r < 0) {
        free(data);
        return r;
    }
    *ret_secret = (uint8_t *)data;
    *ret_length = length;
    return 0;
}
