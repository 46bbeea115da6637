/*
 * Loads from a real PostgreSQL that are larger than their bounds: what comes, what is left, and
 * what follows page by page.
 */
#include <string.h>

#include "record_samples.h"
#include "same_rows.h"

static struct usher_arena arena;
static int pages; /* read by the last load after its first one */

static struct load_result load(struct record_port *record, const struct load_request *request)
{
    return fixture_load(record, request, &arena, &pages);
}

static void same_loaded(const struct loaded_resource *whole, const struct loaded_resource *paged)
{
    same_row(PG_ROW_RESOURCE, &whole->row, &paged->row);
    assert_int_equal(whole->pool_count, paged->pool_count);
    for (uint32_t i = 0; i < whole->pool_count; i++)
        same_row(PG_ROW_POOL, &whole->pools[i], &paged->pools[i]);
    assert_int_equal(whole->unit_count, paged->unit_count);
    for (uint32_t i = 0; i < whole->unit_count; i++) {
        assert_int_equal(whole->units[i].pool, paged->units[i].pool);
        assert_int_equal(whole->units[i].unit, paged->units[i].unit);
        assert_int_equal(whole->units[i].state, paged->units[i].state);
    }
    assert_int_equal(whole->waiting_count, paged->waiting_count);
    for (uint32_t i = 0; i < whole->waiting_count; i++)
        same_booking(&whole->waiting[i], &paged->waiting[i]);
}

/* Bookings of the show's first pool and parties that wait, and more pools than a page has. */
static void fill_show(void **state)
{
    const struct sample samples[] = {
        {1, 11, 1, "held", "c1", NULL, 9, 1, 10, 7},
        {1, 12, 1, "blocked", NULL, NULL, 0, 1, 30, 2},
        {1, 13, 1, "confirmed", "c1", NULL, 0, 1, 17, 8},
        {1, 14, 1, "held", "c2", NULL, 9, 1, 40, 1},
        {1, 15, 1, "held", "c3", NULL, 9, 1, 41, 2},
        {1, 16, 1, "waiting", "c3", NULL, 9, 1, 0, 0},
        {1, 17, 1, "waiting", "c2", NULL, 8, 1, 0, 0},
        {1, 18, 1, "waiting", "c4", NULL, 8, 1, 0, 0},
        {1, 19, 1, "waiting", "c5", NULL, 8, 1, 0, 0},
        {1, 20, 50, "waiting", "c2", NULL, 8, 3, 0, 0},
        {1, 21, 1, "waiting", "c6", NULL, 8, 1, 0, 0},
        {1, 22, 50, "confirmed", "c2", NULL, 0, 3, 0, 1},
    };
    ADD_SAMPLES(state, samples);
    sample_sql(state,
               "insert into usher.pool (no, resource_no, index, kind, name, night, capacity, price)"
               " select (1::bigint << 48) + 100 + i, (1::bigint << 48) + 1, 1 + i, 'room', 'r',"
               " date '2027-01-01' + i, 5, 0 from generate_series(1, 5) as i;"
               " insert into usher.allocation (pool, unit, booking)"
               " select (1::bigint << 48) + 101 + i % 5, i / 5, (1::bigint << 48) + 13"
               " from generate_series(0, 19) as i");
}

static void a_resource_larger_than_a_page_comes_as_a_whole(void **state)
{
    pg_record_close(sample_record(state));
    fill_show(state);
    struct record_port *small = fixture_small_record(), *large = fixture_record();
    (void)fixture_acquire(large, 0, USHER_OK);
    const char *const ids[] = {"nowhere", "show:x", "show:other"};
    const struct load_request request = {.resources = ids, .resource_count = 3};
    struct usher_arena kept = {0};
    struct load_result whole, paged;
    struct usher_error err = {0};
    assert_int_equal(USHER_OK, large->load(large->self, &request, &kept, &whole, &err));
    assert_false(load_has_more(&whole));
    assert_int_equal(3, whole.resources_served);
    assert_int_equal(2, whole.resource_count);
    (void)fixture_acquire(small, 0, USHER_OK);
    paged = load(small, &request);
    assert_int_equal(2, paged.resources_served); /* the one unknown and the large one */
    assert_int_equal(1, paged.resource_count);
    assert_int_equal(1, paged.resources[0].asked);
    assert_true(pages > 8); /* of units, pools, parties and claims */
    same_loaded(&whole.resources[0], &paged.resources[0]);
    const char *const rest[] = {"show:other", "show:x"};
    paged = load(small, &(struct load_request){.resources = rest, .resource_count = 2});
    assert_int_equal(1, paged.resources_served);
    same_loaded(&whole.resources[1], &paged.resources[0]);
    usher_arena_deinit(&kept);
    pg_record_close(small);
    pg_record_close(large);
}

/* Loads of what the one before left, until all of it is there. */
static void load_as_served(struct record_port *record, const char *const *ids, uint32_t count,
                           const struct load_result *whole)
{
    uint32_t at = 0;
    for (uint32_t served = 0; served < count;) {
        const struct load_request request = {.resources = ids + served,
                                             .resource_count = count - served};
        const struct load_result result = load(record, &request);
        for (uint32_t i = 0; i < result.resource_count; i++)
            same_loaded(&whole->resources[at++], &result.resources[i]);
        assert_true(result.resources_served > 0);
        served += result.resources_served;
    }
    assert_int_equal(whole->resource_count, at);
}

static void pages_of_every_size_bring_the_same(void **state)
{
    const uint32_t rows[] = {3, 7, 20}, units[] = {1, 2, 3, 4, 5, 9, 16, 25, 31, 100};
    const char *const ids[] = {"show:other", "nowhere", "show:x"};
    pg_record_close(sample_record(state));
    fill_show(state);
    struct usher_arena kept = {0};
    struct usher_error err = {0};
    struct load_result whole;
    struct record_port *large = fixture_record();
    (void)fixture_acquire(large, 0, USHER_OK);
    const struct load_request request = {.resources = ids, .resource_count = 3};
    assert_int_equal(USHER_OK, large->load(large->self, &request, &kept, &whole, &err));
    assert_true(whole.resources[1].unit_count > 31);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t j = 0; j < sizeof units / sizeof *units; j++) {
            struct record_port *record = fixture_record_of_pages(rows[i], units[j]);
            (void)fixture_acquire(record, 0, USHER_OK);
            load_as_served(record, ids, 3, &whole);
            pg_record_close(record);
        }
    }
    usher_arena_deinit(&kept);
    pg_record_close(large);
}

/* What a successor changed does not fit what its predecessor has in memory. */
static void nothing_of_a_successor_is_read(void **state)
{
    const int64_t show = (INT64_C(1) << 48) + 1;
    const char *const id = "show:x";
    const struct load_request resource = {.resources = &id, .resource_count = 1},
                              tallies = {.tally_nos = &show, .tally_count = 1};
    pg_record_close(sample_record(state));
    fill_show(state);
    struct usher_error err = {0};
    struct load_result begun, result;
    struct record_port *old = fixture_small_record(), *new = fixture_record();
    (void)fixture_acquire(old, 0, USHER_OK);
    assert_int_equal(USHER_OK, old->load(old->self, &resource, &arena, &begun, &err));
    assert_true(load_has_more(&begun));
    (void)fixture_acquire(new, 0, USHER_OK);
    assert_int_equal(USHER_FENCED, old->load_more(old->self, &resource, &arena, &begun, &err));
    assert_int_equal(USHER_FENCED, old->load(old->self, &resource, &arena, &result, &err));
    assert_int_equal(USHER_FENCED, old->load(old->self, &tallies, &arena, &result, &err));
    assert_non_null(strstr(err.text, "epoch"));
    assert_int_equal(USHER_OK, new->load(new->self, &tallies, &arena, &result, &err));
    assert_int_equal(1, result.tallies_served);
    pg_record_close(old);
    pg_record_close(new);
}

static void what_is_large_is_left_for_the_next_load(void **state)
{
    pg_record_close(sample_record(state));
    fill_show(state);
    sample_sql(state,
               "update usher.decision set body = repeat('x', 200) where seq in (11, 12, 13);"
               " insert into usher.chart (partition, hash, content)"
               " select 1, 'sha256:1' || i, repeat('x', 200) from generate_series(0, 3) as i");
    struct record_port *record = fixture_small_record();
    (void)fixture_acquire(record, 0, USHER_OK);
    struct load_key keys[4] = {{.resource = "show:x"},
                               {.resource = "show:x"},
                               {.resource = "show:x"},
                               {.resource = "show:x"}};
    for (int i = 0; i < 4; i++)
        keys[i].id_hash[15] = (uint8_t)(i == 0 ? 0x99 : i == 1 ? 0x13 : i == 2 ? 0x11 : 0x12);
    struct load_result result = load(record, &(struct load_request){.ids = keys, .id_count = 4});
    assert_int_equal(3, result.ids_served); /* one of them is unknown */
    assert_int_equal(2, result.first_count);
    assert_int_equal(13, result.firsts[0].seq); /* in the order asked for */
    result = load(record, &(struct load_request){.ids = keys + 3, .id_count = 1});
    assert_int_equal(1, result.ids_served);
    assert_int_equal(12, result.firsts[0].seq);
    const char *const charts[] = {"sha256:13", "sha256:11", "sha256:10"};
    result = load(record, &(struct load_request){.charts = charts, .chart_count = 3});
    assert_int_equal(2, result.charts_served);
    assert_string_equal("sha256:13", result.charts[0].name);
    pg_record_close(record);
}

static void customers_are_counted_page_by_page(void **state)
{
    pg_record_close(sample_record(state));
    fill_show(state);
    struct record_port *record = fixture_small_record();
    (void)fixture_acquire(record, 0, USHER_OK);
    const int64_t nos[] = {SAMPLE_NO(1), SAMPLE_NO(50), SAMPLE_NO(99)};
    struct load_result result =
        load(record, &(struct load_request){.tally_nos = nos, .tally_count = 3});
    assert_int_equal(1, result.tallies_served);
    ASSERT_SAMPLES(((struct booking_row[]){{.no = result.tallies[0].booking},
                                           {.no = result.tallies[1].booking},
                                           {.no = result.tallies[2].booking},
                                           {.no = result.tallies[3].booking}}),
                   result.tally_count, 11, 13, 14, 15);
    assert_int_equal(7, result.tallies[0].units);
    assert_true(pages > 1);
    result = load(record, &(struct load_request){.tally_nos = nos + 1, .tally_count = 2});
    assert_true(result.tallies_served >= 1);
    assert_int_equal(1, result.tally_count);
    assert_string_equal("c2", result.tallies[0].customer);
    pg_record_close(record);
}

static void what_is_due_and_whose_it_is_comes_in_pages_too(void **state)
{
    pg_record_close(sample_record(state));
    for (int seq = 11; seq < 51; seq++)
        sample_add(state, &(struct sample){1, seq, 1, "held", "c1", NULL, seq, 1, 2 * seq, 2});
    struct record_port *small = fixture_small_record(), *large = fixture_record();
    (void)fixture_acquire(large, 0, USHER_OK);
    struct load_request request = {.due = true,
                                   .due_after_ms = INT64_MIN,
                                   .due_after_no = INT64_MAX,
                                   .due_until_ms = INT64_C(1900000000000),
                                   .due_limit = 64,
                                   .owners = {.resource_no = SAMPLE_NO(1), .limit = 64}};
    struct load_result result = load(large, &request);
    assert_int_equal(40, result.due_count);
    assert_int_equal(40, result.owner_count);
    assert_false(result.due_remain || result.owners_remain);
    for (request.halvings = 1; request.halvings < 9; request.halvings++) {
        result = load(large, &request);
        assert_int_equal(request.halvings == 1 ? 32 : 16, result.due_count);
        assert_int_equal(result.due_count, result.owner_count);
        assert_true(result.due_remain && result.owners_remain);
    }
    (void)fixture_acquire(small, 0, USHER_OK);
    result = load(small, &request);
    ASSERT_SAMPLES(result.due, result.due_count, 11, 12);
    ASSERT_SAMPLES(result.owners, result.owner_count, 11, 12);
    assert_true(result.due_remain && result.owners_remain);
    memcpy(request.owners.after, result.owners_end, USHER_HASH_SIZE);
    result = load(small, &request);
    ASSERT_SAMPLES(result.owners, result.owner_count, 13, 14);
    pg_record_close(small);
    pg_record_close(large);
}

int main(void)
{
#define WITH_DATABASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(a_resource_larger_than_a_page_comes_as_a_whole),
        WITH_DATABASE(pages_of_every_size_bring_the_same),
        WITH_DATABASE(nothing_of_a_successor_is_read),
        WITH_DATABASE(what_is_large_is_left_for_the_next_load),
        WITH_DATABASE(customers_are_counted_page_by_page),
        WITH_DATABASE(what_is_due_and_whose_it_is_comes_in_pages_too),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    usher_arena_deinit(&arena);
    return failed;
}
