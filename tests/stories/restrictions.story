# Stay restrictions: what a define says of the dates of a room type, and which stays they forbid. 2027-01-02 is a Saturday.

define d  state: open, rooms: [{room: chalet, from: 2027-01-01, to: 2027-01-31, capacity: 2, rates: {standard: 100, ski: 80}}, {room: loft,
    from: 2027-01-01, to: 2027-01-31, capacity: 1, price: 60}]
    defined

== A stay has minimum and maximum nights, by the day of arrival
define r1  restrictions: [{room: chalet, from: 2027-01-02, to: 2027-01-24, days: [sat], min_stay_arrival: 7, max_stay: 14}] -> defined
hold h1  customer: c, items: [{room: chalet, from: 2027-01-02, to: 2027-01-08, quantity: 1}]
    refused restricted  retryable: true, items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: min_stay_arrival,
        date: 2027-01-02, nights: 7}}]
hold h2  customer: c, items: [{room: chalet, from: 2027-01-02, to: 2027-01-17, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: max_stay, date: 2027-01-02, nights: 14}}]
hold h3  customer: c, items: [{room: chalet, from: 2027-01-02, to: 2027-01-09, quantity: 1}] -> held
# Who arrives on another day of the week has no such rule, and the other room type has none.
book h4  customer: c, items: [{room: chalet, from: 2027-01-03, to: 2027-01-04, quantity: 1}] -> confirmed
book h5  customer: c, items: [{room: loft, from: 2027-01-02, to: 2027-01-03, quantity: 1}] -> confirmed

== A stay that has a night on a date has a least number of nights
define r1  restrictions: [{room: chalet, from: 2027-01-09, to: 2027-01-10, min_stay_through: 3}] -> defined
hold h1  customer: c, items: [{room: chalet, from: 2027-01-08, to: 2027-01-10, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: min_stay_through, date: 2027-01-09,
        nights: 3}}]
hold h2  customer: c, items: [{room: chalet, from: 2027-01-07, to: 2027-01-10, quantity: 1}] -> held
hold h3  customer: c, items: [{room: chalet, from: 2027-01-08, to: 2027-01-09, quantity: 1}] -> held

== Dates are closed to arrival and to departure
# The next date that would do is named. The day of departure is no night of the stay.
define r1  restrictions: [{room: chalet, from: 2027-01-01, to: 2027-01-31, days: [mon, tue, wed, thu, fri, sun], closed_to_arrival: true,
    closed_to_departure: true}]
    defined
hold h1  customer: c, items: [{room: chalet, from: 2027-01-04, to: 2027-01-09, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: closed_to_arrival, date: 2027-01-04,
        next: 2027-01-09}}]
hold h2  customer: c, items: [{room: chalet, from: 2027-01-09, to: 2027-01-15, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: closed_to_departure,
        date: 2027-01-15, next: 2027-01-16}}]
hold h3  customer: c, items: [{room: chalet, from: 2027-01-09, to: 2027-01-16, quantity: 1}] -> held
# Behind the last Saturday no date would do, and the day after the last night has no rules.
hold h4  customer: c, items: [{room: chalet, from: 2027-01-31, to: 2027-02-01, quantity: 1}] -> refused unknown_pool
hold h5  customer: c, items: [{room: chalet, from: 2027-01-30, to: 2027-01-31, quantity: 1}] -> held
hold h6  customer: c, items: [{room: chalet, from: 2027-01-29, to: 2027-01-31, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: closed_to_arrival, date: 2027-01-29,
        next: 2027-01-30}}]
define r2  restrictions: [{room: chalet, from: 2027-01-30, to: 2027-01-31, closed_to_arrival: true}] -> defined
hold h7  customer: c, items: [{room: chalet, from: 2027-01-30, to: 2027-01-31, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: closed_to_arrival, date: 2027-01-30}}]

== A stopped date has no stays
define r1  restrictions: [{room: chalet, from: 2027-01-05, to: 2027-01-07, stop_sell: true}] -> defined
hold h1  customer: c, items: [{room: chalet, from: 2027-01-04, to: 2027-01-08, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: stop_sell, date: 2027-01-05,
        next: 2027-01-07}}]
hold h2  customer: c, items: [{room: chalet, from: 2027-01-04, to: 2027-01-05, quantity: 1}] -> held
hold h3  customer: c, items: [{room: chalet, from: 2027-01-07, to: 2027-01-08, quantity: 1}] -> held

== A rule is of one rate or of all, and a stay meets both
define r1  restrictions: [{room: chalet, from: 2027-01-01, to: 2027-01-31, min_stay_arrival: 2}, {room: chalet, from: 2027-01-01,
    to: 2027-01-31, rate: ski, min_stay_arrival: 4}, {room: chalet, from: 2027-01-01, to: 2027-01-31, rate: standard, max_stay: 5}]
    defined
hold h1  customer: c, items: [{room: chalet, from: 2027-01-01, to: 2027-01-04, quantity: 1, rate: ski}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: min_stay_arrival, date: 2027-01-01,
        nights: 4}}]
hold h2  customer: c, items: [{room: chalet, from: 2027-01-01, to: 2027-01-02, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: min_stay_arrival, date: 2027-01-01,
        nights: 2}}]
# Without a name it is the standard rate.
hold h3  customer: c, items: [{room: chalet, from: 2027-01-01, to: 2027-01-07, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: max_stay, date: 2027-01-01, nights: 5}}]
hold h4  customer: c, items: [{room: chalet, from: 2027-01-01, to: 2027-01-07, quantity: 1, rate: ski}] -> held

== Rules of a rate go with the rate
define r1  restrictions: [{room: chalet, from: 2027-01-01, to: 2027-01-31, rate: ski, stop_sell: true}] -> defined
define r2  rooms: [{room: chalet, from: 2027-01-01, to: 2027-01-31, rates: {standard: 100}}] -> defined
define r3  rooms: [{room: chalet, from: 2027-01-01, to: 2027-01-31, rates: {standard: 100, ski: 80}}] -> defined
hold h1  customer: c, items: [{room: chalet, from: 2027-01-01, to: 2027-01-02, quantity: 1, rate: ski}] -> held

== Later rules replace those of their kind, date and rate
define r1  restrictions: [{room: loft, from: 2027-01-01, to: 2027-01-31, min_stay_arrival: 3, closed_to_arrival: true}, {room: loft,
    from: 2027-01-10, to: 2027-01-20, min_stay_arrival: 5, closed_to_arrival: false}]
    defined  change: changed
hold h1  customer: c, items: [{room: loft, from: 2027-01-10, to: 2027-01-14, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: min_stay_arrival, date: 2027-01-10,
        nights: 5}}]
# What is there already changes nothing.
define r2  restrictions: [{room: loft, from: 2027-01-12, to: 2027-01-14, min_stay_arrival: 5}] -> defined  change: same
define r3  restrictions: [{room: loft, from: 2027-01-01, to: 2027-01-31, min_stay_arrival: 0, closed_to_arrival: false, stop_sell: false}]
    defined  change: changed
hold h2  customer: c, items: [{room: loft, from: 2027-01-10, to: 2027-01-11, quantity: 1}] -> held

== Entries of a define are merged in their order
# Also where one takes away what an earlier one gave, and where their dates overlap.
define r1  restrictions: [{room: loft, from: 2027-01-01, to: 2027-01-31, min_stay_arrival: 3, stop_sell: true}, {room: chalet,
    from: 2027-01-01, to: 2027-01-31, rate: ski, stop_sell: true}, {room: loft, from: 2027-01-05, to: 2027-01-15, days: [fri, sat],
    max_stay: 4}, {room: loft, from: 2027-01-01, to: 2027-01-31, stop_sell: false}, {room: loft, from: 2027-01-08, to: 2027-01-12,
    min_stay_arrival: 0}, {room: chalet, from: 2027-01-01, to: 2027-01-31, rate: ski, stop_sell: false}]
    defined  change: changed
hold h1  customer: c, items: [{room: loft, from: 2027-01-07, to: 2027-01-09, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: min_stay_arrival, date: 2027-01-07,
        nights: 3}}]
hold h2  customer: c, items: [{room: loft, from: 2027-01-08, to: 2027-01-13, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: max_stay, date: 2027-01-08, nights: 4}}]
hold h3  customer: c, items: [{room: loft, from: 2027-01-08, to: 2027-01-09, quantity: 1}] -> held
hold h4  customer: c, items: [{room: chalet, from: 2027-01-08, to: 2027-01-09, quantity: 1, rate: ski}] -> held
# One that is refused takes all with it.
define r2  restrictions: [{room: loft, from: 2027-01-01, to: 2027-01-31, min_stay_arrival: 1}, {room: loft, from: 2027-01-01,
    to: 2027-01-31, rate: gold, stop_sell: true}]
    refused bad_chart
hold h5  customer: c, items: [{room: loft, from: 2027-01-01, to: 2027-01-02, quantity: 1}] -> refused restricted

== The house may sell against the rules, and block
define r1  restrictions: [{room: loft, from: 2027-01-01, to: 2027-01-31, stop_sell: true}] -> defined
book b1  customer: c, force: true, items: [{room: loft, from: 2027-01-01, to: 2027-01-02, quantity: 1}] -> confirmed
block k  items: [{room: loft, from: 2027-01-03, to: 2027-01-05, quantity: 1}] -> blocked
# A guest who takes what is blocked needs the rules, too.
hold h1  customer: c, from_block: k, items: [{room: loft, from: 2027-01-03, to: 2027-01-04, quantity: 1}] -> refused restricted
hold h2  customer: c, from_block: k, force: true, items: [{room: loft, from: 2027-01-03, to: 2027-01-04, quantity: 1}] -> held

== An exchange is judged by the new stay
define r1  restrictions: [{room: loft, from: 2027-01-01, to: 2027-01-31, min_stay_arrival: 3}] -> defined
hold h1  customer: c, items: [{room: loft, from: 2027-01-01, to: 2027-01-05, quantity: 1}] -> held
exchange e1  customer: c, booking: h1, items: [{room: loft, from: 2027-01-01, to: 2027-01-03, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: min_stay_arrival, date: 2027-01-01,
        nights: 3}}]
exchange e2  customer: c, booking: h1, items: [{room: loft, from: 2027-01-02, to: 2027-01-05, quantity: 1}] -> exchanged
exchange e3  customer: c, booking: h1, items: [{room: chalet, from: 2027-01-02, to: 2027-01-03, quantity: 1}] -> exchanged
exchange e4  booking: h1, force: true, items: [{room: loft, from: 2027-01-01, to: 2027-01-02, quantity: 1}] -> exchanged

== An exchange that names no rate is judged by the one that it keeps
define r1  restrictions: [{room: chalet, from: 2027-01-01, to: 2027-01-31, rate: ski, min_stay_arrival: 5}] -> defined
book b1  customer: c, items: [{room: chalet, from: 2027-01-01, to: 2027-01-06, quantity: 1, rate: ski}] -> confirmed
exchange e1  customer: c, booking: b1, items: [{room: chalet, from: 2027-01-01, to: 2027-01-02, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: min_stay_arrival, date: 2027-01-01,
        nights: 5}}]
exchange e2  customer: c, booking: b1, items: [{room: chalet, from: 2027-01-08, to: 2027-01-09, quantity: 1}]
    exchanged  total: 100

== A stay without a rate meets the rules of the rates that it is sold at
let steps  room: double, from: 2027-01-01, to: 2027-01-31
define r1  rooms: [{$steps, capacity: 3, rates: {early: 80, late: 100}}], quotas: [{quota: early, rate: early, pools: [double], limit: 1}],
    restrictions: [{$steps, rate: late, min_stay_arrival: 3}]
    defined
hold h1  customer: c, items: [{room: double, from: 2027-01-02, to: 2027-01-03, quantity: 1}] -> held  total: 80
hold h2  customer: c, items: [{room: double, from: 2027-01-02, to: 2027-01-03, quantity: 1}]
    refused restricted  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: min_stay_arrival, date: 2027-01-02,
        nights: 3}}]
# One of its nights is sold at that rate.
hold h3  customer: c, items: [{room: double, from: 2027-01-01, to: 2027-01-03, quantity: 1}] -> refused restricted
hold h4  customer: c, items: [{room: double, from: 2027-01-01, to: 2027-01-04, quantity: 1}] -> held  total: 260
hold h5  customer: c, items: [{room: double, from: 2027-01-02, to: 2027-01-03, quantity: 1}], force: true -> held  total: 100

== A stop of the first rate leaves the next one to who names none
define r1  rooms: [{room: double, from: 2027-01-01, to: 2027-01-31, capacity: 1, rates: {early: 80, late: 100}}], quotas: [{quota: early,
    rate: early, pools: [double], limit: 0}], restrictions: [{room: double, from: 2027-01-01, to: 2027-01-31, rate: early, stop_sell: true}]
    defined
probe p1  items: [{room: double, from: 2027-01-02, to: 2027-01-03}] -> alive  pools: [{restricted: absent, ...}]
hold h1  customer: c, items: [{room: double, from: 2027-01-02, to: 2027-01-03, quantity: 1, rate: early}] -> refused restricted
book h2  customer: c, items: [{room: double, from: 2027-01-02, to: 2027-01-03, quantity: 1}] -> confirmed  total: 100
hold w  customer: d, wait_until: @1h, items: [{room: double, from: 2027-01-02, to: 2027-01-03, quantity: 1}] -> waiting
# Nobody leaves who may still have another rate.
define r2  restrictions: [{room: double, from: 2027-01-04, to: 2027-01-05, stop_sell: true}]
    defined
        nothing
define r3  restrictions: [{room: double, from: 2027-01-02, to: 2027-01-03, rate: late, stop_sell: true}]
    defined
        left  booking: w
        nothing

== Bookings stay, and a hold is confirmed, whatever is defined since
also late
hold h1  customer: c, ttl_s: 60, items: [{room: loft, from: 2027-01-01, to: 2027-01-02, quantity: 1}] -> held
hold h2  customer: c, items: [{room: loft, from: 2027-01-03, to: 2027-01-04, quantity: 1}] -> held
define r1  restrictions: [{room: loft, from: 2027-01-01, to: 2027-01-31, stop_sell: true}] -> defined
confirm c2  customer: c, booking: h2 -> confirmed
after 2m -> expired  booking: h1
confirm c1  customer: c, booking: h1 -> confirmed

== A probe says which rule forbids a stay
define r1  restrictions: [{room: chalet, from: 2027-01-02, to: 2027-01-03, rate: ski, min_stay_arrival: 3}] -> defined
probe p1  items: [{room: chalet, from: 2027-01-02, to: 2027-01-04, rate: ski}]
    alive  pools: [{room: chalet, from: 2027-01-02, free: [2, 2], total: [2, 2], price: [100, 100], rates: {standard: [100, 100], ski: [80, 80]},
        restricted: {rule: min_stay_arrival, date: 2027-01-02, nights: 3}}]
probe p2  items: [{room: chalet, from: 2027-01-02, to: 2027-01-04}]
    alive  pools: [{room: chalet, from: 2027-01-02, free: [2, 2], total: [2, 2], price: [100, 100], rates: {standard: [100, 100], ski: [80, 80]}}]

== Nobody waits for a stay that a rule forbids
define r1  restrictions: [{room: loft, from: 2027-01-01, to: 2027-01-31, min_stay_arrival: 2}] -> defined
book b  customer: c, items: [{room: loft, from: 2027-01-01, to: 2027-01-05, quantity: 1}] -> confirmed
hold w1  customer: d, wait_until: @1h, items: [{room: loft, from: 2027-01-01, to: 2027-01-02, quantity: 1}] -> refused restricted
hold w2  customer: d, wait_until: @1h, force: true, items: [{room: loft, from: 2027-01-01, to: 2027-01-02, quantity: 1}] -> refused not_enough
hold w3  customer: d, wait_until: @1h, items: [{room: loft, from: 2027-01-01, to: 2027-01-03, quantity: 1}] -> waiting  position: 1
# Who waits for a stay that is forbidden since leaves.
hold w4  customer: e, wait_until: @1h, items: [{room: loft, from: 2027-01-02, to: 2027-01-05, quantity: 1}] -> waiting  position: 2
define r2  restrictions: [{room: loft, from: 2027-01-01, to: 2027-01-31, min_stay_arrival: 3}]
    defined
        left  cause: resource_changed, booking: w3
        nothing

== Rules that cannot be are refused, and change nothing
let all  room: loft, from: 2027-01-01, to: 2027-01-31
define r1  restrictions: [{$all, min_stay_arrival: 3, max_stay: 2}] -> refused bad_chart
define r2  restrictions: [{$all, max_stay: 5}] -> defined
define r3  restrictions: [{$all, closed_to_arrival: true}, {room: loft, from: 2027-01-05, to: 2027-01-06, min_stay_through: 6}]
    refused bad_chart
define r4  restrictions: [{$all, rate: standard, min_stay_arrival: 6}] -> refused bad_chart
define r5  restrictions: [{$all, min_stay_arrival: 6}, {$all, max_stay: 7}] -> defined
hold h1  customer: c, items: [{room: loft, from: 2027-01-02, to: 2027-01-08, quantity: 1}] -> held
define r6  restrictions: [{room: attic, from: 2027-01-01, to: 2027-01-02, stop_sell: true}] -> refused bad_chart
define r7  restrictions: [{room: loft, from: 2027-01-30, to: 2027-02-01, stop_sell: true}] -> refused bad_chart
define r8  restrictions: [{$all, rate: ski, stop_sell: true}] -> refused bad_chart

== What is unknown or missing comes before a rule, and a rule before what is taken
define r1  restrictions: [{room: chalet, from: 2027-01-01, to: 2027-01-31, stop_sell: true}] -> defined
hold h1  customer: c, items: [{room: chalet, from: 2027-01-01, to: 2027-01-02, quantity: 3}] -> refused restricted
hold h2  customer: c, items: [{room: chalet, from: 2027-01-01, to: 2027-01-02, quantity: 1, rate: gold}] -> refused unknown_rate
hold h3  customer: c, items: [{room: chalet, from: 2027-01-30, to: 2027-02-01, quantity: 1}] -> refused unknown_pool
# With a part, what is not forbidden is given.
hold h4  customer: c, shortage: partial, items: [{room: chalet, from: 2027-01-01, to: 2027-01-02, quantity: 1}, {room: loft, from: 2027-01-01, to: 2027-01-02, quantity: 1}]
    held  items: [{item: 0, asked: 1, given: 0, reason: restricted, restricted: {rule: stop_sell, date: 2027-01-01}}], total: 60
