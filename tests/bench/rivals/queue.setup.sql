-- A table of requests with one consumer, which takes all that wait in one transaction: no conflicts, and a commit for
-- many. The nearest to usher that a database does by itself.
create table rival.request (no bigserial primary key, customer integer not null, answered boolean not null default false)
with (fillfactor = 50);
create index on rival.request (no) where not answered;

create procedure rival.ask(p_customer integer)
language plpgsql
as $$
declare
    mine bigint;
begin
    insert into rival.request (customer) values (p_customer) returning no into mine;
    commit;
    loop
        exit when (select answered from rival.request where no = mine);
        perform pg_sleep(0.0005);
    end loop;
end
$$;

create procedure rival.consume()
language plpgsql
as $$
declare
    asked integer;
begin
    with waiting as (
        select no, customer, row_number() over (order by no) - 1 as place from rival.request where not answered
    ), chosen as (
        select unit, (row_number() over (order by unit) - 1) / 2 as place
          from (select unit from rival.seat where state = 'free' order by unit
                 limit (select 2 * count(*) from waiting)) as free
    ), pairs as (
        select w.no, w.customer, array_agg(c.unit) as units
          from waiting as w join chosen as c using (place) group by w.no, w.customer having count(*) = 2
    ), held as (
        update rival.seat as s set state = 'held', customer = p.customer
          from pairs as p where s.unit = any (p.units)
    ), booked as (
        insert into rival.booking (customer, units, expires_at, answer)
        select customer, units, now() + interval '15 minutes', repeat('x', 400) from pairs
    )
    update rival.request as r set answered = true from waiting as w where r.no = w.no;
    get diagnostics asked = row_count;
    commit;
    if asked = 0 then
        perform pg_sleep(0.0002);
    end if;
end
$$;
