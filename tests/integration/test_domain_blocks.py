"""Blocks: units that the house takes off sale, sells out of, and puts back, or that come back by themselves."""

import pytest

from harness.counts import check_counts
from harness.moments import soon, unrequested
from harness.shows import HALL_UNITS, pieces, places, seats, shortfalls, verdict
from oracle.parsing import instant_of

pytestmark = pytest.mark.smoke


# ---- block, unblock --------------------------------------------------------------------------------------------------
def test_a_block_takes_units_off_sale(world, hall):
    items = [*seats('A-1', 'A-2'), *places('standing', 4), *pieces('programme', 1)]
    answer = world.ask('block', hall, items=items, note='sight lines')
    assert verdict(answer) == ('blocked', None) and answer['booking'] == answer['request_id']
    assert answer['total'] == 0 and {group['price'] for group in answer['units']} == {0}
    assert not answer.keys() & {'expires_at', 'customer', 'together'}
    probe = check_counts(world, hall, HALL_UNITS - 7, blocked=7)
    stalls = probe['pools'][0]
    assert (stalls['free'], stalls['held'], stalls['sold'], stalls['blocked'], stalls['total']) == (16, 0, 0, 2, 18)
    assert world.shown(hall)[1] == 'xx' + '.' * 21
    taken = world.ask('book', hall, customer='c', items=[*seats('A-2', 'A-3'), *places('standing', 7)])
    assert shortfalls(taken) == {0: ('unit_taken', None, ['A-2']), 1: ('not_enough', 6, None)}
    assert world.sql('select note from usher.booking where request_id = %s and resource_no = '
                     '(select no from usher.resource where id = %s)', answer['booking'], hall) == [('sight lines',)]


def test_a_block_comes_back_by_itself(world, hall):
    back_at = soon(world, 3)
    block = world.client.request('block', hall, items=[*seats('B-1', 'B-2'), *places('standing', 3)], return_at=back_at,
                                 client='office')
    blocked, sold = world.ask_all(block, world.client.request('book', hall, customer='c', items=seats('B-1'),
                                                              from_block=block['request_id']))
    assert blocked['expires_at'] == back_at and verdict(sold) == ('confirmed', None)
    answer = unrequested(world, blocked['booking'], hall, 'block_returned')
    assert (answer['outcome'], answer['op'], answer['client']) == ('released', 'block', 'office')
    assert instant_of(answer['decided_at']) >= instant_of(back_at) and 'source' not in answer
    # What was sold out of it stays sold.
    assert [group.get('seats', group.get('quantity')) for group in answer['returned']] == [['B-2'], 3]
    check_counts(world, hall, HALL_UNITS - 1, sold=1)
    assert verdict(world.ask('unblock', hall, booking=blocked['booking'])) == ('refused', 'already_released')
