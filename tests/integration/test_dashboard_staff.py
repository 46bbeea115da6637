"""The dashboard's staff pages: what the record says to those who have the password, to nobody else, and for how long it is asked."""

import base64
import concurrent.futures
import csv
import datetime
import json
import urllib.parse
import zoneinfo

import psycopg2
import pytest
from contract import validate_dashboard

from harness.browser import DESK, PHONE, Browser
from harness.dashboard import Dashboard
from harness.moments import soon
from harness.shows import HALL, places, seats, stay
from harness.stack import BUILD
from harness.waiting import eventually

AXE = BUILD / 'examples/axe/node_modules/axe-core/axe.min.js'
BEARER = {'Authorization': 'Bearer sesame'}


@pytest.fixture
def make_dashboard():
    made = []

    def make(realm, **settings):
        made.append(Dashboard(realm, '--dashboard-staff', **{
            'USHER_DASHBOARD_TOKEN': 'sesame', 'USHER_POSTGRES': realm.uri('reader'), **settings}))
        return made[-1]
    yield make
    for dashboard in made:
        dashboard.close()


@pytest.fixture
def dashboard(world, make_dashboard):
    return make_dashboard(world)


def question(name, **filters):
    return f'api/staff/{name}?{urllib.parse.urlencode(filters)}'


def told(dashboard, name, **filters):
    status, text, headers = dashboard.get(question(name, **filters), **BEARER)
    assert status == 200, text
    assert headers['Cache-Control'] == 'no-store' and 'ETag' not in headers
    answer = json.loads(text)
    validate_dashboard(f'api/staff/{name}', answer)
    return answer['rows']


def printed(world, *arguments):
    return [json.loads(line) for line in world.command(*arguments, '--json').splitlines()]


# ---- the server ----

def test_as_the_commands_tell_it(world, ask, name, dashboard):
    """A seat, a booking and its steps, a cart, a customer, a waiting list: the same rows as those that operators print."""
    show, cart = name(), name('cart')
    ask('define', show, **{**HALL, 'sections': [{'section': 'stalls', 'price': 4500, 'rows': [{'row': 'A', 'seats': 4}, {'row': 'B', 'seats': 2}]}]})
    held = ask('hold', show, customer=cart, cart=cart, items=seats('A-2', 'B-1'))['booking']
    assert ask('confirm', show, booking=held, customer=cart, payment='card 4711')['outcome'] == 'confirmed'
    ask('block', show, items=seats('A-1', 'A-3', 'A-4', 'B-2'), note='camera')
    assert ask('hold', show, customer='late', items=places('stalls', 1), wait_until=soon(world, 3600))['outcome'] == 'waiting'
    row, = told(dashboard, 'bookings', resource=show, section='stalls', unit=4)  # B-1 is the fifth seat
    assert (row['booking'], row['customer'], row['payment']) == (held, cart, 'card 4711')
    for (kind, filters), command in (
            (('bookings', {'resource': show, 'section': 'stalls', 'unit': 1}), ('bookings', '--resource', show, '--seat', 'A-2')),
            (('bookings', {'resource': show, 'state': 'blocked'}), ('bookings', '--resource', show, '--state', 'blocked')),
            (('bookings', {'customer': cart}), ('bookings', '--customer', cart)),
            (('history', {'resource': show, 'booking': held}), ('history', '--resource', show, '--booking', held)),
            (('bookings', {'booking': held}), ('bookings', '--booking', held)),
            (('history', {'request': held}), ('history', '--request', held)),
            (('carts', {'cart': cart}), ('cart', cart)),
            (('waiting', {'resource': show}), ('waiting', '--resource', show))):
        rows = told(dashboard, kind, **filters)
        assert rows and rows == printed(world, *command), command
    assert [step['outcome'] for step in told(dashboard, 'history', resource=show, booking=held)] == ['confirmed', 'held']
    assert told(dashboard, 'resources', resource=show)[0]['sold'] == 2


def test_who_comes(world, ask, name, hotel, dashboard):
    """What is sold and nothing else, seat by seat and night by night: as the view has it that operators ask."""
    show, customer = name(), name("d'arc")
    ask('define', show, **HALL)
    ask('book', show, customer=customer, items=[*seats('B-2', 'A-1'), *places('standing', 3)])
    ask('hold', show, customer=customer, items=seats('A-2'))
    ask('book', hotel, customer=customer, items=stay('double', '2026-12-24', '2026-12-26'))
    rows = told(dashboard, 'door', resource=show)
    assert sorted(((row['pool'], row['seat'], row['quantity'], row['customer']) for row in rows), key=str) == [
        ('stalls', 'A-1', 1, customer), ('stalls', 'B-2', 1, customer), ('standing', None, 3, customer)]
    assert [len(told(dashboard, 'door', resource=hotel, **night)) for night in ({}, {'night': '2026-12-25'}, {'night': '2026-12-26'}, {'night': "'"})] == [2, 1, 0, 0]
    with world.session() as cursor:
        cursor.execute('select seat, booking from usher.door_list where resource = %s', (show,))
        assert sorted(cursor.fetchall(), key=str) == sorted(((row['seat'], row['booking']) for row in rows), key=str)


def test_today_begins_at_midnight_of_the_place(make_realm, make_dashboard):
    """A sale of two hours ago is yesterday's where it is past midnight, and today's where it is noon."""
    realm = make_realm()
    realm.worker()
    hour = datetime.datetime.now(datetime.timezone.utc).hour
    for show, local in ('night', 0), ('noon', 12):
        behind = (hour - local + 11) % 24 - 11  # of UTC: -11 … 12
        realm.ask('define', show, **{**HALL, 'timezone': f'Etc/GMT{behind:+d}'})
        realm.ask('book', show, customer='c', items=places('standing', 1))
    realm.sql("update usher.decision set decided_at = decided_at - interval '2 hours'")
    realm.sql("update usher.quarter set began_at = began_at - interval '2 hours'")
    for show in 'night', 'noon':
        realm.ask('book', show, customer='c', items=places('standing', 2))
    rows = told(make_dashboard(realm), 'takings')
    assert [(row['resource'], row['today'], row['last_hour'], row['takings']) for row in rows] == [
        ('noon', 6000, 4000, 6000), ('night', 4000, 4000, 6000)]


def test_what_was_refused(make_realm, make_dashboard):
    """In the last hour, each request once: also what named no resource that there is, or could not be read."""
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **HALL)
    book = {'op': 'book', 'resource': 'show', 'customer': 'c', 'items': places('standing', 11)}
    realm.ask_all(*({**book, 'request_id': f'early-{number}'} for number in range(3)))
    realm.sql("update usher.decision set decided_at = decided_at - interval '2 hours'")
    realm.ask_all(*({**book, 'request_id': f'late-{number}'} for number in range(4)))
    assert realm.ask_all({**book, 'request_id': 'late-0'})[0]['replayed']
    realm.ask('book', 'show', customer='c', items=seats('Z-1'))
    realm.ask('book', 'nowhere', customer='c', items=places('standing', 1))
    realm.client.ask_raw(b'{"op":"book"', b'bad')
    rows = [(row['resource'], row['reason'], row['requests']) for row in told(make_dashboard(realm), 'refusals')]
    assert rows[0] == ('show', 'not_enough', 4) and {('show', 'unknown_seat', 1), ('nowhere', 'unknown_resource', 1)} <= set(rows)
    assert sorted(rows, key=str) == sorted(realm.sql(
        "select resource, reason, requests from usher.refusals where last_at > now() - interval '1 hour'"), key=str)


def test_how_a_resource_sold(make_realm, make_dashboard, browser):
    """Up to each moment since the first sale, by the record: the dashboard need not have been there. What came back is taken off."""
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **HALL)
    dashboard = make_dashboard(realm)
    assert told(dashboard, 'curve', resource='show') == []
    sold = [realm.ask('book', 'show', customer='c', items=places('standing', number))['booking'] for number in (3, 2)]
    realm.sql("update usher.quarter set began_at = began_at - interval '2 days'")
    realm.ask('cancel', 'show', customer='c', booking=sold[1])
    realm.sql("update usher.quarter set began_at = began_at - interval '1 day'")
    realm.ask('book', 'show', customer='c', items=places('standing', 4))
    rows = told(dashboard, 'curve', resource='show')
    price = rows[0]['amount'] // 5
    assert price > 0 and [(row['units'], row['amount']) for row in rows] == [(5, 5 * price), (3, 3 * price), (7, 7 * price)]
    first, last = (datetime.datetime.fromisoformat(rows[index]['until'].replace('Z', '+00:00')) for index in (0, -1))
    assert last - first == datetime.timedelta(days=3)
    realm.sql("insert into usher.quarter select resource_no, min(began_at) - n * interval '15 minutes', 'sold', '', '', 1, 1, 100 "
              'from usher.quarter, generate_series(1, 5000) as n group by resource_no, n')
    rows = told(dashboard, 'curve', resource='show')
    assert 400 <= len(rows) <= 500 and rows[-1]['units'] == 5007 and rows == sorted(rows, key=lambda row: row['until'])
    eventually(lambda: dashboard.get('api/resources/show', **BEARER)[0] == 200)
    browser.open(f'{dashboard.url}#/staff/resource/show')
    eventually(lambda: 'first sale' in browser.text('.staff .ends') and browser.find('.staff .curve path').get_attribute('d').startswith('M0 100H'))


def test_nothing_without_the_password(ask, hall, name, dashboard):
    customer = name('customer')
    ask('book', hall, customer=customer, items=places('stalls', 1))
    asked = question('bookings', customer=customer)
    assert customer in dashboard.get(asked, **BEARER)[1]
    basic = [base64.b64encode(text).decode() for text in (b'staff:sesam', b'sesame:', b'sesame', b':', b'')]
    for sent in ('', 'Bearer', 'Bearer ', 'Bearer sesam', 'Bearer sesame2', 'Bearer SESAME', 'sesame', *(f'Basic {one}' for one in basic), 'Basic ???'):
        status, text, headers = dashboard.get(asked, **({'Authorization': sent} if sent else {}))
        assert status == 401 and customer not in text and headers['Cache-Control'] == 'no-store', sent
    assert dashboard.get(f'{asked}&token=sesame')[0] == 401
    assert dashboard.get(asked, 'POST', **BEARER)[0] == 405
    assert dashboard.get(asked, 'HEAD', **BEARER)[1] == ''
    log = dashboard.log_path.read_text()
    assert customer not in log and 'sesame' not in log


def test_only_where_it_was_asked_for(world, hall):
    """Not without a token, not in public; where it was not asked for nothing is said, with a token or without."""
    for settings in ({}, {'USHER_DASHBOARD_TOKEN': 'sesame', 'USHER_DASHBOARD_PUBLIC': 'true'}):
        done = world.run('run', '--dashboard-staff', name='usher-dashboard', USHER_DASHBOARD_LISTEN='127.0.0.1:0', **settings)
        assert done.returncode == 78 and 'USHER_DASHBOARD_STAFF' in done.stderr, settings
    plain = Dashboard(world, USHER_DASHBOARD_TOKEN='sesame', USHER_POSTGRES=world.uri('reader'))
    try:
        assert plain.get(question('bookings', resource=hall), **BEARER)[0] == 404
        assert json.loads(plain.get('api/pages', **BEARER)[1]) == {'partitions': True, 'staff': False}
    finally:
        plain.close()


def test_hostile_questions(ask, hall, name, dashboard):
    """What is asked is data: nothing is read of what was not asked for."""
    customer = name("o'hara;--")
    ask('book', hall, customer=customer, items=places('stalls', 1))
    assert len(told(dashboard, 'bookings', customer=customer)) == 1
    for evil in ("' or ''='", "x'; drop view usher.bookings; --", '%', '_', '\\', '"', '$1', 'null', '<script>', 'a' * 4000, '../' * 500):
        assert told(dashboard, 'bookings', customer=evil) == [] == told(dashboard, 'carts', cart=evil), evil
        assert told(dashboard, 'bookings', resource=hall, state=evil) == []
        assert told(dashboard, 'history', resource=hall, booking=evil) == []
    for bad in ('bookings', 'bookings?customer=', 'bookings?state=held', 'bookings?request=x', 'bookings?section=s&unit=1&customer=c', 'waiting', 'carts?customer=c',
                'resources', 'bookings?customer=c&unit=1', 'bookings?resource=x&section=s&unit=-1', 'bookings?resource=x&section=s&unit=1e9',
                'bookings?resource=x&section=s&unit=99999999999', 'bookings?customer=%ff', 'door', 'door?night=2026-12-24', 'door?customer=c&night=2026-12-24', 'bookings?customer=%ed%a0%80'):
        assert dashboard.get(f'api/staff/{bad}', **BEARER)[0] == 400, bad
    for unknown in ('', 'booking', 'bookings/', 'doors', 'bookings/../history', '../resources', 'names', '%2e%2e/waiting', 'partitions', 'events'):
        assert dashboard.get(f'api/staff/{unknown}?resource=x', **BEARER)[0] == 404, unknown
    assert dashboard.get(question('bookings', customer='a' * 40000), **BEARER)[0] in (413, 414, 431)
    assert len(told(dashboard, 'bookings', customer=customer)) == 1


def test_a_slow_record(make_realm, make_dashboard):
    """A statement is ended, a crowd is bounded, and what is live goes on at once."""
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **HALL)
    dashboard = make_dashboard(realm, USHER_STATEMENT_TIMEOUT='1s')
    eventually(lambda: dashboard.get('api/resources/show', **BEARER)[0] == 200)
    asked = question('bookings', resource='show')
    eventually(lambda: dashboard.get(asked, **BEARER)[0] == 200, 'it is answered')
    locking = psycopg2.connect(realm.uri('admin'))
    locking.cursor().execute('lock table usher.booking in access exclusive mode')
    try:
        with concurrent.futures.ThreadPoolExecutor(60) as crowd:
            answers = [crowd.submit(dashboard.get, asked, **BEARER) for _ in range(60)]
            while not all(answer.done() for answer in answers):
                assert dashboard.get('api/resources/show', **BEARER)[0] == 200
            found = [(answer.result()[0], answer.result()[1].strip()) for answer in answers]
        assert set(found) == {(503, 'PostgreSQL does not answer in time'), (503, 'too many questions at once')}
        with realm.session() as cursor:
            cursor.execute("select count(*) from pg_stat_activity where datname = current_database() and query like '%usher.bookings%' and usename ~ 'reader'")
            assert cursor.fetchone()[0] <= 2
    finally:
        locking.close()
    eventually(lambda: dashboard.get(asked, **BEARER)[0] == 200, 'it is answered again')
    page = dict(line.split() for line in dashboard.get('metrics', **BEARER)[1].splitlines() if line.startswith('usher_dashboard_staff'))
    for name, text in ('busy', 'too many questions at once'), ('failed', 'PostgreSQL does not answer in time'):
        assert int(page[f'usher_dashboard_staff_{name}_total']) >= found.count((503, text)) > 0
    assert int(page['usher_dashboard_staff_answered_total']) >= 2
    assert dashboard.log_path.read_text().count('could not answer the staff pages') <= 4


@pytest.mark.parametrize('kind, column, quantity, number', [('takings', 'today', 1, 2000), ('refusals', 'requests', 11, 1)])
def test_what_is_the_same_for_all_is_read_once(make_realm, make_dashboard, kind, column, quantity, number):
    """Those who ask while it is read, or within a minute, get the same; what failed is not kept."""
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **HALL)
    realm.ask('book', 'show', customer='c', items=places('standing', quantity))
    dashboard = make_dashboard(realm, USHER_STATEMENT_TIMEOUT='1s')
    asked = question(kind)
    locking = psycopg2.connect(realm.uri('admin'))
    locking.cursor().execute('lock table usher.decision, usher.quarter in access exclusive mode')
    try:
        with concurrent.futures.ThreadPoolExecutor(60) as crowd:
            found = list(crowd.map(lambda _: dashboard.get(asked, **BEARER)[:2], range(60)))
        assert {(status, text.strip()) for status, text in found} == {(503, 'PostgreSQL does not answer in time')}
    finally:
        locking.close()
    eventually(lambda: dashboard.get(asked, **BEARER)[0] == 200, 'it is answered again')
    first = json.loads(dashboard.get(asked, **BEARER)[1])
    assert [row[column] for row in first['rows']] == [number]
    realm.ask('book', 'show', customer='c', items=places('standing', quantity))
    with concurrent.futures.ThreadPoolExecutor(60) as crowd:
        assert all(json.loads(text) == first for _, text, _ in crowd.map(lambda _: dashboard.get(asked, **BEARER), range(60)))


# ---- the pages ----

@pytest.fixture(scope='module')
def one_browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp('staff'))
    browser.send(**BEARER)
    yield browser
    browser.close()


@pytest.fixture
def browser(one_browser):
    one_browser.size(*DESK)
    one_browser.complaints()
    yield one_browser
    one_browser.open('about:blank')
    assert one_browser.complaints() == []


def test_from_a_seat_to_every_step(ask, name, dashboard, browser):
    """By keyboard: who has the seat, then all that became of the booking; a change of the seat is told at once."""
    show, customer = name(), name('<b>ann</b>')
    ask('define', show, **{**HALL, 'name': f'The play {show}'})
    held = ask('hold', show, customer=customer, items=seats('A-1', 'A-2'))['booking']
    eventually(lambda: dashboard.get(f'api/resources/{urllib.parse.quote(show)}', **BEARER)[0] == 200)
    browser.open(f'{dashboard.url}#/resource/{urllib.parse.quote(show, safe="")}')
    browser.await_figures(held=2)
    eventually(lambda: 'Choose a seat' in browser.text('.owner'))
    canvas = browser.find('canvas.picture')
    canvas.send_keys('\ue014', '\ue007')  # right, enter
    eventually(lambda: customer in browser.text('.owner') and 'Held' in browser.text('.owner'), 'who has it')
    ask('confirm', show, booking=held, customer=customer, payment='card 4711')
    eventually(lambda: 'card 4711' in browser.text('.owner') and '€90.00' in browser.text('.owner'), 'it is sold now')
    browser.press('.owner p a', '\ue007')
    eventually(lambda: [text.split('\n')[0] for text in browser.texts('.steps li')] == ['Held', 'Sold'])
    assert browser.text('h1') == f'Booking {held}' and 'stalls A-1, A-2' in browser.text('.facts')
    assert [text for text in browser.texts('nav a')] == ['Overview', 'Staff', 'Partitions']
    browser.run('history.back()')
    browser.await_figures(sold=2)
    ask('cancel', show, booking=held, customer=customer, note='<i>ill</i>')
    browser.run('history.forward()')
    eventually(lambda: '<i>ill</i>' in browser.text('.steps'), 'and why it was cancelled')
    browser.run('history.back()')
    eventually(lambda: browser.texts('.summary p a'), 'the show again')
    browser.press('.summary p a', '\ue007')
    eventually(lambda: browser.texts('.staff h2') == ['How it sold', 'Bookings'] and customer in browser.text('.staff'), 'its bookings')


def test_what_is_looked_for(world, ask, name, dashboard, browser):
    """A customer, a cart, a show by its name, its waiting list, one of its bookings by its number; on a phone, too."""
    show, hotel, cart = name(), name('hotel'), name('basket')
    ask('define', show, name=f'Recital {show}', venue='Small hall', timezone='Asia/Tokyo', starts_at='2100-12-24T10:30:00Z', state='open', currency='JPY',
        sections=[{'section': 'floor', 'capacity': 2, 'price': 9000}])
    ask('define', hotel, state='open', currency='EUR', name=f'Inn {hotel}', rooms=[{'room': 'double', 'from': '2100-12-20', 'to': '2100-12-30', 'capacity': 3, 'price': 12900}])
    taken = ask('book', show, customer=cart, cart=cart, items=places('floor', 2), payment='cash')['booking']
    ask('hold', hotel, customer=cart, cart=cart, items=stay('double', '2100-12-24', '2100-12-27', 2))
    ask('hold', show, customer='late', items=places('floor', 1), wait_until=soon(world, 3600))
    eventually(lambda: dashboard.get(f'api/resources/{urllib.parse.quote(hotel)}', **BEARER)[0] == 200)
    browser.open(f'{dashboard.url}#/staff')
    browser.press('input[type=search]', cart, '\ue007')
    eventually(lambda: browser.texts('.staff h2') == ['Customer', 'Cart'])
    text = browser.text('.staff')
    assert '¥18,000' in text and '€774.00' in text and '2 × double, 24 Dec 2100 to 27 Dec 2100' in text
    browser.size(*PHONE)
    assert browser.run('return document.documentElement.scrollWidth') <= PHONE[0]
    search = browser.find('input[type=search]')
    search.clear()
    search.send_keys(f'recital {show}', '\ue007')
    eventually(lambda: browser.texts('.plain a') == [f'Recital {show}'])
    browser.click('.plain a')
    eventually(lambda: 'Waiting list' in browser.text('.staff') and 'late' in browser.text('.staff'))
    assert 'Fri, 24 Dec 2100, 19:30' in browser.text('.staff') and 'Tokyo time' in browser.text('.staff')
    assert browser.figure('takings') == 'JP¥18000' and browser.run('return document.documentElement.scrollWidth') <= PHONE[0]
    browser.click('.tabs a:nth-child(2)')
    eventually(lambda: browser.text('.tabs [aria-current]') == 'Held' and 'There are none.' in browser.text('.staff'))
    browser.press('input[type=search]', taken, '\ue007')
    eventually(lambda: browser.texts('.staff h2') == ['Booking'] and taken in browser.text('.staff'))
    browser.open(f'{dashboard.url}#/staff/find/nobody%20%3Cscript%3E')
    eventually(lambda: 'Nothing is known of “nobody <script>”' in browser.text('.staff'))
    assert browser.run('return JSON.stringify([localStorage, sessionStorage, document.cookie])') == '[{},{},""]'


def test_what_was_refused_is_shown(make_realm, make_dashboard, browser):
    """Of all, and of one resource with the reasons; another one's are not among them."""
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **{**HALL, 'name': 'The play'})
    realm.ask('define', 'other', **HALL)
    realm.ask('book', 'show', customer='c', items=seats('A-1'))
    for items in places('standing', 11), places('standing', 12), seats('A-1'):
        realm.ask('book', 'show', customer='c', items=items)
    realm.ask('book', 'nowhere', customer='c', items=places('standing', 1))
    dashboard = make_dashboard(realm)
    eventually(lambda: dashboard.get('api/resources/show', **BEARER)[0] == 200)
    browser.open(f'{dashboard.url}#/staff')
    eventually(lambda: browser.texts('.refused tbody tr') == ['The play\n2 not enough, 1 unit taken\n\t3', 'nowhere\n1 unknown resource\n\t1'])
    assert browser.text('.refused p') == '2 not enough, 1 unknown resource, 1 unit taken'
    browser.click('.refused a')
    eventually(lambda: [text.split('\t')[:2] for text in browser.texts('.refused tbody tr')] == [['not enough', '2'], ['unit taken', '1']])
    browser.size(*PHONE)
    assert browser.run('return document.documentElement.scrollWidth') <= PHONE[0]
    browser.open(f'{dashboard.url}#/staff/resource/other')
    eventually(lambda: 'There are none.' in browser.text('.staff') and not browser.texts('.refused'))


def test_a_booking_tells_its_story(world, ask, name, dashboard, browser):
    """What came back, and the difference, at each exchange; why it ended; the note of a block, and until when units are held."""
    show, hotel = name(), name('hotel')
    ask('define', show, **HALL)
    ask('define', hotel, state='open', currency='EUR', rooms=[{'room': 'double', 'from': '2100-12-20', 'to': '2100-12-30', 'capacity': 3, 'price': 10000}])
    booked = ask('book', show, customer='c', items=seats('A-1', 'A-2'))['booking']
    for items in seats('BA-11', 'BA-12'), seats('BA-13', 'BA-14'), seats('A-3', 'A-4'):
        assert ask('exchange', show, customer='c', booking=booked, items=items)['outcome'] == 'exchanged'
    ask('block', show, items=seats('B-1'), note='camera')
    held = ask('hold', show, customer='h', items=seats('B-2'), ttl_s=3600)
    stayed = ask('book', hotel, customer='c', items=stay('double', '2100-12-24', '2100-12-26', 2))['booking']
    ask('close', hotel, cancel_bookings=True)
    eventually(lambda: printed(world, 'bookings', '--resource', hotel)[0]['state'] == 'cancelled')
    at, room = (urllib.parse.quote(one, safe='') for one in (show, hotel))
    browser.open(f'{dashboard.url}#/staff/booking/{at}/{booked}')
    eventually(lambda: len(browser.texts('.steps li')) == 4)
    assert [text.split('\n')[:3] for text in browser.texts('.steps li')][1:] == [
        ['Exchanged', '€30.00 less', 'came back: stalls A-1, A-2'], ['Exchanged', 'for the same price', 'came back: balcony BA-11, BA-12'],
        ['Exchanged', '€30.00 more', 'came back: balcony BA-13, BA-14']]
    browser.open(f'{dashboard.url}#/staff/booking/{room}/{stayed}')
    eventually(lambda: browser.texts('.steps li') and browser.texts('.steps li')[-1].split('\n')[:3] == [
        'Cancelled', 'the house closed the sale', 'came back: 2 × double, 24 Dec 2100 to 26 Dec 2100'])
    browser.open(f'{dashboard.url}#/staff/resource/{at}')
    eventually(lambda: 'Until' in browser.texts('.staff th') and 'camera' in browser.text('.staff tbody'))
    browser.click('.tabs a:nth-child(2)')
    eventually(lambda: browser.text('.tabs [aria-current]') == 'Held' and len(browser.texts('.staff tbody tr')) == 1)
    until = datetime.datetime.fromisoformat(held['expires_at'].replace('Z', '+00:00')).astimezone(zoneinfo.ZoneInfo('Europe/London'))
    assert until.strftime('%H:%M') in browser.texts('.staff tbody td')[-1]
    browser.click('.tabs a:nth-child(3)')
    eventually(lambda: browser.text('.tabs [aria-current]') == 'Sold' and 'Until' not in browser.texts('.staff th'))


@pytest.mark.parametrize('locked, there, missing', [('quarter', 'unit taken', 'Sales today'), ('former_owner', 'Sales today', 'unit taken')])
def test_each_part_as_soon_as_it_is_counted(make_realm, make_dashboard, browser, locked, there, missing):
    """Takings do not wait for refusals, nor these for takings; what cannot be counted says so, and is there when it can be."""
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **HALL)
    for _ in range(2):
        realm.ask('book', 'show', customer='c', items=seats('A-1'))
    dashboard = make_dashboard(realm, USHER_STATEMENT_TIMEOUT='50s')
    eventually(lambda: dashboard.get('api/resources/show', **BEARER)[0] == 200)
    locking = psycopg2.connect(realm.uri('admin'))
    try:
        locking.cursor().execute(f'lock table usher.{locked} in access exclusive mode')
        browser.open(f'{dashboard.url}#/staff')
        eventually(lambda: there in browser.text('.staff'), 'what is counted')
        assert missing not in browser.text('.staff') and 'It is being counted.' in browser.text('.staff')
    finally:
        locking.close()
    eventually(lambda: missing in browser.text('.staff') and there in browser.text('.staff') and 'counted' not in browser.text('.staff'))


SAVED = """window.saved = undefined; URL.createObjectURL = file => { file.text().then(text => { window.saved = text; }); return "#"; }; URL.revokeObjectURL = () => {};
    document.addEventListener('click', event => { if (event.target.download) event.preventDefault(); });"""


def test_who_gets_money_back(make_realm, make_dashboard, browser):
    """Of what was cancelled: for what, how it was paid, when it ended and why; as a file, and by the command."""
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **HALL)
    ill = realm.ask('book', 'show', customer='=ann()', items=seats('A-1', 'A-2'), payment='card 4711', cart='basket')['booking']
    shut = realm.ask('book', 'show', customer='ben', items=places('standing', 2), payment='@cash')['booking']
    held = realm.ask('hold', 'show', customer='cid', items=seats('A-3'))['booking']
    assert realm.ask('cancel', 'show', customer='=ann()', booking=ill, note='+ill')['outcome'] == 'cancelled'
    realm.ask('close', 'show', cancel_bookings=True, note='flooded')
    eventually(lambda: {row['state'] for row in printed(realm, 'bookings', '--resource', 'show')} == {'cancelled', 'released'})
    ended = {row['booking']: row for row in printed(realm, 'bookings', '--resource', 'show')}
    steps = {row['booking']: row for row in printed(realm, 'history', '--resource', 'show') if row['outcome'] in ('cancelled', 'released')}
    assert {one: (row['ended_at'], row['cause'], row['detail']) for one, row in ended.items()} == {
        one: (row['decided_at'], row['answer'].get('cause'), row['detail']) for one, row in steps.items()}
    assert {one: row['cause'] for one, row in ended.items()} == {ill: None, shut: 'resource_closed', held: 'resource_closed'}
    lines = {line['booking']: line for line in csv.DictReader(realm.command(
        'bookings', '--resource', 'show', '--state', 'cancelled', '--csv').splitlines())}
    wanted = ('customer', 'total', 'currency', 'payment', 'detail', 'cause')
    assert {one: tuple(line[column] for column in wanted) for one, line in lines.items()} == {
        ill: ("'=ann()", '90.00', 'EUR', 'card 4711', "'+ill", ''), shut: ('ben', '40.00', 'EUR', "'@cash", 'flooded', 'resource_closed')}
    assert all(line['ended_at'].endswith('Z') for line in lines.values())
    dashboard = make_dashboard(realm)
    assert told(dashboard, 'refunds', resource='show', state='cancelled') == printed(realm, 'bookings', '--resource', 'show', '--state', 'cancelled')
    eventually(lambda: dashboard.get('api/resources/show', **BEARER)[0] == 200)
    browser.open(f'{dashboard.url}#/staff/resource/show/cancelled')
    eventually(lambda: len(browser.texts('.staff tbody tr')) == 2)
    text = browser.text('.staff table')
    for said in 'Ended', 'Paid with', 'Why', 'card 4711', '@cash', '+ill', 'the house closed the sale: flooded', '€90.00':
        assert said in text, said
    browser.run(SAVED)
    browser.run("[...document.querySelectorAll('.staff button')].find(one => one.innerText === 'CSV').click()")
    lines = {line['booking']: line for line in csv.DictReader(eventually(lambda: browser.run('return window.saved')).splitlines())}
    wanted = ('customer', 'cart', 'units', 'items', 'total', 'currency', 'payment', 'why')
    assert {one: tuple(line[column] for column in wanted) for one, line in lines.items()} == {
        ill: ("'=ann()", 'basket', '2', 'stalls A-1, A-2', '90.00', 'EUR', 'card 4711', "'+ill"),
        shut: ('ben', '', '2', '2 × standing', '40.00', 'EUR', "'@cash", 'the house closed the sale: flooded')}
    assert {one: line['ended_at'] for one, line in lines.items()} == {one: ended[one]['ended_at'] for one in lines}
    browser.size(*PHONE)
    assert browser.run('return document.documentElement.scrollWidth') <= PHONE[0]


def test_what_is_over_is_said(world, ask, name, dashboard, browser):
    show = name()
    ask('define', show, **{**HALL, 'name': f'The play {show}', 'starts_at': soon(world, -90000)})
    booking = ask('book', show, customer='c', items=seats('A-1'))['booking']
    assert ask('define', show, ends_at=soon(world, -80000))['outcome'] == 'defined'
    eventually(lambda: dashboard.get(f'api/resources/{urllib.parse.quote(show)}', **BEARER)[0] == 200)
    at = urllib.parse.quote(show, safe='')
    for page, selector, said in (f'/resource/{at}', '.tag', 'over'), (f'/door/{at}', '.tag', 'over'), (
            f'/booking/{at}/{booking}', '.facts', f'The play {show} (over)'), ('', 'td', f'The play {show} (over)'):
        browser.open(f'{dashboard.url}#/staff{page}')
        eventually(lambda: any(said in text for text in browser.texts(selector)), page)


def test_without_the_record(make_realm, make_dashboard, browser):
    """PostgreSQL does not answer: these pages say so and are grey, a hall goes on, and when it is back they are right by themselves."""
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **HALL)
    dashboard = make_dashboard(realm, USHER_STATEMENT_TIMEOUT='500ms')
    eventually(lambda: dashboard.get('api/resources/show', **BEARER)[0] == 200)
    locking = psycopg2.connect(realm.uri('admin'))
    browser.open(f'{dashboard.url}#/staff/resource/show')
    eventually(lambda: 'Bookings' in browser.text('.staff'))
    locking.cursor().execute('lock table usher.booking in access exclusive mode')
    eventually(lambda: 'does not answer' in browser.text('.stale-note'), 'it says so')
    browser.run('location.hash = "#/resource/show"')
    eventually(lambda: browser.text('#live') == 'live', 'what Redis has is shown')
    browser.run('location.hash = "#/staff/resource/show"')
    eventually(lambda: 'does not answer' in browser.text('.stale-note'))
    locking.close()
    eventually(lambda: not browser.text('.stale-note') and 'Bookings' in browser.text('.staff'))
    assert all('503' in complaint for complaint in browser.complaints())


def test_the_doors(ask, name, hotel, dashboard, browser):
    """A list by seat, by customer, of a night; as a file that no spreadsheet computes; on paper with nothing but the list."""
    show = name()
    ask('define', show, **{**HALL, 'name': f'The play {show}'})
    ask('book', show, customer='=zoe()', items=seats('A-1', 'A-2'))
    ask('book', show, customer='abe, jr', items=seats('A-3'))
    ask('book', hotel, customer='kim', items=stay('double', '2026-12-24', '2026-12-26'))
    for resource in show, hotel:
        eventually(lambda: dashboard.get(f'api/resources/{urllib.parse.quote(resource)}', **BEARER)[0] == 200)
    browser.open(f'{dashboard.url}#/staff')
    eventually(lambda: browser.text('h1') == 'Sold today' and f'The play {show}' in browser.text('.staff') and '€135.00' in browser.text('.staff'))
    browser.open(f'{dashboard.url}#/staff/door/{urllib.parse.quote(show, safe="")}')
    eventually(lambda: [text.split('\t')[:3] for text in browser.texts('.door tbody tr')] == [
        ['A-1', 'stalls', '=zoe()'], ['A-2', 'stalls', '=zoe()'], ['A-3', 'stalls', 'abe, jr']])
    browser.run('URL.createObjectURL = file => { file.text().then(text => { window.saved = text; }); return "#"; }; URL.revokeObjectURL = () => {};'
                "document.addEventListener('click', event => event.preventDefault(), {once: true});")
    browser.run("[...document.querySelectorAll('.door button')].find(one => one.innerText === 'CSV').click()")
    lines = list(csv.DictReader(eventually(lambda: browser.run('return window.saved')).splitlines()))
    assert [(line['seat'], line['customer']) for line in lines] == [('A-1', "'=zoe()"), ('A-2', "'=zoe()"), ('A-3', 'abe, jr')]
    browser.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'media': 'print'})
    assert not browser.texts('.top') and not browser.texts('.tabs') and len(browser.texts('.door .tick')) == 4
    browser.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'media': ''})
    browser.size(*PHONE)
    browser.click('.door .tabs a:nth-child(2)')
    eventually(lambda: [text.split('\t') for text in browser.texts('.door tbody tr')] == [['=zoe()', 'stalls A-1, A-2'], ['abe, jr', 'stalls A-3']])
    assert browser.run('return document.documentElement.scrollWidth') <= PHONE[0]
    stays = 'return [...document.querySelectorAll(".door h2")].map(one => [one.innerText, one.nextElementSibling.innerText.split("\\n").pop()])'
    whole = 'kim\t1 × double, 24 Dec 2026 to 26 Dec 2026'
    browser.open(f'{dashboard.url}#/staff/door/{urllib.parse.quote(hotel, safe="")}/2026-12-24')
    eventually(lambda: browser.run(stays) == [['Arrivals 1', whole], ['In house 0', 'Nobody.'], ['Departures 0', 'Nobody.']])
    assert browser.text('.staff .soft').startswith('Guests · ')
    night = 'return document.querySelector(".door input")?.value'
    browser.click('.door .tabs a:nth-child(3)')
    eventually(lambda: browser.run(night) == '2026-12-25' and browser.run(stays) == [['Arrivals 0', 'Nobody.'], ['In house 1', whole], ['Departures 0', 'Nobody.']])
    browser.click('.door .tabs a:nth-child(3)')
    eventually(lambda: browser.run(night) == '2026-12-26' and browser.run(stays) == [['Arrivals 0', 'Nobody.'], ['In house 0', 'Nobody.'], ['Departures 1', whole]])
    # Chosen, or typed: then as a whole. A date that is typed is another one with each key.
    browser.run('const input = document.querySelector(".door input"); input.value = "2026-12-24"; input.dispatchEvent(new Event("change"));')
    eventually(lambda: browser.run(stays)[:1] == [['Arrivals 1', whole]] and '24 Dec 2026' in browser.text('.staff'))
    browser.run('window.visited = location.hash')
    browser.press('.door input', '\ue014' * 2, '2027')
    assert browser.run('return location.hash === window.visited') and browser.run(night).startswith('2027')
    browser.press('.door input', '\ue007')
    eventually(lambda: (browser.run(night) or '').startswith('2027') and [group for group, _ in browser.run(stays)] == ['Arrivals 0', 'In house 0', 'Departures 0'])


def test_the_doors_in_the_order_of_the_plan(ask, name, make_dashboard, world, browser):
    """With the rate of each seat; a shop has orders to pack; a customer is linked to the house's own list."""
    dashboard = make_dashboard(world, USHER_DASHBOARD_CUSTOMER_LINK='https://crm.example.com/c/{customer}?from=usher')
    show, shop = name(), name('shop')
    ask('define', show, state='open', currency='EUR', sections=[{'section': 'stalls', 'rates': {'adult': 900, 'child': 400}, 'rows': [{'row': 'A', 'seats': 4}]},
                                                                {'section': 'floor', 'price': 100, 'capacity': 9}, {'section': 'box', 'price': 1, 'rows': [{'row': 'X', 'seats': 2}]}])
    ask('book', show, customer='a/b c', items=[*seats('X-1'), *places('stalls', 1, rate='adult'), *places('stalls', 1, rate='child'), *places('floor', 2)])
    ask('define', shop, state='open', currency='EUR', products=[{'product': 'mug', 'name': 'A mug', 'capacity': 9, 'price': 900}, {'product': 'cd', 'capacity': 9, 'rates': {'adult': 1500, 'child': 1200}}])
    ask('book', shop, request_id='o1', customer='zoe', items=[{'product': 'mug', 'quantity': 2}, {'product': 'cd', 'quantity': 1, 'rate': 'child'}])
    ask('book', shop, request_id='o2', customer='abe', items=[{'product': 'mug', 'quantity': 1}])
    for resource in show, shop:
        eventually(lambda: dashboard.get(f'api/resources/{urllib.parse.quote(resource)}', **BEARER)[0] == 200)
    browser.open(f'{dashboard.url}#/staff/door/{urllib.parse.quote(show, safe="")}')
    eventually(lambda: [text.split('\t')[:4] for text in browser.texts('.door tbody tr')] == [
        ['A-1', 'stalls', 'adult', 'a/b c'], ['A-2', 'stalls', 'child', 'a/b c'], ['X-1', 'box', '', 'a/b c'], ['2 ×', 'floor', '', 'a/b c']])
    link = 'return [...document.querySelectorAll(arguments[0])].map(one => [one.href, one.target, one.rel])[0]'
    crm = ['https://crm.example.com/c/a%2Fb%20c?from=usher', '_blank', 'noopener noreferrer']
    assert browser.run(link, '.door td a[target]') == crm
    browser.open(f'{dashboard.url}#/staff/door/{urllib.parse.quote(shop, safe="")}')
    eventually(lambda: [text.split('\t') for text in browser.texts('.door tbody tr')] == [
        ['o2', 'abe', '1 × A mug'], ['o1', 'zoe', '2 × A mug; 1 × cd, child']])
    assert browser.text('.staff .soft').startswith('Orders to pack · ') and '2 orders' in browser.text('.door') and '3 × A mug, 1 × cd' in browser.text('.door')
    browser.open(f'{dashboard.url}#/staff/find/a%2Fb%20c')
    eventually(lambda: browser.run(link, '.staff a[target]') == crm)
    for wrong in ('javascript:alert({customer})', 'https://{customer}/', 'https://crm.example.com/', 'crm/{customer}'):
        assert world.run('run', name='usher-dashboard', USHER_DASHBOARD_CUSTOMER_LINK=wrong).returncode == 78, wrong


WIDE = 'm' * 190


def test_long_words_fit_on_the_screen(make_realm, make_dashboard, browser):
    """As long as the contract allows, without a blank: no page is wider than a phone, a tablet or a desk, and each says all that it has."""
    realm = make_realm()
    realm.worker()
    show, hotel, shop = f'show:{"s" * 59}', f'hotel:{"h" * 58}', f'shop:{"p" * 59}'
    word, customer = 'w' * 60, 'C' * 64

    def ask(*request, **more):
        answer = realm.ask(*request, **more)
        assert answer['outcome'] not in ('refused', 'invalid'), answer
    ask('define', show, **{**HALL, 'name': WIDE, 'venue': WIDE, 'products': [{'product': f'{word}3', 'name': WIDE, 'capacity': 3, 'price': 10 ** 11}], 'sections': [
        {'section': word, 'price': 10 ** 12, 'rows': [{'row': 'R' * 50, 'seats': 4}, {'row': 'Q' * 50, 'seats': 30}]}, {'section': f'{word}2', 'price': 10 ** 12, 'capacity': 1}]})
    tonight = datetime.date.today()
    ask('define', hotel, state='open', name=WIDE, currency='JPY', rooms=[
        {'room': f'{letter * 60}', 'from': str(tonight), 'to': str(tonight + datetime.timedelta(40)), 'capacity': 3, 'price': 10 ** 11} for letter in 'ab'])
    ask('define', shop, state='open', name=WIDE, currency='EUR', products=[{'product': word, 'name': WIDE, 'capacity': 3, 'price': 10 ** 11}])
    long = {'customer': customer, 'cart': 'c' * 64, 'payment': 'p' * 128, 'client': 'k' * 64, 'meta': {'m' * 60: 'n' * 200}, 'note': 'o' * 250}
    ask('book', show, request_id='b' * 64, items=places(word, 2), **long)
    ask('hold', show, items=places(f'{word}2', 1), customer=customer)
    ask('hold', show, items=places(f'{word}2', 1), wait_until=soon(realm, 3000), customer='D' * 64)
    ask('book', hotel, request_id='d' * 64, items=stay('a' * 60, str(tonight), str(tonight + datetime.timedelta(2))), **long)
    ask('book', shop, items=[{'product': word, 'quantity': 2}], **long)
    dashboard = make_dashboard(realm)
    paths = ['', 'partitions', 'staff', f'staff/find/{customer}', f'staff/find/{"c" * 64}', f'staff/booking/{show}/{"b" * 64}', f'staff/find/{"u" * 300}']
    for one in show, hotel, shop:
        eventually(lambda: dashboard.get(f'api/resources/{urllib.parse.quote(one)}', **BEARER)[0] == 200)
        paths += [f'resource/{one}', f'embed/{one}', f'staff/resource/{one}', f'staff/door/{one}', f'staff/door/{one}/names']
    for path in paths:
        browser.open(f'{dashboard.url}#/{path.replace(":", "%3A")}')
        for size in PHONE, (820, 1180), (1440, 900):
            browser.size(*size)
            eventually(lambda: browser.text('main') and 'Loading' not in browser.text('main') and browser.text('#live') not in ('connecting', 'reading'), path)
            assert browser.run('return document.documentElement.scrollWidth') <= size[0], (path, size)
            wide = browser.run("""return [...document.querySelectorAll('main *')].filter(one => one.getClientRects().length > 0 && one.getBoundingClientRect().right > innerWidth + 1
                && getComputedStyle(one).position !== 'absolute' && !one.closest('.row')).map(one => one.outerHTML.slice(0, 200)).slice(0, 3)""")
            assert wide == [], (path, size)


def test_marks_of_direction_are_shown(make_realm, make_dashboard, browser):
    """What would turn a name around, or is not seen, is a question mark wherever people read it; links go on to work."""
    realm = make_realm()
    realm.worker()
    turned, shown = 'a\u202eb\u2066c\u200bd\u2028e', 'a?b?c?d?e'
    answer = realm.ask('define', 'show:x', **{**HALL, 'name': turned, 'venue': turned})
    name = shown if answer['outcome'] == 'defined' else 'Hamlet'
    if name == 'Hamlet':
        realm.ask('define', 'show:x', **HALL)
    realm.ask('book', 'show:x', customer='zoe', request_id='b1', items=places('stalls', 1), payment=turned)
    realm.ask('hold', 'show:x', customer=turned, items=places('stalls', 1))
    dashboard = make_dashboard(realm)
    eventually(lambda: dashboard.get('api/resources/show%3Ax', **BEARER)[0] == 200)
    marks = "return /[\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]/.test(document.title + document.body.innerText + [...document.querySelectorAll('[title], [aria-label]')].map(one => one.title + one.ariaLabel).join(''))"
    for path in '', 'resource/show%3Ax', 'embed/show%3Ax', 'staff', 'staff/resource/show%3Ax', 'staff/door/show%3Ax', 'staff/door/show%3Ax/names', 'staff/booking/show%3Ax/b1':
        browser.open(f'{dashboard.url}#/{path}')
        eventually(lambda: browser.text('main') and browser.text('#live') not in ('connecting', 'reading') and (name in browser.run('return document.body.innerText') or path.startswith('embed')), path)
        assert not browser.run(marks), path


def test_links_that_are_cut(dashboard, browser):
    """In the middle of a character, of a date, or of what they name: there is no such page, and none that loads for ever."""
    for path in ('%E0%A4%A', 'staff/find/%E0%A4%A', 'resource/%E0%A4%A', 'embed/%', 'staff/resource/%ZZ', 'staff/booking/%E0%A4%A/x', 'staff/booking/x/%E0', 'staff/booking/x',
                 'staff/door/x/2026-99-99', 'staff/door/x/2026-02-30', 'staff/door/x/tomorrow', 'staff/resource/x/nonsense', 'staff/find/%20', 'resource/', f'resource/{"x" * 20000}', 'nowhere'):
        browser.open(f'{dashboard.url}#/{path}')
        eventually(lambda: browser.text('h1') == 'There is no such page', path)
        assert browser.text('#live') not in ('connecting', 'reading'), path
    browser.open(f'{dashboard.url}#/resource/show%3Anobody')
    eventually(lambda: 'There is no such resource' in browser.text('.stale-note'))
    assert all('404' in one for one in browser.complaints())


@pytest.mark.skipif(not AXE.exists(), reason='needs axe-core, which make fetches where the registry of npm can be reached')
def test_staff_can_use_it(ask, hall, dashboard, browser):
    ask('book', hall, customer='c', items=seats('A-1'))
    eventually(lambda: dashboard.get(f'api/resources/{urllib.parse.quote(hall)}', **BEARER)[0] == 200)
    for page in '', f'/resource/{hall}', f'/door/{hall}', f'/door/{hall}/names', '/find/c':
        browser.open(f'{dashboard.url}#/staff{page.replace(":", "%3A")}')
        eventually(lambda: browser.texts('.staff td'))
        assert browser.violations(AXE) == [], page
