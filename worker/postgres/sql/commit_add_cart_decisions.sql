-- Inserts, for each booking of a decision that changed several, where to find that decision. $1 partition, $2 rows.
insert into usher.cart_decision (partition, booking, seq)
select $1, d.* from unnest($2::usher.cart_decision_row[]) as d
