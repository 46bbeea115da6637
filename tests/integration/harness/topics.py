"""Settings of topics that a test changes, as somebody beside usher would."""

import itertools

import confluent_kafka
from confluent_kafka.admin import AdminClient, ConfigResource

from .waiting import PATIENCE_S, eventually

# As the topics are made: what is not told is set back to the broker's default.
KEPT = {'message.timestamp.type': 'LogAppendTime', 'max.message.bytes': '1100000'}


# So that what can be compacted is, at once: segments that are over after a moment, each of them worth while.
COMPACT = {'cleanup_policy': 'compact', 'segment_ms': '100', 'min_cleanable_dirty_ratio': '0.001', 'max_compaction_lag_ms': '100'}


def _set(realm, resource, settings):
    for name, value in settings.items():
        resource.set_config(name.replace('_', '.'), value)
    admin = AdminClient({'bootstrap.servers': realm.brokers})
    admin.alter_configs([resource])[resource].result(PATIENCE_S)


def set_topic(realm, **settings):
    """Settings of the topic of requests, with _ for a dot."""
    _set(realm, ConfigResource(ConfigResource.Type.TOPIC, realm.client.topic), {**KEPT, **settings})


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
    _set(realm, ConfigResource(ConfigResource.Type.BROKER, str(broker)), {'log_cleaner_backoff_ms': '200'})
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
