# Which seats a party gets that leaves the choice to the house: sections to choose from, features, sitting together, and the order in which seats are given.

let hall  state: open, sections: [{section: front, rows: [{row: F1, seats: 4}], price: 1000}, {section: back, rows: [{row: B1, seats: 6}],
    price: 1000}]
let hallb  state: open, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]

== The first section that serves the whole item
define r1  state: open, sections: [{section: front, rows: [{row: F1, seats: 4}], price: 1000}, {section: back, rows: [{row: B1, seats: 8}],
    price: 1000}, {section: floor, capacity: 6, price: 1000}]
    defined
hold r2  customer: c, items: [{sections: [back, front], quantity: 4}]
    held  units: [{item: 0, section: back, seats: [B1-3, B1-4, B1-5, B1-6], price: 1000}]
hold r3  customer: c, items: [{sections: [front, back], quantity: 4}]
    held  units: [{item: 0, section: front, seats: [F1-1, F1-2, F1-3, F1-4], price: 1000}]
hold r4  customer: c, items: [{sections: [front, back, floor], quantity: 5}]
    held  units: [{item: 0, section: floor, quantity: 5, price: 1000}]

== A section that leaves nobody alone comes first
# Three of a row of four leave one seat alone, wherever they sit.
define r1  $hall -> defined
hold r2  customer: c, items: [{sections: [front, back], quantity: 3}]
    held  units: [{item: 0, section: back, seats: [B1-1, B1-2, B1-3], price: 1000}]
hold r3  customer: c, items: [{sections: [front, back], quantity: 3}]
    held  units: [{item: 0, section: back, seats: [B1-4, B1-5, B1-6], price: 1000}]
hold r4  customer: c, items: [{sections: [front, back], quantity: 3}]
    held  units: [{item: 0, section: front, seats: [F1-1, F1-2, F1-3], price: 1000}]

== No section is enough
define r1  $hall -> defined
hold r2  customer: c, items: [{sections: [front, back], quantity: 7}]
    refused not_enough  items: [{item: 0, asked: 7, given: 0, reason: not_enough, free: 6}]
hold r3  customer: c, items: [{sections: [front, pit], quantity: 2}]
    refused unknown_pool  items: [{item: 0, asked: 2, given: 0, reason: unknown_pool, unknown: pit, known: [front, back]}]

== One piece comes before the order of sections
define r1  state: open, sections: [{section: front, rows: [{row: F1, seats: 2}, {row: F2, seats: 2}, {row: F3, seats: 2}], price: 1000},
    {section: back, rows: [{row: B1, seats: 4}], price: 1000}]
    defined
hold r2  customer: c, items: [{sections: [front, back], quantity: 4}]
    held  units: [{item: 0, section: back, seats: [B1-1, B1-2, B1-3, B1-4], price: 1000}]
hold r3  customer: c, items: [{sections: [back, front], quantity: 4}]
    held  units: [{item: 0, section: front, seats: [F1-1, F1-2, F2-1, F2-2], price: 1000}]

== Sections and a section at once are malformed
define r1  $hallb -> defined
hold r2  customer: c, items: [{section: stalls, sections: [balcony], quantity: 1}] -> invalid malformed
hold r3  customer: c, items: [{sections: [], quantity: 1}] -> invalid malformed

== Features choose among sections
define r1  state: open, sections: [{section: front, rows: [{row: F1, seats: 4}], price: 1000}, {section: back, rows: [{row: B, seats: 4,
    features: {aisle: [1]}}], price: 1000}]
    defined
hold r2  customer: c, items: [{sections: [front, back], quantity: 1, features: [aisle]}]
    held  units: [{item: 0, section: back, seats: [B-1], price: 1000}]

== The answer says whether they sit together
define r1  state: open, sections: [{section: stalls, rows: [{row: A, seats: 4}, {row: B, seats: 4}], price: 1000}, {section: floor,
    capacity: 9, price: 1000}]
    defined
hold r2  customer: c, items: [{section: stalls, quantity: 4}] -> held  together: true
hold r3  customer: c, items: [{section: stalls, quantity: 2}, {section: stalls, quantity: 2}] -> held  together: true
hold r4  customer: c, items: [{section: floor, quantity: 3}] -> held
define r5  sections: [{section: side, rows: [{row: S1, seats: 2}, {row: S2, seats: 2}], price: 1}] -> defined
hold r6  customer: c, items: [{section: side, quantity: 3}] -> held  together: false
hold r7  customer: c, items: [{seats: [S2-2]}] -> held

== Who must sit together is refused rather than split
define r1  state: open, sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 4}, {row: B, seats: 6}]}] -> defined
hold r2  customer: d, items: [{seats: [B-3]}] -> held  units: [{item: 0, section: stalls, seats: [B-3], price: 4500}]
hold r3  customer: c, items: [{section: stalls, quantity: 5, together: true}] -> refused not_together  retryable: true
hold r4  customer: c, items: [{section: stalls, quantity: 9, together: true}] -> refused not_together  retryable: false
hold r5  customer: c, items: [{section: stalls, quantity: 10, together: true}] -> refused not_enough  retryable: false
hold r6  customer: c, items: [{section: stalls, quantity: 4, together: true}]
    held  units: [{item: 0, section: stalls, seats: [A-1, A-2, A-3, A-4], price: 4500}]

== Best is the first row from its middle outward
define r1  state: open, sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 9}, {row: B, seats: 9}]}] -> defined
hold r2  customer: c, items: [{section: stalls, quantity: 3}]
    held  units: [{item: 0, section: stalls, seats: [A-4, A-5, A-6], price: 4500}]
hold r3  customer: c, items: [{section: stalls, quantity: 1}] -> held  units: [{item: 0, section: stalls, seats: [A-3], price: 4500}]
hold r4  customer: c, items: [{section: stalls, quantity: 1}] -> held  units: [{item: 0, section: stalls, seats: [A-7], price: 4500}]
hold r5  customer: c, items: [{section: stalls, quantity: 4}]
    held  units: [{item: 0, section: stalls, seats: [B-3, B-4, B-5, B-6], price: 4500}]

== Best is by rank where seats have one
define r1  state: open, sections: [{section: stalls, rows: [{row: A, seats: 6, ranks: [9, 9, 5, 5, 9, 9]}, {row: B, seats: 6, ranks: [9, 1,
    1, 1, 9, 9]}], price: 1000}]
    defined
hold r2  customer: c, items: [{section: stalls, quantity: 4}]
    held  units: [{item: 0, section: stalls, seats: [B-1, B-2, B-3, B-4], price: 1000}]
hold r3  customer: c, items: [{section: stalls, quantity: 2}] -> held  units: [{item: 0, section: stalls, seats: [A-3, A-4], price: 1000}]
hold r4  customer: c, items: [{section: stalls, quantity: 1}] -> held  units: [{item: 0, section: stalls, seats: [A-2], price: 1000}]

== Nobody is left alone if it can be helped
# A single free seat between others is hard to sell. Only in the row that is cut from; a gap that was is no matter.
define r1  state: open, sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 5}, {row: B, seats: 7}]}] -> defined
hold r2  customer: c, items: [{section: stalls, quantity: 4}]
    held  units: [{item: 0, section: stalls, seats: [B-1, B-2, B-3, B-4], price: 4500}]
hold r3  customer: c, items: [{section: stalls, quantity: 2}] -> held  units: [{item: 0, section: stalls, seats: [A-1, A-2], price: 4500}]
hold r4  customer: c, items: [{section: stalls, quantity: 3}]
    held  units: [{item: 0, section: stalls, seats: [A-3, A-4, A-5], price: 4500}]
hold r5  customer: c, items: [{section: stalls, quantity: 2}] -> held  units: [{item: 0, section: stalls, seats: [B-5, B-6], price: 4500}]

== Few pieces near the first
define r1  state: open, sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 5}, {row: B, seats: 3}, {row: C, seats: 6},
    {row: D, seats: 3}, {row: E, seats: 5}]}]
    defined
hold r2  customer: d, items: [{seats: [A-3, C-6, E-3]}] -> held  units: [{item: 0, section: stalls, seats: [A-3, C-6, E-3], price: 4500}]
hold r3  customer: c, items: [{section: stalls, quantity: 8}]
    held  units: [{item: 0, section: stalls, seats: [C-1, C-2, C-3, C-4, C-5, B-1, B-2, B-3], price: 4500}], together: false

== The order is the houses
define r1  $hallb, strategy: nearest -> invalid

== Items of one request do not get each others seats
define r1  state: open, sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 4}, {row: B, seats: 4}]}] -> defined
hold r2  customer: c, items: [{seats: [A-2]}, {section: stalls, quantity: 2}, {section: stalls, quantity: 4}]
    held  units: [{item: 0, section: stalls, seats: [A-2], price: 4500}, {item: 1, section: stalls, seats: [A-3, A-4], price: 4500,
        together: true}, {item: 2, section: stalls, seats: [B-1, B-2, B-3, B-4], price: 4500, together: true}]

-- On the floor
define r1  state: open, sections: [{section: stalls, rows: [{row: A, seats: 6, features: {aisle: [1, 6], pillar: [3]}}, {row: B, seats: 6,
    features: {aisle: [1, 6], wheelchair: [1, 2, 3]}}], price: 1000}, {section: floor, capacity: 5, price: 1000}]
    defined

== Every seat has all features wanted
hold r2  customer: c, items: [{section: stalls, quantity: 2, features: [wheelchair], together: true}]
    held  units: [{item: 0, section: stalls, seats: [B-2, B-3], price: 1000}]
hold r3  customer: c, items: [{section: stalls, quantity: 1, features: [wheelchair, aisle]}]
    held  units: [{item: 0, section: stalls, seats: [B-1], price: 1000}]
hold r4  customer: c, items: [{section: stalls, quantity: 4, features: [aisle]}]
    refused not_enough  items: [{item: 0, asked: 4, given: 0, reason: not_enough, free: 3}]
hold r5  customer: c, items: [{section: stalls, quantity: 2, features: [aisle], together: true}]
    refused not_together  items: [{item: 0, asked: 2, given: 0, reason: not_together, free: 3}]
hold r6  customer: c, items: [{section: stalls, quantity: 2, features: [aisle]}]
    held  units: [{item: 0, section: stalls, seats: [A-1, A-6], price: 1000}]
hold r7  customer: c, items: [{section: stalls, quantity: 1, features: [balcony]}]
    refused unknown_feature  items: [{item: 0, asked: 1, given: 0, reason: unknown_feature, unknown: balcony, known: [aisle, pillar,
        wheelchair]}]

== No seat has a feature to be avoided
hold r2  customer: c, items: [{section: stalls, quantity: 3, avoid: [pillar, wheelchair]}]
    held  units: [{item: 0, section: stalls, seats: [A-4, A-5, A-6], price: 1000}]
hold r3  customer: c, items: [{section: stalls, quantity: 4, avoid: [pillar, wheelchair], together: true}] -> refused not_together
hold r4  customer: c, items: [{section: stalls, quantity: 1, features: [aisle], avoid: [wheelchair]}]
    held  units: [{item: 0, section: stalls, seats: [A-1], price: 1000}]

== Features of sections without rows
# A feature that is wanted is never there; one that is to be avoided is not there either.
hold r2  customer: c, items: [{section: floor, quantity: 1, features: [aisle]}] -> refused unknown_feature
hold r3  customer: c, items: [{section: floor, quantity: 2, avoid: [aisle]}]
    held  units: [{item: 0, section: floor, quantity: 2, price: 1000}]
