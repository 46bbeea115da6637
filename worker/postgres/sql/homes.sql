-- How many partitions there are, the name of this database (-: it is the only one), and of which there are rows here: those
-- that live here, with a question mark those that stand still on their way from here, and with an exclamation mark, and the
-- shard in which they live, the others.
select format('%s %s %s', coalesce(max(p.partition_count), 0), coalesce(n.name, '-'),
              string_agg(p.partition || case when p.shard is not distinct from n.name then ''
                                             when p.shard is null then '?'
                                             else '!' || p.shard end, ',' order by p.partition)) as homes
  from (select (select name from usher.shard) as name) as n
  left join usher.partitions as p on true
 group by n.name

-- name: states
-- In words: what this database has of partitions that are being moved, or were. $1 those that live in none of the databases.
select case when p.shard = n.name
            then format('partition %s sells in shard %s and is being copied to %s: end that by %s', p.partition, n.name,
                        p.destination, c.command)
            when p.shard is null
            then format('partition %s stands still on its way from shard %s to %s: end that by %s', p.partition, n.name,
                        p.destination, c.command)
            when p.partition = any ($1::integer[])
            then format('shard %s has rows of partition %s, which lives in no database of USHER_POSTGRES: they may be the last; '
                        'see `usher-worker check`', n.name, p.partition)
            when p.destination = n.name
            then format('shard %s has a part of partition %s, which lives in %s', n.name, p.partition, p.shard)
            else format('shard %s has rows of partition %s, which lives in %s: `usher-worker partition forget-moved` deletes them '
                        'if all of them are there', n.name, p.partition, p.shard) end
  from usher.partitions as p
 cross join usher.shard as n
 cross join lateral (
     select format('`usher-worker partition move --partition %s --to %s`, or with --cancel', p.partition, p.destination)) as c (command)
 where p.shard is distinct from n.name or p.destination is not null
 order by p.partition
