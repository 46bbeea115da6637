# What is on sale: define, open, close, and probe, each with its outcomes.

let hall  sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony,
    price: 3000, rows: [{row: BA, seats: 5, first: 11}]}, {section: standing, price: 2000, capacity: 10}]

== Equal layouts are one chart
define r1  $hall -> defined
define r2  resource: s1, $hall -> defined
define r3  resource: s2, sections: [{section: stalls, rows: [{row: A, seats: 5}]}] -> defined

== Define of more pools than allowed
define r1  rooms: [{room: r0, from: 2026-01-01, to: 2036-01-01, capacity: 1}, {room: r1, from: 2026-01-01, to: 2036-01-01, capacity: 1},
    {room: r2, from: 2026-01-01, to: 2036-01-01, capacity: 1}, {room: r3, from: 2026-01-01, to: 2036-01-01, capacity: 1}, {room: r4,
    from: 2026-01-01, to: 2036-01-01, capacity: 1}, {room: r5, from: 2026-01-01, to: 2036-01-01, capacity: 1}, {room: r6, from: 2026-01-01,
    to: 2036-01-01, capacity: 1}, {room: r7, from: 2026-01-01, to: 2036-01-01, capacity: 1}, {room: r8, from: 2026-01-01, to: 2036-01-01,
    capacity: 1}, {room: r9, from: 2026-01-01, to: 2036-01-01, capacity: 1}, {room: r10, from: 2026-01-01, to: 2036-01-01, capacity: 1},
    {room: r11, from: 2026-01-01, to: 2036-01-01, capacity: 1}, {room: r12, from: 2026-01-01, to: 2036-01-01, capacity: 1}, {room: r13,
    from: 2026-01-01, to: 2036-01-01, capacity: 1}, {room: r14, from: 2026-01-01, to: 2036-01-01, capacity: 1}, {room: r15,
    from: 2026-01-01, to: 2036-01-01, capacity: 1}, {room: r16, from: 2026-01-01, to: 2036-01-01, capacity: 1}, {room: r17,
    from: 2026-01-01, to: 2036-01-01, capacity: 1}]
    refused

== Probe of rooms
define r1  state: open, currency: GBP, rooms: [{room: double, from: 2026-12-20, to: 2026-12-30, capacity: 3, price: 12900}, {room: double,
    from: 2026-12-24, to: 2026-12-27, price: 18900}, {room: single, from: 2026-12-20, to: 2026-12-25, capacity: 2, price: 8000}]
    defined
book r2  customer: g, items: [{room: double, from: 2026-12-22, to: 2026-12-24, quantity: 2}] -> confirmed  total: 51600, free: 36
probe r3
    alive  pools: [{room: double, from: 2026-12-20, free: [3, 3, 1, 1, 3, 3, 3, 3, 3, 3], total: [3, 3, 3, 3, 3, 3, 3, 3, 3, 3],
        price: [12900, 12900, 12900, 12900, 18900, 18900, 18900, 12900, 12900, 12900]}, {room: single, from: 2026-12-20, free: [2, 2, 2, 2,
        2], total: [2, 2, 2, 2, 2], price: [8000, 8000, 8000, 8000, 8000]}], free: 36
probe r4  items: [{room: single, from: 2026-12-24, to: 2026-12-27, quantity: 1}]
    alive  pools: [{room: single, from: 2026-12-24, free: [2, null, null], total: [2, null, null], price: [8000, null, null]}], free: 36

-- In the hall
define r1  state: open, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]
    defined

== Define merges
define r2  sections: [{section: standing, capacity: 12}], products: [{product: poster, capacity: 4, price: 900}] -> defined  free: 42
probe r3
    alive  pools: [{section: stalls, free: 18, held: 0, sold: 0, blocked: 0, total: 18, rates: {standard: 4500}}, {section: balcony,
        free: 5, held: 0, sold: 0, blocked: 0, total: 5, rates: {standard: 3000}}, {section: standing, free: 12, held: 0, sold: 0,
        blocked: 0, total: 12, rates: {standard: 2000}}, {product: programme, free: 3, held: 0, sold: 0, blocked: 0, total: 3,
        rates: {standard: 500}}, {product: poster, free: 4, held: 0, sold: 0, blocked: 0, total: 4, rates: {standard: 900}}], free: 42

== Define removes with capacity 0
define r2  products: [{product: programme, capacity: 0}] -> defined  free: 33
book r3  customer: c, items: [{product: programme, quantity: 1}] -> refused unknown_pool  free: 33
probe r4
    alive  pools: [{section: stalls, free: 18, held: 0, sold: 0, blocked: 0, total: 18, rates: {standard: 4500}}, {section: balcony,
        free: 5, held: 0, sold: 0, blocked: 0, total: 5, rates: {standard: 3000}}, {section: standing, free: 10, held: 0, sold: 0,
        blocked: 0, total: 10, rates: {standard: 2000}}], free: 33

== Define replaces the rows of a section
define r2  sections: [{section: balcony, rows: [{row: BA, seats: 2}, {row: BB, seats: 2}]}] -> defined  free: 35
book r3  customer: c, items: [{seats: [BB-2, BA-1]}] -> confirmed  free: 33
book r4  customer: c, items: [{seats: [BA-11]}] -> refused unknown_seat  free: 33

== Define leaves what is taken alone
hold r2  customer: c, items: [{seats: [B-1]}, {section: standing, quantity: 2}] -> held  free: 33
define r3  sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]},
    {section: standing, capacity: 2}]
    defined  free: 25

== Define refuses a seat name twice
define r2  sections: [{section: side, rows: [{row: B, seats: 1, first: 6}]}]
    refused bad_chart  detail: "seat \"B-6\" is in section \"stalls\" and in section \"side\": sections that a define does not name stay, so to change the hall name all of its sections, those that go with capacity 0"
define r3  sections: [{section: side, rows: [{row: B, seats: 1, first: 7}]}] -> defined

== Define refuses one name for two kinds
define r2  products: [{product: stalls, capacity: 1}]
    refused bad_chart  detail: "\"stalls\" is a section and cannot become a product: use another name"

== Probe of everything
hold r2  customer: c, items: [{section: stalls, quantity: 2}] -> held  total: 9000, free: 34
book r3  customer: c, items: [{section: stalls, quantity: 3}, {product: programme, quantity: 1}] -> confirmed  total: 14000, free: 30
probe r4
    alive  pools: [{section: stalls, free: 13, held: 2, sold: 3, blocked: 0, total: 18, rates: {standard: 4500}}, {section: balcony,
        free: 5, held: 0, sold: 0, blocked: 0, total: 5, rates: {standard: 3000}}, {section: standing, free: 10, held: 0, sold: 0,
        blocked: 0, total: 10, rates: {standard: 2000}}, {product: programme, free: 2, held: 0, sold: 1, blocked: 0, total: 3,
        rates: {standard: 500}}], free: 30

== Probe of what is not there
probe r2  items: [{section: standing, quantity: 1}, {section: pit, quantity: 1}]
    refused unknown_pool  items: [{item: 1, asked: 1, given: 0, reason: unknown_pool, unknown: pit, known: [stalls, balcony, standing]}]
