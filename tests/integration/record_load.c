/*
 * What a partition's memory asks a real PostgreSQL for: each kind of look-up finds its rows, no
 * others, in its order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/codec/request_hash.h"
#include "record_fixture.h"

#define NO(seq) row_number(FIXTURE_PARTITION, seq)

static struct fixture_batch batch;
static struct usher_arena arena;
static int pages; /* read by the last load after its first one */

static void run(void **state, const char *sql)
{
    PGresult *result = PQexec(*state, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(*state));
    PQclear(result);
}

/* The show in partition 1, another resource of its own there, and one in partition 2. */
static struct record_port *with_resources(void **state)
{
    struct record_port *record = fixture_record();
    struct position position = fixture_acquire(record, 0, USHER_OK);
    fixture_batch_begin(&batch, &position);
    fixture_add_show(&batch);
    fixture_commit(record, &batch, &position, USHER_OK);
    run(state,
        "insert into usher.resource (no, partition, id, state, rev) values"
        " ((1::bigint << 48) + 50, 1, 'show:other', 'open', 50),"
        " ((2::bigint << 48) + 1, 2, 'show:away', 'open', 1);"
        " insert into usher.pool (no, resource_no, index, kind, name, capacity, price)"
        " values ((1::bigint << 48) + 2, (1::bigint << 48) + 1, 1, 'section', 'floor', 9, 0),"
        " ((1::bigint << 48) + 3, (1::bigint << 48) + 50, 0, 'section', 'floor', 9, 0),"
        " ((2::bigint << 48) + 1, (2::bigint << 48) + 1, 0, 'section', 'floor', 9, 0)");
    return record;
}

/* A booking as the tests below need it. Of the pools only the show's first has numbers. */
struct sample {
    int partition, seq, resource; /* numbers of bookings and resources by seq */
    const char *state, *customer, *cart;
    int ends; /* minutes; 0: never */
    int pool, first, units;
};

/* The first decision about the request id of that seq; `booking` 0: it made none. */
static void add_first(void **state, int partition, int seq, int resource, int booking)
{
    char sql[1024];
    snprintf(sql, sizeof sql,
             "insert into usher.decision (partition, seq, resource_no, booking_no, decided_at,"
             " epoch, codec, first, replayed, cloud_events, id_hash, content_hash, outcome,"
             " request_id, body)"
             " select p, %d, p::bigint << 48 | %d, nullif(p::bigint << 48 | %d, p::bigint << 48),"
             " now(), 1, 1, true, false, false, '%032d', md5('')::uuid, 'held', 'r-%d', ''"
             " from (values (%d)) as v (p)",
             seq, resource, booking, seq, seq, partition);
    run(state, sql);
}

static void add_numbered(void **state, const struct sample *s)
{
    char sql[1024];
    snprintf(sql, sizeof sql,
             "insert into usher.allocation (pool, unit, booking)"
             " select 1::bigint << 48 | 1, u, 1::bigint << 48 | %d"
             " from generate_series(%d, %d) as u;"
             " update usher.booking set lines ="
             " (select '[[0,0,0,' || json_agg(u) || ']]' from generate_series(%d, %d) as u)"
             " where no = 1::bigint << 48 | %d",
             s->seq, s->first, s->first + s->units - 1, s->first, s->first + s->units - 1, s->seq);
    run(state, sql);
}

static void add_counted(void **state, const struct sample *s)
{
    const char *counter = strcmp(s->state, "held") == 0      ? "held"
                          : strcmp(s->state, "blocked") == 0 ? "blocked"
                                                             : "sold";
    char sql[1024];
    snprintf(sql, sizeof sql,
             "update usher.pool set %s = %s + %d where no = %d::bigint << 48 | %d;"
             " update usher.booking as b set lines = '[[0,' || p.index || ',0,%d]]'"
             " from usher.pool as p"
             " where b.no = %d::bigint << 48 | %d and p.no = %d::bigint << 48 | %d",
             counter, counter, s->units, s->partition, s->pool, s->units, s->partition, s->seq,
             s->partition, s->pool);
    run(state, sql);
}

static void add(void **state, const struct sample *s)
{
    char sql[1024];
    char ends[64] = "null";
    if (s->ends > 0)
        snprintf(ends, sizeof ends, "to_timestamp(1800000000) + interval '%d min'", s->ends);
    snprintf(
        sql, sizeof sql,
        "insert into usher.booking (partition, no, resource_no, state, created_at, expires_at,"
        " total, op, request_id, customer, cart, lines, wants)"
        " select p, p::bigint << 48 | %d, p::bigint << 48 | %d, '%s', now(), %s, 0, 'hold',"
        "        'r-%d', nullif('%s', ''), nullif('%s', ''), '[]',"
        "        case when '%s' = 'waiting' then '{\"seq\":%d}' end from (values (%d)) as v (p)",
        s->seq, s->resource, s->state, ends, s->seq, s->customer != NULL ? s->customer : "",
        s->cart != NULL ? s->cart : "", s->state, s->seq, s->partition);
    run(state, sql);
    add_first(state, s->partition, s->seq, s->resource, s->seq);
    if (s->units > 0)
        (s->partition == 1 && s->pool == 1 ? add_numbered : add_counted)(state, s);
}

#define ADD(state, samples)                                          \
    for (size_t i = 0; i < sizeof(samples) / sizeof *(samples); i++) \
    add(state, &(samples)[i])

static struct load_result load(struct record_port *record, const struct load_request *request)
{
    return fixture_load(record, request, &arena, &pages);
}

static void assert_numbers(const struct booking_row *rows, uint32_t count, const int *seqs,
                           uint32_t expected)
{
    assert_int_equal(expected, count);
    for (uint32_t i = 0; i < expected; i++)
        assert_int_equal(NO(seqs[i]), rows[i].no);
}

#define ASSERT_NUMBERS(rows, count, ...)                    \
    assert_numbers(rows, count, (const int[]){__VA_ARGS__}, \
                   sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

/* ---- bookings ---- */

static void a_cart_has_all_of_its_bookings_and_no_others(void **state)
{
    struct record_port *record = with_resources(state);
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
    ADD(state, samples);
    const struct load_cart carts[] = {{"show:x", "c1", "k"},
                                      {"show:x", "c2", "k"},
                                      {"show:x", "c2", "other"},
                                      {"show:away", "c1", "k"},
                                      {"nowhere", "c1", "k"}};
    struct load_result result =
        load(record, &(struct load_request){.carts = carts, .cart_count = 1});
    ASSERT_NUMBERS(result.of_carts, result.of_cart_count, 12, 13, 14);
    assert_string_equal("k", result.of_carts[0].cart);
    assert_int_equal(BOOKING_EXPIRED, result.of_carts[2].state);
    result = load(record, &(struct load_request){.carts = carts, .cart_count = 5});
    ASSERT_NUMBERS(result.of_carts, result.of_cart_count, 12, 13, 14, 17);
    pg_record_close(record);
}

/* All that ends by itself, in the order of its end, beginning behind a place in that order. */
static void what_comes_due_is_held_blocked_or_waiting(void **state)
{
    struct record_port *record = with_resources(state);
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
    ADD(state, samples);
    const int64_t base_ms = INT64_C(1800000000000);
    struct load_request request = {.due = true,
                                   .due_after_ms = INT64_MIN,
                                   .due_after_no = INT64_MAX,
                                   .due_until_ms = base_ms + 20 * 60000,
                                   .due_limit = 10};
    struct load_result result = load(record, &request);
    ASSERT_NUMBERS(result.due, result.due_count, 12, 16, 13, 11);
    assert_int_equal(base_ms + 7 * 60000, result.due[0].expires_ms);
    assert_int_equal(BOOKING_WAITING, result.due[2].state);
    request.due_limit = 2;
    result = load(record, &request);
    ASSERT_NUMBERS(result.due, result.due_count, 12, 16);
    request.due_after_ms = base_ms + 7 * 60000;
    request.due_after_no = NO(12);
    result = load(record, &request);
    ASSERT_NUMBERS(result.due, result.due_count, 16, 13);
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
    struct record_port *record = with_resources(state);
    const struct sample samples[] = {
        {1, 11, 1, "held", "c1", NULL, 9, 1, 6, 2},
        {1, 12, 1, "blocked", NULL, NULL, 0, 1, 2, 3},
        {1, 13, 1, "confirmed", "c1", NULL, 0, 1, 0, 2},
        {1, 14, 50, "held", "c1", NULL, 9, 3, 0, 2},
        {1, 15, 1, "expired", "c1", NULL, 0, 1, 5, 0},
        {1, 17, 1, "held", "c1", NULL, 9, 1, 5, 1},
    };
    run(state, "delete from usher.decision");
    ADD(state, samples);
    add_first(state, 1, 16, 1, 0); /* made no booking */
    struct load_request request = {.owners = {.resource_no = NO(1), .limit = 100}};
    struct load_result result = load(record, &request);
    ASSERT_NUMBERS(result.owners, result.owner_count, 11, 13, 17);
    assert_end(&result, 0);

    request.owners.limit = 3;
    result = load(record, &request);
    ASSERT_NUMBERS(result.owners, result.owner_count, 11, 13);
    assert_end(&result, 13);
    request.owners.limit = 2;
    memcpy(request.owners.after, result.owners_end, USHER_HASH_SIZE);
    result = load(record, &request);
    assert_int_equal(0, result.owner_count); /* but there are more behind it */
    assert_end(&result, 16);
    memcpy(request.owners.after, result.owners_end, USHER_HASH_SIZE);
    result = load(record, &request);
    ASSERT_NUMBERS(result.owners, result.owner_count, 17);
    assert_end(&result, 0);
    pg_record_close(record);
}

/* ---- resources ---- */

static void a_resource_comes_with_its_units_and_its_waiting_list(void **state)
{
    struct record_port *record = with_resources(state);
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
    ADD(state, samples);
    const char *const ids[] = {"show:other", "show:x", "show:away"};
    struct load_result result =
        load(record, &(struct load_request){.resources = ids, .resource_count = 3});
    assert_int_equal(2, result.resource_count);
    assert_int_equal(3, result.resources_served);
    const struct loaded_resource *show = &result.resources[1]; /* as they were asked for */
    assert_int_equal(1, show->asked);
    ASSERT_NUMBERS(show->waiting, show->waiting_count, 14, 16);
    assert_string_equal("{\"seq\":14}", show->waiting[0].wants);
    assert_string_equal("c2", show->waiting[0].customer);
    ASSERT_NUMBERS(result.resources[0].waiting, result.resources[0].waiting_count, 15);
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
    struct record_port *record = with_resources(state);
    struct load_request request = {.unfinished_limit = 10};
    struct load_result result = load(record, &request);
    assert_int_equal(0, result.unfinished_count);
    run(state, "update usher.resource set unserved = true where id in ('show:x', 'show:away')");
    result = load(record, &request);
    assert_int_equal(1, result.unfinished_count);
    assert_int_equal(NO(1), result.unfinished[0]);
    run(state, "update usher.resource set cancelling = '' where id = 'show:other'");
    result = load(record, &request);
    assert_int_equal(2, result.unfinished_count);
    assert_int_equal(NO(50), result.unfinished[1]);
    /* Page by page, in the order of their numbers; only if they are asked for. */
    request.unfinished_limit = 1;
    assert_int_equal(1, load(record, &request).unfinished_count);
    request.unfinished_after_no = NO(1);
    result = load(record, &request);
    assert_int_equal(NO(50), result.unfinished[0]);
    const int64_t no = NO(50);
    request = (struct load_request){.resource_nos = &no, .resource_no_count = 1};
    result = load(record, &request);
    assert_int_equal(0, result.unfinished_count);
    assert_string_equal("", result.resources[0].row.cancelling);
    pg_record_close(record);
}

static void charts_are_found_by_their_names(void **state)
{
    struct record_port *record = with_resources(state);
    run(state, "insert into usher.chart (partition, hash, content)"
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
    struct record_port *record = with_resources(state);
    const struct sample samples[] = {
        {1, 11, 1, "held", "c2", NULL, 9, 1, 0, 2},
        {1, 12, 1, "confirmed", "c1", NULL, 0, 1, 2, 3},
        {1, 13, 1, "blocked", NULL, NULL, 0, 1, 5, 2},
        {1, 14, 1, "confirmed", "c2", NULL, 0, 2, 0, 1},
        {1, 15, 50, "held", "c1", NULL, 9, 3, 0, 2},
        {1, 16, 1, "expired", "c1", NULL, 0, 1, 0, 0},
        {1, 17, 1, "waiting", "c1", NULL, 9, 1, 0, 0},
    };
    ADD(state, samples);
    /* A line from before pools were counted: its numbers say how many. */
    run(state, "update usher.booking set lines = '[[0,0,0,[2,3,4]],[1,1,0,[5,8]],[2,1,0,2]]'"
               " where no = (1::bigint << 48) + 12");
    const struct load_tally expected[] = {
        {NO(1), "c1", NO(12), false, 0, 3}, {NO(1), "c1", NO(12), false, 1, 2},
        {NO(1), "c1", NO(12), false, 1, 2}, {NO(1), "c2", NO(11), true, 0, 2},
        {NO(1), "c2", NO(14), false, 1, 1}, {NO(50), "c1", NO(15), true, 0, 2},
    };
    const int64_t nos[] = {NO(50), NO(1), NO(99)};
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
    }
    pg_record_close(record);
}

/* All at once: one round trip, and no part takes the rows of another. */
static void a_load_may_ask_for_everything(void **state)
{
    struct record_port *record = with_resources(state);
    add(state, &(struct sample){1, 11, 1, "held", "c1", "k", 9, 1, 0, 2});
    add(state, &(struct sample){1, 12, 1, "waiting", "c1", NULL, 8, 1, 0, 0});
    run(state, "update usher.resource set unserved = true where id = 'show:other'");
    const char *id = "show:x", *chart = "sha256:00";
    const int64_t no = NO(1);
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
                                         .owners = {.resource_no = NO(1), .limit = 10},
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
    ASSERT_NUMBERS(result.of_carts, result.of_cart_count, 11);
    assert_int_equal(1, result.chart_count);
    assert_int_equal(1, result.tally_count);
    ASSERT_NUMBERS(result.owners, result.owner_count, 11);
    ASSERT_NUMBERS(result.due, result.due_count, 12, 11);
    pg_record_close(record);
}

/* ---- bounds ---- */

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
    ADD(state, samples);
    run(state, "insert into usher.pool (no, resource_no, index, kind, name, night, capacity, price)"
               " select (1::bigint << 48) + 100 + i, (1::bigint << 48) + 1, 1 + i, 'room', 'r',"
               " date '2027-01-01' + i, 5, 0 from generate_series(1, 5) as i;"
               " insert into usher.allocation (pool, unit, booking)"
               " select (1::bigint << 48) + 101 + i % 5, i / 5, (1::bigint << 48) + 13"
               " from generate_series(0, 19) as i");
}

static void a_resource_larger_than_a_page_comes_as_a_whole(void **state)
{
    pg_record_close(with_resources(state));
    fill_show(state);
    struct record_port *small = fixture_small_record(), *large = fixture_record();
    (void)fixture_acquire(small, 0, USHER_OK);
    (void)fixture_acquire(large, 0, USHER_OK);
    const char *const ids[] = {"nowhere", "show:x", "show:other"};
    const struct load_request request = {.resources = ids, .resource_count = 3};
    struct usher_arena kept = {0};
    struct load_result whole, paged;
    struct usher_error err = {0};
    assert_int_equal(USHER_OK, large->load(large->self, &request, &kept, &whole, &err));
    assert_false(load_remains(&whole));
    assert_int_equal(3, whole.resources_served);
    assert_int_equal(2, whole.resource_count);
    paged = load(small, &request);
    assert_int_equal(2, paged.resources_served); /* the one unknown and the large one */
    assert_int_equal(1, paged.resource_count);
    assert_int_equal(1, paged.resources[0].asked);
    assert_true(pages > 8); /* of units, pools, parties and claims */
    fixture_same_loaded(&whole.resources[0], &paged.resources[0]);
    const char *const rest[] = {"show:other", "show:x"};
    paged = load(small, &(struct load_request){.resources = rest, .resource_count = 2});
    assert_int_equal(1, paged.resources_served);
    fixture_same_loaded(&whole.resources[1], &paged.resources[0]);
    usher_arena_deinit(&kept);
    pg_record_close(small);
    pg_record_close(large);
}

static void what_is_large_is_left_for_the_next_load(void **state)
{
    pg_record_close(with_resources(state));
    fill_show(state);
    run(state, "update usher.decision set body = repeat('x', 200) where seq in (11, 12, 13);"
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
    pg_record_close(with_resources(state));
    fill_show(state);
    struct record_port *record = fixture_small_record();
    (void)fixture_acquire(record, 0, USHER_OK);
    const int64_t nos[] = {NO(1), NO(50), NO(99)};
    struct load_result result =
        load(record, &(struct load_request){.tally_nos = nos, .tally_count = 3});
    assert_int_equal(1, result.tallies_served);
    ASSERT_NUMBERS(((struct booking_row[]){{.no = result.tallies[0].booking},
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

/* What a newer program, or a foreign hand, wrote ends in a clear error, wherever it is read. */
static void an_unknown_name_halts(void **state)
{
    struct record_port *record = with_resources(state);
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
        run(state, sql);
        assert_int_equal(USHER_HALT, record->load(record->self, &request, &arena, &result, &err));
        assert_int_equal(USHER_EXIT_CONFIG, err.exit_code);
        assert_non_null(strstr(err.text, "seq 1 has the "));
        err = (struct usher_error){0};
        assert_int_equal(USHER_HALT,
                         record->decisions(record->self, 0, 10, &arena, &rows, &count, &err));
        assert_non_null(strstr(err.text, "which this program does not know"));
    }
    run(state, "insert into usher.dead_letter (partition, seq, source_offset, truncated, reason)"
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
        WITH_DATABASE(a_resource_larger_than_a_page_comes_as_a_whole),
        WITH_DATABASE(what_is_large_is_left_for_the_next_load),
        WITH_DATABASE(customers_are_counted_page_by_page),
        WITH_DATABASE(an_unknown_name_halts),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    usher_arena_deinit(&arena);
    return failed;
}
