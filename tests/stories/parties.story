# Parties of several kinds, seated as one: members with rates and needs of their own.

let hall  state: open, sections: [{section: stalls, rates: {adult: 4500, child: 2000}, rows: [{row: A, seats: 6, features: {accessible: [1]}},
    {row: B, seats: 6, features: {accessible: [1, 2]}}, {row: C, seats: 6}]}]
let family  section: stalls, together: true, members: [{quantity: 2, rate: adult}, {quantity: 1, rate: child},
    {quantity: 1, rate: adult, features: [accessible]}]

-- Seats

== A family sits together, and the answer says whose seat is which
define d  $hall -> defined
hold a  customer: c, items: [{$family}]
    held  together: true, total: 15500, units: [{item: 0, section: stalls, seats: [A-2, A-3], price: 4500, rate: adult, member: 0},
        {item: 0, section: stalls, seats: [A-4], price: 2000, rate: child, member: 1},
        {item: 0, section: stalls, seats: [A-1], price: 4500, rate: adult, member: 2}]
confirm b  customer: c, booking: a
    confirmed  total: 15500, units: [{item: 0, section: stalls, seats: [A-2, A-3], price: 4500, rate: adult},
        {item: 0, section: stalls, seats: [A-4], price: 2000, rate: child},
        {item: 0, section: stalls, seats: [A-1], price: 4500, rate: adult}]

== The others leave to others the seats that some need
# The best place of row A would be in the middle, but needs the place for a wheelchair. In row B one such place stays free.
define d  $hall -> defined
book a  customer: c, items: [{seats: [A-1], rate: adult}] -> confirmed
hold b  customer: c, items: [{$family}]
    held  units: [{seats: [B-3, B-4], member: 0, ...}, {seats: [B-5], member: 1, ...}, {seats: [B-2], member: 2, ...}]
hold c  customer: c, items: [{section: stalls, members: [{quantity: 1, rate: adult, features: [accessible]}]}]
    held  units: [{seats: [B-1], member: 0, ...}]

== A party is refused where nobody else could sit
define d  $hall -> defined
book a  customer: c, items: [{seats: [A-1, B-1, B-2], rate: adult}] -> confirmed
hold b  customer: c, items: [{$family}]
    refused not_enough  retryable: true, items: [{item: 0, asked: 4, given: 0, reason: not_enough, free: 3}]
hold c  customer: c, shortage: partial, items: [{$family}, {section: stalls, quantity: 1, rate: child}]
    held  items: [{item: 0, asked: 4, given: 0, reason: not_enough, free: 3}], units: [{item: 1, section: stalls, seats: [A-4], price: 2000,
        rate: child, together: true}]

== A party that must not be split is refused where it would be
define d  $hall -> defined
book a  customer: c, items: [{seats: [A-2, B-3], rate: adult}] -> confirmed
hold b  customer: c, items: [{$family}]
    refused not_together  items: [{item: 0, asked: 4, given: 0, reason: not_together, free: 16}]
hold e  customer: c, items: [{section: stalls, members: [{quantity: 3, rate: adult}, {quantity: 1, rate: adult, features: [accessible]}]}]
    held  together: false, units: [{seats: [A-3, A-4, A-5], member: 0, ...}, {seats: [A-1], member: 1, ...}]

== Members that need nothing sit as a quantity does
define d  $hall -> defined
hold a  customer: c, items: [{section: stalls, together: true, members: [{quantity: 1, rate: child}, {quantity: 2, rate: adult}]}]
    held  together: true, total: 11000, units: [{seats: [A-2], rate: child, member: 0, ...}, {seats: [A-3, A-4], rate: adult, member: 1, ...}]

== Members of one rate are told apart
define d  $hall -> defined
hold a  customer: c, items: [{section: stalls, members: [{quantity: 1, rate: adult}, {quantity: 1, rate: adult}]}]
    held  units: [{item: 0, section: stalls, seats: [A-2], price: 4500, rate: adult, member: 0},
        {item: 0, section: stalls, seats: [A-3], price: 4500, rate: adult, member: 1}]

== Features of different members are matched with each other
define d  state: open, sections: [{section: stalls, price: 10, rows: [{row: A, seats: 4, features: {aisle: [1, 4], accessible: [1]}}]}]
    defined
hold a  customer: c, items: [{section: stalls, together: true, members: [{quantity: 1, features: [aisle]}, {quantity: 2},
    {quantity: 1, features: [accessible]}]}]
    held  units: [{seats: [A-4], member: 0, ...}, {seats: [A-2, A-3], member: 1, ...}, {seats: [A-1], member: 2, ...}]

== Some are avoided by all
define d  $hall -> defined
hold a  customer: c, items: [{section: stalls, avoid: [accessible], members: [{quantity: 1, rate: adult, features: [accessible]}]}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}]
hold b  customer: c, items: [{section: stalls, avoid: [accessible], members: [{quantity: 6, rate: adult}]}]
    held  units: [{seats: [C-1, C-2, C-3, C-4, C-5, C-6], member: 0, ...}]

== The first of several sections that seats the party in one piece
define d  state: open, sections: [{section: front, price: 10, rows: [{row: A, seats: 2, features: {accessible: [1]}}, {row: B, seats: 4}]},
    {section: back, price: 5, rows: [{row: M, seats: 5, features: {accessible: [3]}}]}]
    defined
hold a  customer: c, items: [{sections: [front, back], members: [{quantity: 1, features: [accessible]}, {quantity: 2}]}]
    held  units: [{section: back, seats: [M-3], member: 0, ...}, {section: back, seats: [M-1, M-2], member: 1, ...}]

-- Names that are wrong
define d  $hall -> defined

== A rate or a feature that there is not is named
hold a  customer: c, items: [{section: stalls, members: [{quantity: 1, rate: adult}, {quantity: 1, rate: senior}]}]
    refused unknown_rate  items: [{item: 0, asked: 2, given: 0, reason: unknown_rate, unknown: senior, known: [adult, child]}]
hold b  customer: c, items: [{section: stalls, members: [{quantity: 1, rate: adult}, {quantity: 1, rate: adult, features: [accessible, sofa]}]}]
    refused unknown_feature  items: [{item: 0, asked: 2, given: 0, reason: unknown_feature, unknown: sofa, known: [accessible]}]

== What a party says is not said of all of it
hold a  customer: c, items: [{section: stalls, rate: adult, members: [{quantity: 1, rate: adult}]}] -> invalid malformed
hold b  customer: c, items: [{section: stalls, features: [accessible], members: [{quantity: 1, rate: adult}]}] -> invalid malformed
hold e  customer: c, items: [{section: stalls, quantity: 3, members: [{quantity: 1}, {quantity: 1}]}] -> invalid malformed
hold f  customer: c, items: [{section: stalls, quantity: 2, members: [{quantity: 1, rate: adult}, {quantity: 1, rate: child}]}] -> held
hold g  customer: c, items: [{section: stalls, members: []}] -> invalid malformed
hold h  customer: c, items: [{section: stalls, members: [{rate: adult}]}] -> invalid malformed
hold i  customer: c, items: [{section: stalls, members: [{quantity: 4000}, {quantity: 1}]}] -> invalid malformed
hold j  customer: c, items: [{seats: [A-1], members: [{quantity: 1}]}] -> invalid malformed
confirm k  customer: c, booking: f, items: [{section: stalls, members: [{quantity: 1}]}] -> invalid malformed

-- Pools that are counted
define d  state: open, sections: [{section: floor, capacity: 6, rates: {adult: 30, child: 10}}], products: [{product: meal, capacity: 4,
    rates: {full: 20, half: 12}}]
    defined

== Members of a pool without seats have their rates and prices
hold a  customer: c, items: [{section: floor, members: [{quantity: 2, rate: adult}, {quantity: 1, rate: child}, {quantity: 1, rate: child}]},
    {product: meal, members: [{quantity: 1, rate: full}, {quantity: 1, rate: half}]}]
    held  total: 112, units: [{item: 0, section: floor, quantity: 2, price: 30, rate: adult, member: 0},
        {item: 0, section: floor, quantity: 1, price: 10, rate: child, member: 1},
        {item: 0, section: floor, quantity: 1, price: 10, rate: child, member: 2},
        {item: 1, product: meal, quantity: 1, price: 20, rate: full, member: 0},
        {item: 1, product: meal, quantity: 1, price: 12, rate: half, member: 1}]
hold b  customer: c, items: [{section: floor, members: [{quantity: 1, rate: adult}, {quantity: 2, rate: child}]}]
    refused not_enough  items: [{item: 0, asked: 3, given: 0, reason: not_enough, free: 2}]

== Where there are no seats there is no feature
hold a  customer: c, items: [{section: floor, members: [{quantity: 1, rate: adult, features: [accessible]}]}]
    refused unknown_feature  items: [{item: 0, asked: 1, given: 0, reason: unknown_feature, unknown: accessible}]
hold b  customer: c, items: [{product: meal, members: [{quantity: 1, rate: full, features: [warm]}]}] -> invalid malformed

-- What becomes of a party
define d  $hall -> defined

== A party grows and stays together
book a  customer: c, items: [{$family}] -> confirmed
exchange b  customer: c, booking: a, items: [{section: stalls, together: true, members: [{quantity: 2, rate: adult},
    {quantity: 2, rate: child}, {quantity: 1, rate: adult, features: [accessible]}]}]
    exchanged  together: true, difference: 2000, returned: absent, units: [{seats: [A-2, A-3], member: 0, ...},
        {seats: [A-4, A-5], member: 1, ...}, {seats: [A-1], member: 2, ...}]

== A party that may be split stays where it is when it grows
book a  customer: c, items: [{section: stalls, members: [{quantity: 1, rate: adult}, {quantity: 1, rate: adult, features: [accessible]}]}]
    confirmed  units: [{seats: [A-2], member: 0, ...}, {seats: [A-1], member: 1, ...}]
book b  customer: e, items: [{seats: [A-3], rate: adult}] -> confirmed
exchange e  customer: c, booking: a, items: [{section: stalls, members: [{quantity: 2, rate: adult},
    {quantity: 1, rate: adult, features: [accessible]}]}]
    exchanged  together: false, returned: absent, units: [{seats: [A-2, A-4], member: 0, ...}, {seats: [A-1], member: 1, ...}]

== A party shrinks on its own seats
book a  customer: c, items: [{$family}] -> confirmed
exchange b  customer: c, booking: a, items: [{section: stalls, together: true, members: [{quantity: 1, rate: adult},
    {quantity: 1, rate: adult, features: [accessible]}]}]
    exchanged  together: true, total: 9000, units: [{seats: [A-2], member: 0, ...}, {seats: [A-1], member: 1, ...}]

== A party sits on seats of a block
block a  items: [{seats: [B-1, B-3, C-1, C-2]}] -> blocked
hold b  customer: c, from_block: a, items: [{section: stalls, members: [{quantity: 2, rate: adult}, {quantity: 1, rate: child, features: [accessible]}]}]
    held  total: 11000, units: [{seats: [C-1, C-2], rate: adult, member: 0, ...}, {seats: [B-1], rate: child, member: 1, ...}]
hold e  customer: c, from_block: a, items: [{section: stalls, members: [{quantity: 1, rate: child, features: [accessible]}]}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}]

== A party is blocked as one
block a  items: [{section: stalls, together: true, members: [{quantity: 2}, {quantity: 1, features: [accessible]}]}]
    blocked  units: [{seats: [A-2, A-3], member: 0, ...}, {seats: [A-1], member: 1, ...}]

== A party is sold with its cart
hold a  customer: c, cart: k, items: [{$family}] -> held
hold b  customer: c, cart: k, items: [{section: stalls, quantity: 1, rate: child}] -> held
confirm e  customer: c, cart: k
    confirmed  total: 17500, units: [{seats: [A-2, A-3], booking: a, ...}, {seats: [A-4], booking: a, ...}, {seats: [A-1], booking: a, ...},
        {booking: b, ...}]

== A party waits as a whole
book a  customer: c, items: [{seats: [A-1, B-1], rate: adult}] -> confirmed
book b  customer: c, items: [{seats: [B-2], rate: adult}] -> confirmed
hold w  customer: e, wait_until: @1h, items: [{$family}] -> waiting  position: 1
cancel e  customer: c, booking: b
    cancelled
    held  cause: waiting_list, booking: w, together: true, units: [{seats: [B-3, B-4], member: 0, ...}, {seats: [B-5], member: 1, ...},
        {seats: [B-2], member: 2, ...}]

== A party that no hall could seat does not wait
hold w  customer: e, wait_until: @1h, items: [{section: stalls, members: [{quantity: 4, rate: adult, features: [accessible]}]}]
    refused not_enough
hold v  customer: e, wait_until: @1h, items: [{section: stalls, together: true, members: [{quantity: 3, rate: adult, features: [accessible]}]}]
    refused not_together
hold u  customer: e, wait_until: @1h, items: [{section: stalls, members: [{quantity: 2, rate: adult, features: [accessible]}]},
    {section: stalls, quantity: 2, rate: adult, features: [accessible]}]
    refused not_enough

== Limits and quotas count the members
define e  limits: {units_per_request: 3}, quotas: [{quota: q, pools: [stalls], limit: 3}] -> defined
hold a  customer: c, items: [{$family}] -> refused limit_exceeded
hold b  customer: c, items: [{section: stalls, members: [{quantity: 1, rate: adult, features: [accessible]}, {quantity: 2, rate: adult}]}] -> held
define f  limits: {} -> defined
hold g  customer: c, items: [{section: stalls, members: [{quantity: 1, rate: adult, features: [accessible]}]}]
    refused not_enough  items: [{item: 0, asked: 1, given: 0, reason: not_enough, free: 0}]

-- Seats that are spared
let rows  sections: [{section: stalls, price: 10, rows: [{row: A, seats: 4, features: {accessible: [1, 2]}}, {row: B, seats: 3}]}]

== Places for wheelchairs are taken last by those who need none
define d  state: open, $rows -> defined
hold a  customer: c, items: [{section: stalls, quantity: 2, together: true}]
    held  units: [{seats: [A-3, A-4], ...}]
hold b  customer: c, items: [{section: stalls, quantity: 1, features: [accessible]}]
    held  units: [{seats: [A-2], ...}]
hold e  customer: c, items: [{section: stalls, quantity: 3}]
    held  together: true, units: [{seats: [B-1, B-2, B-3], ...}]
hold f  customer: c, items: [{section: stalls, quantity: 1}]
    held  units: [{seats: [A-1], ...}]

== A party rather sits in pieces than on spared places, but for one that must not be split
define d  state: open, $rows -> defined
book a  customer: c, items: [{seats: [A-3, B-2]}] -> confirmed
hold b  customer: c, items: [{section: stalls, quantity: 2}]
    held  together: false, units: [{seats: [A-4, B-1], ...}]
release e  customer: c, booking: b -> released
hold f  customer: c, items: [{section: stalls, quantity: 2, together: true}]
    held  units: [{seats: [A-1, A-2], ...}]

== A section need not spare any
define d  state: open, $rows -> defined  change: created
define e  sections: [{section: stalls, spare: true}] -> defined  change: same
define f  sections: [{section: stalls, spare: false}] -> defined  change: changed
hold a  customer: c, items: [{section: stalls, quantity: 2, together: true}]
    held  units: [{seats: [A-1, A-2], ...}]
define g  sections: [{section: stalls, price: 11}] -> defined
release h  customer: c, booking: a -> released
define i  sections: [{section: stalls, spare: true}] -> defined  change: changed
hold j  customer: c, items: [{section: stalls, quantity: 2}]
    held  units: [{seats: [A-3, A-4], ...}]

== Who needs another feature leaves places for wheelchairs, too
define d  state: open, sections: [{section: stalls, price: 10, rows: [{row: A, seats: 3, features: {accessible: [1], aisle: [1, 3]}},
    {row: B, seats: 2, features: {aisle: [2]}}]}]
    defined
hold a  customer: c, items: [{section: stalls, quantity: 1, features: [aisle]}]
    held  units: [{seats: [A-3], ...}]
hold b  customer: c, items: [{section: stalls, members: [{quantity: 1, features: [aisle]}, {quantity: 1}]}]
    held  units: [{seats: [B-2], member: 0, ...}, {seats: [B-1], member: 1, ...}]
hold e  customer: c, items: [{section: stalls, members: [{quantity: 1, features: [aisle]}, {quantity: 1}]}]
    held  units: [{seats: [A-1], member: 0, ...}, {seats: [A-2], member: 1, ...}]

== The house uses up the spared places of its block, and blocks them last
define d  state: open, $rows -> defined
block a  items: [{section: stalls, quantity: 4}] -> blocked  together: false, units: [{seats: [B-1, B-2, B-3, A-3], ...}]
block b  items: [{seats: [A-1, A-2]}] -> blocked
hold c  customer: c, from_block: b, items: [{section: stalls, quantity: 1}]
    held  units: [{seats: [A-1], ...}]
