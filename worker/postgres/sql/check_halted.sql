-- The partitions that an operator must see to, a line each.
select format('partition %s has halted since %s: %s; see usher-worker partition list', partition,
              to_char(halted_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI"Z"'), halted)
  from usher.partitions
 where halted is not null
 order by partition
