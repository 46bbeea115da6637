"""What a resource is sold under: limits on one request and on one customer, and quotas on what all have together."""

import pytest

from harness.shows import HOTEL, pieces, places, seats, stay, verdict


EVENT = {'state': 'open', 'sections': [{'section': 'floor', 'capacity': 40, 'price': 1000},
                                       {'section': 'gallery', 'capacity': 40, 'price': 800}],
         'products': [{'product': 'programme', 'capacity': 40, 'price': 500}]}


def limited(answer, word=''):
    assert verdict(answer) == ('refused', 'limit_exceeded') and answer['retryable']
    assert word in answer['detail'], answer['detail']
    return True


# ---- limits on a customer --------------------------------------------------------------------------------------------
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


# ---- quotas ----------------------------------------------------------------------------------------------------------
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
