# probe: everything, some pools, unknown ones, and the pages of a resource that is too large for one answer; and bookings.

define d  state: open, products: [{product: mug, capacity: 3, price: 7}, {product: cap, capacity: 0}], rooms: [{room: double,
    from: 2026-12-24, to: 2026-12-26, capacity: 2, price: 100}], sections: [{section: standing, capacity: 5, price: 10}, {section: stalls,
    rows: [{row: A, seats: 4}]}]
    defined
hold h  customer: c, items: [{section: standing, quantity: 2}] -> held
book b  customer: c, items: [{product: mug, quantity: 1}, {room: double, from: 2026-12-25, to: 2026-12-26, quantity: 2}] -> confirmed

== Everything is listed by kind
# Sections, then products, then rooms, each in the order of definition.
probe r1
    alive  pools: [{section: standing, free: 3, held: 2, sold: 0, blocked: 0, total: 5, rates: {standard: 10}}, {section: stalls, free: 4,
        held: 0, sold: 0, blocked: 0, total: 4, rates: {standard: 0}}, {product: mug, free: 2, held: 0, sold: 1, blocked: 0, total: 3,
        rates: {standard: 7}}, {room: double, from: 2026-12-24, free: [2, 0], total: [2, 2], price: [100, 100]}], state: open, waiting: 0,
        decided_at: @0s, rev: 3, free: 11

== Some are listed as asked
probe r1  items: [{product: mug}, {section: standing}, {product: mug}]
    alive  pools: [{product: mug, free: 2, held: 0, sold: 1, blocked: 0, total: 3, rates: {standard: 7}}, {section: standing, free: 3,
        held: 2, sold: 0, blocked: 0, total: 5, rates: {standard: 10}}, {product: mug, free: 2, held: 0, sold: 1, blocked: 0, total: 3,
        rates: {standard: 7}}], state: open, waiting: 0, decided_at: @0s
probe r2  items: [{room: double, from: 2026-12-23, to: 2026-12-26}]
    alive  pools: [{room: double, from: 2026-12-23, free: [null, 2, 0], total: [null, 2, 2], price: [null, 100, 100]}]

== Unknown ones are named
probe r1  items: [{product: mug}, {product: standing}, {section: x}, {product: cap}, {room: mug, from: 2026-12-24, to: 2026-12-26}]
    refused unknown_pool  retryable: false, items: [{item: 1, asked: 1, given: 0, reason: unknown_pool, unknown: standing, known: [mug]},
        {item: 2, asked: 1, given: 0, reason: unknown_pool, unknown: x, known: [standing, stalls]}, {item: 3, asked: 1, given: 0,
        reason: unknown_pool, unknown: cap, known: [mug]}, {item: 4, asked: 1, given: 0, reason: unknown_pool, unknown: mug,
        known: [double]}]

== It says how the sale stands
# Whether it is sold, when, and how many wait: one that joins now is the next after them.
define d2  opens_at: 1970-01-01T00:00:01Z, closes_at: 1970-01-02T00:00:00Z, ends_at: 1970-01-02T03:00:00Z, timezone: Europe/Paris -> defined
hold w1  customer: w, items: [{product: mug, quantity: 3}], wait_until: 1970-01-01T12:00:00Z -> waiting
hold w2  customer: w, items: [{section: standing, quantity: 5}], wait_until: 1970-01-01T12:00:00Z -> waiting
probe r1  items: [{product: mug}]
    alive  pools: [{product: mug, free: 2, held: 0, sold: 1, blocked: 0, total: 3, rates: {standard: 7}}], state: open,
        opens_at: 1970-01-01T00:00:01.000Z, closes_at: 1970-01-02T00:00:00.000Z, ends_at: 1970-01-02T03:00:00.000Z, timezone: Europe/Paris,
        waiting: 2, decided_at: 1970-01-01T00:16:40.000Z
hold w3  customer: w, items: [{section: standing, quantity: 5}], wait_until: 1970-01-01T12:00:00Z -> waiting  position: 3
close c -> defined
probe r2  items: [{product: mug}] -> alive  state: closed, opens_at: 1970-01-01T00:00:01.000Z
probe r3  items: [{product: x}]
    refused unknown_pool  retryable: false, items: [{item: 0, asked: 1, given: 0, reason: unknown_pool, unknown: x, known: [mug]}],
        decided_at: 1970-01-01T00:16:40.000Z

== A booking is shown as it stands now
probe r1  booking: h
    alive  bookings: [{booking: h, state: held, customer: c, units: 2, total: 20, expires_at: @15m}], state: open, waiting: 0
confirm x  booking: h, customer: c, payment: p -> confirmed
probe r2  booking: h, customer: c -> alive  bookings: [{booking: h, state: confirmed, customer: c, payment: p, units: 2, total: 20}]
cancel y  booking: h, customer: c -> cancelled
probe r3  booking: h -> alive  bookings: [{booking: h, state: cancelled, customer: c, payment: p, units: 2, total: 20}]
probe r4  booking: h, customer: d -> refused not_owner
probe r5  booking: none -> refused unknown_booking

== A party learns its place
hold w1  customer: w, wait_until: @11h43m20s, items: [{product: mug, quantity: 3}] -> waiting  position: 1
hold w2  customer: w, wait_until: @11h43m20s, items: [{product: mug, quantity: 3}] -> waiting  position: 2
probe r1  booking: w2
    alive  bookings: [{booking: w2, state: waiting, customer: w, units: 0, total: 0, expires_at: @11h43m20s, position: 2}]
leave x  booking: w1, customer: w -> left
probe r2  booking: w2
    alive  bookings: [{booking: w2, state: waiting, customer: w, units: 0, total: 0, expires_at: @11h43m20s, position: 1}]

== Blocked units are not free
block x  items: [{section: standing, quantity: 2}, {seats: [A-1]}, {room: double, from: 2026-12-24, to: 2026-12-25, quantity: 1}] -> blocked
probe r1  items: [{section: standing}, {section: stalls}, {room: double, from: 2026-12-24, to: 2026-12-26}]
    alive  pools: [{section: standing, free: 1, held: 2, sold: 0, blocked: 2, total: 5, rates: {standard: 10}}, {section: stalls, free: 3,
        held: 0, sold: 0, blocked: 1, total: 4, rates: {standard: 0}}, {room: double, from: 2026-12-24, free: [1, 0], total: [2, 2],
        price: [100, 100]}]

== A quota bounds what is free
# Of pools under a quota only so many are free as it leaves; of room types each night by itself.
define d2  rooms: [{room: single, from: 2026-12-24, to: 2026-12-26, capacity: 9}], quotas: [{quota: people, pools: [standing, stalls],
    limit: 4}, {quota: beds, pools: [double, single], limit: 3}]
    defined
probe r1
    alive  pools: [{section: standing, free: 2, held: 2, sold: 0, blocked: 0, total: 5, rates: {standard: 10}}, {section: stalls, free: 2,
        held: 0, sold: 0, blocked: 0, total: 4, rates: {standard: 0}}, {product: mug, free: 2, held: 0, sold: 1, blocked: 0, total: 3,
        rates: {standard: 7}}, {room: double, from: 2026-12-24, free: [2, 0], total: [2, 2], price: [100, 100]}, {room: single,
        from: 2026-12-24, free: [3, 1], total: [9, 9], price: [0, 0]}]
hold h2  customer: c, items: [{section: stalls, quantity: 2}] -> held
probe r2  items: [{section: standing}, {section: stalls}]
    alive  pools: [{section: standing, free: 0, held: 2, sold: 0, blocked: 0, total: 5, rates: {standard: 10}}, {section: stalls, free: 0,
        held: 2, sold: 0, blocked: 0, total: 4, rates: {standard: 0}}]

== Rates are named as listed
define d2  sections: [{section: standing, rates: {full: 20, child: 5}}], products: [{product: mug, rates: {standard: 8}}] -> defined
probe r1  items: [{section: standing}, {product: mug}, {section: stalls}]
    alive  pools: [{section: standing, free: 3, held: 2, sold: 0, blocked: 0, total: 5, rates: {full: 20, child: 5}}, {product: mug,
        free: 2, held: 0, sold: 1, blocked: 0, total: 3, rates: {standard: 8}}, {section: stalls, free: 4, held: 0, sold: 0, blocked: 0,
        total: 4, rates: {standard: 0}}]

== Rooms have rates by night
# A night has null by a rate that it has not; one with but a price has that as `standard`.
define d2  rooms: [{room: double, from: 2026-12-27, to: 2026-12-29, capacity: 2, rates: {flexible: 150, standard: 120}}, {room: double,
    from: 2026-12-28, to: 2026-12-29, rates: {early: 90}}]
    defined
probe r1
    alive  pools: [{section: standing, free: 3, held: 2, sold: 0, blocked: 0, total: 5, rates: {standard: 10}}, {section: stalls, free: 4,
        held: 0, sold: 0, blocked: 0, total: 4, rates: {standard: 0}}, {product: mug, free: 2, held: 0, sold: 1, blocked: 0, total: 3,
        rates: {standard: 7}}, {room: double, from: 2026-12-24, free: [2, 0, null, 2, 2], total: [2, 2, null, 2, 2], price: [100, 100, null,
        120, 90], rates: {standard: [100, 100, null, 120, null], flexible: [null, null, null, 150, null], early: [null, null, null, null,
        90]}}]
probe r2  items: [{room: double, from: 2026-12-24, to: 2026-12-26}]
    alive  pools: [{room: double, from: 2026-12-24, free: [2, 0], total: [2, 2], price: [100, 100]}], state: open
probe r3  items: [{room: double, from: 2026-12-28, to: 2026-12-29}]
    alive  pools: [{room: double, from: 2026-12-28, free: [2], total: [2], price: [90], rates: {early: [90]}}], state: open

== Units beyond what there is are in the total
define d2  sections: [{section: standing, capacity: 5, overbook: 2}], rooms: [{room: double, from: 2026-12-24, to: 2026-12-25, capacity: 2,
    overbook: 1}]
    defined
probe r1  items: [{section: standing}, {room: double, from: 2026-12-24, to: 2026-12-26}]
    alive  pools: [{section: standing, free: 5, held: 2, sold: 0, blocked: 0, total: 7, overbook: 2, rates: {standard: 10}}, {room: double,
        from: 2026-12-24, free: [3, 0], total: [3, 2], price: [100, 100]}]

== A room type without a room on any night is not shown
define d1  state: open, rooms: [{room: twin, from: 2026-12-24, to: 2026-12-26, capacity: 2, price: 100}] -> defined
define d2  rooms: [{room: twin, from: 2026-12-24, to: 2026-12-26, capacity: 0}] -> defined
probe p  items: [{room: twin, from: 2026-12-24, to: 2026-12-26}] -> refused unknown_pool
