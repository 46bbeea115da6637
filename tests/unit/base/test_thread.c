/* Waits and joins with a deadline: they end by the deadline, and by what was waited for. */
#include "producer/base/clock.h"
#include "producer/base/thread.h"
#include "tests/unit/unit.h"

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open;
};

static void gate_init(struct gate *gate)
{
    *gate = (struct gate){.open = false};
    pthread_mutex_init(&gate->lock, NULL);
    thread_condition_init(&gate->changed);
}

static void gate_deinit(struct gate *gate)
{
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->lock);
}

static void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

/* Waits until the gate is open. False: not before the deadline. */
static bool gate_pass(struct gate *gate, int64_t deadline_ms)
{
    pthread_mutex_lock(&gate->lock);
    bool in_time = true;
    while (!gate->open && in_time)
        in_time = thread_wait(&gate->changed, &gate->lock, deadline_ms);
    bool open = gate->open;
    pthread_mutex_unlock(&gate->lock);
    return open;
}

static void *pass(void *argument)
{
    return gate_pass(argument, clock_ms() + 60000) ? argument : NULL;
}

static void a_wait_ends_at_its_deadline(void **state)
{
    (void)state;
    struct gate gate;
    gate_init(&gate);
    int64_t start_ms = clock_ms();
    assert_false(gate_pass(&gate, start_ms - 1));
    assert_false(gate_pass(&gate, start_ms + 30));
    assert_true(clock_ms() >= start_ms + 30);
    gate_open(&gate);
    assert_true(gate_pass(&gate, start_ms - 1));
    gate_deinit(&gate);
}

static void a_join_gives_up_on_a_thread_that_runs(void **state)
{
    (void)state;
    struct gate gate;
    pthread_t thread;
    gate_init(&gate);
    assert_int_equal(pthread_create(&thread, NULL, pass, &gate), 0);
    assert_false(thread_join(thread, 0));
    assert_false(thread_join(thread, 30));
    gate_open(&gate);
    assert_true(thread_join(thread, 60000));
    gate_deinit(&gate);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_wait_ends_at_its_deadline),
    cmocka_unit_test(a_join_gives_up_on_a_thread_that_runs),
};
UNIT_TESTS(test_thread, tests, NULL, NULL)
