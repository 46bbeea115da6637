-- Two tables: who has which seat, and bookings; the key between them is checked at the commit. The primary key says
-- who was first; who lost a seat gives back the other and looks again, from elsewhere.
create table rival.buyer (no bigserial primary key, customer integer not null);
create table rival.taken (
    unit integer primary key references rival.seat,
    buyer bigint not null references rival.buyer deferrable initially deferred
);

create function rival.deferred_key(p_customer integer, p_from integer) returns boolean
language plpgsql
as $$
declare
    chosen integer[];
    buyer_no bigint := nextval('rival.buyer_no_seq');
begin
    for attempt in 1 .. 100 loop
        chosen := array(select s.unit from rival.seat as s
                         where s.unit >= p_from
                           and not exists (select from rival.taken as t where t.unit = s.unit)
                         order by s.unit limit 2);
        begin
            insert into rival.taken (unit, buyer) select unnest(chosen), buyer_no;
            insert into rival.buyer (no, customer) values (buyer_no, p_customer);
            perform rival.hold(p_customer, chosen);
            return true;
        exception
            when unique_violation or deadlock_detected then null;
        end;
    end loop;
    return false;
end
$$;
