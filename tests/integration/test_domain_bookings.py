"""What becomes of a booking: extend, transfer, exchange."""

import pytest

from harness.counts import check_counts, seats_of
from harness.moments import unrequested
from harness.shows import HALL_UNITS, pieces, places, seats, shortfalls, standing, stay, verdict
from oracle.parsing import instant_of

pytestmark = pytest.mark.smoke


def ends(answer):
    return instant_of(answer['expires_at'])


# ---- extend ----------------------------------------------------------------------------------------------------------
def test_extend_lengthens_a_hold_from_now_on(ask, hall):
    held = ask('hold', hall, customer='c', items=seats('A-1'), ttl_s=60)
    longer = ask('extend', hall, customer='c', booking=held['booking'], ttl_s=600)
    assert verdict(longer) == ('extended', None) and longer['booking'] == held['booking']
    assert ends(longer) == instant_of(longer['decided_at']) + 600_000


def test_extend_never_shortens(ask, hall):
    held = ask('hold', hall, customer='c', items=seats('A-1'), ttl_s=600)
    assert ends(ask('extend', hall, customer='c', booking=held['booking'], ttl_s=1)) == ends(held)


def test_extend_has_a_cap_counted_from_the_beginning(ask, hall):
    held = ask('hold', hall, customer='c', items=seats('A-1'), ttl_s=60)
    longer = ask('extend', hall, customer='c', booking=held['booking'], ttl_s=31_536_000)
    assert ends(longer) == instant_of(held['decided_at']) + 86_400_000
    assert ends(ask('extend', hall, customer='c', booking=held['booking'], ttl_s=86_400)) == ends(longer)


def test_extend_says_by_how_much(ask, hall):
    held = ask('hold', hall, customer='c', items=seats('A-1'))
    assert verdict(ask('extend', hall, customer='c', booking=held['booking'])) == ('invalid', 'malformed')


# ---- transfer --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize('taken_by', ['hold', 'book'])
def test_transfer_changes_the_owner(world, hall, taken_by):
    taken = world.ask(taken_by, hall, customer='old', cart='k', items=seats('A-1', 'BA-11'))
    moved = world.ask('transfer', hall, customer='old', booking=taken['booking'], to_customer='new')
    assert verdict(moved) == ('transferred', None)
    assert (moved['customer'], moved['booking'], moved['free']) == ('new', taken['booking'], taken['free'])
    op, other = ('confirm', 'release') if taken_by == 'hold' else ('cancel', 'cancel')
    assert verdict(world.ask(other, hall, customer='old', booking=taken['booking'])) == ('refused', 'not_owner')
    # The cart was the old owner's.
    for customer in ('old', 'new'):
        answer = world.ask(op, hall, customer=customer, cart='k')
        assert verdict(answer) == ('refused', 'unknown_booking')
    assert verdict(world.ask(op, hall, customer='new', booking=taken['booking']))[1] is None


def test_transfer_keeps_the_hold_time_and_the_price(ask, hall):
    held = ask('hold', hall, customer='old', items=seats('A-1'), ttl_s=60)
    ask('define', hall, sections=[{'section': 'stalls', 'price': 9900}])
    ask('transfer', hall, customer='old', booking=held['booking'], to_customer='new')
    longer = ask('extend', hall, customer='new', booking=held['booking'], ttl_s=1)
    assert ends(longer) == ends(held)
    assert ask('confirm', hall, customer='new', booking=held['booking'])['total'] == 4500


def test_transfer_shows_in_the_list_of_purchases(world, hall):
    sold = world.ask('book', hall, customer='seller-7', items=seats('A-1'))
    world.ask('transfer', hall, customer='seller-7', booking=sold['booking'], to_customer='heir-7')
    rows = world.sql("select customer, seat from usher.purchase where customer in ('seller-7', 'heir-7')", role='reader')
    assert rows == [('heir-7', 'A-1')]


def test_transfer_says_to_whom(ask, hall):
    held = ask('hold', hall, customer='c', items=seats('A-1'))
    assert verdict(ask('transfer', hall, customer='c', booking=held['booking'])) == ('invalid', 'malformed')


# ---- exchange: seats by name -----------------------------------------------------------------------------------------
def test_exchange_keeps_gives_back_and_takes_in_one_step(world, hall):
    held = world.ask('hold', hall, customer='c', items=seats('A-1', 'A-2'))
    world.ask('define', hall, sections=[{'section': 'stalls', 'price': 5000}])
    answer = world.ask('exchange', hall, customer='c', booking=held['booking'], items=seats('A-2', 'B-1', 'BA-11'))
    assert verdict(answer) == ('exchanged', None)
    # What it had keeps its price, what is new costs what it costs today.
    prices = {seat: group['price'] for group in answer['units'] for seat in group['seats']}
    assert prices == {'A-2': 4500, 'B-1': 5000, 'BA-11': 3000}
    assert answer['returned'] == [{'item': 0, 'section': 'stalls', 'seats': ['A-1'], 'price': 4500}]
    assert (answer['total'], answer['difference'], answer['free']) == (12500, 3500, HALL_UNITS - 3)
    check_counts(world, hall, HALL_UNITS - 3, held=3)
    receipt = world.ask('confirm', hall, customer='c', booking=held['booking'])
    assert (receipt['units'], receipt['total']) == (answer['units'], 12500)


def test_exchange_of_what_is_sold_leaves_it_sold(world, hall):
    sold = world.ask('book', hall, customer='c', items=seats('A-1'), payment='p')
    answer = world.ask('exchange', hall, customer='c', booking=sold['booking'], items=seats('BA-11'))
    assert verdict(answer) == ('exchanged', None) and answer['difference'] == -1500
    assert 'expires_at' not in answer
    check_counts(world, hall, HALL_UNITS - 1, sold=1)


def test_exchange_keeps_the_end_of_a_hold(ask, hall):
    held = ask('hold', hall, customer='c', items=seats('A-1'), ttl_s=60)
    ask('exchange', hall, customer='c', booking=held['booking'], items=seats('A-2'))
    assert ends(ask('extend', hall, customer='c', booking=held['booking'], ttl_s=1)) == ends(held)


def test_exchange_with_what_was_held_meanwhile(world, hall):
    sold = world.ask('book', hall, customer='c', items=seats('A-1', 'A-2'), payment='p')
    held = world.ask('hold', hall, customer='c', items=[*seats('A-3'), *places('standing', 2)])
    world.ask('define', hall, sections=[{'section': 'stalls', 'price': 9000}])
    check_counts(world, hall, HALL_UNITS - 5, held=3, sold=2)
    fields = {'customer': 'c', 'booking': sold['booking'], 'items': [*seats('A-2', 'A-3'), *places('standing', 1)]}
    answer = world.ask('exchange', hall, **fields, from_hold=held['booking'])
    assert verdict(answer) == ('exchanged', None) and answer['difference'] == answer['total'] - sold['total']
    assert answer['units'][0] == {'item': 0, 'section': 'stalls', 'seats': ['A-2', 'A-3'], 'price': 4500}
    assert [(group.get('seats'), group.get('booking')) for group in answer['returned']] == [
        (['A-1'], None), (None, held['booking'])]
    check_counts(world, hall, HALL_UNITS - 3, sold=3)
    assert verdict(world.ask('confirm', hall, customer='c', booking=held['booking'])) == ('refused', 'already_released')
    history = world.sql('select booking, outcome from usher.history where resource = %s and op = %s', hall, 'exchange')
    assert sorted(history) == sorted([(sold['booking'], 'exchanged'), (held['booking'], 'exchanged')])
    world.command('reconcile')


def test_exchange_with_a_hold_that_has_expired(world, hall):
    sold = world.ask('book', hall, customer='c', items=seats('A-1'), payment='p')
    held = world.ask('hold', hall, customer='c', items=seats('A-2'), ttl_s=1)
    unrequested(world, held['booking'], hall, 'expiry')
    answer = world.ask('exchange', hall, customer='c', booking=sold['booking'], items=seats('A-2'),
                       from_hold=held['booking'])
    assert verdict(answer) == ('refused', 'hold_expired')
    check_counts(world, hall, HALL_UNITS - 1, sold=1)


def test_exchange_that_is_refused_leaves_everything_as_it_was(world, hall):
    held = world.ask('hold', hall, customer='c', items=[*seats('A-1', 'A-2'), *places('standing', 2)])
    world.ask('hold', hall, customer='d', items=seats('A-3'))
    for items, reason in ((seats('A-2', 'A-3'), 'unit_taken'), (seats('A-9'), 'unknown_seat'),
                          (places('standing', 11), 'not_enough'), (places('pit', 1), 'unknown_pool'),
                          (seats('A-1', rate='child'), 'unknown_rate')):
        answer = world.ask('exchange', hall, customer='c', booking=held['booking'], items=items)
        assert verdict(answer) == ('refused', reason)
    check_counts(world, hall, HALL_UNITS - 5, held=5)
    assert world.ask('confirm', hall, customer='c', booking=held['booking'])['units'] == held['units']


def test_exchange_works_with_nothing_free(world, name):
    show = name()
    world.ask('define', show, **standing(3))
    held = world.ask('hold', show, customer='c', items=places('floor', 2))
    world.ask('book', show, customer='d', items=places('floor', 1))
    same = world.ask('exchange', show, customer='c', booking=held['booking'], items=places('floor', 2))
    assert verdict(same) == ('exchanged', None) and (same['difference'], same['free']) == (0, 0)
    more = world.ask('exchange', show, customer='c', booking=held['booking'], items=places('floor', 3))
    assert verdict(more) == ('refused', 'not_enough') and shortfalls(more) == {0: ('not_enough', 2, None)}
    fewer = world.ask('exchange', show, customer='c', booking=held['booking'], items=places('floor', 1))
    assert (fewer['difference'], fewer['returned'][0]['quantity'], fewer['free']) == (-1000, 1, 1)
    check_counts(world, show, 1, held=1, sold=1)


def test_exchange_does_not_ask_whether_it_is_on_sale(ask, hall):
    held = ask('hold', hall, customer='c', items=seats('A-1'))
    ask('close', hall)
    answer = ask('exchange', hall, customer='c', booking=held['booking'], items=seats('A-2'))
    assert verdict(answer) == ('exchanged', None)


# ---- exchange: by quantity -------------------------------------------------------------------------------------------
def test_exchange_of_places_keeps_the_price_of_those_it_had(ask, hall):
    held = ask('hold', hall, customer='c', items=places('standing', 2))
    ask('define', hall, sections=[{'section': 'standing', 'price': 2600}])
    answer = ask('exchange', hall, customer='c', booking=held['booking'], items=places('standing', 3))
    assert sorted((group['price'], group['quantity']) for group in answer['units']) == [(2000, 2), (2600, 1)]
    assert (answer['total'], answer['difference'], 'returned' in answer) == (6600, 2600, False)


def test_exchange_of_nights_keeps_its_own_tokens(ask, hotel):
    early = ask('book', hotel, customer='early', items=stay('double', '2026-12-20', '2026-12-23'))
    sold = ask('book', hotel, customer='c', items=stay('double', '2026-12-21', '2026-12-23'))
    assert [group['tokens'] for group in sold['units']] == [[1], [1]]
    ask('cancel', hotel, customer='early', booking=early['booking'])
    answer = ask('exchange', hotel, customer='c', booking=sold['booking'],
                 items=stay('double', '2026-12-22', '2026-12-24'))
    assert {group['night']: group['tokens'] for group in answer['units']} == {'2026-12-22': [1], '2026-12-23': [0]}
    assert answer['returned'] == [{'item': 0, 'room': 'double', 'night': '2026-12-21', 'tokens': [1], 'price': 12900}]
    assert answer['difference'] == 0


def test_exchange_for_fewer_seats_keeps_the_first_of_its_own(ask, hall):
    held = ask('hold', hall, customer='c', items=seats('C-3', 'B-2', 'C-1', 'C-2'))
    answer = ask('exchange', hall, customer='c', booking=held['booking'], items=places('stalls', 2))
    assert seats_of(answer['units']) == ['B-2', 'C-1']
    assert sorted(seats_of(answer['returned'])) == ['C-2', 'C-3']


def test_exchange_for_more_seats_keeps_all_of_its_own(ask, hall):
    held = ask('hold', hall, customer='c', items=seats('C-4', 'C-5'))
    answer = ask('exchange', hall, customer='c', booking=held['booking'], items=places('stalls', 4))
    assert set(seats_of(answer['units'])) == {'C-4', 'C-5', 'A-1', 'A-2'} and 'returned' not in answer
    assert answer['together'] is False
    assert answer['difference'] == 9000


def test_exchange_for_seats_together_chooses_again(ask, hall):
    """Its own seats count as free, but a party that wants to sit together may have to move."""
    ask('book', hall, customer='d', items=seats('C-3', 'C-6'))
    held = ask('hold', hall, customer='c', items=seats('C-4', 'C-5'))
    answer = ask('exchange', hall, customer='c', booking=held['booking'], items=places('stalls', 4, together=True))
    assert seats_of(answer['units']) == ['A-1', 'A-2', 'A-3', 'A-4'] and answer['together'] is True
    assert sorted(seats_of(answer['returned'])) == ['C-4', 'C-5'] and answer['difference'] == 9000


def test_exchange_gives_back_seats_that_the_item_refuses(ask, name):
    show = name()
    ask('define', show, state='open', sections=[{'section': 'stalls', 'price': 1, 'rows': [
        {'row': 'A', 'seats': 6, 'features': {'aisle': [1, 6]}}]}])
    held = ask('hold', show, customer='c', items=seats('A-1', 'A-2'))
    answer = ask('exchange', show, customer='c', booking=held['booking'], items=places('stalls', 3, avoid=['aisle']))
    assert sorted(seats_of(answer['units'])) == ['A-2', 'A-3', 'A-4'] and seats_of(answer['returned']) == ['A-1']
    assert answer['together'] is True


def test_exchange_may_change_everything(world, hall):
    held = world.ask('hold', hall, customer='c', items=[*seats('A-1'), *pieces('programme', 3)])
    answer = world.ask('exchange', hall, customer='c', booking=held['booking'], items=places('standing', 10))
    assert (answer['total'], answer['difference']) == (20000, 20000 - 4500 - 1500)
    assert answer['returned'] == held['units']
    check_counts(world, hall, HALL_UNITS - 10, held=10)
    # And again: what it has now is what counts.
    back = world.ask('exchange', hall, customer='c', booking=held['booking'], items=seats('A-1'))
    assert back['returned'][0]['quantity'] == 10 and back['total'] == 4500
