-- The migrations that were applied, in their order.
select version, name, sha256, applied_at, applied_by from usher.schema_migration order by version
