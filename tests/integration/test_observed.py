"""What those see who watch a worker from outside: the group's offsets in Kafka, its log, its metrics, its
pages."""

import json
import re
import resource
import signal
import socket

import pytest

from harness.realm import STEADY
from harness.service_manager import service_manager
from harness.shows import places, standing, verdict
from harness.waiting import PATIENCE_S, eventually


def is_level(realm):
    end, committed = realm.group_position()
    return end == committed


def test_the_group_keeps_up_where_nothing_more_comes(realm):
    """Whoever reads the group's lag sees none on a partition that is quiet: after a burst, whose last commits follow
    each other too soon for Kafka to be told of each, and where the owner was killed before it had told Kafka."""
    realm.ask('define', 'show', **standing(20))
    for _ in range(3):
        realm.ask('book', 'show', customer='c', items=places('floor', 1))
    eventually(lambda: is_level(realm), 'Kafka knows that all was read')
    for _ in range(3):
        realm.ask('book', 'show', customer='c', items=places('floor', 1))
    realm.workers[-1].kill()
    realm.worker()
    eventually(lambda: is_level(realm), 'the next owner tells Kafka')
    assert realm.group_position()[0] == 7


def logged(worker, **members):
    """The lines of a log in JSON that have these members; a line that is none fails."""
    lines = [json.loads(line) for line in worker.log().splitlines(keepends=True) if line.endswith('\n')]
    return [line for line in lines if members.items() <= line.items()]


def test_refused_demand_is_told(make_realm):
    realm = make_realm(**STEADY)
    worker = realm.worker()
    for show in 'one', 'two':
        realm.ask('define', show, **standing(1))
        realm.ask('book', show, customer='c', items=places('floor', 1))
    refused = [realm.ask('hold', show, customer='c', items=places('floor', 1)) for show in ('one', 'two', 'one', 'nowhere')]
    assert {answer['outcome'] for answer in refused} == {'refused'}
    realm.ask('close', 'one')
    realm.ask('hold', 'one', customer='c', items=places('floor', 1))

    def told():
        return worker.status()['partitions'][0]['refused']
    eventually(lambda: [(row['resource'], row['reason'], row['requests']) for row in told()] == [
        ('one', 'not_on_sale', 1), ('one', 'not_enough', 2), ('two', 'not_enough', 1)], 'the last comes first')
    assert all(row['since'] <= row['last_at'] for row in told())


def test_what_became_of_a_request(make_realm):
    """At debug its id finds its decision, its place leads to the batch and to the delivery; as JSON, too."""
    realm = make_realm()
    worker = realm.worker('--log-level=debug', USHER_LOG_FORMAT='json')
    realm.ask('define', 'show', **standing(1))
    held, refused = realm.ask_all(
        realm.client.request('hold', 'show', customer='a customer', items=places('floor', 1), ttl_s=1),
        realm.client.request('hold', 'show', customer='c', items=places('floor', 1)))
    # The log may have it later than the client.
    line, = eventually(lambda: logged(worker, msg='decided', request_id=refused['request_id']))
    assert line['level'] == 'debug' and {'partition', 'epoch', 'ts'} <= line.keys()
    assert {name: line[name] for name in ('resource', 'op', 'outcome', 'reason', 'seq', 'offset')} == {
        'resource': 'show', 'op': 'hold', 'outcome': 'refused', 'reason': 'not_enough', 'seq': refused['seq'],
        'offset': refused['source']['offset']}
    eventually(lambda: logged(worker, msg='committed a batch', next_seq=refused['seq'] + 1))
    eventually(lambda: logged(worker, msg='delivered answers', last_seq=refused['seq']))
    assert logged(worker, msg='loaded rows into memory')
    line, = eventually(lambda: logged(worker, msg='decided without a request', request_id=held['request_id']))
    assert line['outcome'] == 'expired' and 'offset' not in line
    assert 'a customer' not in worker.log()


def counts(worker):
    return {name: worker.metric(name) for name in ('usher_holds_open', 'usher_parties_waiting')} | {
        state: worker.metric('usher_units', state=state) for state in ('free', 'held', 'sold', 'blocked')}


def test_what_is_open_and_in_which_state(realm):
    """Also in the hands of the next owner, who has loaded nothing yet: units then, once they are in memory."""
    worker = realm.workers[-1]
    realm.ask('define', 'show', **standing(10))
    hold = realm.ask('hold', 'show', customer='c', items=places('floor', 3))
    realm.ask('book', 'show', customer='c', items=places('floor', 4))
    realm.ask('block', 'show', items=places('floor', 2))
    short, _waits = realm.ask_all(
        realm.client.request('hold', 'show', customer='d', items=places('floor', 1), ttl_s=1),
        realm.client.request('hold', 'show', customer='e', items=places('floor', 1), wait_until='2099-01-01T00:00:00Z'))
    party = realm.ask('hold', 'show', customer='f', items=places('floor', 4), wait_until='2099-01-01T00:00:00Z')
    assert (short['outcome'], party['outcome']) == ('held', 'waiting')
    # The short one ends, and the first party has its unit; the other one waits.
    full = {'usher_holds_open': 2, 'usher_parties_waiting': 1, 'free': 0, 'held': 4, 'sold': 4, 'blocked': 2}
    eventually(lambda: counts(worker) == full, 'as it was made')
    assert worker.metric('usher_unrequested_total', outcome='expired') == 1
    assert worker.metric('usher_unrequested_total', outcome='held') == 1
    assert worker.metric('usher_requests_total', outcome='expired') == 0
    assert worker.metric('usher_partitions') == realm.partitions
    assert worker.metric('usher_partition_acquisitions_total') == realm.position()[0]
    eventually(lambda: worker.metric('usher_log_lines_total', level='info') == worker.log().count(' level=info '))
    worker.kill()
    worker = realm.worker()
    eventually(lambda: counts(worker) == {**full, 'held': 0, 'sold': 0, 'blocked': 0}, 'as the database has it')
    realm.ask('confirm', 'show', customer='c', booking=hold['booking'])
    realm.ask('leave', 'show', customer='f', booking=party['booking'])
    eventually(lambda: counts(worker) == {**full, 'usher_holds_open': 1, 'usher_parties_waiting': 0, 'held': 1,
                                          'sold': 7}, 'as it was changed')


def test_workers_are_listed_by_what_they_own(make_realm):
    """In a rolling upgrade it shows who is new. Whatever else they tell of themselves is in Redis."""
    realm = make_realm(3)
    workers = [realm.worker(), realm.worker()]

    def listed(*arguments):
        lines = realm.command('workers', '--json', *arguments, USHER_POSTGRES=realm.uri('reader')).splitlines()
        return {row.pop('worker'): row for row in map(json.loads, lines)}

    def expected(worker):
        status = worker.status()
        owned = [one['partition'] for one in status['partitions'] if one['state'] == 'active']
        return {'host': socket.gethostname(), 'http': f'127.0.0.1:{worker.port}', 'version': status['version'], 'partitions': owned}

    def told():
        rows = listed()
        return all('uptime_s' in row and 0 <= row.pop('uptime_s') < PATIENCE_S for row in rows.values()) and rows

    eventually(lambda: len(listed()) == 2 and told() == {worker.name: expected(worker) for worker in workers}, 'both are listed')
    title, *rows = realm.command('workers').splitlines()
    assert title.split() == ['worker', 'host', 'http', 'version', 'up', 'partitions'] and len(rows) == 2
    assert all(row['version'] is None and row['partitions'] for row in listed('--redis=').values())
    workers[0].kill()
    eventually(lambda: listed().keys() == {workers[1].name}, 'one is left')


def test_pages_and_connections_say_who_it_is(make_realm):
    realm = make_realm()
    one, two = realm.worker(), realm.worker()
    eventually(lambda: one.status()['dependencies'] == {'kafka': 'up', 'postgres': 'up', 'redis': 'up'})
    assert one.status()['configuration'] == two.status()['configuration']
    two.stop()
    three = realm.worker('--hold-ttl=7m', '--redis=')
    assert one.status()['configuration'] != three.status()['configuration']
    assert three.status()['dependencies']['redis'] == 'none' and 'USHER_REDIS is empty' in three.log()
    assert 'usher_dependency_up{dependency="redis"}' not in three.get('/metrics')[1]
    status, text = one.get('/')
    assert status == 200 and one.name in text and 'href="/status"' in text
    parts = {'kafka up', 'postgres up', 'redis up (does not count)', 'ok'}
    eventually(lambda: parts <= set(one.get('/readyz?verbose')[1].splitlines()), 'all parts are up')
    names = {(f'usher-worker {worker.name}',) for worker in (one, three)}
    eventually(lambda: names == set(realm.sql(
        "select distinct application_name from pg_stat_activity where usename = 'usher_worker' and datname = %s",
        realm.name)), 'the connections are theirs')


class SlowClients:
    """Connections of one address whose requests come byte by byte and never end; those that are closed come again."""

    def __init__(self, worker, count):
        self.address, self.sockets = ('127.0.0.1', worker.port), [None] * count

    def send_a_byte(self):
        for i, client in enumerate(self.sockets):
            try:
                client.send(b'x')
            except (AttributeError, OSError):
                if client:
                    client.close()
                self.sockets[i] = client = socket.create_connection(self.address, timeout=PATIENCE_S)
                client.send(b'GET /livez HTTP/1.1\r\nX-Slow: ')

    def leave(self):
        for client in self.sockets:
            client.close()


def test_slow_clients_leave_room_for_probes(make_realm):
    """However many there are: each page is answered at once, while they are there and after they have left."""
    worker = make_realm(**STEADY).worker()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    slow = SlowClients(worker, min(1500, hard - 200))
    try:
        for _ in range(5):
            slow.send_a_byte()
            assert [worker.get(path)[0] for path in ('/livez', '/readyz', '/metrics', '/status')] == [200] * 4
    finally:
        slow.leave()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert [worker.get(path)[0] for path in ('/livez', '/readyz', '/metrics')] == [200] * 3


def test_the_service_manager_is_told(make_realm, tmp_path):
    """As systemd hears it (Type=notify): ready when /readyz says so, alive again and again, stopping at TERM."""
    realm = make_realm(**STEADY)
    with service_manager(tmp_path) as manager:
        worker = realm.worker(await_ready=False, **manager.settings)
        told = manager.hear('READY=1')
        assert not [line for line in told if line.startswith('STOPPING')]
        assert worker.get('/readyz')[0] == 200 and worker.owns()
        assert 'STATUS=1 of 1 partition' in told
        for _ in range(3):
            assert 'READY=1' not in manager.hear('WATCHDOG=1')
        worker.terminate()
        manager.hear('STOPPING=1')
        assert worker.ended() == 0


@pytest.mark.smoke
def test_signals_that_do_not_stop_a_worker(world, name):
    """Once it has said that it reloads, it has had the two before."""
    worker = world.workers[-1]
    for one in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP):
        worker.process.send_signal(one)
    eventually(lambda: 'reloaded the options' in worker.log())
    assert verdict(world.ask('probe', name())) == ('refused', 'unknown_resource')


@pytest.mark.smoke
def test_metrics_and_status(world, name):
    worker = world.workers[-1]
    before = worker.metric('usher_requests_total', op='probe')
    refused = worker.metric('usher_refusals_total', reason='unknown_resource')
    world.ask('probe', name())
    eventually(lambda: worker.metric('usher_requests_total', op='probe') == before + 1)
    assert worker.metric('usher_refusals_total', reason='unknown_resource') == refused + 1
    defined, repeated = (worker.metric('usher_requests_total', op='define', outcome=outcome)
                         for outcome in ('defined', 'repeated'))
    request = world.client.request('define', name(), sections=[{'section': 'floor', 'capacity': 1, 'price': 1}])
    assert [answer.get('replayed', False) for answer in world.ask_all(request, request)] == [False, True]
    eventually(lambda: worker.metric('usher_requests_total', op='define', outcome='repeated') == repeated + 1)
    assert worker.metric('usher_requests_total', op='define', outcome='defined') == defined + 1
    assert worker.metric('usher_partition_assigned') == world.partitions
    assert worker.get('/livez')[0] == 200 and worker.get('/readyz')[0] == 200
    assert worker.get('/nothing')[0] == 404
    version = worker.status()['version']
    assert re.fullmatch(rf'usher-worker {re.escape(version)}, time zones \d+[a-z]\n', world.command('version'))
    assert f'usher-worker {version} started' in worker.log()
    assert worker.metric('usher_build_info', version=version) == 1
    states = {one['partition']: one['state'] for one in worker.status()['partitions']}
    assert states == {partition: 'active' for partition in range(world.partitions)}
    assert verdict(world.ask('probe', name())) == ('refused', 'unknown_resource')
