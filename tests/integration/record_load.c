/*
 * What a partition's memory asks a real PostgreSQL for: each kind of look-up finds its rows, no
 * others, in its order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/codec/stored.h"
#include "record_samples.h"

static struct usher_arena arena;

static struct load_result load(struct record_port *record, const struct load_request *request)
{
    return fixture_load(record, request, &arena, NULL);
}

/* ---- bookings ---- */

static void a_cart_has_all_of_its_bookings_and_no_others(void **state)
{
    struct record_port *record = sample_record(state);
    const struct sample samples[] = {
        {1, 13, 1, "held", "c1", "k", 5, 1, 0, 2},
        {1, 12, 1, "confirmed", "c1", "k", 0, 1, 2, 2},
        {1, 14, 1, "expired", "c1", "k", 0, 1, 0, 0},
        {1, 15, 1, "held", "c1", NULL, 5, 1, 4, 2},
        {1, 16, 1, "held", "c1", "other", 5, 1, 6, 2},
        {1, 17, 1, "held", "c2", "k", 5, 1, 8, 2},
        {1, 18, 50, "held", "c1", "k", 5, 3, 0, 2},
        {2, 19, 1, "held", "c1", "k", 5, 1, 0, 2},
    };
    ADD_SAMPLES(state, samples);
    const struct load_cart carts[] = {{"show:x", "c1", "k"},
                                      {"show:x", "c2", "k"},
                                      {"show:x", "c2", "other"},
                                      {"show:away", "c1", "k"},
                                      {"nowhere", "c1", "k"}};
    struct load_result result =
        load(record, &(struct load_request){.carts = carts, .cart_count = 1});
    ASSERT_SAMPLES(result.of_carts, result.of_cart_count, 12, 13, 14);
    assert_string_equal("k", result.of_carts[0].cart);
    assert_int_equal(BOOKING_EXPIRED, result.of_carts[2].state);
    result = load(record, &(struct load_request){.carts = carts, .cart_count = 5});
    ASSERT_SAMPLES(result.of_carts, result.of_cart_count, 12, 13, 14, 17);
    pg_record_close(record);
}

/* All that ends by itself, in the order of its end, beginning behind a place in that order. */
static void what_comes_due_is_held_blocked_or_waiting(void **state)
{
    struct record_port *record = sample_record(state);
    const struct sample samples[] = {
        {1, 11, 1, "held", "c1", NULL, 9, 1, 0, 2},
        {1, 12, 1, "blocked", NULL, NULL, 7, 1, 2, 2},
        {1, 13, 1, "waiting", "c1", NULL, 8, 1, 0, 0},
        {1, 14, 1, "blocked", NULL, NULL, 0, 1, 4, 2},
        {1, 15, 1, "expired", "c1", NULL, 5, 1, 0, 0},
        {1, 16, 50, "held", "c1", NULL, 7, 3, 0, 2},
        {2, 17, 1, "held", "c1", NULL, 7, 1, 0, 2},
        {1, 18, 1, "held", "c1", NULL, 30, 1, 6, 2},
        {1, 19, 1, "left", "c1", NULL, 5, 1, 0, 0},
    };
    ADD_SAMPLES(state, samples);
    const int64_t base_ms = INT64_C(1800000000000);
    struct load_request request = {.due = true,
                                   .due_after_ms = INT64_MIN,
                                   .due_after_no = INT64_MAX,
                                   .due_until_ms = base_ms + 20 * 60000,
                                   .due_limit = 10};
    struct load_result result = load(record, &request);
    ASSERT_SAMPLES(result.due, result.due_count, 12, 16, 13, 11);
    assert_false(result.due_remain);
    assert_int_equal(base_ms + 7 * 60000, result.due[0].expires_ms);
    assert_int_equal(BOOKING_WAITING, result.due[2].state);
    request.due_limit = 2;
    result = load(record, &request);
    ASSERT_SAMPLES(result.due, result.due_count, 12, 16);
    assert_true(result.due_remain);
    request.due_after_ms = base_ms + 7 * 60000;
    request.due_after_no = SAMPLE_NO(12);
    result = load(record, &request);
    ASSERT_SAMPLES(result.due, result.due_count, 16, 13);
    pg_record_close(record);
}

static void assert_end(const struct load_result *result, int seq)
{
    char digits[33], *end = digits;
    snprintf(digits, sizeof digits, "%032d", seq);
    assert_int_equal(seq != 0, result->owners_remain);
    for (size_t i = 0; seq != 0 && i < USHER_HASH_SIZE; i++, end += 2) {
        char byte[3] = {end[0], end[1], '\0'};
        assert_int_equal(strtol(byte, NULL, 16), result->owners_end[i]);
    }
}

/* The bookings that customers have, page by page in the order of the hashes of their ids. */
static void owners_come_in_the_order_of_their_hashes(void **state)
{
    struct record_port *record = sample_record(state);
    const struct sample samples[] = {
        {1, 11, 1, "held", "c1", NULL, 9, 1, 6, 2},
        {1, 12, 1, "blocked", NULL, NULL, 0, 1, 2, 3},
        {1, 13, 1, "confirmed", "c1", NULL, 0, 1, 0, 2},
        {1, 14, 50, "held", "c1", NULL, 9, 3, 0, 2},
        {1, 15, 1, "expired", "c1", NULL, 0, 1, 5, 0},
        {1, 17, 1, "held", "c1", NULL, 9, 1, 5, 1},
    };
    sample_sql(state, "delete from usher.decision");
    ADD_SAMPLES(state, samples);
    sample_add_first(state, 1, 16, 1, 0); /* made no booking */
    struct load_request request = {.owners = {.resource_no = SAMPLE_NO(1), .limit = 100}};
    struct load_result result = load(record, &request);
    ASSERT_SAMPLES(result.owners, result.owner_count, 11, 13, 17);
    assert_end(&result, 0);

    request.owners.limit = 3;
    result = load(record, &request);
    ASSERT_SAMPLES(result.owners, result.owner_count, 11, 13);
    assert_end(&result, 13);
    request.owners.limit = 2;
    memcpy(request.owners.after, result.owners_end, USHER_HASH_SIZE);
    result = load(record, &request);
    assert_int_equal(0, result.owner_count); /* but there are more behind it */
    assert_end(&result, 16);
    memcpy(request.owners.after, result.owners_end, USHER_HASH_SIZE);
    result = load(record, &request);
    ASSERT_SAMPLES(result.owners, result.owner_count, 17);
    assert_end(&result, 0);
    pg_record_close(record);
}

/* ---- resources ---- */

static void a_resource_comes_with_its_units_and_its_waiting_list(void **state)
{
    struct record_port *record = sample_record(state);
    const struct sample samples[] = {
        {1, 11, 1, "held", "c1", NULL, 9, 1, 10, 1},
        {1, 12, 1, "blocked", NULL, NULL, 0, 1, 11, 1},
        {1, 13, 1, "confirmed", "c1", NULL, 0, 1, 12, 1},
        {1, 19, 1, "held", "c1", NULL, 9, 2, 0, 3},
        {1, 20, 1, "confirmed", "c1", NULL, 0, 2, 0, 2},
        {1, 21, 1, "blocked", NULL, NULL, 0, 2, 0, 1},
        {1, 16, 1, "waiting", "c3", NULL, 9, 1, 0, 0},
        {1, 14, 1, "waiting", "c2", "k", 8, 1, 0, 0},
        {1, 15, 50, "waiting", "c2", NULL, 8, 3, 0, 0},
        {1, 17, 1, "left", "c2", NULL, 0, 1, 0, 0},
        {2, 18, 1, "waiting", "c2", NULL, 8, 1, 0, 0},
    };
    ADD_SAMPLES(state, samples);
    const char *const ids[] = {"show:other", "show:x", "show:away"};
    struct load_result result =
        load(record, &(struct load_request){.resources = ids, .resource_count = 3});
    assert_int_equal(2, result.resource_count);
    assert_int_equal(3, result.resources_served);
    const struct loaded_resource *show = &result.resources[1]; /* as they were asked for */
    assert_int_equal(1, show->asked);
    ASSERT_SAMPLES(show->waiting, show->waiting_count, 14, 16);
    assert_string_equal("{\"seq\":14}", show->waiting[0].wants);
    assert_string_equal("c2", show->waiting[0].customer);
    ASSERT_SAMPLES(result.resources[0].waiting, result.resources[0].waiting_count, 15);
    assert_int_equal(3, show->unit_count);
    for (uint32_t i = 0; i < show->unit_count; i++) {
        const struct loaded_unit *unit = &show->units[i];
        enum booking_state wanted = unit->unit == 10   ? BOOKING_HELD
                                    : unit->unit == 11 ? BOOKING_BLOCKED
                                                       : BOOKING_CONFIRMED;
        assert_int_equal(0, unit->pool);
        assert_int_equal(wanted, unit->state);
    }
    /* What is counted has no units, but counters in its row. */
    assert_int_equal(0, unit_counts_sum(show->pools[0].taken));
    assert_int_equal(3, show->pools[1].taken.held);
    assert_int_equal(2, show->pools[1].taken.sold);
    assert_int_equal(1, show->pools[1].taken.blocked);
    pg_record_close(record);
}

static void unfinished_resources_are_found_without_a_name(void **state)
{
    struct record_port *record = sample_record(state);
    struct load_request request = {.unfinished_limit = 10};
    struct load_result result = load(record, &request);
    assert_int_equal(0, result.unfinished_count);
    sample_sql(state,
               "update usher.resource set unserved = true where id in ('show:x', 'show:away')");
    result = load(record, &request);
    assert_int_equal(1, result.unfinished_count);
    assert_int_equal(SAMPLE_NO(1), result.unfinished[0]);
    sample_sql(state, "update usher.resource set cancelling = '' where id = 'show:other'");
    result = load(record, &request);
    assert_int_equal(2, result.unfinished_count);
    assert_int_equal(SAMPLE_NO(50), result.unfinished[1]);
    /* Page by page, in the order of their numbers; only if they are asked for. */
    request.unfinished_limit = 1;
    assert_int_equal(1, load(record, &request).unfinished_count);
    request.unfinished_after_no = SAMPLE_NO(1);
    result = load(record, &request);
    assert_int_equal(SAMPLE_NO(50), result.unfinished[0]);
    const int64_t no = SAMPLE_NO(50);
    request = (struct load_request){.resource_nos = &no, .resource_no_count = 1};
    result = load(record, &request);
    assert_int_equal(0, result.unfinished_count);
    assert_string_equal("", result.resources[0].row.cancelling);
    pg_record_close(record);
}

static void charts_are_found_by_their_names(void **state)
{
    struct record_port *record = sample_record(state);
    sample_sql(state, "insert into usher.chart (partition, hash, content)"
                      " values (1, 'sha256:01', '{\"a\":1}'), (2, 'sha256:02', '{}')");
    const char *const names[] = {"sha256:02", "sha256:01", "sha256:99"};
    struct load_result result =
        load(record, &(struct load_request){.charts = names, .chart_count = 3});
    assert_int_equal(1, result.chart_count);
    assert_string_equal("sha256:01", result.charts[0].name);
    assert_string_equal("{\"a\":1}", result.charts[0].content);
    assert_int_equal(7, result.charts[0].content_size);
    pg_record_close(record);
}

static void tallies_count_what_customers_hold_and_bought(void **state)
{
    struct record_port *record = sample_record(state);
    const struct sample samples[] = {
        {1, 11, 1, "held", "c2", NULL, 9, 1, 0, 2},
        {1, 12, 1, "confirmed", "c1", NULL, 0, 1, 2, 3},
        {1, 13, 1, "blocked", NULL, NULL, 0, 1, 5, 2},
        {1, 14, 1, "confirmed", "c2", NULL, 0, 2, 0, 1},
        {1, 15, 50, "held", "c1", NULL, 9, 3, 0, 2},
        {1, 16, 1, "expired", "c1", NULL, 0, 1, 0, 0},
        {1, 17, 1, "waiting", "c1", NULL, 9, 1, 0, 0},
    };
    ADD_SAMPLES(state, samples);
    /* A line with numbers has as many units. */
    sample_sql(state, "update usher.booking set lines = '[[0,0,0,[2,3,4]],[1,1,0,[5,8]],[2,1,0,2]]'"
                      " where no = (1::bigint << 48) + 12");
    const struct load_tally expected[] = {
        {SAMPLE_NO(1), "c1", SAMPLE_NO(12), false, 0, 3, NULL, NULL},
        {SAMPLE_NO(1), "c1", SAMPLE_NO(12), false, 1, 2, NULL, NULL},
        {SAMPLE_NO(1), "c1", SAMPLE_NO(12), false, 1, 2, NULL, NULL},
        {SAMPLE_NO(1), "c2", SAMPLE_NO(11), true, 0, 2, "r-11", NULL},
        {SAMPLE_NO(1), "c2", SAMPLE_NO(14), false, 1, 1, NULL, NULL},
        {SAMPLE_NO(50), "c1", SAMPLE_NO(15), true, 0, 2, "r-15", NULL},
    };
    const int64_t nos[] = {SAMPLE_NO(50), SAMPLE_NO(1), SAMPLE_NO(99)};
    struct load_result result =
        load(record, &(struct load_request){.tally_nos = nos, .tally_count = 3});
    assert_int_equal(sizeof expected / sizeof *expected, result.tally_count);
    for (uint32_t i = 0; i < result.tally_count; i++) {
        const struct load_tally *found = &result.tallies[i];
        assert_int_equal(expected[i].resource_no, found->resource_no);
        assert_string_equal(expected[i].customer, found->customer);
        assert_int_equal(expected[i].booking, found->booking);
        assert_int_equal(expected[i].held, found->held);
        assert_int_equal(expected[i].pool, found->pool);
        assert_int_equal(expected[i].units, found->units);
        assert_true(expected[i].request_id ? found->request_id != NULL : !found->request_id);
        if (found->request_id)
            assert_string_equal(expected[i].request_id, found->request_id);
    }
    pg_record_close(record);
}

/* All at once: one round trip, and no part takes the rows of another. */
static void a_load_may_ask_for_everything(void **state)
{
    struct record_port *record = sample_record(state);
    sample_add(state, &(struct sample){1, 11, 1, "held", "c1", "k", 9, 1, 0, 2});
    sample_add(state, &(struct sample){1, 12, 1, "waiting", "c1", NULL, 8, 1, 0, 0});
    sample_sql(state, "update usher.resource set unserved = true where id = 'show:other'");
    const char *id = "show:x", *chart = "sha256:00";
    const int64_t no = SAMPLE_NO(1);
    const struct load_cart cart = {id, "c1", "k"};
    struct load_key key = {.resource = id};
    request_id_hash("r-1", key.id_hash);
    const struct load_request request = {.resources = &id,
                                         .resource_count = 1,
                                         .ids = &key,
                                         .id_count = 1,
                                         .bookings = &key,
                                         .booking_count = 1,
                                         .carts = &cart,
                                         .cart_count = 1,
                                         .charts = &chart,
                                         .chart_count = 1,
                                         .tally_nos = &no,
                                         .tally_count = 1,
                                         .owners = {.resource_no = SAMPLE_NO(1), .limit = 10},
                                         .unfinished_limit = 10,
                                         .due = true,
                                         .due_after_ms = INT64_MIN,
                                         .due_until_ms = INT64_C(1900000000000),
                                         .due_limit = 10};
    struct load_result result = load(record, &request);
    assert_int_equal(1, result.resource_count);
    assert_int_equal(1, result.unfinished_count);
    assert_int_equal(2, result.resources[0].unit_count);
    assert_int_equal(1, result.resources[0].waiting_count);
    assert_int_equal(1, result.first_count);
    assert_int_equal(0, result.booking_count); /* r-1 defined the show */
    ASSERT_SAMPLES(result.of_carts, result.of_cart_count, 11);
    assert_int_equal(1, result.chart_count);
    assert_int_equal(1, result.tally_count);
    ASSERT_SAMPLES(result.owners, result.owner_count, 11);
    ASSERT_SAMPLES(result.due, result.due_count, 12, 11);
    pg_record_close(record);
}

/* What a newer program, or a foreign hand, wrote ends in a clear error, wherever it is read. */
static void an_unknown_name_halts(void **state)
{
    struct record_port *record = sample_record(state);
    struct load_key key = {.resource = "show:x"};
    request_id_hash("r-1", key.id_hash);
    const struct load_request request = {.ids = &key, .id_count = 1};
    const char *changes[] = {"op = 'lend'", "outcome = 'lent'", "reason = 'too_dear'"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char sql[256];
        struct load_result result = {0};
        struct decision_row *rows;
        uint32_t count;
        struct usher_error err = {0};
        snprintf(sql, sizeof sql,
                 "update usher.decision set op = 'define', outcome = 'defined', reason = null;"
                 " update usher.decision set %s where seq = 1",
                 changes[i]);
        sample_sql(state, sql);
        assert_int_equal(USHER_HALT, record->load(record->self, &request, &arena, &result, &err));
        assert_int_equal(USHER_EXIT_CONFIG, err.exit_code);
        assert_non_null(strstr(err.text, "seq 1 has the "));
        err = (struct usher_error){0};
        assert_int_equal(USHER_HALT,
                         record->decisions(record->self, 0, 10, &arena, &rows, &count, &err));
        assert_non_null(strstr(err.text, "which this program does not know"));
    }
    sample_sql(state,
               "insert into usher.dead_letter (partition, seq, source_offset, truncated, reason)"
               " values (1, 1, 0, false, 'too_dear')");
    struct dead_letter_row *letters;
    uint32_t count;
    struct usher_error err = {0};
    assert_int_equal(USHER_HALT,
                     record->dead_letters(record->self, 0, 10, &arena, &letters, &count, &err));
    assert_non_null(strstr(err.text, "the reason \"too_dear\""));
    pg_record_close(record);
}

int main(void)
{
#define WITH_DATABASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(a_cart_has_all_of_its_bookings_and_no_others),
        WITH_DATABASE(what_comes_due_is_held_blocked_or_waiting),
        WITH_DATABASE(owners_come_in_the_order_of_their_hashes),
        WITH_DATABASE(a_resource_comes_with_its_units_and_its_waiting_list),
        WITH_DATABASE(unfinished_resources_are_found_without_a_name),
        WITH_DATABASE(charts_are_found_by_their_names),
        WITH_DATABASE(tallies_count_what_customers_hold_and_bought),
        WITH_DATABASE(a_load_may_ask_for_everything),
        WITH_DATABASE(an_unknown_name_halts),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    usher_arena_deinit(&arena);
    return failed;
}
