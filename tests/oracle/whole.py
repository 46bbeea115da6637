"""Carts whose bookings were confirmed in one transaction of Kafka: each is sold in all its resources or in none, whatever was
killed. They are known by their ids: in the cart `basket-7` the confirm `basket-7.c1` is for the booking `basket-7.h1`; or, as
libusher names them, `basket-7.h1-2.c` for the booking `basket-7.h1-2`, the line's in the second try."""

import re

CONFIRM = re.compile(r'(?P<cart>.+)\.(c(?P<line>\d+)|(?P<try>h\d+(-\d)?)\.c)')
# A line may be refused alone because the house, or the customer, ended or handed on its booking meanwhile, because the client
# asked for that (a deadline, one id for two contents), or because the database refused its record twice.
ALONE = {'already_released', 'not_owner', 'too_late', 'id_reused', 'internal'}


def _confirms(evidence):
    """((customer, cart), row) of the first answer to each confirm of such a cart."""
    for rows in evidence.decisions.values():
        for row in rows:
            named = CONFIRM.fullmatch(row.request_id or '') if row.op == 'confirm' and row.first else None
            booking = named and evidence.bookings.get((row.resource, f'{named["cart"]}.{named["try"] or "h" + named["line"]}'))
            if booking and booking['cart'] == named['cart']:
                yield (booking['customer'], named['cart']), row


def compare(report, evidence):
    carts = {}
    for cart, row in _confirms(evidence):
        if row.reason not in ALONE:
            carts.setdefault(cart, []).append(row)
    for (customer, cart), rows in carts.items():
        said = {f'{row.request_id} of {row.resource}': row.reason or row.outcome for row in rows}
        if len({row.outcome == 'confirmed' or row.reason == 'already_confirmed' for row in rows}) > 1:
            report.differ(f'cart {cart} of {customer}', 'sold in all its resources or in none', said)
