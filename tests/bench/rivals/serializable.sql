-- SERIALIZABLE, seats anywhere; pgbench tries again what could not be serialized.
\set from random(0, :seats * 9 / 10)
begin isolation level serializable;
with held as (
    update rival.seat as s set state = 'held', customer = :client_id
      from (select unit from rival.seat where state = 'free' and unit >= :from order by unit limit 2) as chosen
     where s.unit = chosen.unit
    returning s.unit
)
insert into rival.booking (customer, units, expires_at, answer)
select :client_id, array_agg(unit), now() + interval '15 minutes', repeat('x', 400) from held having count(*) = 2;
commit;
