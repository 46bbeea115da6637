-- FOR UPDATE SKIP LOCKED: whoever finds free rows locks them and passes over those that others have locked.
with chosen as (
    select unit from rival.seat where state = 'free' order by unit limit 2 for update skip locked
), held as (
    update rival.seat as s set state = 'held', customer = :client_id from chosen where s.unit = chosen.unit
    returning s.unit
)
insert into rival.booking (customer, units, expires_at, answer)
select :client_id, array_agg(unit), now() + interval '15 minutes', repeat('x', 400) from held having count(*) = 2;
