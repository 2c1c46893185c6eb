/* SPDX-License-Identifier: MIT */
/* config_fuzz.c - any octets as a whole configuration.
 *
 * What is asserted: it is either taken, without a complaint and within the bounds that the rest
 * of the program relies on, or refused with at least one and at most so many whole lines.
 */
#include <stdlib.h>
#include <string.h>

#include "common/bridge/config.h"
#include "common/bridge/queue.h"
#include "common/core/err.h"

static void require(bool truth)
{
    if (!truth)
        abort();
}

static void defaults(struct text *out)
{
    text_append_string(out, "[link]\naddress = tcp:127.0.0.1:5140\nrole = connect\n");
}

static void nothing(struct text *out)
{
    (void)out;
}

static bool is_ended(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

static void require_inputs(const struct config *c)
{
    require(c->input_count <= INPUT_COUNT_MAX);
    for (size_t i = 0; i < c->input_count; i++) {
        const struct input_config *in = &c->inputs[i];
        struct reason why;
        require(in->name[0] != '\0' && is_ended(in->name, sizeof(in->name)));
        require(endpoint_check(&in->listen, ENDPOINT_LISTEN, &why) == 0);
        require(in->framer.max_message > 0 && in->framer.max_message <= MESSAGE_MAX_LIMIT);
        require(in->max_connections > 0 && in->allow_count <= CONFIG_ALLOW_MAX);
        for (size_t k = 0; k < i; k++)
            require(strcmp(in->name, c->inputs[k].name) != 0);
    }
}

static void require_outputs(const struct config *c)
{
    require(c->output_count <= CONFIG_OUTPUTS_MAX);
    for (size_t i = 0; i < c->output_count; i++) {
        const struct output_config *out = &c->outputs[i];
        struct reason why;
        require(out->name[0] != '\0' && is_ended(out->name, sizeof(out->name)));
        require(endpoint_check(&out->to, ENDPOINT_CONNECT, &why) == 0);
        require(out->input_count <= INPUT_COUNT_MAX);
        for (size_t k = 0; k < out->input_count; k++)
            require(out->inputs[k][0] != '\0' && is_ended(out->inputs[k], INPUT_NAME_MAX + 1));
    }
}

static void require_usable(const struct config *c)
{
    require(c->link.role == WIRE_CONNECTOR || c->link.role == WIRE_LISTENER);
    require(c->link.heartbeat_ms > 0);
    require(c->queue.memory >= QUEUE_MEMORY_MIN);
    require(c->log_level <= LOG_DEBUG);
    require(is_ended(c->control_path, sizeof(c->control_path)));
    require_inputs(c);
    require_outputs(c);
}

static void require_complaints(const struct text *errors)
{
    const char *text = text_string(errors);
    size_t lines = 0;
    require(text_err(errors) == 0);
    require(errors->length > 0 && text[errors->length - 1] == '\n');
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    require(lines <= CONFIG_COMPLAINTS_MAX + 1);
    require(strlen(text) == errors->length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct config_program program = {
        .name = "fuzz", .defaults = defaults, .samples = nothing};
    struct config *c = NULL;
    struct text errors;
    text_init(&errors, CONFIG_COMPLAINTS_BYTES);
    int r = config_parse(&program, "f", (const char *)data, size, &c, &errors);
    if (r == 0) {
        require(errors.length == 0);
        require_usable(c);
    } else if (r == ERR_INVALID) {
        require(c == NULL);
        require_complaints(&errors);
    }
    config_free(c);
    text_release(&errors);
    return 0;
}
