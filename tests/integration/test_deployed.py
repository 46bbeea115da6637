"""What usher is deployed with, on the real parts as far as one machine has them; tests/lint/deployment compares the rest."""

import confluent_kafka.admin
import pytest
import yaml

from harness.stack import TREE

pytestmark = pytest.mark.smoke


def test_the_topics_of_strimzi_are_as_the_worker_needs_them(shared_realm):
    prefix = f'{shared_realm.name}-strimzi'
    resources = yaml.safe_load_all((TREE / 'deploy/kubernetes/components/strimzi/topics.yaml').read_text())
    topics = [confluent_kafka.admin.NewTopic(
        one['spec']['topicName'].replace('booking', prefix), one['spec']['partitions'], 1,
        config={name: str(value) for name, value in one['spec']['config'].items()}) for one in resources]
    admin = confluent_kafka.admin.AdminClient({'bootstrap.servers': shared_realm.brokers})
    for created in admin.create_topics(topics).values():
        created.result()
    said = shared_realm.command('topics', 'check', '--partitions', '12', USHER_TOPIC_PREFIX=prefix)
    assert 'note' not in said.replace('replication factor', ''), said
