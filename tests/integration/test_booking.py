"""Taking units and what becomes of them: hold, book, confirm, release, cancel, each with its outcomes."""

import pytest

from harness.shows import HALL_UNITS, HOTEL_UNITS, pieces, places, seats, shortfalls, standing, stay, verdict
from oracle.parsing import instant_of

pytestmark = pytest.mark.smoke


# ---- hold, book: seats ---------------------------------------------------------------------------------------
def test_hold_of_named_seats(ask, hall):
    answer = ask('hold', hall, customer='c1', cart='basket', items=seats('B-5', 'BA-12', 'B-4'), ttl_s=60)
    assert verdict(answer) == ('held', None)
    assert answer['units'] == [
        {'item': 0, 'section': 'stalls', 'seats': ['B-5', 'B-4'], 'price': 4500},
        {'item': 0, 'section': 'balcony', 'seats': ['BA-12'], 'price': 3000}]
    assert (answer['total'], answer['currency'], answer['free']) == (12000, 'EUR', HALL_UNITS - 3)
    assert (answer['customer'], answer['cart'], answer['booking']) == ('c1', 'basket', answer['request_id'])
    assert instant_of(answer['expires_at']) - instant_of(answer['decided_at']) == 60_000


def test_seats_that_are_taken(ask, hall):
    ask('hold', hall, customer='c1', items=seats('B-2', 'B-3'))
    answer = ask('book', hall, customer='c2', items=seats('B-1', 'B-2', 'B-3'))
    assert verdict(answer) == ('refused', 'unit_taken') and answer['retryable']
    assert answer['items'] == [{'item': 0, 'asked': 3, 'given': 0, 'reason': 'unit_taken', 'taken': ['B-2', 'B-3']}]
    assert verdict(ask('book', hall, customer='c2', items=seats('B-1'))) == ('confirmed', None)


def test_seats_that_are_not_there(ask, hall):
    answer = ask('hold', hall, customer='c', items=seats('A-1', 'A-5', 'Z-1'))
    assert verdict(answer) == ('refused', 'unknown_seat') and not answer['retryable']
    assert shortfalls(answer) == {0: ('unknown_seat', None, ['A-5', 'Z-1'])}


def test_seats_by_quantity_sit_together_where_a_row_has_room(ask, hall):
    """And where nobody is left alone: three of the four in front would leave one."""
    assert ask('book', hall, customer='c', items=places('stalls', 3))['units'][0]['seats'] == ['B-1', 'B-2', 'B-3']
    assert ask('book', hall, customer='c', items=places('stalls', 2))['units'][0]['seats'] == ['A-1', 'A-2']
    assert ask('book', hall, customer='c', items=places('stalls', 1))['units'][0]['seats'] == ['B-4']


def test_seats_by_quantity_in_the_fewest_pieces(ask, hall):
    ask('book', hall, customer='c', items=seats('A-2', 'B-4', 'C-3'))
    answer = ask('book', hall, customer='c', items=places('stalls', 7))
    assert answer['units'][0]['seats'] == ['C-4', 'C-5', 'C-6', 'C-7', 'C-8', 'C-1', 'C-2']
    refused = ask('book', hall, customer='c', items=places('stalls', 4, together=True))
    assert verdict(refused) == ('refused', 'not_together') and refused['retryable']
    refused = ask('book', hall, customer='c', items=places('stalls', 9, together=True))
    assert verdict(refused) == ('refused', 'not_enough')
    assert shortfalls(refused) == {0: ('not_enough', 8, None)}


def test_book_confirms_at_once(ask, hall):
    answer = ask('book', hall, customer='c1', items=seats('C-1'), payment='pi_3Q', meta={'name': 'on the ticket'})
    assert verdict(answer) == ('confirmed', None)
    assert answer['payment'] == 'pi_3Q' and 'expires_at' not in answer


# ---- hold, book: quantities, rooms, products -----------------------------------------------------------------
def test_a_section_by_capacity(ask, hall):
    answer = ask('hold', hall, customer='c', items=places('standing', 4, together=True))
    assert answer['units'] == [{'item': 0, 'section': 'standing', 'quantity': 4, 'price': 2000}]
    refused = ask('hold', hall, customer='c', items=places('standing', 7))
    assert shortfalls(refused) == {0: ('not_enough', 6, None)}
    assert ask('hold', hall, customer='c', items=places('standing', 6))['free'] == HALL_UNITS - 10


def test_rooms_for_nights(ask, hotel):
    ask('book', hotel, customer='g0', items=stay('double', '2026-12-20', '2026-12-24', 2))
    answer = ask('hold', hotel, customer='g1', items=stay('double', '2026-12-23', '2026-12-26', 1))
    assert answer['units'] == [
        {'item': 0, 'room': 'double', 'night': '2026-12-23', 'tokens': [2], 'price': 12900},
        {'item': 0, 'room': 'double', 'night': '2026-12-24', 'tokens': [0], 'price': 18900},
        {'item': 0, 'room': 'double', 'night': '2026-12-25', 'tokens': [0], 'price': 18900}]
    assert answer['total'] == 12900 + 2 * 18900 and answer['free'] == HOTEL_UNITS - 8 - 3
    refused = ask('hold', hotel, customer='g2', items=stay('double', '2026-12-22', '2026-12-26', 2))
    assert verdict(refused) == ('refused', 'not_enough')
    assert shortfalls(refused) == {0: ('not_enough', 0, ['2026-12-22', '2026-12-23'])}


def test_a_night_without_a_pool_is_refused(ask, hotel):
    answer = ask('hold', hotel, customer='g', items=stay('single', '2026-12-24', '2026-12-27'))
    assert verdict(answer) == ('refused', 'unknown_pool')
    assert shortfalls(answer)[0][2] == ['2026-12-25', '2026-12-26']
    answer = ask('hold', hotel, customer='g', items=stay('suite', '2026-12-24', '2026-12-25'))
    assert verdict(answer) == ('refused', 'unknown_pool')


def test_products(ask, hall):
    answer = ask('book', hall, customer='c', items=pieces('programme', 2))
    assert answer['units'] == [{'item': 0, 'product': 'programme', 'quantity': 2, 'price': 500}]
    refused = ask('book', hall, customer='c', items=pieces('programme', 2))
    assert shortfalls(refused) == {0: ('not_enough', 1, None)}


def test_several_items_all_or_nothing(ask, hall):
    ask('book', hall, customer='c', items=[*seats('B-5'), *pieces('programme', 2)])
    items = [*seats('B-5'), *places('standing', 2), *pieces('programme', 2)]
    refused = ask('book', hall, customer='c3', items=items, payment='pi_3Q')
    assert verdict(refused) == ('refused', 'unit_taken')
    assert refused['items'] == [{'item': 0, 'asked': 1, 'given': 0, 'reason': 'unit_taken', 'taken': ['B-5']},
                                {'item': 2, 'asked': 2, 'given': 0, 'reason': 'not_enough', 'free': 1}]
    assert refused['free'] == HALL_UNITS - 3
    granted = ask('book', hall, customer='c3', items=[*seats('B-6'), *places('standing', 2), *pieces('programme', 1)])
    assert [group['item'] for group in granted['units']] == [0, 1, 2]
    assert granted['total'] == 4500 + 4000 + 500


def test_items_of_a_request_see_each_other(ask, hall):
    answer = ask('book', hall, customer='c', items=[*places('standing', 6), *places('standing', 6)])
    assert shortfalls(answer) == {1: ('not_enough', 4, None)}
    answer = ask('book', hall, customer='c', items=[*places('stalls', 4), *seats('A-1')])
    assert shortfalls(answer) == {1: ('unit_taken', None, ['A-1'])}


def test_a_rate_that_is_not_there(ask, hall):
    answer = ask('book', hall, customer='c', items=places('standing', 1, rate='child'))
    assert verdict(answer) == ('refused', 'unknown_rate')
    assert verdict(ask('book', hall, customer='c', items=places('standing', 1, rate='standard'))) == ('confirmed', None)


def test_prices_are_frozen_at_the_hold(ask, hall):
    held = ask('hold', hall, customer='c', items=places('standing', 2))
    ask('define', hall, sections=[{'section': 'standing', 'price': 9900}], currency='EUR')
    confirmed = ask('confirm', hall, customer='c', booking=held['booking'])
    assert (held['total'], confirmed['total'], confirmed['units'][0]['price']) == (4000, 4000, 2000)
    assert ask('book', hall, customer='c', items=places('standing', 1))['total'] == 9900


def test_the_hold_time_has_caps(ask, name):
    show = name()
    ask('define', show, **standing(9, hold_ttl_s=120))

    def held_for(**more):
        answer = ask('hold', show, customer='c', items=places('floor', 1), **more)
        return (instant_of(answer['expires_at']) - instant_of(answer['decided_at'])) // 1000
    assert (held_for(), held_for(ttl_s=60), held_for(ttl_s=600)) == (120, 60, 120)
    plain = name()
    ask('define', plain, **standing(9))
    show = plain
    assert (held_for(), held_for(ttl_s=31_536_000)) == (900, 86_400)


# ---- confirm, release, cancel --------------------------------------------------------------------------------
def bring(ask, show, state):
    """A booking in that state."""
    booking = ask('hold', show, customer='owner', items=places('floor', 1))['booking']
    for op in {'held': [], 'released': ['release'], 'confirmed': ['confirm'],
               'cancelled': ['confirm', 'cancel']}[state]:
        ask(op, show, customer='owner', booking=booking)
    return booking


STEPS = {
    ('held', 'confirm'): 'confirmed', ('held', 'release'): 'released', ('held', 'cancel'): 'not_confirmed',
    ('confirmed', 'confirm'): 'already_confirmed', ('confirmed', 'release'): 'already_confirmed',
    ('confirmed', 'cancel'): 'cancelled',
    ('released', 'confirm'): 'already_released', ('released', 'release'): 'already_released',
    ('released', 'cancel'): 'already_released',
    ('cancelled', 'confirm'): 'already_cancelled', ('cancelled', 'release'): 'already_cancelled',
    ('cancelled', 'cancel'): 'already_cancelled',
}


def test_every_step_from_every_state(ask, name):
    show = name()
    ask('define', show, **standing(100))
    for (state, op), expected in STEPS.items():
        answer = ask(op, show, customer='owner', booking=bring(ask, show, state))
        assert answer.get('reason', answer['outcome']) == expected, f'{op} of a {state} booking'


def test_only_the_owner(ask, name):
    show = name()
    ask('define', show, **standing(10))
    booking = bring(ask, show, 'held')
    for op in ('confirm', 'release', 'cancel'):
        assert verdict(ask(op, show, customer='thief', booking=booking)) == ('refused', 'not_owner')
        assert verdict(ask(op, show, customer='owner', booking='nothing')) == ('refused', 'unknown_booking')
    assert verdict(ask('release', show, customer='thief', booking=booking, force=True)) == ('refused', 'not_owner')
    assert verdict(ask('release', show, booking=booking, force=True)) == ('released', None)
    sold = bring(ask, show, 'confirmed')
    assert verdict(ask('cancel', show, booking=sold, force=True)) == ('cancelled', None)


@pytest.mark.smoke
def test_why_it_was_ended_is_answered_and_recorded(world, ask, name):
    """Also to whoever asks again."""
    show, why = name(), 'no "show"'
    ask('define', show, **standing(10))
    ask('book', show, customer='owner', cart='k', items=places('floor', 1))
    block = ask('block', show, items=places('floor', 8))['booking']
    waiting = ask('hold', show, customer='late', items=places('floor', 2), wait_until='2099-01-01T00:00:00Z')['booking']
    for op, fields, outcome in (('leave', {'booking': waiting, 'customer': 'late'}, 'left'),
                                ('release', {'booking': bring(ask, show, 'held')}, 'released'),
                                ('cancel', {'cart': 'k'}, 'cancelled'), ('unblock', {'booking': block}, 'released')):
        request = world.client.request(op, show, **{'customer': 'owner', **fields}, note=why)
        for answer in (*world.ask_all(request), *world.ask_all(request)):
            assert (answer['outcome'], answer['detail']) == (outcome, why)
        assert set(world.sql('select detail from usher.history where resource = %s and request_id = %s', show, request['request_id'],
                             role='reader')) == {(why,)}


def test_what_goes_back_is_said_and_can_be_had_again(ask, hall):
    items = [*seats('C-7', 'C-8'), *places('standing', 2)]
    for op, taken_by in (('release', 'hold'), ('cancel', 'book')):
        taken = ask(taken_by, hall, customer='c1', items=items)
        answer = ask(op, hall, customer='c1', booking=taken['booking'])
        assert answer['returned'] == taken['units'] and 'units' not in answer
        assert (answer['total'], answer['free']) == (13000, HALL_UNITS)


def test_confirm_is_the_receipt(ask, hall):
    held = ask('hold', hall, customer='c1', items=seats('C-7'), cart='k')
    answer = ask('confirm', hall, customer='c1', booking=held['booking'], payment='pi_1')
    for field in ('units', 'total', 'currency', 'booking', 'customer', 'cart'):
        assert answer[field] == held[field]
    assert answer['payment'] == 'pi_1' and 'expires_at' not in answer


# ---- refusals of any operation -------------------------------------------------------------------------------
def test_unknown_resource(ask, name):
    for op, fields in (('hold', {'customer': 'c', 'items': places('floor', 1)}), ('probe', {}), ('open', {}),
                       ('release', {'customer': 'c', 'booking': 'b'})):
        answer = ask(op, name(), **fields)
        assert verdict(answer) == ('refused', 'unknown_resource')
        assert 'rev' not in answer and 'free' not in answer


def test_too_late(ask, hall):
    past, future = '2020-01-01T00:00:00Z', '2099-12-31T23:59:59.999999Z'
    answer = ask('hold', hall, customer='c', items=places('standing', 1), deadline=past)
    assert verdict(answer) == ('refused', 'too_late') and answer['retryable'] and answer['free'] == HALL_UNITS
    assert verdict(ask('hold', hall, customer='c', items=places('standing', 1), deadline=future)) == ('held', None)
    assert verdict(ask('probe', hall + '-none', deadline=past)) == ('refused', 'too_late')
