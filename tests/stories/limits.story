# What a resource is sold under: limits on one request and on one customer, and quotas on what all have together.

let hotel  state: open, currency: GBP, rooms: [{room: double, from: 2026-12-20, to: 2026-12-30, capacity: 3, price: 12900}, {room: double,
    from: 2026-12-24, to: 2026-12-27, price: 18900}, {room: single, from: 2026-12-20, to: 2026-12-25, capacity: 2, price: 8000}]
let floor  state: open, sections: [{section: floor, capacity: 40, price: 1000}, {section: gallery, capacity: 40, price: 800}],
    products: [{product: programme, capacity: 40, price: 500}]

== A room for three nights is three units
define r1  $hotel, limits: {units_per_request: 5} -> defined
book r2  customer: g, items: [{room: double, from: 2026-12-20, to: 2026-12-23, quantity: 2}]
    refused limit_exceeded  retryable: true, detail: at most 5 units per request
book r3  customer: g, items: [{room: double, from: 2026-12-20, to: 2026-12-25, quantity: 1}] -> confirmed

== Limits come before what is there
# Judged on what is asked, before units are looked for; but after whether it is on sale.
define r1  $floor, limits: {units_per_request: 4} -> defined
hold r2  customer: c, items: [{section: pit, quantity: 5}] -> refused limit_exceeded  retryable: true, detail: at most 4 units per request
hold r3  customer: c, items: [{section: floor, quantity: 4}, {seats: [Z-1]}]
    refused limit_exceeded  retryable: true, detail: at most 4 units per request
hold r4  customer: c, items: [{section: floor, quantity: 41}]
    refused limit_exceeded  retryable: true, detail: at most 4 units per request
close r5 -> defined
hold r6  customer: c, items: [{section: floor, quantity: 5}] -> refused not_on_sale  retryable: true, detail: closed

== Units of a customer
# What is held and sold, with what is asked; not what went back.
define r1  $floor, limits: {units_per_customer: 4} -> defined
hold r2  customer: c, items: [{section: floor, quantity: 2}] -> held
book r3  customer: c, items: [{section: gallery, quantity: 1}] -> confirmed
hold r4  customer: c, items: [{section: floor, quantity: 2}]
    refused limit_exceeded  retryable: true, detail: at most 4 units per customer
hold r5  customer: d, items: [{section: floor, quantity: 4}] -> held
book r6  customer: c, items: [{section: floor, quantity: 1}] -> confirmed
book r7  customer: c, items: [{section: floor, quantity: 1}]
    refused limit_exceeded  retryable: true, detail: at most 4 units per customer
release r8  customer: c, booking: r2 -> released
book r9  customer: c, items: [{section: floor, quantity: 2}] -> confirmed

== An exchange counts without what it gives back
define r1  $floor, limits: {units_per_customer: 4} -> defined
hold r2  customer: c, items: [{section: floor, quantity: 4}] -> held
exchange r3  customer: c, booking: r2, items: [{section: gallery, quantity: 4}] -> exchanged
exchange r4  customer: c, booking: r2, items: [{section: gallery, quantity: 5}]
    refused limit_exceeded  retryable: true, detail: at most 4 units per customer

== Holds of a customer
# Open holds only; a book is none.
define r1  $floor, limits: {holds_per_customer: 2} -> defined
hold r2  customer: c, items: [{section: floor, quantity: 1}] -> held
hold r3  customer: c, items: [{section: floor, quantity: 1}] -> held
hold r4  customer: c, items: [{section: floor, quantity: 1}]
    refused limit_exceeded  retryable: true, detail: at most 2 open holds per customer
book r5  customer: c, items: [{section: floor, quantity: 1}] -> confirmed
confirm r6  customer: c, booking: r2 -> confirmed
hold r7  customer: c, items: [{section: floor, quantity: 1}] -> held

== Units over a group of pools
define r1  $floor, limits: {groups: [{pools: [floor, gallery], limit: 3}, {pools: [programme], limit: 1}]} -> defined
book r2  customer: c, items: [{section: floor, quantity: 2}, {product: programme, quantity: 1}] -> confirmed
book r3  customer: c, items: [{section: gallery, quantity: 2}]
    refused limit_exceeded  retryable: true, detail: "at most 3 units of \"floor\" and the pools of its group together per customer"
book r4  customer: c, items: [{product: programme, quantity: 1}]
    refused limit_exceeded  retryable: true, detail: "at most 1 unit of \"programme\" per customer"
book r5  customer: c, items: [{section: gallery, quantity: 1}] -> confirmed
book r6  customer: d, items: [{section: floor, quantity: 3}, {product: programme, quantity: 1}] -> confirmed

== A transfer is judged by what the new customer has
define r1  $floor, limits: {units_per_customer: 3, holds_per_customer: 1} -> defined
book r2  customer: giver, items: [{section: floor, quantity: 2}] -> confirmed
hold r3  customer: giver, items: [{section: floor, quantity: 1}] -> held
book r4  customer: full, items: [{section: floor, quantity: 2}] -> confirmed
hold r5  customer: holding, items: [{section: floor, quantity: 1}] -> held
transfer r6  customer: giver, booking: r2, to_customer: full
    refused limit_exceeded  retryable: true, detail: at most 3 units per customer
transfer r7  customer: giver, booking: r3, to_customer: holding
    refused limit_exceeded  retryable: true, detail: at most 1 open hold per customer
transfer r8  customer: giver, booking: r3, to_customer: full -> transferred
transfer r9  customer: giver, booking: r2, to_customer: holding -> transferred
hold r10  customer: giver, items: [{section: floor, quantity: 3}] -> held

== Limits replace all limits
define r1  $floor, limits: {units_per_request: 4, units_per_customer: 4} -> defined
define r2  limits: {units_per_request: 6} -> defined
book r3  customer: c, items: [{section: floor, quantity: 6}] -> confirmed
define r4  name: only the name -> defined
book r5  customer: d, items: [{section: floor, quantity: 7}] -> refused limit_exceeded  retryable: true, detail: at most 6 units per request
define r6  limits: {} -> defined
book r7  customer: c, items: [{section: floor, quantity: 20}] -> confirmed

== A quota is over several pools
define r1  $floor, quotas: [{quota: hall, pools: [floor, gallery], limit: 10}] -> defined
hold r2  customer: c, items: [{section: floor, quantity: 6}] -> held  units: [{item: 0, section: floor, quantity: 6, price: 1000}]
book r3  customer: d, items: [{section: gallery, quantity: 1}, {product: programme, quantity: 9}]
    confirmed  units: [{item: 0, section: gallery, quantity: 1, price: 800}, {item: 1, product: programme, quantity: 9, price: 500}]
book r4  customer: e, items: [{product: programme, quantity: 9}, {section: gallery, quantity: 4}]
    refused not_enough  items: [{item: 1, asked: 4, given: 0, reason: not_enough, free: 3}]
book r5  customer: e, items: [{section: floor, quantity: 2}, {section: gallery, quantity: 2}]
    refused not_enough  items: [{item: 1, asked: 2, given: 0, reason: not_enough, free: 1}]
book r6  customer: e, items: [{section: floor, quantity: 9}], shortage: partial
    confirmed  units: [{item: 0, section: floor, quantity: 3, price: 1000}], items: [{item: 0, asked: 9, given: 3, reason: not_enough,
        free: 3}]
probe r7
    alive  pools: [{section: floor, free: 0, held: 6, sold: 3, blocked: 0, total: 40, rates: {standard: 1000}}, {section: gallery, free: 0,
        held: 0, sold: 1, blocked: 0, total: 40, rates: {standard: 800}}, {product: programme, free: 31, held: 0, sold: 9, blocked: 0,
        total: 40, rates: {standard: 500}}]

== What goes back can be had again under a quota
define r1  $floor, quotas: [{quota: hall, pools: [floor, gallery], limit: 4}] -> defined
hold r2  customer: c, items: [{section: floor, quantity: 4}] -> held
book r3  customer: d, items: [{section: gallery, quantity: 1}] -> refused not_enough
exchange r4  customer: c, booking: r2, items: [{section: gallery, quantity: 4}] -> exchanged
exchange r5  customer: c, booking: r2, items: [{section: gallery, quantity: 5}] -> refused not_enough
release r6  customer: c, booking: r2 -> released
book r7  customer: d, items: [{section: gallery, quantity: 4}] -> confirmed

== A quota on room types counts each night
define r1  $hotel, quotas: [{quota: keys, pools: [double, single], limit: 3}] -> defined
book r2  customer: g, items: [{room: double, from: 2026-12-20, to: 2026-12-22, quantity: 2}, {room: single, from: 2026-12-21,
    to: 2026-12-23, quantity: 1}]
    confirmed
book r3  customer: h, items: [{room: single, from: 2026-12-20, to: 2026-12-23, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0, taken: [2026-12-21]}]
book r4  customer: h, items: [{room: single, from: 2026-12-20, to: 2026-12-21, quantity: 1}] -> confirmed
book r5  customer: h, items: [{room: double, from: 2026-12-22, to: 2026-12-24, quantity: 2}] -> confirmed
book r6  customer: h, items: [{room: double, from: 2026-12-22, to: 2026-12-23, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0, taken: [2026-12-22]}]

== Seats that are chosen and named count under a quota
define r1  state: open, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]
    defined
define r2  quotas: [{quota: house, pools: [stalls, balcony], limit: 3}] -> defined
book r3  customer: c, items: [{seats: [A-1, BA-11]}] -> confirmed
book r4  customer: d, items: [{seats: [A-2, BA-12]}] -> refused not_enough
book r5  customer: d, items: [{section: stalls, quantity: 2}] -> refused not_enough
book r6  customer: d, items: [{section: balcony, quantity: 2}] -> refused not_enough
book r7  customer: d, items: [{seats: [A-2]}] -> confirmed

== Quotas merge by name
define r1  $floor, quotas: [{quota: a, pools: [floor], limit: 2}, {quota: b, pools: [gallery], limit: 2}] -> defined
define r2  quotas: [{quota: a, pools: [floor], limit: 5}] -> defined
book r3  customer: c, items: [{section: floor, quantity: 5}, {section: gallery, quantity: 2}] -> confirmed
define r4  quotas: [{quota: b, pools: [programme]}] -> defined
book r5  customer: c, items: [{section: gallery, quantity: 9}, {product: programme, quantity: 2}] -> confirmed
book r6  customer: c, items: [{product: programme, quantity: 1}] -> refused not_enough
define r7  quotas: [{quota: b, pools: []}] -> defined
book r8  customer: c, items: [{product: programme, quantity: 9}] -> confirmed
book r9  customer: c, items: [{section: floor, quantity: 1}] -> refused not_enough

-- On the floor
define r1  $floor, limits: {units_min: 2, units_per_request: 4} -> defined

== Units of a request (hold)
# Counted over all items, nights singly; of an exchange, its whole new content.
hold r2  customer: c, items: [{section: floor, quantity: 1}]
    refused limit_exceeded  retryable: true, detail: at least 2 units per request
hold r3  customer: c, items: [{section: floor, quantity: 2}] -> held  units: [{item: 0, section: floor, quantity: 2, price: 1000}]
hold r4  customer: c, items: [{section: floor, quantity: 5}] -> refused limit_exceeded  retryable: true, detail: at most 4 units per request
hold r5  customer: c, items: [{section: floor, quantity: 3}, {product: programme, quantity: 2}]
    refused limit_exceeded  retryable: true, detail: at most 4 units per request
hold r6  customer: c, items: [{section: floor, quantity: 3}, {product: programme, quantity: 1}]
    held  units: [{item: 0, section: floor, quantity: 3, price: 1000}, {item: 1, product: programme, quantity: 1, price: 500}]

== Units of a request (book)
# Counted over all items, nights singly; of an exchange, its whole new content.
book r2  customer: c, items: [{section: floor, quantity: 1}]
    refused limit_exceeded  retryable: true, detail: at least 2 units per request
book r3  customer: c, items: [{section: floor, quantity: 2}] -> confirmed  units: [{item: 0, section: floor, quantity: 2, price: 1000}]
book r4  customer: c, items: [{section: floor, quantity: 5}] -> refused limit_exceeded  retryable: true, detail: at most 4 units per request
book r5  customer: c, items: [{section: floor, quantity: 3}, {product: programme, quantity: 2}]
    refused limit_exceeded  retryable: true, detail: at most 4 units per request
book r6  customer: c, items: [{section: floor, quantity: 3}, {product: programme, quantity: 1}]
    confirmed  units: [{item: 0, section: floor, quantity: 3, price: 1000}, {item: 1, product: programme, quantity: 1, price: 500}]

== Units of a request (exchange)
# Counted over all items, nights singly; of an exchange, its whole new content.
hold r2  customer: c, items: [{section: floor, quantity: 2}] -> held  units: [{item: 0, section: floor, quantity: 2, price: 1000}]
exchange r3  customer: c, items: [{section: floor, quantity: 1}], booking: r2
    refused limit_exceeded  retryable: true, detail: at least 2 units per request
exchange r4  customer: c, items: [{section: floor, quantity: 2}], booking: r2
    exchanged  units: [{item: 0, section: floor, quantity: 2, price: 1000}]
exchange r5  customer: c, items: [{section: floor, quantity: 5}], booking: r2
    refused limit_exceeded  retryable: true, detail: at most 4 units per request
exchange r6  customer: c, items: [{section: floor, quantity: 3}, {product: programme, quantity: 2}], booking: r2
    refused limit_exceeded  retryable: true, detail: at most 4 units per request
exchange r7  customer: c, items: [{section: floor, quantity: 3}, {product: programme, quantity: 1}], booking: r2
    exchanged  units: [{item: 0, section: floor, quantity: 3, price: 1000}, {item: 1, product: programme, quantity: 1, price: 500}]

== What is not judged by the limits of a request
block r2  items: [{section: floor, quantity: 1}] -> blocked
block r3  items: [{section: floor, quantity: 9}] -> blocked
hold r4  customer: c, items: [{section: floor, quantity: 2}] -> held
confirm r5  customer: c, booking: r4, items: [{section: floor, quantity: 1}] -> confirmed

-- On the floor
define r1  $floor -> defined

== Limits name pools that there are
define r2  limits: {groups: [{pools: [floor, pit], limit: 3}]} -> refused bad_chart  detail: "unknown pool \"pit\" in limits or quotas"
define r3  sections: [{section: gallery, capacity: 0}] -> defined
define r4  limits: {groups: [{pools: [floor, gallery], limit: 3}]} -> defined

== A customer may have what a request must ask for
define r2  limits: {units_min: 3, units_per_customer: 2} -> invalid malformed
define r3  limits: {units_min: 3, units_per_customer: 3} -> defined
book r4  customer: c, items: [{section: floor, quantity: 3}] -> confirmed
# A group matters if nothing on sale is outside of it.
let all  pools: [floor, gallery, programme]
define r5  limits: {units_min: 3, groups: [{$all, limit: 2}]}
    refused bad_chart  detail: "a group has all pools, and its limit, 2, is below units_min, 3"
define r6  limits: {units_min: 3, groups: [{$all, limit: 3}, {pools: [floor], limit: 2}]} -> defined
book r7  customer: d, items: [{section: floor, quantity: 2}, {section: gallery, quantity: 1}] -> confirmed
define r8  sections: [{section: pit, capacity: 4}], limits: {units_min: 3, groups: [{$all, limit: 2}]} -> defined
define r9  sections: [{section: pit, capacity: 0}], limits: {units_min: 3, groups: [{$all, limit: 2}]} -> refused bad_chart
# A define without limits is not held against them.
define r10  sections: [{section: pit, capacity: 0}] -> defined

== A quota below what is sold gives nothing more
book r2  customer: c, items: [{section: floor, quantity: 5}] -> confirmed
define r3  quotas: [{quota: a, pools: [floor], limit: 3}] -> defined
book r4  customer: d, items: [{section: floor, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}]
exchange r5  customer: c, booking: r2, items: [{section: floor, quantity: 3}] -> exchanged

== A new quota has a limit and pools that there are
define r2  quotas: [{quota: a, pools: [floor]}] -> refused bad_chart  detail: "there is no quota \"a\" yet: a new one needs a limit"
define r3  quotas: [{quota: a, pools: [pit], limit: 3}] -> refused bad_chart  detail: "unknown pool \"pit\" in limits or quotas"
book r4  customer: c, items: [{section: floor, quantity: 9}] -> confirmed
