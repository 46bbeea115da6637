-- From which to which night a resource has rooms, and with which night to begin: $2, else the first that is not over at the
-- place, else today; `ends`: $3, or a month later. $1 resource, $4 rows at most.
select n.first, n.last, b.begins, coalesce($3::text::date, b.begins + 31) as ends
  from (select min(a.night) as first, max(a.night) as last, min(a.night) filter (where a.night >= t.today) as next, t.today
          from (select (now() at time zone coalesce(timezone, 'UTC'))::date as today
                  from usher.catalogue
                 where resource = $1) as t
          left join usher.availability as a on a.resource = $1 and a.night is not null
         group by t.today) as n
 cross join lateral (select coalesce($2::text::date, n.next, n.today) as begins) as b
 limit $4::bigint
