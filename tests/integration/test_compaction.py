"""A topic of requests that Kafka is to compact, as somebody set it beside a worker that runs or sleeps: the partition
halts, and says why."""

from harness.shows import standing, verdict
from harness.topics import delete_only, set_topic
from harness.waiting import eventually
from test_transactions import booking


def test_a_topic_that_is_set_to_be_compacted_halts_a_worker_that_runs(make_realm):
    realm = make_realm()
    worker = realm.worker()
    realm.ask('define', 'show', **standing(20))
    set_topic(realm, cleanup_policy='compact,delete')
    eventually(lambda: worker.status()['partitions'][0]['state'] == 'halted', 'it is noticed without a request')
    assert worker.error().startswith(
        f'cleanup.policy of the topic "{realm.client.topic}" is "compact,delete": Kafka deletes requests that are not decided yet')
    delete_only(realm)
    place = realm.client.send(booking(realm))
    realm.command('partition', 'resume', '--partition', '0', USHER_POSTGRES=realm.uri('owner'))
    assert [verdict(answer) for answer in realm.client.answers_to(place)] == [('confirmed', None)]
    realm.check()


def test_a_topic_that_is_compacted_is_not_taken(make_realm):
    realm = make_realm()
    worker = realm.worker()
    realm.ask('define', 'show', **standing(20))
    assert worker.stop() == 0
    set_topic(realm, cleanup_policy='compact')
    realm.client.send(*(booking(realm) for _ in range(5)))
    worker = realm.worker()
    eventually(lambda: worker.status()['partitions'][0]['state'] == 'halted', 'it is not taken')
    assert worker.error().startswith(f'cleanup.policy of the topic "{realm.client.topic}" is "compact"')
    assert realm.position()[1] == 1, 'none of them is decided'
