-- An advisory lock for each show: one booking at a time, the choice of seats is free.
begin;
select pg_advisory_xact_lock(1);
with held as (
    update rival.seat as s set state = 'held', customer = :client_id
      from (select unit from rival.seat where state = 'free' order by unit limit 2) as chosen
     where s.unit = chosen.unit
    returning s.unit
)
insert into rival.booking (customer, units, expires_at, answer)
select :client_id, array_agg(unit), now() + interval '15 minutes', repeat('x', 400) from held having count(*) = 2;
commit;
