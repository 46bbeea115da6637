"""Settings of topics that a test changes, as somebody beside usher would."""

from confluent_kafka.admin import AdminClient, ConfigResource

from .waiting import PATIENCE_S

# As the topics are made: what is not told is set back to the broker's default.
KEPT = {'message.timestamp.type': 'LogAppendTime', 'max.message.bytes': '1100000'}


def set_topic(realm, **settings):
    """Settings of the topic of requests, with _ for a dot."""
    resource = ConfigResource(ConfigResource.Type.TOPIC, realm.client.topic)
    for name, value in {**KEPT, **{name.replace('_', '.'): value for name, value in settings.items()}}.items():
        resource.set_config(name, value)
    admin = AdminClient({'bootstrap.servers': realm.brokers})
    admin.alter_configs([resource])[resource].result(PATIENCE_S)


def delete_only(realm):
    """The topic is set as it was made."""
    set_topic(realm, cleanup_policy='delete')
