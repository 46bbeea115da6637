"""Three brokers: topics are created, and a broker dies while requests come in, and so does the next one."""

import threading

import pytest

from harness.brokers import Trio
from harness.load import answered
from harness.waiting import eventually
from oracle.partitioner import partition_of

TOPICS = 'requests', 'results', 'requests.dlq'


def answered_once(realm):
    """Whether each request id has one answer, and repeats of it."""
    first = {}
    for answer in realm.client.answers.everything():
        if 'source' in answer and not answer.get('replayed') and answer.get('reason') not in ('id_reused', 'unknown_resource'):
            first.setdefault((answer['resource'], answer['request_id']), []).append(answer)
    return all(len(answers) == 1 for answers in first.values())


def created(realm, prefix):
    """Whether they are, or it took too long; nothing else may be wrong."""
    done = realm.run('topics', 'create', '--partitions', '2', '--replication', '3', USHER_TOPIC_PREFIX=prefix)
    if done.returncode != 0 and 'Timed out' not in done.stdout:
        pytest.fail(f'topics create: exit {done.returncode}\n{done.stdout}{done.stderr}')
    return done.returncode == 0


def test_topics_are_created_where_a_broker_learns_of_them_late(tmp_path, keep, make_realm):
    """Any of them may be asked for the settings: one that stood still answers before it has caught up. Where they need longer
    than the command waits, as on a machine that is busy with other things, it is given again."""
    trio = keep(Trio(tmp_path))
    realm = make_realm('created', replication=3, USHER_KAFKA_BROKERS=trio.brokers)
    for time in range(12):
        late = trio.nodes[time % 3]
        late.pause()
        resumed = threading.Timer(1, late.resume)
        resumed.start()
        eventually(lambda prefix=f'created{time}': created(realm, prefix), 'the brokers create topics')
        resumed.join()


def test_the_leader_of_a_partition_is_killed_twice(tmp_path, keep, make_realm, make_crowd, balance, tell):
    trio = keep(Trio(tmp_path))
    realm = make_realm('replicated', replication=3, USHER_KAFKA_BROKERS=trio.brokers)
    topics = [f'{realm.name}.{name}.v1' for name in TOPICS]
    with make_crowd(realm, seed=34) as crowd:
        place = topics[0], partition_of(crowd.resources[0].encode(), realm.partitions)
        for _time in range(2):
            answered(realm, 1000)
            trio.await_in_sync(*topics)
            leader = trio.leader(*place)
            leader.kill()
            answered(realm, 2000)
            leader.launch()
            leader.await_answer()
        crowd.finish()
    assert answered_once(realm)
    balance(realm)
    tell('leader of a partition of requests killed, twice, of three brokers', crowd,
         'nothing lost, each request answered once, books equal')
