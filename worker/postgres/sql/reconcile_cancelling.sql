-- All bookings of a resource are being cancelled only where it is closed.
select format('resource %s: all of its bookings are being cancelled, but it is %s',
              to_json(id), state)
  from usher.resource
 where cancelling is not null and state <> 'closed'
