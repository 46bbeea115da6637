#!/usr/bin/env python3
"""Replays the request log by the booking rules and compares, row for row, with PostgreSQL, the answer log and
Redis. As a command it takes its addresses from USHER_*; exit 0: equal, 4: different, 75: work still pending."""

import gc
import os
import sys
import time

if __package__ in (None, ''):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    __package__ = 'oracle'

from . import compare, display, tables, unrequested, whole
from .compare import Report
from .outcomes import Given
from .rules import Partition

# How far the clocks of Kafka and PostgreSQL may be apart.
CLOCK_TOLERANCE_MS = 1000
# How far the log's time may be ahead of the clock that a record is decided by.
LOG_AHEAD_MAX_MS = 60000
TAKING = ('held', 'confirmed', 'exchanged', 'blocked')


class Replay:
    """One partition: its records in order, beside its decisions."""

    def __init__(self, report, partition, state, evidence, tolerance_ms=CLOCK_TOLERANCE_MS):
        self.report, self.number, self.state = report, partition, state
        self.rows = evidence.decisions.get(partition, [])
        self.resets, self.tolerance_ms = evidence.clock_resets, tolerance_ms
        self.pruned = list(evidence.pruned.get(partition, []))
        self.losses = dict(evidence.losses.get(partition, {}))
        self.position, self.now, self.log_before = 0, 0, 0

    def row(self):
        found = self.rows[self.position] if self.position < len(self.rows) else None
        if found:
            self.forget(found.epoch)
            # Behind what the database lost the numbers go on where answers ended.
            self.state.seq += self.losses.pop(found.seq, 0)
        return found

    def forget(self, epoch):
        """Resources that were pruned when that epoch began, or before, are not known any more."""
        while self.pruned and self.pruned[0][0] <= epoch:
            self.state.resources.pop(self.pruned.pop(0)[1], None)

    def place(self):
        return f'decision {self.position + 1} of partition {self.number}'

    def settle(self, decide, record=None):
        """Takes the next row for the decision that must come now, by the clock that the row has."""
        row = self.row()
        if (self.number, row.seq) in self.resets:
            self.now = 0
        if row.now < self.now:
            self.report.differ(f'{self.place()} decided_at', f'not before {self.now}', row.now)
        if record is not None and row.now < record.time - self.tolerance_ms:
            self.report.differ(f'{self.place()} decided_at', f'after its record was appended, {record.time}', row.now)
        self.now = max(self.now, row.now)
        self.report.equal(f'{self.place()} seq', self.state.seq + 1, row.seq)
        compare.decision(self.report, self.place(), decide(Given(row.now, row.reason)), row)
        self.position += 1

    def skip(self, expected):
        """Passes a row that must not be."""
        row = self.row()
        self.report.differ(f'{self.place()} ({row.body.get("cause")} of {row.request_id})', expected, 'one')
        self.now = max(self.now, row.now)
        self.position += 1
        self.state.seq += 1

    # ---- decisions without a request ----
    def unrequested(self, record):
        """Rows without a record of their own, before this one (None: the end of the log). What they say is predicted;
        of what they are about, only what cannot be known: how far the worker has come."""
        while self.row() and self.row().offset is None:
            cause = self.row().body.get('cause')
            if cause == 'waiting_list':
                self.served(record)
            elif cause == 'resource_changed':
                self.told()
            elif cause == 'resource_closed':
                self.closed()
            else:
                self.timed(record)
        due = self.state.due()
        if due is not None and self.row():
            self.report.differ(f'{self.place()}', f'the end of {due.id}, whose time was over', 'another')

    def timed(self, record):
        """Before a record, what is due by the log's time must end, and nothing else: it would have been due by then, or
        a confirm that was appended in time could have come too late. On an idle partition the clock says; and where
        nobody knows when the record was appended, since its batch cannot be unpacked."""
        row, booking = self.row(), self.state.next_expiry()
        if booking is None:
            self.skip('none: nothing ends by time')
            return
        by_clock = record is None or record.time == 0
        if not by_clock and booking.expires > self.state.log_time:
            self.report.differ(f'{self.place()} (expiry of {row.request_id})',
                               f'none before offset {record.offset}, appended in time', 'one')
        elif by_clock and row.now < booking.expires:
            self.report.differ(f'{self.place()} (expiry of {row.request_id})',
                               f'none before {booking.expires}', f'one at {row.now}')
        # Who leaves, or what returns when less is sold, must not come before who could be served.
        if booking.state == 'waiting' or booking.resource.is_served_before(booking.expires):
            self.nobody_fits(booking.resource, booking.expires, self.place())
        self.settle(lambda given: self.state.expire(booking, given))

    def nobody_fits(self, resource, until, place):
        first = self.state.next_party(resource, until)
        if first:
            self.report.differ(place, f'{first[0].id} is served before', 'it waits')

    def served(self, record):
        resource = self.state.resources.get(self.row().resource)
        by_clock = record is None or record.time == 0
        until = self.row().now if by_clock else max(self.log_before, self.state.log_time)
        found = resource and self.state.next_party(resource, until, self.row().request_id)
        if not found:
            self.skip('none: nobody that waits fits')
            return
        self.settle(lambda given: self.state.serve(*found, given))

    def told(self):
        """Who took over in between does not know when that was defined, and goes by the clock."""
        row = self.row()
        resource = self.state.resources.get(row.resource)
        party = resource and unrequested.concerned(resource)
        if not party:
            self.skip('none: a define concerns nobody that waits')
            return
        self.settle(lambda given: self.state.tell(party, row.now if row.outcome == 'left' else 0, given))

    def closed(self):
        row = self.row()
        resource = self.state.resources.get(row.resource)
        booking = resource and resource.bookings.get(row.request_id)
        if not booking or resource.cancelling is None or booking.state not in unrequested.CANCELLED:
            self.skip('none: it is not being cancelled')
            return
        self.settle(lambda given: self.state.cancel(booking, given))

    def asked(self, record):
        """The decision on a record. Whoever is on the waiting list and fits comes before others that take units."""
        row, place = self.row(), self.place()
        resource, first = self.state.resources.get(row.resource), None
        taken = resource.taken if resource else 0
        at = self.state.log_time if record.time > 0 else row.now
        if resource and row.outcome in TAKING and not row.replayed:
            first = self.state.next_party(resource, at)
        elif resource and row.outcome != 'invalid' and resource.is_served_before(at):
            self.nobody_fits(resource, at, f'{place} (offset {record.offset})')
        self.settle(lambda given: self.state.decide(record, given), record)
        if first and (row.op != 'confirm' or resource.taken > taken):  # in time it takes nothing
            self.report.differ(f'{place} (offset {record.offset})', f'{first[0].id} is served before', 'it waits')

    # ---- all of it ----
    def log_time(self, record):
        """When a record was appended, unless the broker's clock was far ahead of the one that decided it."""
        following = (self.rows[at] for at in range(self.position, len(self.rows)))
        decided = next((row.now for row in following if row.offset is not None), record.time)
        return min(record.time, decided + LOG_AHEAD_MAX_MS)

    def run(self, records):
        for record in records:
            self.log_before, self.state.log_time = self.state.log_time, self.log_time(record)
            self.unrequested(record)
            row = self.row()
            if row is None:
                self.report.differ(f'record {record.offset} of partition {self.number}', 'a decision', 'none')
                return
            self.asked(record)
        self.unrequested(None)
        for row in self.rows[self.position:]:
            self.report.differ(f'decision {row.seq} of partition {self.number}', 'none: no such record',
                               f'one for offset {row.offset}')
        self.forget(float('inf'))
        self.at_rest()

    def at_rest(self):
        """At the end, nobody is left to be served or to expire."""
        for resource in self.state.resources.values():
            found = self.state.next_party(resource, self.state.log_time)
            if found:
                self.report.differ(f'resource {resource.id}', f'{found[0].id} is served', 'it waits')
            party = unrequested.concerned(resource)
            if party:
                self.report.differ(f'resource {resource.id}', f'{party.id} is told what a define changed', 'it waits')
            if resource.cancelling is not None:
                self.report.differ(f'resource {resource.id}', 'all of its bookings are cancelled', 'some are not')


def replay(evidence, hold_ttl_s=900, hold_ttl_max_s=86400, house_hold_ttl_max_s=31536000, tolerance_ms=CLOCK_TOLERANCE_MS):
    """Compares everything there is; returns the Report. `tolerance_ms`: how far the clocks may be apart."""
    gc.disable()  # there is none before the end, and to look for it takes half of the time
    try:
        return _replay(evidence, (hold_ttl_s, hold_ttl_max_s, house_hold_ttl_max_s), tolerance_ms)
    finally:
        gc.enable()


def _replay(evidence, ttls, tolerance_ms):
    report = Report()
    resources = []
    for partition in range(evidence.partition_count):
        rows = evidence.decisions.get(partition, [])
        state = Partition(partition, evidence.partition_count, *ttls)
        one = Replay(report, partition, state, evidence, tolerance_ms)
        one.run([record for records, _rows in evidence.logs(partition) for record in records
                 if not any(start <= record.offset < end for at, start, end in evidence.skips if at == partition)])
        compare.position(report, evidence, partition)
        compare.answers(report, partition, rows, evidence.answers.get(partition, []), evidence.losses.get(partition, {}))
        found = list(one.state.resources.values())
        resources += found
        if evidence.cache is not None:
            display.compare(report, evidence, partition, found)
    compare.dead_letters(report, evidence)
    tables.compare(report, evidence, resources)
    whole.compare(report, evidence)
    if evidence.lists is not None:
        display.compare_lists(report, evidence, resources)
    report.facts = facts(evidence, resources)
    return report


def facts(evidence, resources):
    rows = [row for of_partition in evidence.decisions.values() for row in of_partition]
    causes = [row.body.get('cause') for row in rows if row.offset is None]
    logs = [records for partition in range(evidence.partition_count) for records, _rows in evidence.logs(partition)]
    return {'requests': sum(map(len, logs)), 'expiries': causes.count('expiry'),
            'served': causes.count('waiting_list'), 'told of a define': causes.count('resource_changed'),
            'cancelled': causes.count('resource_closed'),
            'returned': causes.count('block_returned'), 'internal': sum(row.reason == 'internal' for row in rows),
            'resources': len(resources), 'bookings': len(evidence.bookings),
            'units taken': sum(resource.taken for resource in resources)}


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
                    seconds(os.environ.get('USHER_HOLD_TTL_MAX', '24h')),
                    seconds(os.environ.get('USHER_HOUSE_HOLD_TTL_MAX', '365d')))
    print(f'{report} ({time.monotonic() - begun:.1f} s)')
    return 0 if report else 4


if __name__ == '__main__':
    sys.exit(main())
