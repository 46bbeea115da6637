# What is sold, or not, by time: by the time at which a request was appended, whoever decides it and when; at the instant itself what
# ends is over, and what begins has begun.

== A sale opens at its time
also late
define d  state: open, products: [{product: mug, capacity: 9}], opens_at: @20s -> defined
after 19s999ms -> nothing
hold r1  customer: c, items: [{product: mug, quantity: 1}] -> refused not_on_sale  retryable: true
after 1ms -> nothing
hold r2  customer: c, items: [{product: mug, quantity: 1}] -> held
after 1ms -> nothing
book r3  customer: c, items: [{product: mug, quantity: 1}] -> confirmed

== A sale closes at its time
also late
define d  state: open, products: [{product: mug, capacity: 9}], closes_at: @20s -> defined
after 19s999ms -> nothing
hold r1  customer: c, items: [{product: mug, quantity: 1}] -> held
after 1ms -> nothing
hold r2  customer: c, items: [{product: mug, quantity: 1}] -> refused not_on_sale  retryable: true
hold r3  customer: c, items: [{product: mug, quantity: 1}], force: true -> held
after 1ms -> nothing
book r4  customer: c, items: [{product: mug, quantity: 1}] -> refused not_on_sale  retryable: true
# It was held in time.
confirm r5  customer: c, booking: r1 -> confirmed

== A show ends at its time
also late
define d  state: open, products: [{product: mug, capacity: 9}], ends_at: @20s -> defined
after 19s999ms -> nothing
book r1  customer: c, items: [{product: mug, quantity: 1}] -> confirmed
after 1ms -> nothing
book r2  customer: c, items: [{product: mug, quantity: 1}] -> refused not_on_sale  retryable: false
after 1ms -> nothing
hold r3  customer: c, items: [{product: mug, quantity: 1}] -> refused not_on_sale  retryable: false
book r4  customer: c, items: [{product: mug, quantity: 1}], force: true -> confirmed

== A night is over at midnight
# to 22:59:59.999Z, a millisecond before midnight in Rome
also late
define d  state: open, timezone: Europe/Rome, rooms: [{room: double, from: 1970-01-01, to: 1970-01-09, capacity: 9}] -> defined
after 22h43m19s999ms -> nothing
hold r1  customer: c, items: [{room: double, from: 1970-01-01, to: 1970-01-02, quantity: 1}] -> held
after 1ms -> nothing
hold r2  customer: c, items: [{room: double, from: 1970-01-01, to: 1970-01-02, quantity: 1}] -> refused not_on_sale  retryable: false

== A block returns at its time
also late
define d  state: open, products: [{product: mug, capacity: 9}] -> defined
block b  items: [{product: mug, quantity: 9}], return_at: @20s -> blocked
after 19s999ms -> nothing
hold r1  customer: c, items: [{product: mug, quantity: 1}] -> refused not_enough
after 1ms -> released  cause: block_returned
hold r2  customer: c, items: [{product: mug, quantity: 1}] -> held
# One whose time has passed returns at once.
block b2  items: [{product: mug, quantity: 8}], return_at: @-16m39s -> blocked  expires_at: @20s
after 0s -> released  cause: block_returned

== Waiting ends at its time
also late
define d  state: open, products: [{product: mug, capacity: 9}] -> defined
book a  customer: c, items: [{product: mug, quantity: 9}] -> confirmed
hold w  customer: c, items: [{product: mug, quantity: 1}], wait_until: @20s -> waiting
after 19s999ms -> nothing
hold w2  customer: c, items: [{product: mug, quantity: 1}], wait_until: @20s -> waiting
after 1ms -> left
hold w3  customer: c, items: [{product: mug, quantity: 1}], wait_until: @20s -> refused not_enough
cancel r1  customer: c, booking: a -> cancelled
    nothing

== Times are checked together in whichever define
define d  state: open, products: [{product: mug, capacity: 9}], opens_at: @9h43m20s, ends_at: @19h43m20s -> defined
define r1  closes_at: @9h43m20s
    refused bad_chart  retryable: false, detail: opens_at 1970-01-01T10:00:00.000Z is not before closes_at 1970-01-01T10:00:00.000Z
define r2  closes_at: @19h43m20s1ms
    refused bad_chart  detail: closes_at 1970-01-01T20:00:00.001Z is after ends_at 1970-01-01T20:00:00.000Z
define r3  starts_at: @19h43m20s1ms
    refused bad_chart  detail: starts_at 1970-01-01T20:00:00.001Z is after ends_at 1970-01-01T20:00:00.000Z
define r4  opens_at: @19h43m20s
    refused bad_chart  detail: opens_at 1970-01-01T20:00:00.000Z is not before ends_at 1970-01-01T20:00:00.000Z
define r5  ends_at: @9h43m20s -> refused bad_chart  detail: opens_at 1970-01-01T10:00:00.000Z is not before ends_at 1970-01-01T10:00:00.000Z
define r6  ends_at: @18h43m20s, starts_at: @18h43m20s, closes_at: @18h43m20s -> defined  change: changed

== A define says that nothing is sold
define d  state: open, products: [{product: mug, capacity: 9}], closes_at: @20s, ends_at: @20s -> defined
after 20s -> nothing
define r1  starts_at: @23h43m20s, ends_at: @1d23h43m20s -> defined  detail: "nothing is sold: its sale closed at 1970-01-01T00:17:00.000Z"
define r2  closes_at: @23h43m20s -> defined  change: changed, decided_at: @20s
define r3  ends_at: @23h43m20s -> defined  change: changed
after 1d -> nothing
open r4 -> defined
define r5  closes_at: @22h43m20s -> defined  detail: "nothing is sold: its sale closed at 1970-01-01T23:00:00.000Z"

== After the close an exchange adds nothing
also late
define d  state: open, sections: [{section: s, rows: [{row: A, seats: 6}]}, {section: floor, capacity: 6}] -> defined
book b  customer: c, items: [{seats: [A-1, A-2]}, {section: floor, quantity: 1}] -> confirmed
hold h  customer: c, items: [{section: floor, quantity: 1}], ttl_s: 3600 -> held
define e  closes_at: @20s -> defined
after 20s -> nothing
exchange r1  customer: c, booking: b, items: [{seats: [A-1, A-2, A-3]}] -> refused not_on_sale
exchange r2  customer: c, booking: b, items: [{section: floor, quantity: 2}]
    refused not_on_sale  retryable: true, detail: on sale until 1970-01-01T00:17:00.000Z, booking: b, customer: c, state: open,
        closes_at: @20s
# Other seats of the section are as many.
exchange r3  customer: c, booking: b, items: [{seats: [A-3, A-4]}, {section: floor, quantity: 1}] -> exchanged
# Of any section that it has.
exchange r4  customer: c, booking: b, items: [{sections: [floor, s], quantity: 2}, {section: s, quantity: 1}] -> exchanged
# What a hold has was sold in time.
exchange r5  customer: c, booking: b, from_hold: h, items: [{section: floor, quantity: 1}, {section: s, quantity: 1}] -> exchanged
exchange r6  customer: c, booking: b, items: [{seats: [A-1]}] -> exchanged
exchange r7  customer: c, booking: b, items: [{seats: [A-1, B-9]}] -> refused not_on_sale
exchange r8  customer: c, booking: b, items: [{seats: [A-1, A-2]}], force: true -> exchanged
close c -> defined
exchange r9  customer: c, booking: b, items: [{seats: [A-1, A-2, A-3]}], force: true -> refused not_on_sale  retryable: true, detail: closed
exchange r10  customer: c, booking: b, items: [{seats: [A-2]}] -> exchanged

== After the end a part goes back
also late
define d  state: open, products: [{product: mug, capacity: 9}], ends_at: @20s -> defined
book b  customer: c, items: [{product: mug, quantity: 3}] -> confirmed
after 20s -> nothing
exchange r1  customer: c, booking: b, items: [{product: mug, quantity: 4}] -> refused not_on_sale  retryable: false
exchange r2  customer: c, booking: b, items: [{product: mug, quantity: 2}] -> exchanged
exchange r3  force: true, booking: b, items: [{product: mug, quantity: 1}] -> exchanged
cancel r4  customer: c, booking: b -> cancelled

== By force the house sells behind the close, but not before the opening
define d  state: open, products: [{product: mug, capacity: 9}], opens_at: @20s, closes_at: @40s -> defined
hold r1  customer: c, force: true, items: [{product: mug, quantity: 1}] -> refused not_on_sale  retryable: true
later 20s
hold r2  customer: c, force: true, items: [{product: mug, quantity: 1}] -> held
later 20s
hold r3  customer: c, items: [{product: mug, quantity: 1}] -> refused not_on_sale
hold r4  customer: c, force: true, items: [{product: mug, quantity: 1}] -> held
