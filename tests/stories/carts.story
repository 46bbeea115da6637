# Carts: bookings of one customer in one resource under one name, dealt with together, and what became of them over all resources. And a part of a booking: confirm with items.

let floor  state: open, sections: [{section: floor, capacity: 9, price: 1000}], currency: EUR

== A cart is one customers in one resource
define r1  state: open, sections: [{section: floor, capacity: 9, price: 1000}] -> defined
hold r2  customer: c, cart: k, items: [{section: floor, quantity: 1}]
    held  units: [{item: 0, section: floor, quantity: 1, price: 1000}], total: 1000
hold r3  customer: d, cart: k, items: [{section: floor, quantity: 1}]
    held  units: [{item: 0, section: floor, quantity: 1, price: 1000}], total: 1000
define r4  resource: s1, state: open, sections: [{section: floor, capacity: 9, price: 1000}] -> defined
hold r5  resource: s1, customer: c, cart: k, items: [{section: floor, quantity: 1}]
    held  units: [{item: 0, section: floor, quantity: 1, price: 1000}], total: 1000
hold r6  resource: s1, customer: d, cart: k, items: [{section: floor, quantity: 1}]
    held  units: [{item: 0, section: floor, quantity: 1, price: 1000}], total: 1000
confirm r7  customer: c, cart: k -> confirmed  units: [{item: 0, section: floor, quantity: 1, price: 1000, booking: r2}], total: 1000
release r8  customer: d, cart: k -> released  returned: [{item: 0, section: floor, quantity: 1, price: 1000, booking: r3}], total: 1000
release r9  resource: s1, customer: c, cart: k
    released  returned: [{item: 0, section: floor, quantity: 1, price: 1000, booking: r5}], total: 1000
release r10  resource: s1, customer: d, cart: k
    released  returned: [{item: 0, section: floor, quantity: 1, price: 1000, booking: r6}], total: 1000

== Confirm of some nights
define r1  state: open, currency: GBP, rooms: [{room: double, from: 2026-12-20, to: 2026-12-30, capacity: 3, price: 12900}, {room: double,
    from: 2026-12-24, to: 2026-12-27, price: 18900}, {room: single, from: 2026-12-20, to: 2026-12-25, capacity: 2, price: 8000}]
    defined
hold r2  customer: g, items: [{room: double, from: 2026-12-22, to: 2026-12-26, quantity: 2}]
    held  units: [{item: 0, room: double, night: 2026-12-22, tokens: [0, 1], price: 12900}, {item: 0, room: double, night: 2026-12-23,
        tokens: [0, 1], price: 12900}, {item: 0, room: double, night: 2026-12-24, tokens: [0, 1], price: 18900}, {item: 0, room: double,
        night: 2026-12-25, tokens: [0, 1], price: 18900}], total: 127200
confirm r3  customer: g, booking: r2, items: [{room: double, from: 2026-12-23, to: 2026-12-25, quantity: 1}]
    confirmed  units: [{item: 0, room: double, night: 2026-12-23, tokens: [0], price: 12900}, {item: 0, room: double, night: 2026-12-24,
        tokens: [0], price: 18900}], returned: [{item: 0, room: double, night: 2026-12-22, tokens: [0, 1], price: 12900}, {item: 0,
        room: double, night: 2026-12-23, tokens: [1], price: 12900}, {item: 0, room: double, night: 2026-12-24, tokens: [1], price: 18900},
        {item: 0, room: double, night: 2026-12-25, tokens: [0, 1], price: 18900}], total: 31800

== Confirm of a part by rate
define r1  state: open, sections: [{section: floor, capacity: 10, rates: {adult: 4500, child: 2500}}] -> defined
hold r2  customer: c, items: [{section: floor, quantity: 2, rate: adult}, {section: floor, quantity: 3, rate: child}]
    held  units: [{item: 0, section: floor, quantity: 2, price: 4500, rate: adult}, {item: 1, section: floor, quantity: 3, price: 2500,
        rate: child}]
confirm r3  customer: c, booking: r2, items: [{section: floor, quantity: 3, rate: adult}] -> refused not_in_booking
confirm r4  customer: c, booking: r2, items: [{section: floor, quantity: 2, rate: child}]
    confirmed  units: [{item: 0, section: floor, quantity: 2, price: 2500, rate: child}], returned: [{item: 0, section: floor, quantity: 2,
        price: 4500, rate: adult}, {item: 1, section: floor, quantity: 1, price: 2500, rate: child}]

-- In the hall
define r1  state: open, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]
    defined

== Confirm of a cart is one receipt
hold r2  customer: c, cart: k, items: [{seats: [A-1, A-2]}]
    held  customer: c, cart: k, units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 4500}], total: 9000
hold r3  customer: c, cart: k, items: [{section: standing, quantity: 3}, {product: programme, quantity: 1}]
    held  customer: c, cart: k, units: [{item: 0, section: standing, quantity: 3, price: 2000}, {item: 1, product: programme, quantity: 1,
        price: 500}], total: 6500
confirm r4  customer: c, cart: k, payment: pi
    confirmed  customer: c, cart: k, payment: pi, units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 4500, booking: r2}, {item: 0,
        section: standing, quantity: 3, price: 2000, booking: r3}, {item: 1, product: programme, quantity: 1, price: 500, booking: r3}],
        total: 15500
probe r5
    alive  pools: [{section: stalls, free: 16, sold: 2, ...}, {section: balcony, free: 5, ...}, {section: standing, free: 7, sold: 3, ...},
        {product: programme, free: 2, sold: 1, ...}]

== Release and cancel of a cart
hold r2  customer: c, cart: k, items: [{seats: [A-1]}] -> held  units: [{item: 0, section: stalls, seats: [A-1], price: 4500}]
hold r3  customer: c, cart: k, items: [{section: standing, quantity: 2}]
    held  units: [{item: 0, section: standing, quantity: 2, price: 2000}]
release r4  customer: c, cart: k
    released  returned: [{item: 0, section: stalls, seats: [A-1], price: 4500, booking: r2}, {item: 0, section: standing, quantity: 2,
        price: 2000, booking: r3}]
probe r5
    alive  pools: [{section: stalls, free: 18, ...}, {section: balcony, free: 5, ...}, {section: standing, free: 10, ...},
        {product: programme, free: 3, ...}]
hold r6  customer: c, cart: k, items: [{seats: [A-1]}] -> held  units: [{item: 0, section: stalls, seats: [A-1], price: 4500}]
hold r7  customer: c, cart: k, items: [{section: standing, quantity: 2}]
    held  units: [{item: 0, section: standing, quantity: 2, price: 2000}]
confirm r8  customer: c, cart: k
    confirmed  units: [{item: 0, section: stalls, seats: [A-1], price: 4500, booking: r6}, {item: 0, section: standing, quantity: 2,
        price: 2000, booking: r7}]
hold r9  customer: c, cart: k, items: [{seats: [A-2]}] -> held  units: [{item: 0, section: stalls, seats: [A-2], price: 4500}]
cancel r10  customer: c, cart: k
    cancelled  returned: [{item: 0, section: stalls, seats: [A-1], price: 4500, booking: r6}, {item: 0, section: standing, quantity: 2,
        price: 2000, booking: r7}]
probe r11
    alive  pools: [{section: stalls, free: 17, held: 1, ...}, {section: balcony, free: 5, ...}, {section: standing, free: 10, ...},
        {product: programme, free: 3, ...}]
confirm r12  customer: c, cart: k -> confirmed  units: [{item: 0, section: stalls, seats: [A-2], price: 4500, booking: r9}]

== A cart with nothing for the operation is unknown (confirm)
confirm r2  customer: c, cart: k -> refused unknown_booking
hold r3  customer: c, cart: k, items: [{seats: [A-1]}] -> held
release r4  customer: c, cart: k -> released
confirm r5  customer: c, cart: k -> refused unknown_booking

== A cart with nothing for the operation is unknown (release)
release r2  customer: c, cart: k -> refused unknown_booking
hold r3  customer: c, cart: k, items: [{seats: [A-1]}] -> held
release r4  customer: c, cart: k -> released
release r5  customer: c, cart: k -> refused unknown_booking

== A cart with nothing for the operation is unknown (extend)
extend r2  customer: c, cart: k, ttl_s: 60 -> refused unknown_booking
hold r3  customer: c, cart: k, items: [{seats: [A-1]}] -> held
release r4  customer: c, cart: k -> released
extend r5  customer: c, cart: k, ttl_s: 60 -> refused unknown_booking

== A cart with nothing for the operation is unknown (cancel)
cancel r2  customer: c, cart: k -> refused unknown_booking
hold r3  customer: c, cart: k, items: [{seats: [A-1]}] -> held
cancel r4  customer: c, cart: k -> refused unknown_booking

== With booking and cart the booking is meant
hold r2  customer: c, cart: k, items: [{seats: [A-1]}] -> held  units: [{item: 0, section: stalls, seats: [A-1], price: 4500}]
hold r3  customer: c, cart: k, items: [{seats: [A-2]}] -> held  units: [{item: 0, section: stalls, seats: [A-2], price: 4500}]
release r4  customer: c, booking: r2, cart: k -> released  returned: [{item: 0, section: stalls, seats: [A-1], price: 4500}]
confirm r5  customer: c, booking: r3, cart: k -> confirmed  units: [{item: 0, section: stalls, seats: [A-2], price: 4500}]
probe r6
    alive  pools: [{section: stalls, free: 17, sold: 1, ...}, {section: balcony, free: 5, ...}, {section: standing, free: 10, ...},
        {product: programme, free: 3, ...}]

== Without booking and cart it is malformed
confirm r2  customer: c, ttl_s: 60 -> invalid malformed
release r3  customer: c, ttl_s: 60 -> invalid malformed
cancel r4  customer: c, ttl_s: 60 -> invalid malformed
extend r5  customer: c, ttl_s: 60 -> invalid malformed

== Items with a cart are malformed
hold r2  customer: c, cart: k, items: [{seats: [A-1, A-2]}] -> held
confirm r3  customer: c, cart: k, items: [{seats: [A-1]}] -> invalid malformed

== Confirm of some seats returns the rest
hold r2  customer: c, items: [{seats: [A-1, A-2, BA-11]}]
    held  units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 4500}, {item: 0, section: balcony, seats: [BA-11], price: 3000}],
        total: 12000
confirm r3  customer: c, booking: r2, items: [{seats: [A-2, BA-11]}], payment: p
    confirmed  payment: p, units: [{item: 0, section: stalls, seats: [A-2], price: 4500}, {item: 0, section: balcony, seats: [BA-11],
        price: 3000}], returned: [{item: 0, section: stalls, seats: [A-1], price: 4500}], total: 7500
probe r4
    alive  pools: [{section: stalls, free: 17, sold: 1, ...}, {section: balcony, free: 4, sold: 1, ...}, {section: standing, free: 10, ...},
        {product: programme, free: 3, ...}]
book r5  customer: d, items: [{seats: [A-1]}] -> confirmed  units: [{item: 0, section: stalls, seats: [A-1], price: 4500}], total: 4500

== Confirm of a part by quantity takes the first of them
hold r2  customer: c, items: [{seats: [B-2, C-1, C-3]}, {section: standing, quantity: 4}, {product: programme, quantity: 2}]
    held  units: [{item: 0, section: stalls, seats: [B-2, C-1, C-3], price: 4500}, {item: 1, section: standing, quantity: 4, price: 2000},
        {item: 2, product: programme, quantity: 2, price: 500}], total: 22500
define r3  sections: [{section: stalls, price: 1}, {section: standing, price: 1}] -> defined
confirm r4  customer: c, booking: r2, items: [{section: stalls, quantity: 2}, {section: standing, quantity: 3}, {product: programme,
    quantity: 1}]
    confirmed  units: [{item: 0, section: stalls, seats: [B-2, C-1], price: 4500}, {item: 1, section: standing, quantity: 3, price: 2000},
        {item: 2, product: programme, quantity: 1, price: 500}], returned: [{item: 0, section: stalls, seats: [C-3], price: 4500}, {item: 1,
        section: standing, quantity: 1, price: 2000}, {item: 2, product: programme, quantity: 1, price: 500}], total: 15500

== Confirm does not choose
# It names what the booking has; how seats are chosen has no place in it.
hold r2  customer: c, items: [{section: stalls, quantity: 2}] -> held
confirm r3  customer: c, booking: r2, items: [{sections: [stalls], quantity: 1}] -> invalid malformed
confirm r4  customer: c, booking: r2, items: [{section: stalls, quantity: 1, avoid: [aisle]}] -> invalid malformed

== What is left of a booking is what goes back
hold r2  customer: c, items: [{seats: [A-1, A-2]}, {section: standing, quantity: 2}]
    held  units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 4500}, {item: 1, section: standing, quantity: 2, price: 2000}],
        free: 32
confirm r3  customer: c, booking: r2, items: [{seats: [A-2]}, {section: standing, quantity: 1}]
    confirmed  units: [{item: 0, section: stalls, seats: [A-2], price: 4500}, {item: 1, section: standing, quantity: 1, price: 2000}],
        returned: [{item: 0, section: stalls, seats: [A-1], price: 4500}, {item: 1, section: standing, quantity: 1, price: 2000}], free: 34
cancel r4  customer: c, booking: r2
    cancelled  returned: [{item: 0, section: stalls, seats: [A-2], price: 4500}, {item: 1, section: standing, quantity: 1, price: 2000}],
        free: 36

-- On the floor
define r1  $floor -> defined

== A cart over several resources is one
hold r2  customer: customer, cart: k, items: [{section: floor, quantity: 1}], ttl_s: 600
    held  units: [{item: 0, section: floor, quantity: 1, price: 1000}], currency: EUR
define r3  resource: s1, $floor -> defined
hold r4  resource: s1, customer: customer, cart: k, items: [{section: floor, quantity: 1}], ttl_s: 600
    held  units: [{item: 0, section: floor, quantity: 1, price: 1000}], currency: EUR
define r5  resource: s2, state: open, sections: [{section: floor, capacity: 9, price: 1000}], currency: USD -> defined
hold r6  resource: s2, customer: customer, cart: k, items: [{section: floor, quantity: 2}], ttl_s: 600
    held  units: [{item: 0, section: floor, quantity: 2, price: 1000}], currency: USD
probe r7 -> alive  currency: EUR, state: open
confirm r8  customer: customer, booking: r2, payment: p
    confirmed  units: [{item: 0, section: floor, quantity: 1, price: 1000}], currency: EUR
probe r9  resource: s1 -> alive  currency: EUR, state: open
confirm r10  resource: s1, customer: customer, booking: r4, payment: p
    confirmed  units: [{item: 0, section: floor, quantity: 1, price: 1000}], currency: EUR
probe r11  resource: s2 -> alive  currency: USD, state: open
confirm r12  resource: s2, customer: customer, booking: r6, payment: p
    confirmed  units: [{item: 0, section: floor, quantity: 2, price: 1000}], currency: USD

== A part of a cart that is sold makes it mixed
hold r2  customer: customer, cart: k, items: [{section: floor, quantity: 1}], ttl_s: 600
    held  units: [{item: 0, section: floor, quantity: 1, price: 1000}]
define r3  resource: s1, $floor -> defined
hold r4  resource: s1, customer: customer, cart: k, items: [{section: floor, quantity: 1}], ttl_s: 600
    held  units: [{item: 0, section: floor, quantity: 1, price: 1000}]
probe r5 -> alive  state: open
confirm r6  customer: customer, booking: r2 -> confirmed  units: [{item: 0, section: floor, quantity: 1, price: 1000}]
probe r7  resource: s1 -> alive  state: open
confirm r8  resource: s1, customer: customer, booking: r4 -> confirmed  units: [{item: 0, section: floor, quantity: 1, price: 1000}]

== A booking that was released before or made later was not left out
hold r2  customer: customer, cart: k, items: [{section: floor, quantity: 1}], ttl_s: 600
    held  units: [{item: 0, section: floor, quantity: 1, price: 1000}]
define r3  resource: s1, $floor -> defined
hold r4  resource: s1, customer: customer, cart: k, items: [{section: floor, quantity: 1}], ttl_s: 600
    held  units: [{item: 0, section: floor, quantity: 1, price: 1000}]
probe r5 -> alive  state: open
release r6  customer: customer, booking: r2 -> released
probe r7  resource: s1 -> alive  state: open
confirm r8  resource: s1, customer: customer, booking: r4 -> confirmed  units: [{item: 0, section: floor, quantity: 1, price: 1000}]
define r9  resource: s2, $floor -> defined
hold r10  resource: s2, customer: customer, cart: k, items: [{section: floor, quantity: 1}], ttl_s: 600
    held  units: [{item: 0, section: floor, quantity: 1, price: 1000}]
book r11  customer: customer, cart: k, items: [{section: floor, quantity: 1}]
    confirmed  units: [{item: 0, section: floor, quantity: 1, price: 1000}]
probe r12  resource: s2 -> alive  state: open
release r13  resource: s2, customer: customer, booking: r10 -> released
