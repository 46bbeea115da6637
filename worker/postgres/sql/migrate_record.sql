-- Records a migration that was applied. $1 version, $2 name, $3 checksum.
insert into usher.schema_migration (version, name, sha256) values ($1, $2, $3)
