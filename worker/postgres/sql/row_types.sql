-- The oids of composite types and the names of their attributes, in the order of $1.
select t.oid::integer,
       (select string_agg(a.attname, ' ' order by a.attnum)
          from pg_type as y join pg_attribute as a on a.attrelid = y.typrelid
         where y.oid = t.oid and a.attnum > 0 and not a.attisdropped)
  from unnest($1::text[]) with ordinality as k (name, place),
       lateral (select k.name::regtype::oid) as t (oid)
 order by k.place
