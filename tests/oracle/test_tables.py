"""What the record keeps of a booking's units: numbers of seats and rooms; of others, how many."""

import pytest

from oracle.logs import Story, places, seats
from oracle.tables import line_of
from oracle.tables import expected

NAMES = {('show', 0): ('stalls', None), ('show', 1): ('standing', None), ('show', 2): ('double', '2026-12-24')}


@pytest.mark.parametrize('kept, line', [
    ([0, 0, 4500, [4, 5], 7788], [0, 'stalls', None, 4500, [4, 5], None]),
    ([0, 0, 4500, [4], 7788, 'child'], [0, 'stalls', None, 4500, [4], 'child']),
    ([1, 1, 2000, 3], [1, 'standing', None, 2000, 3, None]),
    ([1, 1, 2000, 3, 0, 'child'], [1, 'standing', None, 2000, 3, 'child']),
    ([0, 2, 100, [0, 1]], [0, 'double', '2026-12-24', 100, [0, 1], None])])
def test_a_line_as_it_is_kept(kept, line):
    assert line_of(NAMES, 'show', kept) == line


def test_a_line_stays_as_it_was_when_its_pool_becomes_another():
    story = Story()
    story.define()
    bookings = [story.hold(items, ttl_s=1)['booking'] for items in (seats('A-2', 'A-3'), places('standing', 2))]
    for _booking in bookings:
        story.expire(at=1000)
    story.define(sections=[{'section': 'stalls', 'capacity': 7},
                           {'section': 'standing', 'rows': [{'row': 'S', 'seats': 3}]}])
    story.book(places('stalls', 1) + seats('S-1'))
    _resources, pools, found, allocations = expected([story.resource()])
    assert [[line[4] for line in found['show:one', booking]['lines']] for booking in bookings] == [[[1, 2]], [2]]
    assert list(allocations) == [('show:one', 'standing', None, 0)]
    assert {name: pools['show:one', name, None]['sold'] for name in ('stalls', 'standing')} == {
        'stalls': 1, 'standing': 0}
