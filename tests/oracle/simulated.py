#!/usr/bin/env python3
"""Judges runs of the simulator: the requests of a run, replayed by the rules, must give its decisions. As a command,
`simulated.py PROGRAM FIRST-SEED COUNT`; exit 1: some differ."""

import json
import os
import subprocess
import sys
import tempfile

if __package__ in (None, ''):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    __package__ = 'oracle'

from .compare import Report
from .evidence import Evidence, Record, Row
from .replay import Replay
from .rules import Partition

# What the simulator's workers are started with, and how far its clocks are apart.
HOLD_TTL_S, HOLD_TTL_MAX_S, CLOCKS_MS = 60, 86400, 1000


def row_of(line, key):
    return Row(line['seq'], line['epoch'], line.get('offset'), key, line.get('request_id'), line.get('op'),
               line.get('resource'), line.get('client'), line['outcome'], line.get('reason'), line['first'],
               line['replayed'], line['now'], line['body'], line['bookings'])


def evidence_of(path):
    with open(path, encoding='utf-8') as file:
        first, *lines = map(json.loads, file)
    found = Evidence(first['partitions'])
    for line in lines:
        partition, key = line['partition'], bytes.fromhex(line['key'])
        if 'record' in line:
            record = Record(line['record'], line['time'], key, bytes.fromhex(line['value']))
            found.records.setdefault(partition, []).append(record)
        else:
            found.decisions.setdefault(partition, []).append(row_of(line, key))
    return found


def replayed(evidence, report):
    for partition, records in evidence.records.items():
        state = Partition(partition, evidence.partition_count, HOLD_TTL_S, HOLD_TTL_MAX_S)
        Replay(report, partition, state, evidence, CLOCKS_MS).run(records)
    return report


def judge(program, seed):
    """The report on a run."""
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'evidence')
        done = subprocess.run([program, str(seed), '1'], env={**os.environ, 'SIM_EVIDENCE': path}, capture_output=True,
                              text=True, check=False)
        if done.returncode:
            report.differ(f'seed {seed}', 'a run', done.stderr)
            return report
        return replayed(evidence_of(path), report)


def main(program, first, count):
    wrong = 0
    for seed in range(first, first + count):
        report = judge(program, seed)
        if not report:
            wrong += 1
            print(f'seed {seed}: {report}')
    print(f'{count} runs judged, {wrong} of them wrong')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
