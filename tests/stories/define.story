# define, open, close: what a resource becomes, and what may not be changed under those who have units of it. Each step is judged by
# what a probe shows afterwards.

let hall  state: open, sections: [{section: stalls, price: 45, rows: [{row: A, seats: 4}, {row: B, seats: 4}]}, {section: pit,
    capacity: 5}], rooms: [{room: double, from: 2026-12-24, to: 2026-12-26, capacity: 2}], products: [{product: mug, capacity: 3}]

== Later nights override earlier ones
define r1  rooms: [{room: double, from: 2026-12-20, to: 2026-12-30, capacity: 2, price: 100}, {room: double, from: 2026-12-24,
    to: 2026-12-26, price: 189}, {room: double, from: 2026-12-25, to: 2026-12-27, capacity: 3}, {room: single, from: 2026-12-24,
    to: 2026-12-25, capacity: 1}]
    defined  free: 23
define r2  rooms: [{room: double, from: 2026-12-18, to: 2026-12-19, capacity: 1, price: 50}, {room: double, from: 2026-12-21,
    to: 2026-12-23, capacity: 0}, {room: twin, from: 2026-12-01, to: 2026-12-05, capacity: 0}]
    defined  free: 20
probe r3
    alive  pools: [{room: double, from: 2026-12-18, free: [1, null, 2, null, null, 2, 2, 3, 3, 2, 2, 2], total: [1, null, 2, null, null, 2,
        2, 3, 3, 2, 2, 2], price: [50, null, 100, null, null, 100, 189, 189, 100, 100, 100, 100]}, {room: single, from: 2026-12-24,
        free: [1], total: [1], price: [0]}]
define r4  rooms: [{room: double, from: 2026-12-21, to: 2026-12-23, capacity: 4, price: 9}] -> defined  free: 28
probe r5  items: [{room: double, from: 2026-12-19, to: 2026-12-23}]
    alive  pools: [{room: double, from: 2026-12-19, free: [null, 2, 4, 4], total: [null, 2, 4, 4], price: [null, 100, 9, 9]}]

== No seat is there twice
define r1  $hall -> defined
define r2  sections: [{section: balcony, rows: [{row: A, seats: 1, first: 4}]}]
    refused bad_chart  retryable: false,
        detail: "seat \"A-4\" is in section \"stalls\" and in section \"balcony\": sections that a define does not name stay, so to change the hall name all of its sections, those that go with capacity 0"
define r3  sections: [{section: balcony, rows: [{row: C, seats: 2}, {row: C, seats: 2, first: 2}]}]
    refused bad_chart  detail: "seat \"C-2\" is twice in section \"balcony\""
define r4  sections: [{section: balcony, rows: [{row: A, seats: 2, first: 5}]}] -> defined
# What goes away in the same define is not in the way.
define r5  sections: [{section: stalls, capacity: 0}, {section: gallery, rows: [{row: A, seats: 4}]}] -> defined
book r6  customer: c, items: [{seats: [A-4, A-5]}]
    confirmed  units: [{item: 0, section: gallery, seats: [A-4], price: 0}, {item: 0, section: balcony, seats: [A-5], price: 0}]
# Rows are the capacity.
define r7  sections: [{section: box, capacity: 0, rows: [{row: L, seats: 2}]}] -> defined
book r8  customer: c, items: [{seats: [L-2]}] -> confirmed

== Units in use stay
define r1  $hall -> defined
book b  customer: c, items: [{seats: [A-1]}, {section: pit, quantity: 3}, {room: double, from: 2026-12-25, to: 2026-12-26, quantity: 1},
    {product: mug, quantity: 2}]
    confirmed
# Free rows come and go behind a seat that is taken, which stays where it is.
define r2  sections: [{section: stalls, rows: [{row: A, seats: 4}]}] -> defined
define r3  sections: [{section: stalls, rows: [{row: B, seats: 5}, {row: A, seats: 4}]}]
    refused in_use  retryable: true, detail: "seat \"A-1\" of \"stalls\" is held, sold or blocked, and has to stay where it is"
# The same rows.
define r4  sections: [{section: stalls, rows: [{row: A, seats: 4}, {row: B, seats: 4}], price: 50}] -> defined
define r5  sections: [{section: stalls, capacity: 8}] -> refused in_use
define r6  sections: [{section: stalls, capacity: 0}] -> refused in_use
define r7  sections: [{section: pit, capacity: 2}] -> refused in_use
define r8  sections: [{section: pit, capacity: 3}] -> defined
define r9  sections: [{section: pit, rows: [{row: P, seats: 9}]}] -> refused in_use
define r10  rooms: [{room: double, from: 2026-12-24, to: 2026-12-26, capacity: 0}]
    refused in_use  detail: "1 unit of \"double\" on 2026-12-25 is held, sold or blocked"
define r11  rooms: [{room: double, from: 2026-12-24, to: 2026-12-25, capacity: 0}, {room: double, from: 2026-12-25, to: 2026-12-26,
    capacity: 1}]
    defined
define r12  products: [{product: mug, capacity: 1}] -> refused in_use
define r13  products: [{product: mug, capacity: 40}] -> defined
probe r14
    alive  pools: [{section: stalls, free: 7, held: 0, sold: 1, blocked: 0, total: 8, rates: {standard: 50}}, {section: pit, free: 0,
        held: 0, sold: 3, blocked: 0, total: 3, rates: {standard: 0}}, {product: mug, free: 38, held: 0, sold: 2, blocked: 0, total: 40,
        rates: {standard: 0}}, {room: double, from: 2026-12-25, free: [0], total: [1], price: [0]}]
cancel x  customer: c, booking: b -> cancelled
define r15  sections: [{section: stalls, capacity: 8}, {section: pit, rows: [{row: P, seats: 9}]}] -> defined
book c  customer: c, items: [{section: stalls, quantity: 8}, {seats: [P-9]}] -> confirmed

== What is taken bounds the capacity
# Capacity goes down over free units only, whichever numbers are taken.
define r1  $hall -> defined
book b1  customer: c, items: [{section: pit, quantity: 3}] -> confirmed
book b2  customer: c, items: [{section: pit, quantity: 1}] -> confirmed
cancel x  customer: c, booking: b1 -> cancelled
define r2  sections: [{section: pit, capacity: 1}] -> defined
book b3  customer: c, items: [{section: pit, quantity: 1}] -> refused not_enough
book b4  customer: c, items: [{seats: [A-1]}] -> confirmed
define r3  sections: [{section: pit, capacity: 0}] -> refused in_use
define r4  sections: [{section: pit, capacity: 2}] -> defined
book b5  customer: c, items: [{section: pit, quantity: 1}] -> confirmed
book b6  customer: c, items: [{section: pit, quantity: 1}] -> refused not_enough

== There is an end to pools
define r1  rooms: [{room: double, from: 1970-01-01, to: 2149-06-01, capacity: 1}, {room: twin, from: 2026-01-01, to: 2026-02-01,
    capacity: 1}]
    refused limit_exceeded  retryable: true, detail: more than the maximum of 65535 pools
define r2  rooms: [{room: double, from: 1970-01-01, to: 2149-06-01, capacity: 1}] -> defined

== There is an end to calendars
# A mistyped year would take memory for every night up to it.
define r1  rooms: [{room: double, from: 2026-01-01, to: 2028-01-01, capacity: 1}, {room: double, from: 9026-01-01, to: 9026-01-02,
    capacity: 1}]
    refused limit_exceeded  retryable: true, detail: more than the maximum of 250000 nights from the first to the last of each room type
define r2  rooms: [{room: double, from: 2026-01-01, to: 2028-01-01, capacity: 1}, {room: twin, from: 2026-01-01, to: 2028-01-01,
    capacity: 1}]
    defined
# 248,540 nights of one, 730 of the other and, in the end, 731.
define r3  rooms: [{room: double, from: 2706-06-25, to: 2706-06-26, capacity: 1}] -> defined
define r4  rooms: [{room: twin, from: 2028-01-01, to: 2028-01-02, capacity: 1}] -> defined
define r5  rooms: [{room: twin, from: 2031-01-01, to: 2031-01-02, capacity: 1}] -> refused limit_exceeded

== Nights that were removed do not count
# Far nights of the past and of the future, one of them at a time.
define r1  rooms: [{room: twin, from: 1970-01-01, to: 1970-01-02, capacity: 1}] -> defined
define r2  rooms: [{room: twin, from: 3000-01-01, to: 3000-01-02, capacity: 1}] -> refused limit_exceeded
define r3  rooms: [{room: twin, from: 1970-01-01, to: 1970-01-02, capacity: 0}] -> defined
define r4  rooms: [{room: twin, from: 3000-01-01, to: 3000-01-02, capacity: 1}] -> defined
define r5  rooms: [{room: twin, from: 1970-01-01, to: 1970-01-02, capacity: 1}] -> refused limit_exceeded
define r6  rooms: [{room: twin, from: 9999-01-01, to: 9999-01-02, capacity: 1}] -> refused limit_exceeded

== There is an end to units over all pools
define r1  rooms: [{room: double, from: 2026-01-01, to: 2026-01-04, capacity: 10000000}]
    refused limit_exceeded  retryable: true, detail: more than the maximum of 20000000 units
define r2  rooms: [{room: double, from: 2026-01-01, to: 2026-01-03, capacity: 10000000}] -> defined

== There is an end to what is overbooked
define r1  products: [{product: mug, capacity: 10000000}] -> defined
define r2  products: [{product: mug, overbook: 1}]
    refused limit_exceeded  retryable: true, detail: "pool \"mug\" exceeds the maximum of 10000000 units"
define r3  products: [{product: mug, capacity: 9999999, overbook: 1}] -> defined

== Only new or only existing
define r1  $hall, only: existing -> refused unknown_resource  retryable: false, decided_at: @0s
# Repeated.
define r2  $hall, only: new -> defined  change: created
define r3  $hall, only: new -> refused already_exists  retryable: false, decided_at: @0s
define r2  $hall, only: new -> defined  change: created
define r2  $hall -> refused id_reused
define r1  $hall, only: existing -> defined  change: same
define r4  only: existing, name: n -> defined  change: changed
