"""How it is sold: prices by rate, sale times, what becomes of a request of which not all can be had, and more than there
is."""

import re

import pytest

from harness.moments import past, soon
from harness.producer import producer
from harness.shows import places, shortfalls, standing, stay, verdict


# ---- rates -----------------------------------------------------------------------------------------------------------
def by_rates(rates, **more):
    return {'state': 'open', 'sections': [{'section': 'floor', 'capacity': 20, 'rates': rates}], **more}


def shown_rates(ask, show):
    return list(ask('probe', show)['pools'][0]['rates'].items())


def cost(ask, show, **more):
    """(rate, price) of one place."""
    answer = ask('book', show, customer='c', items=places('floor', 1, **more))
    return (answer['units'][0].get('rate'), answer['total']) if 'units' in answer else answer['reason']


def test_a_rate_has_its_price(ask, name):
    show = name()
    ask('define', show, **by_rates({'adult': 4500, 'child': 2500}))
    assert (cost(ask, show, rate='adult'), cost(ask, show, rate='child')) == (('adult', 4500), ('child', 2500))
    assert cost(ask, show, rate='standard') == 'unknown_rate'
    assert shown_rates(ask, show) == [('adult', 4500), ('child', 2500)]


def test_rates_replace_all_rates_and_the_price(ask, name):
    show = name()
    ask('define', show, **standing(20))
    ask('define', show, sections=[{'section': 'floor', 'rates': {'adult': 4500}}])
    assert (cost(ask, show), cost(ask, show, rate='standard')) == (('adult', 4500), 'unknown_rate')
    ask('define', show, sections=[{'section': 'floor', 'rates': {'child': 1, 'youth': 2}}])
    assert cost(ask, show, rate='adult') == 'unknown_rate' and shown_rates(ask, show) == [('child', 1), ('youth', 2)]


def test_a_price_sets_the_rate_standard(ask, name):
    show = name()
    ask('define', show, **by_rates({'adult': 4500, 'child': 2500}))
    ask('define', show, sections=[{'section': 'floor', 'price': 4000}])
    assert shown_rates(ask, show) == [('standard', 4000), ('adult', 4500), ('child', 2500)]
    assert cost(ask, show) == ('standard', 4000)
    ask('define', show, sections=[{'section': 'floor', 'price': 3900}])
    assert shown_rates(ask, show) == [('standard', 3900), ('adult', 4500), ('child', 2500)]


def test_rates_in_the_database(world, name):
    """The price of the default rate, and the rates in the order listed; none where there is but one price."""
    show = name()
    world.ask('define', show, **by_rates({'adult': 4500, 'child': 2500}),
              products=[{'product': 'p', 'capacity': 1, 'price': 7}])
    rows = world.sql('select p.name, p.price, p.rates from usher.pool p join usher.resource r on r.no = p.resource_no '
                     'where r.id = %s order by p.index', show)
    assert rows == [('floor', 4500, '[["adult",4500],["child",2500]]'), ('p', 7, None)]


RATES = {'flexible': 15900, 'early': 9900}


def season(room, rates, start='2027-01-01', end='2027-03-01'):
    return {'room': room, 'from': start, 'to': end, 'capacity': 3, 'rates': rates}


def test_who_pushes_all_prices_pays_for_what_changes(realm):
    """All of a hotel's rates, again and again, also to a worker that has to load them first: of its 118 nights only
    those are written that have others."""
    def nights():
        return dict(realm.sql("select name || '/' || night, (xmin::text, price, rates) from usher.pool"))

    def written(*rooms):
        before = nights()
        answer = realm.ask('define', 'hotel', rooms=[season('double', RATES), season('suite', RATES), *rooms])
        realm.await_shown('hotel', answer['rev'])
        after = nights()
        return {night for night in after if after[night] != before.get(night)}
    assert len(written()) == 118
    assert written() == set()
    other = season('suite', {'early': 8000, 'flexible': 16000}, '2027-01-31', '2027-02-01')
    assert written(other) == {'suite/2027-01-31'}
    assert realm.workers[-1].stop() == 0
    realm.worker()
    assert written(other) == set()
    assert written() == {'suite/2027-01-31'}
    assert written(season('double', {**RATES, 'early': 1})) == {night for night in nights() if night.startswith('double')}
    realm.ask('define', 'hotel', rooms=[{'room': room, 'from': '2027-01-01', 'to': '2027-03-01', 'price': 7}
                                        for room in ('double', 'suite')])
    assert set(realm.sql('select name, price, rates, count(*) from usher.pool group by 1, 2, 3')) == {
        ('double', 7, '[["standard",7],["flexible",15900],["early",1]]', 59),
        ('suite', 7, '[["standard",7],["flexible",15900],["early",9900]]', 59)}


# ---- sale times ------------------------------------------------------------------------------------------------------
def test_it_is_sold_from_opens_at_until_closes_at(world, name):
    show, opens, later = name(), soon(world, 3), '2099-01-01T00:00:00.000Z'
    request = world.client.request
    block = request('block', show, items=places('floor', 1))

    def tries():
        return [request('hold', show, customer='c', items=places('floor', 1)),
                request('book', show, customer='c', items=places('floor', 1), from_block=block['request_id'])]
    _defined, _blocked, *early, probe = world.ask_all(
        request('define', show, **standing(9), opens_at=opens, closes_at=later), block, *tries(), request('probe', show))
    assert [verdict(answer)[1] for answer in early] == ['not_on_sale'] * 2
    assert (probe['opens_at'], probe['closes_at'], probe['state']) == (opens, later, 'open')
    past(world, opens, 0.02)
    held = world.ask('hold', show, customer='c', items=places('floor', 1))
    assert verdict(held) == ('held', None)
    closes = soon(world, 1)
    world.ask('define', show, closes_at=closes)
    past(world, closes, 0.02)
    assert [verdict(answer)[1] for answer in world.ask_all(*tries())] == ['not_on_sale'] * 2
    # What is held can still be sold, changed and given back, but not become more.
    for quantity, expected in (2, ('refused', 'not_on_sale')), (1, ('exchanged', None)):
        moved = world.ask('exchange', show, customer='c', booking=held['booking'], items=places('floor', quantity))
        assert verdict(moved) == expected
    assert verdict(world.ask('confirm', show, customer='c', booking=held['booking'])) == ('confirmed', None)


def test_what_has_ended_is_sold_by_the_house_only(ask, name):
    show = name()
    ask('define', show, **standing(9), ends_at='2020-01-01T22:00:00Z')
    refused = ask('book', show, customer='c', items=places('floor', 1))
    assert verdict(refused) == ('refused', 'not_on_sale') and not refused['retryable']
    assert refused['detail'] == 'it ended at 2020-01-01T22:00:00.000Z' and refused['state'] == 'open'
    booked = ask('book', show, customer='c', items=places('floor', 1), force=True)
    assert verdict(booked) == ('confirmed', None)
    more = {'customer': 'c', 'booking': booked['booking'], 'items': places('floor', 2)}
    refused = ask('exchange', show, **more)
    assert verdict(refused) == ('refused', 'not_on_sale') and not refused['retryable'] and refused['state'] == 'open'
    assert verdict(ask('exchange', show, **more, force=True)) == ('exchanged', None)
    waits = ask('hold', show, customer='c', items=places('floor', 9), force=True, wait_until='2099-01-01T00:00:00Z')
    assert verdict(waits) == ('refused', 'not_enough')  # nobody would be served


@pytest.mark.parametrize('zone', ['Pacific/Kiritimati', 'Europe/Rome', 'America/New_York', 'Pacific/Pago_Pago'])
def test_nights_before_today_are_not_sold_where_the_place_is_known(world, name, zone):
    """Judged by PostgreSQL's own idea of the time zone; the replay has a third one."""
    hotel = name('hotel')
    (yesterday, today, tomorrow), = world.sql(
        "select (t - 1)::text, t::text, (t + 1)::text from (select (now() at time zone %s)::date) as x (t)", zone)
    rooms = [{'room': 'double', 'from': yesterday, 'to': tomorrow, 'capacity': 5, 'price': 1}]
    world.ask('define', hotel, state='open', rooms=rooms)
    stays = world.ask('book', hotel, customer='c', items=stay('double', yesterday, today))
    assert verdict(stays) == ('confirmed', None)
    world.ask('define', hotel, timezone=zone)
    refused = world.ask('book', hotel, customer='c', items=stay('double', yesterday, tomorrow))
    assert verdict(refused) == ('refused', 'not_on_sale') and shortfalls(refused) == {
        0: ('not_on_sale', None, [yesterday])}
    came = world.ask('book', hotel, customer='c', items=stay('double', today, tomorrow))
    assert verdict(came) == ('confirmed', None)
    longer = {'customer': 'c', 'items': stay('double', yesterday, tomorrow)}
    assert verdict(world.ask('exchange', hotel, booking=stays['booking'], **longer)) == ('exchanged', None)
    assert verdict(world.ask('exchange', hotel, booking=came['booking'], **longer)) == ('refused', 'not_on_sale')
    forced = world.ask('hold', hotel, customer='c', items=stay('double', yesterday, today), force=True)
    assert verdict(forced) == ('held', None)


def test_people_read_why(world, name):
    show = name()

    def said(*arguments):
        done = producer(world, *arguments)
        return done.returncode, done.stdout
    code, text = said('define', show, '--section', 'stalls:price=1,rows=A:4', '--section', 'floor:price=1,capacity=9')
    assert code == 0 and '\n  draft: nothing is sold before open\n' in text
    buy = ['hold', show, '--customer', 'c']
    code, text = said(*buy, '--section', 'stalls')
    assert code == 3 and '\n  draft: nothing is sold before open\n' in text
    world.ask('open', show)
    for arguments, line in ((['--section', 'stals'], 'got 0: unknown_pool (stals); there are: stalls, floor'),
                            (['--section', 'stalls', '--rate', 'child'], 'got 0: unknown_rate (child); there are: standard'),
                            (['--section', 'stalls', '--features', 'ramp'], 'got 0: unknown_feature (ramp)'),
                            (['--section', 'stalls', '--quantity', '6'], 'got 0: not_enough, there were 4')):
        code, text = said(*buy, *arguments)
        assert code == 3 and re.search(re.escape(line) + '$', text, re.MULTILINE), text
