/*
 * One statement for each thing that must hold, which finds the rows where it does not, as a line
 * of text for people. All in one snapshot, so workers may go on meanwhile.
 */
#include "pg_reconcile.h"

#include <stdio.h>

#include "pg_value.h"

enum {
    LINES_MAX = 100, /* a check */
};

/* The units that live bookings have by their lines: booking, pool, unit. */
#define LINES                                                                    \
    "select b.no as booking, p.no as pool, u.unit::integer as unit"              \
    "  from usher.booking as b"                                                  \
    " cross join lateral json_array_elements(b.lines::json) as l (line)"         \
    " cross join lateral json_array_elements_text(l.line -> 3) as u (unit)"      \
    "  left join usher.pool as p"                                                \
    "    on p.resource_no = b.resource_no and p.index = (l.line ->> 1)::integer" \
    " where b.state in ('held', 'confirmed')"

/* Each selects one column of text. */
static const char *const checks[] = {
    /* Every allocation belongs to a live booking of the pool's resource. */
    "select format('resource %s: unit %s of pool %s is allocated to booking %s, which is %s',"
    "              coalesce(to_json(r.id)::text, 'unknown'), a.unit,"
    "              coalesce(to_json(p.name)::text, 'unknown'),"
    "              coalesce(to_json(b.request_id)::text, a.booking::text),"
    "              case when b.no is null then 'unknown'"
    "                   when b.resource_no is distinct from p.resource_no"
    "                   then 'of another resource' else b.state end)"
    "  from usher.allocation as a"
    "  left join usher.pool as p on p.no = a.pool"
    "  left join usher.resource as r on r.no = p.resource_no"
    "  left join usher.booking as b on b.no = a.booking"
    " where b.no is null or b.state not in ('held', 'confirmed')"
    "    or b.resource_no is distinct from p.resource_no",

    /* A live booking has exactly the units of its lines. */
    "select format('resource %s: booking %s has unit %s of pool %s in its %s',"
    "              to_json(r.id), to_json(b.request_id), coalesce(a.unit, l.unit),"
    "              coalesce(to_json(p.name)::text, 'unknown'),"
    "              case when a.booking is null then 'lines, but not allocated'"
    "                   else 'allocations, but not in its lines' end)"
    "  from (" LINES ") as l"
    "  full join usher.allocation as a"
    "    on a.pool = l.pool and a.unit = l.unit and a.booking = l.booking"
    "  join usher.booking as b on b.no = coalesce(a.booking, l.booking)"
    "  left join usher.resource as r on r.no = b.resource_no"
    "  left join usher.pool as p on p.no = coalesce(a.pool, l.pool)"
    " where (a.booking is null or l.booking is null) and b.state in ('held', 'confirmed')",

    /* Every unit lies inside its pool. */
    "select format('resource %s: unit %s is allocated in pool %s, whose capacity is %s',"
    "              to_json(r.id), a.unit, to_json(p.name), p.capacity)"
    "  from usher.allocation as a"
    "  join usher.pool as p on p.no = a.pool"
    "  left join usher.resource as r on r.no = p.resource_no"
    " where a.unit >= p.capacity",

    /* Every booking was made by the first answer to its request. */
    "select format('booking %s was not made by decision %s of partition %s',"
    "              to_json(b.request_id), b.no & ((1::bigint << 48) - 1), b.partition)"
    "  from usher.booking as b"
    "  left join usher.decision as d"
    "    on d.partition = b.partition and d.seq = b.no & ((1::bigint << 48) - 1)"
    " where d.first is not true or d.request_id is distinct from b.request_id"
    "    or d.resource_no is distinct from b.resource_no",

    /* Seqs are dense from 1 on. */
    "select format('partition %s: no decision between seq %s and %s', partition, before, seq)"
    "  from (select partition, seq, lag(seq, 1, 0::bigint)"
    "               over (partition by partition order by seq) as before"
    "          from usher.decision) as d"
    " where seq <> before + 1",

    /* … and end just below next_seq. */
    "select format('partition %s: the last decision is %s, but the next is to be %s',"
    "              coalesce(s.partition, d.partition), coalesce(d.last, 0), s.next_seq)"
    "  from usher.partition_state as s"
    "  full join (select partition, max(seq) as last from usher.decision group by partition) as d"
    "    on d.partition = s.partition"
    " where s.next_seq is distinct from coalesce(d.last, 0) + 1",

    /* What is invalid, and nothing else, is dead-lettered. */
    "select format('partition %s: decision %s is %s',"
    "              coalesce(d.partition, l.partition), coalesce(d.seq, l.seq),"
    "              case when l.seq is null then 'invalid, but not dead-lettered'"
    "                   else 'dead-lettered, but not invalid' end)"
    "  from (select partition, seq from usher.decision where outcome = 'invalid') as d"
    "  full join usher.dead_letter as l on l.partition = d.partition and l.seq = d.seq"
    " where d.seq is null or l.seq is null",
};

static enum usher_status run(struct pg_connection *connection, const char *check,
                             const struct pg_catalog_differences *differences, uint64_t *count,
                             struct usher_error *err)
{
    char sql[2048];
    PGresult *result;
    enum usher_status status;
    int length =
        snprintf(sql, sizeof sql, "select line, count(*) over () from (%s) as d (line) limit %d",
                 check, LINES_MAX);

    if (length < 0 || (size_t)length >= sizeof sql) {
        usher_error_set(err, USHER_EXIT_BUG, "could not reconcile: a check is too long");
        return USHER_FATAL;
    }
    status = pg_connection_query(connection, sql, NULL, &result, err);
    for (int i = 0; status == USHER_OK && i < PQntuples(result); i++) {
        struct pg_row row = pg_row_of(result, i, NULL);

        row.column = 1;
        *count += i == 0 ? (uint64_t)pg_row_int8(&row, 0) : 0;
        differences->line(differences->context, PQgetvalue(result, i, 0));
    }
    PQclear(result);
    return status;
}

enum usher_status pg_reconcile(struct pg_connection *connection,
                               const struct pg_catalog_differences *differences, uint64_t *count,
                               struct usher_error *err)
{
    /* These read whole tables, so the planner may do what it does best. */
    enum usher_status status =
        pg_connection_script(connection,
                             "begin isolation level repeatable read read only;"
                             "set local enable_seqscan = on; set local enable_hashjoin = on;"
                             "set local enable_mergejoin = on; set local plan_cache_mode = auto;"
                             "set local work_mem = '64MB'",
                             err);

    for (size_t i = 0; i < sizeof checks / sizeof *checks && status == USHER_OK; i++)
        status = run(connection, checks[i], differences, count, err);
    return status;
}
