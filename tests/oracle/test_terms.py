"""Limits of requests and customers, quotas over pools."""

import pytest

from oracle import terms
from oracle.logs import Story, places, seats

STAY = {'room': 'double', 'from': '2026-12-24', 'to': '2026-12-27', 'quantity': 1}


@pytest.fixture(name='story')
def with_hall():
    story = Story()
    story.define(sections=[{'section': 'a', 'rows': [{'row': 'A', 'seats': 9}], 'price': 1},
                           {'section': 'b', 'capacity': 20, 'price': 1}],
                 rooms=[{**STAY, 'capacity': 5, 'price': 1}])
    return story


def refused(body):
    """The reason, or None."""
    return body.get('reason')


def test_units_of_a_request(story):
    story.define(sections=[], limits={'units_min': 2, 'units_per_request': 4})
    for items, reason in ((places('b', 1), 'limit_exceeded'), (places('b', 2), None),
                          (places('b', 5), 'limit_exceeded'), ([STAY], None),
                          ([{**STAY, 'quantity': 2}], 'limit_exceeded')):
        assert refused(story.hold(items, customer='x')) == reason
        assert refused(story.book(items, customer='x')) == reason
    # A block is the house's.
    assert story.ask('block', items=places('b', 7))['outcome'] == 'blocked'


def test_the_price_of_all(story):
    story.define(sections=[], products=[{'product': 'mug', 'capacity': 10_000_000, 'price': 10**12}])
    mugs = lambda quantity: [{'product': 'mug', 'quantity': quantity}]
    held, sold = story.hold(mugs(4000)), story.book(mugs(4000))
    for ask in (story.hold, story.book):
        assert refused(ask(mugs(1008))) == 'limit_exceeded'
    last = story.hold(mugs(1006))
    assert refused(story.ask('exchange', booking=last['booking'], customer='c', items=mugs(1008))) == 'limit_exceeded'
    assert refused(story.ask('exchange', booking=last['booking'], customer='c', items=mugs(1007))) is None
    assert story.ask('confirm', booking=held['booking'], customer='c')['outcome'] == 'confirmed'
    assert story.ask('cancel', booking=sold['booking'], customer='c')['outcome'] == 'cancelled'
    assert refused(story.hold(mugs(4000))) is None


def test_units_of_a_customer(story):
    story.define(sections=[], limits={'units_per_customer': 4})
    held = story.hold(places('b', 2))
    sold = story.book(places('b', 2))
    assert refused(story.hold(places('b', 1))) == 'limit_exceeded'
    assert refused(story.hold(places('b', 1), customer='d')) is None
    # Also where less would be given, and before it is looked for what is free.
    assert refused(story.hold(seats('A-1', 'Z-9'), shortage='partial')) == 'limit_exceeded'
    story.ask('cancel', booking=sold['booking'], customer='c')
    assert refused(story.hold(places('b', 2))) is None
    # An exchange counts without what it gives up.
    more = {'booking': held['booking'], 'customer': 'c'}
    assert refused(story.ask('exchange', items=places('b', 3), **more)) == 'limit_exceeded'
    assert refused(story.ask('exchange', items=seats('A-1', 'A-2'), **more)) is None


def test_holds_of_a_customer(story):
    story.define(sections=[], limits={'holds_per_customer': 1})
    held = story.hold(places('b', 1))
    assert refused(story.hold(places('b', 1))) == 'limit_exceeded'
    assert refused(story.book(places('b', 1))) is None
    other = story.hold(places('b', 1), customer='d')
    to_c = {'op': 'transfer', 'booking': other['booking'], 'customer': 'd', 'to_customer': 'c'}
    assert refused(story.ask(**to_c)) == 'limit_exceeded'
    story.ask('confirm', booking=held['booking'], customer='c')
    assert refused(story.ask(**to_c)) is None


def test_groups_of_pools(story):
    story.define(sections=[], limits={'groups': [{'pools': ['a', 'double'], 'limit': 3}]})
    assert refused(story.hold(seats('A-1', 'A-2', 'A-3', 'A-4'))) == 'limit_exceeded'
    assert refused(story.hold([STAY])) is None
    assert refused(story.hold(places('a', 1))) == 'limit_exceeded'
    assert refused(story.hold(seats('A-1') + places('b', 1))) == 'limit_exceeded'
    assert refused(story.hold(places('b', 9))) is None
    held = story.hold(places('a', 1), customer='d')
    assert refused(story.ask('transfer', booking=held['booking'], customer='d', to_customer='c')) == 'limit_exceeded'


def test_the_own_hold_that_is_in_the_way(story):
    story.define(sections=[], limits={'units_per_customer': 60})
    two_rooms, four_rooms = [{**STAY, 'quantity': 2}], [{**STAY, 'quantity': 4}]
    seat, some, more, rooms = (story.hold(items)['booking'] for items in (seats('A-1'), places('b', 5), places('b', 6), two_rooms))
    other = story.hold(places('b', 9), customer='d')['booking']
    for items, own in ((seats('A-2', 'A-1'), seat), (places('b', 1), more), (four_rooms, rooms), (places('a', 9), seat)):
        assert story.hold(items)['own_hold'] == own
    assert 'own_hold' not in story.hold(seats('A-1'), customer='d')
    assert story.hold(places('b', 1), customer='d')['own_hold'] == other
    change = {'op': 'exchange', 'customer': 'c'}
    assert story.ask(**change, booking=more, items=places('b', 7))['own_hold'] == some
    assert 'own_hold' not in story.ask(**change, booking=rooms, items=[{**STAY, 'quantity': 6}])
    story.ask('confirm', booking=more, customer='c')
    assert story.hold(places('b', 1))['own_hold'] == some
    story.define(sections=[], limits={'units_per_customer': 9})
    assert story.hold(seats('A-2'))['own_hold'] == rooms
    story.define(sections=[], limits={'groups': [{'pools': ['a'], 'limit': 1}]})
    assert story.hold(seats('A-2'))['own_hold'] == seat
    story.define(sections=[], limits={})
    assert 'own_hold' not in story.hold(seats('A-1'))


def test_a_lower_limit_takes_nothing_away_and_none_gives_all_again(story):
    story.book(places('b', 6))
    story.define(sections=[], limits={'units_per_customer': 2})
    assert refused(story.hold(places('b', 1))) == 'limit_exceeded'
    story.define(sections=[], limits={})
    assert refused(story.hold(places('b', 1))) is None


def test_a_lower_limit_refuses_only_what_adds(story):
    sold, cup = story.book(places('b', 6)), story.book(seats('A-1'))
    more, one = ({'booking': body['booking'], 'customer': 'c'} for body in (sold, cup))
    for limits in ({'units_per_request': 2}, {'units_per_customer': 2}, {'groups': [{'pools': ['b'], 'limit': 2}]}):
        story.define(sections=[], limits=limits)
        assert refused(story.ask('exchange', items=places('b', 7), **more)) == 'limit_exceeded'
        assert refused(story.ask('exchange', items=places('b', 6), **more)) is None
        assert refused(story.ask('exchange', items=seats('A-2'), **one)) is None
    assert refused(story.ask('exchange', items=places('b', 1), **one)) == 'limit_exceeded'  # one more of the group
    assert refused(story.ask('exchange', items=places('b', 5), **more)) is None
    held = story.hold(seats('A-3'))
    assert refused(story.ask('exchange', items=places('b', 5) + seats('A-3'), from_hold=held['booking'], **more)) is None
    story.define(sections=[], limits={'units_min': 3})
    assert refused(story.ask('exchange', items=seats('A-1'), **one)) is None
    assert refused(story.ask('exchange', items=seats('A-4'), **more)) == 'limit_exceeded'


# ---- quotas -------------------------------------------------------------------------------------------------
def test_a_quota_over_several_pools(story):
    story.define(sections=[], quotas=[{'quota': 'q', 'pools': ['a', 'b'], 'limit': 3}])
    story.book(places('a', 2))
    body = story.hold(places('b', 2))
    assert (body['reason'], body['items'][0]['free']) == ('not_enough', 1)
    body = story.hold(seats('A-8', 'A-9'))
    assert (body['reason'], body['items'][0]['free']) == ('not_enough', 1)
    body = story.hold(seats('A-8', 'A-9') + places('b', 1), shortage='partial')
    assert [line['given'] for line in body['items']] == [1, 0]
    # Of named seats those of the section that comes first.
    story.define(sections=[{'section': 'c', 'rows': [{'row': 'C', 'seats': 3}]}],
                 quotas=[{'quota': 'q', 'pools': ['a', 'b', 'c'], 'limit': 5}])
    body = story.hold(seats('A-1', 'C-1', 'A-9'), shortage='partial')
    assert [group['seats'] for group in body['units']] == [['A-1', 'A-9']]
    # What is blocked does not count, what is taken out of a block does.
    block = story.ask('block', items=places('b', 5))
    assert block['outcome'] == 'blocked'
    assert refused(story.hold(places('b', 1), from_block=block['booking'])) == 'not_enough'


def test_each_night_by_itself(story):
    story.define(sections=[], quotas=[{'quota': 'q', 'pools': ['double'], 'limit': 2}])
    story.book([{**STAY, 'to': '2026-12-25', 'quantity': 2}])
    body = story.book([STAY])
    assert body['items'] == [{'item': 0, 'asked': 1, 'given': 0, 'reason': 'not_enough', 'free': 0,
                              'taken': ['2026-12-24']}]
    assert refused(story.book([{**STAY, 'from': '2026-12-25', 'quantity': 2}])) is None


def test_an_exchange_gives_its_share_of_the_quota_up_first(story):
    story.define(sections=[], quotas=[{'quota': 'q', 'pools': ['a', 'b'], 'limit': 2}])
    sold = story.book(places('a', 2))
    more = {'booking': sold['booking'], 'customer': 'c'}
    assert refused(story.ask('exchange', items=places('b', 3), **more)) == 'not_enough'
    assert refused(story.ask('exchange', items=places('b', 2), **more)) is None


def test_a_late_confirm_keeps_to_the_quota(story):
    story.define(sections=[], quotas=[{'quota': 'q', 'pools': ['a', 'b'], 'limit': 2}])
    held = story.hold(seats('A-1'), ttl_s=1)
    story.expire(at=1000)
    other = story.book(places('b', 2))
    late = {'booking': held['booking'], 'customer': 'c'}
    body = story.ask('confirm', **late)
    assert (body['reason'], body['items'][0]['reason'], body['items'][0]['free']) == ('hold_expired', 'not_enough', 0)
    story.ask('cancel', booking=other['booking'], customer='c')
    assert refused(story.ask('confirm', **late)) is None


def test_a_late_confirm_keeps_to_what_a_customer_may_have(story):
    story.define(sections=[], limits={'units_per_customer': 2})
    held = story.hold(seats('A-1', 'A-2'), ttl_s=1)
    story.expire(at=1000)
    story.book(places('b', 1))
    late = {'booking': held['booking'], 'customer': 'c'}
    assert refused(story.ask('confirm', **late)) == 'limit_exceeded'
    assert refused(story.ask('confirm', items=seats('A-1'), **late)) is None


def test_free_is_what_the_quotas_leave(story):
    fire = {'quota': 'fire', 'pools': ['a', 'b'], 'limit': 12}
    assert story.define(sections=[], quotas=[fire])['free'] == 12 + 3 * 5
    assert story.book(places('a', 9))['free'] == 3 + 3 * 5
    assert terms.sellable(story.resource(), story.resource().named['b']) == 3
    # A quota of rooms is about each night; what has no night takes from all of them, so rooms come first.
    both = {'quota': 'both', 'pools': ['b', 'double'], 'limit': 4}
    assert story.define(sections=[], quotas=[{**fire, 'pools': []}, both])['free'] == 3 * 4
    story.book([{**STAY, 'to': '2026-12-25', 'quantity': 4}])
    assert terms.sellable(story.resource(), story.resource().named['b']) == 0
    assert refused(story.book(places('b', 1))) == 'not_enough'


def test_a_quota_below_what_is_sold_lets_bookings_change(story):
    long = story.book([{**STAY, 'quantity': 3}])
    story.define(sections=[], quotas=[{'quota': 'q', 'pools': ['double', 'b'], 'limit': 2}])
    more = {'booking': long['booking'], 'customer': 'c'}
    assert refused(story.ask('exchange', items=[{**STAY, 'to': '2026-12-26', 'quantity': 3}], **more)) is None
    assert refused(story.ask('exchange', items=[{**STAY, 'quantity': 3}], **more)) == 'not_enough'
    # What has no night counts on each of them: on the last one only two go.
    assert story.ask('exchange', items=places('b', 3), **more)['items'][0]['free'] == 2
    assert refused(story.ask('exchange', items=places('b', 2), **more)) is None
    assert refused(story.book([STAY])) == 'not_enough'


def test_quotas_are_merged_by_name(story):
    story.define(sections=[], quotas=[{'quota': 'q', 'pools': ['a'], 'limit': 1},
                                      {'quota': 'r', 'pools': ['b'], 'limit': 2}])
    story.define(sections=[], quotas=[{'quota': 'q', 'pools': ['a', 'b']}])
    assert story.resource().quotas == {'q': (['a', 'b'], 1), 'r': (['b'], 2)}
    story.define(sections=[], quotas=[{'quota': 'q', 'pools': []}])
    assert list(story.resource().quotas) == ['r']
    for quota in ({'quota': 'new', 'pools': ['a']}, {'quota': 'r', 'pools': ['nowhere']}):
        assert story.define(sections=[], quotas=[quota])['reason'] == 'bad_chart'
    assert story.define(sections=[], limits={'groups': [{'pools': ['nowhere'], 'limit': 1}]})['reason'] == 'bad_chart'
