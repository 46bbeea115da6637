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


def clocks_jump(evidence):
    """Whether the time of the log was far ahead of the decisions: then a hold that is made just before a record can be
    over by the record's time at once, and may end before it or behind it."""
    decided = {(partition, row.offset): row.now for partition, rows in evidence.decisions.items() for row in rows}
    return any(record.time > decided.get((partition, record.offset), record.time) + CLOCKS_MS
               for partition, records in evidence.records.items() for record in records)


def replayed(evidence, report):
    for partition, records in evidence.records.items():
        state = Partition(partition, evidence.partition_count, HOLD_TTL_S, HOLD_TTL_MAX_S)
        Replay(report, partition, state, evidence, CLOCKS_MS).run(records)
    return report


def judge(program, seed):
    """The report on a run; None: its clocks jumped."""
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'evidence')
        done = subprocess.run([program, str(seed), '1'], env={**os.environ, 'SIM_EVIDENCE': path}, capture_output=True,
                              text=True, check=False)
        if done.returncode:
            report.differ(f'seed {seed}', 'a run', done.stderr)
            return report
        evidence = evidence_of(path)
    return None if clocks_jump(evidence) else replayed(evidence, report)


def main(program, first, count):
    reports = {seed: judge(program, seed) for seed in range(first, first + count)}
    judged = {seed: report for seed, report in reports.items() if report is not None}
    wrong = [seed for seed, report in judged.items() if not report]
    for seed in wrong:
        print(f'seed {seed}: {judged[seed]}')
    print(f'{len(judged)} runs judged, {len(wrong)} of them wrong; in {count - len(judged)} clocks jumped')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
