# The order of all reasons: of two that hold, the earlier one is answered.

== What is not on sale has no other reason
# Closed: not_on_sale comes before everything about pools and seats, and concerns nothing else.
define d  state: open, currency: EUR, sections: [{section: stalls, price: 4500, rows: [{row: A, seats: 4}, {row: B, seats: 3}]},
    {section: standing, capacity: 5, price: 1000}]
    defined
hold held  customer: c, items: [{seats: [A-1]}] -> held
book sold  customer: c, items: [{seats: [A-2]}] -> confirmed
hold back  customer: c, items: [{seats: [A-3]}] -> held
release back-r  customer: c, booking: back -> released
book gone  customer: c, items: [{seats: [A-3]}] -> confirmed
cancel gone-c  customer: c, booking: gone -> cancelled
close q0 -> defined
hold held  customer: c, items: [{seats: [A-4]}] -> refused id_reused
hold q1  customer: c, items: [{seats: [A-4]}], deadline: @-16m39s -> refused too_late
hold q2  customer: c, items: [{product: x, quantity: 1}] -> refused not_on_sale  retryable: true
hold q3  customer: c, items: [{seats: [Z-1]}] -> refused not_on_sale
hold q4  customer: c, items: [{seats: [A-4], rate: child}] -> refused not_on_sale
hold q5  customer: c, items: [{seats: [A-1]}] -> refused not_on_sale
hold q6  customer: c, items: [{section: standing, quantity: 6}] -> refused not_on_sale
hold q7  customer: c, items: [{section: stalls, quantity: 4, together: true}] -> refused not_on_sale
book q8  customer: c, items: [{seats: [A-4]}] -> refused not_on_sale
confirm q9  customer: c, booking: held -> confirmed
cancel q10  customer: c, booking: held -> cancelled
probe q11 -> alive
