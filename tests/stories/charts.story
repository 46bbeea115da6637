# Layouts: seating plans as they are drawn elsewhere, charts by name, rows that are changed under sold seats, and what is wrong with a layout.

== A plan makes a section of each category
define r1  plan: {name: Large hall, size: {width: 800, height: 600}, zones: [{name: Zone G, position: {x: 0, y: 0}, areas: [],
    rows: [{row_number: "1", row_number_position: both, position: {x: 0, y: 0.0}, seats: [{seat_guid: G-1-1, seat_number: "1",
    category: Stalls, position: {x: 20.0, y: 0}}, {seat_guid: G-1-2, seat_number: "2", category: Stalls, position: {x: 40.0, y: 0}},
    {seat_guid: G-1-3, seat_number: "3", category: Stalls, position: {x: 60.0, y: 0}}, {seat_guid: G-1-4, seat_number: "4",
    category: Stalls, position: {x: 80.0, y: 0}}]}, {row_number: "2", row_number_position: both, position: {x: 0, y: 30.0},
    seats: [{seat_guid: G-2-1, seat_number: "1", category: Stalls, position: {x: 20.0, y: 0}}, {seat_guid: G-2-2, seat_number: "2",
    category: Stalls, position: {x: 40.0, y: 0}}, {seat_guid: G-2-3, seat_number: "3", category: Stalls, position: {x: 60.0, y: 0}},
    {seat_guid: G-2-4, seat_number: "4", category: Stalls, position: {x: 80.0, y: 0}}, {seat_guid: G-2-5, seat_number: "5",
    category: Stalls, position: {x: 100.0, y: 0}}, {seat_guid: G-2-6, seat_number: "6", category: Stalls, position: {x: 120.0, y: 0}}]}]},
    {name: Zone U, position: {x: 0, y: 0}, areas: [], rows: [{row_number: "1", row_number_position: both, position: {x: 0, y: 0.0},
    seats: [{seat_guid: U-1-1, seat_number: "1", category: Circle, position: {x: 20.0, y: 0}}, {seat_guid: U-1-2, seat_number: "2",
    category: Circle, position: {x: 40.0, y: 0}}, {seat_guid: U-1-3, seat_number: "3", category: Circle, position: {x: 60.0, y: 0}}]}]}],
    categories: [{name: Stalls, color: #4f5f7f}, {name: Circle, color: #4f5f7f}]}, sections: [{section: Stalls, price: 4500},
    {section: Circle, rates: {adult: 3000, child: 1500}}], state: open
    defined
probe r2
    alive  pools: [{section: Stalls, free: 10, held: 0, sold: 0, blocked: 0, total: 10, rates: {standard: 4500}}, {section: Circle, free: 3,
        held: 0, sold: 0, blocked: 0, total: 3, rates: {adult: 3000, child: 1500}}], free: 13
book r3  customer: c, items: [{seats: [G-2-6, G-1-1]}, {seats: [U-1-2], rate: child}]
    confirmed  units: [{item: 0, section: Stalls, seats: [G-2-6, G-1-1], price: 4500}, {item: 1, section: Circle, seats: [U-1-2],
        price: 1500, rate: child}], total: 10500, free: 10
book r4  customer: c, items: [{section: Stalls, quantity: 4, together: true}]
    confirmed  units: [{item: 0, section: Stalls, seats: [G-2-2, G-2-3, G-2-4, G-2-5], price: 4500}], total: 18000, free: 6

== Categories without a price cost nothing
define r1  plan: {name: Large hall, size: {width: 800, height: 600}, zones: [{name: Zone G, position: {x: 0, y: 0}, areas: [],
    rows: [{row_number: "1", row_number_position: both, position: {x: 0, y: 0.0}, seats: [{seat_guid: G-1-1, seat_number: "1",
    category: Stalls, position: {x: 20.0, y: 0}}, {seat_guid: G-1-2, seat_number: "2", category: Stalls, position: {x: 40.0, y: 0}},
    {seat_guid: G-1-3, seat_number: "3", category: Stalls, position: {x: 60.0, y: 0}}, {seat_guid: G-1-4, seat_number: "4",
    category: Stalls, position: {x: 80.0, y: 0}}]}, {row_number: "2", row_number_position: both, position: {x: 0, y: 30.0},
    seats: [{seat_guid: G-2-1, seat_number: "1", category: Stalls, position: {x: 20.0, y: 0}}, {seat_guid: G-2-2, seat_number: "2",
    category: Stalls, position: {x: 40.0, y: 0}}, {seat_guid: G-2-3, seat_number: "3", category: Stalls, position: {x: 60.0, y: 0}},
    {seat_guid: G-2-4, seat_number: "4", category: Stalls, position: {x: 80.0, y: 0}}, {seat_guid: G-2-5, seat_number: "5",
    category: Stalls, position: {x: 100.0, y: 0}}, {seat_guid: G-2-6, seat_number: "6", category: Stalls, position: {x: 120.0, y: 0}}]}]},
    {name: Zone U, position: {x: 0, y: 0}, areas: [], rows: [{row_number: "1", row_number_position: both, position: {x: 0, y: 0.0},
    seats: [{seat_guid: U-1-1, seat_number: "1", category: Circle, position: {x: 20.0, y: 0}}, {seat_guid: U-1-2, seat_number: "2",
    category: Circle, position: {x: 40.0, y: 0}}, {seat_guid: U-1-3, seat_number: "3", category: Circle, position: {x: 60.0, y: 0}}]}]}],
    categories: [{name: Stalls, color: #4f5f7f}, {name: Circle, color: #4f5f7f}]}, state: open
    defined
book r2  customer: c, items: [{seats: [G-1-1, U-1-1]}] -> confirmed  total: 0

== Neighbours of one category stay neighbours
# A row of several categories becomes several rows.
define r1  plan: {name: Large hall, size: {width: 800, height: 600}, zones: [{name: Hall, position: {x: 0, y: 0}, areas: [],
    rows: [{row_number: R, row_number_position: both, position: {x: 0, y: 0}, seats: [{seat_guid: R-1, seat_number: "1", category: Cheap,
    position: {x: 10.0, y: 0}}, {seat_guid: R-2, seat_number: "2", category: Cheap, position: {x: 20.0, y: 0}}, {seat_guid: R-3,
    seat_number: "3", category: Dear, position: {x: 30.0, y: 0}}, {seat_guid: R-4, seat_number: "4", category: Dear, position: {x: 40.0,
    y: 0}}, {seat_guid: R-5, seat_number: "5", category: Cheap, position: {x: 50.0, y: 0}}, {seat_guid: R-6, seat_number: "6",
    category: Cheap, position: {x: 60.0, y: 0}}, {seat_guid: R-7, seat_number: "7", category: Cheap, position: {x: 70.0, y: 0}}]}]}],
    categories: [{name: Cheap, color: #4f5f7f}, {name: Dear, color: #4f5f7f}]}, state: open
    defined
probe r2
    alive  pools: [{section: Cheap, free: 5, held: 0, sold: 0, blocked: 0, total: 5, rates: {standard: 0}}, {section: Dear, free: 2,
        held: 0, sold: 0, blocked: 0, total: 2, rates: {standard: 0}}]
hold r3  customer: c, items: [{section: Cheap, quantity: 4, together: true}] -> refused not_together
hold r4  customer: c, items: [{section: Cheap, quantity: 3, together: true}]
    held  units: [{item: 0, section: Cheap, seats: [R-5, R-6, R-7], price: 0}], total: 0

== Seats of a plan may have ranks and features
define r1  plan: {name: Large hall, size: {width: 800, height: 600}, zones: [{name: Hall, position: {x: 0, y: 0}, areas: [],
    rows: [{row_number: R, row_number_position: both, position: {x: 0, y: 0}, seats: [{seat_guid: R-1, seat_number: "1", category: Hall,
    position: {x: 10.0, y: 0}, rank: 8, features: [aisle]}, {seat_guid: R-2, seat_number: "2", category: Hall, position: {x: 20.0, y: 0},
    rank: 7, features: []}, {seat_guid: R-3, seat_number: "3", category: Hall, position: {x: 30.0, y: 0}, rank: 6, features: []},
    {seat_guid: R-4, seat_number: "4", category: Hall, position: {x: 40.0, y: 0}, rank: 5, features: []}, {seat_guid: R-5, seat_number: "5",
    category: Hall, position: {x: 50.0, y: 0}, rank: 4, features: []}, {seat_guid: R-6, seat_number: "6", category: Hall,
    position: {x: 60.0, y: 0}, rank: 3, features: [aisle]}]}]}], categories: [{name: Hall, color: #4f5f7f}]}, state: open
    defined
hold r2  customer: c, items: [{section: Hall, quantity: 1, features: [aisle]}]
    held  units: [{item: 0, section: Hall, seats: [R-6], price: 0}]
hold r3  customer: c, items: [{section: Hall, quantity: 2}] -> held  units: [{item: 0, section: Hall, seats: [R-4, R-5], price: 0}]

== A plan replaces its categories only
define r1  plan: {name: Large hall, size: {width: 800, height: 600}, zones: [{name: Zone G, position: {x: 0, y: 0}, areas: [],
    rows: [{row_number: "1", row_number_position: both, position: {x: 0, y: 0.0}, seats: [{seat_guid: G-1-1, seat_number: "1",
    category: Stalls, position: {x: 20.0, y: 0}}, {seat_guid: G-1-2, seat_number: "2", category: Stalls, position: {x: 40.0, y: 0}},
    {seat_guid: G-1-3, seat_number: "3", category: Stalls, position: {x: 60.0, y: 0}}, {seat_guid: G-1-4, seat_number: "4",
    category: Stalls, position: {x: 80.0, y: 0}}]}, {row_number: "2", row_number_position: both, position: {x: 0, y: 30.0},
    seats: [{seat_guid: G-2-1, seat_number: "1", category: Stalls, position: {x: 20.0, y: 0}}, {seat_guid: G-2-2, seat_number: "2",
    category: Stalls, position: {x: 40.0, y: 0}}, {seat_guid: G-2-3, seat_number: "3", category: Stalls, position: {x: 60.0, y: 0}},
    {seat_guid: G-2-4, seat_number: "4", category: Stalls, position: {x: 80.0, y: 0}}, {seat_guid: G-2-5, seat_number: "5",
    category: Stalls, position: {x: 100.0, y: 0}}, {seat_guid: G-2-6, seat_number: "6", category: Stalls, position: {x: 120.0, y: 0}}]}]},
    {name: Zone U, position: {x: 0, y: 0}, areas: [], rows: [{row_number: "1", row_number_position: both, position: {x: 0, y: 0.0},
    seats: [{seat_guid: U-1-1, seat_number: "1", category: Circle, position: {x: 20.0, y: 0}}, {seat_guid: U-1-2, seat_number: "2",
    category: Circle, position: {x: 40.0, y: 0}}, {seat_guid: U-1-3, seat_number: "3", category: Circle, position: {x: 60.0, y: 0}}]}]}],
    categories: [{name: Stalls, color: #4f5f7f}, {name: Circle, color: #4f5f7f}]}, sections: [{section: Stalls, price: 4500},
    {section: Circle, rates: {adult: 3000, child: 1500}}, {section: standing, capacity: 5, price: 1}], state: open,
    products: [{product: programme, capacity: 2, price: 1}]
    defined
define r2  plan: {name: Large hall, size: {width: 800, height: 600}, zones: [{name: Zone G, position: {x: 0, y: 0}, areas: [],
    rows: [{row_number: "1", row_number_position: both, position: {x: 0, y: 0.0}, seats: [{seat_guid: G-1-1, seat_number: "1",
    category: Stalls, position: {x: 20.0, y: 0}}, {seat_guid: G-1-2, seat_number: "2", category: Stalls, position: {x: 40.0, y: 0}},
    {seat_guid: G-1-3, seat_number: "3", category: Stalls, position: {x: 60.0, y: 0}}, {seat_guid: G-1-4, seat_number: "4",
    category: Stalls, position: {x: 80.0, y: 0}}]}]}], categories: [{name: Stalls, color: #4f5f7f}]}
    defined
probe r3
    alive  pools: [{section: Stalls, free: 4, ...}, {section: Circle, free: 3, ...}, {section: standing, free: 5, ...}, {product: programme,
        free: 2, ...}]
book r4  customer: c, items: [{seats: [G-1-1, U-1-1]}] -> confirmed  total: 7500

== A chart is known by its name
# In its partition: the second show must be in the same one.
define r1  plan: {name: Large hall, size: {width: 800, height: 600}, zones: [{name: Zone G, position: {x: 0, y: 0}, areas: [],
    rows: [{row_number: "1", row_number_position: both, position: {x: 0, y: 0.0}, seats: [{seat_guid: G-1-1, seat_number: "1",
    category: Stalls, position: {x: 20.0, y: 0}}, {seat_guid: G-1-2, seat_number: "2", category: Stalls, position: {x: 40.0, y: 0}},
    {seat_guid: G-1-3, seat_number: "3", category: Stalls, position: {x: 60.0, y: 0}}, {seat_guid: G-1-4, seat_number: "4",
    category: Stalls, position: {x: 80.0, y: 0}}]}, {row_number: "2", row_number_position: both, position: {x: 0, y: 30.0},
    seats: [{seat_guid: G-2-1, seat_number: "1", category: Stalls, position: {x: 20.0, y: 0}}, {seat_guid: G-2-2, seat_number: "2",
    category: Stalls, position: {x: 40.0, y: 0}}, {seat_guid: G-2-3, seat_number: "3", category: Stalls, position: {x: 60.0, y: 0}},
    {seat_guid: G-2-4, seat_number: "4", category: Stalls, position: {x: 80.0, y: 0}}, {seat_guid: G-2-5, seat_number: "5",
    category: Stalls, position: {x: 100.0, y: 0}}, {seat_guid: G-2-6, seat_number: "6", category: Stalls, position: {x: 120.0, y: 0}}]}]},
    {name: Zone U, position: {x: 0, y: 0}, areas: [], rows: [{row_number: "1", row_number_position: both, position: {x: 0, y: 0.0},
    seats: [{seat_guid: U-1-1, seat_number: "1", category: Circle, position: {x: 20.0, y: 0}}, {seat_guid: U-1-2, seat_number: "2",
    category: Circle, position: {x: 40.0, y: 0}}, {seat_guid: U-1-3, seat_number: "3", category: Circle, position: {x: 60.0, y: 0}}]}]}],
    categories: [{name: Stalls, color: #4f5f7f}, {name: Circle, color: #4f5f7f}]}, sections: [{section: Stalls, price: 4500},
    {section: Circle, rates: {adult: 3000, child: 1500}}]
    defined
define r2  resource: s1, chart: sha256:15c04f63353f3946179d4f4c597d091dacc082a0e729002623963075169d0d8b, sections: [{section: Stalls,
    price: 700}], state: open
    defined  free: 13
book r3  resource: s1, customer: c, items: [{seats: [G-2-6, U-1-1]}]
    confirmed  units: [{item: 0, section: Stalls, seats: [G-2-6], price: 700}, {item: 0, section: Circle, seats: [U-1-1], price: 0}],
        free: 11

== A plan and a chart at once are malformed
define r1  plan: {name: Large hall, size: {width: 800, height: 600}, zones: [{name: Zone G, position: {x: 0, y: 0}, areas: [],
    rows: [{row_number: "1", row_number_position: both, position: {x: 0, y: 0.0}, seats: [{seat_guid: G-1-1, seat_number: "1",
    category: Stalls, position: {x: 20.0, y: 0}}, {seat_guid: G-1-2, seat_number: "2", category: Stalls, position: {x: 40.0, y: 0}},
    {seat_guid: G-1-3, seat_number: "3", category: Stalls, position: {x: 60.0, y: 0}}, {seat_guid: G-1-4, seat_number: "4",
    category: Stalls, position: {x: 80.0, y: 0}}]}, {row_number: "2", row_number_position: both, position: {x: 0, y: 30.0},
    seats: [{seat_guid: G-2-1, seat_number: "1", category: Stalls, position: {x: 20.0, y: 0}}, {seat_guid: G-2-2, seat_number: "2",
    category: Stalls, position: {x: 40.0, y: 0}}, {seat_guid: G-2-3, seat_number: "3", category: Stalls, position: {x: 60.0, y: 0}},
    {seat_guid: G-2-4, seat_number: "4", category: Stalls, position: {x: 80.0, y: 0}}, {seat_guid: G-2-5, seat_number: "5",
    category: Stalls, position: {x: 100.0, y: 0}}, {seat_guid: G-2-6, seat_number: "6", category: Stalls, position: {x: 120.0, y: 0}}]}]},
    {name: Zone U, position: {x: 0, y: 0}, areas: [], rows: [{row_number: "1", row_number_position: both, position: {x: 0, y: 0.0},
    seats: [{seat_guid: U-1-1, seat_number: "1", category: Circle, position: {x: 20.0, y: 0}}, {seat_guid: U-1-2, seat_number: "2",
    category: Circle, position: {x: 40.0, y: 0}}, {seat_guid: U-1-3, seat_number: "3", category: Circle, position: {x: 60.0, y: 0}}]}]}],
    categories: [{name: Stalls, color: #4f5f7f}, {name: Circle, color: #4f5f7f}]},
    chart: sha256:0000000000000000000000000000000000000000000000000000000000000000
    invalid

== A seat of a plan that another section has
define r1  sections: [{section: side, rows: [{row: G-1, seats: 1}]}] -> defined
define r2  plan: {name: Large hall, size: {width: 800, height: 600}, zones: [{name: Zone G, position: {x: 0, y: 0}, areas: [],
    rows: [{row_number: "1", row_number_position: both, position: {x: 0, y: 0.0}, seats: [{seat_guid: G-1-1, seat_number: "1",
    category: Stalls, position: {x: 20.0, y: 0}}, {seat_guid: G-1-2, seat_number: "2", category: Stalls, position: {x: 40.0, y: 0}},
    {seat_guid: G-1-3, seat_number: "3", category: Stalls, position: {x: 60.0, y: 0}}, {seat_guid: G-1-4, seat_number: "4",
    category: Stalls, position: {x: 80.0, y: 0}}]}, {row_number: "2", row_number_position: both, position: {x: 0, y: 30.0},
    seats: [{seat_guid: G-2-1, seat_number: "1", category: Stalls, position: {x: 20.0, y: 0}}, {seat_guid: G-2-2, seat_number: "2",
    category: Stalls, position: {x: 40.0, y: 0}}, {seat_guid: G-2-3, seat_number: "3", category: Stalls, position: {x: 60.0, y: 0}},
    {seat_guid: G-2-4, seat_number: "4", category: Stalls, position: {x: 80.0, y: 0}}, {seat_guid: G-2-5, seat_number: "5",
    category: Stalls, position: {x: 100.0, y: 0}}, {seat_guid: G-2-6, seat_number: "6", category: Stalls, position: {x: 120.0, y: 0}}]}]},
    {name: Zone U, position: {x: 0, y: 0}, areas: [], rows: [{row_number: "1", row_number_position: both, position: {x: 0, y: 0.0},
    seats: [{seat_guid: U-1-1, seat_number: "1", category: Circle, position: {x: 20.0, y: 0}}, {seat_guid: U-1-2, seat_number: "2",
    category: Circle, position: {x: 40.0, y: 0}}, {seat_guid: U-1-3, seat_number: "3", category: Circle, position: {x: 60.0, y: 0}}]}]}],
    categories: [{name: Stalls, color: #4f5f7f}, {name: Circle, color: #4f5f7f}]}
    refused bad_chart  detail: "seat \"G-1-1\" is in section \"side\" and in section \"Stalls\": sections that a define does not name stay, so to change the hall name all of its sections, those that go with capacity 0"

== A row whose fields do not fit (names)
define r1  sections: [{section: s, rows: [{row: A, seats: 3, names: [L, M]}]}] -> invalid

== A row whose fields do not fit (ranks)
define r1  sections: [{section: s, rows: [{row: A, seats: 3, ranks: [1, 2]}]}] -> invalid

== A row whose fields do not fit (a feature beyond)
define r1  sections: [{section: s, rows: [{row: A, seats: 3, features: {aisle: [4]}}]}] -> invalid

== A row whose fields do not fit (a feature before)
define r1  sections: [{section: s, rows: [{row: A, seats: 3, features: {aisle: [0]}}]}] -> invalid

== Rows with names of their own
define r1  state: open, sections: [{section: boxes, price: 9, rows: [{row: Box 1, seats: 3, names: [Left, Middle, Right], zone: Side}]}]
    defined
book r2  customer: c, items: [{seats: [Right]}, {section: boxes, quantity: 2}]
    confirmed  units: [{item: 0, section: boxes, seats: [Right], price: 9}, {item: 1, section: boxes, seats: [Left, Middle], price: 9,
        together: true}]
hold r3  customer: c, items: [{seats: [Box 1-1]}] -> refused unknown_seat

== Prices and terms may change under taken seats
define r1  state: open, currency: EUR, name: Hamlet, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}]
    defined
book r2  customer: c, items: [{seats: [A-2]}, {section: standing, quantity: 2}] -> confirmed
define r3  state: open, currency: EUR, name: Othello, timezone: Europe/London, sections: [{section: stalls, price: 4500, rows: [{row: A,
    seats: 4}, {row: B, seats: 6}, {row: C, seats: 8}]}, {section: balcony, price: 3000, rows: [{row: BA, seats: 5, first: 11}]},
    {section: standing, price: 2000, capacity: 10}], products: [{product: programme, name: Programme, capacity: 3, price: 500}],
    strategy: first
    defined
