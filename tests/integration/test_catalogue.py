"""What is on sale: define, open, close, and probe, each with its outcomes."""

import datetime
import json

import pytest

from harness.shows import HALL, HALL_UNITS, pieces, places, seats, standing, verdict

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
