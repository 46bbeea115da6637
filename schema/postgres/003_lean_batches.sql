-- What a batch costs beside its rows: less of it.
--
-- No worker may run meanwhile: the types in which batches are sent grow.

set local role usher_owner;

-- What selling changes of a resource: two of its twenty columns, so the others are not sent along.
create type usher.resource_mark_row as (
    no bigint, rev bigint, cancelling text, unserved boolean
);
