"""Runs of the simulator: what its workers decided between crashes is what the rules make of the requests."""

import json
import os

import pytest

from oracle.simulated import Report, evidence_of, judge, replayed

SIMULATOR = os.path.join(os.environ['BIN_DIR'], 'tests/sim/sim')


@pytest.mark.parametrize('first', range(1, 41, 10))
def test_workers_in_virtual_time_decide_by_the_rules(first):
    for seed in range(first, first + 10):
        report = judge(SIMULATOR, seed)
        assert report is None or report, f'seed {seed}: {report}'


def test_another_decision_is_noticed(tmp_path):
    request = {'request_id': 'q0', 'op': 'open', 'resource': 'r0'}
    decision = {'partition': 0, 'seq': 1, 'epoch': 1, 'now': 1000, 'first': False, 'replayed': False, 'offset': 0,
                'key': b'r0'.hex(), **request, 'outcome': 'opened', 'bookings': [],
                'body': {'outcome': 'opened', 'decided_at': '1970-01-01T00:00:01.000Z'}}
    record = {'partition': 0, 'record': 0, 'time': 1000, 'key': b'r0'.hex(),
              'value': json.dumps(request).encode().hex()}
    path = tmp_path / 'evidence'
    path.write_text('\n'.join(map(json.dumps, [{'partitions': 1}, record, decision])))
    assert 'expected refused, found opened' in str(replayed(evidence_of(path), Report()))
