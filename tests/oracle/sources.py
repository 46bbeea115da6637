"""Gathers the evidence from Kafka, PostgreSQL and Redis, once the worker has nothing left to do."""

import contextlib
import json
import re
import time
from dataclasses import dataclass

import confluent_kafka
import psycopg2
import redis

from . import display
from .decoding import wanted
from .parsing import instant_of
from .evidence import Evidence, Record, Row
from .tables import line_of


# A worker with nothing else to do has gone through its waiting lists by then.
SERVED_S = 1.0
PATIENCE_S = 90
GATHERED_AT_LEAST = 10  # before it is said that a worker goes on


@dataclass
class Settings:
    brokers: str
    postgres: str  # several with blanks between them: of each the partitions that live there, and no rows of others
    redis: str | None
    topic_prefix: str = 'booking'
    redis_prefix: str = 'usher'

    @classmethod
    def of_environment(cls, environment):
        return cls(environment['USHER_KAFKA_BROKERS'], environment['USHER_POSTGRES'],
                   environment.get('USHER_REDIS'), environment.get('USHER_TOPIC_PREFIX', 'booking'),
                   environment.get('USHER_REDIS_PREFIX', 'usher'))

    def topic(self, name):
        return f'{self.topic_prefix}.{name}.v1'


# ---- Kafka --------------------------------------------------------------------------------------------------
@contextlib.contextmanager
def _reader(settings):
    """A consumer that joins no group, though librdkafka wants one named."""
    consumer = confluent_kafka.Consumer({
        'bootstrap.servers': settings.brokers, 'group.id': 'usher-replay', 'enable.auto.commit': False,
        'enable.auto.offset.store': False, 'auto.offset.reset': 'error', 'fetch.wait.max.ms': 50,
        'enable.partition.eof': True, 'message.max.bytes': 2000000, 'fetch.error.backoff.ms': 10})
    try:
        yield consumer
    finally:
        consumer.close()


def partition_count(settings):
    with _reader(settings) as consumer:
        topic = consumer.list_topics(settings.topic('requests'), timeout=PATIENCE_S).topics[settings.topic('requests')]
        if topic.error:
            raise RuntimeError(f'could not read topic {settings.topic("requests")}: {topic.error}')
        return len(topic.partitions)


def _ends(consumer, topic, partitions):
    """First and last offset + 1 of each partition."""
    return {partition: consumer.get_watermark_offsets(confluent_kafka.TopicPartition(topic, partition),
                                                      timeout=PATIENCE_S) for partition in partitions}


def record_of(message):
    return Record(message.offset(), message.timestamp()[1], message.key(), message.value(),
                  tuple(message.headers() or ()))


def is_noop(record):
    """Whether a worker appended it, to find out what can be read: it is no request."""
    return record.key is None and record.value is None and 'usher-noop' in dict(record.headers)


def _arrived(consumer):
    """The first message as soon as it is there, with all that came along: `consume` would wait for more."""
    first = consumer.poll(0.2)
    return [] if first is None else [first, *consumer.consume(9999, 0)]


def _pass_unreadable(consumer, error, records, following):
    """A record of a batch that cannot be unpacked: nothing is known of it but that it is there. The error, which has the
    batch's first offset, comes again for every record of the batch."""
    partition = error.partition()
    offset = max(following[partition], error.offset())
    records.append(Record(offset, 0, None, None))
    following[partition] = offset + 1
    consumer.seek(confluent_kafka.TopicPartition(error.topic(), partition, offset + 1))


def read_topic(consumer, topic, starts):
    """All records of the partitions in `starts` (partition → offset to begin at), up to the log's end."""
    records, following = {partition: [] for partition in starts}, dict(starts)
    consumer.assign([confluent_kafka.TopicPartition(topic, *place) for place in starts.items()])
    open_partitions, deadline = set(starts), time.monotonic() + PATIENCE_S
    while open_partitions:
        if time.monotonic() > deadline:
            raise RuntimeError(f'could not read {topic} within {PATIENCE_S} s')
        passed = set()
        for message in _arrived(consumer):
            partition = message.partition()
            if partition in passed:  # what came before it was passed
                continue
            if not message.error():
                records[partition].append(record_of(message))
                following[partition] = message.offset() + 1
            elif message.error().code() == confluent_kafka.KafkaError._BAD_COMPRESSION:
                _pass_unreadable(consumer, message, records[partition], following)
                passed.add(partition)
            elif message.error().code() == confluent_kafka.KafkaError._PARTITION_EOF:
                open_partitions.discard(partition)
            else:
                raise RuntimeError(f'could not read {topic}: {message.error()}')
    consumer.unassign()
    return records


def read_requests(settings):
    """The log of requests as it is now: partition → records."""
    with _reader(settings) as consumer:
        return _read_all(consumer, settings.topic('requests'))


def _read_all(consumer, topic):
    partitions = consumer.list_topics(topic, timeout=PATIENCE_S).topics[topic].partitions
    starts = {partition: start for partition, (start, _end) in _ends(consumer, topic, partitions).items()}
    return read_topic(consumer, topic, starts)


def _last_seqs(consumer, topic, partitions):
    """The seq of the last answer in each partition's log; 0: none."""
    ends = _ends(consumer, topic, partitions)
    starts = {partition: end - 1 for partition, (start, end) in ends.items() if end > start}
    last = {partition: 0 for partition in partitions}
    for partition, records in read_topic(consumer, topic, starts).items():
        last[partition] = json.loads(records[-1].value)['seq'] if records else 0
    return last


# ---- PostgreSQL ---------------------------------------------------------------------------------------------
MILLISECONDS = '(extract(epoch from {}) * 1000)::bigint'

DECISIONS = f'''
    select partition, seq, epoch, source_offset, key, request_id, op, resource, client, outcome, reason, first,
           replayed, {MILLISECONDS.format('decided_at')}, body, coalesce(booking_nos, array[booking_no])
      from usher.decision order by partition, seq'''
RESOURCES = f'''
    select id, state, rev, hold_ttl_s, name, venue, description, timezone, currency, strategy, terms, cancelling, takings, promised, by_rate,
           {MILLISECONDS.format('opens_at')} as opens_at, {MILLISECONDS.format('closes_at')} as closes_at
      from usher.resource'''
POOLS = '''
    select r.id, p.index, p.name, p.night::text, p.capacity, p.price, p.overbook, p.rates, p.properties, p.restrictions, p.spares,
           p.held, p.sold, p.blocked
      from usher.pool p join usher.resource r on r.no = p.resource_no'''
BOOKINGS = f'''
    select r.id, b.request_id, b.state, b.op, b.customer, b.client, b.cart, b.payment, b.total,
           {MILLISECONDS.format('b.created_at')} as created, {MILLISECONDS.format('b.expires_at')} as expires,
           b.note, b.meta, b.ttl_s, b.wants, b.lines
      from usher.booking b join usher.resource r on r.no = b.resource_no'''
POSITIONS = '''
    select partition, coalesce(next_offset, 0), next_seq, epoch from usher.partition_state
     where shard is not distinct from (select name from usher.shard)'''
CANCELLING = 'select id from usher.resource where cancelling is not null'
FORMER_OWNERS = '''
    select r.id, b.request_id, f.customer
      from usher.former_owner f
      join usher.booking b on b.no = f.booking
      join usher.resource r on r.no = b.resource_no'''
# Lists that may have to be gone through. That they were is written down with the next change, not by itself.
UNSERVED = '''
    select id from usher.resource r
     where unserved and exists (select from usher.booking b where b.resource_no = r.no and b.state = 'waiting')'''
ALLOCATIONS = '''
    select r.id, p.name, p.night::text, a.unit, b.request_id
      from usher.allocation a
      join usher.pool p on p.no = a.pool
      join usher.resource r on r.no = p.resource_no
      join usher.booking b on b.no = a.booking and b.resource_no = r.no'''


@contextlib.contextmanager
def _snapshot(settings):
    """Cursors, each on one consistent picture of a database."""
    with contextlib.ExitStack() as opened:
        cursors = []
        for uri in re.split(r'\s+(?=postgres(?:ql)?://)', settings.postgres.strip()):
            connection = opened.enter_context(contextlib.closing(psycopg2.connect(uri)))
            connection.set_session(isolation_level='REPEATABLE READ', readonly=True)
            cursors.append(connection.cursor())
        yield cursors


def _rows(cursors, query):
    found = []
    for cursor in cursors:
        cursor.execute(query)
        found += cursor.fetchall()
    return found


def _count(cursors, table):
    return sum(count for count, in _rows(cursors, f'select count(*) from {table}'))


def _bytes(value):
    return None if value is None else bytes(value)


def _decisions(cursors):
    found = {}
    for partition, seq, epoch, offset, key, *middle, now, body, bookings in _rows(cursors, DECISIONS):
        # The number of a booking is that of its partition, and the seq of the decision that made it.
        made = [number & (1 << 48) - 1 for number in bookings if number is not None]
        found.setdefault(partition, []).append(
            Row(seq, epoch, offset, _bytes(key), *middle, now, json.loads('{' + body + '}'), made))
    return found


def _named(cursors, query):
    """The rows of a query, each a mapping of columns."""
    rows = _rows(cursors, query)
    names = [column.name for column in cursors[0].description]
    return [dict(zip(names, row)) for row in rows]


def by_rate_of(by_index, resource, text):
    """Units at each rate of the pools that count them, by pool; None: no pool does."""
    return None if text is None else {by_index[resource, int(index)]: rates for index, rates in json.loads(text).items()}


def _decoded(text):
    return None if text is None else json.loads(text)


def _tables(cursors, evidence):
    for row in _named(cursors, RESOURCES):
        row['terms'] = _decoded(row['terms'])
        evidence.resources[row.pop('id')] = row
    by_index = {}
    for row in _named(cursors, POOLS):
        place = row.pop('id'), row.pop('index')
        by_index[place] = row.pop('name'), row.pop('night')
        row.update({name: _decoded(row[name]) for name in ('rates', 'properties', 'restrictions')})
        evidence.pools[place[0], *by_index[place]] = row
    for name, row in evidence.resources.items():
        row['by_rate'] = by_rate_of(by_index, name, row['by_rate'])
    for row in _named(cursors, BOOKINGS):
        resource, wants = row.pop('id'), _decoded(row['wants'])
        row['wants'] = wants and wanted(wants)
        row['meta'] = _decoded(row['meta'])
        row['lines'] = [line_of(by_index, resource, line) for line in json.loads(row['lines'])]
        evidence.bookings[resource, row.pop('request_id')] = row
    for resource, pool, night, unit, booking in _rows(cursors, ALLOCATIONS):
        evidence.allocations[resource, pool, night, unit] = booking
    evidence.former_owners = {former: True for former in _rows(cursors, FORMER_OWNERS)}
    stray = _count(cursors, 'usher.allocation') - len(evidence.allocations)
    if stray:
        evidence.allocations['units of no booking'] = stray


def _positions(cursors):
    """Of each partition where it lives, which is nowhere twice."""
    rows = _rows(cursors, POSITIONS)
    found = {row[0]: row[1:] for row in rows}
    if len(found) < len(rows):
        raise RuntimeError(f'a partition lives in two databases: {sorted(rows)}')
    return found


def _clock_resets(cursors):
    return set(_rows(cursors, 'select partition, seq from usher.clock_reset'))


def _skips(cursors):
    return set(_rows(cursors, 'select partition, coalesce(from_offset, 0), to_offset from usher.partition_skip'))


def _losses(cursors):
    """Decisions that the database lost, as an operator accepted."""
    found = {}
    for partition, following, count in _rows(cursors, 'select partition, next_seq, records from usher.partition_skip '
                                                      'where from_offset = to_offset'):
        found.setdefault(partition, {})[following] = count
    return found


def _former(cursors, former_logs):
    """Logs of requests that are gone, as far as they were decided when the next one was accepted; the rest is lost."""
    found = {}
    for partition, end, following in _rows(cursors, 'select partition, coalesce(next_offset, 0), next_seq from '
                                                    "usher.partition_topic where topics <> 'results' order by epoch"):
        logs = found.setdefault(partition, [])
        log = former_logs[len(logs)].get(partition, []) if len(logs) < len(former_logs) else []
        logs.append((following, [record for record in log if record.offset < end]))
    return found


def _pruned(cursors):
    found = {}
    for partition, *gone in _rows(cursors, 'select partition, epoch, resource from usher.pruned order by 1, 2'):
        found.setdefault(partition, []).append(tuple(gone))
    return found


ENVELOPE = ('request_id', 'seq', 'epoch', 'op', 'resource', 'client', 'replayed', 'source')
NOT_KEPT = ('id_reused', 'unknown_resource')


def _row_of(record, answer):
    """A decision as its answer has it."""
    body = {name: value for name, value in answer.items() if name not in ENVELOPE}
    offset, replayed, reason = answer.get('source', {}).get('offset'), answer.get('replayed', False), body.get('reason')
    first = offset is not None and not replayed and body['outcome'] != 'invalid' and reason not in NOT_KEPT
    return Row(answer['seq'], answer['epoch'], offset, record.key, answer['request_id'], answer.get('op'), answer.get('resource'),
               answer.get('client'), body['outcome'], reason, first, replayed, instant_of(body['decided_at']), body)


def _restore_pruned(evidence):
    """What was decided about resources that were pruned only their answers have."""
    for partition, gone in evidence.pruned.items():
        rows = {row.seq: row for row in evidence.decisions.get(partition, [])}
        for record in evidence.answers.get(partition, []):
            answer = json.loads(record.value)
            if answer.get('resource') in {resource for _epoch, resource in gone}:
                rows.setdefault(answer['seq'], _row_of(record, answer))
        evidence.decisions[partition] = [rows[seq] for seq in sorted(rows)]


# ---- Redis --------------------------------------------------------------------------------------------------
def _cache(settings, resources):
    client = redis.from_url(settings.redis, decode_responses=True)
    pipe = client.pipeline(transaction=False)
    for resource in resources:
        key = f'{settings.redis_prefix}:{{{resource}}}'
        pipe.hgetall(key).get(f'{key}:seats').hgetall(f'{key}:pools').get(f'{settings.redis_prefix}:takings:{{{resource}}}')
    found = pipe.execute()
    shown = {resource: {'hash': found[at * 4], 'seats': found[at * 4 + 1] or '', 'pools': found[at * 4 + 2], 'takings': found[at * 4 + 3]}
             for at, resource in enumerate(resources)}
    layouts = {}
    for one in shown.values():
        name = one['hash'].get('layout', '')
        if name not in layouts:
            layouts[name] = _labels(client.get(f'{settings.redis_prefix}:layout:{name}'))
        one['labels'] = layouts[name]
    listed = _lists(client, f'{settings.redis_prefix}:resources')
    client.close()
    return shown, listed


def _labels(layout):
    """Its seats, each at the index that its row says."""
    rows = [row for section in json.loads(layout)['sections'] for row in section['rows']] if layout else []
    seats = {row['at'] + index: label for row in rows for index, label in enumerate(row['labels'])}
    return [seats[index] for index in range(len(seats))]


def _lists(client, key):
    names = [f':kind:{kind}' for kind in display.KINDS] + [f':state:{state}' for state in display.STATES]
    return {'': {resource: int(score) for resource, score in client.zrange(key, 0, -1, withscores=True)},
            **{name: dict.fromkeys(client.smembers(key + name), True) for name in names}}


# ---- all together -------------------------------------------------------------------------------------------
def gather(settings, former_logs=()):
    evidence = Evidence(partition_count(settings))
    with _snapshot(settings) as cursors:
        evidence.decisions = _decisions(cursors)
        evidence.positions = _positions(cursors)
        evidence.clock_resets = _clock_resets(cursors)
        evidence.skips = _skips(cursors)
        evidence.losses = _losses(cursors)
        evidence.former = _former(cursors, former_logs)
        evidence.pruned = _pruned(cursors)
        _tables(cursors, evidence)
    with _reader(settings) as consumer:
        requests = _read_all(consumer, settings.topic('requests'))
        evidence.records = {partition: [record for record in records if not is_noop(record)]
                            for partition, records in requests.items()}
        ends = _ends(consumer, settings.topic('requests'), evidence.records)
        evidence.ends = {partition: end for partition, (_start, end) in ends.items()}
        evidence.answers = _read_all(consumer, settings.topic('results'))
        letters = _read_all(consumer, settings.topic('requests.dlq'))
    _restore_pruned(evidence)
    evidence.dead_letters = [record for records in letters.values() for record in records]
    if settings.redis:
        evidence.cache, evidence.lists = _cache(settings, sorted(evidence.resources))
    return evidence


def pending(settings):
    """What the worker still has to do, in words; empty: nothing."""
    with _snapshot(settings) as cursors:
        cancelling = _rows(cursors, CANCELLING)
        positions = _positions(cursors)
        letters = _count(cursors, 'usher.dead_letter')
        revs = dict(_rows(cursors, "select id, rev from usher.resource where state <> 'draft'"))
    with _reader(settings) as consumer:
        requests, results = settings.topic('requests'), settings.topic('results')
        partitions = list(consumer.list_topics(requests, timeout=PATIENCE_S).topics[requests].partitions)
        ends = _ends(consumer, requests, partitions)
        answered = _last_seqs(consumer, results, partitions)
        dead = consumer.list_topics(settings.topic('requests.dlq'), timeout=PATIENCE_S)
        dead = dead.topics[settings.topic('requests.dlq')].partitions
        lying = sum(end - start for start, end in _ends(consumer, settings.topic('requests.dlq'), dead).values())
    if cancelling:
        return f'bookings of {cancelling[0][0]} are being cancelled'
    for partition, (_start, end) in ends.items():
        next_offset, next_seq, _epoch = positions.get(partition, (0, 1, 0))
        if next_offset < end:
            return f'partition {partition} is decided up to {next_offset} of {end}'
        if answered[partition] != next_seq - 1:
            return f'partition {partition} is answered up to {answered[partition]} of {next_seq - 1}'
    if lying < letters:
        return f'{lying} of {letters} dead letters are delivered'
    return _cache_pending(settings, revs) if settings.redis else ''


def _cache_pending(settings, revs):
    shown, listed = _cache(settings, sorted(revs))
    for resource, rev in revs.items():
        found = shown[resource]['hash'].get('rev')
        if found != str(rev):
            return f'the cache has {resource} at {found} instead of {rev}'
        if resource not in listed['']:
            return f'the cache does not list {resource}'
    return ''


def gather_quiet(settings, deadline_s=30, former_logs=()):
    """Waits until nothing is pending, and gathers while nothing moves: holds may still run out by the clock.
    On a busy machine gathering can take longer than the time between two holds that end. Each time fewer are left.
    `former_logs`: of topics of requests that are gone, what was read of each before. Returns the evidence and what was still pending when the time was over ('': nothing)."""
    deadline = time.monotonic() + deadline_s
    gathered = 0
    while True:
        left = pending(settings)
        if not left or time.monotonic() > deadline:
            with _snapshot(settings) as cursors:
                positions, unserved = _positions(cursors), _rows(cursors, UNSERVED)
            time.sleep(SERVED_S if unserved else 0)
            evidence = gather(settings, former_logs)
            gathered += 1
            with _snapshot(settings) as cursors:
                moved = not positions == evidence.positions == _positions(cursors)
            if left or not moved or gathered >= GATHERED_AT_LEAST and time.monotonic() > deadline:
                return evidence, left or ('the worker goes on' if moved else '')
        time.sleep(0.05)
