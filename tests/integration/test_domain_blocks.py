"""Blocks: units that the house takes off sale, sells out of, and puts back, or that come back by themselves."""

import pytest

from harness.counts import check_counts, seats_of
from harness.moments import soon, unrequested
from harness.shows import HALL, HALL_UNITS, HOTEL_UNITS, pieces, places, seats, shortfalls, stay, verdict
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


def test_unblock_puts_them_back(world, hall):
    blocked = world.ask('block', hall, items=[*seats('A-1'), *places('standing', 2)])
    # No customer is needed, and whoever is named is not asked for.
    back = world.ask('unblock', hall, booking=blocked['booking'])
    assert verdict(back) == ('released', None) and back['returned'] == blocked['units']
    check_counts(world, hall, HALL_UNITS)
    assert verdict(world.ask('unblock', hall, booking=blocked['booking'])) == ('refused', 'already_released')
    again = world.ask('block', hall, items=seats('A-1'))
    assert verdict(world.ask('unblock', hall, booking=again['booking'], customer='anybody')) == ('released', None)


@pytest.mark.parametrize('state', ['draft', 'open', 'closed'])
def test_a_block_does_not_ask_whether_it_is_on_sale(ask, name, state):
    show = name()
    ask('define', show, **{**HALL, 'state': state})
    assert verdict(ask('block', show, items=seats('A-1'))) == ('blocked', None)


def test_limits_and_quotas_are_not_for_blocks(ask, name):
    show = name()
    ask('define', show, **HALL, limits={'units_min': 3, 'units_per_request': 3, 'units_per_customer': 3},
        quotas=[{'quota': 'all', 'pools': ['stalls', 'standing'], 'limit': 5}])
    for count in (1, 9):
        assert verdict(ask('block', show, items=places('standing', count))) == ('blocked', None)
    # Nor do blocked units count against a quota.
    assert verdict(ask('hold', show, customer='c', items=places('stalls', 3))) == ('held', None)


def test_a_block_of_nights(world, hotel):
    answer = world.ask('block', hotel, items=stay('double', '2026-12-22', '2026-12-24', 2), note='painters')
    assert [(group['night'], group['tokens']) for group in answer['units']] == [
        ('2026-12-22', [0, 1]), ('2026-12-23', [0, 1])]
    refused = world.ask('book', hotel, customer='g', items=stay('double', '2026-12-22', '2026-12-23', 2))
    assert shortfalls(refused) == {0: ('not_enough', 1, ['2026-12-22'])}
    check_counts(world, hotel, HOTEL_UNITS - 4, blocked=4)


def test_a_block_takes_all_or_nothing_or_what_there_is(world, hall):
    world.ask('book', hall, customer='c', items=[*seats('A-2'), *places('standing', 8)])
    items = [*seats('A-1', 'A-2', 'A-3'), *places('standing', 5)]
    refused = world.ask('block', hall, items=items)
    assert verdict(refused) == ('refused', 'unit_taken')
    check_counts(world, hall, HALL_UNITS - 9, sold=9)
    partial = world.ask('block', hall, items=items, shortage='partial')
    assert verdict(partial) == ('blocked', None)
    assert seats_of(partial['units'][:1]) == ['A-1', 'A-3'] and partial['units'][1]['quantity'] == 2
    assert partial['items'] == [{'item': 0, 'asked': 3, 'given': 2, 'reason': 'unit_taken', 'taken': ['A-2']},
                                {'item': 1, 'asked': 5, 'given': 2, 'reason': 'not_enough', 'free': 2}]
    check_counts(world, hall, HALL_UNITS - 13, sold=9, blocked=4)


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


# ---- from_block ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize('op, outcome', [('hold', 'held'), ('book', 'confirmed')])
def test_units_are_sold_out_of_a_block_only(world, hall, op, outcome):
    blocked = world.ask('block', hall, items=[*seats('A-1', 'A-2', 'C-1'), *places('standing', 4)])
    answer = world.ask(op, hall, customer='guest', from_block=blocked['booking'],
                       items=[*seats('A-2'), *places('stalls', 1), *places('standing', 3)])
    assert verdict(answer) == (outcome, None) and answer['total'] == 2 * 4500 + 3 * 2000
    assert seats_of(answer['units'][:2]) == ['A-2', 'A-1']
    taken = {'held': 5} if op == 'hold' else {'sold': 5}
    check_counts(world, hall, HALL_UNITS - 7, blocked=2, **taken)
    # The block has one seat and one place left, though the hall has many.
    for items, reason in ((seats('B-1'), 'not_in_booking'), (seats('A-2'), 'not_in_booking'),
                          (places('stalls', 2), 'not_enough'), (places('standing', 2), 'not_enough')):
        refused = world.ask(op, hall, customer='guest', from_block=blocked['booking'], items=items)
        assert verdict(refused) == ('refused', reason), items
    check_counts(world, hall, HALL_UNITS - 7, blocked=2, **taken)


def test_what_a_block_lacks_is_said_as_of_what_is_free(ask, hall, hotel):
    """Also of its seats those that an item refuses, and the nights in the way."""
    ask('define', hall, sections=[{'section': 'side', 'price': 1, 'rows': [
        {'row': 'S', 'seats': 3, 'features': {'aisle': [1]}}]}])
    blocked = ask('block', hall, items=places('side', 3))['booking']
    refused = ask('hold', hall, customer='c', from_block=blocked, items=places('side', 3, avoid=['aisle']))
    assert verdict(refused) == ('refused', 'not_enough') and shortfalls(refused) == {0: ('not_enough', 2, None)}
    held = ask('hold', hall, customer='c', from_block=blocked, items=places('side', 1, avoid=['aisle']))
    assert seats_of(held['units']) == ['S-2']
    nights = ask('block', hotel, items=stay('double', '2026-12-22', '2026-12-24', 2))['booking']
    refused = ask('hold', hotel, customer='g', from_block=nights, items=stay('double', '2026-12-23', '2026-12-25', 2))
    assert shortfalls(refused) == {0: ('not_enough', 0, ['2026-12-24'])}


def test_prices_of_units_out_of_a_block_are_todays(ask, hall):
    blocked = ask('block', hall, items=places('standing', 4))
    ask('define', hall, sections=[{'section': 'standing', 'price': 2900}])
    assert ask('book', hall, customer='c', from_block=blocked['booking'], items=places('standing', 1))['total'] == 2900


def test_a_block_that_is_emptied_is_over(world, hall):
    blocked = world.ask('block', hall, items=seats('A-1', 'A-2'))
    held = world.ask('hold', hall, customer='c', from_block=blocked['booking'], items=seats('A-1', 'A-2'))
    assert verdict(held) == ('held', None)
    assert verdict(world.ask('unblock', hall, booking=blocked['booking'])) == ('refused', 'already_released')
    # What comes back comes back to everybody.
    world.ask('release', hall, customer='c', booking=held['booking'])
    check_counts(world, hall, HALL_UNITS)


def test_what_no_block_is(ask, hall):
    held = ask('hold', hall, customer='c', items=seats('A-1'))
    over = ask('block', hall, items=seats('A-2'))
    ask('unblock', hall, booking=over['booking'])
    for block, reason in (('nothing', 'unknown_booking'), (held['booking'], 'not_blocked')):
        answer = ask('hold', hall, customer='c', from_block=block, items=seats('A-1'))
        assert verdict(answer) == ('refused', reason)
    answer = ask('hold', hall, customer='c', from_block=over['booking'], items=seats('A-2'))
    assert verdict(answer) == ('refused', 'not_blocked')


def test_selling_out_of_a_block_needs_a_sale(ask, name):
    show = name()
    ask('define', show, **{**HALL, 'state': 'closed'})
    blocked = ask('block', show, items=seats('A-1'))
    for op in ('hold', 'book'):
        answer = ask(op, show, customer='c', from_block=blocked['booking'], items=seats('A-1'))
        assert verdict(answer) == ('refused', 'not_on_sale')


def test_units_out_of_a_block_count_for_its_limits_and_quotas(ask, name):
    show = name()
    ask('define', show, **HALL, limits={'units_per_customer': 3},
        quotas=[{'quota': 'floor', 'pools': ['standing'], 'limit': 5}])
    blocked = ask('block', show, items=places('standing', 10))['booking']
    for customer, count, reason in (('c', 4, 'limit_exceeded'), ('c', 3, None), ('d', 3, 'not_enough'), ('d', 2, None)):
        answer = ask('book', show, customer=customer, from_block=blocked, items=places('standing', count))
        assert verdict(answer)[1] == reason


def test_partial_out_of_a_block(ask, hall):
    blocked = ask('block', hall, items=[*seats('A-1'), *places('standing', 2)])
    answer = ask('book', hall, customer='c', from_block=blocked['booking'], shortage='partial',
                 items=[*seats('A-1'), *places('standing', 5)])
    assert verdict(answer) == ('confirmed', None) and answer['total'] == 4500 + 2 * 2000
    assert [(line['item'], line['asked'], line['given'], line['reason']) for line in answer['items']] == [
        (1, 5, 2, 'not_enough')]


def test_block_needs_items_and_unblock_a_booking(ask, hall):
    assert verdict(ask('block', hall)) == ('invalid', 'malformed')
    assert verdict(ask('unblock', hall)) == ('invalid', 'malformed')
