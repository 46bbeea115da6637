-- The answers about bookings, kept for repeats. $1 customer, $2 pseudonym, $3 numbers of bookings.
with about as (
    select (n.no >> 48)::integer as partition, n.no & ((1::bigint << 48) - 1) as seq
      from unnest($3::bigint[]) as n (no)
    union
    select x.partition, x.seq
      from unnest($3::bigint[]) as n (no)
      join usher.decision as x
        on x.booking_no = n.no and x.booking_no is not null and x.booking_no <> (x.partition::bigint << 48 | x.seq)
    union
    select c.partition, c.seq
      from unnest($3::bigint[]) as n (no)
      join usher.cart_decision as c on c.booking = n.no
), changed as (
    update usher.decision as d
       set body = regexp_replace(replace(d.body, '"customer":' || to_json($1::text), '"customer":' || to_json($2::text)),
                             '"payment":"([^"\\]|\\.)*"', '"payment":"forgotten"', 'g')
      from about as a
     where d.partition = a.partition and d.seq = a.seq
       and position('"customer":' || to_json($1::text) in d.body) > 0
    returning 1)
select count(*) from changed
