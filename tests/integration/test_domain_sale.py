"""How it is sold: prices by rate, sale times, what becomes of a request of which not all can be had, and more than there
is."""

import re

import pytest

from harness.counts import check_counts, seats_of
from harness.moments import past, soon
from harness.producer import producer
from harness.shows import HALL, HALL_UNITS, pieces, places, seats, shortfalls, standing, stay, verdict


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


def test_without_a_rate_it_is_standard_or_the_first_listed(ask, name):
    first, standard, one = name(), name(), name()
    ask('define', first, **by_rates({'senior': 3000, 'adult': 4500}))
    ask('define', standard, **by_rates({'senior': 3000, 'standard': 4500}))
    ask('define', one, **standing(5))
    assert (cost(ask, first), cost(ask, standard), cost(ask, one)) == (
        ('senior', 3000), ('standard', 4500), (None, 1000))


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


def test_a_price_and_rates_at_once_are_malformed(ask, name):
    answer = ask('define', name(), sections=[{'section': 'f', 'capacity': 1, 'price': 1, 'rates': {'adult': 1}}])
    assert verdict(answer) == ('invalid', 'malformed')


def test_what_was_sold_keeps_its_rate_and_price(ask, name):
    show = name()
    ask('define', show, **by_rates({'adult': 4500, 'child': 2500}))
    held = ask('hold', show, customer='c', items=[*places('floor', 1, rate='child'), *places('floor', 2, rate='adult')])
    ask('define', show, sections=[{'section': 'floor', 'rates': {'adult': 5000, 'child': 3000}}])
    # Kept where the rate is the same, today's price by another one.
    answer = ask('exchange', show, customer='c', booking=held['booking'],
                 items=[*places('floor', 1, rate='child'), *places('floor', 1, rate='adult')])
    assert sorted((group['rate'], group['price']) for group in answer['units']) == [('adult', 4500), ('child', 2500)]
    answer = ask('exchange', show, customer='c', booking=held['booking'], items=places('floor', 2, rate='child'))
    assert sorted((group['quantity'], group['price']) for group in answer['units']) == [(1, 2500), (1, 3000)]


def test_rates_of_seats_nights_and_products(ask, name):
    one = name('mixed')
    rates = {'adult': 4500, 'child': 2500}
    ask('define', one, state='open', sections=[{'section': 'stalls', 'rows': [{'row': 'A', 'seats': 6}], 'rates': rates}],
        products=[{'product': 'programme', 'capacity': 5, 'rates': {'member': 100, 'guest': 300}}],
        rooms=[{'room': 'double', 'from': '2026-12-20', 'to': '2026-12-23', 'capacity': 3, 'rates': rates},
               {'room': 'double', 'from': '2026-12-21', 'to': '2026-12-22', 'rates': {'adult': 9000, 'late': 1}}])
    answer = ask('book', one, customer='c', items=[
        *seats('A-1', rate='child'), *places('stalls', 2, rate='adult'), *pieces('programme', 1, rate='guest'),
        *stay('double', '2026-12-20', '2026-12-23', rate='adult')])
    assert [(group['item'], group['rate'], group['price']) for group in answer['units']] == [
        (0, 'child', 2500), (1, 'adult', 4500), (2, 'guest', 300), (3, 'adult', 4500), (3, 'adult', 9000),
        (3, 'adult', 4500)]
    # A rate that one of the nights has not is none.
    for rate in ('child', 'late'):
        refused = ask('book', one, customer='c', items=stay('double', '2026-12-20', '2026-12-23', rate=rate))
        assert verdict(refused) == ('refused', 'unknown_rate')
    room = next(pool for pool in ask('probe', one)['pools'] if 'room' in pool)
    assert room['rates'] == {'adult': [4500, 9000, 4500], 'child': [2500, None, 2500], 'late': [None, 1, None]}
    assert room['price'] == [4500, 9000, 4500]


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
def test_it_is_sold_while_it_is_open_only(ask, name):
    show = name()
    ask('define', show, **{**HALL, 'state': 'draft'})

    def tried():
        return [verdict(ask(op, show, customer='c', items=places('standing', 1)))[1] for op in ('hold', 'book')]
    assert tried() == ['not_on_sale'] * 2
    ask('open', show)
    assert tried() == [None] * 2
    ask('close', show)
    assert tried() == ['not_on_sale'] * 2


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


def test_a_hold_is_a_promise(ask, name):
    """Whatever is changed after it, its confirm in time is not asked anything again."""
    show = name()
    ask('define', show, **standing(9))
    held = ask('hold', show, customer='c', items=places('floor', 2))
    changed = ask('define', show, ends_at='2020-01-01T22:00:00Z', limits={'units_per_customer': 1},
                  sections=[{'section': 'floor', 'price': 9999}])
    assert [verdict(answer) for answer in (changed, ask('close', show))] == [('defined', None)] * 2
    sold = ask('confirm', show, customer='c', booking=held['booking'])
    assert verdict(sold) == ('confirmed', None) and sold['total'] == held['total']


def test_sale_times_can_be_changed(ask, name):
    show = name()
    ask('define', show, **standing(9), opens_at='2099-01-01T00:00:00Z')
    assert verdict(ask('book', show, customer='c', items=places('floor', 1))) == ('refused', 'not_on_sale')
    ask('define', show, opens_at='2020-01-01T00:00:00Z', closes_at='2099-01-01T00:00:00Z')
    assert verdict(ask('book', show, customer='c', items=places('floor', 1))) == ('confirmed', None)


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


@pytest.mark.parametrize('fields', [{'timezone': 'Europe/Londn'}, {'currency': 'XYZ'}], ids=['timezone', 'currency'])
def test_time_zones_and_currencies_are_known_ones(ask, name, fields):
    answer = ask('define', name(), **fields)
    assert verdict(answer) == ('invalid', 'malformed') and next(iter(fields.values())) in answer['detail']


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


# ---- shortage: as many as possible -----------------------------------------------------------------------------------
@pytest.mark.parametrize('op, outcome', [('hold', 'held'), ('book', 'confirmed')])
def test_as_many_as_there_are(world, hall, op, outcome):
    world.ask('book', hall, customer='d', items=[*seats('A-2'), *places('standing', 8), *pieces('programme', 3)])
    answer = world.ask(op, hall, customer='c', shortage='partial', items=[
        *seats('A-1', 'A-2', 'A-3'), *places('standing', 5), *pieces('programme', 2), *places('balcony', 2)])
    assert verdict(answer) == (outcome, None) and answer['total'] == 2 * 4500 + 2 * 2000 + 2 * 3000
    assert seats_of([answer['units'][0], answer['units'][2]])[:2] == ['A-1', 'A-3']
    assert answer['items'] == [{'item': 0, 'asked': 3, 'given': 2, 'reason': 'unit_taken', 'taken': ['A-2']},
                               {'item': 1, 'asked': 5, 'given': 2, 'reason': 'not_enough', 'free': 2},
                               {'item': 2, 'asked': 2, 'given': 0, 'reason': 'not_enough', 'free': 0}]
    assert {group['item'] for group in answer['units']} == {0, 1, 3}
    assert answer['free'] == HALL_UNITS - 12 - 6


def test_everything_there_is_nothing_more_to_say(ask, hall):
    answer = ask('hold', hall, customer='c', items=places('standing', 3), shortage='partial')
    assert verdict(answer) == ('held', None) and 'items' not in answer


def test_nothing_at_all_is_a_refusal(ask, hall):
    ask('book', hall, customer='d', items=[*seats('A-1'), *places('standing', 10)])
    for shortage in ('all', 'partial'):
        answer = ask('hold', hall, customer='c', items=[*seats('A-1'), *places('standing', 2)], shortage=shortage)
        assert verdict(answer) == ('refused', 'unit_taken')
        assert shortfalls(answer) == {0: ('unit_taken', None, ['A-1']), 1: ('not_enough', 0, None)}


def test_as_many_as_sit_together(ask, hall):
    """With `together`, the longest piece of a row."""
    ask('book', hall, customer='d', items=seats('C-4'))
    answer = ask('hold', hall, customer='c', items=places('stalls', 9, together=True), shortage='partial')
    assert seats_of(answer['units']) == [f'B-{number}' for number in range(1, 7)] and answer['together'] is True
    assert [(line['asked'], line['given']) for line in answer['items']] == [(9, 6)]


def test_as_many_rooms_as_there_are_every_night(ask, hotel):
    ask('book', hotel, customer='d', items=stay('double', '2026-12-22', '2026-12-23'))
    answer = ask('hold', hotel, customer='c', items=stay('double', '2026-12-21', '2026-12-24', 3), shortage='partial')
    assert [group['tokens'] for group in answer['units']] == [[0, 1], [1, 2], [0, 1]]
    line = answer['items'][0]
    assert (line['asked'], line['given'], line['reason'], line['taken']) == (3, 2, 'not_enough', ['2026-12-22'])


def test_what_is_not_there_falls_short_too(ask, hall):
    """As much as can be had, of that nothing; alone it is a refusal."""
    for items, reason in ((seats('Z-1'), 'unknown_seat'), (places('pit', 1), 'unknown_pool'),
                          (places('standing', 1, rate='child'), 'unknown_rate')):
        refused = ask('hold', hall, customer='c', items=items, shortage='partial')
        assert verdict(refused) == ('refused', reason)
        answer = ask('hold', hall, customer='c', items=[*items, *places('standing', 1)], shortage='partial')
        assert verdict(answer) == ('held', None) and [group['item'] for group in answer['units']] == [1]
        assert [(line['item'], line['given'], line['reason']) for line in answer['items']] == [(0, 0, reason)]


# ---- overbooking -----------------------------------------------------------------------------------------------------
def test_places_are_sold_beyond_those_there_are(world, name):
    show = name()
    world.ask('define', show, state='open', sections=[{'section': 'floor', 'capacity': 5, 'overbook': 2, 'price': 1000}],
              products=[{'product': 'p', 'capacity': 1, 'overbook': 1, 'price': 1}])
    pools = check_counts(world, show, 9)['pools']
    assert [(pool['total'], pool['overbook']) for pool in pools] == [(7, 2), (2, 1)]
    first = world.ask('book', show, customer='c', items=places('floor', 4))
    assert 'overbooked' not in first
    second = world.ask('book', show, customer='c', items=[*places('floor', 2), *pieces('p', 2)])
    assert second['overbooked'] == 1 + 1
    assert verdict(world.ask('book', show, customer='c', items=places('floor', 2))) == ('refused', 'not_enough')
    # Nobody has a certain place: whoever comes last has none, though others had none before.
    world.ask('cancel', show, customer='c', booking=first['booking'])
    third = world.ask('book', show, customer='c', items=places('floor', 3))
    assert 'overbooked' not in third
    fourth = world.ask('book', show, customer='c', items=places('floor', 1))
    assert fourth['overbooked'] == 1
    check_counts(world, show, 1, sold=8)


def test_the_part_that_is_sold_is_beyond_by_what_is_taken_then(world, name):
    show = name()
    world.ask('define', show, **standing(3), products=[{'product': 'p', 'capacity': 2, 'overbook': 3, 'price': 1}])
    early = world.ask('hold', show, customer='a', items=pieces('p', 1))
    held = world.ask('hold', show, customer='b', items=[*pieces('p', 2), *pieces('p', 2), *places('floor', 2)])
    assert 'overbooked' not in early and held['overbooked'] == 3
    sold = world.ask('confirm', show, customer='b', booking=held['booking'], items=pieces('p', 3))
    assert (sold['overbooked'], [group['quantity'] for group in sold['returned']]) == (2, [1, 2])
    late = world.ask('confirm', show, customer='a', booking=early['booking'])
    assert late['overbooked'] == 1
    check_counts(world, show, 4, sold=4)


def test_capacity_and_overbook_are_set_by_themselves(ask, name):
    show = name()
    ask('define', show, **standing(5))
    assert ask('define', show, sections=[{'section': 'floor', 'overbook': 3}])['free'] == 8
    assert ask('define', show, sections=[{'section': 'floor', 'capacity': 6}])['free'] == 9
    assert ask('define', show, sections=[{'section': 'floor', 'price': 7}])['free'] == 9
    ask('book', show, customer='c', items=places('floor', 8))
    refused = ask('define', show, sections=[{'section': 'floor', 'overbook': 1}])
    assert verdict(refused) == ('refused', 'in_use')
    assert ask('define', show, sections=[{'section': 'floor', 'overbook': 2}])['free'] == 0


def test_seats_in_rows_cannot_be_overbooked(ask, name):
    answer = ask('define', name(), sections=[{'section': 's', 'rows': [{'row': 'A', 'seats': 3}], 'overbook': 1}])
    assert verdict(answer) == ('refused', 'bad_chart') and 's' in answer['detail']


# ---- the numbers of units without rows -------------------------------------------------------------------------------
def test_capacity_goes_down_to_what_is_taken_whatever_its_numbers(ask, hotel):
    night = {'from': '2026-12-20', 'to': '2026-12-21'}

    def book():
        return ask('book', hotel, customer='g', items=stay('single', night['from'], night['to']))

    def capacity(count):
        return verdict(ask('define', hotel, rooms=[{'room': 'single', **night, 'capacity': count}]))
    low, high = book(), book()
    assert high['units'][0]['tokens'] == [1]
    ask('cancel', hotel, customer='g', booking=low['booking'])
    assert capacity(1) == ('defined', None)
    assert verdict(book()) == ('refused', 'not_enough')
    assert capacity(0) == ('refused', 'in_use')
    ask('cancel', hotel, customer='g', booking=high['booking'])
    assert book()['units'][0]['tokens'] == [0]
