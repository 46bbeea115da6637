"""For the tests of the oracle: a request log with the worker's account of it, written down by hand (Log) or as the
rules have it (Story), and requests put to the rules directly."""

import copy
import json

from oracle import display, tables, unrequested
from oracle.evidence import Evidence, Record, Row
from oracle.outcomes import Given
from oracle.parsing import instant_text
from oracle.rules import Partition

T = 1_766_000_000_000
SHOW = 'show:one'
HALL = {'op': 'define', 'state': 'open', 'currency': 'EUR', 'sections': [
    {'section': 'stalls', 'price': 4500, 'rows': [{'row': 'A', 'seats': 4}, {'row': 'B', 'seats': 3}]},
    {'section': 'standing', 'price': 2000, 'capacity': 3}]}


def at(milliseconds):
    """The instant so long after T."""
    return instant_text(T + milliseconds)


def seats(*names, **more):
    return [{'seats': list(names), **more}]


def places(section, quantity, **more):
    return [{'section': section, 'quantity': quantity, **more}]


def seats_of(body, groups='units'):
    return [seat for group in body[groups] for seat in group['seats']]


# ---- by hand ------------------------------------------------------------------------------------------------
class Log:
    """One partition's request log, and the worker's account of it."""

    def __init__(self):
        self.evidence = Evidence(1, records={0: []}, decisions={0: []}, answers={0: []})

    @property
    def rows(self):
        return self.evidence.decisions[0]

    def ask(self, request, at=0, now=None, **body):
        """A request appended at T + at and what was answered at T + now."""
        request = {'request_id': f'r{len(self.rows) + 1}', 'resource': SHOW, **request}
        self.put(json.dumps(request).encode(), at)
        return self.answer(request, len(self.evidence.records[0]) - 1, at if now is None else now, body)

    def put(self, value, at=0, key=SHOW.encode()):
        records = self.evidence.records[0]
        records.append(Record(len(records), T + at, key, value))

    def answer(self, request, offset, now, body, key=SHOW.encode()):
        body.setdefault('decided_at', instant_text(T + now))
        replayed = body.pop('replayed', False)
        negative = body['outcome'] in ('refused', 'invalid')
        first = offset is not None and not replayed and 'rev' in body and body.get('reason') != 'id_reused'
        if negative:
            body.setdefault('retryable', False)
        self.rows.append(Row(len(self.rows) + 1, 1, offset, key, request.get('request_id'), request.get('op'),
                             request.get('resource'), request.get('client'), body['outcome'], body.get('reason'),
                             first, replayed, T + now, body))
        return self.rows[-1]

    def expire(self, request, now, **body):
        body = {'outcome': 'expired', 'unasked': True, 'cause': 'expiry', **body}
        return self.answer({'resource': SHOW, **request}, None, now, body)

    def finish(self):
        return publish(self.evidence)


def publish(evidence):
    """Publishes every decision as it stands."""
    for row in evidence.decisions[0]:
        answer = {'request_id': row.request_id, 'seq': row.seq, 'epoch': row.epoch, **row.body}
        for name in ('op', 'resource', 'client'):
            if getattr(row, name) is not None:
                answer[name] = getattr(row, name)
        if row.replayed:
            answer['replayed'] = True
        if row.offset is not None:
            answer['source'] = {'partition': 0, 'offset': row.offset}
        evidence.answers[0].append(Record(row.seq - 1, row.now, row.key, json.dumps(answer).encode()))
    evidence.positions = {0: (len(evidence.records[0]), max((row.seq for row in evidence.decisions[0]), default=0) + 1, 1)}
    return evidence


# ---- by the rules -------------------------------------------------------------------------------------------
class Story:
    """A partition and its record as it must be, made step by step: the test says what happens when."""

    def __init__(self, **settings):
        self.state = Partition(0, 1, **settings)
        self.evidence = Evidence(1, records={0: []}, decisions={0: []}, answers={0: []})
        self.now = 0

    def _row(self, decision):
        body = copy.deepcopy(decision.body)
        self.evidence.decisions[0].append(Row(
            self.state.seq, 1, decision.offset, decision.key, decision.request_id, decision.op, decision.resource,
            decision.client, body['outcome'], body.get('reason'), decision.first, decision.replayed, T + self.now,
            body, list(decision.bookings)))
        return body

    def ask(self, op, resource=SHOW, at=None, **fields):
        """A request appended and decided at T + at (None: as the last one). Returns the answer's body."""
        self.now = self.now if at is None else at
        records = self.evidence.records[0]
        request = {'request_id': f'r{len(records) + 1}', 'op': op, 'resource': resource, **fields}
        records.append(Record(len(records), T + self.now, resource.encode(), json.dumps(request).encode()))
        self.state.log_time = max(self.state.log_time, T + self.now)
        return self._row(self.state.decide(records[-1], Given(T + self.now)))

    def define(self, **definition):
        return self.ask(**{**HALL, **definition})

    def hold(self, items, customer='c', **fields):
        return self.ask('hold', items=items, customer=customer, **fields)

    def book(self, items, customer='c', **fields):
        return self.ask('book', items=items, customer=customer, **fields)

    def resource(self, name=SHOW):
        return self.state.resources[name]

    def booking(self, name):
        return self.resource().bookings[name]

    # ---- decisions without a request ----
    def expire(self, at=None):
        """The next one whose time ends, by the clock at T + at."""
        self.now = self.now if at is None else at
        return self._row(self.state.expire(self.state.next_expiry(), Given(T + self.now)))

    def serve(self, at=None, who=None):
        """The next one on the waiting list, or `who`, before whom others may fit by chance; None: nobody fits."""
        self.now = self.now if at is None else at
        found = self.state.next_party(self.resource(), T + self.now, who)
        return self._row(self.state.serve(*found, Given(T + self.now))) if found else None

    def tell(self):
        """The oldest on the waiting list who must be told of a define; None: nobody."""
        party = unrequested.concerned(self.resource())
        return self._row(self.state.tell(party, T + self.now, Given(T + self.now))) if party else None

    def cancel(self, booking):
        return self._row(self.state.cancel(self.booking(booking), Given(T + self.now)))

    def finish(self):
        evidence, resources = self.evidence, list(self.state.resources.values())
        found = copy.deepcopy(tables.expected(resources))
        evidence.resources, evidence.pools, evidence.bookings, evidence.allocations = found
        evidence.former_owners = dict.fromkeys(tables.former_owners(resources), True)
        evidence.cache = {resource.id: display.expected(resource, 0) for resource in resources}
        evidence.lists = display.lists(resources)
        return publish(evidence)
