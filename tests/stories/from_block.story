# hold and book out of a block: its units only, at today's prices, as far as limits and quotas go; and a block that was not sold from is
# as it was.

let hall  state: open, currency: EUR, sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 4}, {row: B, seats: 4}]}],
    products: [{product: mug, capacity: 10, rates: {adult: 800, child: 500}}]

== A block is sold from by its name
define d  $hall -> defined
block b  items: [{section: stalls, quantity: 4}, {product: mug, quantity: 3}]
    blocked  units: [{item: 0, section: stalls, seats: [A-1, A-2, A-3, A-4], price: 0, together: true}, {item: 1, product: mug, quantity: 3,
        price: 0}]
hold r1  customer: c, from_block: none, items: [{seats: [A-1]}] -> refused unknown_booking
hold r2  customer: c, from_block: b, items: [{seats: [A-1, B-1]}]
    refused not_in_booking  retryable: false, customer: c, items: [{item: 0, asked: 2, given: 0, reason: not_in_booking, taken: [B-1]}]
hold r3  customer: c, from_block: b, items: [{product: mug, quantity: 4}]
    refused not_enough  retryable: true, customer: c, items: [{item: 0, asked: 4, given: 0, reason: not_enough, free: 3}]
hold 3t  customer: c, from_block: b, items: [{section: stalls, quantity: 5, together: true}] -> refused not_enough
hold r4  customer: c, from_block: b, items: [{product: mug, quantity: 1, rate: x}] -> refused unknown_rate
# At today's prices.
book r5  customer: c, from_block: b, items: [{seats: [A-4]}, {product: mug, quantity: 2, rate: child}]
    confirmed  booking: r5, customer: c, units: [{item: 0, section: stalls, seats: [A-4], price: 4500}, {item: 1, product: mug, quantity: 2,
        price: 500, rate: child}], total: 5500
hold r6  customer: c, from_block: r5, items: [{seats: [A-4]}] -> refused not_blocked
hold r7  customer: c, from_block: b, shortage: partial, items: [{product: mug, quantity: 3}, {section: stalls, quantity: 3}]
    held  items: [{item: 0, asked: 3, given: 1, reason: not_enough, free: 1}], total: 14300
# An empty block is gone.
unblock r8  booking: b -> refused already_released
release r9  customer: c, booking: r7 -> released  free: 15

== A party sits together in a block too
define d  $hall -> defined
block b  items: [{seats: [A-1, A-3, A-4, B-1]}] -> blocked
hold r1  customer: c, from_block: b, items: [{section: stalls, quantity: 3, together: true}]
    refused not_together  retryable: true, customer: c, items: [{item: 0, asked: 3, given: 0, reason: not_together, free: 4}]
hold r2  customer: c, from_block: b, items: [{section: stalls, quantity: 2, together: true}]
    held  units: [{item: 0, section: stalls, seats: [A-3, A-4], price: 4500}], together: true
hold r3  customer: c, from_block: b, items: [{section: stalls, quantity: 2}]
    held  units: [{item: 0, section: stalls, seats: [A-1, B-1], price: 4500}], total: 9000

== Who sits together in a block gets as many as it has
# The run of four in row B is free, but not the block's; what is chosen leaves no orphan in it.
define d  state: open, currency: EUR, sections: [{section: stalls, price: 10, rows: [{row: A, seats: 9}, {row: B, seats: 4}]}] -> defined
block b  items: [{seats: [A-3, A-4, A-5, A-7, A-8]}] -> blocked
hold r1  customer: c, from_block: b, shortage: partial, items: [{section: stalls, quantity: 4, together: true}]
    held  units: [{item: 0, section: stalls, seats: [A-3, A-4, A-5], price: 10}], items: [{item: 0, asked: 4, given: 3,
        reason: not_together, free: 5}], together: true
hold r2  customer: c, from_block: b, shortage: partial, items: [{seats: [A-7]}, {section: stalls, quantity: 2, together: true}]
    held  units: [{item: 0, section: stalls, seats: [A-7], price: 10}, {item: 1, section: stalls, seats: [A-8], price: 10, together: true}],
        items: [{item: 1, asked: 2, given: 1, reason: not_enough, free: 1}]
unblock u  booking: b -> refused already_released

== One section of a block serves an item
# Sections that are not on sale have nothing in the block; nor do free seats of others.
define d  state: open, currency: EUR, sections: [{section: left, price: 1, rows: [{row: L, seats: 4, features: {aisle: [1]}}]},
    {section: right, price: 2, rows: [{row: R, seats: 4}]}, {section: shut, capacity: 1}]
    defined
define e  sections: [{section: shut, capacity: 0}] -> defined
block b  items: [{seats: [L-1, L-3, R-4, R-2, R-1]}] -> blocked
hold r1  customer: c, from_block: b, items: [{sections: [left, right], quantity: 4}]
    refused not_enough  items: [{item: 0, asked: 4, given: 0, reason: not_enough, free: 3}]
hold r2  customer: c, from_block: b, items: [{sections: [none, left, right], quantity: 2, avoid: [aisle]}]
    held  units: [{item: 0, section: right, seats: [R-1, R-2], price: 2}], total: 4
hold r3  customer: c, from_block: b, items: [{section: none, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}]
hold r4  customer: c, from_block: b, items: [{section: shut, quantity: 1}, {product: left, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}, {item: 1, asked: 1, given: 0,
        reason: not_enough, free: 0}]
hold r5  customer: c, from_block: b, items: [{section: left, quantity: 1, features: [aisle]}, {sections: [right, left], quantity: 1,
    together: true}]
    held  units: [{item: 0, section: left, seats: [L-1], price: 1}, {item: 1, section: right, seats: [R-4], price: 2, together: true}],
        together: true, total: 3
unblock u  booking: b -> released  returned: [{item: 0, section: left, seats: [L-3], price: 0}]

== Quotas apply to what a block gives
# Units of a block do not count, those sold out of it do.
define d  $hall -> defined
define q  quotas: [{quota: all, pools: [stalls, mug], limit: 4}], limits: {units_per_customer: 6} -> defined
book s  customer: c, items: [{product: mug, quantity: 1, rate: child}] -> confirmed
block b  items: [{seats: [A-4, A-1, A-2]}, {product: mug, quantity: 5}] -> blocked
hold r1  customer: c, from_block: b, items: [{seats: [A-1, A-2]}, {product: mug, quantity: 3}]
    refused not_enough  retryable: true, customer: c, items: [{item: 1, asked: 3, given: 0, reason: not_enough, free: 1}], decided_at: @0s
hold r2  customer: c, from_block: b, items: [{product: mug, quantity: 2}, {seats: [A-4, A-1]}]
    refused not_enough  items: [{item: 1, asked: 2, given: 0, reason: not_enough, free: 1}]
# It has as much as it had, in its order.
unblock u  booking: b
    released  returned: [{item: 0, section: stalls, seats: [A-4, A-1, A-2], price: 0}, {item: 1, product: mug, quantity: 5, price: 0}]

== A block gives as much as quotas allow
define d  $hall -> defined
define q  quotas: [{quota: all, pools: [stalls, mug], limit: 4}], limits: {units_per_customer: 6} -> defined
block b  items: [{seats: [A-4, A-1, A-2]}, {product: mug, quantity: 5}] -> blocked
hold r1  customer: c, from_block: b, shortage: partial, items: [{product: mug, quantity: 2}, {seats: [B-1, A-2, A-4, A-1]}]
    held  units: [{item: 0, product: mug, quantity: 2, price: 800, rate: adult}, {item: 1, section: stalls, seats: [A-2, A-4],
        price: 4500}], items: [{item: 1, asked: 4, given: 2, reason: not_in_booking, taken: [B-1]}], total: 10600
hold r2  customer: c, from_block: b, shortage: partial, items: [{seats: [A-1]}]
    refused not_enough  retryable: true, customer: c, items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}]
probe p
    alive  pools: [{section: stalls, free: 0, held: 2, sold: 0, blocked: 1, total: 8, rates: {standard: 4500}}, {product: mug, free: 0,
        held: 2, sold: 0, blocked: 3, total: 10, rates: {adult: 800, child: 500}}]
release r  customer: c, booking: r1 -> released
hold r3  customer: c, from_block: b, shortage: partial, items: [{product: mug, quantity: 5}]
    held  units: [{item: 0, product: mug, quantity: 3, price: 800, rate: adult}], items: [{item: 0, asked: 5, given: 3, reason: not_enough,
        free: 3}]

== A block has more seats than a quota leaves
# A part of what is asked for: no more of the block's seats are looked at than it gives.
define d  $hall -> defined
define q  quotas: [{quota: all, pools: [stalls, mug], limit: 4}], limits: {units_per_customer: 6} -> defined
block b  items: [{section: stalls, quantity: 8}] -> blocked
book s  customer: c, items: [{product: mug, quantity: 2}] -> confirmed
hold r1  customer: c, from_block: b, shortage: partial, items: [{section: stalls, quantity: 4}]
    held  units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 4500}], items: [{item: 0, asked: 4, given: 2, reason: not_enough,
        free: 2}]
unblock u  booking: b -> released  returned: [{item: 0, section: stalls, seats: [A-3, A-4, B-1, B-2, B-3, B-4], price: 0}]

== Reasons have their order in a block too
# Of two reasons that hold, the earlier one is answered, whatever the items' order.
define d  $hall -> defined
define q  quotas: [{quota: all, pools: [stalls, mug], limit: 4}], limits: {units_per_customer: 6} -> defined
block b  items: [{seats: [A-1, A-2]}, {product: mug, quantity: 2}] -> blocked
# Not_in_booking, limit_exceeded.
hold r1  customer: c, from_block: b, items: [{product: mug, quantity: 7}, {seats: [B-1]}] -> refused not_in_booking  retryable: false
# Limit_exceeded, unknown_rate.
hold r2  customer: c, from_block: b, items: [{product: mug, quantity: 7, rate: x}] -> refused limit_exceeded
# Not_in_booking, unknown_rate, in one item and in two.
hold r3  customer: c, from_block: b, items: [{seats: [A-1, B-1], rate: x}]
    refused not_in_booking  items: [{item: 0, asked: 2, given: 0, reason: not_in_booking, taken: [B-1]}]
hold r4  customer: c, from_block: b, items: [{product: mug, quantity: 1, rate: x}, {seats: [B-1]}]
    refused not_in_booking  retryable: false
# Unknown_rate, unit_taken.
hold r5  customer: c, from_block: b, items: [{section: stalls, quantity: 1}, {seats: [A-1], rate: x}]
    refused unknown_rate  items: [{item: 1, asked: 1, given: 0, reason: unknown_rate, unknown: x, known: [standard]}]
# Unknown_rate, not_enough, in one item and in two.
hold r6  customer: c, from_block: b, items: [{product: mug, quantity: 4, rate: x}]
    refused unknown_rate  retryable: false, customer: c, items: [{item: 0, asked: 4, given: 0, reason: unknown_rate, unknown: x,
        known: [adult, child]}]
hold r7  customer: c, from_block: b, items: [{section: stalls, quantity: 3}, {product: mug, quantity: 1, rate: x}] -> refused unknown_rate
# Unit_taken, not_enough.
hold r8  customer: c, from_block: b, items: [{section: stalls, quantity: 1}, {product: mug, quantity: 3}, {seats: [A-2, A-1]}]
    refused unit_taken  retryable: true, customer: c, items: [{item: 1, asked: 3, given: 0, reason: not_enough, free: 2}, {item: 2,
        asked: 2, given: 0, reason: unit_taken, taken: [A-1]}]
hold r9  customer: c, from_block: b, items: [{seats: [A-2, A-1]}, {product: mug, quantity: 2}] -> held

== Nights of a block are there or named
define d  state: open, currency: EUR, rooms: [{room: double, from: 2026-12-20, to: 2026-12-25, capacity: 4, price: 100}],
    quotas: [{quota: q, pools: [double], limit: 2}]
    defined
book o  customer: c, items: [{room: double, from: 2026-12-22, to: 2026-12-23, quantity: 1}]
    confirmed  units: [{item: 0, room: double, night: 2026-12-22, tokens: [0], price: 100}]
block b  items: [{room: double, from: 2026-12-21, to: 2026-12-24, quantity: 3}]
    blocked  units: [{item: 0, room: double, night: 2026-12-21, tokens: [0, 1, 2], price: 0}, {item: 0, room: double, night: 2026-12-22,
        tokens: [1, 2, 3], price: 0}, {item: 0, room: double, night: 2026-12-23, tokens: [0, 1, 2], price: 0}]
hold r1  customer: c, from_block: b, items: [{room: double, from: 2026-12-23, to: 2026-12-26, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0, taken: [2026-12-24, 2026-12-25]}]
hold r2  customer: c, from_block: b, items: [{room: double, from: 2026-12-21, to: 2026-12-23, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1, taken: [2026-12-22]}]
hold r3  customer: c, from_block: b, shortage: partial, items: [{room: double, from: 2026-12-21, to: 2026-12-23, quantity: 2}]
    held  units: [{item: 0, room: double, night: 2026-12-21, tokens: [0], price: 100}, {item: 0, room: double, night: 2026-12-22,
        tokens: [1], price: 100}], items: [{item: 0, asked: 2, given: 1, reason: not_enough, free: 1, taken: [2026-12-22]}]
unblock u  booking: b
    released  returned: [{item: 0, room: double, night: 2026-12-21, tokens: [1, 2], price: 0}, {item: 0, room: double, night: 2026-12-22,
        tokens: [2, 3], price: 0}, {item: 0, room: double, night: 2026-12-23, tokens: [0, 1, 2], price: 0}]

== A block beyond the capacity is sold from
# Numbers above the capacity are the block's all the same, until they are given back.
define d  state: open, currency: EUR, rooms: [{room: double, from: 2026-12-24, to: 2026-12-25, capacity: 4, overbook: 2, price: 7}]
    defined
hold o  customer: c, items: [{room: double, from: 2026-12-24, to: 2026-12-25, quantity: 3}] -> held
block b  items: [{room: double, from: 2026-12-24, to: 2026-12-25, quantity: 3}] -> blocked
release r  customer: c, booking: o -> released
define e  rooms: [{room: double, from: 2026-12-24, to: 2026-12-25, capacity: 3, overbook: 1}] -> defined
hold r1  customer: c, from_block: b, items: [{room: double, from: 2026-12-24, to: 2026-12-25, quantity: 4}]
    refused not_enough  items: [{item: 0, asked: 4, given: 0, reason: not_enough, free: 3, taken: [2026-12-24]}]
hold r2  customer: c, from_block: b, items: [{room: double, from: 2026-12-24, to: 2026-12-25, quantity: 2}]
    held  units: [{item: 0, room: double, night: 2026-12-24, tokens: [3, 4], price: 7}], overbooked: 2, total: 14
hold r3  customer: c, items: [{room: double, from: 2026-12-24, to: 2026-12-25, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1, taken: [2026-12-24]}]
unblock u  booking: b -> released  returned: [{item: 0, room: double, night: 2026-12-24, tokens: [5], price: 0}]
hold r4  customer: c, items: [{room: double, from: 2026-12-24, to: 2026-12-25, quantity: 2}]
    held  units: [{item: 0, room: double, night: 2026-12-24, tokens: [0, 1], price: 7}], total: 14

== A block of a counted pool is overbooked by its sum
# Of what is counted, only how much is taken tells whether there is too much of it.
define d  state: open, currency: EUR, products: [{product: mug, capacity: 4, overbook: 2, price: 7}] -> defined
hold o  customer: c, items: [{product: mug, quantity: 3}] -> held
block b  items: [{product: mug, quantity: 3}] -> blocked
release r  customer: c, booking: o -> released
define e  products: [{product: mug, capacity: 3, overbook: 1}] -> defined
hold r1  customer: c, from_block: b, items: [{product: mug, quantity: 4}]
    refused not_enough  items: [{item: 0, asked: 4, given: 0, reason: not_enough, free: 3}]
hold r2  customer: c, from_block: b, items: [{product: mug, quantity: 2}]
    held  units: [{item: 0, product: mug, quantity: 2, price: 7}], total: 14
hold r3  customer: c, items: [{product: mug, quantity: 2}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1}]
hold r5  customer: c, items: [{product: mug, quantity: 1}]
    held  units: [{item: 0, product: mug, quantity: 1, price: 7}], overbooked: 1, total: 7
hold r6  customer: c, from_block: b, items: [{product: mug, quantity: 1}]
    held  units: [{item: 0, product: mug, quantity: 1, price: 7}], overbooked: 1, total: 7
unblock u  booking: b -> refused already_released
release r7  customer: c, booking: r2 -> released  returned: [{item: 0, product: mug, quantity: 2, price: 7}]
hold r4  customer: c, items: [{product: mug, quantity: 2}]
    held  units: [{item: 0, product: mug, quantity: 2, price: 7}], overbooked: 1, total: 14

== An answer too large leaves the block alone
# What the answer has no room for is not taken, and the block is as it was.
define d  state: open, currency: EUR, rooms: [{room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01,
    to: 2027-01-02, capacity: 12, rates: {a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h: 1000000}}]
    defined
block b  items: [{room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 10}]
    blocked
hold r1  customer: c, from_block: b, items: [{room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01,
    to: 2027-01-02, quantity: 1}, {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02,
    quantity: 1}, {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 1},
    {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 1},
    {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 1},
    {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 1},
    {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 1},
    {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 1},
    {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 1},
    {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 1}]
    refused limit_exceeded  retryable: true, detail: the answer would be too large
hold r2  customer: c, from_block: b, items: [{room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01,
    to: 2027-01-02, quantity: 10}]
    held
unblock u  booking: b -> refused already_released

== A block has neither a night that is not on sale nor one whose rate is over
define d1  state: open, rooms: [{room: twin, from: 2026-12-24, to: 2026-12-27, capacity: 2, price: 100}], quotas: [{quota: q, rate: standard,
    pools: [twin], closes_at: @10m}]
    defined
block b  items: [{room: twin, from: 2026-12-24, to: 2026-12-26, quantity: 1}] -> blocked
hold h1  customer: c, from_block: b, items: [{room: twin, from: 2026-12-25, to: 2026-12-28, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0, taken: [2026-12-26, 2026-12-27]}], retryable: true
later 11m
hold h2  customer: c, from_block: b, items: [{room: twin, from: 2026-12-25, to: 2026-12-28, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0, taken: [2026-12-25, 2026-12-26, 2026-12-27],
        rate: standard}], retryable: false
hold h3  customer: c, from_block: b, items: [{room: twin, from: 2026-12-25, to: 2026-12-28, quantity: 1, rate: gold}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0, taken: [2026-12-26, 2026-12-27]}]
