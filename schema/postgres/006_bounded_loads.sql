-- What is loaded of a resource is found without a look at each of its bookings: those that hold or block units, and
-- which resources have work left. The first is small, for a hold ends soon, and building it reads the bookings once.

set local role usher_owner;

-- The numbered units of these are not sold, though allocated: all others are.
create index booking_claims on usher.booking (resource_no, no) where state in ('held', 'blocked');

-- In their order, so that they can be read page by page.
drop index usher.resource_unfinished;
create index resource_unfinished on usher.resource (partition, no)
    where unserved or cancelling is not null;
