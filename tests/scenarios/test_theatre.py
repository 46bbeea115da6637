"""A theatre: the hall is drawn once and sold every evening. Buyers put named seats into a cart, which stays theirs while
they go on choosing, and is paid for, given up, or forgotten as a whole."""

import pytest

from harness.counts import check_counts, seats_of, settle
from harness.moments import past, unrequested
from harness.plans import plan, simple
from harness.realm import PATIENT
from harness.shows import seats, shortfalls, verdict
from harness.waiting import eventually
from oracle.parsing import instant_of

pytestmark = pytest.mark.smoke

SETTINGS = PATIENT
PLAN = plan(simple('G', [('1', 'Stalls', 6), ('2', 'Stalls', 6), ('3', 'Stalls', 6)]), simple('U', [('1', 'Circle', 4)]))
PRICES = [{'section': 'Stalls', 'price': 4500}, {'section': 'Circle', 'price': 3000}]
UNITS = 22


def evening(house, show):
    """A session of the hall, on sale."""
    answer = house.ask('define', show, plan=PLAN, sections=PRICES, currency='EUR', state='open')
    assert verdict(answer) == ('defined', None) and answer['free'] == UNITS
    return show


def idle_ends(house, show):
    """When the bookings of a session run out: id → milliseconds."""
    return dict(house.sql("select b.request_id, (extract(epoch from b.expires_at) * 1000)::bigint from usher.booking b "
                          "join usher.resource r on r.no = b.resource_no where r.id = %s and b.state = 'held'", show))


def test_the_hall_is_drawn_once_and_sold_every_evening(house):
    hall = house.ask('define', 'template:hall', plan=PLAN, sections=PRICES)
    assert verdict(hall) == ('defined', None) and hall['chart'].startswith('sha256:')
    assert verdict(house.ask('hold', 'template:hall', customer='c', items=seats('G-1-1')))[1] == 'not_on_sale'
    shows = [f'show:evening-{day}' for day in range(20)]
    sessions = house.ask_all(*(house.client.request(
        'define', show, chart=hall['chart'], sections=PRICES, currency='EUR', state='open',
        starts_at=f'2030-03-{day + 1:02d}T19:30:00Z') for day, show in enumerate(shows)))
    for session in sessions:
        assert verdict(session) == ('defined', None)
        assert (session['chart'], session['free']) == (hall['chart'], UNITS)
    assert house.sql('select count(*) from usher.chart where hash = %s', hall['chart']) == [(1,)]
    # The same seat is sold once each evening, and each evening counts by itself.
    for show in shows[:3]:
        sold = house.ask('book', show, customer='c', items=seats('G-1-1', 'U-1-4'))
        assert [(group['section'], group['seats'], group['price']) for group in sold['units']] == [
            ('Stalls', ['G-1-1'], 4500), ('Circle', ['U-1-4'], 3000)]
    for show, taken in ((shows[0], 2), (shows[2], 2), (shows[3], 0)):
        check_counts(house, show, UNITS - taken, sold=taken)
    shown = house.shown(shows[0])
    assert 'sha256:' + shown[0]['layout'] == hall['chart'] and shown[1] == 's' + '.' * 20 + 's'


def test_a_cart_of_named_seats_is_held_and_paid_for_as_one(house):
    show = evening(house, 'show:cart')
    first = house.ask('hold', show, customer='anna', cart='k', items=seats('G-1-3', 'G-1-4'))
    second = house.ask('hold', show, customer='anna', cart='k', items=seats('U-1-1'))
    assert (first['total'], second['total'], second['cart'], second['free']) == (9000, 3000, 'k', UNITS - 3)
    check_counts(house, show, UNITS - 3, held=3)
    receipt = house.ask('confirm', show, customer='anna', cart='k', payment='pi_1')
    assert verdict(receipt) == ('confirmed', None)
    assert (receipt['total'], receipt['currency'], receipt['payment'], receipt['cart']) == (12000, 'EUR', 'pi_1', 'k')
    assert [(group['booking'], group['seats'], group['price']) for group in receipt['units']] == [
        (first['booking'], ['G-1-3', 'G-1-4'], 4500), (second['booking'], ['U-1-1'], 3000)]
    check_counts(house, show, UNITS - 3, sold=3)
    tickets = house.sql('select seat, price, payment, cart from usher.purchase where customer = %s and resource = %s '
                        'order by seat', 'anna', show, role='reader')
    assert tickets == [('G-1-3', 4500, 'pi_1', 'k'), ('G-1-4', 4500, 'pi_1', 'k'), ('U-1-1', 3000, 'pi_1', 'k')]


def test_seats_are_held_all_or_none(house):
    show = evening(house, 'show:all-or-none')
    house.ask('hold', show, customer='anna', cart='k', items=seats('G-2-1', 'G-2-2'))
    refused = house.ask('hold', show, customer='ben', cart='k', items=seats('G-2-2', 'G-2-3', 'U-1-1'))
    assert verdict(refused) == ('refused', 'unit_taken')
    assert shortfalls(refused) == {0: ('unit_taken', None, ['G-2-2'])}
    check_counts(house, show, UNITS - 2, held=2)
    assert verdict(house.ask('hold', show, customer='ben', cart='k', items=seats('G-2-3', 'U-1-1'))) == ('held', None)
    # Carts of one name belong to one customer each.
    assert house.ask('confirm', show, customer='ben', cart='k')['total'] == 7500
    check_counts(house, show, UNITS - 4, held=2, sold=2)


def test_every_step_keeps_the_whole_cart(house):
    """Each hold's time begins anew with every accepted step that names the cart; a refused one changes nothing."""
    show = evening(house, 'show:idle')
    first = house.ask('hold', show, customer='anna', cart='k', items=seats('G-1-1'), ttl_s=60)
    other = house.ask('hold', show, customer='anna', cart='other', items=seats('G-3-1'), ttl_s=60)
    booked = first['booking']
    spare = None
    for number, (op, fields) in enumerate((
            ('hold', {'items': seats('G-1-2'), 'ttl_s': 120}), ('hold', {'items': seats('G-1-3'), 'ttl_s': 30}),
            ('extend', {'booking': 'spare', 'ttl_s': 300}), ('release', {'booking': 'spare'}),
            ('book', {'items': seats('G-1-4')}))):
        past(house, first['decided_at'], 0.02 * (number + 1))
        if 'booking' in fields:
            fields['booking'] = spare
        step = house.ask(op, show, customer='anna', cart='k', **fields)
        assert step['outcome'] not in ('refused', 'invalid'), step
        spare = step['booking'] if op == 'hold' else spare
        now = instant_of(step['decided_at'])
        assert idle_ends(house, show)[booked] == now + 60_000, f'after {op}'
    kept = idle_ends(house, show)
    assert kept[other['booking']] == instant_of(other['expires_at'])
    refused = house.ask('hold', show, customer='anna', cart='k', items=seats('G-3-1'))
    assert verdict(refused) == ('refused', 'unit_taken') and idle_ends(house, show) == kept


def test_one_booking_or_the_whole_cart_is_given_up(house):
    show = evening(house, 'show:release')
    first, second, third = (house.ask('hold', show, customer='anna', cart='k', items=seats(*names))
                            for names in (('G-1-1',), ('G-1-2', 'G-1-3'), ('U-1-1',)))
    answer = house.ask('release', show, customer='anna', booking=first['booking'], cart='k')
    assert verdict(answer) == ('released', None) and answer['returned'] == first['units']
    check_counts(house, show, UNITS - 3, held=3)
    answer = house.ask('release', show, customer='anna', cart='k')
    assert verdict(answer) == ('released', None)
    assert sorted((group['booking'], *group['seats']) for group in answer['returned']) == sorted(
        (held['booking'], *seats_of(held['units'])) for held in (second, third))
    check_counts(house, show, UNITS)
    assert verdict(house.ask('release', show, customer='anna', cart='k')) == ('refused', 'unknown_booking')


def test_a_forgotten_cart_gives_back_its_seats_and_the_counts(house):
    show = evening(house, 'show:forgotten')
    kept = house.ask('hold', show, customer='ben', items=seats('G-3-6'), ttl_s=600)
    held = [house.ask('hold', show, customer='anna', cart='k', items=seats(*names), ttl_s=6)
            for names in (('G-1-1', 'G-1-2'), ('U-1-3',))]
    check_counts(house, show, UNITS - 4, held=4)
    told = [unrequested(house, hold['booking'], show, 'expiry') for hold in held]
    assert [answer['outcome'] for answer in told] == ['expired'] * 2
    assert [answer['returned'] for answer in told] == [hold['units'] for hold in held]
    check_counts(house, show, UNITS - 1, held=1)
    assert house.shown(show)[1] == '.' * 17 + 'h' + '....'
    assert verdict(house.ask('book', show, customer='carl', items=seats('G-1-1', 'U-1-3'))) == ('confirmed', None)
    # Late, and not everything is there any more: nothing of the cart is sold.
    late = house.ask('confirm', show, customer='anna', cart='k')
    assert verdict(late) == ('refused', 'hold_expired')
    assert verdict(house.ask('confirm', show, customer='ben', booking=kept['booking'])) == ('confirmed', None)
    check_counts(house, show, UNITS - 3, sold=3)


def test_a_crash_after_the_receipt_frees_no_sold_seat(house):
    """The worker dies between the receipt and the end of the show; the time of the holds passes."""
    show = evening(house, 'show:crash')
    for names in (('G-2-1', 'G-2-2'), ('G-2-3',)):
        held = house.ask('hold', show, customer='anna', cart='k', items=seats(*names), ttl_s=4)
    request = house.client.request('confirm', show, customer='anna', cart='k', payment='pi_2')
    receipt = house.ask_all(request)[0]
    assert verdict(receipt) == ('confirmed', None) and receipt['total'] == 13500
    house.workers[-1].kill()
    past(house, held['expires_at'])
    house.worker()
    assert verdict(house.ask('book', show, customer='ben', items=seats('G-2-3')))[1] == 'unit_taken'
    check_counts(house, show, UNITS - 3, sold=3)
    again = house.ask_all(request)[0]
    assert again['replayed'] and (again['units'], again['total']) == (receipt['units'], 13500)


def test_a_crash_before_the_receipt_arrived_frees_no_sold_seat(house):
    """Committed, but the worker dies before it can say so: the seats are sold, and the receipt comes from its heir."""
    show = evening(house, 'show:unsent')
    held = house.ask('hold', show, customer='anna', cart='k', items=seats('G-2-1', 'G-2-2'), ttl_s=4)
    before = house.position()[2]
    with house.held_up():
        sent = house.client.send(house.client.request('confirm', show, customer='anna', cart='k'))
        eventually(house.waiting_commits, 'the sale waits for its commit')
        house.workers[-1].pause()
    eventually(lambda: house.position()[2] > before, 'the sale is committed')
    house.workers[-1].kill()
    past(house, held['expires_at'])
    house.worker()
    receipt = house.client.answers_to(sent)[0]
    assert verdict(receipt) == ('confirmed', None) and receipt['total'] == 9000
    check_counts(house, show, UNITS - 2, sold=2)


# ---- a cart over several evenings --------------------------------------------------------------------------------------
IDLE_S = 30 * 60


class Visit:
    """The cart of one buyer, as the theatre's site keeps it."""

    def __init__(self, house, name, ttl_s=IDLE_S):
        self.house, self.shows, self.ttl_s, self.bookings = house, [], ttl_s, {}
        self.who = {'customer': f'buyer of {name}', 'cart': name}

    def add(self, show, *names):
        """A label is of one resource: in each other session the time begins anew by an extend."""
        held = self.house.ask('hold', show, items=seats(*names), ttl_s=self.ttl_s, **self.who)
        assert verdict(held) == ('held', None), held
        for other in self.shows:
            if other != show:
                assert verdict(self.house.ask('extend', other, ttl_s=self.ttl_s, **self.who)) == ('extended', None)
        self.shows = list(dict.fromkeys([*self.shows, show]))
        self.bookings[held['booking']] = show
        return held

    def release(self, show, **booking):
        answer = self.house.ask('release', show, **booking, **self.who)
        assert verdict(answer) == ('released', None)
        return answer

    def order(self):
        """The cart as the till is told of it."""
        return {**self.who, 'lines': [{'resource': show, 'booking': booking, 'ttl_s': self.ttl_s}
                                      for booking, show in self.bookings.items()]}

    def states(self):
        return self.house.sql('select distinct state from usher.booking where cart = %s', self.who['cart'])


def evenings(house, name):
    return [evening(house, f'show:{name}-{day}') for day in (1, 2, 3)]


def test_each_addition_keeps_the_cart_of_all_evenings(house):
    first, second, third = evenings(house, 'idle')
    visit = Visit(house, 'idle-cart')
    for show, names in (first, ('G-1-1',)), (second, ('G-1-1', 'G-1-2')), (first, ('U-1-1',)), (third, ('U-1-4',)):
        added = visit.add(show, *names)
        past(house, added['decided_at'], 0.02)
        ends = {booking: end for one in visit.shows for booking, end in idle_ends(house, one).items()}
        assert ends.keys() == visit.bookings.keys()
        assert min(ends.values()) >= instant_of(added['decided_at']) + IDLE_S * 1000
    # One reservation, then all of them.
    visit.release(first, booking=next(iter(visit.bookings)))
    for show, held in (first, 1), (second, 2), (third, 1):
        check_counts(house, show, UNITS - held, held=held)
        visit.release(show)
        check_counts(house, show, UNITS)
    assert visit.states() == [('released',)]


def test_several_evenings_are_sold_with_one_receipt(house, till):
    first, second, _third = evenings(house, 'receipt')
    visit = Visit(house, 'receipt-cart')
    for show, names in (first, ('G-1-3', 'G-1-4')), (second, ('U-1-1',)), (first, ('U-1-2',)):
        visit.add(show, *names)
    receipt = till.check_out(visit.order())
    assert (receipt['state'], sum(line['total'] for line in receipt['answers'])) == ('sold', 15000)
    tickets = house.sql('select resource, seat, price, payment from usher.purchase where cart = %s order by resource, seat',
                        'receipt-cart', role='reader')
    assert tickets == [(show, seat, price, 'payment-of-receipt-cart') for show, seat, price in (
        (first, 'G-1-3', 4500), (first, 'G-1-4', 4500), (first, 'U-1-2', 3000), (second, 'U-1-1', 3000))]
    check_counts(house, first, UNITS - 3, sold=3)
    check_counts(house, second, UNITS - 1, sold=1)
    assert till.check_out(visit.order())['state'] == 'sold'
    check_counts(house, first, UNITS - 3, sold=3)


def test_without_one_of_its_evenings_nothing_of_a_cart_is_sold(house, till):
    """The buyer is told which one, and keeps the others."""
    first, second, _third = evenings(house, 'lost')
    visit = Visit(house, 'lost-cart')
    lost = house.ask('hold', second, items=seats('G-1-1'), ttl_s=1, **visit.who)
    visit.add(first, 'G-1-1')
    unrequested(house, lost['booking'], second, 'expiry')
    visit.bookings[lost['booking']] = second
    refused = till.check_out(visit.order())
    assert (refused['state'], [(line['resource'], line['reason']) for line in refused['answers']]) == (
        'refused', [(second, 'hold_expired')])
    check_counts(house, first, UNITS - 1, held=1)
    check_counts(house, second, UNITS)
    del visit.bookings[lost['booking']]
    assert till.check_out({**visit.order(), 'cart': 'lost-cart-again'})['state'] == 'sold'


@pytest.mark.parametrize('api, side, sold', [('Produce', 'request', False), ('Produce', 'response', False),
                                             ('EndTxn', 'request', False), ('EndTxn', 'response', True)])
def test_a_checkout_that_dies_sells_every_evening_or_none(house, till, api, side, sold):
    """Nobody starts the till again until the time of all holds has passed: sold seats stay sold, all others are free."""
    shows, visit = evenings(house, f'dead-{api}-{side}'), Visit(house, f'dead-{api}-{side}', ttl_s=10)
    for show in shows:
        last = visit.add(show, 'G-2-1', 'G-2-2')
    till.dies(visit.order(), api, side)
    end, taken = ('confirmed', 2) if sold else ('expired', 0)
    eventually(lambda: visit.states() == [(end,)], f'all of it is {end}')
    past(house, last['expires_at'])
    for show in shows:
        check_counts(house, show, UNITS - taken, sold=taken)
    assert till.open().says()['state'] == ('sold' if sold else 'not sold')
    for show in shows:
        check_counts(house, show, UNITS - taken, sold=taken)


def test_a_worker_that_dies_during_the_checkout_frees_nothing(house, till):
    shows = evenings(house, 'worker-dies')
    visit = Visit(house, 'worker-dies-cart')
    for show in shows:
        visit.add(show, 'G-2-1')
    stop = till.reaches(visit.order(), 'EndTxn', 'request')
    with house.held_up():
        stop.let_go()
        eventually(house.waiting_commits, 'the sale waits for its commit')
        house.workers[-1].kill()
    house.worker()
    assert till.says()['state'] == 'sold'
    for show in shows:
        check_counts(house, show, UNITS - 1, sold=1)


def test_a_forgotten_cart_gives_back_every_evening(house):
    shows = evenings(house, 'forgotten')
    visit = Visit(house, 'forgotten-cart', ttl_s=4)
    for show in shows:
        visit.add(show, 'G-1-1', 'U-1-3')
    for booking, show in visit.bookings.items():
        assert unrequested(house, booking, show, 'expiry')['outcome'] == 'expired'
        check_counts(house, show, UNITS)
    assert visit.states() == [('expired',)]


def test_the_books_balance(house):
    assert settle(house).facts['internal'] == 0
