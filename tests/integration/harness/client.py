"""A client of the contract: sends requests through Kafka, and reads the answers as a consumer does that accepts
exactly the next seq. Knows nothing of the worker."""

import functools
import itertools
import json
import threading
import time

import confluent_kafka

from .waiting import PATIENCE_S


class Follower(threading.Thread):
    """Reads a topic from its start, in the background; what it makes of a message is its heirs' business."""

    def __init__(self, brokers, topic, partitions):
        super().__init__(daemon=True)
        self.topic, self.changed, self._stopping = topic, threading.Condition(), False
        self._consumer = confluent_kafka.Consumer({
            'bootstrap.servers': brokers, 'group.id': 'usher-tests', 'enable.auto.commit': False,
            'enable.auto.offset.store': False, 'auto.offset.reset': 'earliest', 'reconnect.backoff.max.ms': 200,
            'message.max.bytes': 2000000, 'log_level': 0})
        self._consumer.assign([confluent_kafka.TopicPartition(topic, partition, 0)
                               for partition in range(partitions)])
        self.start()

    def run(self):
        while not self._stopping:
            # The first as soon as it is there, with all that came along: `consume` would wait for a thousand.
            first = self._consumer.poll(0.05)
            messages = [] if first is None else [first, *self._consumer.consume(999, 0)]
            messages = [message for message in messages if not message.error()]
            if messages:
                with self.changed:
                    for message in messages:
                        self.take(message)
                    self.changed.notify_all()
        self._consumer.close()

    def close(self):
        self._stopping = True
        self.join(10)


class DeadLetters(Follower):
    """Dead letters by the record that they are of: (partition, offset) → messages."""

    def __init__(self, *arguments):
        self.by_source = {}
        super().__init__(*arguments)

    def take(self, message):
        headers = dict(message.headers())
        source = int(headers['dlq-partition']), int(headers['dlq-offset'])
        self.by_source.setdefault(source, []).append((message, headers))

    def await_one(self, source):
        """(message, headers) of the first dead letter of a record."""
        with self.changed:
            assert self.changed.wait_for(lambda: source in self.by_source, PATIENCE_S), \
                f'the record at partition, offset {source} is no dead letter after {PATIENCE_S} s'
            return self.by_source[source][0]


class Answers(Follower):
    """Answers as a consumer has them that accepts exactly the next seq."""

    def __init__(self, brokers, topic, partitions):
        self.behind = 0  # the seq behind which the topic begins, where it is not the first of its kind
        self.accepted = {partition: [] for partition in range(partitions)}
        self.records = {partition: [] for partition in range(partitions)}
        self.by_source, self.came_at = {}, {}
        super().__init__(brokers, topic, partitions)

    def take(self, message):
        partition = message.partition()
        self.records[partition].append(message)
        answer = json.loads(message.value())
        accepted = self.accepted[partition]
        if answer['seq'] != self.behind + len(accepted) + 1:
            return
        accepted.append(answer)
        if 'source' in answer:
            place = partition, answer['source']['offset']
            self.by_source[place] = answer
            self.came_at.setdefault(place, time.monotonic())

    def await_all(self, places):
        """The answers to the records at these (partition, offset), in that order."""
        with self.changed:
            done = self.changed.wait_for(lambda: all(place in self.by_source for place in places), PATIENCE_S)
            if not done:
                missing = [place for place in places if place not in self.by_source]
                raise AssertionError(f'{len(missing)} of {len(places)} requests have no answer after '
                                     f'{PATIENCE_S} s; the first at partition, offset {missing[0]}')
            return [self.by_source[place] for place in places]

    def await_one(self, condition, what='an answer that was waited for'):
        """The first accepted answer for which the condition holds."""
        def find():
            return next((answer for answers in list(self.accepted.values()) for answer in list(answers)
                         if condition(answer)), None)
        with self.changed:
            self.changed.wait_for(find, PATIENCE_S)
            found = find()
        assert found, f'{what} did not come within {PATIENCE_S} s'
        return found

    def count(self):
        """How many requests have an answer."""
        return len(self.by_source)

    def everything(self):
        return [answer for answers in self.accepted.values() for answer in answers]

    def record_of(self, answer):
        """The Kafka message that carries an answer."""
        place = answer['source']['partition']
        return next(message for message in self.records[place] if json.loads(message.value())['seq'] == answer['seq'])


class Client:
    """Sends; one object for a realm. Delivered means: acknowledged by Kafka, at a known offset."""

    def __init__(self, brokers, prefix, partitions):
        self.brokers, self.prefix, self.partitions = brokers, prefix, partitions
        self.topic = f'{prefix}.requests.v1'
        self.answers = Answers(brokers, f'{prefix}.results.v1', partitions)
        self._numbers = itertools.count(1)
        self.producer = self.connected(**{'enable.idempotence': True})
        # Else the first request would wait for up to a second until librdkafka asks where it goes.
        self.producer.list_topics(self.topic, PATIENCE_S)

    @functools.cached_property
    def dead_letters(self):
        """Followed once somebody asks for them."""
        return DeadLetters(self.brokers, f'{self.prefix}.requests.dlq.v1', self.partitions)

    def connected(self, **settings):
        """A producer that partitions as the contract has it."""
        return confluent_kafka.Producer({
            'bootstrap.servers': self.brokers, 'partitioner': 'murmur2_random', 'linger.ms': 1, 'message.max.bytes': 1100000,
            'reconnect.backoff.max.ms': 200, 'socket.nagle.disable': True, 'queue.buffering.max.messages': 1000000,
            'log_level': 0, **settings})

    def outlive_brokers(self):
        """An idempotent producer may end for good when its broker is killed: librdkafka before 2.3 loses count of what
        the broker has ("rewound sequence number"). From now on a record may be sent twice instead, which is one more
        repeat."""
        self.producer = self.connected()

    def new_id(self):
        return f'q{next(self._numbers)}'

    def request(self, op, resource, **fields):
        fields = {name: value for name, value in fields.items() if value is not None}
        return {'request_id': self.new_id(), 'op': op, 'resource': resource, **fields}

    def put(self, value, key, places, **options):
        """Queues one record; (partition, offset) is appended to `places` when Kafka has it."""
        def delivered(error, message):
            if error is None:
                places.append((message.partition(), message.offset()))
        while True:
            try:
                self.producer.produce(self.topic, value, key, on_delivery=delivered, **options)
                break
            except BufferError:
                self.producer.poll(0.05)
        self.producer.poll(0)

    def flush(self):
        assert self.producer.flush(PATIENCE_S) == 0, f'Kafka did not take every request within {PATIENCE_S} s'

    def send(self, *requests):
        """Sends requests as they are; returns their places in the log once Kafka has them, in order."""
        slots = [[] for _request in requests]
        for request, places in zip(requests, slots):
            self.put(json.dumps(request), request['resource'], places)
        self.flush()
        assert all(slots), 'Kafka refused a request'
        return [places[0] for places in slots]

    def send_raw(self, value, key, **options):
        """Sends bytes; returns their place in the log."""
        places = []
        self.put(value, key, places, **options)
        self.flush()
        assert places, 'Kafka refused the record'
        return places[0]

    def send_batch(self, *records, **settings):
        """Sends records, (key, value) each, to one partition in one batch of Kafka; returns their places in the log.

        The topic is known before the first record comes. Otherwise librdkafka keeps the records aside, and moves them
        to their partition one by one when it knows it: a flush that has begun may then send the first one alone."""
        producer = self.connected(**{'linger.ms': 60000, **settings}) # until flushed
        producer.list_topics(self.topic, PATIENCE_S)
        places = []

        def delivered(error, message):
            assert error is None, f'Kafka refused the record: {error}'
            places.append((message.partition(), message.offset()))
        for key, value in records:
            producer.produce(self.topic, value, key, on_delivery=delivered)
        assert producer.flush(PATIENCE_S) == 0
        return places

    def answers_to(self, places):
        return self.answers.await_all(places)

    def ask(self, op, resource, **fields):
        """Sends one request and returns its answer."""
        return self.answers_to(self.send(self.request(op, resource, **fields)))[0]

    def ask_all(self, *requests):
        return self.answers_to(self.send(*requests))

    def ask_raw(self, value, key, **options):
        return self.answers_to([self.send_raw(value, key, **options)])[0]

    def close(self):
        self.answers.close()
        if 'dead_letters' in vars(self):
            self.dead_letters.close()

