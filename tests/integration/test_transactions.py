"""Requests sent in transactions: what ends one takes an offset in the log, as do the records of one that was aborted.
None of them is a request, so none is lost when retention deletes them."""

import datetime
import json
import time

import confluent_kafka

from harness.delete_records import delete_records
from harness.realm import STEADY
from harness.shows import places, standing, verdict
from harness.waiting import PATIENCE_S, eventually


class Sender:
    """A producer with transactions, as the usual framework has it."""

    def __init__(self, realm, name=''):
        self.realm = realm
        self.producer = confluent_kafka.Producer({
            'bootstrap.servers': realm.brokers, 'partitioner': 'murmur2_random', 'transactional.id': realm.name + name,
            'log_level': 0})
        self.producer.init_transactions(PATIENCE_S)

    def begin(self, *requests):
        """Sends requests in a transaction, and leaves it open; returns their places in the log."""
        sent = []
        self.producer.begin_transaction()
        for request in requests:
            self.producer.produce(self.realm.client.topic, json.dumps(request), request['resource'],
                                  on_delivery=lambda _error, at: sent.append((at.partition(), at.offset())))
        assert self.producer.flush(PATIENCE_S) == 0
        return sent

    def send(self, *requests, commit=True):
        """The same, and ends the transaction."""
        sent = self.begin(*requests)
        end = self.producer.commit_transaction if commit else self.producer.abort_transaction
        end(PATIENCE_S)
        return sent


def booking(realm):
    return realm.client.request('book', 'show', customer='c', items=places('floor', 1))


def test_a_hold_does_not_expire_past_a_confirm_behind_an_open_transaction(make_realm):
    """Though the worker was paused meanwhile, and has to ask where the log ends."""
    realm = make_realm()
    realm.worker(**STEADY)
    sender, client = Sender(realm), realm.client
    client.ask('define', 'show', **standing(20))
    held = client.ask('hold', 'show', customer='c', items=places('floor', 1), ttl_s=10)
    client.ask('hold', 'show', customer='c', items=places('floor', 1), ttl_s=1)
    eventually(lambda: realm.position()[2] >= 5, 'the other one has expired, so the worker goes by the clock')
    realm.workers[-1].pause()
    sender.begin(booking(realm))
    sent = client.send(client.request('confirm', 'show', customer='c', booking=held['booking']))
    ends_s = datetime.datetime.fromisoformat(held['expires_at'][:-1] + '+00:00').timestamp()
    eventually(lambda: time.time() > ends_s + 1.5, 'its time is over')
    row = json.loads(realm.run('status', '--json').stdout)
    assert row['lag'] >= 2, 'the log does not end where the transaction begins'
    realm.workers[-1].resume()
    eventually(lambda: realm.workers[-1].status()['partitions'][0]['lag'] > 0, 'the worker knows of more')
    sender.producer.abort_transaction(PATIENCE_S)
    assert verdict(client.answers_to(sent)[0]) == ('confirmed', None)
    realm.check()


def test_an_open_transaction_is_seen_as_long_as_it_keeps_requests_waiting(make_realm):
    """Not a row of transactions, each of which ends soon."""
    realm = make_realm(**STEADY)
    sender, client, worker = Sender(realm), realm.client, realm.worker()
    client.ask('define', 'show', **standing(20))
    def seconds():
        return worker.metric('usher_partition_open_transaction_seconds')
    sent = sender.begin(booking(realm))
    eventually(lambda: seconds() > 2.5, 'it is open for long')
    assert worker.status()['partitions'][0]['open_transaction_ms'] > 2500
    sender.producer.commit_transaction(PATIENCE_S)
    assert verdict(client.answers_to(sent)[0]) == ('confirmed', None)
    eventually(lambda: seconds() == 0, 'it has ended')
    longest = slowest = 0
    begun = at = time.monotonic()
    while at - begun < max(4, 4 * slowest):  # a row is much longer than each of it, however slow
        sender.begin(booking(realm))
        longest = max(longest, seconds())
        sender.producer.commit_transaction(PATIENCE_S)
        slowest, at = max(slowest, time.monotonic() - at), time.monotonic()
    assert longest < (at - begun) / 2
    realm.check()


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
        return any(one['next_offset'] > sent[0][1] and one['lag'] == 0 for one in realm.workers[-1].status()['partitions'])
    eventually(has_read_all, 'the worker has seen the end of the log')
    realm.workers[-1].stop()
    assert realm.position()[1:] == (8, 4) and realm.group_position() == (8, 8)
    realm.check()
    # A week later.
    assert delete_records(realm.brokers, realm.client.topic) == 8
    realm.worker()
    assert verdict(realm.client.answers_to(sender.send(booking(realm)))[0]) == ('confirmed', None)
    assert realm.run('reconcile').returncode == 0


def test_a_new_owner_goes_on_behind_what_was_aborted(realm):
    """What lies between the last decision and the first record that it reads is no request, so nothing was passed over."""
    sender = Sender(realm)
    sent = sender.send(realm.client.request('define', 'show', **standing(20)), booking(realm))
    assert [verdict(answer) for answer in realm.client.answers_to(sent)] == [('defined', None), ('confirmed', None)]
    realm.workers[-1].kill()
    sender.send(booking(realm), booking(realm), commit=False)
    sent = sender.send(booking(realm))
    assert realm.position()[1:] == (2, 3) and sent == [(0, 6)]
    realm.worker()
    assert verdict(realm.client.answers_to(sent)[0]) == ('confirmed', None)
    realm.check()
