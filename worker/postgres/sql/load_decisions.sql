-- A page of decisions. $1 partition, $2 the seq before it, $3 how many at most. It ends with the decision that passes
-- 8 MiB, about.
select *
  from (select *,
               sum(octet_length(body) + 200) over (order by seq) - octet_length(body) as before
          from (select * from usher.decision where partition = $1 and seq > $2 order by seq limit $3) as d) as d
 where before < 8388608
 order by seq
