"""What is on sale: define, open, close, and probe, each with its outcomes."""

import datetime
import json

import pytest

from harness.shows import HALL, HALL_UNITS, pieces, places, seats, shortfalls, standing, stay, verdict

pytestmark = pytest.mark.smoke

DEFINE_SIZE_MAX = 1_000_000 # bytes


# ---- define, open, close -------------------------------------------------------------------------------------
def test_define_creates_a_draft(world, name):
    show = name()
    answer = world.ask('define', show, sections=HALL['sections'], client='office')
    assert verdict(answer) == ('defined', None)
    assert answer['free'] == HALL_UNITS - 3 and answer['rev'] == answer['seq'] and answer['client'] == 'office'
    assert answer['chart'].startswith('sha256:') and len(answer['chart']) == 71
    assert verdict(world.ask('hold', show, customer='c', items=places('standing', 1))) == ('refused', 'not_on_sale')


def test_equal_layouts_are_one_chart(ask, name):
    one, other = (ask('define', name(), sections=HALL['sections']) for _time in range(2))
    assert one['chart'] == other['chart']
    third = ask('define', name(), sections=[{'section': 'stalls', 'rows': [{'row': 'A', 'seats': 5}]}])
    assert third['chart'] != one['chart']


def test_as_many_rows_as_a_define_may_have(world, name):
    """Each is read once where their names are written down: a time that grew with their square was more than a
    statement may take."""
    show, least = name(), len(json.dumps([{'row': '10000', 'seats': 1}]))
    rows = [{'row': str(10_000 + number), 'seats': 1} for number in range((DEFINE_SIZE_MAX - 500) // least)]
    answer = world.ask('define', show, state='open', sections=[{'section': 'stalls', 'rows': rows}])
    assert verdict(answer) == ('defined', None) and answer['free'] == len(rows)
    last = rows[-1]['row'] + '-1'
    assert verdict(world.ask('book', show, customer='c', items=seats(last))) == ('confirmed', None)
    shown = json.loads(world.command('show', show, '--json'))
    assert [one['row'] for one in shown['hall']] == [one['row'] for one in rows]
    assert [one['states'] for one in shown['hall']].index('s') == len(rows) - 1


def test_define_merges(ask, hall):
    answer = ask('define', hall, sections=[{'section': 'standing', 'capacity': 12}],
                 products=[{'product': 'poster', 'capacity': 4, 'price': 900}])
    assert verdict(answer) == ('defined', None)
    assert answer['free'] == HALL_UNITS + 2 + 4
    pools = {pool.get('section') or pool['product']: pool for pool in ask('probe', hall)['pools']}
    assert list(pools) == ['stalls', 'balcony', 'standing', 'programme', 'poster']
    assert pools['standing']['rates'] == {'standard': 2000} and pools['standing']['total'] == 12


def test_define_removes_with_capacity_0(ask, hall):
    answer = ask('define', hall, products=[{'product': 'programme', 'capacity': 0}])
    assert answer['free'] == HALL_UNITS - 3
    refused = ask('book', hall, customer='c', items=pieces('programme', 1))
    assert verdict(refused) == ('refused', 'unknown_pool')
    assert all('product' not in pool for pool in ask('probe', hall)['pools'])


def test_define_replaces_the_rows_of_a_section(ask, hall):
    answer = ask('define', hall, sections=[{'section': 'balcony', 'rows': [{'row': 'BA', 'seats': 2},
                                                                          {'row': 'BB', 'seats': 2}]}])
    assert answer['free'] == HALL_UNITS - 1
    assert verdict(ask('book', hall, customer='c', items=seats('BB-2', 'BA-1'))) == ('confirmed', None)
    assert verdict(ask('book', hall, customer='c', items=seats('BA-11'))) == ('refused', 'unknown_seat')


@pytest.mark.parametrize('change', [
    {'sections': [{'section': 'stalls', 'rows': [{'row': 'A', 'seats': 3}]}]},
    {'sections': [{'section': 'stalls', 'capacity': 18}]},
    {'sections': [{'section': 'stalls', 'capacity': 0}]},
    {'sections': [{'section': 'standing', 'capacity': 1}]},
    {'sections': [{'section': 'standing', 'rows': [{'row': 'S', 'seats': 10}]}]},
    {'products': [{'product': 'programme', 'capacity': 0}]},
    {'currency': 'JPY'}],
    ids=['fewer rows', 'rows by capacity', 'rows gone', 'capacity too low', 'capacity by rows', 'removed', 'other money'])
def test_define_refuses_what_is_in_use(ask, hall, change):
    taken = ask('hold', hall, customer='c', items=[*seats('B-1'), *places('standing', 2), *pieces('programme', 1)])
    answer = ask('define', hall, **change)
    assert verdict(answer) == ('refused', 'in_use') and answer['retryable']
    assert (answer['rev'], answer['free']) == (taken['rev'], taken['free'])


def test_define_leaves_what_is_taken_alone(ask, hall):
    ask('hold', hall, customer='c', items=[*seats('B-1'), *places('standing', 2)])
    answer = ask('define', hall, sections=[HALL['sections'][0], {'section': 'standing', 'capacity': 2}])
    assert verdict(answer) == ('defined', None)
    assert answer['free'] == HALL_UNITS - 8 - 3


def test_define_refuses_a_seat_name_twice(ask, hall):
    answer = ask('define', hall, sections=[{'section': 'side', 'rows': [{'row': 'B', 'seats': 1, 'first': 6}]}])
    assert verdict(answer) == ('refused', 'bad_chart') and 'B-6' in answer['detail']
    answer = ask('define', hall, sections=[{'section': 'side', 'rows': [{'row': 'B', 'seats': 1, 'first': 7}]}])
    assert verdict(answer) == ('defined', None)


def test_define_refuses_one_name_for_two_kinds(ask, hall):
    answer = ask('define', hall, products=[{'product': 'stalls', 'capacity': 1}])
    assert verdict(answer) == ('refused', 'bad_chart') and 'stalls' in answer['detail']


def test_define_of_more_pools_than_allowed(ask, name):
    rooms = [{'room': f'r{number}', 'from': '2026-01-01', 'to': '2036-01-01', 'capacity': 1} for number in range(18)]
    answer = ask('define', name('hotel'), rooms=rooms)
    assert verdict(answer) == ('refused', 'limit_exceeded')


def test_pools_that_were_removed_do_not_count(realm):
    """Their rows stay, for bookings of the past; also a worker that loads them lets others take their place."""
    def nights(room, capacity):
        return realm.ask('define', 'hotel', state='open', rooms=[
            {'room': room, 'from': '2030-01-01', 'to': '2120-01-01', 'capacity': capacity}])
    assert nights('double', 1)['free'] == 32871
    night = {'room': 'double', 'from': '2031-01-01', 'to': '2031-01-02', 'quantity': 1}
    booked = realm.ask('book', 'hotel', customer='c', items=[night])
    assert verdict(nights('twin', 1)) == ('refused', 'limit_exceeded')
    assert verdict(nights('double', 0)) == ('refused', 'in_use')
    realm.ask('cancel', 'hotel', customer='c', booking=booked['booking'])
    assert nights('double', 0)['free'] == 0
    assert realm.workers[-1].stop() == 0
    realm.worker()
    assert nights('twin', 1)['free'] == 32871
    assert verdict(nights('double', 1)) == ('refused', 'limit_exceeded')
    assert realm.sql('select count(*), count(*) filter (where capacity > 0) from usher.pool') == [(65742, 32871)]


def test_open_and_close(ask, name):
    show = name()
    first = ask('define', show, **standing(5, state='draft'))
    opened = ask('open', show)
    assert verdict(opened) == ('defined', None) and opened['rev'] > first['rev']
    assert ask('open', show)['rev'] == opened['rev']
    held = ask('hold', show, customer='c', items=places('floor', 2))
    closed = ask('close', show)
    assert closed['rev'] > held['rev'] and closed['free'] == 3
    for op in ('hold', 'book'):
        refused = ask(op, show, customer='c', items=places('floor', 1))
        assert verdict(refused) == ('refused', 'not_on_sale') and refused['retryable']
    assert verdict(ask('confirm', show, customer='c', booking=held['booking'])) == ('confirmed', None)
    assert verdict(ask('cancel', show, customer='c', booking=held['booking'])) == ('cancelled', None)


# ---- probe ---------------------------------------------------------------------------------------------------
def test_probe_of_everything(ask, hall):
    ask('hold', hall, customer='c', items=places('stalls', 2))
    ask('book', hall, customer='c', items=[*places('stalls', 3), *pieces('programme', 1)])
    answer = ask('probe', hall)
    assert verdict(answer) == ('alive', None)
    assert answer['pools'][0] == {'section': 'stalls', 'free': 13, 'held': 2, 'sold': 3, 'blocked': 0, 'total': 18,
                                  'rates': {'standard': 4500}}
    assert answer['pools'][3] == {'product': 'programme', 'free': 2, 'held': 0, 'sold': 1, 'blocked': 0, 'total': 3,
                                  'rates': {'standard': 500}}


def test_probe_of_rooms(ask, hotel):
    ask('book', hotel, customer='g', items=stay('double', '2026-12-22', '2026-12-24', 2))
    double, single = ask('probe', hotel)['pools']
    assert double == {'room': 'double', 'from': '2026-12-20', 'free': [3, 3, 1, 1, 3, 3, 3, 3, 3, 3], 'total': [3] * 10,
                      'price': [12900] * 4 + [18900] * 3 + [12900] * 3}
    assert single['total'] == [2] * 5
    chosen = ask('probe', hotel, items=[{'room': 'single', 'from': '2026-12-24', 'to': '2026-12-27', 'quantity': 1}])
    assert chosen['pools'] == [{'room': 'single', 'from': '2026-12-24', 'free': [2, None, None],
                                'total': [2, None, None], 'price': [8000, None, None]}]


def test_probe_of_what_is_not_there(ask, hall):
    answer = ask('probe', hall, items=[*places('standing', 1), *places('pit', 1)])
    assert verdict(answer) == ('refused', 'unknown_pool') and list(shortfalls(answer)) == [1]


def test_probe_changes_nothing(ask, hall):
    before = ask('probe', hall)
    assert ask('probe', hall)['rev'] == before['rev'] and before['free'] == HALL_UNITS


def test_a_long_probe_comes_in_pages(ask, name):
    hotel, nights, types = name('hotel'), 3652, 15
    rooms = [{'room': f'room-type-{number}', 'from': '2026-01-01', 'to': '2036-01-01', 'capacity': 365,
              'price': 1_000_000} for number in range(types)]
    assert verdict(ask('define', hotel, state='open', rooms=rooms)) == ('defined', None)
    page = ask('probe', hotel)
    last = page['pools'][-1]
    assert 5 * nights < sum(len(pool['free']) for pool in page['pools']) < types * nights
    assert len(json.dumps(page, separators=(',', ':'))) < 410_000
    # It goes on where this page ended: within the last room type, or at the next one.
    room, _slash, night = page['next'].partition('/')
    ended = datetime.date.fromisoformat(last['from']) + datetime.timedelta(days=len(last['free']))
    if room == last['room']:
        assert night == ended.isoformat()
    else:
        assert len(last['free']) == nights and night in ('', '2026-01-01')
        assert int(room.rsplit('-', 1)[1]) == int(last['room'].rsplit('-', 1)[1]) + 1
