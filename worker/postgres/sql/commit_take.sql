-- Inserts allocations, without ON CONFLICT: a unit that has an owner is a failure. $1 allocations.
-- A bare `select *`, as in commit_add_bookings.sql.
insert into usher.allocation (pool, booking, unit)
select * from unnest($1::usher.allocation_row[])
