#!/usr/bin/env python3
"""A service that sells through usher, complete. Needs confluent-kafka and psycopg2. What it does and why is explained
in producer/docs/write-a-service.md.

    service.py ask        reads requests, one JSON object per line, and prints their answers
    service.py follow     writes each customer's letters into its own database, for each answer exactly once

Reads USHER_KAFKA_BROKERS and USHER_TOPIC_PREFIX as all of usher does; DATABASE, a PostgreSQL URI; ANSWER_TIMEOUT in
seconds and ANSWER_TRIES."""

import collections
import concurrent.futures
import contextlib
import functools
import json
import os
import re
import sys
import threading

import confluent_kafka
import psycopg2

KAFKA = {'bootstrap.servers': os.environ.get('USHER_KAFKA_BROKERS', 'localhost:9092')}
PREFIX = os.environ.get('USHER_TOPIC_PREFIX', 'booking')
REQUESTS, RESULTS = f'{PREFIX}.requests.v1', f'{PREFIX}.results.v1'
TIMEOUT_S = float(os.environ.get('ANSWER_TIMEOUT', '5'))
TRIES = int(os.environ.get('ANSWER_TRIES', '5'))
ID = re.compile('[A-Za-z0-9_.:-]{1,64}')
SOURCES_KEPT = 10_000


def results_consumer():
    """Reads the partitions that it is told to, from the offsets that it is told: never from a guess of its own."""
    return confluent_kafka.Consumer({**KAFKA, 'group.id': 'none: assigned by hand', 'enable.auto.commit': False,
                                     'auto.offset.reset': 'error'})


def results_partitions(consumer):
    return list(consumer.list_topics(RESULTS, 10).topics[RESULTS].partitions)


def checked(record):
    if record.error():
        raise confluent_kafka.KafkaException(record.error())
    return record


# ---- asking: publish a request, find its answer --------------------------------------------------------------
def place_of(request):
    """Where its answer is found. An id that usher cannot read comes back as null: nobody would find that answer."""
    if not isinstance(request, dict):
        raise ValueError('a request is an object')
    place = request['resource'], request['request_id']
    for one in place:
        if not isinstance(one, str) or not ID.fullmatch(one):
            raise ValueError(f'{one!r} is no resource or request_id: these are 1 to 64 of A-Z a-z 0-9 _ . : -')
    return place


def settle(future, answer):
    with contextlib.suppress(concurrent.futures.InvalidStateError):  # it has one already
        future.set_result(answer)


class Desk:
    """Asks for any number of threads. An answer is found by resource and request id: ids belong to their resource. Of what
    usher cannot read (half an emoji, a number of 400 digits) the answer may lack them: one that is invalid is found by its
    source, the partition and offset that the delivery report of the request named."""

    def __init__(self):
        self._producer = confluent_kafka.Producer({**KAFKA, 'partitioner': 'murmur2_random',
                                                   'enable.idempotence': True})
        self._consumer = results_consumer()
        self._lock = threading.Lock()
        self._waiting = collections.defaultdict(list)  # by resource and request id: who asked first is answered first
        self._sources = {}  # by partition and offset: futures of answers that are invalid
        # From the ends as they are before anything is sent: the answers come after them.
        places = [confluent_kafka.TopicPartition(RESULTS, number) for number in results_partitions(self._consumer)]
        for place in places:
            place.offset = self._consumer.get_watermark_offsets(place, 10)[1]
        self._consumer.assign(places)
        for work in self._listen, self._report:
            threading.Thread(target=work, daemon=True).start()

    def ask(self, request, timeout_s=TIMEOUT_S):
        """The answer. Without one in time the request is repeated with its id: whatever became of the first try, it
        has one effect. KeyError, ValueError: it is no request, and nothing is published."""
        place, value = place_of(request), json.dumps(request, allow_nan=False)
        future = concurrent.futures.Future()
        with self._lock:
            self._waiting[place].append(future)
        try:
            for _attempt in range(TRIES):
                self._producer.produce(REQUESTS, value, place[0], on_delivery=functools.partial(self._delivered, future))
                try:
                    return future.result(timeout_s)
                except concurrent.futures.TimeoutError:
                    print(f'no answer to {place} within {timeout_s} s: repeating it', file=sys.stderr, flush=True)
            raise TimeoutError(f'no answer to {place}: it may still be decided; ask again with the same id')
        finally:
            self._leave(place, future)

    def _leave(self, place, future):
        with self._lock:
            if future in self._waiting[place]:
                self._waiting[place].remove(future)  # the others wait on
            if not self._waiting[place]:
                del self._waiting[place]

    def _report(self):
        while True:
            self._producer.poll(1)

    def _delivered(self, future, error, record):
        if not error:
            found = self._at(record.partition(), record.offset())
            found.add_done_callback(lambda _found: settle(future, found.result()))

    def _at(self, partition, offset):
        """The answer that is invalid, whether it or the report of its request comes first."""
        with self._lock:
            if len(self._sources) >= SOURCES_KEPT:
                del self._sources[next(iter(self._sources))]
            return self._sources.setdefault((partition, offset), concurrent.futures.Future())

    def _listen(self):
        try:
            while True:
                record = self._consumer.poll(1)
                if record is not None:
                    self._hand_over(json.loads(checked(record).value()))
        finally:
            os._exit(1)  # who hears no answers is of no use: to be started again

    def _hand_over(self, answer):
        if answer.get('unasked'):  # these bear the id of the request that made the booking
            return
        if answer['outcome'] == 'invalid':
            settle(self._at(**answer['source']), answer)
            return
        with self._lock:
            asked = self._waiting.get((answer.get('resource'), answer['request_id']))
            if asked:
                settle(asked.pop(0), answer)


def for_each_line(work):
    """The first that is wrong ends it, and is named."""
    for number, line in enumerate(sys.stdin, 1):
        try:
            work(line)
        except Exception as error:
            error.add_note(f'in line {number}')
            raise


def ask():
    desk = Desk()
    for_each_line(lambda line: print(json.dumps(desk.ask(json.loads(line))), flush=True))


# ---- following: every answer once, whatever crashes ----------------------------------------------------------
SCHEMA = '''
    create table if not exists followed (partition int primary key, seq bigint not null, next_offset bigint not null);
    create table if not exists letter (id bigserial, customer text not null, words text not null);
'''
# Touches a row if the answer is the next of its partition, or the first ever. Locks it, too: of two instances that
# have the same answer, one is the first.
ACCEPT = '''
    insert into followed values (%(partition)s, %(seq)s, %(offset)s + 1)
    on conflict (partition) do update set seq = excluded.seq, next_offset = excluded.next_offset
    where followed.seq = excluded.seq - 1
'''


TOLD = {
    'confirmed': 'Your booking {booking} of {resource} is yours.',
    'expired': 'Your seats {booking} of {resource} were not paid in time.',
    'cancelled': 'Your booking {booking} of {resource} is cancelled.',
}
TURN = 'Your turn: {booking} of {resource} is held for you until {expires_at}.'


def bookings(answer):
    """Where a cart was confirmed or cancelled, its units name the bookings that they are of."""
    if 'booking' in answer:
        return [answer['booking']]
    units = answer.get('units') or answer.get('returned', [])
    return list(dict.fromkeys(group['booking'] for group in units if 'booking' in group))


def letters(answer):
    """What the customer is told of each booking. A repeated answer was told before."""
    words = TURN if answer['outcome'] == 'held' and answer.get('unasked') else TOLD.get(answer['outcome'])
    if not words or answer.get('replayed'):
        return []
    return [words.format_map({**answer, 'booking': booking}) for booking in bookings(answer)]


class Lost(Exception):
    """Answers that are not in the log: the view usher.history has them."""


class Follower:
    def __init__(self):
        self._database = psycopg2.connect(os.environ['DATABASE'])
        self._consumer = results_consumer()
        self._searched = {}  # by partition where a seq was too high: the end of its log when that was first seen

    def _range(self, partition):
        """The offset at which its log begins, and its end."""
        return self._consumer.get_watermark_offsets(confluent_kafka.TopicPartition(RESULTS, partition), 10)

    def _resume(self):
        """Where each partition goes on: behind what is stored, else at the first answer that is kept."""
        with self._database, self._database.cursor() as cursor:
            cursor.execute(SCHEMA)
            cursor.execute('select partition, next_offset from followed')
            stored = dict(cursor.fetchall())
        for partition in results_partitions(self._consumer):
            first = self._range(partition)[0]
            offset = stored.get(partition, first)
            if offset < first:
                raise Lost(f'partition {partition} goes on at offset {offset}, but its log begins at {first}: '
                           'retention deleted answers, which the view usher.history has')
            yield confluent_kafka.TopicPartition(RESULTS, partition, offset)

    def _take(self, cursor, record):
        answer = json.loads(checked(record).value())
        cursor.execute(ACCEPT, {'partition': record.partition(), 'seq': answer['seq'], 'offset': record.offset()})
        if cursor.rowcount == 0:
            self._look(cursor, record, answer['seq'])
            return
        self._searched.pop(record.partition(), None)
        for words in letters(answer):
            cursor.execute('insert into letter (customer, words) values (%s, %s)', (answer['customer'], words))

    def _look(self, cursor, record, seq):
        """A low seq was accepted. A high one: those before it follow in the log, or they are lost."""
        partition = record.partition()
        cursor.execute('select seq from followed where partition = %s', (partition,))
        last = cursor.fetchone()[0]
        if seq <= last:
            return
        if partition not in self._searched:
            self._searched[partition] = self._range(partition)[1]
        if record.offset() + 1 >= self._searched[partition]:
            raise Lost(f'seq {last + 1} of partition {partition} is not in the log up to offset {record.offset()}, where '
                       f'seq {seq} is: the view usher.history has what is missing')

    def _take_all(self, records):
        """One transaction has the letters and how far they go: both are there, or neither."""
        with self._database, self._database.cursor() as cursor:
            try:
                for record in records:
                    self._take(cursor, record)
            except Lost as error:  # after what came before
                return error
        return None

    def follow(self):
        self._consumer.assign(list(self._resume()))
        while True:
            first = self._consumer.poll(1)
            lost = None if first is None else self._take_all([first, *self._consumer.consume(500, 0)])
            if lost:
                raise lost


if __name__ == '__main__':
    {'ask': ask, 'follow': lambda: Follower().follow()}[sys.argv[1]]()
