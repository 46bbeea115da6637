"""What brokers have, and do not show yet: a confirm that waits unreadable for longer than its hold lasts."""

import json

import confluent_kafka
import pytest

from harness.brokers import Trio
from harness.moments import past, told, unrequested
from harness.shows import standing, verdict
from harness.topics import alter_topic
from harness.waiting import PATIENCE_S, eventually
from oracle.parsing import instant_of
from oracle.partitioner import partition_of

OFFSETS = '__consumer_offsets', 0
TTL_S = 15     # in which the confirm must be sent
HIDDEN_S = 35  # so long after the hold's end it is hidden: any bound by replica.lag.time.max.ms, 30 s, is past


class Scene:
    """A replicated partition with a show, led by the broker that coordinates the group, which goes on without the others."""

    def __init__(self, trio, realm):
        self.realm, self.requests = realm, f'{realm.name}.requests.v1'
        trio.await_in_sync(self.requests)
        self.leader = trio.leader(*OFFSETS)
        self.partition = next(one for one in range(realm.partitions) if trio.leader(self.requests, one) is self.leader)
        self.others = [node for node in trio.nodes if node is not self.leader]
        self.show = next(name for name in map('show:{}'.format, range(1000))
                         if partition_of(name.encode(), realm.partitions) == self.partition)
        # A record that the leader has, and nobody else: it does not wait for the others.
        self._producer = realm.client.connected(**{'bootstrap.servers': self.leader.address, 'acks': 1})
        self._producer.list_topics(self.requests, PATIENCE_S)

    def append(self, request):
        """Appends a request to the leader's log. Returns its place and when that was."""
        found = []
        self._producer.produce(self.requests, json.dumps(request), request['resource'], partition=self.partition,
                               on_delivery=lambda error, message: found.append((error, message)))
        assert self._producer.flush(PATIENCE_S) == 0
        error, message = found[0]
        assert error is None and message.timestamp()[0] == confluent_kafka.TIMESTAMP_LOG_APPEND_TIME
        return (self.partition, message.offset()), message.timestamp()[1] / 1000

    def readable_end(self):
        consumer = confluent_kafka.Consumer({'bootstrap.servers': self.leader.address, 'group.id': 'end', 'log_level': 0})
        try:
            return consumer.get_watermark_offsets(confluent_kafka.TopicPartition(self.requests, self.partition), PATIENCE_S)[1]
        finally:
            consumer.close()

    def require(self, in_sync):
        """Sets min.insync.replicas of the topic, and anew what it has else."""
        alter_topic(self.leader.address, self.requests, cleanup_policy='delete', message_timestamp_type='LogAppendTime',
                    max_message_bytes='1100000', min_insync_replicas=str(in_sync))


# Two of three: those left do not even agree any more on which replicas are in sync, so all three are until the end.
# One, where three are required: the replica is given up for one that may lead (an eligible leader replica).
@pytest.mark.parametrize('away, required', [(2, 2), (1, 3)])
def test_a_confirm_that_is_in_the_log_unreadable(tmp_path, keep, make_realm, away, required):
    trio = keep(Trio(tmp_path))
    realm = make_realm(f'hidden{away}', replication=3, workers=1, USHER_KAFKA_BROKERS=trio.brokers)
    scene = Scene(trio, realm)
    scene.require(required)
    ask, show = realm.ask, scene.show
    ask('define', show, **standing(1))
    held = ask('hold', show, customer='c', items=[{'section': 'floor', 'quantity': 1}], ttl_s=TTL_S)
    waits = ask('hold', show, customer='d', items=[{'section': 'floor', 'quantity': 1}], wait_until='2099-01-01T00:00:00Z',
                ttl_s=2)
    assert (verdict(held), verdict(waits)) == (('held', None), ('waiting', None))
    # A commit of offsets that hangs would end the worker's session, and with it what it could do wrong.
    eventually(lambda: len(set(realm.group_position(scene.partition))) == 1, 'the group has committed all')
    for node in scene.others[:away]:
        node.pause()
    place, appended = scene.append(realm.client.request('confirm', show, customer='c', booking=held['booking']))
    assert appended < instant_of(held['expires_at']) / 1000, 'the confirm came too late, by this machine, not by usher'
    past(realm, held['expires_at'], HIDDEN_S)
    assert scene.readable_end() <= place[1], 'the confirm was to be hidden all the time'
    state = realm.sql('select state from usher.booking where request_id = %s', held['booking'])
    assert state == [('held',)], 'the hold ended though its confirm is in the log, in time'
    for node in scene.others[:away]:
        node.resume()
    confirmed = realm.client.answers_to([place])[0]
    assert verdict(confirmed) == ('confirmed', None)
    assert not told(realm, waits['booking'], show)

    # Holds end by the clock again.
    ask('cancel', show, customer='c', booking=held['booking'])
    unrequested(realm, waits['booking'], show, 'waiting_list')
    unrequested(realm, waits['booking'], show, 'expiry')
    realm.workers[0].kill()  # the next one begins where the log has what is no request
    realm.worker()
    assert verdict(ask('book', show, customer='e', items=[{'section': 'floor', 'quantity': 1}])) == ('confirmed', None)
    realm.check()
    realm.command('reconcile')
