-- Every booking was made by the first answer to its request. A booking's number is made of the seq of that decision.
select format('booking %s was not made by decision %s of partition %s',
              to_json(b.request_id), b.no & ((1::bigint << 48) - 1), b.partition)
  from usher.booking as b
  left join usher.decision as d on d.partition = b.partition and d.seq = b.no & ((1::bigint << 48) - 1)
 where d.first is not true or d.request_id is distinct from b.request_id
    or d.resource_no is distinct from b.resource_no or d.op is distinct from b.op
