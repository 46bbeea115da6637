-- Who has them, and what was said about them. $1 customer, $2 pseudonym, $3 numbers of bookings.
with changed as (
    update usher.booking
       set customer = $2, payment = case when payment is not null then 'forgotten' end,
           note = case when note is not null then 'forgotten' end, meta = case when meta is not null then '{}' end
     where no = any ($3::bigint[]) and customer = $1
    returning 1)
select count(*) from changed
