-- Looks without a lock, then takes what is still free; who got too few gives it back and looks again.
create function rival.conditional(p_customer integer, p_from integer) returns boolean
language plpgsql
as $$
declare
    chosen integer[];
    taken integer;
begin
    for attempt in 1 .. 100 loop
        chosen := array(select unit from rival.seat where state = 'free' and unit >= p_from order by unit limit 2);
        begin
            update rival.seat set state = 'held', customer = p_customer where unit = any (chosen) and state = 'free';
            get diagnostics taken = row_count;
            if taken = 2 then
                perform rival.hold(p_customer, chosen);
                return true;
            end if;
            raise exception using errcode = 'US999';
        exception
            when sqlstate 'US999' or deadlock_detected then null;
        end;
    end loop;
    return false;
end
$$;
