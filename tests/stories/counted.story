# Decisions about units that are only counted: which price those have that a booking keeps, what a part of it is, how many of a block
# are left, and how many are beyond what there is.

let shop  state: open, currency: EUR, products: [{product: mug, capacity: 4000, rates: {adult: 800, child: 500}}]
let floor  state: open, currency: EUR, products: [{product: mug, capacity: 4, overbook: 3, price: 7}], sections: [{section: pit,
    capacity: 2, overbook: 1, price: 5}]

== Those of the same rate keep their price
define d  $shop -> defined
book a  customer: c, items: [{product: mug, quantity: 2, rate: adult}, {product: mug, quantity: 3, rate: child}] -> confirmed  total: 3100
define e  products: [{product: mug, rates: {adult: 900, child: 600}}] -> defined
# Of the child's three two are kept, at their price; of the adult's all, and one comes.
exchange r1  customer: c, booking: a, items: [{product: mug, quantity: 2, rate: child}, {product: mug, quantity: 3, rate: adult}]
    exchanged  units: [{item: 0, product: mug, quantity: 2, price: 500, rate: child}, {item: 1, product: mug, quantity: 2, price: 800,
        rate: adult}, {item: 1, product: mug, quantity: 1, price: 900, rate: adult}]
# Those of another rate are exchanged for today's price, after those of the same.
exchange r2  customer: c, booking: a, items: [{product: mug, quantity: 4, rate: child}]
    exchanged  units: [{item: 0, product: mug, quantity: 2, price: 500, rate: child}, {item: 0, product: mug, quantity: 2, price: 600,
        rate: child}], returned: [{item: 1, product: mug, quantity: 1, price: 900, rate: adult}], total: 2200
exchange r3  customer: c, booking: a, items: [{product: mug, quantity: 1, rate: adult}]
    exchanged  units: [{item: 0, product: mug, quantity: 1, price: 900, rate: adult}], returned: [{item: 0, product: mug, quantity: 1,
        price: 500, rate: child}, {item: 0, product: mug, quantity: 2, price: 600, rate: child}], total: 900

== An exchange has its own units to take
# Its own units are free for it: an exchange needs no more than the difference.
define d  state: open, currency: EUR, products: [{product: mug, capacity: 10, price: 7}] -> defined
hold a  customer: c, items: [{product: mug, quantity: 6}] -> held  free: 4
hold b  customer: c, items: [{product: mug, quantity: 3}] -> held  free: 1
exchange r1  customer: c, booking: a, items: [{product: mug, quantity: 8}]
    refused not_enough  items: [{item: 0, asked: 8, given: 0, reason: not_enough, free: 7}]
exchange r2  customer: c, booking: a, items: [{product: mug, quantity: 7}] -> exchanged  total: 49, difference: 7
exchange r3  customer: c, booking: a, items: [{product: mug, quantity: 2}, {product: mug, quantity: 3}]
    exchanged  units: [{item: 0, product: mug, quantity: 2, price: 7}, {item: 1, product: mug, quantity: 3, price: 7}], returned: [{item: 0,
        product: mug, quantity: 2, price: 7}], total: 35
release r4  customer: c, booking: a -> released  free: 7

== A partial confirm splits a line
define d  $shop -> defined
hold a  customer: c, items: [{product: mug, quantity: 1000, rate: adult}, {product: mug, quantity: 1000, rate: child}] -> held
confirm r1  customer: c, booking: a, items: [{product: mug, quantity: 1001, rate: child}]
    refused not_in_booking  retryable: false, booking: a, customer: c, items: [{item: 0, asked: 1001, given: 0, reason: not_in_booking}]
confirm r2  customer: c, booking: a, items: [{product: mug, quantity: 300, rate: child}, {product: mug, quantity: 900}, {product: mug,
    quantity: 200}]
    confirmed  units: [{item: 0, product: mug, quantity: 300, price: 500, rate: child}, {item: 1, product: mug, quantity: 900, price: 800,
        rate: adult}, {item: 2, product: mug, quantity: 100, price: 800, rate: adult}, {item: 2, product: mug, quantity: 100, price: 500,
        rate: child}], returned: [{item: 1, product: mug, quantity: 600, price: 500, rate: child}], total: 1000000
cancel r3  customer: c, booking: a -> cancelled  free: 4000

== An expired hold of what has rows now is gone
# What it was counted in has got rows since: it cannot be had again, nor a part of it.
define d  state: open, currency: EUR, sections: [{section: pit, capacity: 9}], products: [{product: mug, capacity: 9}] -> defined
hold a  customer: c, items: [{section: pit, quantity: 3}, {product: mug, quantity: 2}] -> held
hold s  customer: c, items: [{section: pit, quantity: 2}] -> held
after 15m -> expired
define e  sections: [{section: pit, rows: [{row: P, seats: 9}]}] -> defined
confirm r1  customer: c, booking: s
    refused hold_expired  retryable: false, booking: s, customer: c, items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 0}]
confirm r2  customer: c, booking: a, items: [{section: pit, quantity: 1}] -> refused hold_expired
confirm r5  customer: c, booking: a, items: [{seats: [P-1]}] -> refused not_in_booking
confirm r3  customer: c, booking: a, items: [{product: mug, quantity: 1}]
    confirmed  units: [{item: 0, product: mug, quantity: 1, price: 0}], total: 0
cancel r4  customer: c, booking: a -> cancelled  free: 18

== An expired hold of what had rows is gone
# And the other way round: the seats that it had are no more.
define d  state: open, currency: EUR, sections: [{section: pit, rows: [{row: P, seats: 9}]}], products: [{product: mug, capacity: 9}]
    defined
hold a  customer: c, items: [{section: pit, quantity: 3}, {product: mug, quantity: 2}] -> held
after 15m -> expired
define e  sections: [{section: pit, capacity: 9}] -> defined
confirm r1  customer: c, booking: a -> refused hold_expired
confirm r2  customer: c, booking: a, items: [{section: pit, quantity: 1}] -> refused hold_expired
confirm r3  customer: c, booking: a, items: [{product: mug, quantity: 1}]
    confirmed  units: [{item: 0, product: mug, quantity: 1, price: 0}], total: 0

== A block is sold from by quantity
define d  $shop -> defined
block b  items: [{product: mug, quantity: 10}, {product: mug, quantity: 5}] -> blocked
block x  items: [{product: mug, quantity: 3985}] -> blocked
hold r0  customer: c, items: [{product: mug, quantity: 1}] -> refused not_enough
book r1  customer: c, from_block: b, items: [{product: mug, quantity: 12, rate: child}]
    confirmed  units: [{item: 0, product: mug, quantity: 12, price: 500, rate: child}], total: 6000
book r2  customer: c, from_block: b, items: [{product: mug, quantity: 4}]
    refused not_enough  items: [{item: 0, asked: 4, given: 0, reason: not_enough, free: 3}]
book r3  customer: c, from_block: b, items: [{product: mug, quantity: 1}, {product: mug, quantity: 1}] -> confirmed  total: 1600
unblock u  booking: b -> released  returned: [{item: 1, product: mug, quantity: 1, price: 0}]
cancel r4  customer: c, booking: r1 -> cancelled  free: 13

== What is taken beyond the capacity is overbooked
define d  $floor -> defined
book r1  customer: c, items: [{product: mug, quantity: 4}, {section: pit, quantity: 2}]
    confirmed  units: [{item: 0, product: mug, quantity: 4, price: 7}, {item: 1, section: pit, quantity: 2, price: 5}], total: 38
book r2  customer: c, items: [{product: mug, quantity: 1}] -> confirmed  overbooked: 1
# Two are beyond, but only one is this booking's.
book r3  customer: c, items: [{product: mug, quantity: 1}] -> confirmed  overbooked: 1
cancel r4  customer: c, booking: r1 -> cancelled
book r5  customer: c, items: [{product: mug, quantity: 2}] -> confirmed  units: [{item: 0, product: mug, quantity: 2, price: 7}], total: 14
# Of several items and pools together.
book r6  customer: c, items: [{product: mug, quantity: 1}, {section: pit, quantity: 2}, {product: mug, quantity: 2}, {section: pit,
    quantity: 1}]
    confirmed  overbooked: 4
book r7  customer: c, items: [{product: mug, quantity: 1}] -> refused not_enough

== A confirm counts what is left beyond
# What a partial confirm gives back no longer counts; the bookings of a cart count together.
define d  $floor -> defined
hold r1  customer: c, items: [{product: mug, quantity: 3}] -> held
hold r2  customer: c, items: [{product: mug, quantity: 4}] -> held  overbooked: 3
confirm r3  customer: c, booking: r2, items: [{product: mug, quantity: 2}] -> confirmed  overbooked: 1
hold r4  customer: c, cart: k, items: [{product: mug, quantity: 1}] -> held  overbooked: 1
hold r5  customer: c, cart: k, items: [{product: mug, quantity: 1}, {section: pit, quantity: 3}] -> held  overbooked: 2
confirm r6  customer: c, cart: k -> confirmed  overbooked: 3
