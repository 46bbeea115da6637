-- A page of dead letters, as load_decisions.sql, each behind what its decision says of it.
select d.request_id, d.detail, d.decided_at, d.*
  from (select *,
               sum(coalesce(octet_length(value), 0)) over (order by seq) - coalesce(octet_length(value), 0) as before
          from (select l.*, c.request_id, ('{' || c.body || '}')::json ->> 'detail' as detail, c.decided_at
                  from (select * from usher.dead_letter where partition = $1 and seq > $2 order by seq limit $3) as l
                 cross join lateral (
                     select * from usher.decision where partition = l.partition and seq = l.seq offset 0) as c) as d) as d
 where before < 8388608
 order by seq
