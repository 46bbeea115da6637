"""What Redis shows: a reader that follows the changes, parts that are lost, a database that was restored."""

import contextlib
import sys
import time

import pytest

from contract import validate_changes
from harness.load import Crowd
from harness.realm import STEADY
from harness.shows import HALL, HALL_UNITS, HOTEL, places, seats, stay
from harness.stack import TREE
from harness.waiting import eventually

sys.path.append(str(TREE / 'schema/redis'))
from follow import Follower  # noqa: E402

SETTINGS = STEADY
FOLLOW_S = 1
FIELDS = {'kind', 'name', 'venue', 'state', 'total', 'free', 'held', 'sold', 'blocked', 'waiting', 'overbook', 'epoch', 'rev',
          'catalogue_rev', 'layout', 'partition', 'updated_ms', 'currency', 'timezone', 'starts_at', 'ends_at', 'opens_at',
          'closes_at'}


class Reader(Follower):
    """The example of the contract, each message checked."""

    def __init__(self, realm, resource):
        self.changes = self.reads = 0
        super().__init__(realm.cache, resource, realm.name)

    def read(self):
        self.reads += 1
        super().read()

    def take(self, change):
        validate_changes(change)
        reads = self.reads
        super().take(change)
        self.changes += self.reads == reads

    def follow(self):
        """Takes what comes, a part at a time; returns whether there is a pause in it."""
        deadline = time.monotonic() + FOLLOW_S
        while time.monotonic() < deadline:
            if not self.wait(0.3):
                return True
        return False

    def changed(self, times):
        """Follows, and returns whether there were so many changes."""
        self.follow()
        return self.changes >= times

    def close(self):
        self.listener.close()

    def shows(self):
        """All that it shows, but for when it was written."""
        return {**self.hash, 'updated_ms': None}, self.seats, self.pools, self.catalogue, self.layout


def shown_now(realm, resource):
    """To one who begins to read: a hold may expire at any moment."""
    with contextlib.closing(Reader(realm, resource)) as reader:
        return reader.shows()


def differences(realm):
    """What reconcile says, without the verdict."""
    done = realm.run('reconcile')
    assert done.returncode in (0, 4), done.stderr
    return done.stdout.splitlines()[:-1]


def test_a_reader_that_follows_the_changes_has_what_redis_has(make_realm):
    realm = make_realm()
    realm.worker()
    with Crowd(realm, seed=21, pause_s=0.01).define() as crowd:
        names = 'show:0', 'hotel:one', 'floor:one'
        eventually(lambda: all(realm.shown(name)[0] for name in names), 'all three are shown')
        readers = [Reader(realm, name) for name in names]
        eventually(lambda: readers[2].changed(20), 'twenty changes of one that is never sold out')
        eventually(lambda: all([reader.changed(3) for reader in readers]), 'some of the others, which are sold out now and then')
        crowd.finish()
    realm.check()
    for reader, name in zip(readers, names):
        eventually(lambda reader=reader, name=name: reader.follow() and reader.shows() == shown_now(realm, name), 'it has what Redis has')
        reader.close()


def test_a_hash_has_the_fields_of_the_contract_and_a_draft_is_not_listed(realm):
    realm.ask('define', 'show:open', **HALL, starts_at='2026-12-24T19:30:00Z', opens_at='2026-01-01T00:00:00Z',
              closes_at='2026-12-24T19:00:00.5Z')
    answer = realm.ask('define', 'hotel:draft', **{**HOTEL, 'state': 'draft'})
    realm.await_shown('hotel:draft', answer['rev'])
    assert realm.listed() == ['show:open']
    assert realm.listed(':kind:rooms') == realm.listed(':state:draft') == set()
    show, hotel = realm.shown('show:open')[0], realm.shown('hotel:draft')[0]
    assert set(show) == set(hotel) == FIELDS
    assert (show['opens_at'], show['closes_at']) == ('2026-01-01T00:00:00.000Z', '2026-12-24T19:00:00.500Z')
    assert {hotel[field] for field in ('opens_at', 'closes_at', 'starts_at', 'ends_at', 'venue', 'layout')} == {''}
    assert (show['kind'], show['total'], show['starts_at']) == ('mixed', str(HALL_UNITS), '2026-12-24T19:30:00.000Z')
    assert (hotel['kind'], hotel['state']) == ('rooms', 'draft')
    answer = realm.ask('open', 'hotel:draft')
    realm.await_shown('hotel:draft', answer['rev'])
    assert realm.listed() == ['hotel:draft', 'show:open']  # what has no start comes first
    assert realm.listed(':kind:rooms') == {'hotel:draft'} and realm.listed(':kind:mixed') == {'show:open'}
    assert realm.listed(':state:open') == {'hotel:draft', 'show:open'}
    realm.await_shown('hotel:draft', realm.ask('close', 'hotel:draft')['rev'])
    assert realm.listed(':state:open') == {'show:open'} and realm.listed(':state:closed') == {'hotel:draft'}


def test_the_layout_tells_which_character_is_which_seat(realm):
    realm.ask('define', 'show', **HALL)
    answer = realm.ask('book', 'show', customer='c', items=seats('B-3', 'BA-13'))
    shown = realm.await_shown('show', answer['rev'])[1]
    rows = [row for section in realm.layout('show')['sections'] for row in section['rows']]
    states = {label: shown[row['at'] + index] for row in rows for index, label in enumerate(row['labels'])}
    assert {label for label, state in states.items() if state == 's'} == {'B-3', 'BA-13'}
    assert len(states) == len(shown) == 23
    assert realm.catalogue('show')['products'] == [{'product': 'programme', 'name': 'Programme', 'capacity': 3,
                                  'rates': {'standard': 500}}]


def test_the_layout_has_the_rows_of_a_plan_and_the_catalogue_named_rates(realm):
    left = {'row': '1', 'seats': 2, 'zone': 'Parkett', 'names': ['P-links', 'P-rechts'], 'x': [-20, 20], 'y': [0, 5],
            'ranks': [2, 1], 'features': {'aisle': [1], 'accessible': [1, 2]}}
    answer = realm.ask('define', 'show', state='open', sections=[
        {'section': 'parkett', 'rates': {'voll': 4500, 'kind': 2000},
         'rows': [left, {'row': '2', 'seats': 3, 'first': 9}]}],
        products=[{'product': 'shirt', 'capacity': 3, 'price': 900, 'properties': {'size': 'L'}}])
    realm.await_shown('show', answer['rev'])
    assert realm.layout('show') == {'seats': 5, 'sections': [
        {'section': 'parkett', 'rows': [
            {'row': '1', 'zone': 'Parkett', 'at': 0, 'labels': ['P-links', 'P-rechts'], 'x': [-20, 20], 'y': [0, 5],
             'features': {'aisle': [1], 'accessible': [1, 2]}},
            {'row': '2', 'at': 2, 'labels': ['2-9', '2-10', '2-11']}]}]}
    catalogue = realm.catalogue('show')
    assert catalogue['sections'] == [{'section': 'parkett', 'at': 0, 'capacity': 5, 'rates': {'voll': 4500, 'kind': 2000}}]
    assert catalogue['products'] == [{'product': 'shirt', 'capacity': 3, 'rates': {'standard': 900},
                                  'properties': {'size': 'L'}}]


def test_blocked_units_are_shown_and_go_back(realm):
    realm.ask('define', 'show', **HALL)
    answer = realm.ask('block', 'show', items=seats('A-1', 'C-8') + places('standing', 4), note='house seats')
    realm.await_shown('show', answer['rev'])
    reader = Reader(realm, 'show')
    assert (reader.hash['blocked'], reader.hash['free']) == ('6', str(HALL_UNITS - 6))
    assert reader.seats == 'x' + '.' * 16 + 'x' + '.' * 5
    assert (reader.pools['stalls'], reader.pools['standing']) == ('16/18/0/0/2', '6/10/0/0/4')
    realm.ask('book', 'show', customer='c', items=seats('A-1'), from_block=answer['booking'])
    answer = realm.ask('unblock', 'show', booking=answer['booking'])
    realm.await_shown('show', answer['rev'])
    eventually(lambda: reader.follow() and reader.position[1] == answer['rev'], 'the reader has heard of it')
    held = reader.shows()
    assert (reader.hash['blocked'], reader.hash['sold']) == ('0', '1')
    assert reader.seats == 's' + '.' * 22 and reader.pools['standing'] == '10/10/0/0/0'
    reader.read()
    assert reader.shows() == held
    reader.close()
    assert differences(realm) == []


def test_a_pool_with_less_capacity_than_the_numbers_taken(realm):
    realm.ask('define', 'show', **HALL)
    low = realm.ask('hold', 'show', customer='c', items=places('standing', 7))
    realm.ask('hold', 'show', customer='c', items=places('standing', 3))
    realm.ask('release', 'show', customer='c', booking=low['booking'])
    answer = realm.ask('define', 'show', sections=[{'section': 'standing', 'capacity': 4}])
    assert realm.await_shown('show', answer['rev'])[2]['standing'] == '1/4/3/0/0'
    assert differences(realm) == []


def test_the_catalogue_has_the_nights(realm):
    answer = realm.ask('define', 'hotel', **HOTEL)
    realm.await_shown('hotel', answer['rev'])
    double = realm.catalogue('hotel')['rooms'][0]
    assert (double['room'], double['from'], double['to']) == ('double', '2026-12-20', '2026-12-30')
    assert double['rates']['standard'] == [12900] * 4 + [18900] * 3 + [12900] * 3
    assert realm.cache.hget(f'{realm.name}:{{hotel}}:pools', 'double/2026-12-24') == '3/3/0/0/0'
    answer = realm.ask('define', 'hotel', rooms=[{'room': 'double', 'from': '2026-12-28', 'to': '2026-12-31',
                                                  'capacity': 3, 'rates': {'flexible': 15900, 'early': 9900}}])
    realm.await_shown('hotel', answer['rev'])
    double = realm.catalogue('hotel')['rooms'][0]
    assert double['rates'] == {'standard': [12900] * 4 + [18900] * 3 + [12900] + [None] * 3,
                               'flexible': [None] * 8 + [15900] * 3, 'early': [None] * 8 + [9900] * 3}


def test_the_catalogue_has_the_rules_of_stay(realm):
    nights = {'room': 'chalet', 'from': '2027-01-01', 'to': '2027-01-09'}
    realm.ask('define', 'lodge', state='open', rooms=[{**nights, 'capacity': 2, 'rates': {'standard': 100, 'ski': 80}}])
    answer = realm.ask('define', 'lodge', restrictions=[{**nights, 'days': ['sat', 'sun'], 'min_stay_arrival': 7},
                                                        {**nights, 'from': '2027-01-03', 'rate': 'ski', 'stop_sell': True}])
    realm.await_shown('lodge', answer['rev'])
    week, ski = {'min_stay_arrival': 7}, {'rate': 'ski', 'stop_sell': True}
    assert realm.catalogue('lodge')['rooms'][0]['restrictions'] == [
        {'from': '2027-01-02', 'to': '2027-01-03', 'rules': [week]}, {'from': '2027-01-03', 'to': '2027-01-04', 'rules': [week, ski]},
        {'from': '2027-01-04', 'to': '2027-01-09', 'rules': [ski]}]
    gone = realm.ask('define', 'lodge', restrictions=[{**nights, 'min_stay_arrival': 0}, {**nights, 'rate': 'ski', 'stop_sell': False}])
    realm.await_shown('lodge', gone['rev'])
    assert 'restrictions' not in realm.catalogue('lodge')['rooms'][0]


def test_a_lost_part_is_written_by_the_next_change(make_realm):
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **HALL)
    answer = realm.ask('book', 'show', customer='c', items=places('stalls', 1))
    realm.await_shown('show', answer['rev'])
    for key in ('{show}', '{show}:seats', '{show}:pools', '{show}:catalogue', 'takings:{show}'):
        realm.cache.delete(f'{realm.name}:{key}')
        answer = realm.ask('book', 'show', customer='c', items=places('stalls', 1))
        realm.await_shown('show', answer['rev'])
        assert differences(realm) == []
    realm.cache.delete(f'{realm.name}:{{show}}')
    realm.cache.set(f'{realm.name}:{{show}}', 'not even a hash')
    answer = realm.ask('book', 'show', customer='c', items=places('stalls', 1))
    eventually(lambda: differences(realm) == [], 'the key of the wrong type is replaced')


@pytest.mark.usefixtures('parts')
def test_an_emptied_redis_is_noticed_without_a_change(make_realm):
    """By each of two workers, for its own partitions."""
    realm = make_realm(partitions=2)
    workers = [realm.worker(), realm.worker()]
    shows = [f'show:{number}' for number in range(6)]
    answers = [realm.ask('define', show, **HALL) for show in shows]
    assert {answer['source']['partition'] for answer in answers} == {0, 1}
    eventually(lambda: all(len(worker.status()['partitions']) == 1 for worker in workers))
    for show, answer in zip(shows, answers):
        realm.await_shown(show, answer['rev'])
    eventually(lambda: all(realm.cache.exists(f'{realm.name}:worker:{partition}') for partition in (0, 1)))
    realm.cache.flushall()
    for show, answer in zip(shows, answers):
        realm.await_shown(show, answer['rev'])
    eventually(lambda: len(realm.listed()) == len(shows))
    assert differences(realm) == []


def test_a_restored_database_has_lower_revisions(realm):
    """Redis keeps the higher (epoch, rev) until it is rebuilt; then the worker goes on with it."""
    realm.ask('define', 'show', **HALL)
    answer = realm.ask('book', 'show', customer='c', items=places('stalls', 2))
    realm.await_shown('show', answer['rev'])
    key = f'{realm.name}:{{show}}'
    realm.cache.hset(key, mapping={'epoch': 40, 'rev': 900, 'free': 1})
    realm.ask('book', 'show', customer='c', items=places('stalls', 2))
    found = differences(realm)
    assert len(found) == 1 and found[0].startswith('show: ') and 'rebuild' not in found[0], found
    assert realm.cache.hget(key, 'rev') == '900'
    assert realm.command('rebuild-cache').startswith('rebuilt 1 resource in')
    assert differences(realm) == []
    answer = realm.ask('book', 'show', customer='c', items=places('stalls', 2))
    assert realm.await_shown('show', answer['rev'])[0]['epoch'] == str(answer['epoch'])


def test_a_clock_that_was_set_back_does_not_stop_the_pictures(make_realm):
    """As after a fail-over to another host: `now` stands still until the clock is past what is stored."""
    realm = make_realm()
    worker = realm.worker()
    realm.ask('define', 'show', **HALL)
    worker.stop()
    realm.sql("update usher.partition_state set now = now + interval '5 minutes'")
    realm.worker()
    for _time in range(3):
        answer = realm.ask('book', 'show', customer='c', items=places('stalls', 1))
        realm.await_shown('show', answer['rev'])
    realm.check()


def test_redis_down_at_the_start(make_realm, parts):
    parts.stop('redis')
    realm = make_realm()
    worker = realm.worker()
    realm.ask('define', 'hotel', **HOTEL)
    answer = realm.ask('book', 'hotel', customer='c', items=stay('single', '2026-12-20', '2026-12-22'))
    assert worker.metric('usher_dependency_up', dependency='redis') == 0
    parts.start('redis')
    assert realm.await_shown('hotel', answer['rev'])[2]['single/2026-12-21'] == '1/2/0/1/0'
    eventually(lambda: worker.metric('usher_dependency_up', dependency='redis') == 1)
    eventually(lambda: differences(realm) == [])


def test_redis_fails_over_to_a_replica_that_is_behind(make_realm, make_own_redis, tmp_path):
    """The name leads to another server, and the old one goes on as its replica: the worker follows by the name, and
    writes what the new one lacks, without a request."""
    name = tmp_path / 'redis.sock'
    first, second = (make_own_redis(one, '--unixsocket', str(tmp_path / one / 'socket')) for one in ('first', 'second'))
    name.symlink_to(tmp_path / 'first/socket')
    second.client.replicaof('127.0.0.1', first.port)
    realm = make_realm(USHER_REDIS=f'unix://{name}')
    worker = realm.worker()
    realm.ask('define', 'show', **HALL)
    answer = realm.ask('book', 'show', customer='c', items=seats('A-1'))
    realm.await_shown('show', answer['rev'])
    key = f'{realm.name}:{{show}}'
    eventually(lambda: second.client.hget(key, 'rev') == str(answer['rev']), 'the replica has it')
    second.client.replicaof('NO', 'ONE')
    answer = realm.ask('book', 'show', customer='c', items=seats('A-2'))
    realm.await_shown('show', answer['rev'])

    name.unlink()
    name.symlink_to(tmp_path / 'second/socket')
    first.client.replicaof('127.0.0.1', second.port)
    eventually(lambda: second.client.hget(key, 'rev') == str(answer['rev']), 'the new primary shows what it lacked')
    eventually(lambda: differences(realm) == [])
    assert worker.process.poll() is None
    realm.cache.close()


def test_a_redis_that_cannot_be_used_is_said_in_one_line(realm):
    address = realm.environment['USHER_REDIS'].removeprefix('redis://')
    for uri, code, word in ((f'rediss://{address}', 78, 'TLS'), (f'http://{address}', 78, 'USHER_REDIS'),
                            (f'redis://nobody:wrong-password@{address}', 77, 'user and password'),
                            (f'redis://{address}/100', 78, 'database'), ('redis://127.0.0.1:1', 69, 'connect')):
        done = realm.run('reconcile', USHER_REDIS=uri)
        assert (done.returncode, done.stdout) == (code, ''), (uri, done.stdout, done.stderr)
        assert word in done.stderr and 'wrong-password' not in done.stderr
        assert len(done.stderr.splitlines()) == 1, done.stderr
    realm.cache.set(f'{realm.name}:contract', '3')
    done = realm.run('reconcile')
    assert done.returncode == 78 and 'contract version "3"' in done.stderr, done.stderr
