# Taking units and what becomes of them: hold, book, confirm, release, cancel, each with its outcomes.

let hotel  state: open, currency: GBP, rooms: [{room: double, from: 2026-12-20, to: 2026-12-30, capacity: 3, price: 12900}, {room: double,
    from: 2026-12-24, to: 2026-12-27, price: 18900}, {room: single, from: 2026-12-20, to: 2026-12-25, capacity: 2, price: 8000}]

== Rooms for nights
define r1  $hotel -> defined
book r2  customer: g0, items: [{room: double, from: 2026-12-20, to: 2026-12-24, quantity: 2}]
    confirmed  units: [{item: 0, room: double, night: 2026-12-20, tokens: [0, 1], price: 12900}, {item: 0, room: double, night: 2026-12-21,
        tokens: [0, 1], price: 12900}, {item: 0, room: double, night: 2026-12-22, tokens: [0, 1], price: 12900}, {item: 0, room: double,
        night: 2026-12-23, tokens: [0, 1], price: 12900}], total: 103200, free: 32
hold r3  customer: g1, items: [{room: double, from: 2026-12-23, to: 2026-12-26, quantity: 1}]
    held  units: [{item: 0, room: double, night: 2026-12-23, tokens: [2], price: 12900}, {item: 0, room: double, night: 2026-12-24,
        tokens: [0], price: 18900}, {item: 0, room: double, night: 2026-12-25, tokens: [0], price: 18900}], total: 50700, free: 29
hold r4  customer: g2, items: [{room: double, from: 2026-12-22, to: 2026-12-26, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 0, taken: [2026-12-22, 2026-12-23]}], free: 29

== A night without a pool is refused
define r1  $hotel -> defined
hold r2  customer: g, items: [{room: single, from: 2026-12-24, to: 2026-12-27, quantity: 1}]
    refused unknown_pool  items: [{item: 0, asked: 1, given: 0, reason: unknown_pool, taken: [2026-12-25, 2026-12-26]}]
hold r3  customer: g, items: [{room: suite, from: 2026-12-24, to: 2026-12-25, quantity: 1}]
    refused unknown_pool  items: [{item: 0, asked: 1, given: 0, reason: unknown_pool, unknown: suite, known: [double, single]}]

== Only the owner
define r1  state: open, sections: [{section: floor, capacity: 10, price: 1000}] -> defined
hold r2  customer: owner, items: [{section: floor, quantity: 1}] -> held
confirm r3  customer: thief, booking: r2 -> refused not_owner
confirm r4  customer: owner, booking: nothing -> refused unknown_booking
release r5  customer: thief, booking: r2 -> refused not_owner
release r6  customer: owner, booking: nothing -> refused unknown_booking
cancel r7  customer: thief, booking: r2 -> refused not_owner
cancel r8  customer: owner, booking: nothing -> refused unknown_booking
release r9  customer: thief, booking: r2, force: true -> refused not_owner
release r10  booking: r2, force: true -> released
hold r11  customer: owner, items: [{section: floor, quantity: 1}] -> held
confirm r12  customer: owner, booking: r11 -> confirmed
cancel r13  booking: r11, force: true -> cancelled

-- In the hall
define r1  state: open, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]
    defined

== Seats that are taken
hold r2  customer: c1, items: [{seats: [B-2, B-3]}] -> held
book r3  customer: c2, items: [{seats: [B-1, B-2, B-3]}]
    refused unit_taken  retryable: true, items: [{item: 0, asked: 3, given: 0, reason: unit_taken, taken: [B-2, B-3]}]
book r4  customer: c2, items: [{seats: [B-1]}] -> confirmed

== Seats that are not there
hold r2  customer: c, items: [{seats: [A-1, A-5, Z-1]}]
    refused unknown_seat  retryable: false, items: [{item: 0, asked: 3, given: 0, reason: unknown_seat, taken: [A-5, Z-1]}]

== Seats by quantity sit together where a row has room
# And where nobody is left alone: three of the four in front would leave one.
book r2  customer: c, items: [{section: stalls, quantity: 3}]
    confirmed  units: [{item: 0, section: stalls, seats: [B-1, B-2, B-3], price: 4500}]
book r3  customer: c, items: [{section: stalls, quantity: 2}]
    confirmed  units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 4500}]
book r4  customer: c, items: [{section: stalls, quantity: 1}] -> confirmed  units: [{item: 0, section: stalls, seats: [B-4], price: 4500}]

== Seats by quantity in the fewest pieces
book r2  customer: c, items: [{seats: [A-2, B-4, C-3]}]
    confirmed  units: [{item: 0, section: stalls, seats: [A-2, B-4, C-3], price: 4500}]
book r3  customer: c, items: [{section: stalls, quantity: 7}]
    confirmed  units: [{item: 0, section: stalls, seats: [C-4, C-5, C-6, C-7, C-8, C-1, C-2], price: 4500}]
book r4  customer: c, items: [{section: stalls, quantity: 4, together: true}]
    refused not_together  retryable: true, items: [{item: 0, asked: 4, given: 0, reason: not_together, free: 8}]
book r5  customer: c, items: [{section: stalls, quantity: 9, together: true}]
    refused not_enough  retryable: false, items: [{item: 0, asked: 9, given: 0, reason: not_enough, free: 8}]

== Book confirms at once
book r2  customer: c1, items: [{seats: [C-1]}], payment: pi_3Q, meta: {name: on the ticket} -> confirmed  payment: pi_3Q, expires_at: absent

== A section by capacity
hold r2  customer: c, items: [{section: standing, quantity: 4, together: true}]
    held  units: [{item: 0, section: standing, quantity: 4, price: 2000}], free: 32
hold r3  customer: c, items: [{section: standing, quantity: 7}]
    refused not_enough  items: [{item: 0, asked: 7, given: 0, reason: not_enough, free: 6}], free: 32
hold r4  customer: c, items: [{section: standing, quantity: 6}]
    held  units: [{item: 0, section: standing, quantity: 6, price: 2000}], free: 26

== Products
book r2  customer: c, items: [{product: programme, quantity: 2}]
    confirmed  units: [{item: 0, product: programme, quantity: 2, price: 500}]
book r3  customer: c, items: [{product: programme, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1}]

== Several items all or nothing
book r2  customer: c, items: [{seats: [B-5]}, {product: programme, quantity: 2}]
    confirmed  units: [{item: 0, section: stalls, seats: [B-5], price: 4500}, {item: 1, product: programme, quantity: 2, price: 500}],
        total: 5500, free: 33
book r3  customer: c3, items: [{seats: [B-5]}, {section: standing, quantity: 2}, {product: programme, quantity: 2}], payment: pi_3Q
    refused unit_taken  items: [{item: 0, asked: 1, given: 0, reason: unit_taken, taken: [B-5]}, {item: 2, asked: 2, given: 0,
        reason: not_enough, free: 1}], free: 33
book r4  customer: c3, items: [{seats: [B-6]}, {section: standing, quantity: 2}, {product: programme, quantity: 1}]
    confirmed  units: [{item: 0, section: stalls, seats: [B-6], price: 4500}, {item: 1, section: standing, quantity: 2, price: 2000},
        {item: 2, product: programme, quantity: 1, price: 500}], total: 9000, free: 29

== Items of a request see each other
book r2  customer: c, items: [{section: standing, quantity: 6}, {section: standing, quantity: 6}]
    refused not_enough  items: [{item: 1, asked: 6, given: 0, reason: not_enough, free: 4}]
book r3  customer: c, items: [{section: stalls, quantity: 4}, {seats: [A-1]}]
    refused unit_taken  items: [{item: 1, asked: 1, given: 0, reason: unit_taken, taken: [A-1]}]

== A rate that is not there
book r2  customer: c, items: [{section: standing, quantity: 1, rate: child}] -> refused unknown_rate
book r3  customer: c, items: [{section: standing, quantity: 1, rate: standard}] -> confirmed

== Prices are frozen at the hold
hold r2  customer: c, items: [{section: standing, quantity: 2}]
    held  units: [{item: 0, section: standing, quantity: 2, price: 2000}], total: 4000
define r3  sections: [{section: standing, price: 9900}], currency: EUR -> defined
confirm r4  customer: c, booking: r2 -> confirmed  units: [{item: 0, section: standing, quantity: 2, price: 2000}], total: 4000
book r5  customer: c, items: [{section: standing, quantity: 1}]
    confirmed  units: [{item: 0, section: standing, quantity: 1, price: 9900}], total: 9900

== What goes back is said and can be had again
hold r2  customer: c1, items: [{seats: [C-7, C-8]}, {section: standing, quantity: 2}]
    held  units: [{item: 0, section: stalls, seats: [C-7, C-8], price: 4500}, {item: 1, section: standing, quantity: 2, price: 2000}],
        total: 13000, free: 32
release r3  customer: c1, booking: r2
    released  returned: [{item: 0, section: stalls, seats: [C-7, C-8], price: 4500}, {item: 1, section: standing, quantity: 2,
        price: 2000}], total: 13000, free: 36, units: absent
book r4  customer: c1, items: [{seats: [C-7, C-8]}, {section: standing, quantity: 2}]
    confirmed  units: [{item: 0, section: stalls, seats: [C-7, C-8], price: 4500}, {item: 1, section: standing, quantity: 2, price: 2000}],
        total: 13000, free: 32
cancel r5  customer: c1, booking: r4
    cancelled  returned: [{item: 0, section: stalls, seats: [C-7, C-8], price: 4500}, {item: 1, section: standing, quantity: 2,
        price: 2000}], total: 13000, free: 36, units: absent

== Confirm is the receipt
hold r2  customer: c1, items: [{seats: [C-7]}], cart: k
    held  customer: c1, cart: k, units: [{item: 0, section: stalls, seats: [C-7], price: 4500}], total: 4500, currency: EUR,
        expires_at: @15m
confirm r3  customer: c1, booking: r2, payment: pi_1
    confirmed  customer: c1, cart: k, payment: pi_1, units: [{item: 0, section: stalls, seats: [C-7], price: 4500}], total: 4500,
        currency: EUR, expires_at: absent

== Too late
hold r2  customer: c, items: [{section: standing, quantity: 1}], deadline: @-5m -> refused too_late  retryable: true, free: 36
hold r3  customer: c, items: [{section: standing, quantity: 1}], deadline: 2099-12-31T23:59:59.999999Z -> held  free: 35
probe r4  resource: s1, deadline: @-5m -> refused too_late  retryable: true
