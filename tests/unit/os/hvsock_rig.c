/* SPDX-License-Identifier: MIT */
/* hvsock_rig.c - what the tests of the Hyper-V carrier share. */
#include "hvsock_rig.h"

int setup(void **state)
{
    (void)state;
    hyperv_reset(&VM);
    return 0;
}

int hv_listen(const struct uuid *vm, struct os_listener **ret)
{
    struct endpoint at = endpoint_of("hvsock:5140");
    struct os_target target = {.endpoint = &at, .vm_id = *vm};

    return os_carrier_find("hvsock")->listen(&target, ret);
}

int hv_dial(const struct uuid *vm, unsigned timeout_ms, bool (*is_canceled)(void *), void *arg,
            struct os_stream **ret)
{
    struct endpoint to = endpoint_of("hvsock:5140");
    struct os_target target = {.endpoint = &to, .vm_id = *vm};

    return os_carrier_find("hvsock")->dial(&target, timeout_ms, is_canceled, arg, ret);
}

struct os_listener *listener(const struct uuid *vm)
{
    struct os_listener *l = NULL;

    assert_int_equal(hv_listen(vm, &l), 0);
    return l;
}

int guest_connect(const struct uuid *vm, struct os_stream **ret)
{
    uint16_t port = hyperv_port(vm, PORT);

    if (port == 0)
        return ERR_TIMEOUT;
    struct endpoint to = endpoint_with_port("tcp:127.0.0.1:1", port);
    struct os_target target = {.endpoint = &to};
    return os_carrier_find("tcp")->dial(&target, DIAL_MS, NULL, NULL, ret);
}

struct link link_open(void)
{
    struct os_listener *l = listener(&VM);
    struct link link = {0};

    assert_int_equal(guest_connect(&VM, &link.guest), 0);
    assert_int_equal(l->ops->accept(l, &link.host), 0);
    l->ops->close(l);
    return link;
}

void link_close(struct link *link)
{
    if (link->host)
        link->host->ops->close(link->host);
    if (link->guest)
        link->guest->ops->close(link->guest);
}

struct os_listener *guest_listener(void)
{
    struct endpoint at = endpoint_of("tcp:127.0.0.1:0");
    struct os_target target = {.endpoint = &at};
    struct os_listener *l = NULL;

    assert_int_equal(os_carrier_find("tcp")->listen(&target, &l), 0);
    assert_true(hyperv_publish(&VM, PORT, (uint16_t)l->port));
    return l;
}

int write_text(struct os_stream *s, const char *text)
{
    struct os_vec vec = {text, strlen(text)};

    return s->ops->write(s, &vec, 1);
}

ptrdiff_t read_all(struct os_stream *s, uint8_t *data, size_t room, size_t *ret_length)
{
    size_t length = 0;
    ptrdiff_t n = 0;

    while (length < room && (n = s->ops->read(s, data + length, room - length)) > 0)
        length += (size_t)n;
    *ret_length = length;
    return n;
}

void habits(struct hyperv_habits h)
{
    hyperv_set_habits(&h);
}
