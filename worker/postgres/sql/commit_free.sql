-- Deletes allocations. $1 allocations.
-- Rows are found key by key (lateral … offset 0) and then met by their place (ctid): joined plainly, the planner
-- scans a table that it believes to be small, and keeps that plan while the table grows. Only this worker writes the
-- rows of its partition, so places stand still.
with gone as (
    delete from usher.allocation
     where ctid = any (array(
               select a.place
                 from unnest($1::usher.allocation_row[]) as f
                cross join lateral (
                    select ctid as place
                      from usher.allocation
                     where pool = f.pool and unit = f.unit and booking = f.booking
                    offset 0) as a))
    returning 1)
select usher.expect('allocations freed', count(*), cardinality($1)) from gone
