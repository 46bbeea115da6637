#!/usr/bin/env python3
"""Replays the request log by the booking rules and compares, row for row, with PostgreSQL, the answer log and
Redis. As a command it takes its addresses from USHER_*; exit 0: equal, 4: different, 75: work still pending."""

import os
import sys
import time

if __package__ in (None, ''):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    __package__ = 'oracle'

from . import compare
from .compare import Report
from .rules import Given, Partition


# How far the clocks of Kafka and PostgreSQL may be apart.
CLOCK_TOLERANCE_MS = 1000


class Replay:
    """One partition: its records in order, beside its decisions."""

    def __init__(self, report, partition, rows, hold_ttl_s, hold_ttl_max_s, count):
        self.report, self.number, self.rows = report, partition, rows
        self.state = Partition(partition, count, hold_ttl_s, hold_ttl_max_s)
        self.position, self.now = 0, 0

    def row(self):
        return self.rows[self.position] if self.position < len(self.rows) else None

    def place(self):
        return f'decision {self.position + 1} of partition {self.number}'

    def settle(self, decide, subject):
        """Takes the next row for the decision that must come now, by the clock that the row has."""
        row = self.row()
        if row.now < self.now:
            self.report.differ(f'{self.place()} decided_at', f'not before {self.now}', row.now)
        if row.offset is not None and row.now < subject.time - CLOCK_TOLERANCE_MS:
            self.report.differ(f'{self.place()} decided_at', f'after its record was appended, {subject.time}', row.now)
        self.now = max(self.now, row.now)
        self.report.equal(f'{self.place()} seq', self.position + 1, row.seq)
        compare.decision(self.report, self.place(), decide(subject, Given(row.now, row.reason)), row)
        self.position += 1

    def expire_due(self):
        while self.state.due() and self.row():
            self.settle(self.state.expire, self.state.due())

    def expire_idle(self, record):
        """Expiries by the clock. Before a record they would have been due by the log's time too, or a confirm
        that was appended in time could have come too late."""
        while self.row() and self.row().offset is None:
            row, booking = self.row(), self.state.next_expiry()
            if booking is None:
                self.report.differ(self.place(), 'no expiry: nothing is held', row.request_id)
                self.position += 1
                continue
            if record is not None:
                self.report.differ(f'{self.place()} (expiry of {row.request_id})',
                                   f'none before offset {record.offset}, appended in time', 'one')
            elif row.now < booking.expires:
                self.report.differ(f'{self.place()} (expiry of {row.request_id})',
                                   f'none before {booking.expires}', f'one at {row.now}')
            self.settle(self.state.expire, booking)

    def run(self, records):
        for record in records:
            self.state.log_time = max(self.state.log_time, record.time)
            self.expire_due()
            self.expire_idle(record)
            if self.row() is None:
                self.report.differ(f'record {record.offset} of partition {self.number}', 'a decision', 'none')
                return
            self.settle(self.state.decide, record)
        self.expire_idle(None)
        for row in self.rows[self.position:]:
            self.report.differ(f'decision {row.seq} of partition {self.number}', 'none: no such record',
                               f'one for offset {row.offset}')


def replay(evidence, hold_ttl_s=900, hold_ttl_max_s=86400):
    """Compares everything there is; returns the Report."""
    report = Report()
    resources, expired = [], 0
    for partition in range(evidence.partition_count):
        rows = evidence.decisions.get(partition, [])
        one = Replay(report, partition, rows, hold_ttl_s, hold_ttl_max_s, evidence.partition_count)
        one.run(evidence.records.get(partition, []))
        compare.position(report, evidence, partition)
        compare.answers(report, partition, rows, evidence.answers.get(partition, []))
        found = list(one.state.resources.values())
        resources += found
        expired += sum(row.offset is None for row in rows)
        if evidence.cache is not None:
            compare.cache(report, evidence, partition, found)
    compare.dead_letters(report, evidence)
    compare.tables(report, evidence, resources)
    if evidence.cached_ids is not None:
        on_display = {resource.id for resource in resources if resource.state != 'draft'}
        report.equal('cache resources', on_display, evidence.cached_ids)
    report.facts = {
        'requests': sum(map(len, evidence.records.values())), 'expiries': expired,
        'internal': sum(row.reason == 'internal' for rows in evidence.decisions.values() for row in rows),
        'resources': len(resources), 'bookings': len(evidence.bookings), 'units taken': len(evidence.allocations)}
    return report


def seconds(text):
    """A duration of the configuration: seconds, or with a unit as in 15m."""
    units = {'s': 1, 'm': 60, 'h': 3600, 'd': 86400}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def main():
    from . import sources
    begun = time.monotonic()
    settings = sources.Settings.of_environment(os.environ)
    evidence, left = sources.gather_quiet(settings)
    if left:
        print(f'could not compare: {left}', file=sys.stderr)
        return 75
    report = replay(evidence, seconds(os.environ.get('USHER_HOLD_TTL', '15m')),
                    seconds(os.environ.get('USHER_HOLD_TTL_MAX', '24h')))
    print(f'{report} ({time.monotonic() - begun:.1f} s)')
    return 0 if report else 4


if __name__ == '__main__':
    sys.exit(main())
