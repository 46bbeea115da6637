-- The oldest program that can work with all migrations behind version $1: its version of the schema.
select max(coalesce(c.program, m.version))
  from usher.schema_migration as m
  left join usher.schema_compatible as c on c.version = m.version
 where m.version > $1
