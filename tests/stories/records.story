# What every request goes through before an operation looks at it, and what a decision's row and dead letter hold.

define d  state: open, currency: EUR, sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 4}, {row: B, seats: 3}]},
    {section: standing, capacity: 5, price: 1000}]
    defined
hold held  customer: c, items: [{seats: [A-1]}] -> held
book sold  customer: c, items: [{seats: [A-2]}] -> confirmed
hold back  customer: c, items: [{seats: [A-3]}] -> held
release back-r  customer: c, booking: back -> released
book gone  customer: c, items: [{seats: [A-3]}] -> confirmed
cancel gone-c  customer: c, booking: gone -> cancelled

== Refusals are repeated too
# All but deadline and client makes the content.
hold no  customer: c, items: [{seats: [A-1]}] -> refused unit_taken
release free  customer: c, booking: held -> released
hold no  customer: c, items: [{seats: [A-1]}] -> refused unit_taken
hold no  customer: c, items: [{seats: [A-1, A-4]}] -> refused id_reused  retryable: false
hold no  customer: d, items: [{seats: [A-1]}] -> refused id_reused
hold no  note: n, customer: c, items: [{seats: [A-1]}] -> refused id_reused
hold no  customer: c, client: other, items: [{seats: [A-1]}], deadline: @-16m39s -> refused unit_taken
hold yes  customer: c, items: [{seats: [A-1]}] -> held

== Some answers do not use up the id
# invalid, id_reused, and anything about a resource that is not there leave the id unused.
open u  resource: new -> refused unknown_resource
open u  resource: new, deadline: @-16m39s -> refused too_late
define u  resource: new, products: [{product: x}] -> refused bad_chart
define u  resource: new -> defined
open u  resource: new -> refused id_reused
define u  resource: new -> defined
open v  resource: new, deadline: @-16m39s -> refused too_late
close v  resource: new -> refused id_reused
