-- Answers to a customer that are about no booking, refusals and repeats above all. Goes through all decisions.
-- $1 customer, $2 pseudonym.
with changed as (
    update usher.decision as d
       set body = regexp_replace(replace(d.body, '"customer":' || to_json($1::text), '"customer":' || to_json($2::text)),
                             '"payment":"([^"\\]|\\.)*"', '"payment":"forgotten"', 'g')
      from usher.partition_state as s
     where d.partition = s.partition and d.seq <= s.published_seq and d.booking_no is null and d.booking_nos is null
       and position('"customer":' || to_json($1::text) in d.body) > 0
    returning 1)
select count(*) from changed
