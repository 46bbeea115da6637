-- The guard of a batch, sent first: moves the partition on, or fails if this worker no longer owns it.
-- $1 partition, $2 epoch, $3, $4 next offset and seq as expected, $5, $6 as they become, $7 the batch's time,
-- $8 offset and $9 fingerprint of the last record, $10 seq and $11 offset up to which answers are published.
select usher.advance($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
