"""PostgreSQL, Redis and Kafka going away and coming back, under load: the worker recovers by itself, and the replay
of the log finds nothing lost and nothing doubled."""

import json
import subprocess
import time

import pytest

from harness.load import Crowd, answered
from harness.realm import STEADY
from harness.shows import HALL, places, seats, verdict
from harness.topics import alter_topic
from harness.waiting import eventually


def no_answer_comes(realm):
    """The number of answers, once it has stopped growing."""
    counts = []

    def settled():
        counts.append(len(realm.client.answers.everything()))
        return len(counts) > 5 and len(set(counts[-5:])) == 1
    return eventually(settled, 'no more answers come') and counts[-1]


def test_postgres_restarted_and_killed_under_load(make_realm, parts):
    realm = make_realm(partitions=2)
    worker = realm.worker()
    with Crowd(realm, seed=11, pause_s=0.02).define() as crowd:
        answered(realm, 500)
        parts.stop('postgres')
        eventually(lambda: worker.get('/readyz')[0] == 503, 'not ready without PostgreSQL')
        parts.start('postgres')
        answered(realm, 500)
        parts.kill('postgres')
        parts.start('postgres')
        answered(realm, 500)
        crowd.finish()
    worker.await_ready()
    report = realm.check()
    assert report.facts['internal'] == 0


def test_backends_terminated_in_the_middle_of_batches(make_realm):
    realm = make_realm(partitions=2)
    worker = realm.worker(USHER_BATCHES_IN_FLIGHT='2')
    with Crowd(realm, seed=12, pause_s=0.01).define() as crowd:
        for _time in range(5):
            answered(realm, 300)
            eventually(lambda: realm.sql("select pg_terminate_backend(pid) from pg_stat_activity "
                                         "where usename = 'usher_worker' and datname = %s", realm.name),
                       'there is a backend to end')
        crowd.finish()
    epochs = [realm.position(partition)[0] for partition in range(2)]
    assert max(epochs) > 2, 'no take-over was forced'
    assert worker.process.poll() is None
    assert realm.check().facts['internal'] == 0


def test_a_commit_that_waits_and_is_then_cut_off(make_realm):
    """The backend is ended while its batch waits within the database."""
    realm = make_realm(**STEADY)
    realm.worker()
    realm.ask('define', 'show', **HALL)
    with realm.locked():
        place = realm.client.send(realm.client.request('book', 'show', customer='c', items=places('stalls', 2)))
        pids = eventually(realm.waiting_commits, 'the batch waits')
        realm.sql('select pg_terminate_backend(%s)', pids[0][0])
    assert verdict(realm.client.answers_to(place)[0]) == ('confirmed', None)
    assert realm.position()[0] == 2
    realm.check()


def test_a_session_that_ends_is_noticed_without_a_request(make_realm):
    """A partition with nothing to decide would be without an owner in the database until its next one."""
    realm = make_realm(**STEADY)
    realm.worker()
    realm.ask('define', 'show', **HALL)
    realm.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'usher_worker' and datname = %s",
              realm.name)
    eventually(lambda: realm.position()[0] == 2, 'the partition is acquired again')
    eventually(lambda: realm.sql('select connected from usher.partitions') == [(True,)], 'it has an owner')
    assert verdict(realm.ask('book', 'show', customer='c', items=places('stalls', 1))) == ('confirmed', None)
    realm.check()


def test_redis_away_under_load_and_back(make_realm, parts):
    realm = make_realm()
    worker = realm.worker()
    with Crowd(realm, seed=13, pause_s=0.02).define() as crowd:
        answered(realm, 300)
        parts.stop('redis')
        answered(realm, 300)
        worker.await_ready()
        parts.start('redis')
        answered(realm, 300)
        parts.kill('redis')
        answered(realm, 300)
        parts.start('redis')
        crowd.finish()
    realm.check()
    assert worker.metric('usher_cache_writes_total') > 0


def test_redis_emptied_is_written_again_without_a_request(make_realm, own_redis):
    """Also a resource that nothing happens to any more."""
    realm = make_realm(USHER_REDIS=own_redis.url)
    realm.worker()
    for show in ('show:quiet', 'show:other'):
        realm.ask('define', show, **HALL)
    rev = realm.ask('book', 'show:quiet', customer='c', items=seats('A-1', 'B-1'))['rev']
    realm.await_shown('show:quiet', rev)
    realm.cache.flushall()
    shown = realm.await_shown('show:quiet', rev)
    assert shown[1].count('s') == 2
    realm.check()


def test_an_older_epoch_cannot_push_the_display_back(realm):
    """What a fenced worker would still write is not taken: Redis keeps the higher (epoch, rev)."""
    realm.ask('define', 'show', **HALL)
    first = realm.ask('book', 'show', customer='c', items=seats('A-1'))
    realm.await_shown('show', first['rev'])
    realm.workers[0].kill()
    realm.worker()
    second = realm.ask('book', 'show', customer='c', items=seats('A-2'))
    shown = realm.await_shown('show', second['rev'])
    assert second['epoch'] > first['epoch'] and (shown[0]['epoch'], shown[1][:4]) == (str(second['epoch']), 'ss..')


def test_a_worker_that_slept_for_longer_than_a_rebalance_waits(make_realm):
    """The group goes on without it; when it wakes up, it has left and joins again."""
    realm = make_realm(partitions=2)
    drain_s, join_again_s = 0.1, 10
    sleeper = realm.worker(USHER_DRAIN_TIMEOUT=f'{drain_s * 1000:.0f}ms')
    realm.ask('define', 'show', **HALL)
    asleep = time.monotonic()
    sleeper.pause()
    other = realm.worker()
    eventually(lambda: other.owns(0) and other.owns(1), 'the other has both partitions')
    time.sleep(max(0, asleep + drain_s + join_again_s + 1 - time.monotonic()))
    sleeper.resume()
    eventually(lambda: sleeper.owns(0) != sleeper.owns(1) and other.owns(0) != other.owns(1), 'each has one')
    assert verdict(realm.ask('book', 'show', customer='c', items=places('stalls', 1))) == ('confirmed', None)
    realm.check()


def test_kafka_stopped_and_killed_under_load(make_realm, parts):
    realm = make_realm(partitions=2)
    realm.client.outlive_brokers()
    worker = realm.worker()
    with Crowd(realm, seed=14, pause_s=0.02).define() as crowd:
        answered(realm, 500)
        parts.stop('kafka')
        no_answer_comes(realm)
        parts.start('kafka')
        answered(realm, 500)
        parts.kill('kafka')
        parts.start('kafka')
        answered(realm, 500)
        crowd.finish()
    worker.await_ready()
    assert worker.process.poll() is None
    realm.check()


def test_answers_refused_for_their_size_under_load(make_realm):
    """A new producer each time: nothing of it comes into the log before what was refused."""
    realm = make_realm(partitions=2)
    worker = realm.worker()

    def take(size):
        """The size of what the topic of answers takes; what else it has is set anew."""
        alter_topic(realm.brokers, f'{realm.name}.results.v1', cleanup_policy='delete', max_message_bytes=str(size))
    with Crowd(realm, seed=15).define() as crowd:
        for _time in range(3):
            refused = worker.log().count('could not publish')
            take(700)
            eventually(lambda before=refused: worker.log().count('could not publish') > before + 2, 'answers are refused')
            take(1100000)
            answered(realm, 1000)
        crowd.finish()
    for records in realm.client.answers.records.values():
        order = list(dict.fromkeys(json.loads(message.value())['seq'] for message in records))
        assert order == sorted(order), 'an answer came before the one that it follows'
    realm.check()


def test_kafka_away_in_the_middle_of_a_takeover(make_realm, parts):
    """Its session ends while it asks Kafka where the log ends: it waits for the answer, then joins again."""
    realm = make_realm()
    first = realm.worker()
    realm.ask('define', 'show', **HALL)
    first.kill()
    with realm.locked():
        worker = realm.worker(await_ready=False)
        eventually(realm.waiting_commits, 'it waits for the partition')
        parts.pause('kafka')
    try:
        eventually(lambda: worker.status()['partitions'] == [], 'its session is over')
        with pytest.raises(subprocess.TimeoutExpired):
            worker.process.wait(5)
    finally:
        parts.resume('kafka')
    assert verdict(realm.ask('book', 'show', customer='c', items=places('standing', 1))) == ('confirmed', None)
    realm.check()
