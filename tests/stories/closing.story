# A resource is closed and all of its bookings are cancelled, in batches: others go on being served meanwhile, and a crash in the middle loses and doubles nothing.

let hall  state: open, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]

== Nothing to cancel is done at once
define r1  $hall -> defined
close r2  cancel_bookings: true -> defined
open r3 -> defined

== Only close cancels
define r1  $hall -> defined
open r2  cancel_bookings: true -> invalid malformed
