# confirm, release, cancel: every operation from every state, who may, and what comes too late.

define d  state: open, currency: EUR, sections: [{section: stalls, price: 45, rows: [{row: A, seats: 4}, {row: B, seats: 4}]},
    {section: standing, capacity: 5, price: 10}], rooms: [{room: double, from: 2026-12-24, to: 2026-12-27, capacity: 2, price: 100}],
    products: [{product: mug, capacity: 9, price: 7}]
    defined
hold b  customer: c, items: [{product: mug, quantity: 1}] -> held

== Only the owner may or the house by force
confirm r1  customer: C, booking: b -> refused not_owner  retryable: false, booking: b, customer: C
release r2  customer: d, booking: b -> refused not_owner
release r3  customer: d, force: true, booking: b -> refused not_owner
cancel r4  customer: d, booking: b -> refused not_owner
release r5  force: true, booking: b
    released  booking: b, customer: c, returned: [{item: 0, product: mug, quantity: 1, price: 7}], total: 7, currency: EUR
book r6  customer: c, items: [{product: mug, quantity: 1}] -> confirmed
cancel r7  force: true, booking: r6 -> cancelled

== A booking is named by the request that made it
hold n  customer: c, items: [{product: mug, quantity: 99}] -> refused not_enough
confirm r1  customer: c, booking: none -> refused unknown_booking  retryable: false, booking: none, customer: c
# It was refused.
release r2  customer: c, booking: n -> refused unknown_booking
confirm r3  customer: c, booking: b -> confirmed
# It made none.
# Another resource's.
cancel r4  customer: c, booking: r3 -> refused unknown_booking
define q  resource: q -> defined
cancel r5  resource: q, customer: c, booking: b -> refused unknown_booking
