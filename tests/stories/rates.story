# Rates that end: at a limit of units, at a time; and price tiers, which are rates in their order.

let pit  sections: [{section: pit, capacity: 10, rates: {early: 20, late: 30}}]

== Early birds: the first three at 20
define d  state: open, $pit, quotas: [{quota: birds, rate: early, pools: [pit], limit: 3}] -> defined
hold a  customer: c, items: [{section: pit, quantity: 2}] -> held  total: 40, units: [{item: 0, section: pit, quantity: 2, price: 20, rate: early}]
# Whole or nothing: a party is not split over steps.
hold b  customer: d, items: [{section: pit, quantity: 2}] -> held  total: 60, units: [{item: 0, section: pit, quantity: 2, price: 30, rate: late}]
hold n  customer: d, items: [{section: pit, quantity: 2, rate: early}]
    refused not_enough  retryable: true, items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1, rate: early}]
# Who may be split asks in two items.
hold s  customer: e, items: [{section: pit, quantity: 1}, {section: pit, quantity: 1}] -> held  total: 50
confirm ca  customer: c, booking: a -> confirmed  total: 40
# Units that come back return to their rate.
cancel xa  customer: c, booking: a -> cancelled
hold f  customer: f, items: [{section: pit, quantity: 2}] -> held  total: 40
# The pool has fewer units than the rate.
hold g  customer: g, items: [{section: pit, quantity: 5, rate: late}]
    refused not_enough  items: [{item: 0, asked: 5, given: 0, reason: not_enough, free: 4}]

== A pool with a price of its own keeps it
define d  state: open, sections: [{section: pit, capacity: 9, rates: {early: 20, standard: 30}}],
    quotas: [{quota: birds, rate: early, pools: [pit], limit: 3}]
    defined
hold a  customer: c, items: [{section: pit, quantity: 1}] -> held  total: 30
hold b  customer: c, items: [{section: pit, quantity: 1, rate: early}] -> held  total: 20
define e  sections: [{section: yard, capacity: 5, price: 7}], quotas: [{quota: yard, rate: standard, pools: [yard], limit: 2}] -> defined
hold y  customer: c, items: [{section: yard, quantity: 3}]
    refused not_enough  items: [{item: 0, asked: 3, given: 0, reason: not_enough, free: 2, rate: standard}]
hold z  customer: c, items: [{section: yard, quantity: 2}] -> held  total: 14

== A rate is sold until a time
define d  state: open, $pit, quotas: [{quota: birds, rate: early, pools: [pit], closes_at: @1h}] -> defined
hold a  customer: c, ttl_s: 60, items: [{section: pit, quantity: 4}] -> held  total: 80
after 1m -> expired  booking: a
hold b  customer: c, items: [{section: pit, quantity: 4, rate: early}] -> held  total: 80
confirm cb  customer: c, booking: b -> confirmed
after 1h
hold n  customer: c, items: [{section: pit, quantity: 1, rate: early}]
    refused not_enough  retryable: false, items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0, rate: early}]
hold e  customer: d, items: [{section: pit, quantity: 1}] -> held  total: 30
# A late confirm keeps its price, and so does what an exchange keeps.
confirm ca  customer: c, booking: a -> confirmed  total: 80
exchange xb  customer: c, booking: b, items: [{section: pit, quantity: 5}] -> exchanged  total: 110

== The end of a rate is judged by when a request was appended
also late
define d  state: open, $pit, quotas: [{quota: birds, rate: early, pools: [pit], closes_at: @20s}] -> defined
after 19s999ms -> nothing
book a  customer: c, items: [{section: pit, quantity: 4}] -> confirmed  total: 80
after 1ms -> nothing
book b  customer: c, items: [{section: pit, quantity: 4}] -> confirmed  total: 120
book n  customer: c, items: [{section: pit, quantity: 2, rate: early}] -> refused not_enough  retryable: false

== A probe says what is left at each rate
define d  state: open, $pit, products: [{product: mug, capacity: 5, price: 3}], quotas: [{quota: birds, rate: early, pools: [pit], limit: 3},
    {quota: last, rate: late, pools: [pit], closes_at: @1h}]
    defined
hold a  customer: c, items: [{section: pit, quantity: 2}] -> held
probe p  -> alive  pools: [{section: pit, free: 8, held: 2, sold: 0, blocked: 0, total: 10, rates: {early: 20, late: 30},
    left_at_rates: {early: 1}}, {product: mug, free: 5, held: 0, sold: 0, blocked: 0, total: 5, rates: {standard: 3}}]
release b  customer: c, booking: a -> released
after 1h -> nothing
probe q  items: [{section: pit}] -> alive  pools: [{section: pit, free: 10, held: 0, sold: 0, blocked: 0, total: 10,
    rates: {early: 20, late: 30}, left_at_rates: {early: 3, late: 0}}]

== A limit over several pools
define d  state: open, sections: [{section: pit, capacity: 9, rates: {early: 20, late: 30}}, {section: stalls, rows: [{row: A, seats: 6}],
    rates: {early: 40, late: 50}}], quotas: [{quota: birds, rate: early, pools: [pit, stalls], limit: 3}]
    defined
hold a  customer: c, items: [{seats: [A-1, A-2]}] -> held  total: 80
hold b  customer: c, items: [{section: pit, quantity: 1, rate: early}] -> held  total: 20
hold n  customer: c, items: [{seats: [A-3, A-4], rate: early}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 0, rate: early}]
hold e  customer: c, items: [{section: stalls, quantity: 2}] -> held  total: 100
release rb  customer: c, booking: b -> released
hold p  customer: c, shortage: partial, items: [{section: stalls, quantity: 2, rate: early}]
    held  total: 40, items: [{item: 0, asked: 2, given: 1, reason: not_enough, free: 1, rate: early}]

== Of rooms a limit is for each night
define d  state: open, rooms: [{room: double, from: 2030-01-01, to: 2030-01-05, capacity: 4, rates: {early: 100, late: 150}}],
    quotas: [{quota: birds, rate: early, pools: [double], limit: 1}]
    defined
book a  customer: c, items: [{room: double, from: 2030-01-01, to: 2030-01-03, quantity: 1}] -> confirmed  total: 200
book b  customer: c, items: [{room: double, from: 2030-01-02, to: 2030-01-04, quantity: 1}] -> confirmed  total: 250
book n  customer: c, items: [{room: double, from: 2030-01-02, to: 2030-01-05, quantity: 1, rate: early}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0, taken: [2030-01-02, 2030-01-03], rate: early}]
book e  customer: c, items: [{room: double, from: 2030-01-04, to: 2030-01-05, quantity: 2}] -> confirmed  total: 300

== An exchange keeps the price, and takes again what it gives back
define d  state: open, sections: [{section: stalls, rows: [{row: A, seats: 6}], rates: {early: 20, late: 30}}],
    quotas: [{quota: birds, rate: early, pools: [stalls], limit: 2}]
    defined
book a  customer: c, items: [{seats: [A-1, A-2]}] -> confirmed  total: 40
# Another seat at the same rate, though the rate has no more units.
exchange x  customer: c, booking: a, items: [{seats: [A-2, A-3], rate: early}] -> exchanged  total: 40
exchange y  customer: c, booking: a, items: [{seats: [A-2, A-3, A-4]}] -> exchanged  total: 70
# The first item takes what the second keeps: it is refused, and the other order is not.
exchange z  customer: c, booking: a, items: [{seats: [A-5], rate: early}, {seats: [A-2, A-3]}]
    refused not_enough  items: [{item: 1, asked: 2, given: 0, reason: not_enough, free: 0, rate: early}]
exchange v  customer: c, booking: a, items: [{seats: [A-2]}, {seats: [A-5], rate: early}] -> exchanged  total: 40
block k  items: [{seats: [A-1]}] -> blocked
book u  customer: d, from_block: k, items: [{seats: [A-1]}] -> confirmed  total: 30

== Who waits for a rate waits for that rate
define d  state: open, hold_ttl_s: 86400, $pit, quotas: [{quota: birds, rate: early, pools: [pit], limit: 2, closes_at: @2h}] -> defined
book a  customer: c, items: [{section: pit, quantity: 2}] -> confirmed  total: 40
hold w  customer: d, wait_until: @5h, items: [{section: pit, quantity: 1, rate: early}] -> waiting  position: 1, expires_at: @2h
book b  customer: e, items: [{section: pit, quantity: 8}] -> confirmed  total: 240
hold v  customer: e, wait_until: @5h, items: [{section: pit, quantity: 1}] -> waiting  position: 2, expires_at: @5h
# It would wait in vain: the rate has never so many.
hold n  customer: f, wait_until: @5h, items: [{section: pit, quantity: 3, rate: early}] -> refused not_enough
exchange x  customer: e, booking: b, items: [{section: pit, quantity: 7}] -> exchanged  total: 210
    held  booking: v, total: 30
hold u  customer: e, wait_until: @5h, items: [{section: pit, quantity: 1, rate: early}] -> waiting  position: 2
cancel ca  customer: c, booking: a -> cancelled
    held  booking: w, total: 20
    held  booking: u, total: 20
hold t  customer: t, wait_until: @5h, items: [{section: pit, quantity: 1, rate: early}] -> waiting
define e  quotas: [{quota: birds, rate: early, pools: [pit], closes_at: @1h}] -> defined
    waiting  booking: t, expires_at: @1h
after 1h -> left  booking: t, cause: expiry

== Each member of a party has its rate
define d  state: open, sections: [{section: pit, capacity: 20, rates: {early: 20, child: 10, late: 30}}],
    quotas: [{quota: birds, rate: early, pools: [pit], limit: 3}, {quota: kids, rate: child, pools: [pit], limit: 2, closes_at: @1h}]
    defined
hold a  customer: c, items: [{section: pit, quantity: 3, members: [{quantity: 2}, {quantity: 1, rate: child}]}] -> held  total: 50
# Both members would need the last one.
hold n  customer: c, items: [{section: pit, quantity: 2, members: [{quantity: 1, rate: early}, {quantity: 1, rate: early}]}]
    refused not_enough  items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1, rate: early}]
hold b  customer: c, items: [{section: pit, quantity: 3, members: [{quantity: 1, rate: early}, {quantity: 2}]}] -> held  total: 80
exchange x  customer: c, booking: a, items: [{section: pit, quantity: 3, members: [{quantity: 1}, {quantity: 2, rate: child}]}]
    exchanged  total: 40
exchange y  customer: c, booking: a, items: [{section: pit, quantity: 4, members: [{quantity: 1}, {quantity: 3, rate: child}]}]
    refused not_enough  items: [{item: 0, asked: 4, given: 0, reason: not_enough, free: 0, rate: child}]
confirm ca  customer: c, booking: a -> confirmed
cancel xa  customer: c, booking: a -> cancelled
hold w  customer: d, wait_until: @5h, items: [{section: pit, quantity: 15, members: [{quantity: 14}, {quantity: 3, rate: child}]}] -> invalid
hold v  customer: d, wait_until: @5h, items: [{section: pit, quantity: 6, members: [{quantity: 3}, {quantity: 3, rate: child}]}]
    refused not_enough
after 1h
hold o  customer: c, items: [{section: pit, quantity: 2, members: [{quantity: 1}, {quantity: 1, rate: child}]}]
    refused not_enough  retryable: false, items: [{item: 0, asked: 2, given: 0, reason: not_enough, free: 1, rate: child}]

== A rate that is gone ends what waits for it
define d  state: open, $pit, quotas: [{quota: birds, rate: early, pools: [pit], limit: 2}] -> defined
book a  customer: c, items: [{section: pit, quantity: 2}] -> confirmed
hold w  customer: d, wait_until: @5h, items: [{section: pit, quantity: 2, rate: early}] -> waiting
define e  sections: [{section: pit, rates: {late: 30}}] -> defined
    left  booking: w, cause: resource_changed, detail: "unknown_rate: it can no longer be had"

== A quota of a rate is refused by name
define d  state: open, $pit -> defined
define n1  quotas: [{quota: q, rate: erly, pools: [pit], limit: 2}] -> refused bad_chart  detail: "no pool of quota \"q\" has the rate \"erly\""
define n2  quotas: [{quota: q, rate: early, pools: [pit]}] -> refused bad_chart
define n3  quotas: [{quota: q, pools: [pit], limit: 2, closes_at: @1h}] -> refused bad_chart
define n4  opens_at: @2h, quotas: [{quota: q, rate: early, pools: [pit], closes_at: @1h}] -> refused bad_chart
define n5  rooms: [{room: double, from: 2030-01-01, to: 2030-01-05, capacity: 4, rates: {early: 100}}],
    quotas: [{quota: q, rate: early, pools: [pit, double], limit: 4}]
    refused bad_chart
define e  quotas: [{quota: q, rate: early, pools: [pit], limit: 4}] -> defined
define same  quotas: [{quota: q, rate: early, pools: [pit], limit: 4}] -> defined
book a  customer: c, items: [{section: pit, quantity: 3}] -> confirmed  total: 60
define n6  quotas: [{quota: q, pools: [pit], limit: 2}]
    refused in_use  detail: "3 units are held or sold at rate \"early\", and quota \"q\" allows 2"
define f  quotas: [{quota: q, pools: [pit], limit: 3}, {quota: z, rate: late, pools: [pit], limit: 1}] -> defined
# The pool of another quota was sold before anybody counted.
define g  sections: [{section: yard, capacity: 9, rates: {early: 5}}] -> defined
book y  customer: c, items: [{section: yard, quantity: 1}] -> confirmed
define n7  quotas: [{quota: y, rate: early, pools: [yard], limit: 9}]
    refused in_use  detail: "1 unit of \"yard\" is held or sold: quota \"y\" of a rate has to be there before"
hold h  customer: c, items: [{section: pit, quantity: 1}] -> held  total: 30
hold i  customer: c, items: [{section: pit, quantity: 1}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0, rate: early}]
