/* SPDX-License-Identifier: MIT */
/* thread_test.c - locks, and conditions that honour deadlines. */
#include "common/os/thread.h"

#include "os_test.h"

enum { ADDERS = 4, ADDITIONS = 20000, ROUNDS = 2000 };

struct shared {
    struct os_mutex mutex;
    struct os_cond cond;
    int value;
    bool is_turn_of_other;
};

static void shared_init(struct shared *s)
{
    *s = (struct shared){0};
    os_mutex_init(&s->mutex);
    os_cond_init(&s->cond);
}

static void shared_release(struct shared *s)
{
    os_cond_release(&s->cond);
    os_mutex_release(&s->mutex);
}

static void *add_run(void *arg)
{
    struct shared *s = arg;

    for (int i = 0; i < ADDITIONS; i++) {
        os_mutex_lock(&s->mutex);
        s->value++;
        os_mutex_unlock(&s->mutex);
    }
    return NULL;
}

static void mutex__many_threads__lose_no_addition(void **state)
{
    struct os_thread t[ADDERS];
    struct shared s;

    (void)state;
    shared_init(&s);
    for (size_t i = 0; i < ADDERS; i++)
        assert_int_equal(os_thread_start(&t[i], "a name of more than 15", add_run, &s), 0);
    for (size_t i = 0; i < ADDERS; i++)
        os_thread_join(&t[i]);
    assert_int_equal(s.value, ADDERS * ADDITIONS);
    shared_release(&s);
}

static void cond__nobody_signals__ends_at_the_deadline_not_before(void **state)
{
    const uint64_t waits_ms[] = {0, 1, 7, 50, 1100}; /* one of them longer than a slice */
    struct shared s;

    (void)state;
    shared_init(&s);
    os_mutex_lock(&s.mutex);
    for (size_t i = 0; i < COUNT(waits_ms); i++) {
        uint64_t deadline = os_clock_ms() + waits_ms[i];
        while (os_cond_wait_until(&s.cond, &s.mutex, deadline))
            assert_true(os_clock_ms() < deadline + TEST_LIMIT_MS);
        assert_true(os_clock_ms() >= deadline);
        assert_true(os_clock_ms() < deadline + TEST_LIMIT_MS);
    }
    os_mutex_unlock(&s.mutex);
    shared_release(&s);
}

static void cond__deadline_is_past__is_over_at_once(void **state)
{
    struct shared s;

    (void)state;
    shared_init(&s);
    os_mutex_lock(&s.mutex);
    assert_false(os_cond_wait_until(&s.cond, &s.mutex, 0));
    assert_false(os_cond_wait_until(&s.cond, &s.mutex, os_clock_ms()));
    os_mutex_unlock(&s.mutex);
    shared_release(&s);
}

/* Takes its turn, gives it back, again and again; a lost signal would stop both. */
static void *turns_run(void *arg)
{
    struct shared *s = arg;

    os_mutex_lock(&s->mutex);
    for (int i = 0; i < ROUNDS; i++) {
        while (!s->is_turn_of_other)
            os_cond_wait_until(&s->cond, &s->mutex, OS_NEVER);
        s->is_turn_of_other = false;
        s->value++;
        os_cond_signal(&s->cond);
    }
    os_mutex_unlock(&s->mutex);
    return NULL;
}

static void cond__signal__wakes_the_waiter_before_its_deadline(void **state)
{
    uint64_t limit = test_deadline();
    struct os_thread t;
    struct shared s;
    bool in_time = true;

    (void)state;
    shared_init(&s);
    assert_int_equal(os_thread_start(&t, "turns", turns_run, &s), 0);
    os_mutex_lock(&s.mutex);
    for (int i = 0; i < ROUNDS && in_time; i++) {
        s.is_turn_of_other = true;
        os_cond_broadcast(&s.cond);
        while (s.is_turn_of_other && in_time)
            in_time = os_cond_wait_until(&s.cond, &s.mutex, limit);
    }
    os_mutex_unlock(&s.mutex);
    assert_true(in_time);
    os_thread_join(&t);
    assert_int_equal(s.value, ROUNDS);
    shared_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutex__many_threads__lose_no_addition),
        cmocka_unit_test(cond__nobody_signals__ends_at_the_deadline_not_before),
        cmocka_unit_test(cond__deadline_is_past__is_over_at_once),
        cmocka_unit_test(cond__signal__wakes_the_waiter_before_its_deadline),
    };

    return RUN_TESTS(tests);
}
