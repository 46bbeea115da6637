# Blocks: units taken off sale by the house, returned by hand or by time; and what closing a resource does to all of its bookings.

define d  state: open, currency: EUR, sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 4}, {row: B, seats: 4}]}],
    products: [{product: mug, capacity: 10, rates: {adult: 800, child: 500}}]
    defined

== The house takes units off sale and gives them back
block b  note: press, items: [{seats: [A-1, A-2]}, {product: mug, quantity: 4}]
    blocked  booking: b, units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 0}, {item: 1, product: mug, quantity: 4, price: 0}],
        total: 0
hold r1  customer: c, items: [{seats: [A-2]}] -> refused unit_taken
hold r2  customer: c, items: [{product: mug, quantity: 7}]
    refused not_enough  items: [{item: 0, asked: 7, given: 0, reason: not_enough, free: 6}]
probe p
    alive  pools: [{section: stalls, free: 6, held: 0, sold: 0, blocked: 2, total: 8, rates: {standard: 4500}}, {product: mug, free: 6,
        held: 0, sold: 0, blocked: 4, total: 10, rates: {adult: 800, child: 500}}]
# Only the house can do anything about it.
release r3  customer: c, booking: b -> refused not_owner
release r4  force: true, booking: b -> refused not_held
unblock r5  booking: r1 -> refused unknown_booking
unblock r6  booking: b
    released  booking: b, returned: [{item: 0, section: stalls, seats: [A-1, A-2], price: 0}, {item: 1, product: mug, quantity: 4,
        price: 0}]
unblock r7  booking: b -> refused already_released
hold r8  customer: c, items: [{seats: [A-2]}, {product: mug, quantity: 10}] -> held

== Blocks are made of what is free
# Also while nothing is on sale, and of nothing that is taken.
hold h  customer: c, items: [{seats: [A-1]}] -> held
close c -> defined
block r1  items: [{seats: [A-1, A-2]}] -> refused unit_taken
block r2  shortage: partial, items: [{seats: [A-1, A-2]}]
    blocked  booking: r2, units: [{item: 0, section: stalls, seats: [A-2], price: 0}], items: [{item: 0, asked: 2, given: 1,
        reason: unit_taken, taken: [A-1]}]

== A block returns at its time
block b  return_at: @20s, items: [{seats: [A-1, A-2]}] -> blocked  expires_at: @20s
hold h  customer: c, from_block: b, items: [{seats: [A-1]}] -> held
after 20s -> released  cause: block_returned, booking: b, returned: [{item: 0, section: stalls, seats: [A-2], price: 0}]
hold r1  customer: c, items: [{seats: [A-2]}] -> held

== Closing with cancel bookings ends all of them
hold h  customer: c, items: [{seats: [A-1]}] -> held
book s  customer: c, items: [{seats: [A-2, B-1]}] -> confirmed
block b  items: [{seats: [A-3]}] -> blocked
hold w  customer: c, wait_until: 2030-01-01T00:00:00Z, items: [{seats: [A-2]}] -> waiting
book m  customer: c, items: [{product: mug, quantity: 2}] -> confirmed
# In the order of the hashes of their ids, then who waits.
close x  cancel_bookings: true, note: flooded -> defined
    cancelled  detail: flooded, cause: resource_closed, booking: s
    cancelled  detail: flooded, cause: resource_closed, booking: m
    released  detail: flooded, cause: resource_closed, booking: h
    left  detail: flooded, cause: resource_closed, booking: w
    nothing
confirm r1  customer: c, booking: h -> refused already_released
cancel r2  customer: c, booking: s -> refused already_cancelled
# The house's own stays; then all may begin again.
open r3 -> defined
book r4  customer: c, items: [{seats: [A-3]}] -> refused unit_taken
book r5  customer: c, items: [{seats: [A-1, A-2, B-1]}, {product: mug, quantity: 10}] -> confirmed
