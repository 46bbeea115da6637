# The waiting list: who joins it, who is served when units return, and who is not.

== A party waits and is served
define d  state: open, products: [{product: mug, capacity: 4, price: 800}] -> defined
book a  customer: c, items: [{product: mug, quantity: 3}] -> confirmed
hold w1  customer: c, ttl_s: 60, wait_until: @43m20s, items: [{product: mug, quantity: 2}]
    waiting  booking: w1, customer: c, expires_at: @43m20s, position: 1
hold w2  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 4}] -> waiting  position: 2
hold w3  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 2}] -> waiting  position: 3
# A newcomer may have what no party on the list can use.
hold n  customer: c, items: [{product: mug, quantity: 1}] -> held
confirm r1  customer: c, booking: w1 -> refused not_held
# Of 1, the third party cannot have 2.
cancel r2  customer: c, booking: a -> cancelled
    held  cause: waiting_list, booking: w1, customer: c, units: [{item: 0, product: mug, quantity: 2, price: 800}], total: 1600,
        expires_at: @1m
    nothing
release r3  customer: c, booking: n -> released
    held  cause: waiting_list, booking: w3
# The second does not fit and is passed over; it keeps its place.
confirm r4  customer: c, booking: w3 -> confirmed
after 1m -> expired  cause: expiry, booking: w1
    nothing
cancel r5  customer: c, booking: w3 -> cancelled
    held  booking: w2
hold r6  customer: c, items: [{product: mug, quantity: 1}] -> refused not_enough

== Parties that leave or expire are gone
define d  state: open, products: [{product: mug, capacity: 4, price: 800}] -> defined
book a  customer: c, items: [{product: mug, quantity: 4}] -> confirmed
hold w1  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 2}] -> waiting  position: 1
hold w2  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 2}] -> waiting  position: 2
leave r1  customer: d, booking: w1 -> refused not_owner
leave r2  customer: c, booking: w1 -> left  booking: w1, customer: c
leave r3  customer: c, booking: w1 -> refused not_waiting
leave r4  customer: c, booking: a -> refused not_waiting
# A time gone by.
hold w3  customer: c, wait_until: @-16m39s, items: [{product: mug, quantity: 2}] -> refused not_enough
after 1h -> left  cause: expiry, booking: w2
cancel r5  customer: c, booking: a -> cancelled
    nothing

== Mistakes are not waited for
# A hold waits only for what time can change.
define d  state: open, products: [{product: mug, capacity: 4, price: 800}], limits: {units_per_request: 3} -> defined
hold r1  customer: c, wait_until: @43m20s, items: [{product: cup, quantity: 1}] -> refused unknown_pool
hold r2  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 4}] -> refused limit_exceeded
hold r3  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 1, rate: x}] -> refused unknown_rate
close c -> defined
hold r4  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 3}] -> refused not_on_sale

== Whatever makes room serves the list
# Every way in which units return, or a limit gets room.
define d  state: open, products: [{product: mug, capacity: 4, price: 800}], limits: {holds_per_customer: 2} -> defined
book a  customer: a, items: [{product: mug, quantity: 2}] -> confirmed
block b  items: [{product: mug, quantity: 2}] -> blocked
hold w1  customer: w, wait_until: @43m20s, items: [{product: mug, quantity: 1}] -> waiting  position: 1
hold w2  customer: w, wait_until: @43m20s, items: [{product: mug, quantity: 1}] -> waiting  position: 2
hold w3  customer: w, wait_until: @43m20s, items: [{product: mug, quantity: 1}] -> waiting  position: 3
exchange r1  customer: a, booking: a, items: [{product: mug, quantity: 1}] -> exchanged
    held  booking: w1
    nothing
# A third hold would be one too many.
unblock r2  booking: b -> released
    held  booking: w2
    nothing
confirm r3  customer: w, booking: w1 -> confirmed
    held  booking: w3
hold w4  customer: x, wait_until: @43m20s, items: [{product: mug, quantity: 2}] -> waiting  position: 1
define r4  products: [{product: mug, capacity: 6}] -> defined
    held  booking: w4
hold w5  customer: y, wait_until: @43m20s, items: [{product: mug, quantity: 1}] -> waiting  position: 1
transfer r5  customer: w, to_customer: z, booking: w2 -> transferred
    nothing
confirm r6  customer: z, booking: w2, items: [{product: mug, quantity: 1}] -> confirmed
close r7 -> defined
# Nothing is given while nothing is sold.
cancel r8  customer: z, booking: w2 -> cancelled
    nothing
open r9 -> defined
    held  booking: w5

== A hold expires, and a party gets its units
define d  state: open, products: [{product: mug, capacity: 4, price: 800}] -> defined
hold h  customer: c, ttl_s: 60, items: [{product: mug, quantity: 4}] -> held
hold w  customer: d, wait_until: @1h, items: [{product: mug, quantity: 2}] -> waiting  position: 1
after 1m -> expired  cause: expiry, booking: h
    held  cause: waiting_list, booking: w
    nothing

== A party is served below its limit when a booking goes to another customer
define d  state: open, products: [{product: mug, capacity: 4, price: 800}], limits: {units_per_customer: 3} -> defined
book a  customer: a, items: [{product: mug, quantity: 2}] -> confirmed
book b  customer: b, items: [{product: mug, quantity: 2}] -> confirmed
hold w  customer: w, wait_until: @1h, items: [{product: mug, quantity: 2}] -> waiting  position: 1
transfer r1  customer: a, booking: a, to_customer: w -> transferred
cancel r2  customer: b, booking: b -> cancelled
    nothing
transfer r3  customer: w, booking: a, to_customer: c -> transferred
    held  cause: waiting_list, booking: w
    nothing

== Who waits is served when the sale opens
# Time opens a sale too: the list comes before whoever asks then.
define d  state: open, products: [{product: mug, capacity: 4, price: 800}] -> defined
book a  customer: c, items: [{product: mug, quantity: 4}] -> confirmed
hold w  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 3}] -> waiting  position: 1
define e  opens_at: @20s -> defined
cancel r1  customer: c, booking: a -> cancelled
    nothing
hold r2  customer: c, items: [{product: mug, quantity: 2}] -> refused not_on_sale
later 20s
hold r3  customer: c, items: [{product: mug, quantity: 2}] -> refused not_enough
confirm r4  customer: c, booking: w -> confirmed

== Who can no longer be served is told so
# What a define takes away is not waited for: whoever could not be served if all were free is told so at once, and leaves the list, the
# oldest first; the others stay.
define d  state: open, products: [{product: mug, capacity: 4, price: 800}], sections: [{section: hall, rates: {adult: 2, child: 1},
    rows: [{row: A, seats: 3, features: {aisle: [1, 3]}}, {row: B, seats: 3}]}], rooms: [{room: twin, from: 2026-01-01, to: 2026-01-04,
    capacity: 3}]
    defined
book a  customer: c, items: [{product: mug, quantity: 1}, {seats: [A-2, A-3, B-2]}, {room: twin, from: 2026-01-01, to: 2026-01-03,
    quantity: 1}]
    confirmed
hold w1  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 4}] -> waiting  position: 1
hold w2  customer: c, wait_until: @43m20s, items: [{section: hall, quantity: 3, together: true}] -> waiting  position: 2
hold w3  customer: c, wait_until: @43m20s, items: [{section: hall, quantity: 2, features: [aisle], rate: child}] -> waiting  position: 3
# Six nights.
hold w4  customer: c, wait_until: @43m20s, items: [{room: twin, from: 2026-01-01, to: 2026-01-03, quantity: 3}] -> waiting  position: 4
hold w5  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 2}, {product: mug, quantity: 2}] -> waiting  position: 5
hold w6  customer: c, wait_until: @43m20s, items: [{seats: [B-2], rate: adult}] -> waiting  position: 6
# It may come back.
block k  items: [{product: mug, quantity: 3}] -> blocked
    nothing
define d1  limits: {units_per_request: 5} -> defined
    left  detail: "limit_exceeded: it can no longer be had", cause: resource_changed, booking: w4
    nothing
unblock u  booking: k -> released
define d2  quotas: [{quota: q, pools: [mug], limit: 3}] -> defined
    left  detail: "not_enough: it can no longer be had", cause: resource_changed, booking: w1
    left  detail: "not_enough: it can no longer be had", cause: resource_changed, booking: w5
    nothing
define d3  sections: [{section: hall, rates: {adult: 2}}] -> defined
    left  detail: "unknown_rate: it can no longer be had", cause: resource_changed, booking: w3
    nothing
define d4  state: closed, sections: [{section: hall, rows: [{row: A, seats: 2, first: 2}, {row: B, seats: 2}]}] -> refused in_use
cancel r1  customer: c, booking: a -> cancelled
    held  cause: waiting_list, booking: w2
    held  cause: waiting_list, booking: w6
    nothing

== Who waits leaves when the show ends
also late
define d  state: open, products: [{product: mug, capacity: 4}], ends_at: @20s, closes_at: @15s -> defined
book a  customer: c, items: [{product: mug, quantity: 4}] -> confirmed
hold w1  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 1}] -> waiting  expires_at: @20s
hold w2  customer: d, wait_until: @19s, items: [{product: mug, quantity: 1}] -> waiting  expires_at: @19s
hold w3  customer: d, wait_until: @20s, items: [{product: mug, quantity: 2}] -> waiting  expires_at: @20s
# The house may sell on after the close, so it ends no wait.
after 18s -> nothing
close c -> defined
after 1s -> left  cause: expiry, booking: w2, detail: absent
after 999ms -> nothing
after 1ms
    left  cause: expiry, booking: w1, customer: c, detail: "not_on_sale: it ended at 1970-01-01T00:17:00.000Z"
    left  cause: expiry, booking: w3
    nothing
leave r1  customer: c, booking: w1 -> refused not_waiting

== Who waits leaves when the first of its nights is over
also late
define d  state: open, timezone: Europe/Rome, rooms: [{room: double, from: 1970-01-01, to: 1970-01-09, capacity: 1}] -> defined
book a  customer: c, items: [{room: double, from: 1970-01-01, to: 1970-01-09, quantity: 1}] -> confirmed
# Midnight in Rome.
hold w1  customer: c, wait_until: @9d, items: [{room: double, from: 1970-01-01, to: 1970-01-03, quantity: 1}]
    waiting  expires_at: @22h43m20s
hold w2  customer: c, wait_until: @9d, items: [{room: double, from: 1970-01-03, to: 1970-01-04, quantity: 1}, {room: double,
    from: 1970-01-02, to: 1970-01-03, quantity: 1}]
    waiting  expires_at: @1d22h43m20s
after 22h43m19s999ms -> nothing
after 1ms
    left  cause: expiry, booking: w1, detail: "not_on_sale: it is 1970-01-02 in Europe/Rome, earlier nights are over"
    nothing
after 1d -> left  cause: expiry, booking: w2

== Who waits is told that the end was moved
define d  state: open, products: [{product: mug, capacity: 4}], ends_at: @10m -> defined
book a  customer: c, items: [{product: mug, quantity: 4}] -> confirmed
hold w1  customer: c, wait_until: @20m, items: [{product: mug, quantity: 1}] -> waiting  expires_at: @10m
hold w2  customer: d, wait_until: @5m, items: [{product: mug, quantity: 1}] -> waiting  expires_at: @5m
define d1  ends_at: @30m -> defined
    waiting  cause: resource_changed, booking: w1, customer: c, expires_at: @20m, detail: the end of its wait was moved, position: absent,
        total: absent
    nothing
define d2  ends_at: @3m -> defined
    waiting  cause: resource_changed, booking: w1, expires_at: @3m
    waiting  cause: resource_changed, booking: w2, expires_at: @3m
    nothing
# They wait in the same order.
define d3  ends_at: @4m, products: [{product: mug, capacity: 5}] -> defined
    waiting  booking: w1, expires_at: @4m
    waiting  booking: w2, expires_at: @4m
    held  cause: waiting_list, booking: w1
    nothing

== Who waits is told that it is over
# The sale need not be open for that.
define d  state: open, products: [{product: mug, capacity: 4}] -> defined
book a  customer: c, items: [{product: mug, quantity: 4}] -> confirmed
hold w1  customer: c, wait_until: @20m, items: [{product: mug, quantity: 1}] -> waiting  expires_at: @20m
hold w2  customer: d, wait_until: @20m, items: [{product: mug, quantity: 2}] -> waiting  expires_at: @20m
close c -> defined
define d1  ends_at: @-5m -> defined
    left  cause: resource_changed, booking: w1, detail: "not_on_sale: it can no longer be had"
    left  cause: resource_changed, booking: w2, detail: "not_on_sale: it can no longer be had"
    nothing

== Who waits leaves at an end that was moved
also late
define d  state: open, products: [{product: mug, capacity: 4}], rooms: [{room: twin, from: 1970-01-01, to: 1970-01-04, capacity: 1}]
    defined
book a  customer: c, items: [{product: mug, quantity: 4}, {room: twin, from: 1970-01-01, to: 1970-01-04, quantity: 1}] -> confirmed
hold w1  customer: c, wait_until: @4d, items: [{product: mug, quantity: 1}] -> waiting  expires_at: @4d
hold w2  customer: c, wait_until: @4d, items: [{room: twin, from: 1970-01-02, to: 1970-01-03, quantity: 1}] -> waiting  expires_at: @4d
# Nobody knew before when a night is over.
define d1  timezone: UTC, ends_at: @3d -> defined
    waiting  booking: w1, expires_at: @3d
    waiting  booking: w2, expires_at: @1d23h43m20s
    nothing
define d2  ends_at: @1d -> defined
    waiting  booking: w1, expires_at: @1d
    waiting  booking: w2, expires_at: @1d
define d3  ends_at: @2d -> defined
    waiting  booking: w1, expires_at: @2d
    waiting  booking: w2, expires_at: @1d23h43m20s
after 1d23h43m19s999ms -> nothing
after 1ms -> left  cause: expiry, booking: w2
after 16m40s -> left  cause: expiry, booking: w1, detail: "not_on_sale: it ended at 1970-01-03T00:16:40.000Z"

== Nobody waits for what was removed while it was closed
# It need not be on sale for that.
define d  state: open, products: [{product: mug, capacity: 4, price: 800}] -> defined
book a  customer: c, items: [{product: mug, quantity: 4}] -> confirmed
hold w1  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 1}] -> waiting  position: 1
hold w2  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 2}] -> waiting  position: 2
close c -> defined
cancel r1  customer: c, booking: a -> cancelled
    nothing
define d1  products: [{product: mug, capacity: 1}] -> defined
    left  detail: "not_enough: it can no longer be had", cause: resource_changed, booking: w2
    nothing
define d2  products: [{product: mug, capacity: 0}] -> defined
    left  detail: "unknown_pool: it can no longer be had", cause: resource_changed, booking: w1
open o -> defined
    nothing

== Nobody waits for more than there is
define d  state: open, products: [{product: mug, capacity: 4, price: 800}], rooms: [{room: twin, from: 2026-01-01, to: 2026-01-04,
    capacity: 3}, {room: twin, from: 2026-01-02, to: 2026-01-03, capacity: 2}], sections: [{section: yard, capacity: 9}],
    quotas: [{quota: fire, pools: [yard], limit: 6}]
    defined
book a  customer: c, items: [{product: mug, quantity: 4}] -> confirmed
hold w1  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 5}] -> refused not_enough  retryable: false
hold w2  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 4}] -> waiting  position: 1
# A party is served whole.
hold w3  customer: c, wait_until: @43m20s, shortage: partial, items: [{product: mug, quantity: 5}] -> refused not_enough
hold w8  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 3}] -> waiting  position: 2
book b  customer: c, items: [{product: mug, quantity: 5}] -> refused not_enough  retryable: false
hold w4  customer: c, wait_until: @43m20s, items: [{section: yard, quantity: 10}] -> refused not_enough  retryable: false
book c  customer: c, items: [{section: yard, quantity: 1}] -> confirmed
# More than the quota.
hold w5  customer: c, wait_until: @43m20s, items: [{section: yard, quantity: 9}] -> refused not_enough
hold w9  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 2}, {product: mug, quantity: 3}] -> refused not_enough
hold w6  customer: c, wait_until: @43m20s, items: [{room: twin, from: 2026-01-01, to: 2026-01-03, quantity: 3}]
    refused not_enough  retryable: false
block x  items: [{section: yard, quantity: 10}] -> refused not_enough  retryable: false
block y  items: [{section: yard, quantity: 7}] -> blocked
define z  products: [{product: mug, capacity: 5}] -> defined
hold w7  customer: c, wait_until: @43m20s, items: [{product: mug, quantity: 5}] -> waiting  position: 3

== Nobody waits for sections of which none can serve the whole item
define d  state: open, sections: [{section: pit, capacity: 9, price: 1}, {section: lawn, capacity: 9, price: 1},
    {section: box, capacity: 3, price: 1}]
    defined
book a  customer: a, items: [{section: pit, quantity: 7}, {section: lawn, quantity: 7}, {section: box, quantity: 1}] -> confirmed
define e  quotas: [{quota: children, pools: [pit], limit: 3}, {quota: adults, pools: [lawn], limit: 5}] -> defined
hold w1  customer: b, wait_until: @1h, items: [{sections: [pit, lawn], quantity: 5}] -> waiting
hold w2  customer: c, wait_until: @1h, items: [{sections: [pit, box], quantity: 3}] -> waiting
hold w3  customer: e, wait_until: @1h, items: [{sections: [pit, box], quantity: 4}] -> refused not_enough
define f  quotas: [{quota: adults, pools: [lawn], limit: 4}] -> defined
    left  cause: resource_changed, booking: w1, detail: "not_enough: it can no longer be had"
    nothing
define g  quotas: [{quota: children, pools: [pit], limit: 2}] -> defined
    nothing
define h  sections: [{section: box, capacity: 2}] -> defined
    left  cause: resource_changed, booking: w2, detail: "not_enough: it can no longer be had"
    nothing

== Nobody waits for items that cannot be had together
define d  state: open, sections: [{section: hall, rows: [{row: A, seats: 6, features: {ramp: [1, 2, 3], aisle: [1, 6]}}]},
    {section: pit, capacity: 3}, {section: lawn, capacity: 2}]
    defined
book a  customer: a, items: [{seats: [A-1, A-2, A-3, A-4, A-5, A-6]}, {section: pit, quantity: 3}, {section: lawn, quantity: 2}] -> confirmed
hold w1  customer: b, wait_until: @1h, items: [{section: hall, quantity: 2, features: [ramp]}, {section: hall, quantity: 2,
    features: [ramp]}]
    refused not_enough
hold w2  customer: b, wait_until: @1h, items: [{section: hall, quantity: 2, features: [ramp]}, {section: hall, quantity: 2}] -> waiting
# The item that also wants the aisle has its seat among those with a ramp.
hold w3  customer: c, wait_until: @1h, items: [{section: hall, quantity: 3, features: [ramp]}, {section: hall, quantity: 1,
    features: [ramp, aisle]}]
    refused not_enough
hold w4  customer: c, wait_until: @1h, items: [{section: hall, quantity: 2, features: [ramp]}, {seats: [A-3, A-1]}] -> refused unit_taken
hold w5  customer: c, wait_until: @1h, items: [{section: hall, quantity: 2, features: [ramp]}, {seats: [A-3, A-4]}] -> waiting
hold w6  customer: e, wait_until: @1h, items: [{section: hall, quantity: 4, avoid: [aisle]}, {seats: [A-2]}] -> refused unit_taken
hold w7  customer: e, wait_until: @1h, items: [{sections: [pit, lawn], quantity: 3}, {section: lawn, quantity: 2}] -> waiting
hold w8  customer: f, wait_until: @1h, items: [{sections: [pit, lawn], quantity: 2}, {section: lawn, quantity: 2}, {sections: [lawn, pit],
    quantity: 2}]
    refused not_enough
define e  sections: [{section: pit, capacity: 4}] -> defined
hold w9  customer: f, wait_until: @1h, items: [{sections: [pit, lawn], quantity: 2}, {section: lawn, quantity: 2}, {sections: [lawn, pit],
    quantity: 2}]
    waiting
define f  sections: [{section: pit, capacity: 3}]
    defined
    left  cause: resource_changed, booking: w9, detail: "not_enough: it can no longer be had"
    nothing

== Parties sit together if they asked to
define d  state: open, sections: [{section: stalls, rows: [{row: A, seats: 4}]}] -> defined
book a1  customer: c, items: [{seats: [A-1]}] -> confirmed
book a2  customer: c, items: [{seats: [A-2, A-3]}] -> confirmed
book a3  customer: c, items: [{seats: [A-4]}] -> confirmed
hold w1  customer: c, wait_until: @43m20s, items: [{section: stalls, quantity: 2, together: true}] -> waiting  position: 1
cancel r1  customer: c, booking: a1 -> cancelled
cancel r2  customer: c, booking: a3 -> cancelled
    nothing
cancel r3  customer: c, booking: a2 -> cancelled
    held  together: true

== A quota gets room in another pool
# What returns to one pool of a quota makes room in another.
define d  state: open, products: [{product: mug, capacity: 4, price: 800}] -> defined
define d2  products: [{product: cup, capacity: 4}], quotas: [{quota: q, pools: [mug, cup], limit: 2}] -> defined
book a  customer: c, items: [{product: mug, quantity: 2}] -> confirmed
hold w  customer: c, wait_until: @43m20s, items: [{product: cup, quantity: 2}] -> waiting
cancel r1  customer: c, booking: a -> cancelled
    held  cause: waiting_list, booking: w

-- Elsewhere

== What one can wait for
# Units that are taken, too few, or not together; nothing else.
define r1  state: open, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]
    defined
define r2  resource: s1, state: open, currency: GBP, rooms: [{room: double, from: 2026-12-20, to: 2026-12-30, capacity: 3, price: 12900},
    {room: double, from: 2026-12-24, to: 2026-12-27, price: 18900}, {room: single, from: 2026-12-20, to: 2026-12-25, capacity: 2,
    price: 8000}]
    defined
book r3  customer: d, items: [{seats: [A-1, B-3, C-4]}, {section: standing, quantity: 10}] -> confirmed
book r4  resource: s1, customer: d, items: [{room: double, from: 2026-12-22, to: 2026-12-23, quantity: 3}] -> confirmed
hold r5  customer: c, items: [{seats: [A-1]}], wait_until: 2099-01-01T00:00:00Z -> waiting
hold r6  customer: c, items: [{section: standing, quantity: 1}], wait_until: 2099-01-01T00:00:00Z -> waiting
hold r7  customer: c, items: [{section: stalls, quantity: 5, together: true}], wait_until: 2099-01-01T00:00:00Z -> waiting
hold r8  resource: s1, customer: c, items: [{room: double, from: 2026-12-21, to: 2026-12-24, quantity: 1}], wait_until: 2099-01-01T00:00:00Z
    waiting
hold r9  customer: c, items: [{seats: [Z-1]}], wait_until: 2099-01-01T00:00:00Z -> refused unknown_seat
hold r10  customer: c, items: [{section: pit, quantity: 1}], wait_until: 2099-01-01T00:00:00Z -> refused unknown_pool
hold r11  customer: c, items: [{section: standing, quantity: 1, rate: child}], wait_until: 2099-01-01T00:00:00Z -> refused unknown_rate

== Who takes what there is does not wait
define r1  state: open, sections: [{section: floor, capacity: 2, price: 1000}] -> defined
hold r2  customer: c, items: [{section: floor, quantity: 3}], wait_until: 2099-01-01T00:00:00Z, shortage: partial
    held  units: [{item: 0, section: floor, quantity: 2, price: 1000}]
hold r3  customer: c, items: [{section: floor, quantity: 2}], wait_until: 2099-01-01T00:00:00Z, shortage: partial -> waiting
hold r4  customer: c, items: [{section: floor, quantity: 3}], wait_until: 2099-01-01T00:00:00Z, shortage: partial -> refused not_enough

== Limits are judged before one may wait
define r1  state: open, sections: [{section: floor, capacity: 1, price: 1000}], limits: {units_per_request: 2} -> defined
book r2  customer: d, items: [{section: floor, quantity: 1}] -> confirmed
hold r3  customer: c, items: [{section: floor, quantity: 3}], wait_until: 2099-01-01T00:00:00Z -> refused limit_exceeded

== Only a hold can wait and only for the future
define r1  state: open, sections: [{section: floor, capacity: 1, price: 1000}] -> defined
block r2  items: [{section: floor, quantity: 1}] -> blocked
book r3  customer: c, items: [{section: floor, quantity: 1}], wait_until: 2099-01-01T00:00:00Z -> invalid malformed
hold r4  customer: c, items: [{section: floor, quantity: 1}], from_block: r2, wait_until: 2099-01-01T00:00:00Z -> invalid malformed
hold r5  customer: c, items: [{section: floor, quantity: 1}], wait_until: @-5m
    refused not_enough  customer: c, items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}]

== A repeat of joining repeats the answer
define r1  state: open, sections: [{section: floor, capacity: 1, price: 1000}] -> defined
book r2  customer: d, items: [{section: floor, quantity: 1}] -> confirmed
hold r3  customer: c, items: [{section: floor, quantity: 1}], wait_until: 2099-01-01T00:00:00Z -> waiting  position: 1
hold r3  customer: c, items: [{section: floor, quantity: 1}], wait_until: 2099-01-01T00:00:00Z -> waiting  position: 1
probe r4 -> alive  waiting: 1
