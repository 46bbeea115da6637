-- The amounts sold by decisions and by bookings are equal.
select format('resource %s: by its decisions %s was sold, by its bookings %s',
              coalesce(to_json(r.id)::text, d.resource), coalesce(d.amount, 0),
              coalesce(b.total, 0))
  from (select resource, sum(amount) as amount from usher.audit group by resource) as d
  full join (select r.id, sum(b.total) as total
               from usher.booking as b join usher.resource as r on r.no = b.resource_no
              where b.state = 'confirmed' group by r.id) as b on b.id = d.resource
  left join usher.resource as r on r.id = coalesce(d.resource, b.id)
 where coalesce(d.amount, 0) <> coalesce(b.total, 0)
