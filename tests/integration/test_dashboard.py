"""The dashboard's server: what it says of Redis, to how many browsers, and what becomes of it in bad weather."""

import base64
import collections
import concurrent.futures
import contextlib
import gzip
import itertools
import json
import signal
import socket
import subprocess
import time

import pytest

from harness.dashboard import Dashboard
from harness.service_manager import service_manager
from harness.shows import HALL, HALL_UNITS, places, seats
from harness.stack import TREE, clean_environment, program
from harness.waiting import PATIENCE_S, eventually

COUNTS = ('free', 'held', 'sold', 'blocked', 'waiting')


@pytest.fixture
def make_dashboard():
    made = []

    def make(realm, *arguments, **settings):
        made.append(Dashboard(realm, *arguments, **settings))
        return made[-1]
    yield make
    for dashboard in made:
        dashboard.close()


@pytest.fixture
def dashboard(world, make_dashboard):
    return make_dashboard(world)


def apply(picture, change):
    """As the page does it."""
    picture.update({name: change[name] for name in (*COUNTS, 'epoch', 'rev', 'state')})
    for at, text in change.get('seats', []):
        picture['seats'] = picture['seats'][:at] + text + picture['seats'][at + len(text):]
    picture['pools'].update(change.get('pools', {}))


def same(picture, world, resource):
    fields, in_seats, pools = world.shown(resource)
    assert picture['seats'] == (in_seats or '') and picture['pools'] == pools
    assert {name: str(picture[name]) for name in COUNTS} == {name: fields[name] for name in COUNTS}
    return True


def test_a_resource_as_it_is_and_as_it_changes(world, ask, hall, dashboard):
    """The picture, its changes, and the past that both are shown from again."""
    eventually(lambda: dashboard.row(hall), 'the overview has the show')
    stream = dashboard.stream(hall)
    picture = dashboard.resource(hall)
    first = json.loads(json.dumps(picture))
    assert picture['total'] == HALL_UNITS and picture['name'] == 'Hamlet' and picture['catalogue']['sections']
    assert dashboard.json(f'api/layouts/{picture["layout"]}')['seats'] == len(picture['seats'])
    assert stream.next('position')[1] == {'epoch': picture['epoch'], 'rev': picture['rev']}
    for buyer in range(3):
        ask('book', hall, customer=f'c{buyer}', items=places('stalls', 2))
    last = ask('hold', hall, customer='c', items=seats('BA-11'))
    while picture['rev'] < last['rev']:
        apply(picture, stream.next('change')[1])
    assert same(picture, world, hall) and picture['sold'] == 6 and picture['held'] == 1
    assert same(dashboard.resource(hall), world, hall)
    history = dashboard.resource(hall, 'history')['changes']
    assert history[0][1]['seats'][0] == [0, first['seats']] and [at for at, _ in history] == sorted(at for at, _ in history)
    assert dashboard.resource(hall)['updated_ms'] == history[-1][0]
    for _, change in history:
        apply(first, change)
    assert same(first, world, hall)


def test_a_browser_that_was_cut_off(ask, hall, dashboard):
    """It goes on behind its last message, or is told where the resource is."""
    eventually(lambda: dashboard.row(hall))
    stream = dashboard.stream(hall)
    stream.next('position')
    ask('book', hall, customer='c', items=places('standing', 1))
    _, _, last = stream.next('change')
    stream.close()
    answer = ask('book', hall, customer='c', items=places('standing', 1))
    eventually(lambda: dashboard.resource(hall)['rev'] == answer['rev'])
    assert dashboard.stream(hall, Last_Event_ID=last).next('change', 'position')[1]['rev'] == answer['rev']
    assert dashboard.stream(hall, Last_Event_ID='7.1').next('change', 'position')[0] == 'position'


def test_a_layout_of_what_nobody_looks_at(ask, hall, dashboard, make_dashboard, world):
    """Of another dashboard behind the same address: the resource is named, and read for it."""
    eventually(lambda: dashboard.row(hall))
    layout, other = dashboard.resource(hall)['layout'], make_dashboard(world)
    eventually(lambda: other.row(hall))
    assert other.get(f'api/layouts/{layout}')[0] == 404
    assert other.get(f'api/layouts/{layout}?resource=nobody')[0] == 404
    assert other.json(f'api/layouts/{layout}?resource={hall}') == dashboard.json(f'api/layouts/{layout}')


def test_the_overview(ask, name, dashboard):
    """A row for each resource that is no draft, and messages of those that changed; units sold are counted."""
    stream = dashboard.stream()
    stream.next('position')
    show, draft = name(), name()
    ask('define', draft, **{**HALL, 'state': 'draft'})
    ask('define', show, **HALL)
    ask('book', show, customer='c', items=places('standing', 4))

    def sold():
        rows = {row['resource']: row for row in stream.next('rows')[1]}
        return show in rows and rows[show]['sold'] == 4 and sum(rows[show].get('pace', [])) in (0, 4)
    eventually(sold, 'the row says so')
    assert dashboard.row(show)['sold'] == 4 and not dashboard.row(draft)


def test_what_is_refused(ask, hall, dashboard):
    for path in ('api/resources/show:nobody', 'api/history/show:nobody', 'api/changes?resource=nobody', 'api/layouts/abc', 'main',
                 '../../etc/passwd', '..%2f..%2fetc/passwd', 'api/resources/%00', 'api'):
        assert dashboard.get(path)[0] == 404, path
    for method in ('POST', 'PUT', 'DELETE', 'OPTIONS'):
        status, _, headers = dashboard.get('', method)
        assert (status, headers['Allow']) == (405, 'GET, HEAD')
    status, text, headers = dashboard.get('', 'HEAD')
    assert (status, text) == (200, '') and headers['X-Content-Type-Options'] == 'nosniff'
    policy = headers['Content-Security-Policy']
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and 'unsafe' not in policy


def test_pages_are_sent_once(dashboard):
    for path in ('', 'main.js', 'style.css', 'icon.svg'):
        status, text, headers = dashboard.get(path)
        assert status == 200 and text
        assert dashboard.get(path, If_None_Match=headers['ETag'])[:2] == (304, '')


def test_pages_are_compressed(dashboard):
    """To those who take gzip, with a tag of their own; all pages together weigh less than 150 KB, and come at once."""
    weight, first = 0, dashboard.get('')[1]
    for path in ('', *(file.name for file in (TREE / 'worker/dashboard/page').iterdir() if file.name != 'index.html')):
        plain = dashboard.get(path)
        status, packed, headers = dashboard.get_bytes(path, Accept_Encoding='br, gzip;q=0.8')
        assert (status, headers['Content-Encoding'], headers['Vary']) == (200, 'gzip', 'Accept-Encoding')
        assert gzip.decompress(packed).decode() == plain[1] and headers['ETag'] != plain[2]['ETag']
        assert dashboard.get(path, Accept_Encoding='gzip', If_None_Match=headers['ETag'])[:2] == (304, '')
        for refused in ('br', 'gzip;q=0', 'gzip; q=0.000, identity'):
            assert dashboard.get(path, Accept_Encoding=refused)[2]['ETag'] == plain[2]['ETag']
        assert f'"{path}"' in first, 'it is asked for at once, not by the file that needs it'
        weight += len(packed)
    assert weight <= 150 << 10


def test_who_may_look(world, hall, make_dashboard):
    """With a token nothing is said without it, but whether it lives; a public one says nothing of workers."""
    closed = make_dashboard(world, USHER_DASHBOARD_TOKEN='sesame')
    basic = base64.b64encode(b'anybody:sesame').decode()
    for path in ('', 'api/resources', 'api/changes', 'metrics', 'main.js'):
        status, _, headers = closed.get(path)
        assert status == 401 and headers['WWW-Authenticate'].startswith('Basic')
        assert closed.get(path, Authorization='Bearer sesam')[0] == 401
    assert closed.get('api/resources', Authorization='Bearer sesame')[0] == 200
    assert closed.get('api/resources', Authorization=f'Basic {basic}')[0] == 200
    assert closed.get('livez')[0] == 200
    assert 'sesame' not in closed.log_path.read_text()
    public = make_dashboard(world, '--dashboard-public', '--dashboard-frame-ancestors', 'https://example.org')
    assert public.get('api/partitions')[0] == 404
    assert 'frame-ancestors https://example.org' in public.get('')[2]['Content-Security-Policy']


def test_partitions(world, hall, dashboard):
    eventually(lambda: dashboard.row(hall))
    eventually(lambda: [row.get('worker') for row in dashboard.json('api/partitions')['partitions']] == world.partitions * [world.workers[-1].name],
               'all are its')
    assert all(row['epoch'] >= 1 for row in dashboard.json('api/partitions')['partitions'])


def test_partitions_without_resources(make_realm, make_own_redis, make_dashboard):
    """All that the topic has, in a house that has defined nothing yet; then those that nobody owns, too."""
    redis = make_own_redis('partitions')
    realm = make_realm(USHER_REDIS=redis.url, partitions=5)
    worker = realm.worker()
    dashboard = make_dashboard(realm)

    def rows():
        return [(row['partition'], row.get('worker')) for row in dashboard.json('api/partitions')['partitions']]
    eventually(lambda: rows() == [(number, worker.name) for number in range(5)], 'all are listed')
    worker.kill()
    eventually(lambda: rows() == [(number, None) for number in range(5)], 'all are missed')


def test_too_many_browsers(world, hall, make_dashboard):
    """Those beyond the bound are told to come again, and get in as soon as one leaves; a browser that never reads is in
    nobody's way."""
    dashboard = make_dashboard(world, USHER_DASHBOARD_BROWSERS='3')
    eventually(lambda: dashboard.row(hall))
    deaf = socket.create_connection(('127.0.0.1', dashboard.port))
    deaf.sendall(b'GET /api/changes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    eventually(lambda: dashboard.metric('usher_dashboard_browsers') == 1)
    streams = [dashboard.stream(hall), dashboard.stream()]
    for stream in streams:
        assert stream.next('status')[1]['redis']
    status, _, headers = dashboard.get('api/changes')
    assert status == 503 and int(headers['Retry-After']) > 0
    streams[0].close()
    eventually(lambda: dashboard.stream().answer.status == 200, 'there is room again')
    assert streams[1].next('status')
    deaf.close()


def test_a_thousand_browsers_at_once(world, hall, make_dashboard):
    """As many as may are kept up to date; each other one is told when to come again, and pages are served all the while."""
    dashboard = make_dashboard(world, USHER_DASHBOARD_BROWSERS='100')
    eventually(lambda: dashboard.row(hall))
    with contextlib.ExitStack() as crowd:
        browsers = []
        for _ in range(1000):  # who has asked for nothing is sent away after a while
            browsers.append(crowd.enter_context(socket.create_connection(('127.0.0.1', dashboard.port), PATIENCE_S)))
            browsers[-1].sendall(b'GET /api/changes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
        heads = [browser.recv(4096) for browser in browsers]
        assert collections.Counter(head.split(b' ')[1] for head in heads) == {b'200': 100, b'503': 900}
        assert all(b'Retry-After: ' in head for head in heads if b' 503 ' in head)
        assert dashboard.get('')[0] == 200 and dashboard.row(hall)
        assert dashboard.metric('usher_dashboard_refused_total') == 900
    eventually(lambda: dashboard.metric('usher_dashboard_browsers') == 0, 'all have left')


def test_slow_connections_keep_nobody_out(world, make_dashboard):
    """Eight hundred that send a byte at a time, then more than there is room for: probes are answered all the while, each slow one
    is closed after its time, and a stream that was open before is still there."""
    dashboard = make_dashboard(world, USHER_DASHBOARD_TOKEN='sesame')
    stream = dashboard.stream(Authorization='Bearer sesame')
    head = b'GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ' + b'x' * 10000
    with contextlib.ExitStack() as crowd:
        slow = []

        def dribble(number):
            for one in slow:
                with contextlib.suppress(OSError):
                    one.send(head[number:number + 1])
        for number in range(8):
            while len(slow) < (800 if number < 4 else 1600):
                slow.append(crowd.enter_context(socket.create_connection(('127.0.0.1', dashboard.port), PATIENCE_S)))
            dribble(number)
            assert dashboard.get('livez')[0] == 200
            time.sleep(1)

        def ended(one):
            try:
                return one.recv(1, socket.MSG_DONTWAIT) == b''
            except BlockingIOError:
                return False
            except OSError:
                return True
        number = itertools.count(8)
        eventually(lambda: dribble(next(number)) or all(map(ended, slow)), 'none has more than its time')
    assert dashboard.get('livez')[0] == 200 and stream.next('status')


def test_a_request_has_a_deadline_on_a_kept_connection(world, make_dashboard):
    """The second request of a connection, and a body that nobody wants."""
    dashboard = make_dashboard(world)

    def open_for_s(opening):
        with socket.create_connection(('127.0.0.1', dashboard.port), PATIENCE_S) as slow:
            begun = time.monotonic()
            slow.sendall(opening)
            with contextlib.suppress(OSError):
                while time.monotonic() - begun < PATIENCE_S:
                    slow.sendall(b'x')
                    time.sleep(1)
            return time.monotonic() - begun
    openings = (b'GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /li', b'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n')
    with concurrent.futures.ThreadPoolExecutor(len(openings)) as both:
        assert all(9 < took_s < PATIENCE_S for took_s in both.map(open_for_s, openings))


def test_names_of_the_dashboard(world, make_dashboard):
    """A page that makes its own name point here sees nothing of a dashboard without a token; probes are answered under any name."""
    names = {'localhost': 200, 'LocalHost:8090': 200, 'app.localhost': 200, 'localhost.': 200, '127.0.0.1': 200, '127.0.0.1:1': 200, '[::1]:8090': 200,
             '10.0.0.7:8090': 200, 'evil.example': 421, 'evil.example:8090': 421, 'localhost.evil.example': 421, 'evillocalhost': 421,
             '127.0.0.1.evil.example': 421, 'x': 421, '[evil.example]': 421, ':8090': 421, 'dash.example.com': 421, 'a' * 300: 421}
    dashboard = make_dashboard(world)
    for name, status in names.items():
        for path in ('', 'main.js', 'api/resources', 'api/changes?resource=x', 'metrics'):
            got = dashboard.get(path, Host=name)
            assert got[0] in ((421,) if status == 421 else (200, 404)), (name, path)
            assert (got[0] == 421) == ('USHER_DASHBOARD_HOSTS' in got[1]), name
        assert dashboard.get('livez', Host=name)[0] == dashboard.get('readyz', Host=name)[0] == 200, name
    named = make_dashboard(world, USHER_DASHBOARD_HOSTS='other dash.example.com')
    assert [named.get('api/resources', Host=name)[0] for name in ('Dash.Example.com:443', 'other', 'evil.example', 'localhost')] == [200, 200, 421, 200]
    assert make_dashboard(world, USHER_DASHBOARD_HOSTS='*').get('api/resources', Host='evil.example')[0] == 200
    closed = make_dashboard(world, USHER_DASHBOARD_TOKEN='sesame')
    assert closed.get('api/resources', Host='evil.example', Authorization='Bearer sesame')[0] == 200
    assert closed.get('api/resources', Host='evil.example')[0] == 401


def test_a_redis_that_is_emptied(make_realm, make_own_redis, make_dashboard):
    """While it is connected: what is shown stays, and is right again with the next sale."""
    redis = make_own_redis('emptied')
    realm = make_realm(USHER_REDIS=redis.url)
    realm.worker()
    realm.ask('define', 'show', **HALL)
    dashboard = make_dashboard(realm)
    eventually(lambda: dashboard.row('show'))
    stream = dashboard.stream('show')
    stream.next('position')
    redis.client.flushall()
    sold = realm.ask('book', 'show', customer='c', items=places('standing', 2))
    eventually(lambda: stream.next('change', 'reload')[1].get('rev') == sold['rev'], 'the browser is told')
    eventually(lambda: same(dashboard.resource('show'), realm, 'show') and dashboard.row('show')['sold'] == 2)


def test_another_version_of_the_contract(make_realm, make_own_redis, make_dashboard):
    """It is not read: browsers are told that Redis is away, operators why; then it goes on without a restart."""
    redis = make_own_redis('contract')
    realm = make_realm(USHER_REDIS=redis.url)
    realm.worker()
    realm.ask('define', 'show', **HALL)
    dashboard = make_dashboard(realm)
    eventually(lambda: dashboard.row('show'))
    realm.workers[-1].stop()
    contract = f'{realm.name}:contract'
    version = redis.client.get(contract)
    redis.client.set(contract, 99)
    redis.client.client_kill_filter(_type='pubsub')
    stream = dashboard.stream()
    eventually(lambda: 'contract version' in dashboard.log_path.read_text(), 'the log says why')
    eventually(lambda: not stream.next('status')[1]['redis'])
    assert dashboard.row('show')['free'] == HALL_UNITS
    redis.client.set(contract, version)
    eventually(lambda: stream.next('status')[1]['redis'])


def test_a_hostile_redis(make_realm, make_own_redis, make_dashboard):
    """Fields of 2 MB, bytes that are no text, keys of other types, ids of nobody: what is passed on is small, valid and of resources
    alone; those that are right are shown as ever."""
    redis = make_own_redis('hostile')
    realm = make_realm(USHER_REDIS=redis.url)
    worker = realm.worker()
    realm.ask('define', 'good', **HALL)
    realm.ask('book', 'good', customer='c', items=places('standing', 2))
    for one in ('large', 'bytes', 'keys', 'json', 'typed', 'dates', 'stateless'):
        realm.ask('define', one, **HALL)
    eventually(lambda: redis.client.zcard(f'{realm.name}:resources') == 8)
    worker.stop()
    texts = ('kind', 'name', 'venue', 'currency', 'timezone', 'starts_at', 'ends_at', 'opens_at', 'closes_at')
    keys = {one: f'{realm.name}:{{{one}}}' for one in ('large', 'bytes', 'keys', 'json', 'typed', 'dates', 'stateless')}
    redis.client.hset(keys['large'], mapping={text: 'é' * (1 << 20) for text in (*texts, 'total')})
    redis.client.hset(keys['bytes'], mapping={text: b'a\xff\xc3\x00\xed\xa0\x80b' for text in texts})
    redis.client.hset(keys['stateless'], 'state', 'é' * (1 << 20))
    redis.client.set(f"{keys['bytes']}:seats", bytes(range(256)) * 8192)
    redis.client.hset(f"{keys['bytes']}:pools", mapping={b'\xff': b'\xff' * (2 << 20), 'stalls': '"/x'})
    redis.client.set(f"{keys['json']}:catalogue", b'{"sections": [\xff')
    redis.client.set(f"{realm.name}:layout:{redis.client.hget(keys['json'], 'layout')}", '"not an object"')
    redis.client.hset(keys['dates'], mapping={text: 'tomorrow' for text in texts[4:]})
    redis.client.delete(keys['typed'])
    redis.client.set(keys['typed'], 'x')
    redis.client.zadd(f'{realm.name}:resources', {b'\xff\xfe': 1, 'x' * (2 << 20): 2, '<b>': 3, '': 4})
    redis.client.hset(f'{realm.name}:worker:0', mapping={'worker': b'\xff' * 4096, 'partitions': 10 ** 18})
    dashboard = make_dashboard(realm)
    eventually(lambda: dashboard.row('good'))
    status, sent, _ = dashboard.get_bytes('api/resources')
    rows = {row['resource']: row for row in json.loads(sent.decode('utf-8', 'strict'))['resources']}
    assert status == 200 and len(sent) < 16384 and set(rows) == {'good', 'large', 'bytes', 'keys', 'json', 'dates'}
    assert rows['good']['sold'] == 2 and rows['large']['name'] == 'é' * 128 and rows['bytes']['name'] == 'a??????b' and rows['large']['kind'] == 'mixed'
    for one in rows:
        for path in f'api/resources/{one}', f'api/history/{one}':
            status, sent, _ = dashboard.get_bytes(path)
            assert status == 200 and json.loads(sent.decode('utf-8', 'strict')), path
    assert json.loads(dashboard.get('api/resources/json')[1])['catalogue'] == {'sections': [], 'rooms': [], 'products': []} and set(json.loads(dashboard.get('api/resources/bytes')[1])['pools'].values()) >= {'0/0/0/0/0'}
    for path in 'api/partitions', 'metrics', 'livez':
        assert dashboard.get_bytes(path)[1].decode('utf-8', 'strict')
    stream = dashboard.stream('good')
    redis.client.publish(f'{realm.name}:changes', b'{"resource":"\xff","epoch":1}')
    redis.client.publish(f'{realm.name}:changes', json.dumps({'resource': 'y' * 4096, 'epoch': 1, 'rev': 1, 'from': 0}))
    redis.client.publish(f'{realm.name}:{{good}}:changes', b'\xff\n\n')
    assert stream.next('status')[1]['redis'] and dashboard.row('good')['sold'] == 2


def test_redis_goes_and_comes(make_realm, make_own_redis, make_dashboard):
    """Browsers are told, and then get what they missed on the same stream; with an empty Redis, too."""
    redis = make_own_redis('dashboard')
    realm = make_realm(USHER_REDIS=redis.url)
    realm.worker()
    realm.ask('define', 'show', **HALL)
    dashboard = make_dashboard(realm)
    eventually(lambda: dashboard.row('show'))
    overview, stream = dashboard.stream(), dashboard.stream('show')
    stream.next('position')
    redis.kill()
    eventually(lambda: not stream.next('status')[1]['redis'], 'the browser knows that Redis is away')
    assert dashboard.get('livez')[0] == 200 and dashboard.row('show')['free'] == HALL_UNITS
    sold = realm.ask('book', 'show', customer='c', items=places('standing', 2))
    redis.start()
    eventually(lambda: stream.next('change')[1]['rev'] == sold['rev'], 'the browser has what it missed')
    eventually(lambda: overview.next('status')[1]['redis'])
    eventually(lambda: dashboard.row('show')['sold'] == 2)
    realm.workers[-1].kill()
    eventually(lambda: not overview.next('status')[1]['alive'], 'a partition without an owner is stale')


def test_memory_is_bounded(world, ask, name, make_dashboard):
    """What nobody looks at goes first, then the oldest of the past."""
    dashboard = make_dashboard(world, USHER_DASHBOARD_MEMORY='1M')
    large = {'state': 'open', 'sections': [{'section': 'stalls', 'price': 1, 'rows': [
        {'row': f'R{row}', 'seats': 250} for row in range(80)]}]}
    shows = [name() for _ in range(12)]
    for show in shows:
        ask('define', show, **large)
    eventually(lambda: all(map(dashboard.row, shows)))
    for show in shows:
        assert dashboard.resource(show)['free'] == 20000
    eventually(lambda: dashboard.metric('usher_dashboard_memory_bytes') <= 1 << 20, 'some are forgotten')
    assert 0 < dashboard.metric('usher_dashboard_resources_followed') < 12


def test_the_service_manager_is_told(world, tmp_path, make_dashboard):
    """As systemd hears it (Type=notify): ready when /readyz says so, alive again and again, stopping at TERM."""
    with service_manager(tmp_path) as manager:
        dashboard = make_dashboard(world, **manager.settings)
        assert 'STATUS=following Redis' in manager.hear('READY=1')
        for _ in range(2):
            manager.hear('WATCHDOG=1')
        assert dashboard.stop() == 0
        manager.hear('STOPPING=1')


def test_a_reload_of_the_log(world, tmp_path, make_dashboard):
    """By HUP, as a worker does it; the streams go on."""
    (tmp_path / 'conf').write_text('USHER_LOG_LEVEL=info\n')
    dashboard = make_dashboard(world, '--config', str(tmp_path / 'conf'))
    stream = dashboard.stream()
    stream.next('position')
    (tmp_path / 'conf').write_text('USHER_LOG_LEVEL=info\nUSHER_LOG_FORMAT=json\n')
    dashboard.process.send_signal(signal.SIGHUP)
    eventually(lambda: '"msg":"reloaded the options' in dashboard.log_path.read_text())
    stream.next('status')


def test_it_knows_no_kafka():
    """Neither librdkafka nor an option of it: `-X` is no flag, and the keys of workers are passed over."""
    linked = subprocess.run(['ldd', program('usher-dashboard')], capture_output=True, text=True, check=True).stdout
    assert 'libhiredis' in linked and 'rdkafka' not in linked
    for arguments, code in ((['-X', 'linger.ms=5'], 64), (['--kafka-brokers', 'x'], 64), ([], 0)):
        done = subprocess.run([program('usher-dashboard'), 'print-config', *arguments], capture_output=True, text=True, check=False,
                              env=clean_environment(USHER_KAFKA_BROKERS='nowhere:1', USHER_HOLD_TTL='soon', USHER_POSTGRES=''))
        assert done.returncode == code and 'nowhere' not in done.stdout, done.stderr


def test_what_it_cannot_start_with(world):
    for settings, code in (({'USHER_REDIS': ''}, 78), ({'USHER_DASHBOARD_LISTEN': 'nonsense'}, 78),
                           ({'USHER_DASHBOARD_FRAME_ANCESTORS': "x; script-src *"}, 78), ({'USHER_DASHBOARD_HOSTS': 'https://example.org'}, 78),
                           ({'USHER_DASHBOARD_TOKEN': ''}, 78), ({'USHER_DASHBOARD_BROWSERS': '0'}, 64)):
        assert world.run('run', name='usher-dashboard', **settings).returncode == code, settings
