"""Requests sent in transactions: what ends one takes an offset in the log, as do the records of one that was aborted.
None of them is a request, so none is lost when retention deletes them."""

import json

import confluent_kafka

from harness.delete_records import delete_records
from harness.shows import places, standing, verdict
from harness.waiting import PATIENCE_S, eventually


class Sender:
    """A producer with transactions, as the usual framework has it."""

    def __init__(self, realm):
        self.realm = realm
        self.producer = confluent_kafka.Producer({
            'bootstrap.servers': realm.brokers, 'partitioner': 'murmur2_random', 'transactional.id': realm.name,
            'log_level': 0})
        self.producer.init_transactions(PATIENCE_S)

    def send(self, *requests, commit=True):
        """Sends requests in a transaction; returns their places in the log."""
        sent = []
        self.producer.begin_transaction()
        for request in requests:
            self.producer.produce(self.realm.client.topic, json.dumps(request), request['resource'],
                                  on_delivery=lambda _error, at: sent.append((at.partition(), at.offset())))
        assert self.producer.flush(PATIENCE_S) == 0
        end = self.producer.commit_transaction if commit else self.producer.abort_transaction
        end(PATIENCE_S)
        return sent


def booking(realm):
    return realm.client.request('book', 'show', customer='c', items=places('floor', 1))


def test_the_ends_of_transactions_are_passed(realm):
    """On a quiet partition, and when it is left; for Kafka nothing is left to be read either."""
    sender = Sender(realm)
    sent = sender.send(realm.client.request('define', 'show', **standing(20)), booking(realm))
    sender.send(booking(realm), booking(realm), commit=False)
    assert [verdict(answer) for answer in realm.client.answers_to(sent)] == [('defined', None), ('confirmed', None)]
    eventually(lambda: realm.group_position() == (6, 6), 'Kafka knows that the end is reached')
    assert realm.position()[1:] == (6, 3)
    # The worker goes before it was quiet for long.
    sent = sender.send(booking(realm))
    assert verdict(realm.client.answers_to(sent)[0]) == ('confirmed', None)
    def has_read_all():
        partition = realm.workers[-1].status()['partitions'][0]
        return partition['next_offset'] > sent[0][1] and partition['lag'] == 0
    eventually(has_read_all, 'the worker has seen the end of the log')
    realm.workers[-1].stop()
    assert realm.position()[1:] == (8, 4) and realm.group_position() == (8, 8)
    realm.check()
    # A week later.
    assert delete_records(realm.brokers, realm.client.topic) == 8
    realm.worker()
    assert verdict(realm.client.answers_to(sender.send(booking(realm)))[0]) == ('confirmed', None)
    assert realm.run('reconcile').returncode == 0
