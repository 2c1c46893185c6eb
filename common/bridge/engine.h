/* SPDX-License-Identifier: MIT */
/* engine.h - inputs, queues, link and outputs put together from a configuration: what both
 * programs run.
 *
 *     inputs -> outbound queue -> link ... link -> inbound queue -> outputs
 */
#ifndef HVLOG_BRIDGE_ENGINE_H
#define HVLOG_BRIDGE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "input.h"
#include "link.h"
#include "output.h"
#include "queue.h"

struct engine;

/* engine_open() - make everything that <config> (borrowed) says and bind the address of every
 * input. On failure nothing is left, and <error> holds one clear line. Returns 0; ERR_IN_USE,
 * ERR_ACCESS (exit 77), ERR_NOT_FOUND, ERR_INVALID (a secret that is missing: exit 78),
 * ERR_UNSUPPORTED, ERR_NO_MEMORY, ERR_IO.
 * engine_start() - begin; a link that listens binds its address now. On failure nothing runs,
 * and <error> holds one clear line. Returns 0; ERR_IN_USE, ERR_ACCESS, ERR_NOT_FOUND,
 * ERR_UNSUPPORTED, ERR_NO_MEMORY, ERR_IO.
 * engine_reopen() - outputs reopen their files.
 * engine_stop() - inputs close; queues drain until <config>.node.drain_timeout_ms; link and
 * outputs end. What is then still held is counted and told in the log. <is_hurried> (may be
 * NULL) is asked now and then: true ends the draining.
 */
int engine_open(const struct config *config, const char *program, struct engine **ret,
                char error[CONFIG_ERROR_MAX]);
int engine_start(struct engine *e, char error[CONFIG_ERROR_MAX]);
void engine_reopen(struct engine *e);
void engine_stop(struct engine *e, bool (*is_hurried)(void *), void *arg);
void engine_free(struct engine *e);

/* What status and metrics are made from; any thread while the engine is open. */
const struct config *engine_config(const struct engine *e);
const char *engine_program(const struct engine *e);
uint64_t engine_since_wall_us(const struct engine *e);
size_t engine_inputs(const struct engine *e);
struct input *engine_input(const struct engine *e, size_t i);
size_t engine_outputs(const struct engine *e);
struct output *engine_output(const struct engine *e, size_t i);
struct queue *engine_outbound(const struct engine *e); /* inputs to link */
struct queue *engine_inbound(const struct engine *e);  /* link to outputs */
void engine_link_status(const struct engine *e, struct link_status *ret);

#endif
