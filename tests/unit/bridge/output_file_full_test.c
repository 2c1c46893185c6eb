/* SPDX-License-Identifier: MIT */
/* output_file_full_test.c - a disk that is full in the middle of a line: Linux only, where a
 * limit on the file's size plays the full disk.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "common/os/file.h"
#include "outlet.h"

#define PATH    "output_file_full_test.log"
#define ROTATED "output_file_full_test.log.1"

enum { RECORDS = 1000, LENGTH = 100, BYTES_MAX = 64 * 1024 * 1024 };

static void set_limit(rlim_t octets)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = octets;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static size_t read_file(const char *path, char **ret)
{
    size_t length;

    assert_int_equal(os_file_read_all(path, BYTES_MAX, ret, &length), 0);
    return length;
}

static void assert_numbered(const char *data, size_t length, size_t first)
{
    assert_int_equal(length % (LENGTH + 1), 0);
    for (size_t i = 0; i < length / (LENGTH + 1); i++) {
        assert_int_equal(number_of(data + i * (LENGTH + 1)), first + i);
        assert_int_equal(data[i * (LENGTH + 1) + LENGTH], '\n');
    }
}

/* Fill the "disk" up to the middle of a record. */
static void set_up(struct outlet *t, enum output_prefix prefix)
{
    signal(SIGXFSZ, SIG_IGN);
    remove(PATH);
    remove(ROTATED);
    outlet_init(t, "file:" PATH);
    t->config.prefix = prefix;
    outlet_open(t);
    set_limit(LENGTH * 10 + LENGTH / 2);
    for (size_t i = 0; i < 4; i++)
        outlet_submit(t, make_numbered(i * RECORDS, RECORDS, LENGTH));
    outlet_await(&outlet_counters(t)->retried, 1);
}

static void tear_down(struct outlet *t)
{
    set_limit(RLIM_INFINITY);
    outlet_close(t);
    remove(PATH);
    remove(ROTATED);
}

static void output_file__disk_full_in_a_line__goes_on_there_when_there_is_room(void **state)
{
    (void)state;
    struct outlet t;
    char *data;
    set_up(&t, PREFIX_NONE);

    /* A part of a line is there, and no batch is finished. */
    size_t length = read_file(PATH, &data);
    assert_int_equal(length, LENGTH * 10 + LENGTH / 2);
    free(data);
    assert_int_equal(counter_get(&outlet_counters(&t)->delivered), 0);

    set_limit(RLIM_INFINITY);
    outlet_await(&outlet_counters(&t)->delivered, 4 * RECORDS);
    length = read_file(PATH, &data);
    assert_int_equal(length, 4 * RECORDS * (LENGTH + 1));
    assert_numbered(data, length, 0);
    free(data);
    tear_down(&t);
}

static void output_file__disk_full_with_prefix__goes_on_there_too(void **state)
{
    (void)state;
    static const char prefix[] = "192.0.2.7:40123 udp ";
    enum { WHOLE = LENGTH + sizeof(prefix) };
    struct outlet t;
    char *data;
    set_up(&t, PREFIX_SOURCE);

    set_limit(RLIM_INFINITY);
    outlet_await(&outlet_counters(&t)->delivered, 4 * RECORDS);
    size_t length = read_file(PATH, &data);
    assert_int_equal(length, 4 * RECORDS * WHOLE);
    for (size_t i = 0; i < 4 * RECORDS; i++) {
        assert_memory_equal(data + i * WHOLE, prefix, strlen(prefix));
        assert_int_equal(number_of(data + i * WHOLE + strlen(prefix)), i);
    }
    free(data);
    tear_down(&t);
}

static void output_file__rotated_while_full__gets_the_torn_line_whole(void **state)
{
    (void)state;
    struct outlet t;
    char *data;
    set_up(&t, PREFIX_NONE);

    assert_int_equal(rename(PATH, ROTATED), 0);
    set_limit(RLIM_INFINITY);
    outlet_await(&outlet_counters(&t)->delivered, 4 * RECORDS);
    /* Whole lines and a torn one are in the old file. */
    size_t whole = (LENGTH * 10 + LENGTH / 2) / (LENGTH + 1);
    size_t length = read_file(PATH, &data);
    assert_numbered(data, length, whole);
    assert_int_equal(length, (4 * RECORDS - whole) * (LENGTH + 1));
    free(data);
    tear_down(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_file__disk_full_in_a_line__goes_on_there_when_there_is_room),
        cmocka_unit_test(output_file__disk_full_with_prefix__goes_on_there_too),
        cmocka_unit_test(output_file__rotated_while_full__gets_the_torn_line_whole),
    };
    return RUN_TESTS(tests);
}
