"""The replay on logs made by hand, answers and tables included: right ones must be found equal, and each kind of
wrong one must be reported."""

import copy
import hashlib
import json

import pytest

from oracle.compare import Report, accepted
from oracle.display import KINDS
from oracle.evidence import Record
from oracle.logs import HALL, SHOW, Log, T, publish
from oracle.parsing import instant_text
from oracle.replay import replay

CHART = '{"sections":[{"section":"stalls","rows":[{"row":"A","seats":4,"first":1},{"row":"B","seats":3,"first":1}]}]}'


@pytest.fixture(name='log')
def log_with_hall():
    log = Log()
    log.ask(HALL, outcome='defined', change='created', rev=1, free=10,
            chart='sha256:' + hashlib.sha256(CHART.encode()).hexdigest())
    return log


def tables(log, state='open', rev=1, bookings=(), allocations=(), sold=0, takings=0, promised=0):
    """`sold`: of the places to stand."""
    evidence = log.evidence
    evidence.resources[SHOW] = {'state': state, 'rev': rev, 'hold_ttl_s': None, 'name': None, 'venue': None,
                                'description': None, 'timezone': None, 'currency': 'EUR', 'strategy': None,
                                'opens_at': None, 'closes_at': None, 'terms': None, 'cancelling': None,
                                'takings': takings, 'promised': promised, 'by_rate': None}
    for pool, capacity, price, of_pool in (('stalls', 7, 4500, 0), ('standing', 3, 2000, sold)):
        evidence.pools[SHOW, pool, None] = {'capacity': capacity, 'price': price, 'overbook': 0, 'rates': None,
                                            'properties': None, 'restrictions': None, 'spares': True, 'held': 0, 'sold': of_pool,
                                            'blocked': 0}
    for booking, values in bookings:
        row = {'op': 'hold', 'customer': 'c1', 'client': None, 'cart': None, 'payment': None, 'note': None,
               'meta': None, 'created': T, 'expires': None, 'ttl_s': 900, 'wants': None}
        evidence.bookings[SHOW, booking] = {**row, **values}
    for pool, unit, booking in allocations:
        evidence.allocations[SHOW, pool, None, unit] = booking


def held_and_confirmed(log):
    """Two seats and a place to stand held for c1 at T, confirmed a second later; the tables and the cache are as they
    must be."""
    units = [{'item': 0, 'section': 'stalls', 'seats': ['B-1', 'B-2'], 'price': 4500},
             {'item': 1, 'section': 'standing', 'quantity': 1, 'price': 2000}]
    log.ask({'op': 'hold', 'customer': 'c1', 'client': 'web', 'items': [
        {'seats': ['B-1', 'B-2']}, {'section': 'standing', 'quantity': 1}]},
        outcome='held', customer='c1', booking='r2', units=units, total=11000, currency='EUR', rev=2, free=7,
        expires_at=instant_text(T + 900_000))
    log.ask({'op': 'confirm', 'customer': 'c1', 'booking': 'r2', 'payment': 'p1'}, at=1000,
            outcome='confirmed', customer='c1', booking='r2', units=units, total=11000, currency='EUR', rev=3, free=7,
            payment='p1')
    tables(log, rev=3, sold=1, takings=11000, allocations=[('stalls', 4, 'r2'), ('stalls', 5, 'r2')], bookings=[
        ('r2', {'state': 'confirmed', 'total': 11000, 'payment': 'p1', 'client': 'web',
                'lines': [[0, 'stalls', None, 4500, [4, 5], None], [1, 'standing', None, 2000, 1, None]]})])
    evidence = log.finish()
    evidence.cache = {SHOW: {'hash': {'kind': 'seats', 'state': 'open', 'total': '10', 'free': '7', 'held': '0',
                                      'sold': '3', 'blocked': '0', 'waiting': '0', 'overbook': '0', 'rev': '3',
                                      'partition': '0', 'currency': 'EUR', 'name': '', 'venue': '', 'timezone': '',
                                      'starts_at': '', 'ends_at': '', 'opens_at': '', 'closes_at': ''},
                             'seats': '....ss.', 'pools': {'stalls': '5/7/0/2/0', 'standing': '2/3/0/1/0'},
                             'labels': ['A-1', 'A-2', 'A-3', 'A-4', 'B-1', 'B-2', 'B-3'], 'takings': '11000'}}
    evidence.lists = {**{f':kind:{kind}': {} for kind in KINDS}, ':kind:seats': {SHOW: True},
                      '': {SHOW: 0}, ':state:open': {SHOW: True}, ':state:closed': {}}
    return evidence


# ---- right ones ---------------------------------------------------------------------------------------------
def test_a_hold_and_its_confirm(log):
    report = replay(held_and_confirmed(log))
    assert report, str(report)
    assert report.facts['requests'] == 3 and report.facts['units taken'] == 3


def test_refusals_name_the_lines_that_fall_short(log):
    log.ask({'op': 'book', 'customer': 'c1', 'items': [
        {'seats': ['A-1', 'Z-9']}, {'section': 'standing', 'quantity': 2}, {'section': 'standing', 'quantity': 2},
        {'section': 'balcony', 'quantity': 1}]},
        outcome='refused', reason='unknown_pool', customer='c1', rev=1, free=10, items=[
            {'item': 0, 'asked': 2, 'given': 0, 'reason': 'unknown_seat', 'taken': ['Z-9']},
            {'item': 2, 'asked': 2, 'given': 0, 'reason': 'not_enough', 'free': 1},
            {'item': 3, 'asked': 1, 'given': 0, 'reason': 'unknown_pool', 'unknown': 'balcony',
             'known': ['stalls', 'standing']}])
    tables(log)
    report = replay(log.finish())
    assert report, str(report)


def test_seats_are_chosen_in_one_piece(log):
    def shown(*seats):
        return [{'item': 0, 'section': 'stalls', 'seats': list(seats), 'price': 4500}]

    def book(quantity, seats, free, **more):
        row = len(log.rows) + 1
        log.ask({'op': 'book', 'customer': 'c1', 'items': [{'section': 'stalls', 'quantity': quantity, **more}]},
                outcome='confirmed', customer='c1', booking=f'r{row}', units=shown(*seats), rev=row, free=free,
                together=True, total=4500 * quantity, currency='EUR')
    book(2, ['A-1', 'A-2'], 8)
    book(3, ['B-1', 'B-2', 'B-3'], 5)
    log.ask({'op': 'book', 'customer': 'c1', 'items': [{'section': 'stalls', 'quantity': 3, 'together': True}]},
            outcome='refused', reason='not_enough', customer='c1', rev=3, free=5, retryable=True,
            items=[{'item': 0, 'asked': 3, 'given': 0, 'reason': 'not_enough', 'free': 2}])
    log.ask({'op': 'cancel', 'customer': 'c1', 'booking': 'r2'}, outcome='cancelled', customer='c1', booking='r2',
            returned=shown('A-1', 'A-2'), total=9000, currency='EUR', rev=5, free=7)
    book(1, ['A-1'], 6)
    book(3, ['A-2', 'A-3', 'A-4'], 3, together=True)
    evidence = log.finish()
    report = replay(evidence)
    assert all('decision' not in line and 'answer' not in line for line in report.lines), str(report)


def test_a_repeat_gets_the_first_answer(log):
    hold = {'op': 'hold', 'customer': 'c1', 'items': [{'section': 'standing', 'quantity': 4}], 'request_id': 'x'}
    refusal = {'outcome': 'refused', 'reason': 'not_enough', 'retryable': False, 'customer': 'c1', 'rev': 1,
               'free': 10, 'items': [{'item': 0, 'asked': 4, 'given': 0, 'reason': 'not_enough', 'free': 3}],
               'decided_at': instant_text(T)}
    log.ask(hold, **refusal)
    log.ask({**hold, 'client': 'other', 'deadline': '2020-01-01T00:00:00Z', 'new': 1}, at=5, replayed=True,
            **refusal)
    log.ask({**hold, 'customer': 'c2'}, at=6, outcome='refused', reason='id_reused', customer='c2', rev=1, free=10)
    tables(log)
    report = replay(log.finish())
    assert report, str(report)


def test_an_expiry_comes_before_the_record_that_is_later(log):
    units = [{'item': 0, 'section': 'standing', 'quantity': 1, 'price': 2000}]
    log.ask({'op': 'hold', 'customer': 'c1', 'ttl_s': 10, 'items': [{'section': 'standing', 'quantity': 1}]},
            outcome='held', customer='c1', booking='r2', units=units, total=2000, currency='EUR', rev=2, free=9,
            expires_at=instant_text(T + 10_000))
    log.expire({'request_id': 'r2', 'op': 'hold'}, now=10_001, customer='c1', booking='r2', returned=units,
               total=2000, currency='EUR', rev=3, free=10)
    log.ask({'op': 'confirm', 'customer': 'c1', 'booking': 'r2'}, at=10_000, now=10_002, outcome='confirmed',
            customer='c1', booking='r2', units=units, total=2000, currency='EUR', rev=4, free=9)
    tables(log, rev=4, sold=1, takings=2000, bookings=[
        ('r2', {'state': 'confirmed', 'total': 2000, 'ttl_s': 10, 'lines': [[0, 'standing', None, 2000, 1, None]]})])
    report = replay(log.finish())
    assert report, str(report)
    assert report.facts['expiries'] == 1


def test_an_invalid_record_is_dead_lettered(log):
    log.put(b'{"request_id":"bad-1","op":"hold"', at=1)
    log.answer({'request_id': 'bad-1', 'op': 'hold'}, 1, 1, {'outcome': 'invalid', 'reason': 'malformed'})
    tables(log)
    evidence = log.finish()
    report = replay(evidence)
    assert report.lines == ['dead letter of partition 0 offset 1: expected one, found none']
    evidence.dead_letters = [Record(0, T, SHOW.encode(), evidence.records[0][1].value, (
        ('dlq-reason', b'malformed'), ('dlq-topic', b'requests'), ('dlq-partition', b'0'), ('dlq-offset', b'1')))]
    report = replay(evidence)
    assert report, str(report)


# ---- wrong ones, each made of a right one --------------------------------------------------------------------
def break_answer(evidence, at, **changes):
    record = evidence.answers[0][at]
    record.value = json.dumps({**json.loads(record.value), **changes}).encode()


WRONG = {
    'a unit of another number': lambda e: e.decisions[0][1].body['units'][0].update(seats=['B-1', 'B-3']),
    'a wrong total': lambda e: e.decisions[0][1].body.update(total=9001),
    'a field too many': lambda e: e.decisions[0][1].body.update(cart='c'),
    'another outcome': lambda e: setattr(e.decisions[0][2], 'outcome', 'refused'),
    'not marked as the first': lambda e: setattr(e.decisions[0][2], 'first', False),
    'another request': lambda e: setattr(e.decisions[0][2], 'request_id', 'r9'),
    'a decision is missing': lambda e: e.decisions[0].pop(),
    'a hole in seq': lambda e: setattr(e.decisions[0][2], 'seq', 4),
    'a record decided twice': lambda e: e.decisions[0].append(copy.deepcopy(e.decisions[0][2])),
    'a clock that stands still': lambda e: setattr(e.records[0][2], 'time', T + 3000),
    'a clock that goes back': lambda e: setattr(e.decisions[0][2], 'now', T - 1),
    'an answer is missing': lambda e: e.answers[0].pop(1),
    'the last answer is missing': lambda e: e.answers[0].pop(),
    'an answer that says something else': lambda e: break_answer(e, 1, customer='c2'),
    'an answer of another epoch': lambda e: break_answer(e, 1, epoch=2),
    'an answer that nobody decided': lambda e: e.answers[0].append(
        Record(3, T, SHOW.encode(), b'{"seq":4,"request_id":null}')),
    'equal seq, other bytes': lambda e: e.answers[0].append(
        Record(3, T, SHOW.encode(), e.answers[0][1].value + b' ')),
    'an answer under another key': lambda e: setattr(e.answers[0][1], 'key', b'show:two'),
    'a dead letter of a good record': lambda e: e.dead_letters.append(Record(0, T, b'k', b'v', (
        ('dlq-reason', b'malformed'), ('dlq-partition', b'0'), ('dlq-offset', b'1')))),
    'a booking in another state': lambda e: e.bookings[SHOW, 'r2'].update(state='held'),
    'a booking that is gone': lambda e: e.bookings.clear(),
    'a unit that nobody has': lambda e: e.allocations.pop((SHOW, 'stalls', None, 4)),
    'a unit too many': lambda e: e.allocations.update({(SHOW, 'stalls', None, 0): 'r2'}),
    'a unit of what is only counted': lambda e: e.allocations.update({(SHOW, 'standing', None, 0): 'r2'}),
    'one counted too few': lambda e: e.pools[SHOW, 'standing', None].update(sold=0),
    'one counted too many': lambda e: e.pools[SHOW, 'standing', None].update(sold=2),
    'one counted in another state': lambda e: e.pools[SHOW, 'standing', None].update(held=1, sold=0),
    'one counted that nobody holds': lambda e: e.pools[SHOW, 'standing', None].update(held=1),
    'seats that are counted, too': lambda e: e.pools[SHOW, 'stalls', None].update(sold=2),
    'a line of one more': lambda e: e.bookings[SHOW, 'r2']['lines'][1].__setitem__(4, 2),
    'numbers of what is only counted': lambda e: e.bookings[SHOW, 'r2']['lines'][1].__setitem__(4, [0]),
    'takings that nobody paid': lambda e: e.resources[SHOW].update(takings=11001),
    'takings shown wrongly': lambda e: e.cache[SHOW].update(takings='0'),
    'a resource at another rev': lambda e: e.resources[SHOW].update(rev=2),
    'a pool at another price': lambda e: e.pools[SHOW, 'standing', None].update(price=1),
    'a pool overbooked': lambda e: e.pools[SHOW, 'standing', None].update(overbook=1),
    'a sale with times': lambda e: e.resources[SHOW].update(opens_at=T),
    'a hold of another time': lambda e: e.bookings[SHOW, 'r2'].update(ttl_s=901),
    'a position beyond the log': lambda e: e.positions.update({0: (4, 4, 1)}),
    'an epoch that goes back': lambda e: e.positions.update({0: (3, 4, 0)}),
    'a cache that lags': lambda e: e.cache[SHOW]['hash'].update(rev='2'),
    'an index that is of another seat': lambda e: e.cache[SHOW]['labels'].reverse(),
    'a resource in the list of another kind': lambda e: e.lists[':kind:rooms'].update({SHOW: True}),
    'a seat shown wrongly': lambda e: e.cache[SHOW].update(seats='....sh.'),
    'a pool shown wrongly': lambda e: e.cache[SHOW]['pools'].update(stalls='6/7/0/1/0'),
    'a resource that is not shown': lambda e: e.cache.clear(),
    'a resource that is not listed': lambda e: e.lists[''].clear(),
}


@pytest.mark.parametrize('wrong', WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_reported(log, wrong):
    evidence = held_and_confirmed(log)
    wrong(evidence)
    report = replay(evidence)
    assert not report
    assert report.lines


def test_an_expiry_past_a_confirm_that_waited_in_the_log_is_reported(log):
    units = [{'item': 0, 'section': 'standing', 'quantity': 1, 'price': 2000}]
    log.ask({'op': 'hold', 'customer': 'c1', 'ttl_s': 10, 'items': [{'section': 'standing', 'quantity': 1}]},
            outcome='held', customer='c1', booking='r2', units=units, total=2000, currency='EUR', rev=2, free=9,
            expires_at=instant_text(T + 10_000))
    log.expire({'request_id': 'r2', 'op': 'hold'}, now=60_000, customer='c1', booking='r2', returned=units,
               total=2000, currency='EUR', rev=3, free=10)
    log.ask({'op': 'confirm', 'customer': 'c1', 'booking': 'r2'}, at=9_999, now=60_000, outcome='confirmed',
            customer='c1', booking='r2', units=units, total=2000, currency='EUR', rev=4, free=9)
    report = replay(log.finish())
    assert 'decision 3 of partition 0 (expiry of r2): expected none before offset 2, appended in time, found one' \
        in report.lines


@pytest.mark.parametrize('now, early', [(60_000, False), (9_999, True)])
def test_before_a_record_that_cannot_be_unpacked_the_clock_ends_holds(log, now, early):
    """Nobody knows when it was appended."""
    units = [{'item': 0, 'section': 'standing', 'quantity': 1, 'price': 2000}]
    log.ask({'op': 'hold', 'customer': 'c1', 'ttl_s': 10, 'items': [{'section': 'standing', 'quantity': 1}]},
            outcome='held', customer='c1', booking='r2', units=units, total=2000, currency='EUR', rev=2, free=9,
            expires_at=instant_text(T + 10_000))
    log.expire({'request_id': 'r2', 'op': 'hold'}, now=now, customer='c1', booking='r2', returned=units,
               total=2000, currency='EUR', rev=3, free=10)
    log.ask({'op': 'probe'}, at=-T, now=60_000, outcome='alive', rev=3, free=10)
    lines = replay(log.finish()).lines
    assert early == any('(expiry of r2)' in line for line in lines), lines


@pytest.mark.parametrize('ttl_s, over', [(100, False), (30, True)])
def test_the_time_of_a_broker_that_is_far_ahead_is_not_believed(log, ttl_s, over):
    """But for a minute: what ends by then comes before its record."""
    units = [{'item': 0, 'section': 'standing', 'quantity': 1, 'price': 2000}]
    log.ask({'op': 'hold', 'customer': 'c1', 'ttl_s': ttl_s, 'items': [{'section': 'standing', 'quantity': 1}]},
            outcome='held', customer='c1', booking='r2', units=units, total=2000, currency='EUR', rev=2, free=9,
            expires_at=instant_text(T + 1000 * ttl_s))
    log.ask({'op': 'confirm', 'customer': 'c1', 'booking': 'r2'}, at=3_600_000, now=1_000, outcome='confirmed',
            customer='c1', booking='r2', units=units, total=2000, currency='EUR', rev=3, free=9)
    report = replay(log.finish(), tolerance_ms=3_600_000)
    assert over == any('the end of r2, whose time was over' in line for line in report.lines), str(report)


def test_time_goes_back_only_where_it_was_set_back(log):
    probe = {'outcome': 'refused', 'reason': 'unknown_resource'}
    log.ask({'op': 'probe', 'resource': 'show:none'}, at=0, now=86_400_000, **probe)
    log.ask({'op': 'probe', 'resource': 'show:none'}, at=1_000, **probe)
    evidence = log.finish()
    assert any('decided_at' in line for line in replay(evidence).lines)
    evidence.clock_resets.add((0, len(log.rows)))
    assert not any('decided_at' in line for line in replay(evidence).lines)


def test_a_request_has_no_decision_only_where_it_was_skipped(log):
    log.ask({'op': 'probe', 'resource': 'show:none'}, outcome='refused', reason='unknown_resource')
    evidence = log.finish()
    offset = evidence.records[0][-1].offset
    del evidence.decisions[0][-1], evidence.answers[0][-1]
    assert any(f'record {offset}' in line for line in replay(evidence).lines)
    evidence.skips.add((0, offset, offset + 1))
    assert not any('record' in line for line in replay(evidence).lines)


def test_seqs_that_were_answered_go_on_behind_what_was_lost(log):
    log.ask({'op': 'probe', 'resource': 'show:none'}, outcome='refused', reason='unknown_resource')
    evidence = log.finish()
    lost = list(evidence.answers[0])
    again = evidence.decisions[0][-1]
    again.seq += 1
    evidence.answers[0].clear()
    publish(evidence)
    evidence.answers[0][:-1] = lost
    assert any('seq' in line for line in replay(evidence).lines)
    evidence.losses[0] = {again.seq: 1}
    assert not any('seq' in line or 'answer' in line for line in replay(evidence).lines)


def test_a_topic_that_was_recreated_is_a_log_of_its_own(log):
    """Offsets begin again, dead letters share one, and a record that is passed over in the new log is found."""
    log.put(b'{"number":"bad-1"', at=1)
    log.answer({}, 1, 1, {'outcome': 'invalid', 'reason': 'malformed'})
    evidence = log.evidence
    evidence.former[0] = [(len(log.rows) + 1, evidence.records[0])]
    evidence.records[0] = []
    for number in range(3):
        log.put(f'{{"number":"bad-{number + 2}"'.encode(), at=2 + number)
        log.answer({}, number, 2 + number, {'outcome': 'invalid', 'reason': 'malformed'})
    tables(log)
    log.finish()
    values = [(1, b'{"number":"bad-1"'), *((record.offset, record.value) for record in evidence.records[0])]
    evidence.dead_letters = [Record(0, T, SHOW.encode(), value, (
        ('dlq-reason', b'malformed'), ('dlq-partition', b'0'), ('dlq-offset', str(offset).encode()))) for offset, value in values]
    report = replay(evidence)
    assert report, str(report)
    assert report.facts['requests'] == 5
    # Alike, at the same offset of the other log, but for the key.
    evidence.records[0][1].value = evidence.dead_letters[2].value = evidence.dead_letters[0].value
    for one in (evidence.records[0][1], evidence.decisions[0][3], evidence.answers[0][3], evidence.dead_letters[2]):
        one.key = b'other'
    report = replay(evidence)
    assert report, str(report)
    evidence.dead_letters[0].value = b'another'
    assert any('dead letter' in line for line in replay(evidence).lines)
    evidence.records[0].insert(0, evidence.records[0][0])
    assert not replay(evidence)


def test_an_idle_expiry_before_its_time_is_reported(log):
    units = [{'item': 0, 'section': 'standing', 'quantity': 1, 'price': 2000}]
    log.ask({'op': 'hold', 'customer': 'c1', 'ttl_s': 10, 'items': [{'section': 'standing', 'quantity': 1}]},
            outcome='held', customer='c1', booking='r2', units=units, total=2000, currency='EUR', rev=2, free=9,
            expires_at=instant_text(T + 10_000))
    log.expire({'request_id': 'r2', 'op': 'hold'}, now=9_999, customer='c1', booking='r2', returned=units,
               total=2000, currency='EUR', rev=3, free=10)
    tables(log, rev=3, bookings=[('r2', {'state': 'expired', 'total': 2000, 'expires': T + 10_000, 'ttl_s': 10,
                                         'lines': [[0, 'standing', None, 2000, 1, None]]})])
    report = replay(log.finish())
    assert len(report.lines) == 1 and 'expiry of r2' in report.lines[0], str(report)
    log.rows[-1].now = T + 10_000
    log.rows[-1].body['decided_at'] = instant_text(T + 10_000)
    log.evidence.answers[0].clear()
    assert replay(log.finish())


# ---- the filter ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize('seqs, position', [
    ([1, 2, 3], 3), ([1, 2, 2, 3], 3), ([1, 2, 5, 6, 3, 4], 4), ([2, 3], 0), ([1, 3, 2, 3], 3)])
def test_accept_only_next(seqs, position):
    records = [Record(at, 0, b'k', b'{"seq":%d}' % seq) for at, seq in enumerate(seqs)]
    report = Report()
    assert sorted(accepted(report, 0, records)) == list(range(1, position + 1))
    assert report
