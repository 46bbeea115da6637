-- The same, of seats anywhere: less than usher does, which gives the best, side by side; but no conflicts.
\set from random(0, :seats * 9 / 10)
select rival.conditional(:client_id, :from);
