# What may become of a booking: extended, transferred, exchanged, confirmed in part, given back with its cart.

let hall  state: open, currency: EUR, sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 4}, {row: B, seats: 4}]}],
    products: [{product: mug, capacity: 10, price: 800}]

== A hold is extended up to a cap
define d  $hall -> defined
hold h  customer: c, ttl_s: 100, items: [{seats: [A-1]}] -> held  expires_at: @1m40s
extend r1  customer: c, booking: h, ttl_s: 600 -> extended  booking: h, customer: c, total: 4500, currency: EUR, expires_at: @10m
# Never shorter, never longer than a day after it began.
extend r2  customer: c, booking: h, ttl_s: 10 -> extended  expires_at: @10m
extend r3  customer: c, booking: h, ttl_s: 999999 -> extended  expires_at: @1d
after 1d -> expired
extend r4  customer: c, booking: h, ttl_s: 10 -> refused hold_expired

== The house says how long a hold is extended
# What the resource sets for a hold it sets for each extension, however it comes about, and for a party that is served; and it may set
# how long a hold lasts in all.
define d  $hall -> defined
hold h  customer: c, cart: k, ttl_s: 100, items: [{seats: [A-1]}] -> held  expires_at: @1m40s
define d1  hold_ttl_s: 60 -> defined
extend r1  customer: c, booking: h, ttl_s: 999999 -> extended  expires_at: @1m40s
after 50s -> nothing
extend r2  customer: c, booking: h, ttl_s: 999999 -> extended  expires_at: @1m50s
after 10s -> nothing
hold r3  customer: c, cart: k, items: [{seats: [A-2]}] -> held
probe p  booking: h -> alive  bookings: [{booking: h, state: held, customer: c, cart: k, units: 1, total: 4500, expires_at: @2m}]
extend r4  customer: c, cart: k, ttl_s: 90 -> extended  expires_at: @2m
define d2  limits: {hold_total_s: 100} -> defined
after 30s -> nothing
extend r5  customer: c, booking: h, ttl_s: 60 -> extended  expires_at: @2m
extend r6  customer: c, booking: r3, ttl_s: 60 -> extended  expires_at: @2m30s
after 10s -> nothing
extend r7  customer: c, booking: r3, ttl_s: 60 -> extended  expires_at: @2m40s
after 20s -> expired
after 40s -> expired
define d3  limits: {hold_total_s: 10} -> defined
hold r8  customer: c, items: [{seats: [A-1]}] -> held  expires_at: @2m50s

== The house holds for weeks, and the web as before
# A school pays later. What the web asks for makes such a hold neither shorter nor longer than the web's own maximum.
define d  $hall, hold_ttl_s: 600, limits: {units_per_customer: 4, hold_total_s: 1800, house_hold_total_s: 2592000} -> defined
hold h  customer: s, cart: k, force: true, ttl_s: 1209600, items: [{seats: [A-1, A-2]}] -> held  expires_at: @14d
hold r1  customer: c, ttl_s: 1209600, items: [{seats: [B-1]}] -> held  expires_at: @10m
hold r2  customer: c, force: true, items: [{seats: [B-2]}] -> held  expires_at: @10m
extend r3  customer: s, booking: h, ttl_s: 31536000 -> extended  expires_at: @14d
extend r4  customer: s, cart: k, ttl_s: 60 -> extended  expires_at: @14d
hold r5  customer: s, cart: k, items: [{seats: [A-3]}] -> held  expires_at: @10m
# Limits count it.
hold r6  customer: s, force: true, items: [{seats: [A-4, B-4]}] -> refused limit_exceeded
extend r7  customer: c, booking: r1, ttl_s: 31536000 -> extended  expires_at: @10m
extend r8  customer: c, booking: r2, force: true, ttl_s: 3600 -> extended  expires_at: @1h
extend r9  force: true, booking: h, ttl_s: 3600 -> invalid malformed
after 10m -> expired
    expired
later 10d
extend r10  customer: s, booking: h, ttl_s: 60 -> extended  expires_at: @14d
probe p  booking: h -> alive  bookings: [{booking: h, state: held, customer: s, cart: k, units: 2, total: 9000, expires_at: @14d}]
# When the house uses the cart its holds begin again, too.
hold r11  customer: s, cart: k, force: true, ttl_s: 60, items: [{seats: [A-4]}] -> held

== Nothing is longer for the house where nothing says so
define d  $hall, hold_ttl_s: 600 -> defined
hold h  customer: s, force: true, ttl_s: 1209600, items: [{seats: [A-1]}] -> held  expires_at: @10m
extend r1  customer: s, booking: h, force: true, ttl_s: 1209600 -> extended  expires_at: @10m
define d2  limits: {house_hold_total_s: 31536000} -> defined
extend r2  customer: s, booking: h, force: true, ttl_s: 1209600 -> extended  expires_at: @14d
define d3  limits: {house_hold_total_s: 60} -> defined
extend r3  customer: s, booking: h, force: true, ttl_s: 1209600 -> extended  expires_at: @14d
# Its maximum stands in place of the others, even when it is less.
hold r4  customer: s, force: true, ttl_s: 1209600, items: [{seats: [A-2]}] -> held  expires_at: @1m
define d4  limits: {} -> defined
hold r5  customer: s, force: true, ttl_s: 1209600, items: [{seats: [A-3]}] -> held  expires_at: @10m

== A school's hold ends like any other
define d  $hall, limits: {house_hold_total_s: 2592000} -> defined
hold h  customer: s, force: true, ttl_s: 1209600, items: [{seats: [A-1]}] -> held  expires_at: @14d
later 10d
extend r1  customer: s, booking: h, force: true, ttl_s: 1209600 -> extended  expires_at: @24d
extend r2  customer: s, booking: h, force: true, ttl_s: 31536000 -> extended  expires_at: @30d
after 20d -> expired  booking: h
confirm r3  customer: s, booking: h -> confirmed

== A school's hold outlasts the show, and can still be paid
define d  $hall, ends_at: @7d, limits: {house_hold_total_s: 2592000} -> defined
hold h  customer: s, force: true, ttl_s: 1209600, items: [{seats: [A-1]}] -> held  expires_at: @14d
hold h2  customer: s, force: true, ttl_s: 1209600, items: [{seats: [A-2]}] -> held  expires_at: @14d
later 8d
extend r1  customer: s, booking: h, ttl_s: 60 -> extended  expires_at: @14d
confirm r2  customer: s, booking: h -> confirmed
after 6d -> expired  booking: h2
confirm r3  customer: s, booking: h2 -> refused hold_expired

== A party of the house is served for as long as the web holds
# The house extends it then.
define d  $hall, limits: {house_hold_total_s: 2592000} -> defined
book b  customer: c, items: [{product: mug, quantity: 10}] -> confirmed
hold w  customer: s, force: true, ttl_s: 1209600, wait_until: @1h, items: [{product: mug, quantity: 1}] -> waiting
exchange r1  customer: c, booking: b, items: [{product: mug, quantity: 8}] -> exchanged
    held  expires_at: @1d
extend r2  customer: s, booking: w, force: true, ttl_s: 1209600 -> extended  expires_at: @14d

== A party is served for as long as the house says by then
define d  $hall -> defined
book b  customer: c, items: [{product: mug, quantity: 10}] -> confirmed
hold w  customer: w, ttl_s: 600, wait_until: @11h43m20s, items: [{product: mug, quantity: 1}] -> waiting
define e  hold_ttl_s: 60 -> defined
exchange r1  customer: c, booking: b, items: [{product: mug, quantity: 8}] -> exchanged
    held  expires_at: @1m

== A booking gets another owner
define d  $hall -> defined
hold h  customer: c, cart: k, items: [{seats: [A-1]}] -> held
transfer r1  customer: c, booking: h, to_customer: d -> transferred  booking: h, customer: d
confirm r2  customer: c, booking: h -> refused not_owner
confirm r3  customer: d, booking: h -> confirmed
# The cart was the old owner's.
cancel r4  customer: d, cart: k -> refused unknown_booking
transfer r5  force: true, to_customer: e, booking: h -> transferred  customer: e
transfer r6  customer: e, to_customer: e, booking: h -> transferred  customer: e

== Seats around one that is kept are one piece
# Its neighbours on both sides are one piece with it: better than another section.
define d  state: open, currency: EUR, sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 3}]}, {section: standing,
    price: 1000, capacity: 5}]
    defined
book a  customer: c, items: [{seats: [A-2]}] -> confirmed  total: 4500
exchange r1  customer: c, booking: a, items: [{sections: [stalls, standing], quantity: 3}]
    exchanged  booking: a, customer: c, units: [{item: 0, section: stalls, seats: [A-2, A-1, A-3], price: 4500}], together: true,
        total: 13500, difference: 9000

== Seats are exchanged in a full hall
define d  $hall -> defined
book a  customer: c, items: [{seats: [A-1, A-2, A-3]}] -> confirmed  total: 13500
book b  customer: c, items: [{seats: [A-4]}, {section: stalls, quantity: 4}] -> confirmed  free: 10
# One seat of a party given back: nothing else is free.
exchange r1  customer: c, booking: a, items: [{seats: [A-1, A-2]}]
    exchanged  booking: a, customer: c, units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 4500}], returned: [{item: 0,
        section: stalls, seats: [A-3], price: 4500}], total: 9000, difference: -4500
# And the other way round, with what is free now.
exchange r2  customer: c, booking: b, items: [{seats: [A-3, A-4]}] -> exchanged  total: 9000, difference: -13500
exchange r3  customer: c, booking: a, items: [{seats: [A-1, A-4]}]
    refused unit_taken  retryable: true, booking: a, customer: c, items: [{item: 0, asked: 2, given: 0, reason: unit_taken, taken: [A-4]}]
cancel r4  customer: c, booking: a -> cancelled  returned: [{item: 0, section: stalls, seats: [A-1, A-2], price: 4500}]

== What is kept keeps its price
define d  $hall -> defined
hold a  customer: c, items: [{product: mug, quantity: 2}] -> held  total: 1600
define e  products: [{product: mug, price: 1000}] -> defined
exchange r1  customer: c, booking: a, items: [{product: mug, quantity: 3}]
    exchanged  units: [{item: 0, product: mug, quantity: 2, price: 800}, {item: 0, product: mug, quantity: 1, price: 1000}], total: 2600,
        difference: 1000
exchange r2  customer: c, booking: a, items: [{product: mug, quantity: 1}] -> exchanged  total: 800, difference: -1800
confirm r3  customer: c, booking: a -> confirmed  total: 800

== What is kept keeps its rate unless another is named
# A child's seat that is kept is not sold to an adult because nobody said so again.
define d  state: open, currency: EUR, sections: [{section: stalls, rates: {adult: 45, child: 25}, rows: [{row: A, seats: 5}]},
    {section: yard, capacity: 9, rates: {adult: 20, child: 10}}]
    defined
book a  customer: c, items: [{seats: [A-1], rate: child}, {seats: [A-2]}, {section: yard, quantity: 2, rate: child}, {section: yard,
    quantity: 1}]
    confirmed  total: 110
exchange r1  customer: c, booking: a, items: [{seats: [A-1, A-2, A-3]}, {section: yard, quantity: 4}]
    exchanged  units: [{item: 0, section: stalls, seats: [A-1], price: 25, rate: child}, {item: 0, section: stalls, seats: [A-2, A-3],
        price: 45, rate: adult}, {item: 1, section: yard, quantity: 1, price: 20, rate: adult}, {item: 1, section: yard, quantity: 2,
        price: 10, rate: child}, {item: 1, section: yard, quantity: 1, price: 20, rate: adult}], total: 175, difference: 65
exchange r2  customer: c, booking: a, items: [{seats: [A-1, A-2], rate: adult}]
    exchanged  units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 45, rate: adult}]

== A party stays where it sits
define d  $hall -> defined
book a  customer: c, items: [{seats: [B-3, B-4]}] -> confirmed
exchange r1  customer: c, booking: a, items: [{section: stalls, quantity: 1}]
    exchanged  units: [{item: 0, section: stalls, seats: [B-3], price: 4500}]
exchange r2  customer: c, booking: a, items: [{section: stalls, quantity: 3}]
    exchanged  units: [{item: 0, section: stalls, seats: [B-3, A-1, A-2], price: 4500}], together: false
# Together: chosen again, its own seats among the free ones.
exchange r3  customer: c, booking: a, items: [{section: stalls, quantity: 4, together: true}]
    exchanged  units: [{item: 0, section: stalls, seats: [A-1, A-2, A-3, A-4], price: 4500}], returned: [{item: 0, section: stalls,
        seats: [B-3], price: 4500}], together: true

== A guest leaves early
define d  state: open, currency: EUR, rooms: [{room: double, from: 2026-12-20, to: 2026-12-28, capacity: 1, price: 100}] -> defined
book s  customer: c, items: [{room: double, from: 2026-12-23, to: 2026-12-27, quantity: 1}] -> confirmed  total: 400
exchange r1  customer: c, booking: s, items: [{room: double, from: 2026-12-23, to: 2026-12-25, quantity: 1}]
    exchanged  returned: [{item: 0, room: double, night: 2026-12-25, tokens: [0], price: 100}, {item: 0, room: double, night: 2026-12-26,
        tokens: [0], price: 100}], total: 200, difference: -200
book t  customer: c, items: [{room: double, from: 2026-12-25, to: 2026-12-27, quantity: 1}] -> confirmed
exchange r2  customer: c, booking: s, items: [{room: double, from: 2026-12-23, to: 2026-12-26, quantity: 1}]
    refused not_enough  retryable: true, booking: s, customer: c, items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0,
        taken: [2026-12-25]}]

== A part is confirmed and the rest returns
define d  $hall -> defined
hold h  customer: c, items: [{seats: [A-1, A-2]}, {product: mug, quantity: 3}] -> held  total: 11400
confirm r1  customer: c, booking: h, items: [{seats: [A-3]}, {product: mug, quantity: 4}]
    refused not_in_booking  retryable: false, booking: h, customer: c, items: [{item: 0, asked: 1, given: 0, reason: not_in_booking,
        taken: [A-3]}, {item: 1, asked: 4, given: 0, reason: not_in_booking}]
confirm r2  customer: c, booking: h, items: [{product: mug, quantity: 1}, {seats: [A-2]}]
    confirmed  booking: h, customer: c, units: [{item: 0, product: mug, quantity: 1, price: 800}, {item: 1, section: stalls, seats: [A-2],
        price: 4500}], returned: [{item: 0, section: stalls, seats: [A-1], price: 4500}, {item: 1, product: mug, quantity: 2, price: 800}],
        total: 5300
book r3  customer: c, items: [{seats: [A-1]}, {product: mug, quantity: 9}] -> confirmed
cancel r4  customer: c, booking: h -> cancelled  total: 5300

== A part is confirmed late
define d  $hall -> defined
hold h  customer: c, ttl_s: 1, items: [{seats: [A-1, A-2]}] -> held
after 1s -> expired
book o  customer: c, items: [{seats: [A-1]}] -> confirmed
confirm r1  customer: c, booking: h -> refused hold_expired
confirm r2  customer: c, booking: h, items: [{seats: [A-2]}] -> confirmed  total: 4500

== A late confirm knows its seats by name
# Rows that came or went elsewhere do not matter; rows in the place of others do.
define d  $hall -> defined
hold h  customer: c, ttl_s: 1, items: [{seats: [B-1, B-2]}] -> held
after 1s -> expired
define e  sections: [{section: stalls, rows: [{row: A, seats: 4}, {row: B, seats: 3}, {row: C, seats: 9}]}] -> defined
confirm r1  customer: c, booking: h, items: [{seats: [B-2]}] -> confirmed
hold g  customer: c, ttl_s: 1, items: [{seats: [B-1]}] -> held
after 1s -> expired
cancel x  customer: c, booking: h -> cancelled
define f  sections: [{section: stalls, rows: [{row: A, seats: 3}, {row: B, seats: 9}]}] -> defined
confirm r2  customer: c, booking: g -> refused hold_expired

== A late confirm tells quotas from seats
# Where all seats exist the answer says how many are free; else which do not.
define d  $hall -> defined
define q  quotas: [{quota: q, pools: [stalls], limit: 2}] -> defined
hold h  customer: c, ttl_s: 1, items: [{seats: [A-1, A-2]}] -> held
after 1s -> expired
book o  customer: c, items: [{seats: [B-1]}] -> confirmed
confirm r1  customer: c, booking: h -> refused hold_expired  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1}]
book p  customer: c, items: [{seats: [A-2]}] -> confirmed
confirm r2  customer: c, booking: h -> refused hold_expired  items: [{item: 0, asked: 2, given: 0, reason: unit_taken, taken: [A-2]}]
cancel x  customer: c, booking: p -> cancelled
confirm r3  customer: c, booking: h, items: [{seats: [A-2]}] -> confirmed

== A part too large to answer is refused
# Of each night one room is sold and one returns: twice what the answer to the hold was.
define d  state: open, currency: EUR, rooms: [{room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01,
    to: 2027-01-02, capacity: 10, rates: {a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h: 1000000000000}}]
    defined
hold h  customer: c, items: [{room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02,
    quantity: 2}, {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 2},
    {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 2},
    {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 2},
    {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 2}]
    held
confirm r1  customer: c, booking: h, items: [{room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01,
    to: 2027-01-02, quantity: 1}, {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02,
    quantity: 1}, {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 1},
    {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 1},
    {room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01, to: 2027-01-02, quantity: 1}]
    refused limit_exceeded
confirm r2  customer: c, booking: h, items: [{room: a_name_of_sixty-four_bytes_is_the_longest_that_a_room_type_can_h, from: 2026-01-01,
    to: 2027-01-02, quantity: 2}]
    confirmed

== A cart is checked out at once
define d  $hall -> defined
hold h1  customer: c, cart: k, items: [{seats: [A-1]}] -> held  cart: k
hold h2  customer: c, cart: k, items: [{product: mug, quantity: 2}] -> held
hold h3  customer: c, cart: other, items: [{seats: [A-4]}] -> held
confirm x  customer: d, cart: k -> refused unknown_booking
confirm r1  customer: c, cart: k, payment: p
    confirmed  customer: c, cart: k, payment: p, units: [{item: 0, section: stalls, seats: [A-1], price: 4500, booking: h1}, {item: 0,
        product: mug, quantity: 2, price: 800, booking: h2}], total: 6100, currency: EUR
confirm r2  customer: c, cart: k -> refused unknown_booking
release r3  customer: c, cart: k -> refused unknown_booking
cancel r4  customer: c, cart: k
    cancelled  customer: c, cart: k, returned: [{item: 0, section: stalls, seats: [A-1], price: 4500, booking: h1}, {item: 0, product: mug,
        quantity: 2, price: 800, booking: h2}]
release r5  customer: c, booking: h3 -> released  free: 18

== Every use of a cart keeps its holds
define d  $hall -> defined
hold h1  customer: c, cart: k, ttl_s: 60, items: [{seats: [A-1]}] -> held
after 50s -> nothing
# The first one lasts, by its own time.
hold h2  customer: c, cart: k, ttl_s: 100, items: [{seats: [A-2]}] -> held
after 50s -> nothing
release r1  customer: c, booking: h2, cart: k -> released
after 50s -> nothing
extend r2  customer: c, cart: k, ttl_s: 20 -> extended  expires_at: @3m30s
# A refusal is no use.
hold r3  customer: c, cart: k, items: [{seats: [A-1]}] -> refused unit_taken
after 1m -> expired

== A late cart is confirmed whole or not
define d  $hall -> defined
hold old  customer: c, cart: k, ttl_s: 1, items: [{seats: [B-1]}] -> held
after 1s -> expired
after 1s -> nothing
hold h1  customer: c, cart: k, ttl_s: 1, items: [{seats: [A-1]}] -> held
hold h2  customer: c, cart: k, ttl_s: 5, items: [{seats: [A-2]}] -> held
after 1s -> expired  booking: h1
book o  customer: c, items: [{seats: [A-1]}] -> confirmed
confirm r1  customer: c, cart: k -> refused hold_expired
cancel r2  customer: c, booking: o -> cancelled
# What ended before this cart began is a thing of the past.
confirm r3  customer: c, cart: k -> confirmed  total: 9000

== A late cart that is refused keeps nothing
define d  $hall -> defined
hold h1  customer: c, cart: k, ttl_s: 1, items: [{seats: [A-1]}] -> held
hold h2  customer: c, cart: k, ttl_s: 2, items: [{seats: [A-2]}] -> held
after 1s -> expired  booking: h1
after 1s -> expired  booking: h2
book o  customer: c, items: [{seats: [A-2]}] -> confirmed
confirm r1  customer: c, cart: k -> refused hold_expired
book p  customer: c, items: [{seats: [A-1]}] -> confirmed

== Whoever ends a booking may say why
# A repeat has it, too, and another note is another request.
define d  $hall -> defined
hold h  customer: c, note: by the door, items: [{seats: [A-1]}] -> held  booking: h
book s  customer: c, cart: k, items: [{seats: [A-2]}] -> confirmed
book t  customer: c, cart: k, items: [{seats: [A-3]}] -> confirmed
block b  items: [{seats: [B-1]}] -> blocked
hold w  customer: c, wait_until: 2030-01-01T00:00:00Z, items: [{seats: [B-1]}] -> waiting
cancel r1  customer: c, note: ill, booking: h -> refused not_confirmed  retryable: false, booking: h
release r2  customer: c, note: "no \"show\"", booking: h
    released  detail: "no \"show\"", booking: h, customer: c, returned: [{item: 0, section: stalls, seats: [A-1], price: 4500}]
release r2  customer: c, note: "no \"show\"", booking: h -> released  detail: "no \"show\"", booking: h
release r2  customer: c, note: late, booking: h -> refused id_reused
cancel r3  customer: c, cart: k, note: ill
    cancelled  detail: ill, customer: c, cart: k, returned: [{item: 0, section: stalls, seats: [A-2], price: 4500, booking: s}, {item: 0,
        section: stalls, seats: [A-3], price: 4500, booking: t}]
leave r4  customer: c, note: went home, booking: w -> left  detail: went home, booking: w
unblock r5  note: repaired, booking: b -> released  detail: repaired, booking: b
book x  customer: c, items: [{seats: [A-1]}] -> confirmed
cancel r6  customer: c, note: "", booking: x -> cancelled  booking: x

-- Elsewhere

== Exchange works with nothing free
define r1  state: open, sections: [{section: floor, capacity: 3, price: 1000}] -> defined
hold r2  customer: c, items: [{section: floor, quantity: 2}] -> held  free: 1
book r3  customer: d, items: [{section: floor, quantity: 1}] -> confirmed  free: 0
exchange r4  customer: c, booking: r2, items: [{section: floor, quantity: 2}] -> exchanged  difference: 0, free: 0
exchange r5  customer: c, booking: r2, items: [{section: floor, quantity: 3}]
    refused not_enough  items: [{item: 0, asked: 3, given: 0, reason: not_enough, free: 2}], free: 0
exchange r6  customer: c, booking: r2, items: [{section: floor, quantity: 1}]
    exchanged  returned: [{item: 0, section: floor, quantity: 1, price: 1000}], difference: -1000, free: 1
probe r7 -> alive  pools: [{section: floor, free: 1, held: 1, sold: 1, ...}], free: 1

== Exchange of nights keeps its own tokens
define r1  state: open, currency: GBP, rooms: [{room: double, from: 2026-12-20, to: 2026-12-30, capacity: 3, price: 12900}, {room: double,
    from: 2026-12-24, to: 2026-12-27, price: 18900}, {room: single, from: 2026-12-20, to: 2026-12-25, capacity: 2, price: 8000}]
    defined
book r2  customer: early, items: [{room: double, from: 2026-12-20, to: 2026-12-23, quantity: 1}]
    confirmed  units: [{item: 0, room: double, night: 2026-12-20, tokens: [0], price: 12900}, {item: 0, room: double, night: 2026-12-21,
        tokens: [0], price: 12900}, {item: 0, room: double, night: 2026-12-22, tokens: [0], price: 12900}]
book r3  customer: c, items: [{room: double, from: 2026-12-21, to: 2026-12-23, quantity: 1}]
    confirmed  units: [{item: 0, room: double, night: 2026-12-21, tokens: [1], price: 12900}, {item: 0, room: double, night: 2026-12-22,
        tokens: [1], price: 12900}]
cancel r4  customer: early, booking: r2
    cancelled  returned: [{item: 0, room: double, night: 2026-12-20, tokens: [0], price: 12900}, {item: 0, room: double, night: 2026-12-21,
        tokens: [0], price: 12900}, {item: 0, room: double, night: 2026-12-22, tokens: [0], price: 12900}]
exchange r5  customer: c, booking: r3, items: [{room: double, from: 2026-12-22, to: 2026-12-24, quantity: 1}]
    exchanged  units: [{item: 0, room: double, night: 2026-12-22, tokens: [1], price: 12900}, {item: 0, room: double, night: 2026-12-23,
        tokens: [0], price: 12900}], returned: [{item: 0, room: double, night: 2026-12-21, tokens: [1], price: 12900}], difference: 0

== Exchange gives back seats that the item refuses
define r1  state: open, sections: [{section: stalls, price: 1, rows: [{row: A, seats: 6, features: {aisle: [1, 6]}}]}] -> defined
hold r2  customer: c, items: [{seats: [A-1, A-2]}] -> held  units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 1}]
exchange r3  customer: c, booking: r2, items: [{section: stalls, quantity: 3, avoid: [aisle]}]
    exchanged  units: [{item: 0, section: stalls, seats: [A-2, A-3, A-4], price: 1}], returned: [{item: 0, section: stalls, seats: [A-1],
        price: 1}], together: true

-- In the hall
define r1  state: open, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]
    defined

== Extend never shortens
hold r2  customer: c, items: [{seats: [A-1]}], ttl_s: 600 -> held  expires_at: @10m
extend r3  customer: c, booking: r2, ttl_s: 1 -> extended  expires_at: @10m

== Extend says by how much
hold r2  customer: c, items: [{seats: [A-1]}] -> held
extend r3  customer: c, booking: r2 -> invalid malformed

== Transfer changes the owner (hold)
hold r2  customer: old, cart: k, items: [{seats: [A-1, BA-11]}] -> held  customer: old, free: 34
transfer r3  customer: old, booking: r2, to_customer: new -> transferred  customer: new, free: 34
release r4  customer: old, booking: r2 -> refused not_owner  customer: old, free: 34
confirm r5  customer: old, cart: k -> refused unknown_booking  customer: old, free: 34
confirm r6  customer: new, cart: k -> refused unknown_booking  customer: new, free: 34
confirm r7  customer: new, booking: r2 -> confirmed  customer: new, free: 34

== Transfer changes the owner (book)
book r2  customer: old, cart: k, items: [{seats: [A-1, BA-11]}] -> confirmed  customer: old, free: 34
transfer r3  customer: old, booking: r2, to_customer: new -> transferred  customer: new, free: 34
cancel r4  customer: old, booking: r2 -> refused not_owner  customer: old, free: 34
cancel r5  customer: old, cart: k -> refused unknown_booking  customer: old, free: 34
cancel r6  customer: new, cart: k -> refused unknown_booking  customer: new, free: 34
cancel r7  customer: new, booking: r2 -> cancelled  customer: new, free: 36

== Transfer keeps the hold time and the price
hold r2  customer: old, items: [{seats: [A-1]}], ttl_s: 60 -> held  total: 4500, expires_at: @1m
define r3  sections: [{section: stalls, price: 9900}] -> defined
transfer r4  customer: old, booking: r2, to_customer: new -> transferred  total: 4500, expires_at: @1m
extend r5  customer: new, booking: r2, ttl_s: 1 -> extended  total: 4500, expires_at: @1m
confirm r6  customer: new, booking: r2 -> confirmed  total: 4500

== Transfer says to whom
hold r2  customer: c, items: [{seats: [A-1]}] -> held
transfer r3  customer: c, booking: r2 -> invalid malformed

== Exchange keeps gives back and takes in one step
hold r2  customer: c, items: [{seats: [A-1, A-2]}]
    held  units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 4500}], total: 9000, free: 34
define r3  sections: [{section: stalls, price: 5000}] -> defined  free: 34
exchange r4  customer: c, booking: r2, items: [{seats: [A-2, B-1, BA-11]}]
    exchanged  units: [{item: 0, section: stalls, seats: [A-2], price: 4500}, {item: 0, section: stalls, seats: [B-1], price: 5000},
        {item: 0, section: balcony, seats: [BA-11], price: 3000}], returned: [{item: 0, section: stalls, seats: [A-1], price: 4500}],
        total: 12500, difference: 3500, free: 33
probe r5
    alive  pools: [{section: stalls, free: 16, held: 2, ...}, {section: balcony, free: 4, held: 1, ...}, {section: standing, free: 10, ...},
        {product: programme, free: 3, ...}], free: 33
confirm r6  customer: c, booking: r2
    confirmed  units: [{item: 0, section: stalls, seats: [A-2], price: 4500}, {item: 0, section: stalls, seats: [B-1], price: 5000},
        {item: 0, section: balcony, seats: [BA-11], price: 3000}], total: 12500, free: 33

== Exchange of what is sold leaves it sold
book r2  customer: c, items: [{seats: [A-1]}], payment: p -> confirmed  expires_at: absent
exchange r3  customer: c, booking: r2, items: [{seats: [BA-11]}] -> exchanged  difference: -1500, expires_at: absent
probe r4
    alive  pools: [{section: stalls, free: 18, ...}, {section: balcony, free: 4, sold: 1, ...}, {section: standing, free: 10, ...},
        {product: programme, free: 3, ...}]

== Exchange keeps the end of a hold
hold r2  customer: c, items: [{seats: [A-1]}], ttl_s: 60 -> held  expires_at: @1m
exchange r3  customer: c, booking: r2, items: [{seats: [A-2]}] -> exchanged  expires_at: @1m
extend r4  customer: c, booking: r2, ttl_s: 1 -> extended  expires_at: @1m

== Exchange that is refused leaves everything as it was
hold r2  customer: c, items: [{seats: [A-1, A-2]}, {section: standing, quantity: 2}]
    held  units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 4500}, {item: 1, section: standing, quantity: 2, price: 2000}]
hold r3  customer: d, items: [{seats: [A-3]}] -> held  units: [{item: 0, section: stalls, seats: [A-3], price: 4500}]
exchange r4  customer: c, booking: r2, items: [{seats: [A-2, A-3]}] -> refused unit_taken
exchange r5  customer: c, booking: r2, items: [{seats: [A-9]}] -> refused unknown_seat
exchange r6  customer: c, booking: r2, items: [{section: standing, quantity: 11}] -> refused not_enough
exchange r7  customer: c, booking: r2, items: [{section: pit, quantity: 1}] -> refused unknown_pool
exchange r8  customer: c, booking: r2, items: [{seats: [A-1], rate: child}] -> refused unknown_rate
probe r9
    alive  pools: [{section: stalls, free: 15, held: 3, ...}, {section: balcony, free: 5, ...}, {section: standing, free: 8, held: 2, ...},
        {product: programme, free: 3, ...}]
confirm r10  customer: c, booking: r2
    confirmed  units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 4500}, {item: 1, section: standing, quantity: 2, price: 2000}]

== Exchange does not ask whether it is on sale
hold r2  customer: c, items: [{seats: [A-1]}] -> held
close r3 -> defined
exchange r4  customer: c, booking: r2, items: [{seats: [A-2]}] -> exchanged

== Exchange of places keeps the price of those it had
hold r2  customer: c, items: [{section: standing, quantity: 2}]
    held  units: [{item: 0, section: standing, quantity: 2, price: 2000}], total: 4000
define r3  sections: [{section: standing, price: 2600}] -> defined
exchange r4  customer: c, booking: r2, items: [{section: standing, quantity: 3}]
    exchanged  units: [{item: 0, section: standing, quantity: 2, price: 2000}, {item: 0, section: standing, quantity: 1, price: 2600}],
        total: 6600, difference: 2600

== Exchange for fewer seats keeps the first of its own
hold r2  customer: c, items: [{seats: [C-3, B-2, C-1, C-2]}]
    held  units: [{item: 0, section: stalls, seats: [C-3, B-2, C-1, C-2], price: 4500}]
exchange r3  customer: c, booking: r2, items: [{section: stalls, quantity: 2}]
    exchanged  units: [{item: 0, section: stalls, seats: [B-2, C-1], price: 4500}], returned: [{item: 0, section: stalls, seats: [C-3, C-2],
        price: 4500}]

== Exchange for more seats keeps all of its own
hold r2  customer: c, items: [{seats: [C-4, C-5]}]
    held  units: [{item: 0, section: stalls, seats: [C-4, C-5], price: 4500}], returned: absent
exchange r3  customer: c, booking: r2, items: [{section: stalls, quantity: 4}]
    exchanged  units: [{item: 0, section: stalls, seats: [C-4, C-5, A-1, A-2], price: 4500}], together: false, difference: 9000,
        returned: absent

== Exchange for seats together chooses again
# Its own seats count as free, but a party that wants to sit together may have to move.
book r2  customer: d, items: [{seats: [C-3, C-6]}] -> confirmed  units: [{item: 0, section: stalls, seats: [C-3, C-6], price: 4500}]
hold r3  customer: c, items: [{seats: [C-4, C-5]}] -> held  units: [{item: 0, section: stalls, seats: [C-4, C-5], price: 4500}]
exchange r4  customer: c, booking: r3, items: [{section: stalls, quantity: 4, together: true}]
    exchanged  units: [{item: 0, section: stalls, seats: [A-1, A-2, A-3, A-4], price: 4500}], returned: [{item: 0, section: stalls,
        seats: [C-4, C-5], price: 4500}], together: true, difference: 9000

== Exchange may change everything
hold r2  customer: c, items: [{seats: [A-1]}, {product: programme, quantity: 3}]
    held  units: [{item: 0, section: stalls, seats: [A-1], price: 4500}, {item: 1, product: programme, quantity: 3, price: 500}],
        total: 6000
exchange r3  customer: c, booking: r2, items: [{section: standing, quantity: 10}]
    exchanged  units: [{item: 0, section: standing, quantity: 10, price: 2000}], returned: [{item: 0, section: stalls, seats: [A-1],
        price: 4500}, {item: 1, product: programme, quantity: 3, price: 500}], total: 20000, difference: 14000
probe r4
    alive  pools: [{section: stalls, free: 18, ...}, {section: balcony, free: 5, ...}, {section: standing, held: 10, ...},
        {product: programme, free: 3, ...}]
exchange r5  customer: c, booking: r2, items: [{seats: [A-1]}]
    exchanged  units: [{item: 0, section: stalls, seats: [A-1], price: 4500}], returned: [{item: 0, section: standing, quantity: 10,
        price: 2000}], total: 4500, difference: -15500

-- With as many seats as one booking may have, whose names are as long as names may be
let names  state: open, sections: [{section: s, price: 1, rows: [{row: TheUppermostOfAllCirclesBehindTheGreatChandelierInTheMiddle, seats: 3999}, {row: B, seats: 1}]}]
let places  sections: [{section: s, price: 1, rows: [{row: TheUppermostOfAllCirclesBehindTheGreatChandelierInTheMiddle, seats: 3999}, {row: B, seats: 1,
    numbers: [one]}]}]
define d  $names -> defined

== Places for people that would make an answer too large are left out when a booking is cancelled
book r1  customer: c, items: [{section: s, quantity: 4000}] -> confirmed  units: [{places: absent, ...}]
define r2  $places -> defined
book r3  customer: d, items: [{section: s, quantity: 1}] -> refused not_enough
cancel r4  customer: c, booking: r1 -> cancelled  returned: [{places: absent, ...}], total: 4000
book r5  customer: d, items: [{seats: [B-1]}] -> confirmed  units: [{places: ["row B, seat one"], ...}]

== Places for people that would make an answer too large are left out when a hold expires
hold r1  customer: c, items: [{section: s, quantity: 4000}] -> held
define r2  $places -> defined
after 15m -> expired  booking: r1, returned: [{places: absent, ...}]

== Places for people that would make a refusal too large are left out
hold r1  customer: c, items: [{section: s, quantity: 4000}] -> held
define r2  $places -> defined
after 15m -> expired  booking: r1
book r3  customer: d, items: [{section: s, quantity: 2000}] -> confirmed  units: [{places: [...], ...}]
book r4  customer: d, items: [{section: s, quantity: 2000}] -> confirmed
confirm r5  customer: c, booking: r1 -> refused hold_expired  items: [{asked: 4000, reason: unit_taken, places: absent, ...}]

== Places for people that would make an answer too large are left out when a party is served
book r1  customer: d, items: [{section: s, quantity: 4000}] -> confirmed
hold r2  customer: c, wait_until: @1h, items: [{section: s, quantity: 4000}] -> waiting
define r3  $places -> defined
cancel r4  customer: d, booking: r1 -> cancelled
    held  booking: r2, units: [{places: absent, ...}]
