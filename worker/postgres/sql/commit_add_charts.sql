-- Inserts charts. $1 partition, $2 charts. Their hash names their content: one that exists is the same.
insert into usher.chart (partition, hash, content)
select $1, hash, content from unnest($2::usher.chart_row[])
on conflict do nothing
