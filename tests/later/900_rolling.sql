-- Of a later version: workers that are as new as this one do not notice it.

set local role usher_owner;

insert into usher.schema_compatible (version, program) values (900, 8);

create view usher.later as select count(*) as resources from usher.resource;
