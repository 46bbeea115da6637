-- What owners have in memory of them is never written: the next epoch begins. $1 customer, $2 pseudonym, $3 numbers of bookings.
with changed as (
    update usher.partition_state set epoch = epoch + 1
     where partition in (select (n.no >> 48)::integer from unnest($3::bigint[]) as n (no))
       and $1::text is not null and $2::text is not null
    returning 1)
select count(*) from changed
