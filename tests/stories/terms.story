# What a resource is sold under: rates, limits, quotas, times of sale, overbooking, and how much of a request must be had.

let shop  state: open, products: [{product: mug, capacity: 50}, {product: cup, capacity: 50}]
let hotel  state: open, timezone: Europe/Rome, rooms: [{room: double, from: 1970-01-01, to: 1970-01-09, capacity: 2}]

== All that is held or sold costs no more than javascript counts
# 2^53 - 1 is 9007 such mugs and some cups.
define d  state: open, products: [{product: mug, capacity: 10000000, price: 1000000000000}, {product: cup, capacity: 1000,
    price: 199254740991}]
    defined
hold r1  customer: c, items: [{product: mug, quantity: 4000}] -> held  total: 4000000000000000
book r2  customer: c, items: [{product: mug, quantity: 4000}] -> confirmed  total: 4000000000000000
hold r3  customer: c, items: [{product: mug, quantity: 1008}] -> refused limit_exceeded
book r4  customer: c, items: [{product: mug, quantity: 1008}]
    refused limit_exceeded  detail: all that is held or sold would cost more than 9007199254740991
exchange r5  customer: c, booking: r1, items: [{product: mug, quantity: 4000}] -> exchanged  difference: 0
hold r6  customer: c, items: [{product: mug, quantity: 1006}] -> held
hold r7  customer: c, items: [{product: cup, quantity: 1}] -> held
exchange r8  customer: c, booking: r6, items: [{product: mug, quantity: 1008}] -> refused limit_exceeded
exchange a  customer: c, booking: r6, items: [{product: mug, quantity: 1007}] -> exchanged  difference: 1000000000000
hold b  customer: c, items: [{product: cup, quantity: 1}] -> refused limit_exceeded
# What is held can be sold, and given back, whatever all of it costs.
confirm c  customer: c, booking: r1 -> confirmed
confirm k  customer: c, booking: r6 -> confirmed
exchange l  customer: c, booking: r1, items: [{product: mug, quantity: 10}] -> exchanged  difference: -3990000000000000
cancel f  customer: c, booking: r2 -> cancelled
hold g  customer: c, items: [{product: mug, quantity: 4000}] -> held

== What costs too much in all is refused wherever it comes from
# A later price, and units put aside by the house, change nothing of it.
define d  state: open, products: [{product: mug, capacity: 4000, price: 1000000000000}] -> defined
block b  items: [{product: mug, quantity: 4000}] -> blocked
define e  products: [{product: cup, capacity: 100000, price: 1000000000000}] -> defined
book r1  customer: c, items: [{product: cup, quantity: 4000}] -> confirmed
book r2  customer: c, items: [{product: cup, quantity: 4000}] -> confirmed
book r3  customer: c, from_block: b, items: [{product: mug, quantity: 1008}] -> refused limit_exceeded
book r4  customer: c, from_block: b, items: [{product: mug, quantity: 1007}] -> confirmed
define f  products: [{product: cup, capacity: 100000, price: 1}] -> defined
book r5  customer: c, items: [{product: cup, quantity: 4000}] -> confirmed
cancel r6  customer: c, booking: r1 -> cancelled  total: 4000000000000000
exchange r7  customer: c, booking: r5, items: [{product: cup, quantity: 4000, rate: standard}] -> exchanged  difference: 0

== Items name the rate that they are sold by
define d  state: open, currency: EUR, sections: [{section: stalls, rates: {adult: 4500, child: 2500}, rows: [{row: A, seats: 6}]}],
    products: [{product: mug, capacity: 5, price: 800}]
    defined
hold r1  customer: c, items: [{seats: [A-1], rate: child}, {seats: [A-2]}, {section: stalls, quantity: 2, rate: adult}, {product: mug,
    quantity: 1, rate: standard}]
    held  units: [{item: 0, section: stalls, seats: [A-1], price: 2500, rate: child}, {item: 1, section: stalls, seats: [A-2], price: 4500,
        rate: adult}, {item: 2, section: stalls, seats: [A-3, A-4], price: 4500, rate: adult, together: true}, {item: 3, product: mug,
        quantity: 1, price: 800}], together: true, total: 16800
hold r2  customer: c, items: [{seats: [A-5], rate: standard}] -> refused unknown_rate
hold r3  customer: c, items: [{product: mug, quantity: 1, rate: child}] -> refused unknown_rate
# Frozen with the hold.
define e  sections: [{section: stalls, rates: {member: 100}}] -> defined
confirm r4  customer: c, booking: r1
    confirmed  units: [{item: 0, section: stalls, seats: [A-1], price: 2500, rate: child}, {item: 1, section: stalls, seats: [A-2],
        price: 4500, rate: adult}, {item: 2, section: stalls, seats: [A-3, A-4], price: 4500, rate: adult}, {item: 3, product: mug,
        quantity: 1, price: 800}]
hold r5  customer: c, items: [{seats: [A-5]}] -> held  units: [{item: 0, section: stalls, seats: [A-5], price: 100, rate: member}]
# A price is the rate standard, which items get that name none.
define f  sections: [{section: stalls, price: 50}] -> defined
hold r6  customer: c, items: [{seats: [A-6]}] -> held  units: [{item: 0, section: stalls, seats: [A-6], price: 50, rate: standard}]
probe p  items: [{section: stalls}]
    alive  pools: [{section: stalls, free: 0, held: 2, sold: 4, blocked: 0, total: 6, rates: {standard: 50, member: 100}}]

== Another rate is an exchange
define d  state: open, products: [{product: mug, capacity: 2, rates: {adult: 800, child: 500}}] -> defined
hold h  customer: c, items: [{product: mug, quantity: 2}] -> held  total: 1600
exchange r1  customer: c, booking: h, items: [{product: mug, quantity: 1, rate: child}, {product: mug, quantity: 1}]
    exchanged  total: 1300, difference: -300
confirm r2  customer: c, booking: h, items: [{product: mug, quantity: 1, rate: child}] -> confirmed  total: 500

== A request has limits
define d  state: open, limits: {units_min: 2, units_per_request: 4}, products: [{product: mug, capacity: 50}], rooms: [{room: double,
    from: 2026-01-01, to: 2026-02-01, capacity: 3}]
    defined
hold r1  customer: c, items: [{product: mug, quantity: 1}] -> refused limit_exceeded  retryable: true, detail: at least 2 units per request
hold r2  customer: c, items: [{product: mug, quantity: 5}] -> refused limit_exceeded  detail: at most 4 units per request
# Nights count.
hold r3  customer: c, items: [{room: double, from: 2026-01-01, to: 2026-01-06, quantity: 1}]
    refused limit_exceeded  detail: at most 4 units per request
hold h  customer: c, items: [{product: mug, quantity: 4}] -> held
exchange r4  customer: c, booking: h, items: [{product: mug, quantity: 5}] -> refused limit_exceeded
block r5  items: [{product: mug, quantity: 20}] -> blocked
define e  limits: {} -> defined
hold r6  customer: c, items: [{product: mug, quantity: 20}] -> held

== A customer has limits over all bookings
define d  state: open, limits: {units_per_customer: 5, holds_per_customer: 2}, products: [{product: mug, capacity: 50}] -> defined
hold h1  customer: c, ttl_s: 1, items: [{product: mug, quantity: 2}] -> held
hold h2  customer: c, items: [{product: mug, quantity: 2}] -> held
hold r1  customer: c, items: [{product: mug, quantity: 1}] -> refused limit_exceeded  detail: at most 2 open holds per customer
book r2  customer: c, items: [{product: mug, quantity: 1}] -> confirmed
book r3  customer: c, items: [{product: mug, quantity: 1}] -> refused limit_exceeded  detail: at most 5 units per customer
book r4  customer: d, items: [{product: mug, quantity: 4}] -> confirmed
transfer r5  customer: d, to_customer: c, booking: r4 -> refused limit_exceeded
exchange r6  customer: c, booking: h2, items: [{product: mug, quantity: 3}] -> refused limit_exceeded
exchange r7  customer: c, booking: h2, items: [{product: mug, quantity: 1}] -> exchanged
confirm r8  customer: c, booking: h2 -> confirmed
hold r9  customer: c, items: [{product: mug, quantity: 1}] -> held
release r10  customer: c, booking: r9 -> released
after 1s -> expired
book r11  customer: c, items: [{product: mug, quantity: 3}] -> confirmed
# Late, and too much now.
confirm r12  customer: c, booking: h1 -> refused limit_exceeded
cancel r13  customer: c, booking: r11 -> cancelled
confirm r14  customer: c, booking: h1 -> confirmed

== Limits come later
# What was sold before there were limits counts too.
define d  $shop -> defined
book r1  customer: c, items: [{product: mug, quantity: 4}] -> confirmed
hold r2  customer: c, items: [{product: cup, quantity: 3}] -> held
define e  limits: {units_per_customer: 9, groups: [{pools: [mug], limit: 5}]} -> defined
book r3  customer: c, items: [{product: mug, quantity: 2}] -> refused limit_exceeded
book r4  customer: c, items: [{product: mug, quantity: 1}] -> confirmed
book r5  customer: c, items: [{product: cup, quantity: 2}] -> refused limit_exceeded
book r6  customer: c, items: [{product: cup, quantity: 1}] -> confirmed
define x  limits: {groups: [{pools: [none], limit: 5}]} -> refused bad_chart

== A lower limit refuses only more
# A maximum that was lowered, or a minimum that was raised, takes nothing away: what a booking has may be swapped like for like and
# given back, and nothing is added.
define d  $shop -> defined
book b  customer: c, items: [{product: mug, quantity: 6}] -> confirmed
hold h  customer: c, items: [{product: mug, quantity: 5}] -> held
book c  customer: c, items: [{product: cup, quantity: 1}] -> confirmed
book o  customer: o, items: [{product: mug, quantity: 1}] -> confirmed
define e1  limits: {units_per_request: 4} -> defined
exchange r1  customer: c, booking: b, items: [{product: mug, quantity: 7}] -> refused limit_exceeded  detail: at most 4 units per request
exchange r2  customer: c, booking: b, items: [{product: mug, quantity: 6}] -> exchanged
exchange r3  customer: c, booking: h, items: [{product: cup, quantity: 5}] -> exchanged
exchange r4  customer: c, booking: b, from_hold: h, items: [{product: mug, quantity: 7}] -> refused limit_exceeded
define e2  limits: {units_per_customer: 3} -> defined
exchange r5  customer: c, booking: b, items: [{product: mug, quantity: 7}] -> refused limit_exceeded  detail: at most 3 units per customer
exchange r6  customer: c, booking: b, from_hold: h, items: [{product: mug, quantity: 12}] -> refused limit_exceeded
exchange r7  customer: c, booking: b, items: [{product: mug, quantity: 5}] -> exchanged
book r8  customer: c, items: [{product: mug, quantity: 1}] -> refused limit_exceeded
transfer r9  customer: o, to_customer: c, booking: o -> refused limit_exceeded
exchange r10  customer: c, booking: h, force: true, items: [{product: mug, quantity: 5}] -> exchanged
define e3  limits: {groups: [{pools: [mug], limit: 4}]} -> defined
exchange r11  customer: c, booking: c, items: [{product: mug, quantity: 1}] -> refused limit_exceeded
exchange r12  customer: c, booking: b, items: [{product: mug, quantity: 5}] -> exchanged
exchange r13  customer: c, booking: h, items: [{product: mug, quantity: 4}] -> exchanged
exchange r14  customer: c, booking: c, items: [{product: cup, quantity: 2}] -> exchanged
exchange r15  customer: c, booking: b, from_hold: h, items: [{product: mug, quantity: 9}] -> exchanged
define e4  limits: {units_min: 3, holds_per_customer: 1} -> defined
exchange r16  customer: c, booking: c, items: [{product: cup, quantity: 1}] -> refused limit_exceeded  detail: at least 3 units per request
exchange r17  customer: c, booking: c, items: [{product: mug, quantity: 2}] -> exchanged
exchange r18  customer: c, booking: b, items: [{product: mug, quantity: 2}] -> refused limit_exceeded
confirm r19  customer: c, booking: b -> refused already_confirmed
cancel r20  customer: c, booking: b -> cancelled

== One hold less is no more than before
define d  state: open, products: [{product: mug, capacity: 50}] -> defined
book b  customer: c, items: [{product: mug, quantity: 2}] -> confirmed
hold h  customer: c, items: [{product: mug, quantity: 2}] -> held
hold i  customer: c, items: [{product: mug, quantity: 2}] -> held
hold j  customer: c, items: [{product: mug, quantity: 2}] -> held
define e  limits: {holds_per_customer: 1, units_per_customer: 2} -> defined
hold r1  customer: c, items: [{product: mug, quantity: 1}] -> refused limit_exceeded
exchange r2  customer: c, booking: h, items: [{product: mug, quantity: 2}] -> exchanged
extend r3  customer: c, ttl_s: 10, booking: h -> extended
exchange r4  customer: c, booking: b, from_hold: h, items: [{product: mug, quantity: 4}] -> exchanged
# A part.
confirm r5  customer: c, booking: i, items: [{product: mug, quantity: 1}] -> confirmed
transfer r6  customer: c, to_customer: c, booking: j -> transferred
confirm r7  customer: c, booking: j -> confirmed

== A refusal names the own hold that is in the way
# The newest open hold of the same customer that is in the way, and nobody else's.
define d  state: open, limits: {units_per_customer: 40}, sections: [{section: stalls, rows: [{row: A, seats: 4}]}],
    products: [{product: mug, capacity: 3}], rooms: [{room: double, from: 2026-01-01, to: 2026-01-05, capacity: 1}]
    defined
hold s  customer: c, items: [{seats: [A-1, A-2]}] -> held
hold m  customer: c, items: [{product: mug, quantity: 1}] -> held
hold n  customer: c, items: [{product: mug, quantity: 2}] -> held
hold r  customer: c, items: [{room: double, from: 2026-01-02, to: 2026-01-03, quantity: 1}] -> held
hold o  customer: o, items: [{seats: [A-3]}] -> held
hold r1  customer: c, items: [{seats: [A-2]}]
    refused unit_taken  items: [{item: 0, asked: 1, given: 0, reason: unit_taken, taken: [A-2]}], own_hold: s
book r2  customer: c, items: [{product: mug, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}], own_hold: n
hold r3  customer: c, items: [{room: double, from: 2026-01-01, to: 2026-01-03, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0, taken: [2026-01-02]}], own_hold: r
hold r4  customer: c, items: [{section: stalls, quantity: 2, together: true}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1}], own_hold: s
# What is somebody else's, or bought, is no hold of one's own.
hold r5  customer: c, items: [{seats: [A-3]}]
    refused unit_taken  items: [{item: 0, asked: 1, given: 0, reason: unit_taken, taken: [A-3]}], own_hold: absent
hold r6  customer: o, items: [{product: mug, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}], own_hold: absent
confirm r7  customer: c, booking: n -> confirmed
hold r8  customer: c, items: [{product: mug, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}], own_hold: m
release r9  customer: c, booking: m -> released
hold r10  customer: c, items: [{product: mug, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1}], own_hold: absent
# An exchange has its own units.
hold r11  customer: c, items: [{product: mug, quantity: 1}] -> held
exchange r12  customer: c, booking: r11, items: [{product: mug, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1}], own_hold: absent
exchange r13  customer: c, booking: s, items: [{product: mug, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}], own_hold: r11
transfer r14  customer: c, to_customer: o, booking: r11 -> transferred
hold r15  customer: o, items: [{product: mug, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}], own_hold: r11
hold r16  customer: c, items: [{product: mug, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}], own_hold: absent
# Without a limit nobody counts what a customer has.
define e  limits: {} -> defined
hold r17  customer: c, items: [{seats: [A-2]}]
    refused unit_taken  items: [{item: 0, asked: 1, given: 0, reason: unit_taken, taken: [A-2]}], own_hold: absent

== A limit names the own hold that counts
define d  $shop, limits: {units_per_customer: 3, units_per_request: 3} -> defined
book b  customer: c, items: [{product: mug, quantity: 1}] -> confirmed
hold r1  customer: c, items: [{product: mug, quantity: 3}]
    refused limit_exceeded  detail: at most 3 units per customer, customer: c, own_hold: absent
hold h  customer: c, items: [{product: mug, quantity: 1}] -> held
hold i  customer: c, items: [{product: cup, quantity: 1}] -> held
hold r2  customer: c, items: [{product: mug, quantity: 1}] -> refused limit_exceeded  customer: c, own_hold: i
hold r3  customer: c, items: [{product: mug, quantity: 4}]
    refused limit_exceeded  detail: at most 3 units per request, customer: c, own_hold: absent
exchange r4  customer: c, booking: i, items: [{product: mug, quantity: 2}] -> refused limit_exceeded  customer: c, own_hold: h
define e  limits: {groups: [{pools: [mug], limit: 2}]} -> defined
hold r5  customer: c, items: [{product: mug, quantity: 1}] -> refused limit_exceeded  customer: c, own_hold: h
define f  limits: {holds_per_customer: 2} -> defined
hold r6  customer: c, items: [{product: mug, quantity: 1}] -> refused limit_exceeded  customer: c, own_hold: i
book r7  customer: c, items: [{product: mug, quantity: 1}] -> confirmed

== Seats that are taken have places for people
# Where the chart has numbers, so has the refusal.
define d  state: open, sections: [{section: s, price: 1, rows: [{row: A, seats: 2, zone: D, numbers: ["7", "8"]}, {row: B, seats: 1}]}] -> defined
hold r1  customer: c, items: [{seats: [A-2]}] -> held
hold r2  customer: c, items: [{seats: [A-2, A-1]}]
    refused unit_taken  items: [{item: 0, asked: 2, given: 0, reason: unit_taken, taken: [A-2], places: ["D, row A, seat 8"]}]
exchange r3  customer: c, booking: r1, items: [{seats: [A-2, B-1]}] -> exchanged
book r4  customer: c, shortage: partial, items: [{seats: [B-1, A-2, A-1]}]
    confirmed  items: [{item: 0, asked: 3, given: 1, reason: unit_taken, taken: [B-1, A-2], places: [B-1, "D, row A, seat 8"]}]

== A quota bounds several pools
define d  state: open, sections: [{section: stalls, rows: [{row: A, seats: 4}]}, {section: pit, capacity: 10}], quotas: [{quota: fire,
    pools: [stalls, pit], limit: 6}]
    defined
book r1  customer: c, items: [{section: pit, quantity: 4}] -> confirmed
book r2  customer: c, items: [{seats: [A-1, A-2, A-3]}]
    refused not_enough  retryable: true, customer: c, items: [{item: 0, asked: 3, given: 0, reason: not_enough, free: 2}]
book r3  customer: c, items: [{section: pit, quantity: 2}, {seats: [A-1]}] -> refused not_enough
block b  items: [{section: pit, quantity: 3}] -> blocked
hold r4  customer: c, items: [{seats: [A-1, A-2]}] -> held
book r5  customer: c, from_block: b, items: [{section: pit, quantity: 1}] -> refused not_enough
exchange r6  customer: c, booking: r4, items: [{section: pit, quantity: 2}] -> exchanged
# Less than is in use: nothing more is given, nothing is taken away.
define e  quotas: [{quota: fire, pools: [stalls, pit], limit: 3}] -> defined
book r7  customer: c, items: [{seats: [A-1]}] -> refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}]
define f  quotas: [{quota: fire, pools: []}] -> defined
book r8  customer: c, items: [{seats: [A-1, A-2, A-3, A-4]}] -> confirmed
define x  quotas: [{quota: new, pools: [pit]}] -> refused bad_chart

== A quota on rooms counts each night
define d  state: open, rooms: [{room: double, from: 2026-01-01, to: 2026-01-09, capacity: 3}, {room: twin, from: 2026-01-01, to: 2026-01-09,
    capacity: 3}], quotas: [{quota: house, pools: [double, twin], limit: 4}]
    defined
book r1  customer: c, items: [{room: double, from: 2026-01-01, to: 2026-01-03, quantity: 3}] -> confirmed
book r2  customer: c, items: [{room: twin, from: 2026-01-02, to: 2026-01-05, quantity: 2}]
    refused not_enough  retryable: true, customer: c, items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1,
        taken: [2026-01-02]}]
book r3  customer: c, items: [{room: twin, from: 2026-01-03, to: 2026-01-05, quantity: 3}] -> confirmed

== A quota below what is sold refuses only more
# More is sold than a quota allows: a stay may be shortened and moved, and nothing is added.
define d  state: open, rooms: [{room: double, from: 2026-01-01, to: 2026-01-09, capacity: 3}, {room: suite, from: 2026-01-01,
    to: 2026-01-09, capacity: 3}], products: [{product: bed, capacity: 9}]
    defined
book b  customer: c, items: [{room: double, from: 2026-01-01, to: 2026-01-04, quantity: 2}] -> confirmed
book o  customer: c, items: [{room: double, from: 2026-01-01, to: 2026-01-04, quantity: 1}] -> confirmed
hold h  customer: c, items: [{product: bed, quantity: 1}] -> held
define e  quotas: [{quota: fit, pools: [double, bed], limit: 2}, {quota: all, pools: [double, suite, bed], limit: 3}] -> defined
book r1  customer: c, items: [{room: double, from: 2026-01-01, to: 2026-01-02, quantity: 1}] -> refused not_enough
exchange r2  customer: c, booking: b, items: [{room: double, from: 2026-01-01, to: 2026-01-03, quantity: 2}] -> exchanged
exchange r3  customer: c, booking: b, items: [{room: double, from: 2026-01-01, to: 2026-01-04, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 0, taken: [2026-01-03]}]
exchange r4  customer: c, booking: b, items: [{room: double, from: 2026-01-01, to: 2026-01-03, quantity: 1}, {room: double,
    from: 2026-01-01, to: 2026-01-03, quantity: 1}]
    exchanged
exchange r5  customer: c, booking: b, items: [{room: suite, from: 2026-01-01, to: 2026-01-03, quantity: 1}, {room: double, from: 2026-01-01,
    to: 2026-01-03, quantity: 1}]
    exchanged
exchange r6  customer: c, booking: b, items: [{room: double, from: 2026-01-01, to: 2026-01-03, quantity: 2}] -> refused not_enough
exchange r7  customer: c, booking: b, items: [{room: suite, from: 2026-01-01, to: 2026-01-04, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1, taken: [2026-01-03]}]
# What has no night counts on each: the hold takes no more than it had.
exchange r8  customer: c, booking: h, items: [{product: bed, quantity: 1}] -> exchanged
exchange r9  customer: c, booking: h, items: [{product: bed, quantity: 2}] -> refused not_enough
exchange r10  customer: c, booking: b, from_hold: h, items: [{room: double, from: 2026-01-01, to: 2026-01-03, quantity: 1}, {room: suite,
    from: 2026-01-01, to: 2026-01-03, quantity: 1}, {product: bed, quantity: 1}]
    exchanged
exchange r11  customer: c, booking: b, items: [{product: bed, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1}]
exchange r12  customer: c, booking: b, items: [{room: suite, from: 2026-01-01, to: 2026-01-03, quantity: 1}] -> exchanged
cancel r13  customer: c, booking: o -> cancelled
book r14  customer: c, items: [{room: double, from: 2026-01-01, to: 2026-01-04, quantity: 2}] -> confirmed
book r15  customer: c, items: [{room: double, from: 2026-01-01, to: 2026-01-02, quantity: 1}] -> refused not_enough

== A quota below what is sold lets seats be swapped
define d  state: open, sections: [{section: stalls, rows: [{row: A, seats: 8}]}, {section: pit, capacity: 10}] -> defined
book b  customer: c, items: [{seats: [A-1, A-2, A-3]}] -> confirmed
hold o  customer: c, ttl_s: 1, items: [{section: pit, quantity: 3}] -> held
block k  items: [{section: pit, quantity: 3}] -> blocked
define e  quotas: [{quota: fire, pools: [stalls, pit], limit: 2}] -> defined
exchange r1  customer: c, booking: b, items: [{seats: [A-6, A-7, A-8]}] -> exchanged
exchange r2  customer: c, booking: b, items: [{section: stalls, quantity: 3, together: true}]
    exchanged  units: [{item: 0, section: stalls, seats: [A-6, A-7, A-8], price: 0}]
exchange r3  customer: c, booking: b, items: [{section: pit, quantity: 1}, {seats: [A-7, A-8]}] -> exchanged
exchange r4  customer: c, booking: b, items: [{section: pit, quantity: 4}]
    refused not_enough  items: [{item: 0, asked: 4, given: 0, reason: not_enough, free: 3}]
exchange r5  customer: c, booking: b, items: [{seats: [A-1, A-2, A-3, A-4]}]
    refused not_enough  items: [{item: 0, asked: 4, given: 0, reason: not_enough, free: 3}]
hold r6  customer: c, from_block: k, items: [{section: pit, quantity: 1}] -> refused not_enough
after 1s -> expired
# It adds to what is sold.
confirm r7  customer: c, booking: o -> refused hold_expired
exchange r8  customer: c, booking: b, items: [{seats: [A-7]}] -> exchanged
book r9  customer: c, items: [{section: pit, quantity: 2}] -> refused not_enough
book r10  customer: c, items: [{section: pit, quantity: 1}] -> confirmed

== It sells from a time to a time
define d  state: open, opens_at: @20s, closes_at: @1m20s, products: [{product: mug, capacity: 50}] -> defined
hold r1  customer: c, items: [{product: mug, quantity: 1}]
    refused not_on_sale  retryable: true, detail: on sale from 1970-01-01T00:17:00.000Z, customer: c, state: open, opens_at: @20s,
        closes_at: @1m20s, decided_at: @0s
after 20s -> nothing
hold r2  customer: c, items: [{product: mug, quantity: 1}] -> held
after 59s999ms -> nothing
hold r3  customer: c, items: [{product: mug, quantity: 1}] -> held
after 1ms -> nothing
hold r4  customer: c, items: [{product: mug, quantity: 1}]
    refused not_on_sale  retryable: true, detail: on sale until 1970-01-01T00:18:00.000Z
confirm r5  customer: c, booking: r3 -> confirmed
exchange r6  customer: c, booking: r3, items: [{product: mug, quantity: 2}]
    refused not_on_sale  retryable: true, detail: on sale until 1970-01-01T00:18:00.000Z
probe p -> alive  state: open, opens_at: @20s

== What has ended is not sold
define d  state: open, ends_at: @20s, products: [{product: mug, capacity: 9}] -> defined
after 19s999ms -> nothing
hold r1  customer: c, items: [{product: mug, quantity: 1}] -> held
hold w  customer: c, items: [{product: mug, quantity: 9}], wait_until: 1970-02-01T00:00:00Z -> waiting  expires_at: @20s
after 1ms -> left  booking: w
book r2  customer: c, items: [{product: mug, quantity: 1}]
    refused not_on_sale  retryable: false, detail: it ended at 1970-01-01T00:17:00.000Z, customer: c, state: open, decided_at: @20s
book r3  customer: c, items: [{product: mug, quantity: 1}], force: true -> confirmed
cancel r4  customer: c, booking: r3 -> cancelled
release r5  customer: c, booking: r1 -> released
probe p -> alive  waiting: 0

== What has ended is not sold in other ways
# Nor to who exchanges, comes late, or would wait for it.
define d  state: open, ends_at: @20s, products: [{product: mug, capacity: 3}] -> defined
book r1  customer: c, items: [{product: mug, quantity: 1}] -> confirmed
hold r2  customer: c, items: [{product: mug, quantity: 1}], ttl_s: 5 -> held
hold r3  customer: c, items: [{product: mug, quantity: 1}], ttl_s: 60 -> held
after 20s -> expired
exchange r4  customer: c, booking: r1, items: [{product: mug, quantity: 2}]
    refused not_on_sale  retryable: false, detail: it ended at 1970-01-01T00:17:00.000Z, booking: r1, customer: c, state: open,
        decided_at: @20s
exchange r5  customer: c, booking: r1, items: [{product: mug, quantity: 2}], force: true -> exchanged
confirm r6  customer: c, booking: r2 -> refused hold_expired  retryable: false, detail: it ended at 1970-01-01T00:17:00.000Z
# It was held in time.
confirm r7  customer: c, booking: r3 -> confirmed
hold r8  customer: c, items: [{product: mug, quantity: 1}], force: true, wait_until: 1970-02-01T00:00:00Z -> refused not_enough

== Nights before today are not sold where the place is known
define d  $hotel -> defined
book r1  customer: c, items: [{room: double, from: 1970-01-01, to: 1970-01-03, quantity: 1}] -> confirmed
after 1d22h33m19s999ms -> nothing
book r2  customer: c, items: [{room: double, from: 1970-01-02, to: 1970-01-03, quantity: 1}] -> confirmed
# In Rome it is an hour later.
after 10m1ms -> nothing
book r3  customer: c, items: [{room: double, from: 1970-01-01, to: 1970-01-04, quantity: 1}]
    refused not_on_sale  retryable: false, detail: "it is 1970-01-03 in Europe/Rome, earlier nights are over", customer: c,
        items: [{item: 0, asked: 1, given: 0, reason: not_on_sale, taken: [1970-01-01, 1970-01-02]}], state: open
book r4  customer: c, items: [{room: double, from: 1970-01-03, to: 1970-01-04, quantity: 1}] -> confirmed
book r5  customer: c, items: [{room: double, from: 1970-01-01, to: 1970-01-02, quantity: 1}], force: true -> confirmed
exchange r6  customer: c, booking: r1, items: [{room: double, from: 1970-01-01, to: 1970-01-02, quantity: 1}] -> exchanged

== Nights that are over are kept and not added
define d  $hotel -> defined
book r1  customer: c, items: [{room: double, from: 1970-01-01, to: 1970-01-04, quantity: 1}] -> confirmed
hold r2  customer: c, items: [{room: double, from: 1970-01-02, to: 1970-01-04, quantity: 1}], ttl_s: 60 -> held
# To 1970-01-02T23:30Z, the 3rd in Rome.
after 1d23h13m20s -> expired
exchange r3  customer: c, booking: r1, items: [{room: double, from: 1970-01-01, to: 1970-01-05, quantity: 1}] -> exchanged
exchange r4  customer: c, booking: r1, items: [{room: double, from: 1970-01-01, to: 1970-01-03, quantity: 1}] -> exchanged
exchange r5  customer: c, booking: r1, items: [{room: double, from: 1970-01-01, to: 1970-01-02, quantity: 1}, {room: double,
    from: 1970-01-01, to: 1970-01-04, quantity: 1}]
    refused not_on_sale  retryable: false, detail: "it is 1970-01-03 in Europe/Rome, earlier nights are over", booking: r1, customer: c,
        items: [{item: 1, asked: 1, given: 0, reason: not_on_sale, taken: [1970-01-01]}], state: open
confirm r6  customer: c, booking: r2
    refused hold_expired  retryable: false, detail: "it is 1970-01-03 in Europe/Rome, earlier nights are over", booking: r2, customer: c,
        items: [{item: 0, asked: 1, given: 0, reason: not_on_sale, taken: [1970-01-02]}]
hold r7  customer: c, items: [{room: double, from: 1970-01-02, to: 1970-01-04, quantity: 2}], force: true, wait_until: 1970-02-01T00:00:00Z
    refused not_enough

== Nobody knows the date of no place
define d  state: open, rooms: [{room: double, from: 1970-01-01, to: 1970-01-09, capacity: 2}] -> defined
after 3d11h20m -> nothing
book r1  customer: c, items: [{room: double, from: 1970-01-01, to: 1970-01-03, quantity: 1}] -> confirmed

== More is sold than there is up to a cap
define d  state: open, rooms: [{room: double, from: 2026-01-01, to: 2026-01-03, capacity: 2, overbook: 1}] -> defined
book r1  customer: c, items: [{room: double, from: 2026-01-01, to: 2026-01-03, quantity: 1}]
    confirmed  total: 0, decided_at: @0s, currency: absent
book r2  customer: c, items: [{room: double, from: 2026-01-01, to: 2026-01-03, quantity: 2}] -> confirmed  overbooked: 2
book r3  customer: c, items: [{room: double, from: 2026-01-01, to: 2026-01-02, quantity: 1}] -> refused not_enough
define x  sections: [{section: s, rows: [{row: A, seats: 2}], overbook: 1}] -> refused bad_chart
# What was not said stays: 1 beyond; 3 are taken.
define y  rooms: [{room: double, from: 2026-01-01, to: 2026-01-02, capacity: 1}] -> refused in_use

== Capacity follows what is taken
# Numbers come and go; what counts is how many.
define d  state: open, products: [{product: mug, capacity: 10}] -> defined
book r1  customer: c, items: [{product: mug, quantity: 8}] -> confirmed  free: 2
book r2  customer: c, items: [{product: mug, quantity: 2}] -> confirmed  free: 0
cancel r3  customer: c, booking: r1 -> cancelled  free: 8
define e  products: [{product: mug, capacity: 5}] -> defined
book r4  customer: c, items: [{product: mug, quantity: 4}] -> refused not_enough
book r5  customer: c, items: [{product: mug, quantity: 3}] -> confirmed  free: 0
cancel r6  customer: c, booking: r2 -> cancelled  free: 2
book r7  customer: c, items: [{product: mug, quantity: 2}] -> confirmed  free: 0
exchange r8  customer: c, booking: r7, items: [{product: mug, quantity: 1}] -> exchanged  free: 1
exchange r9  customer: c, booking: r7, items: [{product: mug, quantity: 3}] -> refused not_enough
define x  products: [{product: mug, capacity: 3}] -> refused in_use
define f  products: [{product: mug, capacity: 20}] -> defined
book r10  customer: c, items: [{product: mug, quantity: 16}] -> confirmed  free: 0

== A part is better than nothing if the request says so
define d  state: open, sections: [{section: stalls, rows: [{row: A, seats: 5}]}], products: [{product: mug, capacity: 3}],
    rooms: [{room: double, from: 2026-01-01, to: 2026-01-04, capacity: 2}, {room: double, from: 2026-01-02, to: 2026-01-03, capacity: 1}]
    defined
book r1  customer: c, items: [{seats: [A-3]}] -> confirmed
book r2  customer: c, shortage: partial, items: [{seats: [A-2, A-3]}, {product: mug, quantity: 5}, {room: double, from: 2026-01-01,
    to: 2026-01-04, quantity: 2}, {product: none, quantity: 1}]
    confirmed  items: [{item: 0, asked: 2, given: 1, reason: unit_taken, taken: [A-3]}, {item: 1, asked: 5, given: 3, reason: not_enough,
        free: 3}, {item: 2, asked: 2, given: 1, reason: not_enough, free: 1, taken: [2026-01-02]}, {item: 3, asked: 1, given: 0,
        reason: unknown_pool, unknown: none, known: [mug]}], total: 0
book r3  customer: c, shortage: partial, items: [{section: stalls, quantity: 3, together: true}]
    confirmed  units: [{item: 0, section: stalls, seats: [A-4, A-5], price: 0}], items: [{item: 0, asked: 3, given: 2, reason: not_together,
        free: 3}], together: true
book r4  customer: c, shortage: partial, items: [{product: mug, quantity: 1}]
    refused not_enough  retryable: true, customer: c, items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}]
# The same product twice adds up.
cancel r5  customer: c, booking: r2 -> cancelled
book r6  customer: c, items: [{product: mug, quantity: 2}, {product: mug, quantity: 2}]
    refused not_enough  items: [{item: 1, asked: 2, given: 0, reason: not_enough, free: 1}]

== The first acceptable section serves
define d  state: open, sections: [{section: a, rows: [{row: A, seats: 3}]}, {section: b, rows: [{row: B, seats: 4}]}, {section: c,
    capacity: 3}]
    defined
# Of 3 seats a pair would leave an orphan: the next section is as good.
book r1  customer: c, items: [{sections: [a, b], quantity: 2}] -> confirmed  units: [{item: 0, section: b, seats: [B-1, B-2], price: 0}]
book r2  customer: c, items: [{sections: [a, b], quantity: 3}]
    confirmed  units: [{item: 0, section: a, seats: [A-1, A-2, A-3], price: 0}]
book r3  customer: c, items: [{sections: [a, b, c], quantity: 3}] -> confirmed  units: [{item: 0, section: c, quantity: 3, price: 0}]
book r4  customer: c, items: [{sections: [a, b, c], quantity: 3}]
    refused not_enough  items: [{item: 0, asked: 3, given: 0, reason: not_enough, free: 2}]
book r5  customer: c, items: [{sections: [b, x], quantity: 1}] -> refused unknown_pool

== What is free in one section tells the reason
# Whichever section would give most: there are enough in one, but not beside each other.
define d  state: open, sections: [{section: a, rows: [{row: A, seats: 5}]}, {section: b, rows: [{row: B, seats: 2}]}] -> defined
book r1  customer: c, items: [{seats: [A-2, A-4]}] -> confirmed
book r2  customer: c, items: [{sections: [a, b], quantity: 3, together: true}]
    refused not_together  items: [{item: 0, asked: 3, given: 0, reason: not_together, free: 3}]

== Seats have features
define d  state: open, sections: [{section: a, rows: [{row: A, seats: 6, features: {aisle: [1, 6], restricted_view: [3, 4]}}]}] -> defined
book r1  customer: c, items: [{section: a, quantity: 1, features: [aisle]}]
    confirmed  units: [{item: 0, section: a, seats: [A-1], price: 0}]
book r2  customer: c, items: [{section: a, quantity: 2, avoid: [restricted_view]}]
    confirmed  units: [{item: 0, section: a, seats: [A-5, A-6], price: 0}]
book r3  customer: c, items: [{section: a, quantity: 1, features: [aisle]}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}]
book r4  customer: c, items: [{section: a, quantity: 1, features: [accessible]}]
    refused unknown_feature  items: [{item: 0, asked: 1, given: 0, reason: unknown_feature, unknown: accessible, known: [aisle,
        restricted_view]}]
book r5  customer: c, items: [{section: a, quantity: 3}] -> confirmed  units: [{item: 0, section: a, seats: [A-2, A-3, A-4], price: 0}]
# What a booking has is kept only where the item accepts it.
exchange r6  customer: c, booking: r5, items: [{section: a, quantity: 1, avoid: [restricted_view]}]
    exchanged  units: [{item: 0, section: a, seats: [A-2], price: 0}]
block b  items: [{seats: [A-3]}] -> blocked
book r7  customer: c, from_block: b, items: [{section: a, quantity: 1, avoid: [restricted_view]}]
    refused not_enough  retryable: true, customer: c, items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}]
