-- Inserts decisions. $1 decisions, $2 how many there must be. A bare `select *`, as in commit_add_bookings.sql.
insert into usher.decision (seq, source_offset, resource_no, booking_no, decided_at, appended_at, partition, epoch,
                            codec, first, replayed, cloud_events, id_hash, content_hash, outcome, op, reason,
                            request_id, resource, key, client, traceparent, body, booking_nos)
select * from unnest(case when usher.expect('decisions', cardinality($1::usher.decision_row[]), $2) then $1 end)
