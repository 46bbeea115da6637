-- A page of dead letters, as load_decisions.sql.
select *
  from (select *,
               sum(coalesce(octet_length(value), 0)) over (order by seq) - coalesce(octet_length(value), 0) as before
          from (select * from usher.dead_letter where partition = $1 and seq > $2 order by seq limit $3) as d) as d
 where before < 8388608
 order by seq
