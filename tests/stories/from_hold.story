# exchange with the units of a hold: they are kept while they are paid for, as is the booking; the exchange is judged by what comes out,
# and one that is refused leaves both as they were.

let hall  state: open, currency: EUR, sections: [{section: stalls, price: 10, rows: [{row: A, seats: 4}]}], products: [{product: mug,
    capacity: 4, price: 10}]

== What was held is the bookings then
define d10  $hall -> defined
# Each at the price at which it was taken.
book b  customer: c, payment: pi, items: [{seats: [A-1, A-2]}, {product: mug, quantity: 2}] -> confirmed  total: 40
define d15  state: open, currency: EUR, sections: [{section: stalls, price: 15, rows: [{row: A, seats: 4}]}], products: [{product: mug,
    capacity: 4, price: 15}]
    defined
hold h  customer: c, items: [{seats: [A-3, A-4]}, {product: mug, quantity: 1}] -> held  total: 45
define d99  state: open, currency: EUR, sections: [{section: stalls, price: 99, rows: [{row: A, seats: 4}]}], products: [{product: mug,
    capacity: 4, price: 99}]
    defined
# Repeated.
exchange x  customer: c, booking: b, from_hold: h, items: [{seats: [A-2, A-3]}, {product: mug, quantity: 3}]
    exchanged  booking: b, customer: c, payment: pi, units: [{item: 0, section: stalls, seats: [A-2], price: 10}, {item: 0, section: stalls,
        seats: [A-3], price: 15}, {item: 1, product: mug, quantity: 2, price: 10}, {item: 1, product: mug, quantity: 1, price: 15}],
        returned: [{item: 0, section: stalls, seats: [A-1], price: 10}, {item: 0, section: stalls, seats: [A-4], price: 15, booking: h}],
        total: 60, difference: 20, currency: EUR
probe p  booking: b -> alive  bookings: [{booking: b, state: confirmed, customer: c, payment: pi, units: 5, total: 60}]
probe q  booking: h -> alive  bookings: [{booking: h, state: released, customer: c, units: 3, total: 45}]
probe s
    alive  pools: [{section: stalls, free: 2, held: 0, sold: 2, blocked: 0, total: 4, rates: {standard: 99}}, {product: mug, free: 1,
        held: 0, sold: 3, blocked: 0, total: 4, rates: {standard: 99}}]
book t  customer: c, items: [{seats: [A-1, A-4]}] -> confirmed
exchange x  customer: c, booking: b, from_hold: h, items: [{seats: [A-2, A-3]}, {product: mug, quantity: 3}] -> exchanged  difference: 20

== Who does not pay keeps what it had
define d10  $hall -> defined
book b  customer: c, items: [{seats: [A-1, A-2]}] -> confirmed
hold h  customer: c, items: [{seats: [A-3]}] -> held
release r  customer: c, booking: h -> released
exchange x  customer: c, booking: b, from_hold: h, items: [{seats: [A-2, A-3]}]
    refused already_released  retryable: false, detail: of the hold that the units are to come from, booking: b
probe p  booking: b -> alive  bookings: [{booking: b, state: confirmed, customer: c, units: 2, total: 20}]

== A hold that has expired is not exchanged for
define d10  $hall -> defined
book b  customer: c, items: [{seats: [A-1]}] -> confirmed
hold h  customer: c, ttl_s: 60, items: [{seats: [A-3]}] -> held
after 1m -> expired
exchange x  customer: c, booking: b, from_hold: h, items: [{seats: [A-3]}] -> refused hold_expired
probe p  booking: b -> alive  bookings: [{booking: b, state: confirmed, customer: c, units: 1, total: 10}]

== It must be a hold of the same customer
# The reasons are those of the hold, behind those of the booking.
define d10  $hall -> defined
book b  customer: c, items: [{seats: [A-1]}] -> confirmed
book sold  customer: c, items: [{seats: [A-2]}] -> confirmed
block block  items: [{product: mug, quantity: 1}] -> blocked
hold h  customer: other, items: [{seats: [A-3]}] -> held
hold w  customer: c, wait_until: @23h43m20s, items: [{seats: [A-3]}] -> waiting
exchange r1  customer: c, booking: b, from_hold: none, items: [{seats: [A-3]}] -> refused unknown_booking
exchange r2  customer: c, booking: none, from_hold: h, items: [{seats: [A-3]}] -> refused unknown_booking  retryable: false, booking: none
exchange r3  customer: c, booking: b, from_hold: h, items: [{seats: [A-3]}] -> refused not_owner
exchange r4  customer: c, booking: b, from_hold: block, items: [{product: mug, quantity: 1}] -> refused not_owner
exchange r5  customer: c, booking: b, from_hold: sold, items: [{seats: [A-2]}] -> refused already_confirmed
exchange r6  customer: c, booking: b, from_hold: w, items: [{seats: [A-3]}] -> refused not_held
# Not the house either: it would give one customer's units to another.
exchange r7  booking: b, force: true, from_hold: h, items: [{seats: [A-3]}] -> refused not_owner
# Whoever the booking was transferred to has no such hold.
hold mine  customer: c, items: [{seats: [A-4]}] -> held
transfer t  customer: c, booking: b, to_customer: d -> transferred
exchange r8  customer: d, booking: b, from_hold: mine, items: [{seats: [A-4]}] -> refused not_owner
transfer u  customer: c, booking: mine, to_customer: d -> transferred
exchange r9  customer: d, booking: b, from_hold: mine, items: [{seats: [A-4]}] -> exchanged

== Limits and quotas are judged by what comes out
define d10  $hall, limits: {units_per_customer: 4}, quotas: [{quota: fire, pools: [stalls, mug], limit: 4}] -> defined
book b  customer: c, items: [{seats: [A-1, A-2]}] -> confirmed
hold h  customer: c, items: [{seats: [A-3, A-4]}] -> held
# The hold counts beside the booking.
hold o  customer: c, items: [{product: mug, quantity: 1}] -> refused limit_exceeded
hold q  customer: d, items: [{product: mug, quantity: 1}] -> refused not_enough
exchange r1  customer: c, booking: b, from_hold: h, items: [{seats: [A-3, A-4]}, {product: mug, quantity: 3}] -> refused limit_exceeded
exchange r2  customer: c, booking: b, from_hold: h, items: [{seats: [A-1, A-2, A-3, A-4]}] -> exchanged
exchange r3  customer: c, booking: b, from_hold: h, items: [{seats: [A-1]}] -> refused already_released
exchange r4  customer: c, booking: b, items: [{seats: [A-1]}, {product: mug, quantity: 1}] -> exchanged
hold r5  customer: d, items: [{product: mug, quantity: 2}] -> held

== One that is refused leaves both
define d10  $hall -> defined
book b  customer: c, items: [{seats: [A-1]}, {product: mug, quantity: 1}] -> confirmed
hold h  customer: c, items: [{seats: [A-2]}, {product: mug, quantity: 1}] -> held
book e  customer: d, items: [{seats: [A-3]}] -> confirmed
exchange r1  customer: c, booking: b, from_hold: h, items: [{seats: [A-2, A-3]}] -> refused unit_taken
exchange r2  customer: c, booking: b, from_hold: h, items: [{product: mug, quantity: 5}] -> refused not_enough
probe p
    alive  pools: [{section: stalls, free: 1, held: 1, sold: 2, blocked: 0, total: 4, rates: {standard: 10}}, {product: mug, free: 2,
        held: 1, sold: 1, blocked: 0, total: 4, rates: {standard: 10}}]
confirm c  customer: c, booking: h -> confirmed

== The waiting list comes before and after
# The hold may have waited; what goes back is served to whoever waits for it.
define d10  $hall -> defined
book b  customer: c, items: [{seats: [A-1, A-2]}] -> confirmed
book e  customer: e, items: [{seats: [A-3, A-4]}] -> confirmed
hold h  customer: c, wait_until: @23h43m20s, items: [{seats: [A-3]}] -> waiting
hold w  customer: w, wait_until: @23h43m20s, items: [{seats: [A-1]}] -> waiting
cancel r  customer: e, booking: e -> cancelled
    held  cause: waiting_list, booking: h
exchange x  customer: c, booking: b, from_hold: h, items: [{seats: [A-2, A-3]}] -> exchanged
    held  cause: waiting_list, booking: w
