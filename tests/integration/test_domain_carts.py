"""Carts: bookings of one customer in one resource under one name, dealt with together, and what became of them over all
resources. And a part of a booking: confirm with items."""

import pytest

from harness.counts import check_counts
from harness.moments import past, soon, unrequested
from harness.shows import HALL_UNITS, pieces, places, seats, shortfalls, standing, verdict
from harness.waiting import eventually
from oracle.parsing import instant_of

pytestmark = pytest.mark.smoke


def fill(ask, hall, *items, cart='k', customer='c', **more):
    """Bookings of a cart, one for each."""
    return [ask('hold', hall, customer=customer, cart=cart, items=one, **more) for one in items]


def bookings_of(groups):
    return {group['booking'] for group in groups}


# ---- a cart ----------------------------------------------------------------------------------------------------------
def test_extend_of_a_cart_says_the_earliest_end(ask, hall):
    fill(ask, hall, seats('A-1'), ttl_s=60)
    fill(ask, hall, seats('A-2'), ttl_s=7200)
    answer = ask('extend', hall, customer='c', cart='k', ttl_s=600)
    assert verdict(answer) == ('extended', None)
    assert instant_of(answer['expires_at']) == instant_of(answer['decided_at']) + 600_000


def test_a_refused_step_does_not_restart_the_cart(world, hall):
    fill(world.ask, hall, seats('A-1'), ttl_s=60)
    ends = "select expires_at from usher.booking where cart = 'k' and resource_no = (select no from usher.resource " \
           'where id = %s)'
    before = world.sql(ends, hall)
    assert verdict(world.ask('hold', hall, customer='c', cart='k', items=seats('A-1')))[1] == 'unit_taken'
    assert verdict(world.ask('hold', hall, customer='d', cart='k', items=seats('B-1')))[1] is None
    assert before[0] in world.sql(ends, hall)


# ---- a cart that ran out ---------------------------------------------------------------------------------------------
def test_late_confirm_of_a_cart(world, hall):
    """What ran out in the cart's present life is sold with what is still held, all or nothing; what ran out before that
    life began is not."""
    old = fill(world.ask, hall, seats('A-1'), ttl_s=1)[0]
    lost = fill(world.ask, hall, seats('BA-11'), cart='lost', ttl_s=1)[0]
    for held in (old, lost):
        unrequested(world, held['booking'], hall, 'expiry')
    # A new life, in which one runs out and one does not.
    short, long, kept, also = world.ask_all(*(
        world.client.request('hold', hall, customer='c', cart=cart, items=seats(seat), ttl_s=ttl)
        for cart, seat, ttl in (('k', 'A-2', 1), ('k', 'A-3', 600), ('lost', 'BA-12', 1), ('lost', 'BA-13', 600))))
    for held in (short, kept):
        unrequested(world, held['booking'], hall, 'expiry')
    receipt = world.ask('confirm', hall, customer='c', cart='k')
    assert verdict(receipt) == ('confirmed', None)
    assert bookings_of(receipt['units']) == {short['booking'], long['booking']}
    # One of them is gone: none is sold, and the hold goes on.
    world.ask('book', hall, customer='d', items=seats('BA-12'))
    refused = world.ask('confirm', hall, customer='c', cart='lost')
    assert verdict(refused) == ('refused', 'hold_expired')
    assert shortfalls(refused) == {0: ('unit_taken', None, ['BA-12'])}
    check_counts(world, hall, HALL_UNITS - 4, held=1, sold=3)
    # An extend would promise the other alone; it does once what is gone is given up.
    assert verdict(world.ask('extend', hall, customer='c', cart='lost', ttl_s=600)) == ('refused', 'hold_expired')
    given_up = world.ask('release', hall, customer='c', booking=kept['booking'])
    assert verdict(given_up) == ('released', None) and not {'returned', 'total'} & set(given_up)
    assert world.ask('extend', hall, customer='c', cart='lost', ttl_s=600)['total'] == also['total']
    receipt = world.ask('confirm', hall, customer='c', cart='lost')
    assert bookings_of(receipt['units']) == {also['booking']} and receipt['total'] == also['total']


def test_a_cart_that_was_released_is_not_sold_late(world, hall):
    short, long = (fill(world.ask, hall, seats(seat), ttl_s=ttl)[0] for seat, ttl in (('A-2', 1), ('A-3', 600)))
    unrequested(world, short['booking'], hall, 'expiry')
    back = world.ask('release', hall, customer='c', cart='k')
    assert bookings_of(back['returned']) == {long['booking']} and back['total'] == long['total']
    for op in ('confirm', 'release'):
        assert verdict(world.ask(op, hall, customer='c', cart='k')) == ('refused', 'unknown_booking')
    # Also one of which nothing is held any more.
    unrequested(world, fill(world.ask, hall, seats('A-4'), ttl_s=1)[0]['booking'], hall, 'expiry')
    back = world.ask('release', hall, customer='c', cart='k')
    assert verdict(back) == ('released', None) and 'returned' not in back
    assert verdict(world.ask('confirm', hall, customer='c', cart='k')) == ('refused', 'unknown_booking')
    check_counts(world, hall, HALL_UNITS)


def test_late_confirm_of_a_cart_that_ran_out_as_a_whole(world, hall):
    first = fill(world.ask, hall, seats('A-1'), ttl_s=4)[0]
    past(world, first['decided_at'], 0.3)
    second = fill(world.ask, hall, [*seats('A-2'), *places('standing', 2)], ttl_s=4)[0]
    for held in (first, second):
        unrequested(world, held['booking'], hall, 'expiry')
    # Of places without names, as many will do.
    world.ask('book', hall, customer='d', items=places('standing', 8))
    receipt = world.ask('confirm', hall, customer='c', cart='k')
    assert verdict(receipt) == ('confirmed', None) and receipt['total'] == first['total'] + second['total']
    assert bookings_of(receipt['units']) == {first['booking'], second['booking']}
    check_counts(world, hall, HALL_UNITS - 12, sold=12)


# ---- a cart over several resources -----------------------------------------------------------------------------------
class Trolley:
    """A customer's cart, with a booking in each of its shows."""

    def __init__(self, world, name, *ttls):
        self.world, self.customer, self.held, self.asked_at = world, name('customer'), [], ''
        for ttl_s in ttls or (600, 600):
            self.add(name(), ttl_s)

    def add(self, show, ttl_s=600, units=1, **fields):
        self.world.ask('define', show, **{**standing(9), 'currency': 'EUR', **fields})
        held = self.world.ask('hold', show, customer=self.customer, cart='k', items=places('floor', units), ttl_s=ttl_s)
        self.held.append(held)
        self.asked_at = max(self.asked_at, held['decided_at'])

    def ask(self, op, *numbers, **fields):
        """About these of its bookings, or all. Each is decided later than what was asked before: clocks of partitions differ a
        little."""
        for number in numbers or range(len(self.held)):
            held = self.held[number]
            eventually(lambda held=held: self.world.ask('probe', held['resource'])['decided_at'] > self.asked_at)
            answer = self.world.ask(op, held['resource'], customer=self.customer, booking=held['booking'], **fields)
            assert answer['outcome'] != 'refused', answer
            self.asked_at = answer['decided_at']

    def run_out(self, number):
        unrequested(self.world, self.held[number]['booking'], self.held[number]['resource'], 'expiry')

    def is_said(self, *columns):
        [row] = self.world.sql(f"select {', '.join(columns or ['state'])} from usher.cart where customer = %s and cart = 'k'",
                               self.customer, role='reader')
        return row if columns else row[0]


@pytest.mark.parametrize('how', ['runs out', 'is released'])
def test_a_cart_stays_mixed_until_the_rest_is_sold_or_cancelled(world, name, how):
    trolley = Trolley(world, name, 600, 2 if how == 'runs out' else 600)
    trolley.ask('confirm', 0)
    if how == 'runs out':
        trolley.run_out(1)
    else:
        trolley.ask('release', 1)
    assert trolley.is_said('state', 'units', 'totals') == ('mixed', 1, {'EUR': 1000})
    if how == 'runs out':
        trolley.ask('confirm', 1)
        assert trolley.is_said() == 'confirmed'
        trolley.ask('cancel', 1)
        assert trolley.is_said() == 'confirmed', 'a sale that was whole, of which a part was given back'
    trolley.ask('cancel', 0)
    assert trolley.is_said('state', 'units', 'totals') == ('cancelled', 0, {})


def test_a_booking_that_ran_out_just_before_was_left_out(world, name):
    trolley = Trolley(world, name, 1, 600)
    trolley.run_out(0)
    assert trolley.is_said() == 'held'
    trolley.ask('confirm', 1)
    assert trolley.is_said() == 'mixed'


def test_a_cart_that_is_over(world, name):
    trolley = Trolley(world, name, 1, 1, 600)
    for number in range(2):
        trolley.run_out(number)
    assert trolley.is_said() == 'held'
    trolley.ask('release', 2)
    assert trolley.is_said('state', 'bookings', 'units', 'totals') == ('cancelled', 3, 0, {}), 'a part of it by request'
    alone = Trolley(world, name, 1)
    alone.run_out(0)
    assert alone.is_said() == 'expired'


def test_a_cart_with_a_waiting_party(world, name):
    trolley = Trolley(world, name)
    full = name()
    world.ask('define', full, **standing(1))
    world.ask('book', full, customer='d', items=places('floor', 1))
    waiting = world.ask('hold', full, customer=trolley.customer, cart='k', items=places('floor', 1), wait_until=soon(world, 600))
    assert verdict(waiting) == ('waiting', None) and trolley.is_said() == 'held'
    trolley.ask('confirm')
    assert trolley.is_said('state', 'units') == ('waiting', 2)
    world.ask('leave', full, customer=trolley.customer, booking=waiting['booking'])
    assert trolley.is_said() == 'confirmed'


# ---- a part of a booking ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize('items', [seats('A-1', 'A-3'), places('stalls', 3), places('balcony', 1), places('standing', 3),
                                   pieces('programme', 1), [*places('stalls', 2), *seats('A-1')]],
                         ids=['a seat', 'more seats', 'a section', 'more places', 'a product', 'a seat twice'])
def test_confirm_of_what_is_not_in_the_booking(world, hall, items):
    held = world.ask('hold', hall, customer='c', items=[*seats('A-1', 'A-2'), *places('standing', 2)])
    refused = world.ask('confirm', hall, customer='c', booking=held['booking'], items=items)
    assert verdict(refused) == ('refused', 'not_in_booking')
    assert [(line['given'], line['reason']) for line in refused['items']] == [(0, 'not_in_booking')]
    check_counts(world, hall, HALL_UNITS - 4, held=4)
