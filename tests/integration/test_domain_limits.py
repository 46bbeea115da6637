"""What a resource is sold under: limits on one request and on one customer, and quotas on what all have together."""

import pytest

from harness.counts import check_counts
from harness.shows import HOTEL, pieces, places, seats, shortfalls, stay, verdict


EVENT = {'state': 'open', 'sections': [{'section': 'floor', 'capacity': 40, 'price': 1000},
                                       {'section': 'gallery', 'capacity': 40, 'price': 800}],
         'products': [{'product': 'programme', 'capacity': 40, 'price': 500}]}


@pytest.fixture(name='event')
def event_fixture(ask, name):
    """Makes events under terms: event(limits={…}, quotas=[…])."""
    def make(**terms):
        show = name()
        assert verdict(ask('define', show, **EVENT, **terms)) == ('defined', None)
        return show
    return make


def limited(answer, word=''):
    assert verdict(answer) == ('refused', 'limit_exceeded') and answer['retryable']
    assert word in answer['detail'], answer['detail']
    return True


# ---- limits on a request ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize('op', ['hold', 'book', 'exchange'])
def test_units_of_a_request(ask, event, op):
    """Counted over all items, nights singly; of an exchange, its whole new content."""
    show = event(limits={'units_min': 2, 'units_per_request': 4})
    fields = {}
    if op == 'exchange':
        fields['booking'] = ask('hold', show, customer='c', items=places('floor', 2))['booking']
    for items, fine in ((places('floor', 1), False), (places('floor', 2), True), (places('floor', 5), False),
                        ([*places('floor', 3), *pieces('programme', 2)], False),
                        ([*places('floor', 3), *pieces('programme', 1)], True)):
        answer = ask(op, show, customer='c', items=items, **fields)
        assert answer['outcome'] != 'refused' if fine else limited(answer, 'units')


def test_a_room_for_three_nights_is_three_units(ask, name):
    hotel = name('hotel')
    ask('define', hotel, **HOTEL, limits={'units_per_request': 5})
    assert limited(ask('book', hotel, customer='g', items=stay('double', '2026-12-20', '2026-12-23', 2)))
    assert verdict(ask('book', hotel, customer='g', items=stay('double', '2026-12-20', '2026-12-25')))[1] is None


def test_what_is_not_judged_by_the_limits_of_a_request(ask, event):
    show = event(limits={'units_min': 2, 'units_per_request': 4})
    assert verdict(ask('block', show, items=places('floor', 1))) == ('blocked', None)
    assert verdict(ask('block', show, items=places('floor', 9))) == ('blocked', None)
    held = ask('hold', show, customer='c', items=places('floor', 2))
    sold = ask('confirm', show, customer='c', booking=held['booking'], items=places('floor', 1))
    assert verdict(sold) == ('confirmed', None)


def test_limits_come_before_what_is_there(ask, event):
    """Judged on what is asked, before units are looked for; but after whether it is on sale."""
    show = event(limits={'units_per_request': 4})
    assert limited(ask('hold', show, customer='c', items=places('pit', 5)))
    assert limited(ask('hold', show, customer='c', items=[*places('floor', 4), *seats('Z-1')]))
    assert limited(ask('hold', show, customer='c', items=places('floor', 41)))
    ask('close', show)
    assert verdict(ask('hold', show, customer='c', items=places('floor', 5))) == ('refused', 'not_on_sale')


# ---- limits on a customer --------------------------------------------------------------------------------------------
def test_units_of_a_customer(ask, event):
    """What is held and sold, with what is asked; not what went back."""
    show = event(limits={'units_per_customer': 4})
    held = ask('hold', show, customer='c', items=places('floor', 2))
    ask('book', show, customer='c', items=places('gallery', 1))
    assert limited(ask('hold', show, customer='c', items=places('floor', 2)), '4 units per customer')
    assert verdict(ask('hold', show, customer='d', items=places('floor', 4))) == ('held', None)
    assert verdict(ask('book', show, customer='c', items=places('floor', 1))) == ('confirmed', None)
    assert limited(ask('book', show, customer='c', items=places('floor', 1)))
    ask('release', show, customer='c', booking=held['booking'])
    assert verdict(ask('book', show, customer='c', items=places('floor', 2))) == ('confirmed', None)


def test_an_exchange_counts_without_what_it_gives_back(ask, event):
    show = event(limits={'units_per_customer': 4})
    held = ask('hold', show, customer='c', items=places('floor', 4))
    same = ask('exchange', show, customer='c', booking=held['booking'], items=places('gallery', 4))
    assert verdict(same) == ('exchanged', None)
    assert limited(ask('exchange', show, customer='c', booking=held['booking'], items=places('gallery', 5)))


def test_holds_of_a_customer(ask, event):
    """Open holds only; a book is none."""
    show = event(limits={'holds_per_customer': 2})
    holds = [ask('hold', show, customer='c', items=places('floor', 1)) for _time in range(2)]
    assert limited(ask('hold', show, customer='c', items=places('floor', 1)), 'open hold')
    assert verdict(ask('book', show, customer='c', items=places('floor', 1))) == ('confirmed', None)
    ask('confirm', show, customer='c', booking=holds[0]['booking'])
    assert verdict(ask('hold', show, customer='c', items=places('floor', 1))) == ('held', None)


def test_units_over_a_group_of_pools(ask, event):
    show = event(limits={'groups': [{'pools': ['floor', 'gallery'], 'limit': 3}, {'pools': ['programme'], 'limit': 1}]})
    assert verdict(ask('book', show, customer='c', items=[*places('floor', 2), *pieces('programme', 1)]))[1] is None
    assert limited(ask('book', show, customer='c', items=places('gallery', 2)),
                   'at most 3 units of "floor" and the pools of its group together per customer')
    assert limited(ask('book', show, customer='c', items=pieces('programme', 1)), 'at most 1 unit of "programme" per customer')
    assert verdict(ask('book', show, customer='c', items=places('gallery', 1))) == ('confirmed', None)
    assert verdict(ask('book', show, customer='d', items=[*places('floor', 3), *pieces('programme', 1)]))[1] is None


def test_a_transfer_is_judged_by_what_the_new_customer_has(ask, event):
    show = event(limits={'units_per_customer': 3, 'holds_per_customer': 1})
    sold, held = (ask(op, show, customer='giver', items=places('floor', count)) for op, count in (('book', 2), ('hold', 1)))
    ask('book', show, customer='full', items=places('floor', 2))
    ask('hold', show, customer='holding', items=places('floor', 1))
    for booking, to, fine in ((sold, 'full', False), (held, 'holding', False), (held, 'full', True),
                              (sold, 'holding', True)):
        answer = ask('transfer', show, customer='giver', booking=booking['booking'], to_customer=to)
        assert verdict(answer) == ('transferred', None) if fine else limited(answer)
    # Who gave has nothing now.
    assert verdict(ask('hold', show, customer='giver', items=places('floor', 3))) == ('held', None)


def test_limits_replace_all_limits(ask, event):
    show = event(limits={'units_per_request': 4, 'units_per_customer': 4})
    ask('define', show, limits={'units_per_request': 6})
    assert verdict(ask('book', show, customer='c', items=places('floor', 6))) == ('confirmed', None)
    ask('define', show, name='only the name')
    assert limited(ask('book', show, customer='d', items=places('floor', 7)))
    ask('define', show, limits={})
    assert verdict(ask('book', show, customer='c', items=places('floor', 20))) == ('confirmed', None)


def test_who_is_stopped_by_a_hold_of_their_own_is_told_which(make_realm):
    """From memory, and by a worker that knows it of the database alone."""
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **{**EVENT, 'sections': [{'section': 'stalls', 'rows': [{'row': 'A', 'seats': 3}]},
                                                        {'section': 'floor', 'capacity': 2}]},
              limits={'units_per_customer': 9, 'groups': [{'pools': ['programme'], 'limit': 1}]})
    wanted = (seats('A-1'), places('floor', 2), pieces('programme', 1))
    own = [realm.ask('hold', 'show', customer='c', items=items)['booking'] for items in wanted]
    for _memory in range(2):
        answers = [realm.ask('book', 'show', customer='c', items=items) for items in wanted]
        assert [answer['reason'] for answer in answers] == ['unit_taken', 'not_enough', 'limit_exceeded']
        assert [answer['own_hold'] for answer in answers] == own
        assert 'own_hold' not in realm.ask('book', 'show', customer='d', items=seats('A-1'))
        realm.workers[0].kill()
        realm.worker()
    realm.check()


def test_limits_that_come_later_count_what_is_already_there(make_realm):
    """What customers have was not counted while nothing limited it; from memory, and from the database alone."""
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **EVENT)
    realm.ask('hold', 'show', customer='c', items=places('floor', 3))
    realm.ask('book', 'show', customer='c', items=places('floor', 2))
    realm.ask('block', 'show', items=places('floor', 2))
    realm.ask('define', 'show', limits={'units_per_customer': 6, 'holds_per_customer': 1})
    assert limited(realm.ask('book', 'show', customer='c', items=places('floor', 2)))
    assert limited(realm.ask('hold', 'show', customer='c', items=places('floor', 1)), 'open hold')
    realm.workers[0].kill()
    realm.worker()
    assert limited(realm.ask('book', 'show', customer='c', items=places('floor', 2)))
    assert verdict(realm.ask('book', 'show', customer='c', items=places('floor', 1))) == ('confirmed', None)
    assert limited(realm.ask('book', 'show', customer='c', items=places('floor', 1)))
    realm.check()


@pytest.mark.parametrize('limits', [{'units_per_customer': 0}, {'units_min': 'two'}, {'holds_per_customer': -1},
                                    {'groups': [{'pools': ['floor']}]}, {'groups': [{'limit': 3}]}])
def test_limits_that_are_none(ask, name, limits):
    assert verdict(ask('define', name(), **EVENT, limits=limits)) == ('invalid', 'malformed')


def test_limits_name_pools_that_there_are(ask, event):
    show = event()
    answer = ask('define', show, limits={'groups': [{'pools': ['floor', 'pit'], 'limit': 3}]})
    assert verdict(answer) == ('refused', 'bad_chart') and 'pit' in answer['detail']
    # One that went is remembered.
    ask('define', show, sections=[{'section': 'gallery', 'capacity': 0}])
    answer = ask('define', show, limits={'groups': [{'pools': ['floor', 'gallery'], 'limit': 3}]})
    assert verdict(answer) == ('defined', None)


# ---- quotas ----------------------------------------------------------------------------------------------------------
def test_a_quota_is_over_several_pools(world, event):
    show = event(quotas=[{'quota': 'hall', 'pools': ['floor', 'gallery'], 'limit': 10}])
    world.ask('hold', show, customer='c', items=places('floor', 6))
    world.ask('book', show, customer='d', items=[*places('gallery', 1), *pieces('programme', 9)])
    refused = world.ask('book', show, customer='e', items=[*pieces('programme', 9), *places('gallery', 4)])
    assert verdict(refused) == ('refused', 'not_enough') and shortfalls(refused) == {1: ('not_enough', 3, None)}
    refused = world.ask('book', show, customer='e', items=[*places('floor', 2), *places('gallery', 2)])
    assert shortfalls(refused) == {1: ('not_enough', 1, None)}
    partial = world.ask('book', show, customer='e', items=places('floor', 9), shortage='partial')
    assert partial['units'][0]['quantity'] == 3
    # Of what nobody has, as much is free as the quota leaves: here nothing but programmes.
    check_counts(world, show, 40 - 9, held=6, sold=13, kept_back=40 - 9 + 40 - 1)


def test_everybody_shows_what_the_quotas_leave(world, name):
    """A pool's free units are those that can be sold of it; a resource's those that all pools can sell together."""
    show, fire = name(), [{'quota': 'fire', 'pools': ['a', 'b'], 'limit': 120}]
    sections = [{'section': section, 'capacity': 100, 'price': 1} for section in 'abc']
    assert world.ask('define', show, state='open', sections=sections, quotas=fire)['free'] == 120 + 100
    sold = world.ask('book', show, customer='c', items=places('a', 90))
    assert sold['free'] == 10 + 20 + 100  # not a's 10, b's 30 and c's 100

    def shown(rev):
        probe = world.ask('probe', show)
        fields, _seats, pools = world.await_shown(show, rev)
        assert {pool['section']: pool['free'] for pool in probe['pools']} \
            == dict(world.sql('select pool, free from usher.availability where resource = %s', show, role='reader')) \
            == {pool: int(line.split('/')[0]) for pool, line in pools.items()}
        assert probe['free'] == int(fields['free'])
        return [pool['free'] for pool in probe['pools']], probe['free']

    assert shown(sold['rev']) == ([10, 30, 100], 130)
    sold = world.ask('book', show, customer='c', items=places('b', 30))
    assert shown(sold['rev']) == ([0, 0, 100], 100)
    world.command('reconcile')


def test_what_rooms_leave_is_shown_night_by_night(world, name):
    hotel = name('hotel')
    world.ask('define', hotel, **HOTEL, quotas=[{'quota': 'keys', 'pools': ['double', 'single', 'breakfast'], 'limit': 3},
                                                {'quota': 'twos', 'pools': ['double'], 'limit': 2}],
              products=[{'product': 'breakfast', 'capacity': 9, 'price': 5}])
    sold = world.ask('book', hotel, customer='g', items=stay('double', '2026-12-20', '2026-12-22'))
    fields, _seats, pools = world.await_shown(hotel, sold['rev'])
    listed = {f'{pool}/{night}' if night else pool: free for pool, night, free in world.sql(
        'select pool, night::text, free from usher.availability where resource = %s', hotel, role='reader')}
    assert listed == {pool: int(line.split('/')[0]) for pool, line in pools.items()}
    probe = {pool.get('room', pool.get('product')): pool for pool in world.ask('probe', hotel)['pools']}
    nights = {pool: [free for key, free in sorted(listed.items()) if key.startswith(pool + '/')] for pool in ('double', 'single')}
    assert nights == {pool: probe[pool]['free'] for pool in nights}
    assert listed['double/2026-12-20'] == 1 and listed['breakfast'] == probe['breakfast']['free'] == 2
    assert int(fields['free']) == sold['free']
    world.command('reconcile')


def test_what_goes_back_can_be_had_again_under_a_quota(ask, event):
    show = event(quotas=[{'quota': 'hall', 'pools': ['floor', 'gallery'], 'limit': 4}])
    held = ask('hold', show, customer='c', items=places('floor', 4))
    assert verdict(ask('book', show, customer='d', items=places('gallery', 1))) == ('refused', 'not_enough')
    # Of an exchange, what it has counts as free.
    moved = ask('exchange', show, customer='c', booking=held['booking'], items=places('gallery', 4))
    assert verdict(moved) == ('exchanged', None)
    more = ask('exchange', show, customer='c', booking=held['booking'], items=places('gallery', 5))
    assert verdict(more) == ('refused', 'not_enough')
    ask('release', show, customer='c', booking=held['booking'])
    assert verdict(ask('book', show, customer='d', items=places('gallery', 4))) == ('confirmed', None)


def test_a_quota_on_room_types_counts_each_night(ask, name):
    hotel = name('hotel')
    ask('define', hotel, **HOTEL, quotas=[{'quota': 'keys', 'pools': ['double', 'single'], 'limit': 3}])
    ask('book', hotel, customer='g', items=[*stay('double', '2026-12-20', '2026-12-22', 2),
                                            *stay('single', '2026-12-21', '2026-12-23')])
    refused = ask('book', hotel, customer='h', items=stay('single', '2026-12-20', '2026-12-23'))
    assert verdict(refused) == ('refused', 'not_enough') and shortfalls(refused) == {0: ('not_enough', 0, ['2026-12-21'])}
    assert verdict(ask('book', hotel, customer='h', items=stay('single', '2026-12-20', '2026-12-21')))[1] is None
    assert verdict(ask('book', hotel, customer='h', items=stay('double', '2026-12-22', '2026-12-24', 2)))[1] is None
    assert verdict(ask('book', hotel, customer='h', items=stay('double', '2026-12-22', '2026-12-23')))[1] == 'not_enough'


def test_seats_that_are_chosen_and_named_count_under_a_quota(ask, hall):
    ask('define', hall, quotas=[{'quota': 'house', 'pools': ['stalls', 'balcony'], 'limit': 3}])
    assert verdict(ask('book', hall, customer='c', items=seats('A-1', 'BA-11')))[1] is None
    for items in (seats('A-2', 'BA-12'), places('stalls', 2), places('balcony', 2)):
        assert verdict(ask('book', hall, customer='d', items=items)) == ('refused', 'not_enough')
    assert verdict(ask('book', hall, customer='d', items=seats('A-2')))[1] is None


def test_quotas_merge_by_name(ask, event):
    show = event(quotas=[{'quota': 'a', 'pools': ['floor'], 'limit': 2}, {'quota': 'b', 'pools': ['gallery'], 'limit': 2}])
    # One is given another limit, one other pools; one that is not named stays.
    ask('define', show, quotas=[{'quota': 'a', 'pools': ['floor'], 'limit': 5}])
    assert verdict(ask('book', show, customer='c', items=[*places('floor', 5), *places('gallery', 2)]))[1] is None
    ask('define', show, quotas=[{'quota': 'b', 'pools': ['programme']}])
    assert verdict(ask('book', show, customer='c', items=[*places('gallery', 9), *pieces('programme', 2)]))[1] is None
    assert verdict(ask('book', show, customer='c', items=pieces('programme', 1)))[1] == 'not_enough'
    # Without pools it goes.
    ask('define', show, quotas=[{'quota': 'b', 'pools': []}])
    assert verdict(ask('book', show, customer='c', items=pieces('programme', 9)))[1] is None
    assert verdict(ask('book', show, customer='c', items=places('floor', 1)))[1] == 'not_enough'


def test_a_quota_below_what_is_sold_gives_nothing_more(ask, event):
    show = event()
    sold = ask('book', show, customer='c', items=places('floor', 5))
    assert verdict(ask('define', show, quotas=[{'quota': 'a', 'pools': ['floor'], 'limit': 3}])) == ('defined', None)
    refused = ask('book', show, customer='d', items=places('floor', 1))
    assert shortfalls(refused) == {0: ('not_enough', 0, None)}
    smaller = ask('exchange', show, customer='c', booking=sold['booking'], items=places('floor', 3))
    assert verdict(smaller) == ('exchanged', None)


def test_a_new_quota_has_a_limit_and_pools_that_there_are(ask, event):
    show = event()
    answer = ask('define', show, quotas=[{'quota': 'a', 'pools': ['floor']}])
    assert answer['outcome'] in ('invalid', 'refused') and answer['reason'] in ('malformed', 'bad_chart')
    answer = ask('define', show, quotas=[{'quota': 'a', 'pools': ['pit'], 'limit': 3}])
    assert verdict(answer) == ('refused', 'bad_chart') and 'pit' in answer['detail']
    assert verdict(ask('book', show, customer='c', items=places('floor', 9))) == ('confirmed', None)


def test_quotas_and_limits_survive_a_takeover(make_realm):
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **EVENT, limits={'units_per_customer': 3},
              quotas=[{'quota': 'a', 'pools': ['floor'], 'limit': 5}])
    realm.ask('book', 'show', customer='c', items=places('floor', 2))
    realm.workers[0].kill()
    realm.worker()
    assert limited(realm.ask('hold', 'show', customer='c', items=places('floor', 2)))
    assert verdict(realm.ask('hold', 'show', customer='d', items=places('floor', 3))) == ('held', None)
    assert verdict(realm.ask('hold', 'show', customer='e', items=places('floor', 1))) == ('refused', 'not_enough')
    assert realm.sql('select terms from usher.resource')[0][0] == (
        '{"limits":{"units_per_customer":3},"quotas":[{"quota":"a","pools":["floor"],"limit":5}]}')
    realm.check()


# ---- the price of all ------------------------------------------------------------------------------------------------
def test_sales_beyond_what_can_be_counted_are_refused_where_they_are_decided(ask, name):
    """The highest price, millions of pieces, thousands of sales: no epoch is lost, and no sum leaves what JavaScript counts exactly."""
    shop, most = name('shop'), 10**12
    defined = ask('define', shop, state='open', currency='EUR', products=[
        {'product': word, 'capacity': 10_000_000, 'price': most} for word in ('gold', 'platinum')])
    sold = [ask('book', shop, customer=f'c{at}', items=pieces('gold', 4000)) for at in range(2)]
    held = ask('hold', shop, customer='h', items=pieces('platinum', 1007))
    assert held['total'] == 1007 * most
    for at in range(200):
        answer = ask(('hold', 'book')[at % 2], shop, customer=f'd{at}', items=pieces('platinum', 1 + 20 * at))
        assert limited(answer, '9007199254740991') and answer['epoch'] == defined['epoch']
    assert limited(ask('exchange', shop, customer='h', booking=held['booking'], items=pieces('gold', 1008)), '9007199254740991')
    assert verdict(ask('confirm', shop, customer='h', booking=held['booking'])) == ('confirmed', None)
    back = ask('cancel', shop, customer='c0', booking=sold[0]['booking'])
    assert verdict(back) == ('cancelled', None)
    again = ask('hold', shop, customer='e', items=pieces('gold', 4000))
    assert verdict(again) == ('held', None) and again['epoch'] == defined['epoch']
