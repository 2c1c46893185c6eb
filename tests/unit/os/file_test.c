/* SPDX-License-Identifier: MIT */
/* file_test.c - appending, rotation, small files. Rights and devices: file_linux_test.c. */
#include "common/os/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/os/stream.h"
#include "os_test.h"

enum { PATH_BYTES = 256 };

/* One folder for each run of this program, below the current one. */
static char folder[PATH_BYTES];

static const char *path_of(const char *name)
{
    static char path[2 * PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int folder_setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "file_test-%" PRIu64, os_process_id());
    return os_folder_make(folder);
}

static int folder_teardown(void **state)
{
    const char *names[] = {"log", "log.1", "text", "new/log"};

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        remove(path_of(names[i]));
    rmdir(path_of("new"));
    rmdir(path_of("a/b/c"));
    rmdir(path_of("a/b"));
    rmdir(path_of("a"));
    return rmdir(folder);
}

static void append(struct os_file *f, const char *text)
{
    struct os_vec vec = {text, strlen(text)};
    size_t written = 0;

    assert_int_equal(os_file_write(f, &vec, 1, &written), 0);
    assert_int_equal(written, strlen(text));
}

static void assert_holds(const char *path, const char *text)
{
    char *data = NULL;
    size_t length = 0;

    assert_int_equal(os_file_read_all(path, 1000000, &data, &length), 0);
    assert_string_equal(data, text);
    assert_int_equal(length, strlen(text));
    free(data);
}

static void file__opened_twice__is_appended_to(void **state)
{
    struct os_file *f = NULL;

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(os_file_append(path_of("log"), &f), 0);
        assert_int_equal(os_file_size(f), (uint64_t)i * 4);
        append(f, "one\n");
        assert_int_equal(os_file_size(f), (uint64_t)i * 4 + 4);
        os_file_close(f);
    }
    assert_holds(path_of("log"), "one\none\n");
}

static void file__more_pieces_than_one_call_takes__all_are_written(void **state)
{
    struct os_vec vec[3 * OS_VEC_MAX + 1];
    char expected[3 * OS_VEC_MAX + 2] = "";
    struct os_file *f = NULL;
    size_t written = 0, length = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(vec); i++) {
        vec[i] = (struct os_vec){"ab", i % 3}; /* some are empty */
        memcpy(expected + length, "ab", i % 3);
        length += i % 3;
    }
    expected[length] = '\0';
    remove(path_of("log"));
    assert_int_equal(os_file_append(path_of("log"), &f), 0);
    assert_int_equal(os_file_write(f, vec, COUNT(vec), &written), 0);
    assert_int_equal(os_file_write(f, vec, 0, NULL), 0);
    os_file_close(f);
    assert_int_equal(written, length);
    assert_holds(path_of("log"), expected);
}

static void file__renamed_away__is_no_longer_current(void **state)
{
    struct os_file *f = NULL, *next = NULL;
    char old[2 * PATH_BYTES];

    (void)state;
    remove(path_of("log"));
    remove(path_of("log.1"));
    assert_int_equal(os_file_append(path_of("log"), &f), 0);
    append(f, "first\n");
    assert_true(os_file_is_current(f));
    snprintf(old, sizeof old, "%s", path_of("log"));
    assert_int_equal(rename(old, path_of("log.1")), 0);
    assert_false(os_file_is_current(f));
    append(f, "second\n"); /* still goes to the old one */
    assert_int_equal(os_file_append(old, &next), 0);
    assert_false(os_file_is_current(f));
    assert_true(os_file_is_current(next));
    append(next, "third\n");
    os_file_close(f);
    os_file_close(next);
    assert_holds(path_of("log.1"), "first\nsecond\n");
    assert_holds(old, "third\n");
}

static void file__removed__is_no_longer_current(void **state)
{
    struct os_file *f = NULL;

    (void)state;
    if (test_is_wine())
        skip(); /* Wine 8 keeps the name until the file is closed, and does not tell */
    assert_int_equal(os_file_append(path_of("log"), &f), 0);
    assert_int_equal(remove(path_of("log")), 0);
    assert_false(os_file_is_current(f));
    os_file_close(f);
}

static void file__folder_is_missing__one_level_is_made(void **state)
{
    struct os_file *f = NULL;

    (void)state;
    assert_int_equal(os_file_append(path_of("new/log"), &f), 0);
    os_file_close(f);
    f = NULL;
    assert_int_equal(os_file_append(path_of("none/at/all"), &f), ERR_NOT_FOUND);
    assert_null(f);
}

static void file__standard_output__is_always_current(void **state)
{
    struct os_file *f = NULL;

    (void)state;
    assert_int_equal(os_file_stdout(&f), 0);
    assert_true(os_file_is_current(f));
    append(f, "# a line on standard output\n");
    os_file_close(f);
}

static void read_all__limit__counts_to_the_octet(void **state)
{
    const size_t sizes[] = {0, 1, 4095, 4096, 4097, 10000};
    struct os_file *f;

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char *text = malloc(sizes[i] + 1), *data = NULL;
        size_t length = 0;
        assert_non_null(text);
        memset(text, 'x', sizes[i]);
        text[sizes[i]] = '\0';
        remove(path_of("text"));
        assert_int_equal(os_file_append(path_of("text"), &f), 0);
        append(f, text);
        os_file_close(f);
        assert_int_equal(os_file_read_all(path_of("text"), sizes[i], &data, &length), 0);
        assert_int_equal(length, sizes[i]);
        assert_string_equal(data, text);
        free(data);
        if (sizes[i] > 0)
            assert_int_equal(os_file_read_all(path_of("text"), sizes[i] - 1, &data, &length),
                             ERR_FULL);
        free(text);
    }
}

static void read_all__no_such_file__is_not_found(void **state)
{
    char *data = NULL;
    size_t length = 0;

    (void)state;
    assert_int_equal(os_file_read_all(path_of("none"), 100, &data, &length), ERR_NOT_FOUND);
    assert_null(data);
}

static void folder__levels_are_missing__all_are_made(void **state)
{
    struct os_file *f = NULL;

    (void)state;
    assert_int_equal(os_folder_make(path_of("a/b/c")), 0);
    assert_int_equal(os_folder_make(path_of("a/b/c")), 0);
    assert_int_equal(os_folder_make(path_of("a/b/")), 0);
    assert_int_equal(os_file_append(path_of("text"), &f), 0);
    os_file_close(f);
    assert_int_equal(os_folder_make(path_of("text")), ERR_IO);
}

static void path__default__fits_or_is_full(void **state)
{
    const enum os_path what[] = {OS_PATH_CONFIG, OS_PATH_STATE, OS_PATH_CONTROL};
    char path[1024], tiny[8];

    (void)state;
    for (size_t i = 0; i < COUNT(what); i++) {
        assert_int_equal(os_path_default(what[i], "relay", path, sizeof path), 0);
        assert_non_null(strstr(path, "hvlog"));
        assert_int_equal(os_path_default(what[i], "relay", tiny, sizeof tiny), ERR_FULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file__opened_twice__is_appended_to),
        cmocka_unit_test(file__more_pieces_than_one_call_takes__all_are_written),
        cmocka_unit_test(file__renamed_away__is_no_longer_current),
        cmocka_unit_test(file__removed__is_no_longer_current),
        cmocka_unit_test(file__folder_is_missing__one_level_is_made),
        cmocka_unit_test(file__standard_output__is_always_current),
        cmocka_unit_test(read_all__limit__counts_to_the_octet),
        cmocka_unit_test(read_all__no_such_file__is_not_found),
        cmocka_unit_test(folder__levels_are_missing__all_are_made),
        cmocka_unit_test(path__default__fits_or_is_full),
    };

    return os_process_startup() == 0
               ? cmocka_run_group_tests(tests, folder_setup, folder_teardown)
               : 1;
}
