/*
 * The ring of batches: oldest first, one open, nothing left of those that were abandoned.
 */
#include "tests/unit/unit.h"
#include "worker/partition/pipeline.h"

static void batches_come_out_in_the_order_they_were_begun(void **state)
{
    (void)state;
    struct pipeline pipeline;
    struct batch_times *times;
    pipeline_init(&pipeline, 2, 4, 4);
    for (uint64_t round = 0; round < 5; round++) {
        assert_null(pipeline_oldest(&pipeline, &times));
        for (uint64_t i = 1; i <= 2; i++) {
            assert_int_equal(round * 2 + i, pipeline_open_batch(&pipeline)->number);
            pipeline_begin_commit(&pipeline);
        }
        assert_int_equal(round * 2 + 1, pipeline_oldest(&pipeline, &times)->number);
        assert_int_equal(round * 2 + 1, pipeline_in_flight(&pipeline)[0]->number);
        assert_int_equal(round * 2 + 2, pipeline_in_flight(&pipeline)[1]->number);
        pipeline_end_oldest(&pipeline);
        assert_int_equal(round * 2 + 2, pipeline_oldest(&pipeline, &times)->number);
        pipeline_end_oldest(&pipeline);
    }
    pipeline_deinit(&pipeline);
}

static void one_is_filled_while_others_are_in_flight(void **state)
{
    (void)state;
    struct pipeline pipeline;
    struct batch_times *times;
    pipeline_init(&pipeline, 1, 4, 4);
    pipeline_open_batch(&pipeline);
    pipeline_begin_commit(&pipeline);
    struct batch *next = pipeline_open_batch(&pipeline);
    pipeline.open_times->load_us = 7;
    assert_ptr_not_equal(next, pipeline_oldest(&pipeline, &times));
    pipeline_end_oldest(&pipeline);
    assert_ptr_equal(next, pipeline.open);
    pipeline_begin_commit(&pipeline);
    assert_ptr_equal(next, pipeline_oldest(&pipeline, &times));
    assert_int_equal(7, times->load_us);
    pipeline_end_oldest(&pipeline);
    pipeline_deinit(&pipeline);
}

/* Else the loop would try to put in what does not go in, over and over, until it is committed. */
static void a_closed_batch_is_full_until_it_is_begun(void **state)
{
    (void)state;
    struct pipeline pipeline;
    pipeline_init(&pipeline, 1, 4, 4);
    pipeline_open_batch(&pipeline);
    assert_false(pipeline.is_full);
    pipeline_close_batch(&pipeline);
    assert_true(pipeline.is_full);
    pipeline_begin_commit(&pipeline);
    assert_false(pipeline.is_full);
    pipeline_open_batch(&pipeline);
    pipeline_close_batch(&pipeline);
    pipeline_abandon(&pipeline);
    assert_false(pipeline.is_full);
    pipeline_deinit(&pipeline);
}

static void only_batches_that_are_not_in_use_give_memory_back(void **state)
{
    (void)state;
    struct pipeline pipeline;
    struct batch_times *times;
    pipeline_init(&pipeline, 1, 4, 4);
    (void)usher_arena_text(&pipeline_open_batch(&pipeline)->arena, "done", 4);
    pipeline_begin_commit(&pipeline);
    pipeline_end_oldest(&pipeline);
    const char *begun = usher_arena_text(&pipeline_open_batch(&pipeline)->arena, "begun", 5);
    pipeline_begin_commit(&pipeline);
    struct batch *open = pipeline_open_batch(&pipeline);
    const char *text = usher_arena_text(&open->arena, "open", 4);
    pipeline_return_memory(&pipeline);
    assert_string_equal(begun, "begun");
    assert_string_equal(text, "open");
    assert_non_null(pipeline_oldest(&pipeline, &times)->arena.first);
    uint32_t with_memory = 0;
    for (uint32_t i = 0; i < pipeline.slots; i++)
        with_memory += pipeline.batches[i].arena.first != NULL;
    assert_int_equal(with_memory, 2);
    pipeline_deinit(&pipeline);
}

static void a_batch_that_is_dropped_is_no_longer_filled(void **state)
{
    (void)state;
    struct pipeline pipeline;
    struct batch_times *times;
    pipeline_init(&pipeline, 1, 4, 4);
    struct batch *dropped = pipeline_open_batch(&pipeline);
    dropped->record_count = 1;
    pipeline_drop_batch(&pipeline);
    assert_null(pipeline.open);
    assert_null(pipeline_oldest(&pipeline, &times));
    struct batch *next = pipeline_open_batch(&pipeline);
    assert_ptr_equal(dropped, next);
    assert_int_equal(2, next->number);
    assert_int_equal(0, next->record_count);
    pipeline_deinit(&pipeline);
}

static void decisions_in_flight_are_counted_without_those_that_are_done(void **state)
{
    (void)state;
    struct pipeline pipeline;
    pipeline_init(&pipeline, 2, 4, 4);
    assert_int_equal(0, pipeline_decisions(&pipeline, 0));
    for (uint32_t i = 1; i <= 2; i++) {
        pipeline_open_batch(&pipeline)->decision_count = i;
        pipeline_begin_commit(&pipeline);
    }
    pipeline_open_batch(&pipeline)->decision_count = 4;
    assert_int_equal(3, pipeline_decisions(&pipeline, 0));
    assert_int_equal(2, pipeline_decisions(&pipeline, 1));
    assert_int_equal(0, pipeline_decisions(&pipeline, 2));
    pipeline_deinit(&pipeline);
}

static void abandoning_starts_over(void **state)
{
    (void)state;
    struct pipeline pipeline;
    struct batch_times *times;
    pipeline_init(&pipeline, 2, 4, 4);
    pipeline_open_batch(&pipeline);
    pipeline_begin_commit(&pipeline);
    pipeline_open_batch(&pipeline)->record_count = 3;
    pipeline_abandon(&pipeline);
    assert_null(pipeline_oldest(&pipeline, &times));
    assert_null(pipeline.open);
    assert_int_equal(1, pipeline_open_batch(&pipeline)->number);
    assert_int_equal(0, pipeline.open->record_count);
    pipeline_deinit(&pipeline);
}

/* A batch without a decision has no answer that could be awaited. */
static void only_batches_with_answers_are_measured(void **state)
{
    (void)state;
    static struct latency latency;
    struct decision_row rows[] = {{.seq = 1}, {.seq = 2}};
    const struct batch first = {.decisions = &rows[0], .decision_count = 1}, none = {0},
                       later = {.decisions = &rows[1], .decision_count = 1};
    latency_note(&latency, &first, 1000);
    assert_int_equal(1000, latency_batch_done(&latency, 1));
    latency_note(&latency, &none, 5000000);
    latency_note(&latency, &later, 3600000000);
    assert_int_equal(3600000000, latency_batch_done(&latency, 2));
    assert_int_equal(USHER_ABSENT, latency_batch_done(&latency, 2));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(batches_come_out_in_the_order_they_were_begun),
    cmocka_unit_test(one_is_filled_while_others_are_in_flight),
    cmocka_unit_test(a_closed_batch_is_full_until_it_is_begun),
    cmocka_unit_test(only_batches_that_are_not_in_use_give_memory_back),
    cmocka_unit_test(a_batch_that_is_dropped_is_no_longer_filled),
    cmocka_unit_test(decisions_in_flight_are_counted_without_those_that_are_done),
    cmocka_unit_test(abandoning_starts_over),
    cmocka_unit_test(only_batches_with_answers_are_measured),
};
UNIT_TESTS(test_pipeline, tests, NULL, NULL)
