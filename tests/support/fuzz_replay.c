/* SPDX-License-Identifier: MIT */
/* fuzz_replay.c - runs a fuzz target once over each file of a folder. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fuzz_target.h"

enum {
    PATH_MAX_BYTES = 4096,      /* longest path of a corpus file */
    INPUT_MAX_BYTES = 16 << 20, /* larger than any input the targets read */
};

/* replay_file() - feed the file at <path> to the target. Returns 0, or -1 if it cannot be read.
 */
static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        return -1;

    uint8_t *data = malloc(INPUT_MAX_BYTES);
    size_t size = data == NULL ? 0 : fread(data, 1, INPUT_MAX_BYTES, file);
    int failed = data == NULL || ferror(file);
    fclose(file);
    if (failed) {
        free(data);
        return -1;
    }

    /* An exact copy, so that ASan sees the first octet read too far. */
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL) {
        free(data);
        return -1;
    }
    memcpy(exact, data, size);
    free(data);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}

/* replay_folder() - every file of <folder>. Returns their number, or -1 after saying what
 * failed. */
static int replay_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;

    if (dir == NULL) {
        fprintf(stderr, "%s: cannot be opened\n", folder);
        return -1;
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        char path[PATH_MAX_BYTES];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (replay_file(path) != 0) {
            fprintf(stderr, "%s: cannot be read\n", path);
            count = -1;
            break;
        }
        count++;
    }
    closedir(dir);
    return count;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 64;
    }

    int count = replay_folder(argv[1]);
    if (count == 0)
        fprintf(stderr, "%s: holds no input\n", argv[1]);
    if (count <= 0)
        return 1;
    printf("%d inputs replayed\n", count);
    return 0;
}
