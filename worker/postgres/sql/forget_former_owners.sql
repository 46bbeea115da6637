-- $1 customer, $2 pseudonym, $3 numbers of bookings.
with changed as (
    update usher.former_owner set customer = $2 where customer = $1 and booking = any ($3::bigint[]) returning 1)
select count(*) from changed
