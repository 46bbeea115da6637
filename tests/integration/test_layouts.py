"""What Redis has for all: the layouts that shows share, the lists, the channel of all resources; the keys of the contract
before; and what its README hands out: the examples and the permissions."""

import json
import re
import shutil
import socket
import subprocess
import sys
import threading

import pytest
import redis
from contract import validate_overview
from harness.services import Service
from harness.shows import HALL, places, rows, seated, seats
from harness.stack import BUILD, TREE, clean_environment, program
from harness.waiting import PATIENCE_S, eventually
from test_cache import Reader, differences

CONTRACT = TREE / 'schema/redis'


def names_of_layouts(realm):
    return {key.split(':')[-1] for key in realm.cache.keys(f'{realm.name}:layout:*') if not key.endswith(':resources')}


def of_layout(realm, layout):
    return realm.cache.smembers(f'{realm.name}:layout:{layout}:resources')


def define(realm, show, **fields):
    """Returns the answer, and the name of the layout that Redis shows then."""
    answer = realm.ask('define', show, **{'state': 'open', **fields})
    return answer, realm.await_shown(show, answer['rev'])[0]['layout']


# ---- layouts -------------------------------------------------------------------------------------------------------
def test_shows_of_one_hall_share_a_layout_which_goes_with_the_last(realm):
    answer, hall = define(realm, 'show:one', **seated(4, 3))
    assert answer['chart'] == f'sha256:{hall}'
    assert define(realm, 'show:two', chart=answer['chart'], sections=[{'section': 'stalls', 'price': 900}])[1] == hall
    assert names_of_layouts(realm) == {hall} and of_layout(realm, hall) == {'show:one', 'show:two'}
    _answer, other = define(realm, 'show:one', sections=[{'section': 'stalls', 'rows': rows(2, 5)}])
    assert names_of_layouts(realm) == {hall, other} and of_layout(realm, hall) == {'show:two'}
    assert define(realm, 'show:two', sections=[{'section': 'stalls', 'rows': rows(2, 5)}])[1] == other
    assert names_of_layouts(realm) == {other} and of_layout(realm, other) == {'show:one', 'show:two'}
    for show in ('show:one', 'show:two'):
        assert define(realm, show, sections=[{'section': 'stalls', 'capacity': 0}])[1] == ''
    assert not realm.cache.keys(f'{realm.name}:layout:*')
    assert differences(realm) == []


def test_an_index_is_never_another_seat_unnoticed(realm):
    """Its rows change while one follows: what was A-1 is Z-1, and the reader knows it."""
    define(realm, 'show', **seated(3))
    reader = Reader(realm, 'show')
    sold = realm.ask('book', 'show', customer='c', items=seats('A-1'))
    eventually(lambda: reader.follow() and reader.states()['A-1'] == 's', 'the reader sees it sold')
    realm.ask('cancel', 'show', customer='c', booking=sold['booking'])
    realm.ask('define', 'show', sections=[{'section': 'stalls', 'rows': [{'row': 'Z', 'seats': 2}, {'row': 'A', 'seats': 3}]}])
    eventually(lambda: reader.follow() and 'Z-1' in reader.states(), 'the reader sees the other rows')
    realm.ask('book', 'show', customer='c', items=seats('A-1'))
    eventually(lambda: reader.follow() and reader.hash['sold'] == '1', 'and what is sold of them')
    assert reader.states() == {'Z-1': '.', 'Z-2': '.', 'A-1': 's', 'A-2': '.', 'A-3': '.'}
    reader.close()


def test_prices_are_told_of(realm):
    realm.ask('define', 'shop', state='open', products=[{'product': 'mug', 'capacity': 5, 'price': 500}])
    eventually(lambda: realm.shown('shop')[0])
    reader = Reader(realm, 'shop')
    realm.ask('define', 'shop', products=[{'product': 'mug', 'price': 777}])
    eventually(lambda: reader.follow() and reader.catalogue['products'][0]['rates'] == {'standard': 777})
    reader.close()


def test_a_lost_layout_is_written_by_the_next_change_and_a_wrong_one_healed(realm):
    _answer, layout = define(realm, 'show', **HALL)
    key = f'{realm.name}:layout:{layout}'
    whole = realm.cache.get(key)
    realm.cache.delete(key)
    answer = realm.ask('book', 'show', customer='c', items=places('stalls', 1))
    realm.await_shown('show', answer['rev'])
    assert realm.cache.get(key) == whole and differences(realm) == []
    realm.cache.set(key, '{}')
    realm.cache.delete(f'{key}:resources')
    realm.cache.zadd(f'{realm.name}:resources', {'show': 5})
    realm.cache.srem(f'{realm.name}:resources:kind:mixed', 'show')
    realm.cache.sadd(f'{realm.name}:resources:state:closed', 'show')
    lists = f'{realm.name}:resources'
    said = (f"the layout differs; not in the set of its layout's resources; its score in {lists} is 5, not 0; "
            f'not in {lists}:kind:mixed; wrongly in {lists}:state:closed')
    assert realm.run('reconcile', '--heal').stdout.splitlines()[0] == f'repaired: show: {said}'
    assert differences(realm) == [] and realm.cache.get(key) == whole
    realm.cache.delete(f'{realm.name}:{{show}}')
    assert differences(realm) == [f'show: there is no key {realm.name}:{{show}} in Redis']


def test_a_layout_that_nobody_has_any_more_is_removed(realm):
    """A foreign hand deleted the hash that named it, so that nobody left it."""
    _answer, hall = define(realm, 'show', **seated(4))
    realm.cache.delete(f'{realm.name}:{{show}}')
    _answer, other = define(realm, 'show', **seated(4, 2))
    assert names_of_layouts(realm) == {hall, other}
    assert differences(realm) == [f'layout {hall} in Redis lists 1 resource that has another one']
    assert realm.run('reconcile', '--heal').stdout.startswith('repaired: layout ')
    assert names_of_layouts(realm) == {other} and differences(realm) == []


# ---- overviews -----------------------------------------------------------------------------------------------------
def test_one_channel_tells_of_all_resources(realm):
    with realm.cache.pubsub() as listener:
        listener.subscribe(f'{realm.name}:changes')
        assert listener.get_message(timeout=PATIENCE_S)['type'] == 'subscribe'
        define(realm, 'show', **seated(3))
        define(realm, 'floor', sections=[{'section': 'floor', 'capacity': 2, 'price': 100}])
        realm.ask('book', 'floor', customer='c', items=places('floor', 2))
        party = realm.ask('hold', 'floor', customer='d', items=places('floor', 1), wait_until='2099-01-01T00:00:00Z')
        realm.await_shown('floor', party['rev'])
        heard, last = set(), {}
        while last.get('rev') != party['rev']:
            last = json.loads(listener.get_message(timeout=PATIENCE_S)['data'])
            validate_overview(last)
            heard.add(last['resource'])
    assert heard == {'show', 'floor'}
    assert (last['free'], last['sold'], last['waiting']) == (0, 2, 1)
    shown = realm.shown('floor')[0]
    assert (shown['waiting'], shown['kind']) == ('1', 'standing')
    realm.check()


# ---- the contract before -------------------------------------------------------------------------------------------
def test_keys_of_the_contract_before_are_written_again(make_realm):
    """Each resource, drafts too, though none has changed since the position."""
    realm = make_realm(partitions=2)
    worker = realm.worker()
    for number in range(4):
        define(realm, f'show:{number}', **seated(3))
    answer = realm.ask('define', 'draft', **seated(2, state='draft'))
    realm.await_shown('draft', answer['rev'])
    worker.stop()
    as_it_was = [realm.cache.keys(f'{realm.name}:{part}') for part in ('layout:*', '{*}:catalogue', 'resources*')]
    realm.cache.delete(*sum(as_it_was, []))
    realm.cache.sadd(f'{realm.name}:resources', *(f'show:{number}' for number in range(4)))
    realm.cache.set(f'{realm.name}:{{show:0}}:chart', '{}')
    realm.cache.set(f'{realm.name}:contract', '1')
    healing = realm.run('reconcile', '--heal')  # positions say that all is shown: nobody would write the rest
    assert healing.returncode == 78 and 'start a worker, or run usher-worker rebuild-cache' in healing.stderr
    assert realm.cache.get(f'{realm.name}:contract') == '1'
    realm.worker()
    eventually(lambda: differences(realm) == [], 'all is as the contract has it')
    assert realm.cache.get(f'{realm.name}:contract') == '2'
    assert realm.cache.exists(f'{realm.name}:{{show:0}}:chart')
    realm.cache.set(f'{realm.name}:contract', '1')
    realm.command('rebuild-cache')
    assert realm.cache.get(f'{realm.name}:contract') == '2'
    assert not realm.cache.keys(f'{realm.name}:*:chart') and differences(realm) == []


class Gate:
    """A way to Redis on which commands that change keys with a name wait until they are let through, one by one."""

    def __init__(self, uri, name):
        self._name, self._go = name.encode(), threading.Semaphore(0)
        self.waits, self.passed = threading.Semaphore(0), threading.Semaphore(0)
        host, port = re.fullmatch(r'redis://(?:.*@)?(.+):(\d+)(?:/.*)?', uri).groups()
        self._there, self._here = (host, int(port)), socket.create_server(('127.0.0.1', 0))
        self.uri = uri.replace(f'{host}:{port}', f'127.0.0.1:{self._here.getsockname()[1]}')
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, server = self._here.accept()[0], socket.create_connection(self._there)
            threading.Thread(target=self._carry, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self._carry, args=(server, client, False), daemon=True).start()

    def _carry(self, source, target, stops):
        while data := source.recv(1 << 20):
            waits = stops and self._name in data and (b'UNLINK' in data or b'EVAL' in data)
            if waits:
                self.waits.release()
                self._go.acquire()
            target.sendall(data)
            if waits:
                self.passed.release()

    def let_through(self):
        self._go.release()


def test_a_resource_leaves_its_layout_with_its_hash_when_all_is_written_again(make_realm, own_redis):
    """rebuild-cache is killed when it has deleted a hash that a worker wrote meanwhile, with its layout."""
    realm = make_realm(USHER_REDIS=own_redis.url)
    worker = realm.worker()
    hall = define(realm, 'show', **seated(4, 3))[1]
    worker.stop()
    layout, text = f'{realm.name}:layout:{hall}', realm.cache.get(f'{realm.name}:layout:{hall}')
    gate = Gate(own_redis.url, '{show}')
    with subprocess.Popen([program('usher-worker'), 'rebuild-cache'], stderr=subprocess.DEVNULL,
                          env=clean_environment(**{**realm.environment, 'USHER_REDIS': gate.uri})) as rebuilding:
        while realm.cache.exists(f'{realm.name}:{{show}}'):
            assert gate.waits.acquire(timeout=PATIENCE_S)
            if realm.cache.exists(f'{realm.name}:{{show}}'):
                realm.cache.set(layout, text)
                realm.cache.sadd(f'{layout}:resources', 'show')
                gate.let_through()
        rebuilding.kill()
    places = realm.client.send(realm.client.request('define', 'show', **seated(5, 5)))
    realm.worker()
    realm.await_shown('show', realm.client.answers_to(places)[0]['rev'])
    eventually(lambda: differences(realm) == [], 'all is as the contract has it')
    assert of_layout(realm, hall) == set() and names_of_layouts(realm) != {hall}


def test_what_rebuild_cache_deleted_last_is_written_again_where_it_was_killed(make_realm, own_redis):
    """A worker has written all again, and its position, while rebuild-cache was still deleting."""
    realm = make_realm(USHER_REDIS=own_redis.url)
    realm.worker()
    rev = define(realm, 'show', **seated(4, 3))[0]['rev']
    realm.await_shown('show', rev)
    key, shown = f'{realm.name}:{{show}}', f'{realm.name}:shown:0'
    gate = Gate(own_redis.url, '{show}')
    with subprocess.Popen([program('usher-worker'), 'rebuild-cache'], stderr=subprocess.DEVNULL,
                          env=clean_environment(**{**realm.environment, 'USHER_REDIS': gate.uri})) as rebuilding:
        assert gate.waits.acquire(timeout=PATIENCE_S)
        eventually(lambda: realm.cache.exists(key) and int((realm.cache.get(shown) or '0/0').split('/')[1]) >= rev,
                   'the worker has written all that was deleted so far')
        rebuilding.kill()
    gate.let_through()
    assert gate.passed.acquire(timeout=PATIENCE_S), 'the deletion that was under way'
    eventually(lambda: differences(realm) == [], 'all is as the contract has it')


# ---- what is handed out --------------------------------------------------------------------------------------------
NODE_MODULES = BUILD / 'examples/redis/node_modules'


def examples(tmp_path):
    """The commands of the examples that can run here."""
    yield [sys.executable, str(CONTRACT / 'follow.py')]
    if not shutil.which('node'):
        return
    subprocess.run(['node', '--check', CONTRACT / 'follow.mjs'], check=True)
    if NODE_MODULES.exists():
        (tmp_path / 'node_modules').symlink_to(NODE_MODULES)
        yield ['node', shutil.copy(CONTRACT / 'follow.mjs', tmp_path)]


def test_the_examples_follow_over_a_restart_of_redis(make_realm, own_redis, tmp_path):
    realm = make_realm(USHER_REDIS=own_redis.url)
    realm.worker()
    define(realm, 'show', **seated(3))
    following = [Service([*command, own_redis.url, 'show', realm.name], {}) for command in examples(tmp_path)]

    def await_held(count):
        for one in following:
            one.await_line(one.printed, lambda: re.search(f"held'?:? '?{count}", one.printed[-1] if one.printed else ''))
    try:
        await_held(0)
        realm.ask('hold', 'show', customer='c', items=seats('A-2'))
        await_held(1)
        own_redis.kill()
        realm.ask('hold', 'show', customer='c', items=seats('A-1'))
        own_redis.start()
        await_held(2)
    finally:
        for one in following:
            one.kill()


def test_the_permissions_are_enough_and_no_more(make_realm, own_redis):
    """As in the README, for other keys."""
    realm = make_realm(USHER_REDIS=own_redis.url.replace('://', '://usher-worker:SECRET@'))
    lines = [line.strip() for line in (CONTRACT / 'README.md').read_text().splitlines() if 'ACL SETUSER' in line]
    assert len(lines) == 2
    for line in lines:
        own_redis.client.execute_command(*line.replace('usher:', f'{realm.name}:').split())
    realm.worker()
    answer, _layout = define(realm, 'show', **HALL)
    assert differences(realm) == [] and realm.run('check').returncode == 0
    realm.command('rebuild-cache')
    dashboard = own_redis.url.replace('://', '://usher-dashboard:SECRET@')
    refused = realm.run('check', USHER_REDIS=dashboard)
    assert refused.returncode == 77 and 'FAIL could not write to Redis: NOPERM' in refused.stdout, refused.stdout
    readers = redis.from_url(dashboard, decode_responses=True)
    realm.cache.close()
    realm.cache = readers
    reader = Reader(realm, 'show')
    answer = realm.ask('book', 'show', customer='c', items=seats('A-1'))
    eventually(lambda: reader.follow() and reader.position[1] == answer['rev'], 'a dashboard follows')
    assert realm.listed() == ['show']
    for command in ('set', f'{realm.name}:contract', '3'), ('get', 'other'), ('flushall',), ('keys', '*'), ('publish', 'x', 'y'), (
            'get', f'{realm.name}:takings:{{show}}'):
        with pytest.raises(redis.exceptions.NoPermissionError):
            readers.execute_command(*command)
    reader.close()
