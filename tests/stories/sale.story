# How it is sold: prices by rate, sale times, what becomes of a request of which not all can be had, and more than there is.

let hotel  state: open, currency: GBP, rooms: [{room: double, from: 2026-12-20, to: 2026-12-30, capacity: 3, price: 12900}, {room: double,
    from: 2026-12-24, to: 2026-12-27, price: 18900}, {room: single, from: 2026-12-20, to: 2026-12-25, capacity: 2, price: 8000}]

== Without a rate it is standard or the first listed
define r1  state: open, sections: [{section: floor, capacity: 20, rates: {senior: 3000, adult: 4500}}] -> defined
define r2  resource: s1, state: open, sections: [{section: floor, capacity: 20, rates: {senior: 3000, standard: 4500}}] -> defined
define r3  resource: s2, state: open, sections: [{section: floor, capacity: 5, price: 1000}] -> defined
book r4  customer: c, items: [{section: floor, quantity: 1}]
    confirmed  units: [{item: 0, section: floor, quantity: 1, price: 3000, rate: senior}], total: 3000
book r5  resource: s1, customer: c, items: [{section: floor, quantity: 1}]
    confirmed  units: [{item: 0, section: floor, quantity: 1, price: 4500, rate: standard}], total: 4500
book r6  resource: s2, customer: c, items: [{section: floor, quantity: 1}]
    confirmed  units: [{item: 0, section: floor, quantity: 1, price: 1000}], total: 1000

== A price and rates at once are malformed
define r1  sections: [{section: f, capacity: 1, price: 1, rates: {adult: 1}}] -> invalid

== What was sold keeps its rate and price
define r1  state: open, sections: [{section: floor, capacity: 20, rates: {adult: 4500, child: 2500}}] -> defined
hold r2  customer: c, items: [{section: floor, quantity: 1, rate: child}, {section: floor, quantity: 2, rate: adult}]
    held  units: [{item: 0, section: floor, quantity: 1, price: 2500, rate: child}, {item: 1, section: floor, quantity: 2, price: 4500,
        rate: adult}]
define r3  sections: [{section: floor, rates: {adult: 5000, child: 3000}}] -> defined
exchange r4  customer: c, booking: r2, items: [{section: floor, quantity: 1, rate: child}, {section: floor, quantity: 1, rate: adult}]
    exchanged  units: [{item: 0, section: floor, quantity: 1, price: 2500, rate: child}, {item: 1, section: floor, quantity: 1, price: 4500,
        rate: adult}]
exchange r5  customer: c, booking: r2, items: [{section: floor, quantity: 2, rate: child}]
    exchanged  units: [{item: 0, section: floor, quantity: 1, price: 2500, rate: child}, {item: 0, section: floor, quantity: 1, price: 3000,
        rate: child}]

== Rates of seats nights and products
define r1  state: open, sections: [{section: stalls, rows: [{row: A, seats: 6}], rates: {adult: 4500, child: 2500}}],
    products: [{product: programme, capacity: 5, rates: {member: 100, guest: 300}}], rooms: [{room: double, from: 2026-12-20,
    to: 2026-12-23, capacity: 3, rates: {adult: 4500, child: 2500}}, {room: double, from: 2026-12-21, to: 2026-12-22, rates: {adult: 9000,
    late: 1}}]
    defined
book r2  customer: c, items: [{seats: [A-1], rate: child}, {section: stalls, quantity: 2, rate: adult}, {product: programme, quantity: 1,
    rate: guest}, {room: double, from: 2026-12-20, to: 2026-12-23, quantity: 1, rate: adult}]
    confirmed  units: [{item: 0, section: stalls, seats: [A-1], price: 2500, rate: child}, {item: 1, section: stalls, seats: [A-2, A-3],
        price: 4500, rate: adult, together: true}, {item: 2, product: programme, quantity: 1, price: 300, rate: guest}, {item: 3,
        room: double, night: 2026-12-20, tokens: [0], price: 4500, rate: adult}, {item: 3, room: double, night: 2026-12-21, tokens: [0],
        price: 9000, rate: adult}, {item: 3, room: double, night: 2026-12-22, tokens: [0], price: 4500, rate: adult}]
book r3  customer: c, items: [{room: double, from: 2026-12-20, to: 2026-12-23, quantity: 1, rate: child}] -> refused unknown_rate
book r4  customer: c, items: [{room: double, from: 2026-12-20, to: 2026-12-23, quantity: 1, rate: late}] -> refused unknown_rate
probe r5
    alive  pools: [{section: stalls, free: 3, held: 0, sold: 3, blocked: 0, total: 6, rates: {adult: 4500, child: 2500}},
        {product: programme, free: 4, held: 0, sold: 1, blocked: 0, total: 5, rates: {member: 100, guest: 300}}, {room: double,
        from: 2026-12-20, free: [2, 2, 2], total: [3, 3, 3], price: [4500, 9000, 4500], rates: {adult: [4500, 9000, 4500], child: [2500,
        null, 2500], late: [null, 1, null]}}]

== It is sold while it is open only
define r1  state: draft, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]
    defined
hold r2  customer: c, items: [{section: standing, quantity: 1}] -> refused not_on_sale  state: draft
book r3  customer: c, items: [{section: standing, quantity: 1}] -> refused not_on_sale  state: draft
open r4 -> defined
hold r5  customer: c, items: [{section: standing, quantity: 1}] -> held
book r6  customer: c, items: [{section: standing, quantity: 1}] -> confirmed
close r7 -> defined
hold r8  customer: c, items: [{section: standing, quantity: 1}] -> refused not_on_sale  state: closed
book r9  customer: c, items: [{section: standing, quantity: 1}] -> refused not_on_sale  state: closed

== A hold is a promise
# Whatever is changed after it, its confirm in time is not asked anything again.
define r1  state: open, sections: [{section: floor, capacity: 9, price: 1000}] -> defined
hold r2  customer: c, items: [{section: floor, quantity: 2}] -> held  total: 2000
define r3  ends_at: @-5m, limits: {units_per_customer: 1}, sections: [{section: floor, price: 9999}] -> defined
close r4 -> defined
confirm r5  customer: c, booking: r2 -> confirmed  total: 2000

== Sale times can be changed
define r1  state: open, sections: [{section: floor, capacity: 9, price: 1000}], opens_at: 2099-01-01T00:00:00Z -> defined
book r2  customer: c, items: [{section: floor, quantity: 1}] -> refused not_on_sale
define r3  opens_at: @-5m, closes_at: 2099-01-01T00:00:00Z -> defined
book r4  customer: c, items: [{section: floor, quantity: 1}] -> confirmed

== Time zones and currencies are known ones (timezone)
define r1  timezone: Europe/Londn -> invalid

== Time zones and currencies are known ones (currency)
define r1  currency: XYZ -> invalid

== As many rooms as there are every night
define r1  $hotel -> defined
book r2  customer: d, items: [{room: double, from: 2026-12-22, to: 2026-12-23, quantity: 1}]
    confirmed  units: [{item: 0, room: double, night: 2026-12-22, tokens: [0], price: 12900}]
hold r3  customer: c, items: [{room: double, from: 2026-12-21, to: 2026-12-24, quantity: 3}], shortage: partial
    held  units: [{item: 0, room: double, night: 2026-12-21, tokens: [0, 1], price: 12900}, {item: 0, room: double, night: 2026-12-22,
        tokens: [1, 2], price: 12900}, {item: 0, room: double, night: 2026-12-23, tokens: [0, 1], price: 12900}], items: [{item: 0,
        asked: 3, given: 2, reason: not_enough, free: 2, taken: [2026-12-22]}]

== Capacity goes down to what is taken whatever its numbers
define r1  $hotel -> defined
book r2  customer: g, items: [{room: single, from: 2026-12-20, to: 2026-12-21, quantity: 1}]
    confirmed  units: [{item: 0, room: single, night: 2026-12-20, tokens: [0], price: 8000}]
book r3  customer: g, items: [{room: single, from: 2026-12-20, to: 2026-12-21, quantity: 1}]
    confirmed  units: [{item: 0, room: single, night: 2026-12-20, tokens: [1], price: 8000}]
cancel r4  customer: g, booking: r2 -> cancelled
define r5  rooms: [{room: single, from: 2026-12-20, to: 2026-12-21, capacity: 1}] -> defined
book r6  customer: g, items: [{room: single, from: 2026-12-20, to: 2026-12-21, quantity: 1}] -> refused not_enough
define r7  rooms: [{room: single, from: 2026-12-20, to: 2026-12-21, capacity: 0}] -> refused in_use
cancel r8  customer: g, booking: r3 -> cancelled
book r9  customer: g, items: [{room: single, from: 2026-12-20, to: 2026-12-21, quantity: 1}]
    confirmed  units: [{item: 0, room: single, night: 2026-12-20, tokens: [0], price: 8000}]

== Places are sold beyond those there are
define r1  state: open, sections: [{section: floor, capacity: 5, overbook: 2, price: 1000}], products: [{product: p, capacity: 1,
    overbook: 1, price: 1}]
    defined
probe r2
    alive  pools: [{section: floor, free: 7, held: 0, sold: 0, blocked: 0, total: 7, overbook: 2, rates: {standard: 1000}}, {product: p,
        free: 2, held: 0, sold: 0, blocked: 0, total: 2, overbook: 1, rates: {standard: 1}}]
book r3  customer: c, items: [{section: floor, quantity: 4}] -> confirmed  total: 4000, overbooked: absent
book r4  customer: c, items: [{section: floor, quantity: 2}, {product: p, quantity: 2}] -> confirmed  overbooked: 2, total: 2002
book r5  customer: c, items: [{section: floor, quantity: 2}] -> refused not_enough
cancel r6  customer: c, booking: r3 -> cancelled  total: 4000, overbooked: absent
book r7  customer: c, items: [{section: floor, quantity: 3}] -> confirmed  total: 3000, overbooked: absent
book r8  customer: c, items: [{section: floor, quantity: 1}] -> confirmed  overbooked: 1, total: 1000
probe r9
    alive  pools: [{section: floor, free: 1, held: 0, sold: 6, blocked: 0, total: 7, overbook: 2, rates: {standard: 1000}}, {product: p,
        free: 0, held: 0, sold: 2, blocked: 0, total: 2, overbook: 1, rates: {standard: 1}}]

== The part that is sold is beyond by what is taken then
define r1  state: open, sections: [{section: floor, capacity: 3, price: 1000}], products: [{product: p, capacity: 2, overbook: 3, price: 1}]
    defined
hold r2  customer: a, items: [{product: p, quantity: 1}] -> held  overbooked: absent
hold r3  customer: b, items: [{product: p, quantity: 2}, {product: p, quantity: 2}, {section: floor, quantity: 2}] -> held  overbooked: 3
confirm r4  customer: b, booking: r3, items: [{product: p, quantity: 3}]
    confirmed  returned: [{item: 1, product: p, quantity: 1, price: 1}, {item: 2, section: floor, quantity: 2, price: 1000}], overbooked: 2
confirm r5  customer: a, booking: r2 -> confirmed  overbooked: 1
probe r6 -> alive  pools: [{section: floor, free: 3, ...}, {product: p, free: 1, sold: 4, ...}]

== Capacity and overbook are set by themselves
define r1  state: open, sections: [{section: floor, capacity: 5, price: 1000}] -> defined
define r2  sections: [{section: floor, overbook: 3}] -> defined  free: 8
define r3  sections: [{section: floor, capacity: 6}] -> defined  free: 9
define r4  sections: [{section: floor, price: 7}] -> defined  free: 9
book r5  customer: c, items: [{section: floor, quantity: 8}] -> confirmed  free: 1
define r6  sections: [{section: floor, overbook: 1}] -> refused in_use  free: 1
define r7  sections: [{section: floor, overbook: 2}] -> defined  free: 0

== Seats in rows cannot be overbooked
define r1  sections: [{section: s, rows: [{row: A, seats: 3}], overbook: 1}] -> refused

-- In the hall
define r1  state: open, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]
    defined

== As many as there are (hold-held)
book r2  customer: d, items: [{seats: [A-2]}, {section: standing, quantity: 8}, {product: programme, quantity: 3}]
    confirmed  units: [{item: 0, section: stalls, seats: [A-2], price: 4500}, {item: 1, section: standing, quantity: 8, price: 2000},
        {item: 2, product: programme, quantity: 3, price: 500}], total: 22000, free: 24
hold r3  customer: c, shortage: partial, items: [{seats: [A-1, A-2, A-3]}, {section: standing, quantity: 5}, {product: programme,
    quantity: 2}, {section: balcony, quantity: 2}]
    held  units: [{item: 0, section: stalls, seats: [A-1, A-3], price: 4500}, {item: 1, section: standing, quantity: 2, price: 2000},
        {item: 3, section: balcony, seats: [BA-11, BA-12], price: 3000, together: true}], items: [{item: 0, asked: 3, given: 2,
        reason: unit_taken, taken: [A-2]}, {item: 1, asked: 5, given: 2, reason: not_enough, free: 2}, {item: 2, asked: 2, given: 0,
        reason: not_enough, free: 0}], total: 19000, free: 18

== As many as there are (book-confirmed)
book r2  customer: d, items: [{seats: [A-2]}, {section: standing, quantity: 8}, {product: programme, quantity: 3}]
    confirmed  units: [{item: 0, section: stalls, seats: [A-2], price: 4500}, {item: 1, section: standing, quantity: 8, price: 2000},
        {item: 2, product: programme, quantity: 3, price: 500}], total: 22000, free: 24
book r3  customer: c, shortage: partial, items: [{seats: [A-1, A-2, A-3]}, {section: standing, quantity: 5}, {product: programme,
    quantity: 2}, {section: balcony, quantity: 2}]
    confirmed  units: [{item: 0, section: stalls, seats: [A-1, A-3], price: 4500}, {item: 1, section: standing, quantity: 2, price: 2000},
        {item: 3, section: balcony, seats: [BA-11, BA-12], price: 3000, together: true}], items: [{item: 0, asked: 3, given: 2,
        reason: unit_taken, taken: [A-2]}, {item: 1, asked: 5, given: 2, reason: not_enough, free: 2}, {item: 2, asked: 2, given: 0,
        reason: not_enough, free: 0}], total: 19000, free: 18

== Everything there is nothing more to say
hold r2  customer: c, items: [{section: standing, quantity: 3}], shortage: partial -> held  items: absent

== Nothing at all is a refusal
book r2  customer: d, items: [{seats: [A-1]}, {section: standing, quantity: 10}] -> confirmed
hold r3  customer: c, items: [{seats: [A-1]}, {section: standing, quantity: 2}], shortage: all
    refused unit_taken  items: [{item: 0, asked: 1, given: 0, reason: unit_taken, taken: [A-1]}, {item: 1, asked: 2, given: 0,
        reason: not_enough, free: 0}]
hold r4  customer: c, items: [{seats: [A-1]}, {section: standing, quantity: 2}], shortage: partial
    refused unit_taken  items: [{item: 0, asked: 1, given: 0, reason: unit_taken, taken: [A-1]}, {item: 1, asked: 2, given: 0,
        reason: not_enough, free: 0}]

== As many as sit together
# With `together`, the longest piece of a row.
book r2  customer: d, items: [{seats: [C-4]}] -> confirmed  units: [{item: 0, section: stalls, seats: [C-4], price: 4500}]
hold r3  customer: c, items: [{section: stalls, quantity: 9, together: true}], shortage: partial
    held  units: [{item: 0, section: stalls, seats: [B-1, B-2, B-3, B-4, B-5, B-6], price: 4500}], items: [{item: 0, asked: 9, given: 6,
        reason: not_together, free: 17}], together: true

== What is not there falls short too
# As much as can be had, of that nothing; alone it is a refusal.
hold r2  customer: c, items: [{seats: [Z-1]}], shortage: partial
    refused unknown_seat  items: [{item: 0, asked: 1, given: 0, reason: unknown_seat, taken: [Z-1]}]
hold r3  customer: c, items: [{seats: [Z-1]}, {section: standing, quantity: 1}], shortage: partial
    held  units: [{item: 1, section: standing, quantity: 1, price: 2000}], items: [{item: 0, asked: 1, given: 0, reason: unknown_seat,
        taken: [Z-1]}]
hold r4  customer: c, items: [{section: pit, quantity: 1}], shortage: partial
    refused unknown_pool  items: [{item: 0, asked: 1, given: 0, reason: unknown_pool, unknown: pit, known: [stalls, balcony, standing]}]
hold r5  customer: c, items: [{section: pit, quantity: 1}, {section: standing, quantity: 1}], shortage: partial
    held  units: [{item: 1, section: standing, quantity: 1, price: 2000}], items: [{item: 0, asked: 1, given: 0, reason: unknown_pool,
        unknown: pit, known: [stalls, balcony, standing]}]
hold r6  customer: c, items: [{section: standing, quantity: 1, rate: child}], shortage: partial
    refused unknown_rate  items: [{item: 0, asked: 1, given: 0, reason: unknown_rate, unknown: child, known: [standard]}]
hold r7  customer: c, items: [{section: standing, quantity: 1, rate: child}, {section: standing, quantity: 1}], shortage: partial
    held  units: [{item: 1, section: standing, quantity: 1, price: 2000}], items: [{item: 0, asked: 1, given: 0, reason: unknown_rate,
        unknown: child, known: [standard]}]
