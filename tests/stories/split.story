# transfer with items: these units become a booking of their own, for somebody else or for the same customer, and each part goes its own
# way.

let hall  state: open, currency: EUR, sections: [{section: stalls, price: 45, rows: [{row: A, seats: 6}]}], products: [{product: mug,
    capacity: 10, price: 8}]

== Two friends pay a hold of four
define d  $hall -> defined
hold h  customer: c, cart: k, ttl_s: 600, items: [{seats: [A-1, A-2, A-3, A-4]}] -> held  total: 180, free: 12
later 1m
transfer t  customer: c, booking: h, to_customer: d, items: [{seats: [A-2, A-3]}]
    transferred  booking: t, customer: d, cart: absent, payment: absent, expires_at: @10m, total: 90, currency: EUR, free: 12,
        units: [{item: 0, section: stalls, seats: [A-2, A-3], price: 45, booking: h}], returned: absent, overbooked: absent
probe p1  booking: h, customer: c -> alive  bookings: [{booking: h, state: held, cart: k, units: 2, total: 90, ...}]
probe p2  booking: t, customer: d -> alive  bookings: [{booking: t, state: held, units: 2, total: 90, expires_at: @10m, ...}]
confirm r1  customer: c, booking: t -> refused not_owner
confirm r2  customer: d, booking: h -> refused not_owner
confirm r3  customer: d, booking: t, payment: pi_d
    confirmed  booking: t, total: 90, payment: pi_d, units: [{item: 0, section: stalls, seats: [A-2, A-3], price: 45}]
confirm r4  customer: c, cart: k, payment: pi_c
    confirmed  total: 90, units: [{item: 0, section: stalls, seats: [A-1, A-4], price: 45, booking: h}]
# Each goes back alone.
cancel r5  customer: d, booking: t
    cancelled  returned: [{item: 0, section: stalls, seats: [A-2, A-3], price: 45}], total: 90, free: 14
cancel r6  customer: c, booking: h
    cancelled  returned: [{item: 0, section: stalls, seats: [A-1, A-4], price: 45}], total: 90, free: 16

== A request that is sent again splits once
define d  $hall -> defined
hold h  customer: c, items: [{product: mug, quantity: 4}] -> held
transfer t  customer: c, booking: h, to_customer: d, items: [{product: mug, quantity: 1}] -> transferred  booking: t, total: 8
transfer t  customer: c, booking: h, to_customer: d, items: [{product: mug, quantity: 1}] -> transferred  booking: t, total: 8
transfer t  customer: c, booking: h, to_customer: d, items: [{product: mug, quantity: 2}] -> refused id_reused
probe p  booking: h, customer: c -> alive  bookings: [{booking: h, units: 3, ...}]

== A part of what is sold keeps its price and its payment
define d  $hall -> defined
book b  customer: c, cart: k, payment: pi_1, items: [{seats: [A-1, A-2]}, {product: mug, quantity: 2}] -> confirmed  total: 106
define d2  sections: [{section: stalls, price: 99}] -> defined
transfer t  customer: c, booking: b, to_customer: d, items: [{product: mug, quantity: 1}, {seats: [A-2]}]
    transferred  booking: t, customer: d, payment: pi_1, expires_at: absent, total: 53,
        units: [{item: 0, product: mug, quantity: 1, price: 8, booking: b}, {item: 1, section: stalls, seats: [A-2], price: 45, booking: b}]
# It can be split, transferred and exchanged like any booking.
transfer u  customer: d, booking: t, to_customer: e, items: [{seats: [A-2]}] -> transferred  booking: u, customer: e, total: 45
transfer v  customer: e, booking: u, to_customer: f -> transferred  booking: u, customer: f, units: absent
exchange w  customer: f, booking: u, items: [{seats: [A-3]}] -> exchanged  booking: u, total: 99, difference: 54, payment: pi_1
exchange x  customer: c, booking: b, items: [{seats: [A-1, A-2]}] -> exchanged  total: 144, difference: 91
cancel y  customer: d, booking: t -> cancelled  total: 8
cancel z  customer: d, booking: t -> refused already_cancelled

== All units of a booking are a transfer of the booking
define d  $hall -> defined
hold h  customer: c, items: [{seats: [A-1]}, {product: mug, quantity: 2}] -> held
transfer t  customer: c, booking: h, to_customer: d, items: [{product: mug, quantity: 2}, {seats: [A-1]}]
    transferred  booking: h, customer: d, total: 61, units: absent
probe p  booking: t, customer: d -> refused unknown_booking
confirm r  customer: d, booking: h -> confirmed  units: [{item: 0, section: stalls, seats: [A-1], price: 45}, {item: 1, product: mug,
    quantity: 2, price: 8}]

== What is not in the booking is named, and nothing is split
define d  $hall -> defined
hold h  customer: c, items: [{seats: [A-1, A-2]}] -> held
transfer r1  customer: c, booking: h, to_customer: d, items: [{seats: [A-2, A-3]}, {product: mug, quantity: 1}]
    refused not_in_booking  retryable: false, booking: h, customer: c, items: [{item: 0, asked: 2, given: 0, reason: not_in_booking,
        taken: [A-3]}, {item: 1, asked: 1, given: 0, reason: not_in_booking}]
transfer r2  customer: x, booking: h, to_customer: d, items: [{seats: [A-2]}] -> refused not_owner
transfer r3  customer: c, booking: h, to_customer: d, items: [{section: stalls}] -> invalid malformed
transfer r4  customer: c, booking: h, to_customer: d, items: [{sections: [stalls], quantity: 1}] -> invalid malformed
confirm r5  customer: c, booking: h -> confirmed  total: 90

== Both parts of a hold end when it would have ended
define d  $hall -> defined
hold h  customer: c, ttl_s: 60, items: [{seats: [A-1, A-2]}] -> held
transfer t  customer: c, booking: h, to_customer: c, items: [{seats: [A-2]}] -> transferred  booking: t, customer: c, expires_at: @1m
after 1m
    expired  booking: h, returned: [{item: 0, section: stalls, seats: [A-1], price: 45}], total: 45
    expired  booking: t, returned: [{item: 0, section: stalls, seats: [A-2], price: 45}], total: 45
transfer r1  customer: c, booking: h, to_customer: d, items: [{seats: [A-1]}] -> refused hold_expired
confirm r2  customer: c, booking: t -> confirmed  total: 45

== No split makes a hold last longer than it may
define d  $hall, limits: {hold_total_s: 100} -> defined
hold h  customer: c, ttl_s: 60, items: [{seats: [A-1, A-2]}] -> held  expires_at: @1m
later 50s
transfer t  customer: c, booking: h, to_customer: d, items: [{seats: [A-2]}] -> transferred  expires_at: @1m
extend r  customer: d, booking: t, ttl_s: 60 -> extended  expires_at: @1m40s

== A part leaves the cart
define d  $hall -> defined
hold h  customer: c, cart: k, items: [{seats: [A-1, A-2]}] -> held
# The holds of a cart that is named are restarted: the part is none of them.
later 5m
transfer t  customer: c, booking: h, cart: k, to_customer: c, items: [{seats: [A-2]}] -> transferred  cart: absent, expires_at: @15m
probe p  customer: c, cart: k -> alive  bookings: [{booking: h, expires_at: @20m, ...}]
confirm r1  customer: c, cart: k -> confirmed  units: [{seats: [A-1], ...}]
confirm r2  customer: c, booking: t -> confirmed  units: [{seats: [A-2], ...}]

== The new owner is judged by what it would have
define d  $hall, limits: {units_per_customer: 3, holds_per_customer: 2, groups: [{pools: [mug], limit: 1}]} -> defined
hold h  customer: c, items: [{seats: [A-1, A-2]}, {product: mug, quantity: 1}] -> held
book b  customer: d, items: [{seats: [A-3, A-4]}] -> confirmed
transfer r1  customer: c, booking: h, to_customer: d, items: [{seats: [A-1, A-2]}] -> refused limit_exceeded
transfer r5  customer: c, booking: h, to_customer: d, items: [{seats: [A-1, A-2, A-6]}] -> refused not_in_booking
transfer r2  customer: c, booking: h, to_customer: d, items: [{seats: [A-1]}] -> transferred  booking: r2
# To oneself it is one more hold, and no more units.
transfer r3  customer: c, booking: h, to_customer: c, items: [{seats: [A-2]}] -> transferred  booking: r3
hold r4  customer: c, items: [{seats: [A-5]}] -> refused limit_exceeded

== One more hold of the same customer is one too many
define d  $hall, limits: {holds_per_customer: 1} -> defined
hold h  customer: c, items: [{product: mug, quantity: 2}] -> held
transfer r1  customer: c, booking: h, to_customer: c, items: [{product: mug, quantity: 1}] -> refused limit_exceeded
transfer r2  customer: c, booking: h, to_customer: d, items: [{product: mug, quantity: 1}] -> transferred  booking: r2
confirm r3  customer: c, booking: h -> confirmed
transfer r4  customer: c, booking: h, to_customer: c, items: [{product: mug, quantity: 1}] -> transferred  booking: h

== What was limited is given to somebody else, and a party is served
define d  $hall, limits: {units_per_customer: 2} -> defined
hold h  customer: c, items: [{seats: [A-1, A-2]}] -> held
book b  customer: d, items: [{seats: [A-3, A-4]}] -> confirmed
book b2  customer: e, items: [{seats: [A-5, A-6]}] -> confirmed
hold w  customer: c, wait_until: @1h, items: [{section: stalls, quantity: 1}] -> refused limit_exceeded
transfer t  customer: c, booking: h, to_customer: f, items: [{seats: [A-2]}] -> transferred
hold w2  customer: c, wait_until: @1h, items: [{section: stalls, quantity: 1}] -> waiting
transfer t2  customer: c, booking: w2, to_customer: f, items: [{section: stalls, quantity: 1}] -> refused not_held
cancel e  customer: d, booking: b -> cancelled
    held  booking: w2

== Nights of a stay
define d  state: open, currency: EUR, rooms: [{room: double, from: 2026-12-20, to: 2026-12-24, capacity: 3, price: 100}] -> defined
book b  customer: c, items: [{room: double, from: 2026-12-20, to: 2026-12-22, quantity: 2}] -> confirmed  total: 400
transfer t  customer: c, booking: b, to_customer: d, items: [{room: double, from: 2026-12-20, to: 2026-12-22, quantity: 1}]
    transferred  booking: t, total: 200, units: [{item: 0, room: double, night: 2026-12-20, tokens: [0], price: 100, booking: b},
        {item: 0, room: double, night: 2026-12-21, tokens: [0], price: 100, booking: b}]
cancel r  customer: c, booking: b
    cancelled  total: 200, returned: [{item: 0, room: double, night: 2026-12-20, tokens: [1], price: 100}, {item: 0, room: double,
        night: 2026-12-21, tokens: [1], price: 100}]

== The rate says which units
define d  state: open, currency: EUR, sections: [{section: yard, capacity: 9, rates: {adult: 20, child: 10}}] -> defined
book b  customer: c, items: [{section: yard, quantity: 2}, {section: yard, quantity: 2, rate: child}] -> confirmed  total: 60
transfer t  customer: c, booking: b, to_customer: d, items: [{section: yard, quantity: 1, rate: child}]
    transferred  total: 10, units: [{item: 0, section: yard, quantity: 1, price: 10, rate: child, booking: b}]
cancel r1  customer: c, booking: b -> cancelled  total: 50
cancel r2  customer: d, booking: t -> cancelled  total: 10

== The house splits without the customer, but no block
define d  $hall -> defined
book b  customer: c, items: [{seats: [A-1, A-2]}] -> confirmed
transfer t  force: true, booking: b, to_customer: d, items: [{seats: [A-1]}] -> transferred  booking: t, customer: d
block k  items: [{seats: [A-3, A-4]}] -> blocked
transfer u  force: true, booking: k, to_customer: d, items: [{seats: [A-3]}] -> refused not_held

== A resource that is cancelled ends both parts
define d  $hall -> defined
book b  customer: c, items: [{seats: [A-1, A-2]}] -> confirmed
transfer t  customer: c, booking: b, to_customer: d, items: [{seats: [A-1]}] -> transferred
close e  cancel_bookings: true, note: rain -> defined
    cancelled  booking: b, total: 45
    cancelled  booking: t, customer: d, total: 45

== A part goes back into the booking that it left
define d  $hall -> defined
hold h  customer: c, items: [{seats: [A-1, A-2]}] -> held
transfer t  customer: c, booking: h, to_customer: c, items: [{seats: [A-2]}] -> transferred
exchange r  customer: c, booking: h, from_hold: t, items: [{seats: [A-1, A-2]}] -> exchanged  total: 90
confirm r1  customer: c, booking: t -> refused already_released
confirm r2  customer: c, booking: h -> confirmed  total: 90

== What is sold at a rate that is limited stays sold at it
define d  state: open, currency: EUR, sections: [{section: yard, capacity: 9, rates: {early: 10, full: 20}}],
    quotas: [{quota: early, pools: [yard], rate: early, limit: 3}]
    defined
hold h  customer: c, items: [{section: yard, quantity: 3, rate: early}] -> held  total: 30
transfer t  customer: c, booking: h, to_customer: d, items: [{section: yard, quantity: 2, rate: early}] -> transferred  total: 20
hold r1  customer: e, items: [{section: yard, quantity: 1, rate: early}] -> refused not_enough
confirm r2  customer: d, booking: t -> confirmed  total: 20
release r3  customer: c, booking: h -> released
hold r4  customer: e, items: [{section: yard, quantity: 2, rate: early}] -> refused not_enough
hold r5  customer: e, items: [{section: yard, quantity: 1, rate: early}] -> held  total: 10
cancel r6  customer: d, booking: t -> cancelled
hold r7  customer: e, items: [{section: yard, quantity: 2, rate: early}] -> held  total: 20
