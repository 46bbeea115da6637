-- How many units each line of a booking has in which pool of resources, by customer: what limits count. $1 numbers of
-- resources. Lines of one pool are added up by who reads them: here it would cost as much again as to read them.
select d.resource_no, b.customer, b.no, b.held, (l.line ->> 1)::integer as index,
       usher.line_quantity(l.line)::integer as units
  from unnest($1::bigint[]) as k (no)
 cross join lateral (
     select resource_no, (partition::bigint << 48 | seq) as no
       from usher.decision
      where resource_no = k.no and first and booking_no is not null offset 0) as d
 cross join lateral (
     select no, customer, state = 'held' as held, lines
       from usher.booking
      where no = d.no and state in ('held', 'confirmed') offset 0) as b
 cross join lateral json_array_elements(b.lines::json) as l (line)
 order by d.resource_no, b.customer, b.no, index
