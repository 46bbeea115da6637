/*
 * The statements of the record go by indexes, whatever the planner knows of the tables when it
 * plans: planned once while the tables are empty, a plan that reads them as a whole would be kept
 * as they grow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_fixture.h"
#include "worker/postgres/pg_commit.h"
#include "worker/postgres/pg_load.h"
#include "worker/postgres/pg_session.h"

static void run(void **state, const char *sql)
{
    PGresult *result = PQexec(*state, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(*state));
    PQclear(result);
}

/* Prepared statements and the indexes that each of them must go by. */
static const struct {
    const char *name, *indexes[5];
} plans[] = {
    {"resources", {"resource_partition_id_key", "resource_pkey", "chart_pkey"}},
    {"pools", {"resource_partition_id_key", "resource_pkey", "pool_resource_no_index_key"}},
    {"claims", {"pool_resource_no_index_key", "booking_claims"}},
    {"waiting", {"booking_waiting"}},
    {"units", {"Index Only Scan using allocation_pkey", "Index Cond: ((ROW(pool, unit) >="}},
    {"unfinished", {"resource_unfinished"}},
    {"tallies", {"decision_first", "booking_pkey"}},
    {"ids", {"resource_partition_id_key", "decision_first"}},
    {"bookings", {"decision_first", "booking_pkey"}},
    {"carts", {"resource_partition_id_key", "booking_cart"}},
    {"owners", {"decision_first", "booking_pkey"}},
    {"owners_end", {"decision_first"}},
    {"due", {"booking_due"}},
    {"charts", {"chart_pkey"}},
    {"decisions", {"decision_pkey"}},
    {"dead_letters", {"dead_letter_pkey"}},
    {"changed_revs", {"decision_pkey", "resource_pkey"}},
    {"resource_revs", {"resource_pkey"}},
    {"epoch", {"partition_state_pkey"}},
    {"free", {"allocation_pkey"}},
    {"change_bookings", {"booking_pkey"}},
    {"change_resources", {"resource_pkey"}},
    {"mark_resources", {"resource_pkey"}},
    {"change_pools", {"pool_resource_no_index_key"}},
    {"move_pools", {"pool_pkey"}},
    {"add_quarters", {"quarter_pkey"}},
};

static void check_plan(size_t index, const char *text)
{
    const char *const *wanted = plans[index].indexes;
    const char *const bad[] = {"Seq Scan", "Join Filter", "Hash Join"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (strstr(text, bad[i]) != NULL)
            fail_msg("%s reads a table as a whole:\n%s", plans[index].name, text);
    for (size_t i = 0; i < 5 && wanted[i] != NULL; i++)
        if (strstr(text, wanted[i]) == NULL)
            fail_msg("%s does not go by %s:\n%s", plans[index].name, wanted[i], text);
}

/* The generic plan: no parameter's value is known. */
static char *plan_of(struct pg_connection *connection, const char *name, int params)
{
    char sql[256];
    PGresult *plan;
    struct usher_error err = {0};
    struct usher_buffer text = {0};
    int length = snprintf(sql, sizeof sql, "explain (costs off) execute %s(", name);
    for (int i = 0; i < params; i++)
        length += snprintf(sql + length, sizeof sql - (size_t)length, i > 0 ? ",null" : "null");
    snprintf(sql + length, sizeof sql - (size_t)length, ")");
    if (pg_connection_query(connection, sql, NULL, &plan, &err) != USHER_OK)
        fail_msg("%s: %s", name, err.text);
    for (int i = 0; i < PQntuples(plan); i++) {
        usher_buffer_text(&text, PQgetvalue(plan, i, 0));
        usher_buffer_append(&text, "\n", 2);
        text.size--;
    }
    PQclear(plan);
    return text.at;
}

static int params_of(const PGresult *names, const char *name)
{
    for (int i = 0; i < PQntuples(names); i++)
        if (strcmp(PQgetvalue(names, i, 0), name) == 0)
            return atoi(PQgetvalue(names, i, 1));
    fail_msg("there is no statement %s", name);
    return 0;
}

static void check_plans(void)
{
    struct pg_settings settings = {.uri = fixture_worker_uri()};
    struct pg_connection connection = {0};
    struct pg_commit commit = {0};
    struct pg_load open = {0};
    struct usher_error err = {0};
    PGresult *names;
    assert_int_equal(USHER_OK, pg_session_open(&connection, &settings, &err));
    assert_int_equal(USHER_OK, pg_commit_open(&commit, &connection, &err));
    assert_int_equal(USHER_OK, pg_load_open(&open, &connection, FIXTURE_PARTITION, &err));
    assert_int_equal(USHER_OK, pg_connection_query(&connection,
                                                   "select name, cardinality(parameter_types)::text"
                                                   " from pg_prepared_statements",
                                                   NULL, &names, &err));
    /* The others only insert, or call the guard. */
    assert_int_equal(PQntuples(names), sizeof plans / sizeof *plans + 9);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        char *text = plan_of(&connection, plans[i].name, params_of(names, plans[i].name));
        check_plan(i, text);
        free(text);
    }
    PQclear(names);
    pg_connection_close(&connection);
    pg_commit_deinit(&commit);
    pg_load_deinit(&open);
}

static void every_statement_goes_by_indexes_though_the_tables_are_empty(void **state)
{
    run(state, "vacuum analyze");
    check_plans();
}

/* 1,000 resources, 30,000 bookings in all states, and what belongs to them. */
static void grow(void **state)
{
    run(state,
        "insert into usher.resource (no, partition, id, state, rev, unserved)"
        " select 1::bigint << 48 | i, 1, 'show:' || i, 'open', i, i % 100 = 0"
        " from generate_series(1, 1000) as i;"
        " insert into usher.pool (no, resource_no, index, kind, name, capacity, price)"
        " select no, no, 0, 'section', 'floor', 1000, 0 from usher.resource;"
        " insert into usher.booking (partition, no, resource_no, state, created_at, expires_at,"
        " total, op, request_id, customer, cart, lines)"
        " select 1, 1::bigint << 48 | i, 1::bigint << 48 | i % 1000 + 1,"
        "        (array['held', 'confirmed', 'expired', 'waiting', 'blocked'])[i % 5 + 1], now(),"
        "        now() + i * interval '1 s', 0, 'hold', 'r-' || i, 'c' || i % 100,"
        "        case when i % 10 = 0 then 'k' end, '[]' from generate_series(1, 30000) as i;"
        " insert into usher.allocation (pool, unit, booking)"
        " select resource_no, no & 65535, no from usher.booking"
        " where state in ('held', 'confirmed', 'blocked');"
        " insert into usher.decision (partition, seq, resource_no, booking_no, decided_at, epoch,"
        " codec, first, replayed, cloud_events, id_hash, content_hash, outcome, request_id, body)"
        " select partition, no & 65535, resource_no, no, now(), 1, 1, true, false, false,"
        "        md5(no::text)::uuid, md5('')::uuid, 'held', request_id, ''"
        " from usher.booking");
    run(state, "vacuum analyze");
}

static void every_statement_goes_by_indexes_when_the_tables_have_grown(void **state)
{
    grow(state);
    check_plans();
}

/* As far as the planner knows: it multiplies rows per page, which are told here, by the pages. */
static void every_statement_goes_by_indexes_before_50_million_allocations(void **state)
{
    grow(state);
    run(state, "update pg_class set reltuples = 50e6 where oid in ('usher.allocation'::regclass,"
               " 'usher.booking'::regclass, 'usher.decision'::regclass)");
    PGresult *plan = PQexec(*state, "explain select from usher.allocation");
    assert_int_equal(PGRES_TUPLES_OK, PQresultStatus(plan));
    if (strstr(PQgetvalue(plan, 0, 0), " rows=50000000 ") == NULL)
        fail_msg("the planner does not expect them: %s", PQgetvalue(plan, 0, 0));
    PQclear(plan);
    check_plans();
}

/* A page of a resource with millions of decisions would cost as much as all of them. */
static void a_page_of_owners_is_read_in_its_order(void **state)
{
    static const char *const pages[] = {"owners", "owners_end"};
    struct pg_settings settings = {.uri = fixture_worker_uri()};
    struct pg_connection connection = {0};
    struct pg_load open = {0};
    struct usher_error err = {0};
    run(state, "vacuum analyze");
    assert_int_equal(USHER_OK, pg_session_open(&connection, &settings, &err));
    assert_int_equal(USHER_OK, pg_load_open(&open, &connection, FIXTURE_PARTITION, &err));
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        char *text = plan_of(&connection, pages[i], i == 0 ? 4 : 3);
        if (strstr(text, "Sort") ||
            !strstr(text, "Index Cond: ((resource_no = $1) AND (id_hash > $2))"))
            fail_msg("%s reads more than a page:\n%s", pages[i], text);
        free(text);
    }
    pg_connection_close(&connection);
    pg_load_deinit(&open);
}

/* Else each row would be taken apart and put together again: nobody would see it but in time. */
static void what_a_hold_inserts_goes_in_as_it_came(void **state)
{
    static const char *const tables[] = {"booking", "allocation", "decision"};
    static const char *const types[] = {"new_booking_row", "allocation_row", "decision_row"};
    static const char *const statements[] = {"add_bookings", "take", "add_decisions"};
    struct pg_settings settings = {.uri = fixture_worker_uri()};
    struct pg_connection connection = {0};
    struct pg_commit commit = {0};
    struct usher_error err = {0};
    assert_int_equal(USHER_OK, pg_session_open(&connection, &settings, &err));
    assert_int_equal(USHER_OK, pg_commit_open(&commit, &connection, &err));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char sql[512];
        snprintf(sql, sizeof sql,
                 "select count(*) from (select attnum, attname, atttypid from pg_attribute"
                 "  where attrelid = 'usher.%s'::regclass and attnum > 0) as t"
                 " full join (select attnum, attname, atttypid from pg_attribute"
                 "  where attrelid = 'usher.%s'::regclass) as r"
                 " using (attnum, attname, atttypid) where t is null or r is null",
                 tables[i], types[i]);
        assert_int_equal(0, fixture_number(state, sql));
        char *text = plan_of(&connection, statements[i], i == 2 ? 2 : 1);
        char plan[160];
        snprintf(plan, sizeof plan,
                 "Aggregate\n  CTE added\n    ->  Insert on %s\n"
                 "          ->  Function Scan on unnest\n  ->  CTE Scan on added\n",
                 tables[i]);
        assert_string_equal(plan, text);
        free(text);
    }
    pg_connection_close(&connection);
    pg_commit_deinit(&commit);
}

int main(void)
{
#define WITH_DATABASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(every_statement_goes_by_indexes_though_the_tables_are_empty),
        WITH_DATABASE(every_statement_goes_by_indexes_when_the_tables_have_grown),
        WITH_DATABASE(every_statement_goes_by_indexes_before_50_million_allocations),
        WITH_DATABASE(a_page_of_owners_is_read_in_its_order),
        WITH_DATABASE(what_a_hold_inserts_goes_in_as_it_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
