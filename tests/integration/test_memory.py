"""The memory of a worker: many partitions share what one process may use."""

import pathlib
import re

from harness.shows import places, verdict
from harness.waiting import eventually

MAX_MB, PARTITIONS, RESOURCES, SEATS, AT_ONCE = 128, 12, 400, 300_000, 10
DEFINE_MB = SEATS * 40 / (1 << 20)


def memory_mb(worker, field):
    """VmRSS, or VmHWM: the most it ever was."""
    status = pathlib.Path(f'/proc/{worker.pid}/status').read_text()
    return int(re.search(rf'^{field}:\s+(\d+) kB', status, re.M)[1]) / 1024


def arena(seats):
    """Some hundred kilobytes in memory, a few as a request."""
    rows = [{'row': f'r{row}', 'seats': 10_000} for row in range(seats // 10_000)]
    return {'state': 'open', 'strategy': 'first', 'sections': [{'section': 'floor', 'rows': rows, 'price': 1000}]}


def ask_in_turn(realm, worker, expected, requests):
    """A few at a time: what is not yet in Redis is under way, and stays in memory."""
    for first in range(0, len(requests), AT_ONCE):
        for answer in realm.ask_all(*requests[first:first + AT_ONCE]):
            assert verdict(answer) == (expected, None)
        eventually(lambda: worker.metric('usher_display_lag_decisions') == 0, 'Redis shows all of it')


def test_a_worker_with_all_partitions_stays_within_its_memory(make_realm):
    """It keeps fewer of the resources than it would otherwise, and sells them all. One define goes on however little is
    left, so that the maximum is passed by as much as that takes, and for as long."""
    realm = make_realm(PARTITIONS, USHER_MEMORY_MAX=f'{MAX_MB}MB', USHER_KAFKA_SESSION_TIMEOUT='10s',
                       USHER_BATCH_LIMIT='100')
    worker = realm.worker()
    assert worker.metric('usher_memory_max_bytes') == MAX_MB << 20
    shows = [f'show:{number}' for number in range(RESOURCES)]
    ask_in_turn(realm, worker, 'defined', [realm.client.request('define', show, **arena(SEATS)) for show in shows])
    ask_in_turn(realm, worker, 'confirmed', [realm.client.request('book', show, customer='c', items=places('floor', 2))
                                             for show in shows[:RESOURCES // 2]])
    assert worker.metric('usher_memory_evicted_total', kind='resources') > 0
    assert worker.metric('usher_memory_resources') < RESOURCES
    assert memory_mb(worker, 'VmHWM') < MAX_MB + DEFINE_MB
    eventually(lambda: memory_mb(worker, 'VmRSS') < MAX_MB, 'what was taken beyond the maximum is given back')
    eventually(lambda: worker.metric('usher_memory_free_bytes') > 0, 'the worker says so')
