"""Sets what the replay came to beside what the worker wrote, and says where they differ."""

import json

from .decoding import KEY_MAX
from .evidence import Row

DIFFERENCES_MAX = 40


class Report:
    """Differences found, the first of them in words."""

    def __init__(self):
        self.lines, self.count, self.facts = [], 0, {}

    def differ(self, place, expected, found):
        self.count += 1
        if self.count <= DIFFERENCES_MAX:
            self.lines.append(f'{place}: expected {_short(expected)}, found {_short(found)}')

    def equal(self, place, expected, found):
        if expected != found:
            self.differ(place, expected, found)
        return expected == found

    def __bool__(self):
        return self.count == 0

    def __str__(self):
        facts = ', '.join(f'{value} {name}' for name, value in self.facts.items())
        if self:
            return f'equal: {facts}'
        return '\n'.join([f'{self.count} differences ({facts}):', *self.lines])


def _short(value):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 600 else text[:600] + '…'


# ---- decisions ----------------------------------------------------------------------------------------------
def decision(report, place, expected, row: Row):
    """One row of the decision table against the replay's decision."""
    body = expected.body
    fields = ('offset', 'key', 'request_id', 'op', 'resource', 'client', 'first', 'replayed', 'outcome', 'reason')
    wanted = (expected.offset, expected.key, expected.request_id, expected.op, expected.resource,
              expected.client, expected.first, expected.replayed, body['outcome'], body.get('reason'))
    found = (row.offset, row.key, row.request_id, row.op, row.resource, row.client, row.first, row.replayed,
             row.outcome, row.reason)
    if wanted != found:
        for name, one, other in zip(fields, wanted, found):
            report.equal(f'{place} {name}', one, other)
    if row.bookings is not None and not expected.replayed:
        report.equal(f'{place} {row.request_id} bookings', sorted(expected.bookings), sorted(row.bookings))
    written = row.body
    if body['outcome'] in ('refused', 'invalid', 'defined'):  # of these it is in the worker's words
        written = {name: value for name, value in written.items() if name != 'detail'}
    if body != written and not _page_of(body, written):
        for name in sorted(body.keys() | written.keys()):
            report.equal(f'{place} {row.request_id} {name}', body.get(name), written.get(name))


def _page_of(body, written):
    """Whether a probe's answer is a first page of the whole: where it is cut is the worker's to choose."""
    if 'next' not in written or len(written['pools']) > len(body.get('pools', ())):
        return False
    rest = {name: value for name, value in written.items() if name not in ('next', 'pools')}
    if rest != {name: value for name, value in body.items() if name != 'pools'}:
        return False
    return all(_begins(whole, cut, last=index == len(written['pools']) - 1)
               for index, (whole, cut) in enumerate(zip(body['pools'], written['pools'])))


def _begins(whole, cut, last):
    if not last or 'room' not in cut:
        return whole == cut
    nights = len(cut['free'])
    wanted = {name: value[:nights] if isinstance(value, list) else value for name, value in whole.items()}
    if 'rates' in whole:
        wanted['rates'] = {rate: prices[:nights] for rate, prices in whole['rates'].items()}
        # A rate that none of these nights has need not be there.
        for rate, prices in whole['rates'].items():
            if rate not in cut.get('rates', {}) and not any(price is not None for price in prices[:nights]):
                del wanted['rates'][rate]
    return cut == wanted or cut == {name: value for name, value in wanted.items() if value != {}}


# ---- answers ------------------------------------------------------------------------------------------------
def accepted(report, partition, records):
    """What a consumer sees that accepts exactly the next seq: seq → (record, answer). Equal seq: equal bytes."""
    seen, position = {}, 0
    for record in records:
        place = f'answer at offset {record.offset} of partition {partition}'
        answer = json.loads(record.value)
        seq = answer['seq']
        twin = seen.get(seq)
        if twin:
            same = (twin[0].value, twin[0].key, twin[0].headers)
            report.equal(f'{place} (seq {seq} again)', same, (record.value, record.key, record.headers))
        seen.setdefault(seq, (record, answer))
        if seq == position + 1:
            position = seq
    return {seq: pair for seq, pair in seen.items() if seq <= position}


def answers(report, partition, rows, records, losses):
    """The answer log, after the filter, against the decision table. What was lost was answered, too."""
    found = accepted(report, partition, records)
    for row in rows:
        place = f'answer {row.seq} of partition {partition}'
        if row.seq not in found:
            report.differ(place, f'one for request {row.request_id}', 'none that a consumer would accept')
            break
        record, answer = found.pop(row.seq)
        report.equal(f'{place} key', row.key, record.key)
        expected = envelope(partition, row)
        expected.update(row.body)
        if answer != expected:
            for name in sorted(expected.keys() | answer.keys()):
                report.equal(f'{place} {name}', expected.get(name), answer.get(name))
    lost = {seq for following, count in losses.items() for seq in range(following - count, following)}
    for seq in sorted(found.keys() - lost)[:DIFFERENCES_MAX]:
        report.differ(f'answer {seq} of partition {partition}', 'none: no such decision', 'one')


def envelope(partition, row):
    fields = {'request_id': row.request_id, 'seq': row.seq, 'epoch': row.epoch}
    for name in ('op', 'resource', 'client'):
        if getattr(row, name) is not None:
            fields[name] = getattr(row, name)
    if row.replayed:
        fields['replayed'] = True
    if row.offset is not None:
        fields['source'] = {'partition': partition, 'offset': row.offset}
    return fields


# ---- dead letters -------------------------------------------------------------------------------------------
VALUE_MAX = 1_000_000


def dead(record):
    """Of its key and its value, as much as a dead letter has."""
    return (record.key or b'')[:KEY_MAX], (record.value or b'')[:VALUE_MAX]


def dead_letters(report, evidence):
    """Each invalid record lies in the dead-letter topic with its bytes, and nothing else does."""
    expected = {}
    for partition in evidence.decisions:
        for records, rows in evidence.logs(partition):
            offsets = {row.offset: row for row in rows if row.outcome == 'invalid'}
            for record in records:
                if record.offset in offsets:
                    expected.setdefault((partition, record.offset), []).append((offsets[record.offset].reason, record))
    found = set()
    for letter in evidence.dead_letters:
        headers = {name: value.decode() for name, value in letter.headers if name.startswith('dlq-')}
        identity = int(headers['dlq-partition']), int(headers['dlq-offset'])
        place = f'dead letter of partition {identity[0]} offset {identity[1]}'
        if identity not in expected:
            report.differ(place, 'none', 'one')
            continue
        found.add(identity)
        # Of several logs each may have had one at that offset.
        reason, record = next((one for one in expected[identity] if dead(one[1]) == (letter.key or b'', letter.value or b'')),
                              expected[identity][0])
        report.equal(f'{place} reason', reason, headers['dlq-reason'])
        key, value = dead(record)
        report.equal(f'{place} key', key, letter.key or b'')
        report.equal(f'{place} truncated', (key, value) != (record.key or b'', record.value or b''), 'dlq-truncated' in headers)
        report.equal(f'{place} value', value, letter.value or b'')
    for partition, offset in sorted(expected.keys() - found):
        report.differ(f'dead letter of partition {partition} offset {offset}', 'one', 'none')


# ---- positions ----------------------------------------------------------------------------------------------
def position(report, evidence, partition):
    """Where the partition stands against its log and its decisions; epochs never go back."""
    rows = evidence.decisions.get(partition, [])
    records = evidence.records.get(partition, [])
    next_offset, next_seq, epoch = evidence.positions.get(partition, (0, 1, 0))
    place = f'position of partition {partition}'
    last = max([row.seq for row in rows[-1:]] + [following - 1 for following in evidence.losses.get(partition, {})], default=0)
    report.equal(f'{place} next_seq', last + 1, next_seq)
    # Behind the last record there may be what is none, such as the ends of transactions.
    following = records[-1].offset + 1 if records else 0
    if not following <= next_offset <= max(following, evidence.ends.get(partition, 0)):
        report.differ(f'{place} next_offset', following, next_offset)
    epochs = [row.epoch for row in rows] + [epoch]
    report.equal(f'{place} epochs', sorted(epochs), epochs)


# ---- mappings -----------------------------------------------------------------------------------------------
def mappings(report, place, expected, found):
    """Two mappings, entry by entry."""
    for key in sorted(expected.keys() | found.keys(), key=repr):
        if expected.get(key) != found.get(key):
            report.differ(f'{place} {key}', expected.get(key, 'none'), found.get(key, 'none'))


def columns(report, place, expected, found):
    """Two mappings of rows, each a mapping of columns."""
    for key in sorted(expected.keys() | found.keys(), key=repr):
        if key not in expected or key not in found:
            report.differ(f'{place} {key}', expected.get(key, 'none'), found.get(key, 'none'))
        else:
            mappings(report, f'{place} {key}', expected[key], found[key])
