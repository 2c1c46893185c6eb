/* SPDX-License-Identifier: MIT */
/* hvsock_test.c - listening and dialling of the Hyper-V carrier, against the habits of the real
 * thing. */
#include "hvsock_rig.h"

#include <stdio.h>

enum { SHORT_MS = 300, FOR_EVER_MS = 60000 /* of a dial that is called off */ };

static const struct uuid NEXT_VM = {.d1 = 0x77777777, .d2 = 0x1234, .d3 = 0x4321, .d4 = {9}};
static const struct uuid CHILDREN = {.d1 = 0x90db8b89,
                                     .d2 = 0x0d35,
                                     .d3 = 0x4f79,
                                     .d4 = {0x8c, 0xe9, 0x49, 0xea, 0x0a, 0xc8, 0xb7, 0xcd}};

/* ---- listening --------------------------------------------------------------------------- */

static void listen__exact_guid__guest_is_accepted(void **state)
{
    struct link link = link_open();
    char text[8] = "";

    (void)state;
    assert_string_equal(link.host->peer, "vm 5a2b6c10-1234-4321-0102-030000000000");
    assert_int_equal(write_text(link.guest, "to host"), 0);
    assert_int_equal(link.host->ops->read(link.host, text, sizeof text), 7);
    assert_memory_equal(text, "to host", 7);
    assert_int_equal(write_text(link.host, "to vm"), 0);
    assert_int_equal(link.guest->ops->read(link.guest, text, sizeof text), 5);
    assert_memory_equal(text, "to vm", 5);
    link_close(&link);
}

/* The wildcard is never bound: it would be a listener that hears nothing. */
static void wildcard__to_listen_or_to_dial__is_not_found(void **state)
{
    static const struct uuid ZERO;
    struct os_listener *l = NULL;
    struct os_stream *s = NULL;

    (void)state;
    assert_int_equal(hv_listen(&ZERO, &l), ERR_NOT_FOUND);
    assert_null(l);
    assert_int_equal(hv_dial(&ZERO, DIAL_MS, NULL, NULL, &s), ERR_NOT_FOUND);
}

static void *accept_run(void *arg)
{
    struct os_listener *l = arg;
    static int result;
    struct os_stream *unexpected = NULL;

    result = l->ops->accept(l, &unexpected);
    return &result;
}

/* That nobody comes is silence, not an error: only a cancel ends the wait. */
static void assert_unheard(struct os_listener *l, const struct uuid *vm)
{
    struct os_stream *guest = NULL;
    void *result;
    pthread_t t;

    assert_int_equal(guest_connect(vm, &guest), ERR_TIMEOUT);
    assert_int_equal(pthread_create(&t, NULL, accept_run, l), 0);
    l->ops->cancel(l);
    pthread_join(t, &result);
    assert_int_equal(*(int *)result, ERR_CANCELED);
}

static void listen__children_guid__hears_nobody_and_is_canceled(void **state)
{
    struct os_listener *l = listener(&CHILDREN);

    (void)state;
    assert_unheard(l, &VM);
    l->ops->close(l);
}

static void listen__vm_starts_anew__old_guid_is_deaf_and_the_new_one_hears(void **state)
{
    struct os_listener *old = listener(&VM);
    struct os_stream *guest = NULL, *host = NULL;

    (void)state;
    hyperv_set_vm(&NEXT_VM);
    assert_unheard(old, &NEXT_VM);
    old->ops->close(old);
    struct os_listener *next = listener(&NEXT_VM);
    assert_int_equal(guest_connect(&NEXT_VM, &guest), 0);
    assert_int_equal(next->ops->accept(next, &host), 0);
    guest->ops->close(guest);
    host->ops->close(host);
    next->ops->close(next);
}

static void listen__denied_by_listen__says_why(void **state)
{
    const struct {
        int code, expected;
    } cases[] = {
        {HYPERV_CODE_ACCES, ERR_ACCESS},      /* neither the VM's user nor SYSTEM */
        {HYPERV_CODE_INVAL, ERR_UNSUPPORTED}, /* disabled by policy */
        {HYPERV_CODE_ADDRINUSE, ERR_IN_USE},
        {HYPERV_CODE_ADDRNOTAVAIL, ERR_IN_USE}, /* any other: somebody else has the port */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct os_listener *l = NULL;
        char text[OS_ERROR_TEXT_MAX], code[16];
        habits((struct hyperv_habits){.listen_code = cases[i].code});
        assert_int_equal(hv_listen(&VM, &l), cases[i].expected);
        assert_null(l);
        snprintf(code, sizeof code, "(%d)", cases[i].code);
        assert_non_null(strstr(os_error_last(text, sizeof text), code));
    }
}

static void listen__port_is_taken__is_in_use(void **state)
{
    struct os_listener *first = listener(&VM), *second = NULL;

    (void)state;
    assert_int_equal(hv_listen(&VM, &second), ERR_IN_USE);
    first->ops->close(first);
    assert_int_equal(hv_listen(&VM, &second), 0);
    second->ops->close(second);
}

static void system__without_hyperv__is_unsupported(void **state)
{
    struct os_listener *l = NULL;
    struct os_stream *s = NULL;

    (void)state;
    habits((struct hyperv_habits){.socket_code = HYPERV_CODE_AFNOSUPPORT});
    assert_int_equal(hv_listen(&VM, &l), ERR_UNSUPPORTED);
    assert_int_equal(hv_dial(&VM, DIAL_MS, NULL, NULL, &s), ERR_UNSUPPORTED);
}

/* ---- dialling ---------------------------------------------------------------------------- */

static void dial__guest_listens__is_connected(void **state)
{
    struct os_listener *l = guest_listener();
    struct os_stream *host = NULL, *guest = NULL;
    uint8_t data[16];
    size_t length;

    (void)state;
    assert_int_equal(hv_dial(&VM, DIAL_MS, NULL, NULL, &host), 0);
    assert_int_equal(l->ops->accept(l, &guest), 0);
    assert_int_equal(write_text(host, "hello"), 0);
    host->ops->finish(host); /* works only if the connection's context was set */
    assert_int_equal(read_all(guest, data, sizeof data, &length), ERR_CLOSED);
    assert_int_equal(length, 5);
    assert_memory_equal(data, "hello", 5);
    host->ops->close(host);
    guest->ops->close(guest);
    l->ops->close(l);
}

static void dial__always__sets_the_connect_timeout(void **state)
{
    const struct {
        unsigned asked;
        uint32_t expected;
    } cases[] = {{5000, 5000}, {0, 1}, {UINT32_MAX, 300000}};
    struct os_listener *l = guest_listener();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct os_stream *s = NULL;
        int r = hv_dial(&VM, cases[i].asked, NULL, NULL, &s);
        assert_true(r == 0 || (cases[i].asked == 0 && r == ERR_TIMEOUT));
        if (r == 0)
            s->ops->close(s);
        assert_int_equal(hyperv_seen().connect_timeout_ms, cases[i].expected);
    }
    l->ops->close(l);
}

static void dial__nobody_answers__times_out(void **state)
{
    struct os_stream *s = NULL;
    uint64_t begin_ms = os_clock_ms();

    (void)state;
    assert_int_equal(hv_dial(&VM, SHORT_MS, NULL, NULL, &s), ERR_TIMEOUT);
    assert_null(s);
    assert_true(os_clock_ms() - begin_ms < TEST_LIMIT_MS);
    habits((struct hyperv_habits){.connect_hangs = true, .connect_ignores_timeout = true});
    assert_int_equal(hv_dial(&VM, SHORT_MS, NULL, NULL, &s), ERR_TIMEOUT);
}

static bool is_third_question(void *arg)
{
    int *asked = arg;

    return ++*asked >= 3;
}

static void dial__canceled_while_it_hangs__ends_at_once(void **state)
{
    struct os_stream *s = NULL;
    uint64_t begin_ms = os_clock_ms();
    int asked = 0;

    (void)state;
    habits((struct hyperv_habits){.connect_hangs = true, .connect_ignores_timeout = true});
    assert_int_equal(hv_dial(&VM, FOR_EVER_MS, is_third_question, &asked, &s), ERR_CANCELED);
    assert_null(s);
    assert_true(os_clock_ms() - begin_ms < TEST_LIMIT_MS);
}

static void dial__refused_by_the_system__is_an_error_to_try_again(void **state)
{
    const struct {
        int code, expected;
    } cases[] = {
        {HYPERV_CODE_TIMEDOUT, ERR_TIMEOUT},
        {HYPERV_CODE_REFUSED, ERR_REFUSED},
        {HYPERV_CODE_CONNECTION_REFUSED, ERR_REFUSED},
        {HYPERV_CODE_CONNECTION_UNAVAIL, ERR_REFUSED},
        {HYPERV_CODE_CONNRESET, ERR_REFUSED},
        {HYPERV_CODE_NETUNREACH, ERR_NOT_FOUND},
        {HYPERV_CODE_ADDRNOTAVAIL, ERR_NOT_FOUND},
        {HYPERV_CODE_ACCES, ERR_ACCESS},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct os_stream *s = NULL;
        habits((struct hyperv_habits){.connect_code = cases[i].code});
        assert_int_equal(hv_dial(&VM, DIAL_MS, NULL, NULL, &s), cases[i].expected);
        assert_null(s);
    }
}

static void dial__vm_starts_anew__the_new_guid_connects(void **state)
{
    struct os_listener *l = guest_listener();
    struct os_stream *s = NULL;

    (void)state;
    assert_int_equal(hv_dial(&VM, DIAL_MS, NULL, NULL, &s), 0);
    s->ops->close(s);
    s = NULL;
    hyperv_reset(&NEXT_VM); /* the old guest is gone */
    assert_int_equal(hv_dial(&VM, SHORT_MS, NULL, NULL, &s), ERR_TIMEOUT);
    assert_true(hyperv_publish(&NEXT_VM, PORT, (uint16_t)l->port));
    assert_int_equal(hv_dial(&NEXT_VM, DIAL_MS, NULL, NULL, &s), 0);
    s->ops->close(s);
    l->ops->close(l);
}

static void socket__always__asks_only_for_what_is_known_to_work(void **state)
{
    struct link link = link_open();

    (void)state;
    assert_int_equal(write_text(link.host, "x"), 0);
    link_close(&link);
    assert_int_equal(hyperv_seen().options_refused, 0);
    assert_int_equal(hyperv_seen().names_asked, 0); /* it names another service than ours */
    assert_int_equal(hyperv_seen().suspends, 2);    /* listener and connection */
}

static void socket__old_system_without_suspend__works_all_the_same(void **state)
{
    (void)state;
    habits((struct hyperv_habits){.suspend_refused = true});
    struct link link = link_open();
    assert_int_equal(write_text(link.host, "x"), 0);
    link_close(&link);
    assert_int_equal(hyperv_seen().suspends, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(listen__exact_guid__guest_is_accepted, setup),
        cmocka_unit_test_setup(wildcard__to_listen_or_to_dial__is_not_found, setup),
        cmocka_unit_test_setup(listen__children_guid__hears_nobody_and_is_canceled, setup),
        cmocka_unit_test_setup(listen__vm_starts_anew__old_guid_is_deaf_and_the_new_one_hears,
                               setup),
        cmocka_unit_test_setup(listen__denied_by_listen__says_why, setup),
        cmocka_unit_test_setup(listen__port_is_taken__is_in_use, setup),
        cmocka_unit_test_setup(system__without_hyperv__is_unsupported, setup),
        cmocka_unit_test_setup(dial__guest_listens__is_connected, setup),
        cmocka_unit_test_setup(dial__always__sets_the_connect_timeout, setup),
        cmocka_unit_test_setup(dial__nobody_answers__times_out, setup),
        cmocka_unit_test_setup(dial__canceled_while_it_hangs__ends_at_once, setup),
        cmocka_unit_test_setup(dial__refused_by_the_system__is_an_error_to_try_again, setup),
        cmocka_unit_test_setup(dial__vm_starts_anew__the_new_guid_connects, setup),
        cmocka_unit_test_setup(socket__always__asks_only_for_what_is_known_to_work, setup),
        cmocka_unit_test_setup(socket__old_system_without_suspend__works_all_the_same, setup),
    };

    return RUN_TESTS(tests);
}
