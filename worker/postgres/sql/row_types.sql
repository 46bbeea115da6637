-- The oids of composite types and the names of their attributes, in the order of $1.
select t.oid::integer,
       (select string_agg(a.attname, ' ' order by a.attnum)
          from pg_attribute as a
         where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped)
  from unnest($1::text[]) with ordinality as k (name, place) join pg_type as t on t.oid = k.name::regtype
 order by k.place
