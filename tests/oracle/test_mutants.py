"""A day with every operation in it, which the replay finds right; then each fact of its record is changed, one by one,
and the replay must notice."""

import copy

import pytest

from oracle.logs import Story, at, places, publish, seats
from oracle.replay import replay

STAY = {'room': 'double', 'from': '2026-12-24', 'to': '2026-12-26', 'quantity': 1}


def a_day():
    story = Story()
    story.define(hold_ttl_s=600, strategy='random', opens_at=at(0), closes_at=at(10**9),
                 rooms=[{**STAY, 'capacity': 2, 'overbook': 1, 'rates': {'adult': 100, 'child': 60}}],
                 products=[{'product': 'programme', 'capacity': 5, 'price': 300, 'properties': {'pages': 40}}],
                 limits={'units_per_customer': 50, 'groups': [{'pools': ['double'], 'limit': 9}]},
                 quotas=[{'quota': 'all', 'pools': ['standing', 'double'], 'limit': 9}])
    first = story.hold(seats('A-1') + places('stalls', 2), cart='k', ttl_s=60, note='n', meta={'m': 1})['booking']
    story.hold(seats('A-1', 'B-3'), cart='k', shortage='partial', at=1000)
    story.ask('extend', cart='k', customer='c', ttl_s=90)
    story.ask('exchange', booking=first, customer='c', items=places('standing', 3) + [{**STAY, 'rate': 'child'}])
    waiting = story.hold(places('standing', 1), 'w', wait_until=at(600_000), ttl_s=30)['booking']
    story.hold(places('standing', 1), 'v', wait_until=at(600_000))
    story.ask('confirm', booking=first, customer='c', items=places('standing', 2), payment='p')
    assert story.serve()['booking'] == waiting
    story.ask('transfer', booking=first, customer='c', to_customer='d')
    block = story.ask('block', items=[{**STAY, 'quantity': 3}], note='press', return_at=at(50_000))['booking']
    story.book([{**STAY, 'rate': 'child'}], from_block=block, payment='q')
    story.ask('confirm', cart='k', customer='c')
    story.ask('cancel', cart='k', customer='c', note='rain', at=20_000)
    story.expire(at=31_000)
    story.serve(at=31_500)
    story.ask('release', booking='r7', customer='v', note='late', at=32_000)
    story.expire(at=50_000)
    story.ask('close', cancel_bookings=True, note='ill', at=50_001)
    for booking in (first, 'r11'):
        story.cancel(booking)
    story.ask('probe')
    return story.finish()


def test_the_day_is_right():
    report = replay(a_day())
    assert report, str(report)
    assert {name: report.facts[name] for name in ('expiries', 'served', 'returned', 'cancelled')} == {
        'expiries': 1, 'served': 2, 'returned': 1, 'cancelled': 2}


def other(value):
    """Something else of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + 'x'
    return None if value else ['x']


def noticed(evidence):
    evidence.answers[0].clear()
    return not replay(publish(evidence))


ROWS = range(len(a_day().decisions[0]))


@pytest.mark.parametrize('index', ROWS)
def test_each_fact_of_each_decision(index):
    day = a_day()
    row = day.decisions[0][index]
    for name in [*row.body, 'something']:
        evidence = copy.deepcopy(day)
        evidence.decisions[0][index].body[name] = other(row.body.get(name))
        assert noticed(evidence), name
    for name in ('offset', 'key', 'request_id', 'op', 'resource', 'client', 'outcome', 'reason', 'first', 'bookings'):
        evidence = copy.deepcopy(day)
        setattr(evidence.decisions[0][index], name, ['x'] if name == 'bookings' else other(getattr(row, name)) or 'x')
        assert noticed(evidence), name


@pytest.mark.parametrize('index', ROWS)
def test_each_decision_is_needed(index):
    evidence = a_day()
    del evidence.decisions[0][index]
    for seq, row in enumerate(evidence.decisions[0], 1):
        row.seq = seq
    assert noticed(evidence)


@pytest.mark.parametrize('table', ['resources', 'pools', 'bookings'])
def test_each_column_of_each_table(table):
    day = a_day()
    for key, row in getattr(day, table).items():
        for column in row:
            evidence = copy.deepcopy(day)
            getattr(evidence, table)[key][column] = other(row[column])
            assert noticed(evidence), (key, column)
        evidence = copy.deepcopy(day)
        del getattr(evidence, table)[key]
        assert noticed(evidence), key


def test_who_had_a_booking_before():
    for name in ('c', 'd'):
        evidence = a_day()
        key = ('show:one', 'r2', name)
        assert (key in evidence.former_owners) == (name == 'c')
        evidence.former_owners = {} if name == 'c' else {**evidence.former_owners, key: True}
        assert noticed(evidence)


def test_what_the_cache_shows():
    day = a_day()
    shown = day.cache['show:one']
    for part in ('hash', 'pools'):
        for name, value in shown[part].items():
            evidence = copy.deepcopy(day)
            evidence.cache['show:one'][part][name] = other(value)
            assert noticed(evidence), name
    for index in range(len(shown['seats'])):
        evidence = copy.deepcopy(day)
        evidence.cache['show:one']['seats'] = shown['seats'][:index] + 'x' + shown['seats'][index + 1:]
        assert noticed(evidence), index
