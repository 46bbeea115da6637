/*
 * The ring of batches: oldest first, one being filled, nothing left of those that were abandoned.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/partition/pipeline.h"

static void batches_come_out_in_the_order_they_were_begun(void **state)
{
    (void)state;
    struct flight flight;
    struct flight_times *times;
    flight_init(&flight, 2, 4, 4);
    for (uint64_t round = 0; round < 5; round++) {
        assert_null(flight_oldest(&flight, &times));
        for (uint64_t i = 1; i <= 2; i++) {
            assert_int_equal(round * 2 + i, flight_filling(&flight)->number);
            assert_ptr_equal(flight_filling(&flight), flight_filling(&flight));
            flight_begin(&flight);
        }
        assert_int_equal(round * 2 + 1, flight_oldest(&flight, &times)->number);
        assert_int_equal(round * 2 + 1, flight_all(&flight)[0]->number);
        assert_int_equal(round * 2 + 2, flight_all(&flight)[1]->number);
        flight_end(&flight);
        assert_int_equal(round * 2 + 2, flight_oldest(&flight, &times)->number);
        flight_end(&flight);
    }
    flight_deinit(&flight);
}

static void one_is_filled_while_others_are_in_flight(void **state)
{
    (void)state;
    struct flight flight;
    struct flight_times *times;
    flight_init(&flight, 1, 4, 4);
    flight_filling(&flight);
    flight_begin(&flight);
    struct batch *next = flight_filling(&flight);
    flight_filling_times(&flight)->load_us = 7;
    assert_ptr_not_equal(next, flight_oldest(&flight, &times));
    flight_end(&flight);
    assert_ptr_equal(next, flight_filling(&flight));
    flight_begin(&flight);
    assert_ptr_equal(next, flight_oldest(&flight, &times));
    assert_int_equal(7, times->load_us);
    flight_end(&flight);
    flight_deinit(&flight);
}

/* Else the loop would try to put in what does not go in, over and over, until it is committed. */
static void a_closed_batch_is_full_until_it_is_begun(void **state)
{
    (void)state;
    struct flight flight;
    flight_init(&flight, 1, 4, 4);
    flight_filling(&flight);
    assert_false(flight.full);
    flight_close(&flight);
    assert_true(flight.full);
    flight_begin(&flight);
    assert_false(flight.full);
    flight_filling(&flight);
    flight_close(&flight);
    flight_abandon(&flight);
    assert_false(flight.full);
    flight_deinit(&flight);
}

static void a_batch_that_is_dropped_is_no_longer_filled(void **state)
{
    (void)state;
    struct flight flight;
    struct flight_times *times;
    flight_init(&flight, 1, 4, 4);
    struct batch *dropped = flight_filling(&flight);
    dropped->record_count = 1;
    flight_drop(&flight);
    assert_false(flight.filling);
    assert_null(flight_oldest(&flight, &times));
    struct batch *next = flight_filling(&flight);
    assert_ptr_equal(dropped, next);
    assert_int_equal(2, next->number);
    assert_int_equal(0, next->record_count);
    flight_deinit(&flight);
}

static void only_a_batch_that_was_begun_holds_up_decisions(void **state)
{
    (void)state;
    struct flight flight;
    flight_init(&flight, 2, 4, 4);
    flight_filling(&flight)->redraws = true;
    assert_false(flight_redraws(&flight));
    flight_begin(&flight);
    assert_true(flight_redraws(&flight));
    flight_end(&flight);
    assert_false(flight_redraws(&flight));
    flight_deinit(&flight);
}

static void decisions_in_flight_are_counted_without_those_that_are_done(void **state)
{
    (void)state;
    struct flight flight;
    flight_init(&flight, 2, 4, 4);
    assert_int_equal(0, flight_decisions(&flight, 0));
    for (uint32_t i = 1; i <= 2; i++) {
        flight_filling(&flight)->decision_count = i;
        flight_begin(&flight);
    }
    flight_filling(&flight)->decision_count = 4;
    assert_int_equal(3, flight_decisions(&flight, 0));
    assert_int_equal(2, flight_decisions(&flight, 1));
    assert_int_equal(0, flight_decisions(&flight, 2));
    flight_deinit(&flight);
}

static void abandoning_begins_anew(void **state)
{
    (void)state;
    struct flight flight;
    struct flight_times *times;
    flight_init(&flight, 2, 4, 4);
    flight_filling(&flight);
    flight_begin(&flight);
    flight_filling(&flight)->record_count = 3;
    flight_abandon(&flight);
    assert_null(flight_oldest(&flight, &times));
    assert_int_equal(1, flight_filling(&flight)->number);
    assert_int_equal(0, flight_filling(&flight)->record_count);
    flight_deinit(&flight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_come_out_in_the_order_they_were_begun),
        cmocka_unit_test(one_is_filled_while_others_are_in_flight),
        cmocka_unit_test(a_closed_batch_is_full_until_it_is_begun),
        cmocka_unit_test(a_batch_that_is_dropped_is_no_longer_filled),
        cmocka_unit_test(only_a_batch_that_was_begun_holds_up_decisions),
        cmocka_unit_test(decisions_in_flight_are_counted_without_those_that_are_done),
        cmocka_unit_test(abandoning_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
