/* SPDX-License-Identifier: MIT */
/* status.h - what a running program says of itself: one snapshot, from which JSON and text are
 * made.
 *
 * Each number is whole and never goes back; numbers of different threads are of nearly, not
 * exactly, the same instant. The books of a queue are of one instant each.
 */
#ifndef HVLOG_BRIDGE_STATUS_H
#define HVLOG_BRIDGE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/text.h"
#include "config.h"
#include "engine.h"

/* A counter in struct input_counters or output_counters and its name in the JSON. */
struct status_counter {
    const char *group; /* the object it stands in; NULL: beside the groups */
    const char *name;
    size_t offset;
};
enum { STATUS_INPUT_COUNTERS = 21, STATUS_OUTPUT_COUNTERS = 7 };
extern const struct status_counter status_input_counters[STATUS_INPUT_COUNTERS];
extern const struct status_counter status_output_counters[STATUS_OUTPUT_COUNTERS];

/* status_counter_get() - the counter in <counters>, which is the struct of its table;
 * COUNTER_UNKNOWN (null in the JSON) where the system does not tell. */
uint64_t status_counter_get(const struct status_counter *counter, const void *counters);

struct status_input {
    char name[INPUT_NAME_MAX + 1];
    char listen[ENDPOINT_TEXT_MAX]; /* with the port that was bound */
    struct input_counters counters;
};

struct status_output {
    char name[INPUT_NAME_MAX + 1];
    char to[ENDPOINT_TEXT_MAX];
    char error[CONFIG_ERROR_MAX]; /* why the target is away, "" if it is not */
    struct output_counters counters;
};

struct status {
    const char *program;
    const char *version;
    char node[WIRE_NAME_MAX + 1];
    char config_file[CONFIG_PATH_MAX];
    uint64_t since_wall_us;
    char link_address[ENDPOINT_TEXT_MAX];
    const char *link_role;
    char vm_id[UUID_TEXT_MAX]; /* "" where there is none */
    struct link_status link;
    struct queue_books out, in; /* inputs to link, link to outputs */
    size_t input_count, output_count;
    struct status_input inputs[INPUT_COUNT_MAX];
    struct status_output outputs[CONFIG_OUTPUTS_MAX];
};

/* status_take() - a snapshot of <e>. Any thread. NULL: out of memory. status_free() it. */
struct status *status_take(const struct engine *e);
void status_free(struct status *s);

/* status_is_balanced() - received = delivered + dropped + held. */
bool status_is_balanced(const struct queue_books *books);

/* status_json() - one line of JSON without an LF; names and their order are an interface.
 * status_text() - for people, in 80 columns where names are short.
 * What cannot be appended leaves its error in <out>.
 */
void status_json(const struct status *s, struct text *out);
void status_text(const struct status *s, struct text *out);

/* status_answer() - for control_start(), <arg> is the struct engine: "status json" or "status
 * text", with an LF at the answer's end; anything else gets "unknown request".
 */
void status_answer(void *arg, const char *request, struct text *out);

#endif
