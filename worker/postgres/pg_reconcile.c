/*
 * One statement for each thing that must hold, which finds the rows where it does not, as a line
 * of text for people. All in one snapshot, so workers may go on meanwhile.
 */
#include "worker/postgres/pg_reconcile.h"

#include <stdio.h>

#include "worker/postgres/pg_value.h"

enum {
    LINES_MAX = 100, /* a check */
};

/* The units that bookings have by their lines: booking, pool, unit, price. */
#define LINES                                                                    \
    "select b.no as booking, p.no as pool, u.unit::integer as unit,"             \
    "       (l.line ->> 2)::bigint as price"                                     \
    "  from usher.booking as b"                                                  \
    " cross join lateral json_array_elements(b.lines::json) as l (line)"         \
    " cross join lateral json_array_elements_text(l.line -> 3) as u (unit)"      \
    "  left join usher.pool as p"                                                \
    "    on p.resource_no = b.resource_no and p.index = (l.line ->> 1)::integer" \
    " where b.state in ('held', 'confirmed', 'blocked')"

/* The seq of the decision that made a booking. */
#define MADE_BY(b) b ".no & ((1::bigint << 48) - 1)"

/*
 * What happened to bookings: number, seq, outcome. What an operation on a cart or a booking did is
 * told by its outcome; that others of the cart last longer by it is no news of them.
 */
#define HAPPENED                                                                               \
    "select booking_no as no, seq, outcome from usher.decision"                                \
    " where booking_no is not null and booking_nos is null"                                    \
    " union all"                                                                               \
    " select n.no, d.seq, d.outcome from usher.decision as d, unnest(d.booking_nos) as n (no)" \
    "  where d.outcome in ('confirmed', 'released', 'extended', 'cancelled')"                  \
    " union all"                                                                               \
    " select booking_no, seq, outcome from usher.decision"                                     \
    "  where booking_no is not null and booking_nos is not null"                               \
    "    and outcome not in ('confirmed', 'released', 'extended', 'cancelled')"

/* Each selects one column of text. */
static const char *const checks[] = {
    /* Every allocation belongs to a booking of the pool's resource that has units. */
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
    " where b.no is null or b.state not in ('held', 'confirmed', 'blocked')"
    "    or b.resource_no is distinct from p.resource_no",

    /* A booking that has units has exactly those of its lines. */
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
    " where (a.booking is null or l.booking is null)"
    "   and b.state in ('held', 'confirmed', 'blocked')",

    /* Its total is their price, and a block costs nothing. */
    "select format('resource %s: the total of booking %s is %s, but its units cost %s',"
    "              to_json(r.id), to_json(b.request_id), b.total, coalesce(l.price, 0))"
    "  from usher.booking as b"
    "  left join (select booking, sum(price) as price from (" LINES ") as l group by booking) as l"
    "    on l.booking = b.no"
    "  left join usher.resource as r on r.no = b.resource_no"
    " where b.state in ('held', 'confirmed', 'blocked')"
    "   and b.total <> case when b.state = 'blocked' then 0 else coalesce(l.price, 0) end",

    /* Every seat lies inside its section. Other units may have any number. */
    "select format('resource %s: unit %s is allocated in pool %s, whose capacity is %s',"
    "              to_json(r.id), a.unit, to_json(p.name), p.capacity)"
    "  from usher.allocation as a"
    "  join usher.pool as p on p.no = a.pool"
    "  left join usher.resource as r on r.no = p.resource_no"
    " where p.kind = 'seats' and a.unit >= p.capacity",

    /* No pool has more taken than there is. */
    "select format('resource %s: %s units of pool %s are taken, whose capacity is %s',"
    "              to_json(r.id), a.taken, to_json(p.name), p.capacity)"
    "  from (select pool, count(*) as taken from usher.allocation group by pool) as a"
    "  join usher.pool as p on p.no = a.pool"
    "  left join usher.resource as r on r.no = p.resource_no"
    " where a.taken > p.capacity",

    /* Every booking was made by the first answer to its request. */
    "select format('booking %s was not made by decision %s of partition %s',"
    "              to_json(b.request_id), " MADE_BY(
        "b") ", b.partition)"
             "  from usher.booking as b"
             "  left join usher.decision as d on d.partition = b.partition and d.seq = " MADE_BY(
                 "b") " where d.first is not true or d.request_id is distinct from b.request_id"
                      "    or d.resource_no is distinct from b.resource_no or d.op is distinct "
                      "from b.op",

    /* A booking is what the last decision about it says. */
    "select format('booking %s is %s, but decision %s of partition %s says %s',"
    "              to_json(b.request_id), b.state, h.seq, b.partition, h.outcome)"
    "  from usher.booking as b"
    "  join (select distinct on (no) no, seq, outcome from (" HAPPENED ") as h"
    "         order by no, seq desc) as h on h.no = b.no"
    " where not case"
    "       when h.outcome in ('exchanged', 'transferred') then b.state in ('held', 'confirmed')"
    "       when h.outcome = 'extended' then b.state = 'held'"
    /* What is taken out of a block may leave nothing of it. */
    "       when h.outcome = 'blocked' then b.state in ('blocked', 'released')"
    "       else b.state = h.outcome end",

    /* A decision that names bookings names those of its resource. */
    "select format('decision %s of partition %s names booking %s, which %s', h.seq, h.partition,"
    "              h.no, case when b.no is null then 'is unknown'"
    "                         else 'is of another resource' end)"
    "  from (select partition, seq, resource_no, booking_no as no from usher.decision"
    "         where booking_no is not null"
    "        union all"
    "        select d.partition, d.seq, d.resource_no, n.no"
    "          from usher.decision as d, unnest(d.booking_nos) as n (no)) as h"
    "  left join usher.booking as b on b.no = h.no"
    " where b.no is null or b.resource_no is distinct from h.resource_no",

    /* … and is found from each of them. */
    "select format('decision %s of partition %s and booking %s do not know of each other',"
    "              coalesce(c.seq, h.seq), coalesce(c.partition, h.partition),"
    "              coalesce(c.booking, h.no))"
    "  from (select d.partition, d.seq, n.no"
    "          from usher.decision as d, unnest(d.booking_nos) as n (no)) as h"
    "  full join usher.cart_decision as c"
    "    on c.booking = h.no and c.partition = h.partition and c.seq = h.seq"
    " where c.seq is null or h.seq is null",

    /* By the decisions, as much was sold as by the bookings. */
    "select format('resource %s: by its decisions %s was sold, by its bookings %s',"
    "              coalesce(to_json(r.id)::text, d.resource), coalesce(d.amount, 0),"
    "              coalesce(b.total, 0))"
    "  from (select resource, sum(amount) as amount from usher.audit group by resource) as d"
    "  full join (select r.id, sum(b.total) as total"
    "               from usher.booking as b join usher.resource as r on r.no = b.resource_no"
    "              where b.state = 'confirmed' group by r.id) as b on b.id = d.resource"
    "  left join usher.resource as r on r.id = coalesce(d.resource, b.id)"
    " where coalesce(d.amount, 0) <> coalesce(b.total, 0)",

    /* Who waits has said for what and until when, and has nothing yet. */
    "select format('resource %s: booking %s waits, but %s', to_json(r.id), to_json(b.request_id),"
    "              case when b.wants is null then 'for nothing'"
    "                   when b.expires_at is null then 'without an end'"
    "                   when b.customer is null then 'for nobody' else 'costs something' end)"
    "  from usher.booking as b"
    "  left join usher.resource as r on r.no = b.resource_no"
    " where b.state = 'waiting'"
    "   and (b.wants is null or b.expires_at is null or b.customer is null or b.total <> 0)",

    /* A cart is a customer's, and a booking is in the one that its request named, or in none. */
    "select format('resource %s: booking %s is in cart %s, but %s', to_json(r.id),"
    "              to_json(b.request_id), to_json(b.cart),"
    "              case when b.customer is null then 'has no customer'"
    "                   else 'was not made in it' end)"
    "  from usher.booking as b"
    "  join usher.decision as d on d.partition = b.partition and d.seq = " MADE_BY(
        "b") "  left join usher.resource as r on r.no = b.resource_no"
             " where b.cart is not null"
             "   and (b.customer is null"
             "        or ('{' || d.body || '}')::json ->> 'cart' is distinct from b.cart)",

    /* Bookings are cancelled all at once only where nothing is sold any more. */
    "select format('resource %s: all of its bookings are being cancelled, but it is %s',"
    "              to_json(id), state)"
    "  from usher.resource where cancelling is not null and state <> 'closed'",

    /* Seqs are dense from 1 on, and time does not go back. */
    "select case when seq <> before + 1"
    "            then format('partition %s: no decision between seq %s and %s',"
    "                        partition, before, seq)"
    "            else format('partition %s: decision %s was decided before the one before it',"
    "                        partition, seq) end"
    "  from (select partition, seq, decided_at,"
    "               lag(seq, 1, 0::bigint) over by_seq as before,"
    "               lag(decided_at) over by_seq as decided_before"
    "          from usher.decision window by_seq as (partition by partition order by seq)) as d"
    " where seq <> before + 1 or decided_at < decided_before",

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
    char sql[4096];
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
