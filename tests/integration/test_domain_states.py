"""Every operation on a booking from every state that a booking can be in: op × state → the new state, or the reason."""

import pytest

from harness.moments import unrequested
from harness.shows import places, standing, verdict
from oracle.contract import ROWS

# The rows of the contract; the oracle, which judges these answers too, has a table of its own.
STATES = tuple(ROWS['states'])
ON_BOOKINGS = {op: row for op, row in ROWS['operations'].items() if 'refused' in row}
TABLE = {op: [row['refused'].get(state, row['outcome']) for state in STATES] for op, row in ON_BOOKINGS.items()}
FIELDS = {'extend': {'ttl_s': 60}, 'exchange': {'items': places('floor', 2)}, 'transfer': {'to_customer': 'heir'}}
FORCED = [op for op, row in ON_BOOKINGS.items() if row['owner'] == 'customer or house']
THE_CUSTOMERS = [op for op, row in ON_BOOKINGS.items() if row['owner'] == 'customer']


def fields_of(op, state, customer='owner'):
    """What a request needs beside its booking. A block belongs to nobody, so that the house acts where it can."""
    if ON_BOOKINGS[op]['owner'] == 'house':
        return {}
    if state == 'blocked' and op in FORCED:
        return {'force': True, **FIELDS.get(op, {})}
    return {'customer': customer, **FIELDS.get(op, {})}


def bring(world, show):
    """For each op a booking in each state: {(op, state): id}."""
    request, ids = world.client.request, {}

    def begin(state):
        if state == 'blocked':
            return request('block', show, items=places('floor', 1))
        if state in ('waiting', 'left'):
            return request('hold', show, customer='owner', items=places('full', 1), wait_until='2099-01-01T00:00:00Z')
        return request('hold', show, customer='owner', items=places('floor', 1), ttl_s=1 if state == 'expired' else 900)
    begun = {(op, state): begin(state) for op in TABLE for state in STATES}
    for (op, state), answer in zip(begun, world.ask_all(*begun.values())):
        assert answer['outcome'] == {'blocked': 'blocked', 'waiting': 'waiting', 'left': 'waiting'}.get(state, 'held')
        ids[op, state] = answer['booking']
    steps = {'confirmed': ('confirm',), 'cancelled': ('confirm', 'cancel'), 'released': ('release',), 'left': ('leave',)}
    world.ask_all(*(request(step, show, customer='owner', booking=booking) for (_op, state), booking in ids.items()
                    for step in steps.get(state, ())))
    for op in TABLE:
        unrequested(world, ids[op, 'expired'], show, 'expiry')
    return ids


@pytest.fixture(scope='module', name='brought')
def brought_fixture(shared_realm):
    show = 'show:every-state'
    shared_realm.ask('define', show, state='open', sections=[
        {'section': 'floor', 'capacity': 1000, 'price': 1000}, {'section': 'full', 'capacity': 1, 'price': 1000}])
    assert verdict(shared_realm.ask('book', show, customer='early', items=places('full', 1))) == ('confirmed', None)
    return show, bring(shared_realm, show)


@pytest.mark.parametrize('op', TABLE)
def test_from_every_state(world, brought, op):
    show, ids = brought
    for state, expected in zip(STATES, TABLE[op]):
        if op in THE_CUSTOMERS and state == 'blocked':
            continue  # whoever asks is not the owner, see below
        answer = world.ask(op, show, booking=ids[op, state], **fields_of(op, state))
        assert answer.get('reason', answer['outcome']) == expected, f'{op} of a booking that is {state}: {answer}'


@pytest.mark.parametrize('op', THE_CUSTOMERS)
def test_a_block_is_nobodys(world, brought, op):
    show, ids = brought
    answer = world.ask(op, show, booking=ids[op, 'blocked'], **fields_of(op, 'blocked'))
    assert verdict(answer) == ('refused', 'not_owner')


@pytest.mark.parametrize('op', THE_CUSTOMERS + FORCED)
def test_only_the_owner(world, brought, op):
    """Whoever else it is hears nothing of the state."""
    show, ids = brought
    for state in STATES:
        if state != 'blocked':
            answer = world.ask(op, show, booking=ids[op, state], **fields_of(op, state, 'thief'))
            assert verdict(answer) == ('refused', 'not_owner'), f'{op} of a booking that is {state}'


@pytest.mark.parametrize('op', TABLE)
def test_a_booking_that_never_was(world, brought, op):
    answer = world.ask(op, brought[0], booking='never', **fields_of(op, 'held'))
    assert verdict(answer) == ('refused', 'unknown_booking')


@pytest.mark.parametrize('op', FORCED)
def test_the_house_acts_without_the_customer(ask, name, op):
    show = name()
    ask('define', show, **standing(9))
    booking = ask('book' if op == 'cancel' else 'hold', show, customer='owner', items=places('floor', 1))['booking']
    fields = FIELDS.get(op, {})
    # As the customer it must be the right one, and without one the house must say that it is the house.
    assert verdict(ask(op, show, booking=booking, customer='thief', force=True, **fields)) == ('refused', 'not_owner')
    assert verdict(ask(op, show, booking=booking, **fields)) == ('invalid', 'malformed')
    assert verdict(ask(op, show, booking=booking, force=True, **fields)) == (TABLE[op][op == 'cancel'], None)


@pytest.mark.parametrize('op', THE_CUSTOMERS)
def test_the_house_cannot_act_for_the_customer(ask, name, op):
    show = name()
    ask('define', show, **standing(9))
    booking = ask('hold', show, customer='owner', items=places('floor', 1))['booking']
    assert verdict(ask(op, show, booking=booking, force=True, **FIELDS.get(op, {}))) == ('invalid', 'malformed')
