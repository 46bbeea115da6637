"""Settings of topics that a test changes, as somebody beside usher would."""

import itertools

import confluent_kafka
from confluent_kafka.admin import AdminClient, ConfigResource

from .waiting import PATIENCE_S, eventually

# As the topics are made: what is not told is set back to the broker's default.
KEPT = {'message_timestamp_type': 'LogAppendTime', 'max_message_bytes': '1100000'}


# So that what can be compacted is, at once: segments that are over after a moment, each of them worth while.
COMPACT = {'cleanup_policy': 'compact', 'segment_ms': '100', 'min_cleanable_dirty_ratio': '0.001', 'max_compaction_lag_ms': '100'}


def alter(brokers, kind, name, settings):
    """A broker learns of settings a moment after they were taken: waits until it tells them."""
    admin, resource = AdminClient({'bootstrap.servers': brokers}), ConfigResource(kind, name, set_config=settings)
    admin.alter_configs([resource])[resource].result(PATIENCE_S)

    def are_told():
        asked = ConfigResource(kind, name)
        told = admin.describe_configs([asked])[asked].result(PATIENCE_S)
        return all(told[setting].value == value for setting, value in settings.items())
    eventually(are_told, f'the broker tells {settings}')


def alter_topic(brokers, topic, **settings):
    """With _ for a dot."""
    alter(brokers, ConfigResource.Type.TOPIC, topic, {name.replace('_', '.'): value for name, value in settings.items()})


def set_topic(realm, **settings):
    """Settings of the topic of requests."""
    alter_topic(realm.brokers, realm.client.topic, **KEPT, **settings)


def _records(realm, partition=0):
    """The offsets of a partition's records, as far as they are committed."""
    consumer = confluent_kafka.Consumer({'bootstrap.servers': realm.brokers, 'group.id': 'nobody', 'log_level': 0,
                                         'enable.auto.commit': False, 'enable.partition.eof': True, 'auto.offset.reset': 'earliest'})
    consumer.assign([confluent_kafka.TopicPartition(realm.client.topic, partition, confluent_kafka.OFFSET_BEGINNING)])
    found = []
    while (message := consumer.poll(PATIENCE_S)) and not message.error():
        found.append(message.offset())
    assert message and message.error().code() == confluent_kafka.KafkaError._PARTITION_EOF
    consumer.close()
    return found


def compact(realm, removed, filler):
    """Has Kafka compact the topic of requests until those offsets are gone, and keep what is there then. Nothing is compacted
    in the segment that is appended to: `filler` makes a request of a resource of its own."""
    broker = next(iter(AdminClient({'bootstrap.servers': realm.brokers}).list_topics(timeout=PATIENCE_S).brokers))
    alter(realm.brokers, ConfigResource.Type.BROKER, str(broker), {'log.cleaner.backoff.ms': '200'})
    set_topic(realm, **COMPACT)
    numbers = itertools.count()

    def is_gone():
        realm.client.send(filler(next(numbers)))
        return not set(removed) & set(_records(realm))
    eventually(is_gone, f'Kafka has removed the offsets {removed}')
    delete_only(realm)


def delete_only(realm):
    """The topic is set as it was made."""
    set_topic(realm, cleanup_policy='delete')
