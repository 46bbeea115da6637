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

== A block moves in one step
# Parties wait for what it has. What it has before and after never comes to them.
block b  return_at: @1h, note: press, items: [{seats: [A-1, A-2]}, {product: mug, quantity: 4}] -> blocked
hold w  customer: c, wait_until: @30m, items: [{seats: [A-2]}] -> waiting
hold v  customer: d, wait_until: @30m, items: [{product: mug, quantity: 8}] -> waiting
exchange x  force: true, booking: b, items: [{seats: [A-2, A-3]}, {product: mug, quantity: 3, rate: child}]
    exchanged  booking: b, customer: absent, units: [{item: 0, section: stalls, seats: [A-2, A-3], price: 0}, {item: 1, product: mug,
        quantity: 3, price: 0}], returned: [{item: 0, section: stalls, seats: [A-1], price: 0}, {item: 1, product: mug, quantity: 1,
        price: 0}], total: 0, difference: 0, expires_at: @1h, free: 13
    nothing
# What it gives up goes to who waits.
exchange y  force: true, booking: b, items: [{seats: [B-1]}, {product: mug, quantity: 2}] -> exchanged
    held  cause: waiting_list, booking: w, units: [{item: 0, section: stalls, seats: [A-2], price: 4500}]
    held  cause: waiting_list, booking: v
    nothing
# It becomes larger, and still returns at its time.
exchange z  force: true, booking: b, items: [{section: stalls, quantity: 7}]
    exchanged  units: [{item: 0, section: stalls, seats: [B-1, B-2, B-3, B-4, A-1, A-3, A-4], price: 0}], returned: [{item: 1, product: mug,
        quantity: 2, price: 0}], free: 2
later 50m
after 10m -> expired  booking: w
    expired  booking: v
    released  cause: block_returned, booking: b, total: 0

== Only the house moves a block
block b  items: [{seats: [A-1]}] -> blocked
hold h  customer: c, items: [{seats: [A-2]}] -> held
exchange r1  customer: c, booking: b, items: [{seats: [A-3]}] -> refused not_owner
exchange r2  customer: c, force: true, booking: b, items: [{seats: [A-3]}] -> refused not_owner
exchange r3  booking: b, items: [{seats: [A-3]}] -> invalid malformed
# A hold is its customer's, and does not become a block. Nor does a block go into one.
exchange r4  force: true, booking: b, from_hold: h, items: [{seats: [A-2]}] -> refused not_owner
exchange r5  customer: c, booking: h, from_hold: b, items: [{seats: [A-1]}] -> refused not_owner
block b2  items: [{seats: [B-1]}] -> blocked
exchange r6  force: true, booking: b, from_hold: b2, items: [{seats: [B-1]}] -> refused not_owner
transfer r7  force: true, booking: b, to_customer: c -> refused not_held

== A block that cannot move stays as it is
block b  items: [{seats: [A-1, A-2]}, {product: mug, quantity: 9}] -> blocked
book s  customer: c, items: [{seats: [A-3]}] -> confirmed
exchange r1  force: true, booking: b, items: [{seats: [A-2, A-3]}]
    refused unit_taken  items: [{item: 0, asked: 2, given: 0, reason: unit_taken, taken: [A-3]}], own_hold: absent
exchange r2  force: true, booking: b, items: [{product: mug, quantity: 11}]
    refused not_enough  items: [{item: 0, asked: 11, given: 0, reason: not_enough, free: 10}], retryable: false
exchange r3  force: true, booking: b, items: [{section: nowhere, quantity: 1}] -> refused unknown_pool
probe p
    alive  pools: [{section: stalls, free: 5, held: 0, sold: 1, blocked: 2, ...}, {product: mug, free: 1, held: 0, sold: 0, blocked: 9, ...}]
exchange r4  force: true, booking: b, items: [{product: mug, quantity: 10}] -> exchanged  free: 7

== A block moves as it was made, whatever the sale
# Neither limits, quotas nor times of sale are for what is off sale.
block b  items: [{product: mug, quantity: 1}] -> blocked
define q  limits: {units_per_request: 2, units_per_customer: 2, units_min: 2}, quotas: [{quota: all, pools: [stalls, mug], limit: 1}]
    defined
exchange r1  force: true, booking: b, items: [{section: stalls, quantity: 5}] -> exchanged
exchange r2  force: true, booking: b, items: [{section: stalls, quantity: 1}] -> exchanged
close c -> defined
exchange r3  force: true, booking: b, items: [{section: stalls, quantity: 4}] -> exchanged
define o  state: open, opens_at: 2000-01-01T00:00:00Z, ends_at: 2000-01-02T00:00:00Z -> defined
exchange r4  force: true, booking: b, items: [{section: stalls, quantity: 8}] -> exchanged
define e  state: draft -> defined
exchange r5  force: true, booking: b, items: [{section: stalls, quantity: 2}] -> exchanged

== A block moves to other nights
define n  rooms: [{room: double, from: 2026-12-20, to: 2026-12-26, capacity: 2, price: 9000}], timezone: Europe/London -> defined
block b  items: [{room: double, from: 2026-12-21, to: 2026-12-23, quantity: 1}] -> blocked
book s  customer: c, items: [{room: double, from: 2026-12-22, to: 2026-12-24, quantity: 1}] -> confirmed
exchange r1  force: true, booking: b, items: [{room: double, from: 2026-12-22, to: 2026-12-25, quantity: 1}]
    exchanged  units: [{item: 0, room: double, night: 2026-12-22, tokens: [0], price: 0}, {item: 0, room: double, night: 2026-12-23,
        tokens: [1], price: 0}, {item: 0, room: double, night: 2026-12-24, tokens: [0], price: 0}], returned: [{item: 0, room: double,
        night: 2026-12-21, tokens: [0], price: 0}]
exchange r2  force: true, booking: b, items: [{room: double, from: 2026-12-23, to: 2026-12-26, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1, taken: [2026-12-23]}]

== What was sold out of a block stays sold when it moves
block b  items: [{seats: [A-1, A-2]}, {product: mug, quantity: 3}] -> blocked
book s  customer: c, from_block: b, items: [{seats: [A-1]}, {product: mug, quantity: 1, rate: child}] -> confirmed
exchange r1  force: true, booking: b, items: [{seats: [A-1, A-2]}] -> refused unit_taken
exchange r2  force: true, booking: b, items: [{seats: [A-4]}]
    exchanged  returned: [{item: 0, section: stalls, seats: [A-2], price: 0}, {item: 1, product: mug, quantity: 2, price: 0}]
book r3  customer: d, from_block: b, items: [{seats: [A-4]}] -> confirmed  total: 4500
exchange r4  force: true, booking: b, items: [{seats: [B-4]}] -> refused already_released
unblock r5  booking: b -> refused already_released

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

-- In the hall

let hall  state: closed, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]
let hallb  state: open, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]
let hotel  state: open, currency: GBP, rooms: [{room: double, from: 2026-12-20, to: 2026-12-30, capacity: 3, price: 12900}, {room: double,
    from: 2026-12-24, to: 2026-12-27, price: 18900}, {room: single, from: 2026-12-20, to: 2026-12-25, capacity: 2, price: 8000}]

== A block does not ask whether it is on sale (draft)
define r1  state: draft, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]
    defined
block r2  items: [{seats: [A-1]}] -> blocked

== A block does not ask whether it is on sale (closed)
define r1  $hall -> defined
block r2  items: [{seats: [A-1]}] -> blocked

== Selling out of a block needs a sale
define r1  $hall -> defined
block r2  items: [{seats: [A-1]}] -> blocked
hold r3  customer: c, from_block: r2, items: [{seats: [A-1]}] -> refused not_on_sale  state: closed
book r4  customer: c, from_block: r2, items: [{seats: [A-1]}] -> refused not_on_sale  state: closed

== Limits and quotas are not for blocks
define r1  $hallb, limits: {units_min: 3, units_per_request: 3, units_per_customer: 3}, quotas: [{quota: all, pools: [stalls, standing],
    limit: 5}]
    defined
block r2  items: [{section: standing, quantity: 1}] -> blocked
block r3  items: [{section: standing, quantity: 9}] -> blocked
hold r4  customer: c, items: [{section: stalls, quantity: 3}] -> held

== A block of nights
define r1  $hotel -> defined
block r2  items: [{room: double, from: 2026-12-22, to: 2026-12-24, quantity: 2}], note: painters
    blocked  units: [{item: 0, room: double, night: 2026-12-22, tokens: [0, 1], price: 0}, {item: 0, room: double, night: 2026-12-23,
        tokens: [0, 1], price: 0}]
book r3  customer: g, items: [{room: double, from: 2026-12-22, to: 2026-12-23, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1, taken: [2026-12-22]}]
probe r4 -> alive  pools: [{room: double, free: [3, 3, 1, 1, 3, 3, 3, 3, 3, 3], ...}, {room: single, free: [2, 2, 2, 2, 2], ...}]

== Units out of a block count for its limits and quotas
define r1  $hallb, limits: {units_per_customer: 3}, quotas: [{quota: floor, pools: [standing], limit: 5}] -> defined
block r2  items: [{section: standing, quantity: 10}] -> blocked
book r3  customer: c, from_block: r2, items: [{section: standing, quantity: 4}] -> refused limit_exceeded
book r4  customer: c, from_block: r2, items: [{section: standing, quantity: 3}] -> confirmed
book r5  customer: d, from_block: r2, items: [{section: standing, quantity: 3}] -> refused not_enough
book r6  customer: d, from_block: r2, items: [{section: standing, quantity: 2}] -> confirmed

-- In the hall
define r1  $hallb -> defined

== Unblock puts them back
block r2  items: [{seats: [A-1]}, {section: standing, quantity: 2}]
    blocked  units: [{item: 0, section: stalls, seats: [A-1], price: 0}, {item: 1, section: standing, quantity: 2, price: 0}]
unblock r3  booking: r2
    released  returned: [{item: 0, section: stalls, seats: [A-1], price: 0}, {item: 1, section: standing, quantity: 2, price: 0}]
probe r4
    alive  pools: [{section: stalls, free: 18, ...}, {section: balcony, free: 5, ...}, {section: standing, free: 10, ...},
        {product: programme, free: 3, ...}]
unblock r5  booking: r2 -> refused already_released
block r6  items: [{seats: [A-1]}] -> blocked  units: [{item: 0, section: stalls, seats: [A-1], price: 0}]
unblock r7  booking: r6, customer: anybody -> released  returned: [{item: 0, section: stalls, seats: [A-1], price: 0}]

== A block does not ask whether it is on sale (open)
block r2  items: [{seats: [A-1]}] -> blocked

== A block takes all or nothing or what there is
book r2  customer: c, items: [{seats: [A-2]}, {section: standing, quantity: 8}]
    confirmed  units: [{item: 0, section: stalls, seats: [A-2], price: 4500}, {item: 1, section: standing, quantity: 8, price: 2000}],
        free: 27
block r3  items: [{seats: [A-1, A-2, A-3]}, {section: standing, quantity: 5}]
    refused unit_taken  items: [{item: 0, asked: 3, given: 0, reason: unit_taken, taken: [A-2]}, {item: 1, asked: 5, given: 0,
        reason: not_enough, free: 2}], free: 27
probe r4
    alive  pools: [{section: stalls, free: 17, sold: 1, ...}, {section: balcony, free: 5, ...}, {section: standing, free: 2, sold: 8, ...},
        {product: programme, free: 3, ...}], free: 27
block r5  items: [{seats: [A-1, A-2, A-3]}, {section: standing, quantity: 5}], shortage: partial
    blocked  units: [{item: 0, section: stalls, seats: [A-1, A-3], price: 0}, {item: 1, section: standing, quantity: 2, price: 0}],
        items: [{item: 0, asked: 3, given: 2, reason: unit_taken, taken: [A-2]}, {item: 1, asked: 5, given: 2, reason: not_enough,
        free: 2}], free: 23
probe r6
    alive  pools: [{section: stalls, free: 15, sold: 1, blocked: 2, ...}, {section: balcony, free: 5, ...}, {section: standing, sold: 8,
        blocked: 2, ...}, {product: programme, free: 3, ...}], free: 23

== Units are sold out of a block only (hold-held)
block r2  items: [{seats: [A-1, A-2, C-1]}, {section: standing, quantity: 4}]
    blocked  units: [{item: 0, section: stalls, seats: [A-1, A-2, C-1], price: 0}, {item: 1, section: standing, quantity: 4, price: 0}],
        total: 0
hold r3  customer: guest, from_block: r2, items: [{seats: [A-2]}, {section: stalls, quantity: 1}, {section: standing, quantity: 3}]
    held  units: [{item: 0, section: stalls, seats: [A-2], price: 4500}, {item: 1, section: stalls, seats: [A-1], price: 4500}, {item: 2,
        section: standing, quantity: 3, price: 2000}], total: 15000
probe r4
    alive  pools: [{section: stalls, free: 15, held: 2, blocked: 1, ...}, {section: balcony, free: 5, ...}, {section: standing, free: 6,
        held: 3, blocked: 1, ...}, {product: programme, free: 3, ...}]
hold r5  customer: guest, from_block: r2, items: [{seats: [B-1]}] -> refused not_in_booking
hold r6  customer: guest, from_block: r2, items: [{seats: [A-2]}] -> refused not_in_booking
hold r7  customer: guest, from_block: r2, items: [{section: stalls, quantity: 2}] -> refused not_enough
hold r8  customer: guest, from_block: r2, items: [{section: standing, quantity: 2}] -> refused not_enough
probe r9
    alive  pools: [{section: stalls, free: 15, held: 2, blocked: 1, ...}, {section: balcony, free: 5, ...}, {section: standing, free: 6,
        held: 3, blocked: 1, ...}, {product: programme, free: 3, ...}]

== Units are sold out of a block only (book-confirmed)
block r2  items: [{seats: [A-1, A-2, C-1]}, {section: standing, quantity: 4}]
    blocked  units: [{item: 0, section: stalls, seats: [A-1, A-2, C-1], price: 0}, {item: 1, section: standing, quantity: 4, price: 0}],
        total: 0
book r3  customer: guest, from_block: r2, items: [{seats: [A-2]}, {section: stalls, quantity: 1}, {section: standing, quantity: 3}]
    confirmed  units: [{item: 0, section: stalls, seats: [A-2], price: 4500}, {item: 1, section: stalls, seats: [A-1], price: 4500},
        {item: 2, section: standing, quantity: 3, price: 2000}], total: 15000
probe r4
    alive  pools: [{section: stalls, free: 15, sold: 2, blocked: 1, ...}, {section: balcony, free: 5, ...}, {section: standing, free: 6,
        sold: 3, blocked: 1, ...}, {product: programme, free: 3, ...}]
book r5  customer: guest, from_block: r2, items: [{seats: [B-1]}] -> refused not_in_booking
book r6  customer: guest, from_block: r2, items: [{seats: [A-2]}] -> refused not_in_booking
book r7  customer: guest, from_block: r2, items: [{section: stalls, quantity: 2}] -> refused not_enough
book r8  customer: guest, from_block: r2, items: [{section: standing, quantity: 2}] -> refused not_enough
probe r9
    alive  pools: [{section: stalls, free: 15, sold: 2, blocked: 1, ...}, {section: balcony, free: 5, ...}, {section: standing, free: 6,
        sold: 3, blocked: 1, ...}, {product: programme, free: 3, ...}]

== What a block lacks is said as of what is free
# Also of its seats those that an item refuses, and the nights in the way.
define r2  resource: s1, $hotel -> defined
define r3  sections: [{section: side, price: 1, rows: [{row: S, seats: 3, features: {aisle: [1]}}]}] -> defined
block r4  items: [{section: side, quantity: 3}] -> blocked  units: [{item: 0, section: side, seats: [S-1, S-2, S-3], price: 0}]
hold r5  customer: c, from_block: r4, items: [{section: side, quantity: 3, avoid: [aisle]}]
    refused not_enough  items: [{item: 0, asked: 3, given: 0, reason: not_enough, free: 2}]
hold r6  customer: c, from_block: r4, items: [{section: side, quantity: 1, avoid: [aisle]}]
    held  units: [{item: 0, section: side, seats: [S-2], price: 1}]
block r7  resource: s1, items: [{room: double, from: 2026-12-22, to: 2026-12-24, quantity: 2}]
    blocked  units: [{item: 0, room: double, night: 2026-12-22, tokens: [0, 1], price: 0}, {item: 0, room: double, night: 2026-12-23,
        tokens: [0, 1], price: 0}]
hold r8  resource: s1, customer: g, from_block: r7, items: [{room: double, from: 2026-12-23, to: 2026-12-25, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 0, taken: [2026-12-24]}]

== Prices of units out of a block are todays
block r2  items: [{section: standing, quantity: 4}] -> blocked  total: 0
define r3  sections: [{section: standing, price: 2900}] -> defined
book r4  customer: c, from_block: r2, items: [{section: standing, quantity: 1}] -> confirmed  total: 2900

== A block that is emptied is over
block r2  items: [{seats: [A-1, A-2]}] -> blocked
hold r3  customer: c, from_block: r2, items: [{seats: [A-1, A-2]}] -> held
unblock r4  booking: r2 -> refused already_released
release r5  customer: c, booking: r3 -> released
probe r6
    alive  pools: [{section: stalls, free: 18, ...}, {section: balcony, free: 5, ...}, {section: standing, free: 10, ...},
        {product: programme, free: 3, ...}]

== What no block is
hold r2  customer: c, items: [{seats: [A-1]}] -> held
block r3  items: [{seats: [A-2]}] -> blocked
unblock r4  booking: r3 -> released
hold r5  customer: c, from_block: nothing, items: [{seats: [A-1]}] -> refused unknown_booking
hold r6  customer: c, from_block: r2, items: [{seats: [A-1]}] -> refused not_blocked
hold r7  customer: c, from_block: r3, items: [{seats: [A-2]}] -> refused not_blocked

== Partial out of a block
block r2  items: [{seats: [A-1]}, {section: standing, quantity: 2}] -> blocked  total: 0
book r3  customer: c, from_block: r2, shortage: partial, items: [{seats: [A-1]}, {section: standing, quantity: 5}]
    confirmed  items: [{item: 1, asked: 5, given: 2, reason: not_enough, free: 2}], total: 8500

== Block needs items and unblock a booking
block r2 -> invalid malformed
unblock r3 -> invalid malformed
