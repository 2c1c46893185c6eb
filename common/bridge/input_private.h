/* SPDX-License-Identifier: MIT */
/* input_private.h - what the kinds of input share with input.c. */
#ifndef HVLOG_BRIDGE_INPUT_PRIVATE_H
#define HVLOG_BRIDGE_INPUT_PRIVATE_H

#include <stdatomic.h>

#include "common/os/thread.h"
#include "input.h"
#include "input_taker.h"
#include "log.h"

/* One kind of input. */
struct input_ops {
    bool is_waiting; /* a full queue makes it wait */

    /* open - bind; what the kind needs hangs on <in>->kind; sets <in>->port. Errors as
     * input_open(); nothing is left then. */
    int (*open)(struct input *in);

    /* run - take records in until input_is_stopping(); then take what is there already and
     * close the socket. In the input's own thread. */
    void (*run)(struct input *in);

    /* wake - make run look at input_is_stopping(). Never lost; any thread. */
    void (*wake)(struct input *in);

    /* close - give everything back. The thread is gone. */
    void (*close)(struct input *in);
};

extern const struct input_ops input_stream_ops;
extern const struct input_ops input_dgram_ops;

struct input {
    const struct input_config *config;
    const struct input_ops *ops;
    void *kind;
    uint8_t index;
    uint8_t transport; /* enum transport */
    uint16_t port;

    struct taker taker;
    struct input_counters counters;

    /* Lines that peers can cause. */
    struct log_limit peer_limit;
    struct log_limit system_limit;

    struct os_thread thread;
    bool is_started;
    atomic_bool is_stopping;
    struct os_mutex lock; /* for <stopping> */
    struct os_cond stopping;
};

bool input_is_stopping(struct input *in);

/* input_pause() - wait for <ms>, or until the input is to stop. */
void input_pause(struct input *in, unsigned ms);

/* input_allows() - may <from> send to this input? A sender without an address (unix) always
 * may: the rights of the socket's file say who gets so far. */
bool input_allows(const struct input *in, const struct address *from);

#endif
