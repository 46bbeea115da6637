"""What operators load to watch usher (deploy/monitoring), on real workers and a real Prometheus: every alert and every
panel asks for series that are there, and gets an answer."""

import json
import re

import pytest

from harness.prometheus import Prometheus
from harness.replicas import Server
from harness.shards import Shards
from harness.shows import places, standing
from harness.stack import TREE
from harness.waiting import eventually

DASHBOARDS = sorted((TREE / 'deploy/monitoring/grafana').glob('*.json'))
# What Grafana puts in place of its variables.
VARIABLES = {'$namespace': '.*', '$job': 'usher', '$__rate_interval': '1m'}

SERIES = re.compile(r'\b((?:usher|process)_\w+)(\{[^}]*\})?')
GROUPING = re.compile(r'\b(?:by|on|group_left)\s*\(([^)]*)\)')


@pytest.fixture
def watched(make_realm, tmp_path):
    """Two workers that share four partitions of two databases, have decided something, and are watched."""
    realm = make_realm(partitions=4)
    Shards(realm, a=(0, 1), b=(2, 3))
    workers = [realm.worker(), realm.worker()]
    eventually(lambda: all(worker.metric('usher_partition_assigned') == 2 for worker in workers), 'each owns two')
    for number in range(8):
        realm.ask('define', f'show:{number}', **standing(10))
        realm.ask('book', f'show:{number}', customer='c', items=places('floor', 1))
        realm.ask('book', f'show:{number}', customer='c', items=places('floor', 11))
    prometheus = Prometheus(tmp_path, workers)
    yield realm, prometheus
    prometheus.close()


@pytest.fixture(name='server')
def another_postgres(tmp_path):
    server = Server(tmp_path / 'b').begin()
    yield server
    server.kill('postgres')
    server.wipe()


def asked():
    """(panel, query) of all dashboards."""
    for path in DASHBOARDS:
        for panel in json.loads(path.read_text())['panels']:
            for target in panel['targets']:
                query = target['expr']
                for name, value in VARIABLES.items():
                    query = query.replace(name, value)
                yield f'{path.stem}: {panel["title"]}', query


def missing(prometheus, where, query):
    """What a query names that no worker serves: series with those labels, labels to group by."""
    labels = {'namespace', 'job', 'instance'}
    for name, selector in SERIES.findall(query):
        found = prometheus.query(name + (selector or ''))
        labels |= {label for metric, _value in found for label in metric}
        if not found:
            yield f'{where}: no series {name}{selector}'
    for names in GROUPING.findall(query):
        for label in re.split(r'[\s,]+', names.strip()):
            if label and label not in labels:
                yield f'{where}: no label {label}'


def test_alerts_and_panels_ask_for_what_workers_serve(watched):
    """A healthy installation raises no alert, one whose workers died does: their series went along."""
    realm, prometheus = watched
    eventually(lambda: len(prometheus.query('usher_requests_total offset 3s')) > 1, 'both were scraped some times')
    panels = list(asked())
    assert len(DASHBOARDS) == 4 and len(panels) > 60
    rules = prometheus.rules()
    # A scrape that took too long left a gap, which the next one closes.
    for where, query in [(rule['name'], rule['query']) for rule in rules] + panels:
        eventually(lambda where=where, query=query: not list(missing(prometheus, where, query)), f'{where}: all of {query} is there')
    for where, query in panels:
        eventually(lambda query=query: prometheus.query(query), f'{where}: {query} has a result')
    eventually(lambda: all(rule['health'] == 'ok' for rule in prometheus.rules()), 'all rules were evaluated')
    eventually(lambda: not prometheus.alerts(), 'nothing is wrong')
    realm.workers[0].kill()
    eventually(lambda: prometheus.alerts() >= {'UsherPartitionWithoutOwner'} or
               realm.workers[1].metric('usher_partition_assigned') == 4, 'its partitions are missed, or taken over')
    realm.workers[1].kill()
    eventually(lambda: 'UsherNoWorker' in prometheus.alerts(), 'nobody is there')


def test_the_database_that_is_away_is_named(server, make_realm, tmp_path):
    """What the alert asks, of a shorter time: it names that one, as long as it is away."""
    realm = make_realm(partitions=4)
    Shards(realm, server, a=(0, 1), b=(2, 3))
    prometheus = Prometheus(tmp_path, [realm.worker()])
    [query] = [rule['query'] for rule in prometheus.rules() if rule['name'] == 'UsherDatabaseStalled']

    def stalled():
        return [labels['shard'] for labels, _value in prometheus.query(query.replace('[2m]', '[5s]'))]
    try:
        eventually(lambda: {labels['shard'] for labels, _value in prometheus.query('usher_partition_shard')} == {'a', 'b'}, 'both are known')
        assert stalled() == []
        server.kill('postgres')
        realm.client.send(*(realm.client.request('define', f'show:{number}', **standing(10)) for number in range(20)))
        eventually(lambda: stalled() == ['b'], 'b is named')
        server.start('postgres')
        eventually(lambda: stalled() == [], 'it commits again')
    finally:
        prometheus.close()
