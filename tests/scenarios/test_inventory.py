"""A ticket inventory: a price for each kind of buyer, one open hold for each of them, payment between hold and sale,
and books that are complete whatever fails meanwhile."""

import collections
import random

import pytest

from harness.counts import check_counts, settle
from harness.moments import past, told, unrequested
from harness.shows import places, seats, shortfalls, verdict
from harness.waiting import eventually

TICKETS = 20
STOPS_PARTS = True
EVENT = {'state': 'open', 'currency': 'EUR', 'limits': {'holds_per_customer': 1}, 'sections': [
    {'section': 'floor', 'capacity': TICKETS, 'rates': {'adult': 4500, 'child': 2500, 'press': 0}}]}


class Gateway:
    """A payment service: says at once what it is told to say, and keeps what it took."""

    def __init__(self):
        self.taken = {}

    def pay(self, customer, amount, accept=True):
        if accept:
            self.taken[customer] = self.taken.get(customer, 0) + amount
        return f'paid-{customer}' if accept else None


def on_sale(house, event, **more):
    assert verdict(house.ask('define', event, **{**EVENT, **more})) == ('defined', None)
    return event


def buy(house, event, customer, items, gateway, accept=True, ttl_s=None):
    """Holds, pays, and sells, or gives the hold up at once. Returns the last answer."""
    held = house.ask('hold', event, customer=customer, items=items, ttl_s=ttl_s)
    if verdict(held) != ('held', None):
        return held
    reference = gateway.pay(customer, held['total'], accept)
    if reference is None:
        return house.ask('release', event, customer=customer, booking=held['booking'])
    return house.ask('confirm', event, customer=customer, booking=held['booking'], payment=reference)


@pytest.mark.smoke
def test_each_kind_of_buyer_has_a_price(house):
    event, gateway = on_sale(house, 'event:rates'), Gateway()
    items = [*places('floor', 2, rate='adult'), *places('floor', 3, rate='child'), *places('floor', 1, rate='press')]
    held = house.ask('hold', event, customer='family', items=items)
    assert held['units'] == [
        {'item': 0, 'section': 'floor', 'quantity': 2, 'price': 4500, 'rate': 'adult'},
        {'item': 1, 'section': 'floor', 'quantity': 3, 'price': 2500, 'rate': 'child'},
        {'item': 2, 'section': 'floor', 'quantity': 1, 'price': 0, 'rate': 'press'}]
    assert held['total'] == 2 * 4500 + 3 * 2500
    # Prices change, what is held does not.
    house.ask('define', event, sections=[{'section': 'floor', 'rates': {'adult': 9900, 'child': 9900, 'press': 0}}])
    sold = house.ask('confirm', event, customer='family', booking=held['booking'])
    assert (sold['units'], sold['total']) == (held['units'], held['total'])
    assert buy(house, event, 'late', places('floor', 1, rate='child'), gateway)['total'] == 9900
    refused = house.ask('hold', event, customer='other', items=places('floor', 1, rate='senior'))
    assert verdict(refused) == ('refused', 'unknown_rate')
    check_counts(house, event, TICKETS - 7, sold=7)


@pytest.mark.smoke
def test_a_buyer_has_one_open_hold_an_event(house):
    event, other = on_sale(house, 'event:one-hold'), on_sale(house, 'event:other')
    first = house.ask('hold', event, customer='anna', items=places('floor', 2))
    again = house.ask('hold', event, customer='anna', items=places('floor', 1))
    assert verdict(again) == ('refused', 'limit_exceeded') and again['retryable'] and again['detail']
    check_counts(house, event, TICKETS - 2, held=2)
    assert verdict(house.ask('hold', event, customer='ben', items=places('floor', 1))) == ('held', None)
    assert verdict(house.ask('hold', other, customer='anna', items=places('floor', 1))) == ('held', None)
    # A sale is no open hold, nor is one that was given up.
    house.ask('confirm', event, customer='anna', booking=first['booking'])
    second = house.ask('hold', event, customer='anna', items=places('floor', 1))
    assert verdict(second) == ('held', None)
    house.ask('release', event, customer='anna', booking=second['booking'])
    assert verdict(house.ask('hold', event, customer='anna', items=places('floor', 1))) == ('held', None)
    check_counts(house, event, TICKETS - 4, held=2, sold=2)


@pytest.mark.smoke
def test_payment_comes_between_hold_and_sale(house):
    """A declined card gives the units back at once, so that the next buyer has them."""
    event, gateway = on_sale(house, 'event:payment'), Gateway()
    assert verdict(buy(house, event, 'anna', places('floor', TICKETS), gateway, accept=False)) == ('released', None)
    check_counts(house, event, TICKETS)
    sold = buy(house, event, 'ben', places('floor', TICKETS, rate='child'), gateway)
    assert verdict(sold) == ('confirmed', None) and sold['payment'] == 'paid-ben'
    assert gateway.taken == {'ben': sold['total']}
    check_counts(house, event, 0, sold=TICKETS)
    assert verdict(buy(house, event, 'carl', places('floor', 1), gateway)) == ('refused', 'not_enough')


@pytest.mark.parametrize('failure', ['the process', 'the machine'])
def test_holds_run_out_although_the_worker_died(house, parts, failure):
    """Nobody who knew of the hold is left; of the machine, the database and the cache were on it too."""
    event = on_sale(house, f'event:died-with-{failure[4:]}')
    house.ask('book', event, customer='ben', items=places('floor', 3))
    held = house.ask('hold', event, customer='anna', items=places('floor', 5), ttl_s=6)
    check_counts(house, event, TICKETS - 8, held=5, sold=3)
    house.workers[-1].kill()
    if failure == 'the machine':
        for part in ('postgres', 'redis'):
            parts.kill(part)
        for part in ('postgres', 'redis'):
            parts.start(part)
    past(house, held['expires_at'])
    house.worker()
    answer = unrequested(house, held['booking'], event, 'expiry')
    assert answer['outcome'] == 'expired' and answer['returned'] == held['units']
    check_counts(house, event, TICKETS - 3, sold=3)


@pytest.mark.smoke
def test_a_sale_after_the_hold_ran_out_is_never_silent(house):
    """The buyer is told that it ran out; what was sold meanwhile is refused, naming it; what is still there is sold by a
    decision that says so, and by no other."""
    event = on_sale(house, 'event:late', limits={}, sections=[
        *EVENT['sections'], {'section': 'seats', 'price': 7000, 'rows': [{'row': 'A', 'seats': 4}]}])
    lost, kept = (house.ask('hold', event, customer=customer, items=[*seats(*names), *places('floor', count)], ttl_s=1)
                  for customer, names, count in (('anna', ('A-1', 'A-2'), 1), ('ben', ('A-3',), 2)))
    for held in (lost, kept):
        assert unrequested(house, held['booking'], event, 'expiry')['returned'] == held['units']
    check_counts(house, event, TICKETS + 4)
    house.ask('book', event, customer='carl', items=seats('A-2'))
    refused = house.ask('confirm', event, customer='anna', booking=lost['booking'], payment='p')
    assert verdict(refused) == ('refused', 'hold_expired')
    assert shortfalls(refused) == {0: ('unit_taken', None, ['A-2'])}
    check_counts(house, event, TICKETS + 3, sold=1)
    sold = house.ask('confirm', event, customer='ben', booking=kept['booking'], payment='p')
    assert verdict(sold) == ('confirmed', None) and sold['total'] == kept['total']
    check_counts(house, event, TICKETS, sold=4)
    for held, last in ((lost, 'refused'), (kept, 'confirmed')):
        rows = house.sql('select outcome from usher.history where resource = %s and booking = %s order by seq', event,
                         held['booking'], role='reader')
        assert [row[0] for row in rows] == ['held', 'expired', last]
        assert told(house, held['booking'], event) == ['expiry']


def test_the_list_of_purchases_is_complete_after_any_crash(house):
    """Buyers go on while workers are killed under them: what was acknowledged is on the list, once, at its price."""
    event = on_sale(house, 'event:purchases', limits={'holds_per_customer': 2},
                    sections=[{**EVENT['sections'][0], 'capacity': 4000}])
    dice, sold = random.Random(7), collections.Counter()
    for kill in (True, True, False):
        holds = [house.client.request('hold', event, customer=f'buyer-{number}', items=places(
            'floor', dice.randint(1, 3), rate=dice.choice(('adult', 'child')))) for number in range(250)]
        sent = house.client.send(*holds)
        confirms = house.client.send(*(house.client.request('confirm', event, customer=hold['customer'],
                                                            booking=hold['request_id'], payment='card')
                                       for hold in holds if dice.random() < 0.8))
        if kill:
            eventually(lambda: any(place in house.client.answers.by_source for place in sent), 'it has begun')
            house.workers[-1].kill()
            house.worker()
        assert all(verdict(answer) == ('held', None) for answer in house.client.answers_to(sent))
        for answer in house.client.answers_to(confirms):
            assert verdict(answer) == ('confirmed', None)
            for group in answer['units']:
                sold[answer['customer'], answer['booking'], group['price']] += group['quantity']
        house.ask_all(*(house.client.request('release', event, customer=hold['customer'], booking=hold['request_id'])
                        for hold in holds))
    listed = {row[:3]: row[3] for row in house.sql(
        'select customer, booking, price, count(*) from usher.purchase where resource = %s group by 1, 2, 3', event,
        role='reader')}
    assert listed == dict(sold) and len(listed) > 400
    check_counts(house, event, 4000 - sum(sold.values()), sold=sum(sold.values()))


def test_the_books_balance(house):
    assert settle(house).facts['internal'] == 0
