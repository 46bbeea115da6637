"""Taking units and what becomes of them: hold, book, confirm, release, cancel, each with its outcomes."""

import pytest

from harness.shows import HALL_UNITS, places, seats, standing, verdict
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


# ---- hold, book: quantities, rooms, products -----------------------------------------------------------------
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


# ---- refusals of any operation -------------------------------------------------------------------------------
def test_unknown_resource(ask, name):
    for op, fields in (('hold', {'customer': 'c', 'items': places('floor', 1)}), ('probe', {}), ('open', {}),
                       ('release', {'customer': 'c', 'booking': 'b'})):
        answer = ask(op, name(), **fields)
        assert verdict(answer) == ('refused', 'unknown_resource')
        assert 'rev' not in answer and 'free' not in answer
