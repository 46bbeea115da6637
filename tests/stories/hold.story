# hold and book: what is taken, what it costs, how long it is held, and what a refusal says.

define d  state: open, currency: EUR, sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 4}, {row: B, seats: 3}, {row: A,
    first: 11, seats: 2}]}, {section: balcony, price: 2000, rows: [{row: Z, seats: 2}]}, {section: standing, capacity: 5, price: 1000},
    {section: shut, capacity: 1}], rooms: [{room: double, from: 2026-12-24, to: 2026-12-30, capacity: 2, price: 100}, {room: double,
    from: 2026-12-31, to: 2027-01-02, capacity: 2, price: 300}], products: [{product: mug, capacity: 5, price: 7}]
    defined
define d2  sections: [{section: shut, capacity: 0}] -> defined

== Seats are grouped by section in the order named
hold h  customer: c, items: [{seats: [B-2, Z-1, A-12, B-1, Z-2]}, {seats: [A-1]}]
    held  units: [{item: 0, section: stalls, seats: [B-2, A-12, B-1], price: 4500}, {item: 0, section: balcony, seats: [Z-1, Z-2],
        price: 2000}, {item: 1, section: stalls, seats: [A-1], price: 4500}], total: 22000, currency: EUR

== Later items see what earlier ones took
hold h1  customer: c, items: [{seats: [A-1]}, {section: stalls, quantity: 3, together: true}]
    held  units: [{item: 0, section: stalls, seats: [A-1], price: 4500}, {item: 1, section: stalls, seats: [A-2, A-3, A-4], price: 4500,
        together: true}]
hold h2  customer: c, items: [{section: standing, quantity: 2}, {section: standing, quantity: 2}, {section: standing, quantity: 2}]
    refused not_enough  retryable: true, customer: c, items: [{item: 2, asked: 2, given: 0, reason: not_enough, free: 1}]
hold h3  customer: c, items: [{section: standing, quantity: 5}]
    held  units: [{item: 0, section: standing, quantity: 5, price: 1000}], total: 5000

== Each item says whether it is together
# Whether each of several items is in one piece; a seat that was named was not chosen.
hold h0  customer: c, items: [{seats: [A-3, B-2, A-11]}] -> held
hold h1  customer: c, items: [{section: stalls, quantity: 2}, {seats: [A-4]}, {section: stalls, quantity: 2}]
    held  units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 4500, together: true}, {item: 1, section: stalls, seats: [A-4],
        price: 4500}, {item: 2, section: stalls, seats: [B-1, B-3], price: 4500, together: false}], together: false

== Rooms take the lowest tokens night by night
hold h1  customer: c, items: [{room: double, from: 2026-12-25, to: 2026-12-26, quantity: 1}]
    held  units: [{item: 0, room: double, night: 2026-12-25, tokens: [0], price: 100}]
hold h2  customer: c, items: [{room: double, from: 2026-12-24, to: 2026-12-26, quantity: 1}]
    held  units: [{item: 0, room: double, night: 2026-12-24, tokens: [0], price: 100}, {item: 0, room: double, night: 2026-12-25,
        tokens: [1], price: 100}], total: 200
hold h3  customer: c, items: [{room: double, from: 2026-12-31, to: 2027-01-02, quantity: 2}]
    held  units: [{item: 0, room: double, night: 2026-12-31, tokens: [0, 1], price: 300}, {item: 0, room: double, night: 2027-01-01,
        tokens: [0, 1], price: 300}], total: 1200
hold h4  customer: c, items: [{room: double, from: 2026-12-24, to: 2026-12-27, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 0, taken: [2026-12-24, 2026-12-25]}]

== A refusal says which lines fell short
book b  customer: c, items: [{seats: [A-2, B-2, A-11]}, {room: double, from: 2026-12-26, to: 2026-12-27, quantity: 2}] -> confirmed
hold s1  customer: c, items: [{section: none, quantity: 1}]
    refused unknown_pool  retryable: false, customer: c, items: [{item: 0, asked: 1, given: 0, reason: unknown_pool, unknown: none,
        known: [stalls, balcony, standing]}]
hold s2  customer: c, items: [{section: shut, quantity: 1}] -> refused unknown_pool
hold s3  customer: c, items: [{section: mug, quantity: 1}] -> refused unknown_pool
hold s4  customer: c, items: [{product: standing, quantity: 1}] -> refused unknown_pool
hold s5  customer: c, items: [{room: stalls, from: 2026-12-24, to: 2026-12-25, quantity: 1}]
    refused unknown_pool  items: [{item: 0, asked: 1, given: 0, reason: unknown_pool, unknown: stalls, known: [double]}]
hold s6  customer: c, items: [{room: double, from: 2026-12-29, to: 2027-01-04, quantity: 9}]
    refused unknown_pool  items: [{item: 0, asked: 9, given: 0, reason: unknown_pool, taken: [2026-12-30, 2027-01-02, 2027-01-03]}]
hold s6r  customer: c, items: [{room: double, from: 2026-12-24, to: 2026-12-25, quantity: 9, rate: child}]
    refused unknown_rate  items: [{item: 0, asked: 9, given: 0, reason: unknown_rate, unknown: child, known: [standard]}]
hold s7  customer: c, items: [{room: double, from: 2026-12-25, to: 2026-12-28, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 0, taken: [2026-12-26]}]
hold s8  customer: c, items: [{seats: [A-1, A-5, A-10, A-2, no seat]}]
    refused unknown_seat  retryable: false, customer: c, items: [{item: 0, asked: 5, given: 0, reason: unknown_seat, taken: [A-5, A-10,
        no seat]}]
hold s9  customer: c, items: [{seats: [A-1], rate: child}]
    refused unknown_rate  items: [{item: 0, asked: 1, given: 0, reason: unknown_rate, unknown: child, known: [standard]}]
hold s10  customer: c, items: [{seats: [A-1], rate: standard}] -> held
hold s11  customer: c, items: [{seats: [A-3, A-2, A-1, A-11]}]
    refused unit_taken  items: [{item: 0, asked: 4, given: 0, reason: unit_taken, taken: [A-2, A-1, A-11]}]
hold s12  customer: c, items: [{section: standing, quantity: 6}]
    refused not_enough  items: [{item: 0, asked: 6, given: 0, reason: not_enough, free: 5}]
hold s13  customer: c, items: [{section: stalls, quantity: 3, together: true}]
    refused not_together  retryable: true, customer: c, items: [{item: 0, asked: 3, given: 0, reason: not_together, free: 5}]
hold s13l  customer: c, items: [{section: stalls, quantity: 5, together: true}]
    refused not_together  retryable: false, customer: c, items: [{item: 0, asked: 5, given: 0, reason: not_together, free: 5}]
hold s13f  customer: c, items: [{section: stalls, quantity: 1, features: [aisle]}]
    refused unknown_feature  retryable: false, customer: c, items: [{item: 0, asked: 1, given: 0, reason: unknown_feature, unknown: aisle}]
hold s14  customer: c, items: [{section: standing, quantity: 5, together: true}] -> held
hold s15  customer: c, items: [{seats: [A-1]}, {product: mug, quantity: 5}, {section: standing, quantity: 1}, {section: x, quantity: 1},
    {product: mug, quantity: 1}]
    refused unknown_pool  retryable: false, customer: c, items: [{item: 0, asked: 1, given: 0, reason: unit_taken, taken: [A-1]}, {item: 2,
        asked: 1, given: 0, reason: not_enough, free: 0}, {item: 3, asked: 1, given: 0, reason: unknown_pool, unknown: x, known: [stalls,
        balcony, standing]}, {item: 4, asked: 1, given: 0, reason: not_enough, free: 0}]
hold s16  customer: c, items: [{product: mug, quantity: 5}] -> held

== Prices are those of the hold
hold h1  customer: c, items: [{section: standing, quantity: 2}] -> held  total: 2000
define d3  sections: [{section: standing, price: 1}] -> defined
hold h2  customer: c, items: [{section: standing, quantity: 2}] -> held  total: 2
confirm k1  customer: c, booking: h1 -> confirmed  units: [{item: 0, section: standing, quantity: 2, price: 1000}], total: 2000
