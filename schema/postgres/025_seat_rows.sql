-- The rows of a chart in a time that grows with their number.
--
-- The name of a section was read out of its JSON again for each of its rows, so that a section of 13,200 rows took 24 s, longer
-- than a statement may, and its define could not be committed. Now each section is taken apart once.

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (25, 22);

create or replace function usher.rows_of_chart(p_partition integer, p_hash text, p_content text) returns setof usher.seat_row
language sql stable
as $$
    with section as materialized (
        select s.section ->> 'section' as name, s.section -> 'rows' as lines, s.place
          from json_array_elements(p_content::json -> 'sections') with ordinality as s (section, place)
         where json_typeof(s.section -> 'rows') = 'array')
    select p_partition, p_hash, x.section,
           (sum(x.seats) over (partition by x.section_place order by x.place) - x.seats)::integer,
           x.seats, x.line ->> 'row', coalesce((x.line ->> 'first')::integer, 1),
           case when json_typeof(x.line -> 'names') = 'array'
                then array(select json_array_elements_text(x.line -> 'names')) end
      from (select section.name as section, section.place as section_place, r.line, r.place,
                   (r.line ->> 'seats')::integer as seats
              from section
             cross join lateral json_array_elements(section.lines) with ordinality as r (line, place)) as x
     where x.seats > 0
$$;
