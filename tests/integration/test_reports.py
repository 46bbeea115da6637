"""The commands that show what is there, with the role of readers: lists, a hall in its states, partitions, dead
letters and how they are sent again."""

import csv
import datetime
import fcntl
import io
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios

import pytest

from harness.moments import soon
from harness.realm import STEADY, Realm
from harness.shows import HALL, pieces, places, seats, standing, stay
from harness.stack import clean_environment, program
from harness.waiting import PATIENCE_S, eventually


@pytest.fixture(scope='module', name='house')
def realm_of_one_evening(stack):
    realm = Realm(stack, 'reports', **STEADY)
    realm.worker()
    realm.bookings = {}

    def told(outcome, op, resource, name=None, /, **fields):
        answer = realm.ask(op, resource, **fields)
        assert answer['outcome'] == outcome, answer
        if name:
            realm.bookings[name] = answer['booking']
    told('defined', 'define', 'show:hamlet', venue='Playhouse', starts_at='2100-12-24T19:30:00Z', **HALL)
    told('held', 'hold', 'show:hamlet', 'ann', customer='ann', items=seats('A-1', 'A-2'))
    told('confirmed', 'book', 'show:hamlet', 'ben', customer='ben', items=[*seats('B-3', 'BA-12'), *pieces('programme', 1)])
    told('blocked', 'block', 'show:hamlet', 'house', items=seats('C-8'), note='camera')
    told('defined', 'define', 'small', **standing(1))
    told('confirmed', 'book', 'small', customer='gus', items=places('floor', 1))
    told('waiting', 'hold', 'small', 'hal', customer='hal', items=places('floor', 1), wait_until=soon(realm, 3600))
    told('defined', 'define', 'hotel', state='draft', currency='KWD', rooms=[
        {'room': 'double', 'from': '2030-01-01', 'to': '2030-01-03', 'capacity': 2, 'price': 9000}])
    told('defined', 'open', 'hotel')
    told('confirmed', 'book', 'hotel', customer='ann', items=stay('double', '2030-01-01', '2030-01-03'))
    yield realm
    realm.close()


def report(realm, *arguments, code=0, **settings):
    """What it prints, or what it says where it fails."""
    done = realm.run(*arguments, USHER_POSTGRES=realm.uri('reader'), **{'TZ': 'UTC', **settings})
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


def words(text):
    return [line.split() for line in text.splitlines()]


def rows(realm, *arguments):
    return [json.loads(line) for line in report(realm, *arguments, '--json').splitlines()]


def test_resources_are_listed_and_filtered(house):
    table = words(report(house, 'resources'))
    assert table[0][:8] == ['resource', 'state', 'kind', 'starts', 'sold', 'held', 'blocked', 'of']
    assert table[1] == ['show:hamlet', 'open', 'mixed', '2100-12-24', '19:30:00Z', '3', '2', '1', '36', '0',
                        'EUR', '80.00', 'Hamlet', 'Playhouse']
    assert [row['resource'] for row in rows(house, 'resources')] == ['show:hamlet', 'hotel', 'small']
    assert [row['resource'] for row in rows(house, 'resources', '--kind', 'rooms')] == ['hotel']
    assert [row['resource'] for row in rows(house, 'resources', '--kind', 'standing')] == ['small']
    assert [row['total'] for row in rows(house, 'resources', '--venue', 'playhouse')] == [36]
    assert report(house, 'resources', '--state', 'closed') == 'no matching resources\n'
    assert 'is none of draft|open|closed' in report(house, 'resources', '--state', 'shut', code=64)


def test_times_are_those_of_who_looks(house):
    def starts(*arguments, **settings):
        return ' '.join(words(report(house, 'resources', *arguments, **settings))[1][3:5])
    assert starts('--time-zone', 'Europe/Paris') == starts(TZ='Europe/Paris') == '2100-12-24 20:30:00+01'
    assert starts('--utc', TZ='Asia/Tokyo') == starts('--time-zone', 'UTC') == '2100-12-24 19:30:00Z'
    assert 'Playhouse, 2100-12-25 04:30:00+09\n' in report(house, 'show', 'show:hamlet', '--time-zone', 'Asia/Tokyo')
    assert rows(house, 'resources', '--time-zone', 'Asia/Tokyo')[0]['starts_at'] == '2100-12-24T19:30:00+00:00'
    assert '"Europe/Pariss" is not the name of a time zone' in report(house, 'resources', '--time-zone', 'Europe/Pariss', code=64)
    assert 'give either' in report(house, 'resources', '--time-zone', 'Asia/Tokyo', '--utc', code=64)


def test_what_has_ended_comes_last(make_realm):
    realm = make_realm()
    realm.worker()
    past = '2020-01-01T19:00:00Z'
    old = {'room': 'single', 'from': '2020-05-01', 'to': '2020-05-03', 'capacity': 1, 'price': 1}
    for name, definition in {
            'a:ended': {**standing(1), 'ends_at': past}, 'a:begun': {**standing(5), 'starts_at': past},
            'a:running': {**standing(3), 'name': 'Gala', 'starts_at': past, 'ends_at': '2100-01-01T00:00:00Z'},
            'a:shut': {**standing(1), 'ends_at': past, 'state': 'closed'}, 'b:new': {**standing(9), 'venue': 'Großer Saal'},
            'b:inn': {'state': 'open', 'timezone': 'UTC', 'rooms': [old]},
            'b:house': {'state': 'open', 'timezone': 'UTC', 'rooms': [old, {**old, 'from': '2100-01-01', 'to': '2100-01-02'}]}}.items():
        assert realm.ask('define', name, **definition)['outcome'] == 'defined'
    realm.ask('book', 'a:running', customer='c', items=places('floor', 1))

    def shown(*arguments):
        return [tuple(row[:2]) for row in words(report(realm, 'resources', *arguments))[1:]]
    there = [('a:begun', 'open'), ('a:running', 'open'), ('b:house', 'open'), ('b:new', 'open')]  # what has begun is sold
    over = [('a:ended', 'ended'), ('a:shut', 'closed'), ('b:inn', 'ended')]
    assert shown() == [*there, *over]
    assert shown('--state', 'open') == there and shown('--state', 'ended') == [row for row in over if row[1] == 'ended']
    assert shown('--sort', 'free')[:4] == [there[at] for at in (3, 0, 2, 1)] and shown('--sort', 'sold')[0] == there[1]
    assert [name for name, _ in shown('--sort', 'resource')[4:]] == ['a:ended', 'a:shut', 'b:inn']
    assert shown('--search', 'SAAL') == [there[3]] and shown('--search', 'gala') == [there[1]] and len(shown('--search', 'b:')) == 3
    assert {row['resource']: row['ended'] for row in rows(realm, 'resources', '--search', 'a:')} == {
        'a:running': False, 'a:begun': False, 'a:ended': True, 'a:shut': False}
    assert report(realm, 'show', 'a:ended').splitlines()[1].startswith('  ended, 0 sold')
    assert report(realm, 'show', 'a:shut').splitlines()[1].startswith('  closed, 0 sold')


def test_spreadsheets_get_what_people_read(house):
    def table(*arguments):
        return list(csv.DictReader(io.StringIO(report(house, *arguments, '--csv', TZ='Asia/Tokyo'))))
    house.ask('define', 'quoted', **standing(1, name='a, b'))
    shows = {row['resource']: row for row in table('resources')}
    assert shows['quoted']['name'] == 'a, b' and shows['quoted']['starts_at'] == ''
    assert shows['show:hamlet']['starts_at'] == '2100-12-24T19:30:00Z' and shows['show:hamlet']['held'] == '2'
    booking, = table('bookings', '--customer', 'ben')
    assert (booking['currency'], booking['total'], booking['payment']) == ('EUR', '80.00', '')
    assert [(row['night'], row['pool'], row['price'], row['currency']) for row in table('show', 'hotel')] == [
        ('2030-01-01', 'double', '9.000', 'KWD'), ('2030-01-02', 'double', '9.000', 'KWD')]
    history = table('history', '--resource', 'show:hamlet', '--request', house.bookings['ann'])[-1]
    assert history['outcome'] == 'held' and 'answer' not in history
    house.ask('define', 'formulas', **standing(9, name='=1+1'))
    for number, text in enumerate(['=SUM(1+1)', '+49 30 1234', '@SUM(1+1)', '-1', '\uff1d1', 'a=1']):
        house.ask('book', 'formulas', customer=text, note=text, payment=text, items=places('floor', 1), request_id=f'formula{number}')
    assert [row['name'] for row in table('resources') if row['resource'] == 'formulas'] == ["'=1+1"]
    written = [text for row in table('bookings', '--resource', 'formulas') for text in (row['customer'], row['note'], row['payment'])]
    assert sorted(set(written)) == sorted(["'=SUM(1+1)", "'+49 30 1234", "'@SUM(1+1)", "'-1", "'\uff1d1", 'a=1'])
    assert not any('{' in cell for name in ['resources', 'waiting', 'carts', 'takings'] for row in table(name) for cell in row.values())
    assert not any('{' in cell for row in table('bookings', '--resource', 'show:hamlet') for cell in row.values())
    partition, = table('status')
    assert partition['state'] == 'owned' and partition['last_decided_at'].endswith('Z') and partition['lag'].isdigit()
    assert report(house, 'waiting', '--customer', 'nobody', '--csv').startswith('resource,position,')
    environment = clean_environment(**{**house.environment, 'USHER_POSTGRES': house.uri('reader')})
    lines = subprocess.run([program('usher-worker'), 'waiting', '--csv'], env=environment, check=True, capture_output=True).stdout
    assert lines.count(b'\n') == lines.count(b'\r\n') == 2, lines
    assert 'give either --json or --csv' in report(house, 'waiting', '--csv', '--json', code=64)
    assert 'takes no --csv' in report(house, 'dead-letters', 'show', '0-1', '--csv', code=64)


def screens(realm, *arguments, until):
    """What a terminal of 80 columns and 24 lines is sent, until this was there and the command is interrupted, or has ended."""
    mine, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
    environment = clean_environment(**{**realm.environment, 'USHER_POSTGRES': realm.uri('reader'), 'TZ': 'UTC', 'NO_COLOR': '1'})
    said = b''
    with subprocess.Popen([program('usher-worker'), *arguments], stdout=its, stderr=its, env=environment) as process:
        os.close(its)
        while not re.search(until, said.decode(errors='replace'), re.DOTALL):
            try:
                said += os.read(mine, 65536)
            except OSError:
                break
        else:
            process.send_signal(signal.SIGINT)
        code = process.wait(PATIENCE_S)
    os.close(mine)
    return code, said.decode()


def test_a_terminal_is_drawn_again_and_fits(house):
    code, said = screens(house, 'resources', '--watch=1', until='hamlet.*every 1 s.*hamlet.*every 1 s.*small')
    assert code == 0 and said.count('\x1b[H') >= 2
    drawn = [line.split('\x1b[K')[0] for line in said.split('\x1b[H')[1].split('\r\n')]
    assert re.fullmatch(r'\d{4}-\d\d-\d\d [\d:]{8}Z, every 1 s', drawn[0]), drawn
    assert drawn[2].split() == ['resource', 'state', 'starts', 'sold', 'held', 'of', 'waiting', 'name']
    assert 'not shown: kind, blocked, takings, venue' in drawn and max(len(line) for line in drawn) <= 80
    code, said = screens(house, 'history', '--customer', 'ann', '--watch', until='refusals are not listed')
    assert code == 0 and 'not shown: ' in said
    code, said = screens(house, 'show', 'nowhere', '--watch', until='never')
    assert code == 65 and 'there is no resource "nowhere"' in said
    assert '--watch draws on a terminal' in report(house, 'resources', '--watch', code=64)


def test_a_hall_is_drawn_in_its_states(house):
    text = report(house, 'show', 'show:hamlet')
    lines = [line.strip() for line in text.splitlines()]
    assert lines[:2] == ['show:hamlet  Hamlet, Playhouse, 2100-12-24 19:30:00Z',
                         'open, 3 sold, 2 held, 1 blocked of 36, takings EUR 80.00']
    assert [''.join(line.split()) for line in lines[3:8] if line] == ['stalls', 'Ahh..', 'B..s...', 'C.......x']
    assert 'BA  . s . . .' in lines
    assert '. free   h held   s sold   x blocked' in lines
    assert ['stalls', '14', '18', '2', '1', '1', '-', '45.00'] in words(text)
    assert '\x1b[' not in text
    assert '\x1b[33mh\x1b[0m' in report(house, 'show', 'show:hamlet', '--color', 'always')


def test_a_hotel_is_a_calendar(house):
    """As probes have it."""
    text = report(house, 'show', 'hotel', '--from', '2030-01-02', '--to', '2031-01-01')
    assert text.endswith("""
  2030-01  02
  double    1
  room    nights      total  price
  double  2030-01-02      2  9.000
"""), text
    assert '"soon" is no date' in report(house, 'show', 'hotel', '--from', 'soon', code=64)
    assert report(house, 'show', 'hotel') == report(house, 'show', 'hotel', '--from', '2030-01-01'), 'not from today on'
    assert ['no', 'nights', 'from', '2030-01-03', 'to', '2030-02-03:', 'it', 'has', '2030-01-01', 'to', '2030-01-02'] in words(
        report(house, 'show', 'hotel', '--from', '2030-01-03'))
    house.ask('define', 'inn', state='open', currency='EUR', rooms=[
        {'room': 'single', 'from': '2020-05-01', 'to': '2020-05-03', 'capacity': 1, 'price': 9000}])
    assert 'it has 2020-05-01 to 2020-05-02' in report(house, 'show', 'inn')
    assert 'no nights' not in report(house, 'show', 'show:hamlet')
    nights = {dates: [pool['night'] for pool in rows(house, 'show', 'hotel', *dates.split())[0]['pools']]
              for dates in ('', '--from 2030-01-02', '--to 2030-01-02', '--from 2030-01-03')}
    assert list(nights.values()) == [['2030-01-01', '2030-01-02'], ['2030-01-02'], ['2030-01-01'], []]
    small, = rows(house, 'show', 'small', '--from', '2030-01-02')
    assert [pool['pool'] for pool in small['pools']] == ['floor']


def test_people_read_no_json(house):
    house.ask('define', 'yard', currency='KWD', state='open', sections=[
        {'section': 'right', 'price': 2000, 'capacity': 500},
        {'section': 'left', 'rates': {'adult': 4500, 'child': 2500}, 'capacity': 500}],
        products=[{'product': 'ice', 'capacity': 9, 'price': 300}], limits={'units_min': 1, 'units_per_request': 495, 'units_per_customer': 600, 'holds_per_customer': 2,
                'groups': [{'pools': ['left', 'right'], 'limit': 590}]},
        quotas=[{'quota': 'all', 'pools': ['left', 'right'], 'limit': 500}],
        rooms=[{'room': 'tent', 'from': '2030-01-01', 'to': '2030-01-04', 'capacity': 1, 'price': 1}])
    house.ask('book', 'yard', customer='ida', items=places('right', 300))
    house.ask('book', 'yard', customer='joe', items=stay('tent', '2030-01-01', '2030-01-03'))
    items = [{'sections': ['left', 'right'], 'quantity': 201}, *stay('tent', '2030-01-01', '2030-01-03')]
    waiting = house.ask('hold', 'yard', customer='kim', items=items, wait_until=soon(house, 3600))
    text = report(house, 'show', 'yard')
    assert [line.strip() for line in text.splitlines()[2:8]] == [
        'at least 1 per request', 'at most 495 per request', 'at most 600 per customer', 'at most 2 holds per customer',
        'at most 590 of left, right per customer', 'quota all: at most 500 of left, right']
    probed = [pool.get('section', pool.get('product', pool.get('room'))) for pool in house.ask('probe', 'yard')['pools']]
    assert [row[0] for row in words(text)[10:13]] == probed[:3] == ['right', 'left', 'ice'], 'as they were defined'
    shown, asked = (text.partition('  pool ')[2].partition('\n\n')[0] for text in (
        text, house.command('probe', 'yard', name='usher-producer')))
    assert shown == asked.rstrip('\n') and '2030-01  01  02  03\n' in shown
    assert [pool['pool'] for pool in rows(house, 'show', 'yard')[0]['pools']] == [*probed, 'tent', 'tent']
    assert '  adult 4.500, child 2.500\n' in text
    wants = 'left or right 201; tent 1 from 2030-01-01 to 2030-01-03'
    assert wants in text and wants in report(house, 'waiting', '--resource', 'yard')
    assert '{' not in text
    assert house.ask('leave', 'yard', customer='kim', booking=waiting['booking'])['outcome'] == 'left'


def test_what_was_sold_today_is_told(make_realm):
    realm = make_realm()
    realm.worker()
    noon = '--time-zone', f'Etc/GMT{datetime.datetime.now(datetime.timezone.utc).hour - 12:+d}'
    assert report(realm, 'takings', *noon) == 'nothing was sold\n'
    for show in 'big', 'small', 'unsold':
        realm.ask('define', show, **standing(9), currency='EUR')
    one, two, three = (realm.ask('book', show, customer='c', items=places('floor', quantity))['booking']
                       for show, quantity in (('big', 1), ('small', 2), ('small', 1)))
    realm.ask('exchange', 'big', customer='c', booking=one, items=places('floor', 4))
    realm.ask('cancel', 'small', customer='c', booking=two)
    assert words(report(realm, 'takings', *noon))[1:] == [
        ['big', 'EUR', '40.00', 'EUR', '40.00', '1', '0', 'EUR', '40.00'],
        ['small', 'EUR', '10.00', 'EUR', '10.00', '2', '1', 'EUR', '10.00']]
    realm.sql("update usher.decision set decided_at = decided_at - interval '2 days' where seq <= (select seq from usher.decision "
              'where request_id = %s)', two)
    realm.sql("update usher.quarter q set began_at = began_at - interval '2 days' from usher.resource r "
              "where r.no = q.resource_no and r.id = 'big' and q.outcome = 'sold'")
    realm.sql("update usher.quarter q set amount = 1000, units = 1, bookings = 1 from usher.resource r "
              "where r.no = q.resource_no and r.id = 'small' and q.outcome = 'sold'")
    realm.ask('cancel', 'small', customer='c', booking=three)
    assert [(row['resource'], row['today'], row['takings']) for row in rows(realm, 'takings', *noon)] == [
        ('big', 3000, 4000), ('small', -2000, 0)]
    assert {row['resource']: row['takings'] for row in rows(realm, 'resources')} == {'big': 4000, 'small': 0, 'unsold': 0}


def test_show_says_all_to_programs(house):
    show, = rows(house, 'show', 'small')
    assert (show['takings'], show['sold'], show['waiting']) == (1000, 1, 1)
    assert [pool['pool'] for pool in show['pools']] == ['floor']
    assert [party['customer'] for party in show['waiting_list']] == ['hal']
    assert show['hall'] is None
    hall = rows(house, 'show', 'show:hamlet')[0]['hall']
    assert [(row['section'], row['row'], row['states']) for row in hall][:4] == [
        ('stalls', 'A', 'hh..'), ('stalls', 'B', '..s...'), ('stalls', 'C', '.......x'), ('balcony', 'BA', '.s...')]
    assert (hall[0]['seats'], hall[3]['seats'][:2]) == (['A-1', 'A-2', 'A-3', 'A-4'], ['BA-11', 'BA-12'])
    hotel, = rows(house, 'show', 'hotel')
    assert hotel['hall'] is None and [pool['night'] for pool in hotel['pools']] == sorted(pool['night'] for pool in hotel['pools'])
    assert 'there is no resource "nowhere"' in report(house, 'show', 'nowhere', code=65)
    assert 'usage: usher-worker show RESOURCE' in report(house, 'show', code=64)


def test_a_resource_that_is_mistyped_names_the_nearest(house):
    for typed in ('show:hamlte', 'hamlet', 'hamlte'):
        assert f'there is no resource "{typed}"; did you mean "show:hamlet"?' in report(house, 'show', typed, code=65)
    done = house.run('bookings', '--resource', 'smal', USHER_POSTGRES=house.uri('reader'))
    assert (done.returncode, done.stdout) == (0, 'no such booking\n') and 'did you mean "small"?' in done.stderr
    done = house.run('waiting', '--resource', 'hotel', '--json', USHER_POSTGRES=house.uri('reader'))
    assert (done.returncode, done.stdout, done.stderr) == (0, '', '')


def test_bookings_are_found_by_who_has_them(house):
    ann, ben = house.bookings['ann'], house.bookings['ben']
    assert [(row['resource'], row['state'], row['units']) for row in rows(house, 'bookings', '--customer', 'ann')] == [
        ('hotel', 'confirmed', 2), ('show:hamlet', 'held', 2)]
    assert [row['booking'] for row in rows(house, 'bookings', '--resource', 'show:hamlet', '--state', 'confirmed')] == [ben]
    table = words(report(house, 'bookings', '--resource', 'show:hamlet', '--booking', ann))
    assert table[0][4:6] == ['units', 'total'] and table[1][:8] == ['show:hamlet', ann, 'ann', 'held', 'A-1', 'A-2', 'EUR', '90.00']
    assert 'double 1 from 2030-01-01 to 2030-01-03' in report(house, 'bookings', '--customer', 'ann', '--resource', 'hotel')
    assert 'B-3; BA-12; programme 1' in report(house, 'bookings', '--customer', 'ben')
    assert report(house, 'bookings', '--customer', 'nobody') == 'no such booking\n'
    assert '--customer, --resource, --booking or --cart is required' in report(house, 'bookings', code=64)
    done = house.run('bookings', '--resource', 'show:hamlet', '--limit', '1', USHER_POSTGRES=house.uri('reader'))
    assert len(done.stdout.splitlines()) == 2 and 'only the first 1 are shown' in done.stderr


def test_open_holds_are_listed_by_their_ends(house):
    """Of all resources, whoever has them: what is held is little, but all that was ever booked is not."""
    sooner = house.ask('hold', 'show:hamlet', customer='lou', items=seats('C-2'), ttl_s=600)
    later = house.ask('hold', 'hotel', customer='lou', items=stay('double', '2030-01-01', '2030-01-02'), ttl_s=3000, meta={'a': 1})
    held = rows(house, 'bookings', '--state', 'held')
    assert [row['booking'] for row in held if row['customer'] == 'lou'] == [sooner['booking'], later['booking']]
    assert held == sorted(held, key=lambda row: row['ends_at']) and {row['state'] for row in held} == {'held'}
    for row in held[0], held[-1]:
        assert row in rows(house, 'bookings', '--resource', row['resource'], '--booking', row['booking'])
    done = house.run('bookings', '--state', 'held', '--limit', '1', USHER_POSTGRES=house.uri('reader'))
    assert words(done.stdout)[1][1] == held[0]['booking'] and 'only the first 1 are shown' in done.stderr
    assert [row['booking'] for row in rows(house, 'bookings', '--state', 'held', '--customer', 'lou')] == [
        later['booking'], sooner['booking']], 'of a customer the latest first, as all bookings'
    for answer in later, sooner:
        house.ask('release', answer['resource'], customer='lou', booking=answer['booking'])
    for state in 'confirmed', 'waiting':
        assert '--customer, --resource, --booking or --cart is required' in report(house, 'bookings', '--state', state, code=64)


def test_no_open_holds(make_realm):
    realm = make_realm()
    assert report(realm, 'bookings', '--state', 'held') == 'no open holds\n'


def test_a_cart_is_shown_over_all_resources(house):
    def told(outcome, op, resource, **fields):
        answer = house.ask(op, resource, customer='lea', **fields)
        assert answer['outcome'] == outcome, answer
        return answer['booking']
    house.ask('define', 'inn', state='open', currency='KWD', rooms=[
        {'room': 'single', 'from': '2030-01-01', 'to': '2030-01-03', 'capacity': 1, 'price': 9000}])
    seat = told('held', 'hold', 'show:hamlet', cart='trip', items=seats('C-1'))
    room = told('held', 'hold', 'inn', cart='trip', items=stay('single', '2030-01-01', '2030-01-02'))
    assert words(report(house, 'carts', '--customer', 'lea'))[1][:9] == [
        'trip', 'lea', 'held', '2', '2', 'EUR', '45.00,', 'KWD', '9.000']
    told('confirmed', 'confirm', 'inn', booking=room, payment='pi')
    assert [(row['cart'], row['state'], row['units']) for row in rows(house, 'carts', '--state', 'mixed')] == [('trip', 'mixed', 2)]
    head, cart, *table = [line for line in words(report(house, 'cart', 'trip')) if line]
    assert head[:6] == ['cart', 'customer', 'state', 'bookings', 'units', 'total']
    assert cart[:9] == ['trip', 'lea', 'mixed', '2', '2', 'EUR', '45.00,', 'KWD', '9.000']
    assert table[0][:5] == ['resource', 'booking', 'state', 'units', 'total'] and [line[:6] for line in table[1:]] == [
        ['inn', room, 'confirmed', 'single', '1', 'from'], ['show:hamlet', seat, 'held', 'C-1', 'EUR', '45.00']]
    cart, = rows(house, 'cart', 'trip', '--customer', 'lea')
    assert cart['totals'] == {'EUR': 4500, 'KWD': 9000} and [line['booking'] for line in cart['lines']] == [seat, room]
    assert [row['booking'] for row in rows(house, 'bookings', '--cart', 'trip')] == [room, seat]
    assert [(row['op'], row['booking']) for row in rows(house, 'history', '--cart', 'trip', '--customer', 'lea')] == [
        ('confirm', room), ('hold', room), ('hold', seat)]
    told('confirmed', 'confirm', 'show:hamlet', booking=seat, payment='pi')
    changed, = rows(house, 'carts', '--since', '1h')
    assert (changed['state'], changed['sold_at'] == changed['modified_at']) == ('confirmed', True) and 'lines' not in changed
    assert report(house, 'carts', '--state', 'mixed', '--since', '1h') == 'no such cart\n'
    for row in ('trip', '--customer', 'ann'), ('trap',):
        assert f'there is no cart "{row[0]}": see usher-worker carts' in report(house, 'cart', *row, code=65)
    told('cancelled', 'cancel', 'show:hamlet', booking=seat)


def test_carts_that_stay_mixed_are_counted(make_realm):
    realm = make_realm()
    worker = realm.worker()
    held = []
    for show in 'first', 'second':
        realm.ask('define', show, **standing(9))
        held.append(realm.ask('hold', show, customer='c', cart='k', items=places('floor', 1)))
    realm.ask('confirm', 'first', customer='c', booking=held[0]['booking'])
    eventually(lambda: worker.metric('usher_carts_mixed') == 0, 'it is only being sold')
    worker.stop()
    realm.sql("update usher.decision set decided_at = decided_at - interval '2 minutes'")
    realm.sql("update usher.booking set created_at = created_at - interval '2 minutes', sold_at = sold_at - interval '2 minutes'")
    worker = realm.worker()
    eventually(lambda: worker.metric('usher_carts_mixed') == 1, 'it has been for a minute')


def test_who_has_a_seat_is_told(house):
    for seat, who, state in (('A-2', 'ann', 'held'), ('BA-12', 'ben', 'confirmed'), ('C-8', None, 'blocked')):
        assert [(row['customer'], row['state']) for row in rows(
            house, 'bookings', '--resource', 'show:hamlet', '--seat', seat)] == [(who, state)]
    assert report(house, 'bookings', '--resource', 'show:hamlet', '--seat', 'A-4') == 'no booking has this seat\n'
    assert 'there is no resource "nowhere"' in report(house, 'bookings', '--resource', 'nowhere', '--seat', 'A-5', code=65)
    for resource in ('show:hamlet', 'small'):
        assert f'there is no seat "A-5" in "{resource}"' in report(house, 'bookings', '--resource', resource, '--seat', 'A-5', code=65)
    assert '--seat needs --resource' in report(house, 'bookings', '--seat', 'A-5', code=64)


def test_what_became_of_a_request_is_told(house):
    refused = house.ask('book', 'show:hamlet', customer='cid', items=seats('B-3'))
    told, = rows(house, 'history', '--resource', 'show:hamlet', '--request', refused['request_id'])
    assert (told['op'], told['outcome'], told['reason'], told['seq']) == ('book', 'refused', 'unit_taken', refused['seq'])
    assert told['offset'] == refused['source']['offset'] and told['answer']['items'] == refused['items']
    ann = house.bookings['ann']
    house.ask('extend', 'show:hamlet', customer='ann', booking=ann, ttl_s=900)
    assert [(row['op'], row['outcome'], row['booking']) for row in
            rows(house, 'history', '--resource', 'show:hamlet', '--booking', ann)] == [
                ('extend', 'extended', ann), ('hold', 'held', ann)]
    table = words(report(house, 'history', '--resource', 'show:hamlet', '--request', ann))
    assert table[1][2:8] == ['show:hamlet', ann, 'hold', 'held', 'ann', ann]
    assert {row['resource'] for row in rows(house, 'history', '--customer', 'ann')} == {'hotel', 'show:hamlet'}
    assert report(house, 'history', '--resource', 'nowhere') == 'no decisions found\n'
    assert '--customer, --resource, --request, --booking, --cart or --since is required' in report(house, 'history', code=64)


def test_an_id_is_found_without_its_resource(make_realm):
    """It is unique in one resource only."""
    realm = make_realm()
    realm.worker()

    def ask(outcome, op, resource, request_id, **fields):
        answer, = realm.ask_all({'request_id': request_id, 'op': op, 'resource': resource, 'customer': 'ann', **fields})
        assert answer['outcome'] == outcome, answer

    def found(*arguments):
        return [(row['resource'], row['request_id'], row['outcome'], row['replayed'])
                for row in rows(realm, 'history', *arguments)]
    realm.ask('define', 'a', **standing(2))
    realm.ask('define', 'b', **standing(9))
    item = {'items': places('floor', 1)}
    ask('held', 'hold', 'a', 'one', cart='both', **item)
    ask('held', 'hold', 'a', 'two', cart='both', **item)
    ask('refused', 'hold', 'a', 'three', **item)
    ask('held', 'hold', 'b', 'one', ttl_s=1, **item)
    eventually(lambda: rows(realm, 'bookings', '--booking', 'one', '--state', 'expired'), 'the hold ends')
    ask('confirmed', 'confirm', 'a', 'sold', cart='both')
    ask('confirmed', 'confirm', 'a', 'sold', cart='both')
    ask('refused', 'hold', 'nowhere', 'four', **item)
    assert {(row['resource'], row['state']) for row in rows(realm, 'bookings', '--booking', 'one')} == {
        ('a', 'confirmed'), ('b', 'expired')}
    assert found('--request', 'one') == [
        ('b', 'one', 'expired', False), ('b', 'one', 'held', False), ('a', 'one', 'held', False)]
    assert found('--request', 'sold') == [('a', 'sold', 'confirmed', True), *[('a', 'sold', 'confirmed', False)] * 2]
    assert found('--request', 'three') == [('a', 'three', 'refused', False)]
    assert found('--booking', 'one') == [('a', 'sold', 'confirmed', False), ('b', 'one', 'expired', False),
                                         ('b', 'one', 'held', False), ('a', 'one', 'held', False)]
    for request in 'one', 'sold', 'three':
        assert found('--request', request, '--since', '1h') == found('--request', request)
    assert found('--request', 'four') == [] and found('--request', 'four', '--since', '1h') == [
        ('nowhere', 'four', 'refused', False)]
    everything = rows(realm, 'history', '--since', '1h')
    assert len(everything) == 11 and sorted(everything, key=lambda row: -row['seq']) == everything
    assert rows(realm, 'history', '--since', '1h', '--limit', '3') == everything[:3]


def test_what_was_refused_is_found_by_who_asked(house):
    """It concerns no booking: by the resource, or among all that was decided of late. The output says so."""
    taken = house.ask('book', 'show:hamlet', customer='carl', items=seats('B-3'))
    short = house.ask('hold', 'small', customer='carl', items=places('floor', 1))
    found = rows(house, 'history', '--customer', 'carl', '--resource', 'show:hamlet')
    assert [(row['customer'], row['reason'], row['seq']) for row in found] == [('carl', 'unit_taken', taken['seq'])]
    table = words(report(house, 'history', '--resource', 'show:hamlet', '--limit', '1'))
    assert table[1][2:] == ['show:hamlet', taken['request_id'], 'book', 'refused', 'unit_taken', 'carl', '0', str(taken['seq']),
                            str(taken['source']['offset']), 'item', '0:', 'asked', '1,', 'got', '0:', 'unit_taken', '(B-3)']
    assert [row['seq'] for row in rows(house, 'history', '--customer', 'carl', '--since', '1h')] == [short['seq'], taken['seq']]
    done = house.run('history', '--customer', 'carl', USHER_POSTGRES=house.uri('reader'))
    assert (done.returncode, done.stdout) == (0, 'no decisions found\n')
    assert 'refusals are not listed; add --resource ID, or --since 1h' in done.stderr
    assert 'item 0: asked 1, got 0: not_enough, there were 0' in report(house, 'history', '--customer', 'carl', '--since', '1h')
    assert rows(house, 'history', '--customer', 'carl', '--resource', 'small', '--since', '1h', '--limit', '1')[0]['seq'] == short['seq']
    assert rows(house, 'history', '--customer', 'ann', '--since', '1h') == rows(house, 'history', '--customer', 'ann')


def test_each_did_what_they_did_before_it_was_handed_on(house):
    """A booking knows its present owner only."""
    booking = house.ask('hold', 'show:hamlet', customer='bob', items=seats('C-1'))['booking']
    house.ask('confirm', 'show:hamlet', customer='bob', booking=booking)
    hand_on = {'request_id': 'to-dora', 'op': 'transfer', 'resource': 'show:hamlet', 'customer': 'bob', 'booking': booking,
               'to_customer': 'dora'}
    house.ask_all(hand_on)
    house.ask('transfer', 'show:hamlet', customer='dora', booking=booking, to_customer='bob')
    house.ask('cancel', 'show:hamlet', booking=booking, force=True)
    house.ask_all(hand_on)
    did = {who: [(row['op'], row['customer'], row['to_customer']) for row in rows(house, 'history', *who.split())]
           for who in (f'--resource show:hamlet --booking {booking}', '--customer bob', '--customer dora',
                       '--customer dora --resource show:hamlet')}
    there, back = ('transfer', 'bob', 'dora'), ('transfer', 'dora', 'bob')
    assert list(did.values()) == [
        [('cancel', 'bob', None), back, there, ('confirm', 'bob', None), ('hold', 'bob', None)],
        [('cancel', 'bob', None), back, there, ('confirm', 'bob', None), ('hold', 'bob', None)],
        [back, there], [there, back, there]]
    assert house.sql('select customer, outcome from usher.audit where booking = %s order by seq', booking, role='reader') == [
        ('bob', 'confirmed'), ('bob', 'cancelled')]
    table = words(report(house, 'history', '--resource', 'show:hamlet', '--request', 'to-dora'))
    assert [(row[5:7], row[-2:]) for row in table[1:]] == [
        (['transferred', '(repeated)'], ['to', 'dora']), (['transferred', 'bob'], ['to', 'dora'])]
    # A part concerns both bookings, and who had the whole.
    house.ask('book', 'show:hamlet', customer='bob', items=seats('C-1', 'C-2', 'C-3'), request_id='whole')
    for part, to, seat in (('part-1', 'dora', 'C-2'), ('part-2', 'emil', 'C-3')):
        house.ask('transfer', 'show:hamlet', customer='bob', booking='whole', to_customer=to, items=seats(seat), request_id=part)
    house.ask('cancel', 'show:hamlet', customer='emil', booking='part-2')
    assert [[(row['op'], row['customer'], row['to_customer'], row['booking']) for row in rows(house, 'history', *who.split())]
            for who in ('--resource show:hamlet --booking whole', '--resource show:hamlet --booking part-2', '--customer emil')] == [
        [('transfer', 'bob', 'emil', 'whole'), ('transfer', 'bob', 'dora', 'whole'), ('book', 'bob', None, 'whole')],
        [('cancel', 'emil', None, 'part-2'), ('transfer', 'bob', 'emil', 'part-2')],
        [('cancel', 'emil', None, 'part-2'), ('transfer', 'bob', 'emil', 'part-2')]]
    assert {row['customer'] is None for row in rows(house, 'history', '--resource', 'show:hamlet') if row['booking'] and
            row['op'] not in ('block', 'unblock')} == {False}


def test_a_repeat_is_no_second_sale(house):
    book = {'request_id': 'again', 'op': 'book', 'resource': 'show:hamlet', 'customer': 'dee', 'items': pieces('programme', 1)}
    first, again = (house.ask_all(book)[0] for _ in range(2))
    asked = ('history', '--resource', 'show:hamlet', '--request', 'again')
    assert [(row['seq'], row['replayed'], row['customer'], row['total']) for row in rows(house, *asked)] == [
        (again['seq'], True, 'dee', None), (first['seq'], False, 'dee', 500)]
    table = words(report(house, *asked))
    assert table[1][3:9] == ['again', 'book', 'confirmed', '(repeated)', 'dee', 'again'] and 'EUR' not in table[1]
    assert table[2][3:9] == ['again', 'book', 'confirmed', 'dee', 'again', 'EUR']


def test_what_was_opened_and_closed_is_called_so(house):
    house.ask('define', 'tent', **{**standing(1), 'state': 'draft'})
    printed = [house.command(op, 'tent', '--request-id', f'tent-{op}', name='usher-producer').split()[0] for op in ('open', 'close')]
    outcomes = [row[row.index(op) + 1] for row, op in zip(words(report(house, 'history', '--resource', 'tent'))[1:],
                                                           ('close', 'open', 'define'))]
    assert outcomes == ['closed', 'opened', 'created'] and printed == ['opened', 'closed']


def test_who_waits_is_listed_in_order(house):
    assert [(row['resource'], row['position'], row['customer']) for row in rows(house, 'waiting')] == [('small', 1, 'hal')]
    assert report(house, 'waiting', '--resource', 'show:hamlet') == 'no waiting parties\n'


def test_status_is_over_all_partitions(house):
    owner = house.workers[0].name
    row, = eventually(lambda: [row for row in rows(house, 'status') if row['lag'] == 0], 'nothing waits')
    assert (row['partition'], row['state'], row['owner'], row['halted']) == (0, 'owned', owner, None)
    assert words(report(house, 'status'))[1][:3] == ['0', 'owned', owner]
    done = house.run('status', USHER_POSTGRES=house.uri('reader'), USHER_KAFKA_BROKERS='127.0.0.1:1')
    assert done.returncode == 69 and words(done.stdout)[1][:3] == ['0', 'owned', owner]


def test_dead_letters_are_shown_and_sent_again(house):
    assert report(house, 'dead-letters', 'list') == 'no dead letters\n'
    bad = house.client.ask_raw(b'{"request_id":"bad-1","op":"book","resource":"small\x1b"', 'small')
    letter, = rows(house, 'dead-letters', 'list')
    assert (letter['id'], letter['reason'], letter['detail']) == (f'0-{bad["seq"]}', 'malformed', bad['detail'])
    assert words(report(house, 'dead-letters', 'list'))[1][0] == letter['id']
    assert rows(house, 'dead-letters', 'list', '--reason', 'internal') == []
    shown = report(house, 'dead-letters', 'show', letter['id'])
    assert '{"request_id":"bad-1","op":"book","resource":"small?"' in shown, 'what could command a terminal is not printed'
    assert report(house, 'dead-letters', 'resend', letter['id']).startswith(f'{letter["id"]} sent again, but it is malformed')
    again = house.client.answers.await_one(lambda answer: answer['seq'] == bad['seq'] + 1, 'the answer to what was sent again')
    assert (again['outcome'], again['detail']) == ('invalid', bad['detail'])
    for arguments, said in ((('show',), 'an ID is required'), (('show', '7'), 'is no dead letter'), (('list', '0-1'), 'list takes no ID'),
                            (('mend',), 'unknown action "mend"'), ((), 'usage:')):
        assert said in report(house, 'dead-letters', *arguments, code=64)
    assert 'there is no dead letter 0-1' in report(house, 'dead-letters', 'show', '0-1', code=65)


def test_what_cannot_be_sent_again_stops_nothing_else(house):
    """What became of each is said, as text and as JSON; the exit code says that not all were sent."""
    bad = [house.client.ask_raw(b'{"op":"book"', key) for key in ('small', None, 'small')]
    one, no_key, other = (f'0-{answer["seq"]}' for answer in bad)
    wanted = ('dead-letters', 'resend', one, no_key, '0-999999', other)
    done = house.run(*wanted, USHER_POSTGRES=house.uri('reader'))
    assert done.returncode == 65 and 'could not send 2 of 4 again' in done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f'{one} sent again') and lines[3].startswith(f'{other} sent again')
    assert lines[1:3] == [f'{no_key} not sent: it has no key or no value, so the request cannot be sent again',
                          '0-999999 not sent: there is no dead letter 0-999999']
    house.client.answers.await_one(lambda answer: answer['seq'] == bad[-1]['seq'] + 2, 'both are answered again')
    done = house.run(*wanted, '--json', USHER_POSTGRES=house.uri('reader'))
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 65 and [(row['id'], row['sent'], row['error'] is None) for row in said] == [
        (one, True, True), (no_key, False, False), ('0-999999', False, False), (other, True, True)]
    assert 'is no dead letter' in report(house, 'dead-letters', 'resend', one, '7', code=64)


def test_what_is_more_than_there_is(house):
    """After a capacity or a quota was lowered: how much is over, night by night, and nothing negative."""
    nights = {'from': '2030-06-03', 'to': '2030-06-06'}
    house.ask('define', 'alps', state='open', sections=[{'section': 'hall', 'capacity': 9, 'price': 1}],
              products=[{'product': 'ski', 'capacity': 9, 'price': 1}],
              rooms=[{'room': room, **nights, 'capacity': 5, 'price': 1} for room in ('double', 'single')])
    for index, items in enumerate((stay('double', '2030-06-03', '2030-06-05', 4), stay('single', '2030-06-04', '2030-06-05', 5),
                                   places('hall', 7), [{'product': 'ski', 'quantity': 6}])):
        assert house.ask('book', 'alps', customer=f'c{index}', items=items)['outcome'] == 'confirmed'
    assert 'over\n' not in report(house, 'show', 'alps')
    house.ask('define', 'alps', rooms=[{'room': 'double', **nights, 'capacity': 2, 'overbook': 3}],
              products=[{'product': 'ski', 'capacity': 4, 'overbook': 2}],
              quotas=[{'quota': 'beds', 'pools': ['double', 'single'], 'limit': 6}, {'quota': 'fire', 'pools': ['hall'], 'limit': 5}])
    text = report(house, 'show', 'alps')
    assert [line.strip() for line in text.splitlines() if line.endswith(' over')] == [
        'double 2030-06-03: 2 over', 'double 2030-06-04: 2 over', 'quota beds 2030-06-04: 3 over', 'quota fire: 2 over']
    assert next(row for row in words(text) if row[:1] == ['ski'])[6] == '2', 'overbooked'
    # What the house took by its word, beyond even that.
    house.ask('book', 'alps', customer='c9', force=True, overbook=True, items=[{'product': 'ski', 'quantity': 3}])
    assert [line.strip() for line in report(house, 'show', 'alps').splitlines() if line.startswith('  ski') and line.endswith(' over')] == [
        'ski: 3 over']


def test_rules_of_stay_are_shown(house):
    """Nights in a row with the same rules are one line; the view has them night by night."""
    nights = {'room': 'loft', 'from': '2030-06-03', 'to': '2030-06-08'}
    house.ask('define', 'lodge', state='open', rooms=[{**nights, 'capacity': 5, 'rates': {'standard': 100, 'ski': 80}},
                                                      {**nights, 'room': 'attic', 'capacity': 1, 'price': 1}])
    house.ask('define', 'lodge', restrictions=[{**nights, 'to': '2030-06-06', 'min_stay_arrival': 3, 'closed_to_departure': True},
                                               {**nights, 'from': '2030-06-05', 'rate': 'ski', 'max_stay': 9}])
    text = report(house, 'show', 'lodge')
    assert [line.strip() for line in text.splitlines() if line.startswith('  loft 2030')] == [
        'loft 2030-06-03..2030-06-04: min_stay_arrival 3, closed_to_departure',
        'loft 2030-06-05: min_stay_arrival 3, closed_to_departure; ski: max_stay 9', 'loft 2030-06-06..2030-06-07: ski: max_stay 9']
    assert house.sql("select restrictions from usher.availability where resource = 'lodge' and pool = 'loft' and night = '2030-06-05'",
                     role='reader') == [([{'min_stay_arrival': 3, 'closed_to_departure': True}, {'rate': 'ski', 'max_stay': 9}],)]
