"""What everybody sees of it: the probe, the views for people, the changes in Redis."""

import json

from contract import validate_changes
from harness.counts import check_counts
from harness.moments import soon, unrequested
from harness.shows import HALL_UNITS, places, seats, standing
from harness.waiting import PATIENCE_S


def test_availability_has_what_is_blocked(world, hall):
    world.ask('block', hall, items=[*seats('A-1'), *places('standing', 3)])
    world.ask('hold', hall, customer='c', items=places('standing', 1))
    world.ask('book', hall, customer='c', items=seats('A-2', 'A-3'))
    rows = world.sql('select pool, free, held, sold, blocked, total from usher.availability where resource = %s', hall,
                     role='reader')
    assert set(rows) >= {('stalls', 15, 0, 2, 1, 18), ('standing', 6, 1, 0, 3, 10), ('programme', 3, 0, 0, 0, 3)}


def test_redis_tells_of_blocks_and_sale_times(world, hall):
    world.ask('define', hall, opens_at='2020-01-01T00:00:00Z', closes_at='2099-01-01T00:00:00Z')
    world.await_shown(hall, world.ask('probe', hall)['rev'])
    with world.cache.pubsub() as listener:
        listener.subscribe(f'{world.name}:{{{hall}}}:changes')
        assert listener.get_message(timeout=PATIENCE_S)['type'] == 'subscribe'
        answer = world.ask('block', hall, items=seats('A-2', 'A-3'))
        change = json.loads(listener.get_message(timeout=PATIENCE_S)['data'])
    validate_changes(change)
    assert (change['rev'], change['free'], change['blocked']) == (answer['rev'], HALL_UNITS - 2, 2)
    assert change['from'] == 0 or change['seats'] == [[1, 'xx']]
    shown = world.await_shown(hall, answer['rev'])
    assert (shown[0]['opens_at'], shown[0]['closes_at']) == ('2020-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z')
    assert shown[1][:4] == '.xx.' and shown[2]['stalls'] == '16/18/0/0/2'


def test_what_waits_is_no_unit_and_no_purchase(world, name):
    show = name()
    world.ask('define', show, **standing(1))
    world.ask('book', show, customer='early', items=places('floor', 1))
    world.ask('hold', show, customer='late', items=places('floor', 1), wait_until=soon(world, 600))
    check_counts(world, show, 0, sold=1)
    assert world.sql('select customer from usher.purchase where resource = %s', show, role='reader') == [('early',)]


def test_purchases_follow_every_change(world, hall):
    """Sold, exchanged, handed on, sold in part, cancelled: the list has what people own now."""
    def owned():
        return world.sql('select customer, coalesce(seat, pool), price from usher.purchase where resource = %s '
                         'order by 1, 2', hall, role='reader')
    world.ask('hold', hall, customer='x', items=seats('C-1'))
    world.ask('block', hall, items=seats('C-2'))
    sold = world.ask('book', hall, customer='anna', items=seats('A-1', 'A-2'))
    part = world.ask('hold', hall, customer='ben', items=[*seats('B-1'), *places('standing', 1)])
    world.ask('confirm', hall, customer='ben', booking=part['booking'], items=seats('B-1'))
    assert owned() == [('anna', 'A-1', 4500), ('anna', 'A-2', 4500), ('ben', 'B-1', 4500)]
    world.ask('exchange', hall, customer='anna', booking=sold['booking'], items=seats('A-2', 'BA-11'))
    world.ask('transfer', hall, customer='ben', booking=part['booking'], to_customer='carl')
    assert owned() == [('anna', 'A-2', 4500), ('anna', 'BA-11', 3000), ('carl', 'B-1', 4500)]
    world.ask('cancel', hall, customer='carl', booking=part['booking'])
    assert owned() == [('anna', 'A-2', 4500), ('anna', 'BA-11', 3000)]


def test_history_says_why(world, hall):
    """Also what nobody asked for, each for its cause, and which of a cart's bookings were meant."""
    held, blocked = world.ask_all(
        world.client.request('hold', hall, customer='c', items=seats('A-1'), ttl_s=1),
        world.client.request('block', hall, items=seats('A-2'), return_at=soon(world, 1)))
    unrequested(world, held['booking'], hall, 'expiry')
    unrequested(world, blocked['booking'], hall, 'block_returned')
    rows = world.sql('select op, outcome, unasked, booking from usher.history where resource = %s order by seq', hall,
                     role='reader')
    assert rows[0][:2] == ('define', 'defined')
    assert rows[1:3] == [('hold', 'held', False, held['booking']), ('block', 'blocked', False, blocked['booking'])]
    assert set(rows[3:]) == {('hold', 'expired', True, held['booking']), ('block', 'released', True, blocked['booking'])}
