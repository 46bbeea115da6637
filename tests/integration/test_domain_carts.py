"""Carts: bookings of one customer in one resource under one name, dealt with together, and what became of them over all
resources. And a part of a booking: confirm with items."""

import pytest

from harness.counts import check_counts, seats_of
from harness.moments import past, soon, unrequested
from harness.shows import HALL_UNITS, pieces, places, seats, shortfalls, standing, stay, verdict
from harness.waiting import eventually
from oracle.parsing import instant_of

pytestmark = pytest.mark.smoke


def fill(ask, hall, *items, cart='k', customer='c', **more):
    """Bookings of a cart, one for each."""
    return [ask('hold', hall, customer=customer, cart=cart, items=one, **more) for one in items]


def bookings_of(groups):
    return {group['booking'] for group in groups}


# ---- a cart ----------------------------------------------------------------------------------------------------------
def test_confirm_of_a_cart_is_one_receipt(world, hall):
    first, second = fill(world.ask, hall, seats('A-1', 'A-2'), [*places('standing', 3), *pieces('programme', 1)])
    receipt = world.ask('confirm', hall, customer='c', cart='k', payment='pi')
    assert verdict(receipt) == ('confirmed', None) and receipt['total'] == first['total'] + second['total']
    assert receipt['units'] == [{**group, 'booking': held['booking']} for held in (first, second)
                                for group in held['units']]
    assert (receipt['cart'], receipt['customer'], receipt['payment']) == ('k', 'c', 'pi')
    check_counts(world, hall, HALL_UNITS - 6, sold=6)


def test_release_and_cancel_of_a_cart(world, hall):
    held = fill(world.ask, hall, seats('A-1'), places('standing', 2))
    back = world.ask('release', hall, customer='c', cart='k')
    assert verdict(back) == ('released', None) and bookings_of(back['returned']) == {one['booking'] for one in held}
    check_counts(world, hall, HALL_UNITS)
    held = fill(world.ask, hall, seats('A-1'), places('standing', 2))
    world.ask('confirm', hall, customer='c', cart='k')
    later = fill(world.ask, hall, seats('A-2'))
    back = world.ask('cancel', hall, customer='c', cart='k')
    assert verdict(back) == ('cancelled', None) and bookings_of(back['returned']) == {one['booking'] for one in held}
    # Of a cart, only those in the state that the operation needs: the hold goes on.
    check_counts(world, hall, HALL_UNITS - 1, held=1)
    assert bookings_of(world.ask('confirm', hall, customer='c', cart='k')['units']) == {later[0]['booking']}


def test_extend_of_a_cart_says_the_earliest_end(ask, hall):
    fill(ask, hall, seats('A-1'), ttl_s=60)
    fill(ask, hall, seats('A-2'), ttl_s=7200)
    answer = ask('extend', hall, customer='c', cart='k', ttl_s=600)
    assert verdict(answer) == ('extended', None)
    assert instant_of(answer['expires_at']) == instant_of(answer['decided_at']) + 600_000


@pytest.mark.parametrize('op', ['confirm', 'release', 'extend', 'cancel'])
def test_a_cart_with_nothing_for_the_operation_is_unknown(ask, hall, op):
    fields = {'ttl_s': 60} if op == 'extend' else {}
    assert verdict(ask(op, hall, customer='c', cart='k', **fields)) == ('refused', 'unknown_booking')
    fill(ask, hall, seats('A-1'))
    if op != 'cancel':
        ask('release', hall, customer='c', cart='k')
    assert verdict(ask(op, hall, customer='c', cart='k', **fields)) == ('refused', 'unknown_booking')


def test_a_cart_is_one_customers_in_one_resource(ask, name):
    shows = name(), name()
    for show in shows:
        ask('define', show, **standing(9))
        for customer in ('c', 'd'):
            ask('hold', show, customer=customer, cart='k', items=places('floor', 1))
    receipt = ask('confirm', shows[0], customer='c', cart='k')
    assert receipt['total'] == 1000 and len(receipt['units']) == 1
    for show, customer in ((shows[0], 'd'), (shows[1], 'c'), (shows[1], 'd')):
        assert ask('release', show, customer=customer, cart='k')['returned'][0]['quantity'] == 1


def test_with_booking_and_cart_the_booking_is_meant(world, hall):
    first, second = fill(world.ask, hall, seats('A-1'), seats('A-2'))
    back = world.ask('release', hall, customer='c', booking=first['booking'], cart='k')
    assert seats_of(back['returned']) == ['A-1'] and back['booking'] == first['booking']
    sold = world.ask('confirm', hall, customer='c', booking=second['booking'], cart='k')
    assert seats_of(sold['units']) == ['A-2'] and 'booking' not in sold['units'][0]
    check_counts(world, hall, HALL_UNITS - 1, sold=1)


def test_without_booking_and_cart_it_is_malformed(ask, hall):
    for op in ('confirm', 'release', 'cancel', 'extend'):
        assert verdict(ask(op, hall, customer='c', ttl_s=60)) == ('invalid', 'malformed')


def test_items_with_a_cart_are_malformed(ask, hall):
    fill(ask, hall, seats('A-1', 'A-2'))
    answer = ask('confirm', hall, customer='c', cart='k', items=seats('A-1'))
    assert verdict(answer) == ('invalid', 'malformed')


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


def test_a_cart_over_several_resources_is_one(world, name):
    trolley = Trolley(world, name)
    trolley.add(name(), units=2, currency='USD')
    assert trolley.is_said('state', 'bookings', 'units', 'totals', 'sold_at') == (
        'held', 3, 4, {'EUR': 2000, 'USD': 2000}, None)
    trolley.ask('confirm', payment='p')
    assert trolley.is_said('state', 'units', 'totals', 'created_at < sold_at', 'sold_at = modified_at') == (
        'confirmed', 4, {'EUR': 2000, 'USD': 2000}, True, True)
    lines = trolley.is_said('lines')[0]
    assert [(line['resource'], line['booking'], line['state'], line['units'], line['currency']) for line in lines] == [
        (held['resource'], held['booking'], 'confirmed', units, currency)
        for held, units, currency in zip(trolley.held, (1, 1, 2), ('EUR', 'EUR', 'USD'))]
    assert lines[2]['items'] == [{'section': 'floor', 'quantity': 2, 'price': 1000}]


def test_a_part_of_a_cart_that_is_sold_makes_it_mixed(world, name):
    trolley = Trolley(world, name)
    trolley.ask('confirm', 0)
    assert trolley.is_said('state', 'units', 'totals') == ('mixed', 2, {'EUR': 2000})
    trolley.ask('confirm', 1)
    assert trolley.is_said() == 'confirmed'


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


def test_a_booking_that_was_released_before_or_made_later_was_not_left_out(world, name):
    trolley = Trolley(world, name)
    trolley.ask('release', 0)
    trolley.ask('confirm', 1)
    assert trolley.is_said() == 'confirmed'
    trolley.add(name())
    assert trolley.is_said('state', 'units') == ('held', 2)
    booked = world.ask('book', trolley.held[0]['resource'], customer=trolley.customer, cart='k', items=places('floor', 1))
    assert verdict(booked) == ('confirmed', None) and trolley.is_said() == 'held', 'a sale of its own'
    trolley.ask('release', 2)
    assert trolley.is_said('state', 'units') == ('confirmed', 2)


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
def test_confirm_of_some_seats_returns_the_rest(world, hall):
    held = world.ask('hold', hall, customer='c', items=seats('A-1', 'A-2', 'BA-11'))
    sold = world.ask('confirm', hall, customer='c', booking=held['booking'], items=seats('A-2', 'BA-11'), payment='p')
    assert verdict(sold) == ('confirmed', None) and (sold['total'], sold['payment']) == (7500, 'p')
    assert seats_of(sold['units']) == ['A-2', 'BA-11'] and seats_of(sold['returned']) == ['A-1']
    check_counts(world, hall, HALL_UNITS - 2, sold=2)
    assert verdict(world.ask('book', hall, customer='d', items=seats('A-1'))) == ('confirmed', None)


def test_confirm_of_a_part_by_quantity_takes_the_first_of_them(ask, hall):
    held = ask('hold', hall, customer='c', items=[*seats('B-2', 'C-1', 'C-3'), *places('standing', 4),
                                                  *pieces('programme', 2)])
    ask('define', hall, sections=[{'section': 'stalls', 'price': 1}, {'section': 'standing', 'price': 1}])
    sold = ask('confirm', hall, customer='c', booking=held['booking'],
               items=[*places('stalls', 2), *places('standing', 3), *pieces('programme', 1)])
    assert verdict(sold) == ('confirmed', None) and sold['total'] == 2 * 4500 + 3 * 2000 + 500
    assert [group.get('seats', group.get('quantity')) for group in sold['units']] == [['B-2', 'C-1'], 3, 1]
    assert sorted(str(group.get('seats', group.get('quantity'))) for group in sold['returned']) == ['1', '1', "['C-3']"]


def test_confirm_of_some_nights(ask, hotel):
    held = ask('hold', hotel, customer='g', items=stay('double', '2026-12-22', '2026-12-26', 2))
    sold = ask('confirm', hotel, customer='g', booking=held['booking'], items=stay('double', '2026-12-23', '2026-12-25'))
    assert [(group['night'], group['tokens']) for group in sold['units']] == [('2026-12-23', [0]), ('2026-12-24', [0])]
    assert sold['total'] == 12900 + 18900
    assert {group['night']: group['tokens'] for group in sold['returned']} == {
        '2026-12-22': [0, 1], '2026-12-23': [1], '2026-12-24': [1], '2026-12-25': [0, 1]}


def test_confirm_of_a_part_by_rate(ask, name):
    show = name()
    ask('define', show, state='open', sections=[
        {'section': 'floor', 'capacity': 10, 'rates': {'adult': 4500, 'child': 2500}}])
    held = ask('hold', show, customer='c', items=[*places('floor', 2, rate='adult'), *places('floor', 3, rate='child')])
    refused = ask('confirm', show, customer='c', booking=held['booking'], items=places('floor', 3, rate='adult'))
    assert verdict(refused) == ('refused', 'not_in_booking')
    sold = ask('confirm', show, customer='c', booking=held['booking'], items=places('floor', 2, rate='child'))
    assert [(group['quantity'], group['rate'], group['price']) for group in sold['units']] == [(2, 'child', 2500)]
    assert sorted((group['quantity'], group['rate']) for group in sold['returned']) == [(1, 'child'), (2, 'adult')]


@pytest.mark.parametrize('items', [seats('A-1', 'A-3'), places('stalls', 3), places('balcony', 1), places('standing', 3),
                                   pieces('programme', 1), [*places('stalls', 2), *seats('A-1')]],
                         ids=['a seat', 'more seats', 'a section', 'more places', 'a product', 'a seat twice'])
def test_confirm_of_what_is_not_in_the_booking(world, hall, items):
    held = world.ask('hold', hall, customer='c', items=[*seats('A-1', 'A-2'), *places('standing', 2)])
    refused = world.ask('confirm', hall, customer='c', booking=held['booking'], items=items)
    assert verdict(refused) == ('refused', 'not_in_booking')
    assert [(line['given'], line['reason']) for line in refused['items']] == [(0, 'not_in_booking')]
    check_counts(world, hall, HALL_UNITS - 4, held=4)


def test_confirm_does_not_choose(ask, hall):
    """It names what the booking has; how seats are chosen has no place in it."""
    held = ask('hold', hall, customer='c', items=places('stalls', 2))
    for item in ({'sections': ['stalls'], 'quantity': 1}, {'section': 'stalls', 'quantity': 1, 'avoid': ['aisle']}):
        answer = ask('confirm', hall, customer='c', booking=held['booking'], items=[item])
        assert verdict(answer) == ('invalid', 'malformed')


def test_what_is_left_of_a_booking_is_what_goes_back(ask, hall):
    held = ask('hold', hall, customer='c', items=[*seats('A-1', 'A-2'), *places('standing', 2)])
    sold = ask('confirm', hall, customer='c', booking=held['booking'], items=[*seats('A-2'), *places('standing', 1)])
    back = ask('cancel', hall, customer='c', booking=held['booking'])
    assert back['returned'] == sold['units'] and back['free'] == HALL_UNITS
