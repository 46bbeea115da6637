/*
 * Rows as a worker would have written them, without one.
 */
#include "record_samples.h"

#include <stdio.h>
#include <string.h>

static struct fixture_batch batch;

void sample_sql(void **state, const char *sql)
{
    PGresult *result = PQexec(*state, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(*state));
    PQclear(result);
}

struct record_port *sample_record(void **state)
{
    struct record_port *record = fixture_record();
    struct position position = fixture_acquire(record, 0, USHER_OK);
    fixture_batch_begin(&batch, &position);
    fixture_add_show(&batch);
    fixture_commit(record, &batch, &position, USHER_OK);
    sample_sql(
        state,
        "insert into usher.resource (no, partition, id, state, rev) values"
        " ((1::bigint << 48) + 50, 1, 'show:other', 'open', 50),"
        " ((2::bigint << 48) + 1, 2, 'show:away', 'open', 1);"
        " insert into usher.pool (no, resource_no, index, kind, name, capacity, price)"
        " values ((1::bigint << 48) + 2, (1::bigint << 48) + 1, 1, 'section', 'floor', 9, 0),"
        " ((1::bigint << 48) + 3, (1::bigint << 48) + 50, 0, 'section', 'floor', 9, 0),"
        " ((2::bigint << 48) + 1, (2::bigint << 48) + 1, 0, 'section', 'floor', 9, 0)");
    return record;
}

void sample_add_first(void **state, int partition, int seq, int resource, int booking)
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
    sample_sql(state, sql);
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
    sample_sql(state, sql);
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
    sample_sql(state, sql);
}

void sample_add(void **state, const struct sample *s)
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
        s->seq, s->resource, s->state, ends, s->seq, s->customer ? s->customer : "",
        s->cart ? s->cart : "", s->state, s->seq, s->partition);
    sample_sql(state, sql);
    sample_add_first(state, s->partition, s->seq, s->resource, s->seq);
    if (s->units > 0)
        (s->partition == 1 && s->pool == 1 ? add_numbered : add_counted)(state, s);
}

void sample_assert_numbers(const struct booking_row *rows, uint32_t count, const int *seqs,
                           uint32_t expected)
{
    assert_int_equal(expected, count);
    for (uint32_t i = 0; i < expected; i++)
        assert_int_equal(SAMPLE_NO(seqs[i]), rows[i].no);
}
