"""Layouts: seating plans as they are drawn elsewhere, charts by name, rows that are changed under sold seats, and what is
wrong with a layout."""

import json
import uuid

import pytest

from harness.counts import check_counts, seats_of
from harness.moments import unrequested
from harness.plans import plan, row, seat, simple, zone
from harness.shows import places, rows, seated, seats, verdict
from oracle.partitioner import partition_of

PLAN = plan(simple('G', [('1', 'Stalls', 4), ('2', 'Stalls', 6)]), simple('U', [('1', 'Circle', 3)]))
PRICES = [{'section': 'Stalls', 'price': 4500}, {'section': 'Circle', 'rates': {'adult': 3000, 'child': 1500}}]


# ---- plans -----------------------------------------------------------------------------------------------------------
def test_a_plan_shows_in_the_layout_of_redis(world, name):
    show = name()
    answer = world.ask('define', show, plan=PLAN, sections=PRICES, state='open')
    world.await_shown(show, answer['rev'])
    stalls = world.layout(show)['sections'][0]
    assert stalls['section'] == 'Stalls' and [len(one['labels']) for one in stalls['rows']] == [4, 6]
    assert stalls['rows'][1]['labels'][0] == 'G-2-1' and stalls['rows'][1]['at'] == 4
    assert stalls['rows'][0]['x'][:2] == [20, 40]


def test_seats_that_are_called_by_uuids_have_places_for_people(world, name):
    show, guids = name(), [str(uuid.uuid5(uuid.NAMESPACE_URL, f'seat {number}')) for number in range(7, 10)]
    line = [seat(guid, number, 'Stalls', 10.0 * number) for number, guid in enumerate(guids, 7)]
    drawn = plan(zone('Block D', [row('1', line), row('2', [seat('2-1', 1, 'Stalls', 70.0)], y=30)]))
    world.ask('define', show, plan=drawn, state='open')
    sold = world.ask('book', show, customer='c', items=seats(guids[1], guids[2], '2-1'))
    assert [(group['seats'], group['places']) for group in sold['units']] == [
        ([guids[1], guids[2], '2-1'], ['Block D, row 1, seat 8', 'Block D, row 1, seat 9', '2-1'])]
    refused = world.ask('hold', show, customer='d', items=seats(guids[1]))
    assert (refused['items'][0]['taken'], refused['items'][0]['places']) == ([guids[1]], ['Block D, row 1, seat 8'])
    world.await_shown(show, sold['rev'])
    first, second = world.layout(show)['sections'][0]['rows']
    assert (first['labels'], first['numbers']) == (guids, ['7', '8', '9']) and 'numbers' not in second


# ---- charts by name --------------------------------------------------------------------------------------------------
def test_a_chart_is_that_of_the_merged_layout(ask, name):
    first = name()
    twins = (one for one in iter(name, None) if partition_of(one.encode(), 4) == partition_of(first.encode(), 4))
    second, third = next(twins), next(twins)
    chart = ask('define', first, sections=[{'section': 'a', 'rows': rows(3)}])['chart']
    both = ask('define', second, chart=chart, sections=[{'section': 'b', 'rows': [{'row': 'Z', 'seats': 2}]}])
    assert verdict(both) == ('defined', None) and both['free'] == 5 and both['chart'] != chart
    again = ask('define', third, chart=both['chart'])
    assert (again['chart'], again['free']) == (both['chart'], 5)


def test_a_chart_that_nobody_drew(ask, name):
    show = name()
    answer = ask('define', show, chart='sha256:' + 64 * '0')
    assert verdict(answer) == ('refused', 'unknown_chart') and not answer['retryable']
    assert verdict(ask('probe', show)) == ('refused', 'unknown_resource')
    # Nor is one of another partition known.
    chart = ask('define', show, sections=[{'section': 'here', 'rows': rows(1, 2, 3, 4, 5)}])['chart']
    other = next(one for one in iter(name, None) if partition_of(one.encode(), 4) != partition_of(show.encode(), 4))
    assert verdict(ask('define', other, chart=chart)) == ('refused', 'unknown_chart')


def test_a_chart_is_known_after_a_takeover(realm):
    chart = realm.ask('define', 'show:1', plan=PLAN, sections=PRICES)['chart']
    realm.workers[0].kill()
    realm.worker()
    answer = realm.ask('define', 'show:2', chart=chart, state='open')
    assert verdict(answer) == ('defined', None) and (answer['chart'], answer['free']) == (chart, 13)
    assert verdict(realm.ask('book', 'show:2', customer='c', items=seats('U-1-3'))) == ('confirmed', None)
    realm.check()


# ---- faults ----------------------------------------------------------------------------------------------------------
def with_seat(**changes):
    """The plan with one seat of row 2 in zone G changed."""
    changed = json.loads(json.dumps(PLAN))
    changed['zones'][0]['rows'][1]['seats'][2].update(changes)
    return changed


@pytest.mark.parametrize('drawn, words', [
    (with_seat(seat_guid='G-2-1'), ('Zone G', '2', 'G-2-1')),
    (with_seat(seat_guid='U-1-1'), ('U-1-1',)),
    (with_seat(category='Boxes'), ('Zone G', '2', 'Boxes')),
    (with_seat(seat_guid='x' * 65), ('Zone G', '2')),
    (with_seat(seat_guid=''), ('Zone G', '2')),
    (with_seat(seat_guid=None), ('Zone G', '2'))],
    ids=['a seat twice in a row', 'a seat twice in the house', 'no such category', 'a name too long', 'an empty name',
         'no name'])
def test_a_plan_that_breaks_a_rule(ask, name, drawn, words):
    show = name()
    answer = ask('define', show, plan=drawn, sections=PRICES)
    assert verdict(answer) == ('refused', 'bad_chart') and not answer['retryable']
    for word in words:
        assert word in answer['detail'], answer['detail']
    assert verdict(ask('probe', show)) == ('refused', 'unknown_resource')


# ---- rows that change under sold seats -------------------------------------------------------------------------------
def test_rows_may_be_added_behind_and_free_seats_removed_at_the_end(world, name):
    show = name()
    world.ask('define', show, **seated(4, 6))
    sold = world.ask('book', show, customer='c', items=seats('A-2', 'B-3'))
    for sizes, free in (((4, 6, 5), 13), ((4, 3), 5), ((4, 4, 2), 8)):
        answer = world.ask('define', show, sections=[{'section': 'stalls', 'rows': rows(*sizes)}])
        assert verdict(answer) == ('defined', None) and answer['free'] == free
    check_counts(world, show, 8, sold=2)
    assert verdict(world.ask('hold', show, customer='d', items=seats('B-3'))) == ('refused', 'unit_taken')
    assert verdict(world.ask('hold', show, customer='d', items=seats('B-6'))) == ('refused', 'unknown_seat')
    rows_of = world.sql("select seat from usher.purchase where resource = %s order by seat", show, role='reader')
    assert rows_of == [('A-2',), ('B-3',)]
    back = world.ask('cancel', show, customer='c', booking=sold['booking'])
    assert seats_of(back['returned']) == ['A-2', 'B-3'] and back['free'] == 10


@pytest.mark.parametrize('taken_by', ['hold', 'book', 'block'])
@pytest.mark.parametrize('sizes, first', [((4, 2), 'B-3'), ((3, 6), 'B-3'), ((5, 6), 'B-3'), ((1, 6), 'A-2')],
                         ids=['its seat is gone', 'a seat less before it', 'a seat more before it', 'two in the way'])
def test_rows_under_taken_seats_stay(world, name, taken_by, sizes, first):
    """A taken seat keeps its name at its number; the answer names the first in the way."""
    show = name()
    world.ask('define', show, **seated(4, 6))
    owner = {} if taken_by == 'block' else {'customer': 'c'}
    world.ask(taken_by, show, items=seats('A-2', 'B-3'), **owner)
    answer = world.ask('define', show, sections=[{'section': 'stalls', 'rows': rows(*sizes)}])
    assert verdict(answer) == ('refused', 'in_use') and answer['retryable'] and first in answer['detail']
    assert world.ask('probe', show)['free'] == 8


def test_a_late_confirm_finds_its_seats_in_rows_that_grew(world, name):
    """Free seats go by their names: those that are still there are sold, those that went are not."""
    show = name()
    world.ask('define', show, **seated(4, 6))
    stays, goes = (world.ask('hold', show, customer='c', items=seats(*names), ttl_s=1)
                   for names in (('A-2', 'B-1'), ('B-2', 'B-6')))
    for held in (stays, goes):
        unrequested(world, held['booking'], show, 'expiry')
    assert verdict(world.ask('define', show, sections=[{'section': 'stalls', 'rows': rows(4, 5, 3)}]))[1] is None
    sold = world.ask('confirm', show, customer='c', booking=stays['booking'])
    assert verdict(sold) == ('confirmed', None) and seats_of(sold['units']) == ['A-2', 'B-1']
    refused = world.ask('confirm', show, customer='c', booking=goes['booking'])
    assert verdict(refused) == ('refused', 'hold_expired')
    check_counts(world, show, 10, sold=2)


def test_a_late_confirm_of_places_that_became_seats_and_of_seats_that_became_places(realm):
    """Neither is what it was, in whole or in part, until the house has it as it was."""
    as_seats, as_places = {'section': 's', 'rows': rows(4)}, {'section': 's', 'capacity': 4}

    def confirm(held, **fields):
        return realm.ask('confirm', 'show', customer='c', booking=held['booking'], **fields)
    realm.ask('define', 'show', state='open', sections=[{**as_places, 'price': 100}])
    part = places('s', 1)
    for now, then in ((as_places, as_seats), (as_seats, as_places)):
        realm.ask('define', 'show', sections=[now])
        held = realm.ask('hold', 'show', customer='c', items=places('s', 2), ttl_s=1)
        unrequested(realm, held['booking'], 'show', 'expiry')
        assert verdict(realm.ask('define', 'show', sections=[then])) == ('defined', None)
        reason = 'not_enough' if now is as_places else 'unit_taken'
        for fields, asked in (({}, 2), ({'items': part}, 1)):
            refused = confirm(held, **fields)
            assert verdict(refused) == ('refused', 'hold_expired')
            assert [(line['asked'], line['reason']) for line in refused['items']] == [(asked, reason)]
        # Whoever had places never had the seat that comes first.
        assert verdict(confirm(held, items=seats('A-1'))) == ('refused', 'not_in_booking')
        realm.ask('define', 'show', sections=[now])
        sold = confirm(held, items=part)
        assert verdict(sold) == ('confirmed', None)
        check_counts(realm, 'show', 3, sold=1)
        realm.ask('cancel', 'show', customer='c', booking=held['booking'])
    realm.check()
