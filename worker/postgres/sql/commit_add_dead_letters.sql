-- Inserts dead letters. $1 partition, $2 dead letters.
insert into usher.dead_letter (partition, seq, source_offset, truncated, reason, key, value)
select $1, d.* from unnest($2::usher.dead_letter_row[]) as d
