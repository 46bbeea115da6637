create function rival.for_update(p_customer integer) returns boolean
language plpgsql
as $$
declare
    chosen integer[];
begin
    for attempt in 1 .. 100 loop
        chosen := array(select unit from rival.seat where state = 'free' order by unit limit 2 for update);
        if cardinality(chosen) = 2 then
            update rival.seat set state = 'held', customer = p_customer where unit = any (chosen);
            perform rival.hold(p_customer, chosen);
            return true;
        end if;
    end loop;
    return false;
end
$$;
