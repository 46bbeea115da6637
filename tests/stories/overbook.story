# What is a fact already: the house takes more than there is, or leaves less than is taken, and what comes back first fills that hole.

define d  state: open, currency: EUR, products: [{product: mug, capacity: 4, price: 800}], sections: [{section: floor, capacity: 3, price: 1000},
    {section: stalls, price: 4500, rows: [{row: A, seats: 2}]}], rooms: [{room: double, from: 2026-12-24, to: 2026-12-27, capacity: 2,
    price: 9000}]
    defined

== The house records what a channel has sold although the house is full
book full  customer: c, items: [{product: mug, quantity: 3}] -> confirmed
book r1  customer: d, items: [{product: mug, quantity: 3}] -> refused not_enough
book r2  customer: d, force: true, items: [{product: mug, quantity: 3}] -> refused not_enough
book ota  customer: d, force: true, overbook: true, items: [{product: mug, quantity: 3}]
    confirmed  units: [{item: 0, product: mug, quantity: 3, price: 800}], overbooked: 2, total: 2400, free: 11
probe p
    alive  pools: [{section: floor, ...}, {section: stalls, ...}, {product: mug, free: 0, held: 0, sold: 6, blocked: 0, total: 4, over: 2,
        ...}, {room: double, ...}], free: 11
# Two come back, and nobody is served. With the third that comes back there is room.
hold w  customer: e, wait_until: @1h, items: [{product: mug, quantity: 1}] -> waiting
exchange x1  customer: c, booking: full, items: [{product: mug, quantity: 2}] -> exchanged  free: 11
    nothing
exchange x2  customer: c, booking: full, items: [{product: mug, quantity: 1}] -> exchanged  free: 11
    nothing
book r3  customer: f, items: [{product: mug, quantity: 1}] -> refused not_enough
cancel x3  customer: c, booking: full -> cancelled
    held  cause: waiting_list, booking: w, overbooked: absent
probe q
    alive  pools: [{section: floor, ...}, {section: stalls, ...}, {product: mug, free: 0, held: 1, sold: 3, blocked: 0, total: 4,
        rates: {standard: 800}}, {room: double, ...}]

== Only what is lacking is taken beyond
hold h  customer: c, force: true, overbook: true, items: [{product: mug, quantity: 3}] -> held  overbooked: absent
hold i  customer: c, force: true, overbook: true, items: [{product: mug, quantity: 1}, {product: mug, quantity: 2}]
    held  overbooked: 2
# It is a hold like any other.
confirm j  customer: c, booking: i -> confirmed  overbooked: 2
release k  customer: c, booking: h -> released  free: 12

== Overbooking needs the house and an operation that takes units
book r1  customer: c, overbook: true, items: [{product: mug, quantity: 1}] -> invalid malformed
book r2  customer: c, force: false, overbook: true, items: [{product: mug, quantity: 1}] -> invalid malformed
cancel r3  force: true, overbook: true, booking: d -> invalid malformed
extend r4  customer: c, force: true, overbook: true, booking: d, ttl_s: 9 -> invalid malformed
book r5  customer: c, overbook: false, items: [{product: mug, quantity: 1}] -> confirmed

== Numbered seats are never sold twice
book s  customer: c, items: [{seats: [A-1, A-2]}] -> confirmed
book r1  customer: d, force: true, overbook: true, items: [{seats: [A-1]}] -> refused unit_taken
book r2  customer: d, force: true, overbook: true, items: [{section: stalls, quantity: 1}] -> refused not_enough
# An item that several sections serve goes beyond the one without numbers, if none has room.
book r3  customer: d, force: true, overbook: true, items: [{sections: [stalls, floor], quantity: 3}]
    confirmed  units: [{item: 0, section: floor, quantity: 3, price: 1000}], overbooked: absent
book r4  customer: d, force: true, overbook: true, items: [{sections: [stalls, floor], quantity: 2}]
    confirmed  units: [{item: 0, section: floor, quantity: 2, price: 1000}], overbooked: 2
# All or nothing, as ever.
book r5  customer: d, force: true, overbook: true, items: [{product: mug, quantity: 9}, {seats: [A-2]}] -> refused unit_taken
book r6  customer: d, items: [{product: mug, quantity: 4}] -> confirmed
book r7  customer: d, force: true, overbook: true, shortage: partial, items: [{product: mug, quantity: 9}, {seats: [A-2]}]
    confirmed  units: [{item: 0, product: mug, quantity: 9, price: 800}], overbooked: 9

== What is not there cannot be overbooked
book r1  customer: c, force: true, overbook: true, items: [{product: cup, quantity: 1}] -> refused unknown_pool
book r2  customer: c, force: true, overbook: true, items: [{room: double, from: 2026-12-26, to: 2026-12-28, quantity: 1}]
    refused unknown_pool
book r3  customer: c, force: true, overbook: true, items: [{product: mug, quantity: 1, rate: child}] -> refused unknown_rate
book r4  customer: c, force: true, overbook: true, items: [{section: floor, quantity: 4, features: [view]}] -> refused unknown_feature
close c -> defined
book r5  customer: c, force: true, overbook: true, items: [{product: mug, quantity: 1}] -> refused not_on_sale

== A full hotel takes one more guest
book a  customer: c, items: [{room: double, from: 2026-12-24, to: 2026-12-27, quantity: 2}] -> confirmed  free: 9
book b  customer: d, force: true, overbook: true, items: [{room: double, from: 2026-12-25, to: 2026-12-27, quantity: 1}]
    confirmed  units: [{item: 0, room: double, night: 2026-12-25, tokens: [2], price: 9000}, {item: 0, room: double, night: 2026-12-26,
        tokens: [2], price: 9000}], overbooked: 2, free: 9
probe p  items: [{room: double, from: 2026-12-24, to: 2026-12-27}]
    alive  pools: [{room: double, from: 2026-12-24, free: [0, 0, 0], total: [2, 2, 2], price: [9000, 9000, 9000], over: [0, 1, 1]}]
# One room of three is given back for all nights: only the first night is free then.
exchange x  customer: c, booking: a, items: [{room: double, from: 2026-12-24, to: 2026-12-27, quantity: 1}]
    exchanged  units: [{item: 0, room: double, night: 2026-12-24, tokens: [0], price: 9000}, {item: 0, room: double, night: 2026-12-25,
        tokens: [0], price: 9000}, {item: 0, room: double, night: 2026-12-26, tokens: [0], price: 9000}], overbooked: absent, free: 10
book r1  customer: e, items: [{room: double, from: 2026-12-25, to: 2026-12-26, quantity: 1}] -> refused not_enough
book r2  customer: e, items: [{room: double, from: 2026-12-24, to: 2026-12-25, quantity: 1}]
    confirmed  units: [{item: 0, room: double, night: 2026-12-24, tokens: [1], price: 9000}]
cancel k  customer: d, booking: b -> cancelled  free: 11
book r3  customer: e, items: [{room: double, from: 2026-12-25, to: 2026-12-27, quantity: 1}]
    confirmed  units: [{item: 0, room: double, night: 2026-12-25, tokens: [1], price: 9000}, {item: 0, room: double, night: 2026-12-26,
        tokens: [1], price: 9000}]

== Who is over the capacity may change like for like
book a  customer: c, items: [{product: mug, quantity: 4}] -> confirmed
book b  customer: d, force: true, overbook: true, items: [{product: mug, quantity: 3}] -> confirmed
exchange x1  customer: d, booking: b, items: [{product: mug, quantity: 3}] -> exchanged  overbooked: 3, free: 11
exchange x2  customer: d, booking: b, items: [{product: mug, quantity: 4}]
    refused not_enough  items: [{item: 0, asked: 4, given: 0, reason: not_enough, free: 3}]
exchange x3  customer: d, booking: b, items: [{product: mug, quantity: 2}, {product: mug, quantity: 2}]
    refused not_enough  items: [{item: 1, asked: 2, given: 0, reason: not_enough, free: 1}]
exchange x4  customer: d, booking: b, items: [{product: mug, quantity: 2}, {section: floor, quantity: 1}] -> exchanged  free: 10
exchange x5  customer: d, force: true, overbook: true, booking: b, items: [{product: mug, quantity: 5}] -> exchanged  overbooked: 5, free: 11
cancel k  customer: d, booking: b -> cancelled  free: 11
cancel l  customer: c, booking: a -> cancelled  free: 15

== A hold beyond the capacity expires like any other and may be sold late by the house
book a  customer: c, items: [{product: mug, quantity: 4}] -> confirmed
hold h  customer: d, ttl_s: 60, force: true, overbook: true, items: [{product: mug, quantity: 2}] -> held  overbooked: 2
after 60s -> expired  booking: h
confirm r1  customer: d, booking: h -> refused hold_expired
confirm r2  customer: d, force: true, booking: h -> refused hold_expired
confirm r3  customer: d, force: true, overbook: true, booking: h -> confirmed  overbooked: 2, total: 1600
# In time it needs no word.
hold i  customer: d, force: true, overbook: true, cart: k, items: [{product: mug, quantity: 1}] -> held  overbooked: 1
confirm j  customer: d, cart: k -> confirmed  overbooked: 1
# Seats that somebody else has are not sold again.
hold s  customer: d, ttl_s: 60, items: [{seats: [A-1]}] -> held
after 60s -> expired  booking: s
book t  customer: e, items: [{seats: [A-1]}] -> confirmed
confirm u  customer: d, force: true, overbook: true, booking: s -> refused hold_expired

== Seven from now on
book a  customer: c, items: [{product: mug, quantity: 3}] -> confirmed
define r1  products: [{product: mug, capacity: 2}] -> refused in_use
define r2  force: true, products: [{product: mug, capacity: 2}] -> refused in_use
define r3  force: true, overbook: true, products: [{product: mug, capacity: 2}] -> defined  change: changed, free: 11
define r4  force: true, overbook: true, products: [{product: mug, capacity: 2}] -> defined  change: same
# What is short already stays so without a word. To leave still less needs it, and to leave none cannot be.
define r5  products: [{product: mug, price: 900}] -> defined
define r6  products: [{product: mug, capacity: 1}] -> refused in_use
define r7  force: true, overbook: true, products: [{product: mug, capacity: 1}] -> defined
define r8  force: true, overbook: true, products: [{product: mug, capacity: 0}] -> refused in_use
define r9  products: [{product: mug, capacity: 2}] -> defined
hold w  customer: e, wait_until: @1h, items: [{product: mug, quantity: 1}] -> waiting
exchange x1  customer: c, booking: a, items: [{product: mug, quantity: 2}] -> exchanged
    nothing
exchange x2  customer: c, booking: a, items: [{product: mug, quantity: 1}] -> exchanged
    held  cause: waiting_list, booking: w

== Fewer rooms than are taken
book a  customer: c, items: [{room: double, from: 2026-12-24, to: 2026-12-27, quantity: 1}] -> confirmed
book b  customer: d, items: [{room: double, from: 2026-12-24, to: 2026-12-26, quantity: 1}] -> confirmed
define r1  rooms: [{room: double, from: 2026-12-24, to: 2026-12-27, capacity: 1}] -> refused in_use
define r2  force: true, overbook: true, rooms: [{room: double, from: 2026-12-24, to: 2026-12-27, capacity: 1}] -> defined  free: 9
# The guest with the number that is left goes first, and the other one stays.
cancel r3  customer: c, booking: a -> cancelled  free: 10
book r4  customer: e, items: [{room: double, from: 2026-12-24, to: 2026-12-25, quantity: 1}] -> refused not_enough
exchange r5  customer: d, booking: b, items: [{room: double, from: 2026-12-24, to: 2026-12-26, quantity: 1}]
    exchanged  overbooked: absent
# There are more again.
define r6  rooms: [{room: double, from: 2026-12-24, to: 2026-12-27, capacity: 3}] -> defined  free: 16
book r7  customer: e, items: [{room: double, from: 2026-12-24, to: 2026-12-25, quantity: 2}]
    confirmed  units: [{item: 0, room: double, night: 2026-12-24, tokens: [0, 2], price: 9000}]

== A block goes beyond what is left and is sold from
book a  customer: c, items: [{section: floor, quantity: 3}] -> confirmed
block r1  items: [{section: floor, quantity: 2}] -> refused not_enough
# A camera.
block b  force: true, overbook: true, note: camera, items: [{section: floor, quantity: 2}] -> blocked  overbooked: 2, free: 12
# What the house has set aside it may sell, which makes nothing worse.
book s  customer: d, from_block: b, items: [{section: floor, quantity: 1}] -> confirmed
book r2  customer: d, from_block: b, force: true, overbook: true, items: [{section: floor, quantity: 2}] -> refused not_enough
exchange x  force: true, booking: b, items: [{section: floor, quantity: 1}] -> exchanged  free: 12
exchange y  force: true, booking: b, items: [{section: floor, quantity: 2}] -> refused not_enough
unblock u  booking: b -> released  free: 12
probe p
    alive  pools: [{section: floor, free: 0, held: 0, sold: 4, blocked: 0, total: 3, over: 1, ...}, {section: stalls, ...}, {product: mug,
        ...}, {room: double, ...}]

== Limits hold for the house and quotas do not
define q  limits: {units_per_customer: 2}, quotas: [{quota: all, pools: [mug, floor], limit: 2}] -> defined
book a  customer: c, items: [{product: mug, quantity: 2}] -> confirmed
book r1  customer: d, items: [{section: floor, quantity: 1}] -> refused not_enough
book r2  customer: d, force: true, overbook: true, items: [{section: floor, quantity: 1}] -> confirmed  overbooked: absent
book r3  customer: d, force: true, overbook: true, items: [{section: floor, quantity: 2}] -> refused limit_exceeded
book r4  customer: e, items: [{product: mug, quantity: 1}] -> refused not_enough
# A quota does not open numbered seats.
define q2  quotas: [{quota: all, pools: [mug, floor, stalls], limit: 2}] -> defined
book r5  customer: e, force: true, overbook: true, items: [{seats: [A-1]}] -> refused not_enough

== The quota of a rate holds for the house which names another rate
define q  products: [{product: mug, rates: {early: 500, late: 900}}], quotas: [{quota: early, pools: [mug], rate: early, limit: 1}]
    defined
book a  customer: c, items: [{product: mug, quantity: 4, rate: late}] -> confirmed
book r1  customer: d, force: true, overbook: true, items: [{product: mug, quantity: 2, rate: early}] -> refused not_enough
book r2  customer: d, force: true, overbook: true, items: [{product: mug, quantity: 1, rate: early}, {product: mug, quantity: 2, rate: late}]
    confirmed  overbooked: 3, total: 2300
book r3  customer: d, force: true, overbook: true, items: [{product: mug, quantity: 1}] -> confirmed  total: 900

== What may be overbooked as a rule comes before what is a fact
define o  products: [{product: mug, overbook: 1}] -> defined  free: 16
book a  customer: c, items: [{product: mug, quantity: 5}] -> confirmed  overbooked: 1
book b  customer: d, force: true, overbook: true, items: [{product: mug, quantity: 1}] -> confirmed  overbooked: 1
probe p
    alive  pools: [{section: floor, ...}, {section: stalls, ...}, {product: mug, free: 0, held: 0, sold: 6, blocked: 0, total: 5,
        overbook: 1, over: 1, ...}, {room: double, ...}]
define r1  products: [{product: mug, overbook: 0}] -> refused in_use
define r2  force: true, overbook: true, products: [{product: mug, overbook: 0}] -> defined
cancel k  customer: d, booking: b -> cancelled  free: 11
cancel l  customer: c, booking: a -> cancelled  free: 15

== Closing gives all of it back
book a  customer: c, items: [{product: mug, quantity: 4}] -> confirmed
book b  customer: d, force: true, overbook: true, items: [{product: mug, quantity: 2}, {room: double, from: 2026-12-24, to: 2026-12-25,
    quantity: 3}]
    confirmed  overbooked: 3
close x  cancel_bookings: true -> defined
    cancelled
    cancelled  free: 15
    nothing
