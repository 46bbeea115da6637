"""
Years of sales in a database, loaded by COPY: bookings of two and three units in turn, each with its decision, as a
worker would have written them. The worker is stopped meanwhile, and continues after them.
"""

import os
import shutil
import subprocess

from instance import Broken

PLACE_UNITS = 100_000
UNITS_OF_TWO = 5       # of a pair of bookings
BYTES_A_SALE = 1_000   # of disk, with indexes, roughly
PAIR_PLACES = PLACE_UNITS // UNITS_OF_TWO

# Sale k of place r: two units where k is even, three where it is odd, after those before.
SALES = f"""
    select k, r.no as resource_no, r.id as resource,
           ((k / 2 %% {PAIR_PLACES}) * {UNITS_OF_TWO} + (k %% 2) * 2)::integer as before,
           2 + (k %% 2)::integer as quantity,
           %(first)s + k as no, %(at)s::timestamptz as at
      from generate_series(0::bigint, %(sales)s - 1) as k
      join usher.resource as r on r.id = 'old:' || k / {2 * PAIR_PLACES}
"""

CONTENT = "00000000-0000-0000-0000-000000000000"  # a hash that is never looked up

# Table → (columns, the rows in the order of their numbers). In the types of the columns: they go over in binary form.
ROWS = {
    "decision": (
        "seq, source_offset, resource_no, booking_no, decided_at, appended_at, partition, epoch, codec, first, replayed,"
        " cloud_events, id_hash, content_hash, outcome, op, request_id, resource, key, body",
        f"no, k, resource_no, no, at, at, 0, 1, 1::smallint, true, false, false, md5(k::text)::uuid, '{CONTENT}'::uuid,"
        " 'confirmed', 'book', 'old-' || k, resource, convert_to(resource, 'UTF8'),"
        " '\"outcome\":\"confirmed\",\"booking\":\"old-' || k || '\",\"customer\":\"customer-' || k % 1000000"
        " || '\",\"units\":[{\"item\":0,\"section\":\"floor\",\"quantity\":' || quantity || ',\"price\":1000}],\"total\":'"
        " || quantity * 1000 || ',\"currency\":\"GBP\",\"decided_at\":\"2026-01-01T09:00:00.004Z\",\"rev\":' || no"
        " || ',\"free\":' || 100000 - before"),
    "booking": (
        "no, partition, resource_no, created_at, total, state, op, request_id, customer, payment, lines",
        "no, 0, resource_no, at, quantity * 1000::bigint, 'confirmed', 'book', 'old-' || k, 'customer-' || k % 1000000,"
        " 'pi_3Q', '[[0,0,1000,' || quantity || ']]'"),
}

# The places are sections by capacity, which are counted.
COUNT = """
    update usher.pool as p set sold = s.units
      from (select b.resource_no, sum(usher.line_quantity(b.lines::json -> 0)) as units
              from usher.booking as b
              join usher.resource as r on r.no = b.resource_no
             where starts_with(r.id, 'old:')
             group by b.resource_no) as s
     where p.resource_no = s.resource_no
"""

# What there was is put back behind what is loaded; indexes are made once all of it is there.
SET_ASIDE = """
create table bench.kept_{table} as select * from usher.{table};
create table bench.index_{table} as
select pg_get_indexdef(i.indexrelid) as make, i.indexrelid::regclass::text as name, c.conname
  from pg_index as i left join pg_constraint as c on c.conindid = i.indexrelid and c.contype = 'p'
 where i.indrelid = 'usher.{table}'::regclass;
"""
LOAD = """
begin;
truncate usher.{table};
do $$
declare
    one record;
begin
    for one in select * from bench.index_{table} loop
        execute case when one.conname is null then format('drop index %s', one.name)
                     else format('alter table usher.{table} drop constraint %I', one.conname) end;
    end loop;
end
$$;
\\copy usher.{table} ({columns}) from pstdin with (format binary, freeze)
insert into usher.{table} select * from bench.kept_{table};
commit;
set maintenance_work_mem = '1GB';
do $$
declare
    one record;
begin
    for one in select * from bench.index_{table} order by conname is null loop
        execute one.make;
        if one.conname is not null then
            execute format('alter table usher.{table} add primary key using index %I', one.conname);
        end if;
    end loop;
end
$$;
vacuum analyze usher.{table};
"""


def _with_settings(instance, **settings):
    """Restarts PostgreSQL with these, or, without any, with its own."""
    instance.sql("alter system reset all")
    for name, value in settings.items():
        instance.sql(f"alter system set {name} = {value}")
    instance.restart_part("postgres")


def _check_room(instance, sales):
    free, needed = shutil.disk_usage(instance.directory).free, 2 * sales * BYTES_A_SALE
    if free < needed:
        raise Broken(f"{sales:,} old sales need {needed / 1e9:.0f} GB of disk, {free / 1e9:.0f} GB are free")


def define_places(instance, sales):
    """The places where the old sales were, each sold out but for the last."""
    places = -(-sales // (2 * PAIR_PLACES))
    instance.send({"request_id": f"def-old-{n}", "op": "define", "resource": f"old:{n}", "state": "open",
                   "currency": "GBP", "sections": [{"section": "floor", "price": 1000, "capacity": PLACE_UNITS}]}
                  for n in range(places))


def _load_table(instance, table, values):
    columns, rows = ROWS[table]
    query = f"copy (select {rows} from ({SALES % values}) as sale) to stdout (format binary)"
    instance.sql(SET_ASIDE.format(table=table))
    script = instance.scratch / f"load-{table}.sql"
    script.write_text(LOAD.format(table=table, columns=columns), encoding="utf-8")
    psql = ["psql", "-qX", "-v", "ON_ERROR_STOP=1", instance.uri("admin")]
    with subprocess.Popen([*psql, "-c", query], stdout=subprocess.PIPE) as made:
        done = subprocess.run([*psql, "-f", script], stdin=made.stdout, text=True, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
    if done.returncode != 0 or made.returncode != 0:
        raise Broken(f"could not load {table}: {done.stderr}")


def load(instance, sales):
    """Loads this many decisions with their bookings; `define_places` came before."""
    _check_room(instance, sales)
    instance.stop_worker()
    _with_settings(instance, wal_level="minimal", max_wal_senders="0", max_wal_size="'16GB'")
    first, at = instance.sql("select next_seq, now from usher.partition_state")[0]
    instance.sql("create schema bench")
    for table in ROWS:
        _load_table(instance, table, {"first": first, "at": f"'{at}'", "sales": sales})
    instance.sql(COUNT)
    # As if all of it had been published, and each place had last changed with its last sale.
    instance.sql("update usher.partition_state set next_seq = next_seq + %s, published_seq = next_seq + %s - 1,"
                 " published_result_offset = null", sales, sales)
    instance.sql("update usher.resource as r set rev = greatest(rev, b.no) from"
                 " (select resource_no, max(no) as no from usher.booking group by resource_no) as b"
                 " where b.resource_no = r.no")
    instance.sql("drop schema bench cascade")
    _with_settings(instance)
    os.sync()  # else the disk writes all of it while the next figures are measured
    instance.start_worker()
