-- All of one resource, with its pools, hall and waiting list as JSON. $1 resource, $4 rows at most; rooms from $2 to $3,
-- excluded (null: all). A row of the hall has the names of its seats, and a character for each: free, held, sold, blocked.
select c.*,
       (select coalesce(json_agg(p.pool order by (p.pool).kind = 'room', (p.pool).kind = 'product', p.first_place,
                                               (p.pool).night), '[]')
          from (select a as pool, min(a.place) over (partition by a.pool) as first_place
                  from usher.availability as a
                 where a.resource = $1 and ($2::text is null or a.night is null or a.night >= $2::text::date)
                   and ($3::text is null or a.night is null or a.night < $3::text::date)) as p) as pools,
       (select json_agg(json_build_object('section', x.section, 'row', x.row, 'seats', x.seats, 'states', x.states)
                        order by x.section_place, x.place)
          from (select l.section, l.section_place, l.row, l.place,
                       json_agg(coalesce(l.names ->> n, concat(l.row, '-', l.first + n)) order by n) as seats,
                       string_agg(case t.state when 'held' then 'h' when 'confirmed' then 's' when 'blocked' then 'x'
                                               else '.' end, '' order by n) as states
                  from (select s.section ->> 'section' as section, s.place as section_place, r.line ->> 'row' as row, r.place,
                               coalesce((r.line ->> 'first')::integer, 1) as first,
                               case when json_typeof(r.line -> 'names') = 'array' then r.line -> 'names' end as names,
                               (r.line ->> 'seats')::integer as seats,
                               sum((r.line ->> 'seats')::integer) over (partition by s.place order by r.place)
                                   - (r.line ->> 'seats')::integer as start
                          from usher.hall as h
                         cross join lateral json_array_elements(h.layout -> 'sections') with ordinality as s (section, place)
                         cross join lateral json_array_elements(s.section -> 'rows') with ordinality as r (line, place)
                         where h.resource = $1 and json_typeof(s.section -> 'rows') = 'array') as l
                 cross join generate_series(0, l.seats - 1) as n
                  left join usher.taken_seats as t on t.resource = $1 and t.section = l.section and t.unit = l.start + n
                 group by l.section, l.section_place, l.row, l.place) as x) as hall,
       (select json_agg(w order by w.position) from usher.waiting as w where w.resource = $1) as waiting_list
  from usher.catalogue as c
 where resource = $1
 limit $4::bigint
