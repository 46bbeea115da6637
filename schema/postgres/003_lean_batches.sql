-- What a batch costs beside its rows: less of it.

set local role usher_owner;

-- What selling changes of a resource: three of its twenty columns, so the others are not sent along.
create type usher.resource_mark_row as (
    no bigint, rev bigint, cancelling text, unserved boolean
);

-- Each batch writes the resources that it sold from. In a page with room a row's next version goes beside it and no
-- index hears of it; in full pages, nine of ten versions cost three entries. Pages that are full already stay so until
-- `vacuum full usher.resource`.
alter table usher.resource set (fillfactor = 50);
