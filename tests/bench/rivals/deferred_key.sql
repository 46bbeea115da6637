-- Two tables with a deferred foreign key, seats anywhere.
\set from random(0, :seats * 9 / 10)
select rival.deferred_key(:client_id, :from);
