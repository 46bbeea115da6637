# What everybody sees of it: the probe, the views for people, the changes in Redis.

== A probe says how the sale stands
define r1  state: open, sections: [{section: floor, capacity: 2, price: 1000}], opens_at: @-5m, closes_at: 2099-01-01T00:00:00.5Z,
    ends_at: 2099-01-02T00:00:00Z
    defined
book r2  customer: c, items: [{section: floor, quantity: 2}] -> confirmed
hold r3  customer: w0, items: [{section: floor, quantity: 1}], wait_until: 2099-01-01T00:00:00Z -> waiting  position: 1
hold r4  customer: w1, items: [{section: floor, quantity: 1}], wait_until: 2099-01-01T00:00:00Z -> waiting  position: 2
hold r5  customer: w2, items: [{section: floor, quantity: 1}], wait_until: 2099-01-01T00:00:00Z -> waiting  position: 3
probe r6 -> alive  state: open, opens_at: @-5m, closes_at: 2099-01-01T00:00:00.500Z, ends_at: 2099-01-02T00:00:00.000Z, waiting: 3
hold r7  customer: w, items: [{section: floor, quantity: 1}], wait_until: 2099-01-01T00:00:00Z -> waiting  position: 4
close r8 -> defined
probe r9 -> alive  state: closed, opens_at: @-5m, closes_at: 2099-01-01T00:00:00.500Z, ends_at: 2099-01-02T00:00:00.000Z, waiting: 4

== The worlds of two resources do not touch
# The same names of pools, customers, carts and request ids.
define r1  state: open, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]
    defined
define r2  resource: s1, state: open, rooms: [{room: stalls, from: 2030-01-01, to: 2030-01-03, capacity: 2, price: 1}] -> defined
hold r3  customer: c, cart: k, items: [{seats: [A-1]}] -> held  customer: c, cart: k, total: 4500
hold r3  resource: s1, customer: c, cart: k, items: [{room: stalls, from: 2030-01-01, to: 2030-01-03, quantity: 1}]
    held  customer: c, cart: k, total: 2
confirm r4  customer: c, cart: k -> confirmed  customer: c, cart: k, total: 4500
probe r5
    alive  pools: [{section: stalls, free: 17, held: 0, sold: 1, blocked: 0, total: 18, rates: {standard: 4500}}, {section: balcony,
        free: 5, held: 0, sold: 0, blocked: 0, total: 5, rates: {standard: 3000}}, {section: standing, free: 10, held: 0, sold: 0,
        blocked: 0, total: 10, rates: {standard: 2000}}, {product: programme, free: 3, held: 0, sold: 0, blocked: 0, total: 3,
        rates: {standard: 500}}]
probe r6  resource: s1 -> alive  pools: [{room: stalls, from: 2030-01-01, free: [1, 1], total: [2, 2], price: [1, 1]}]
