"""Workers killed, stopped and replaced under load. Afterwards the request log is replayed independently: no unit
twice, every acknowledged request answered exactly once, and PostgreSQL, the answer log and Redis all equal."""

import pytest

from harness.load import Crowd, answered
from harness.realm import PATIENT
from harness.shows import HALL, places, standing, verdict
from harness.waiting import PATIENCE_S, eventually
from oracle.partitioner import partition_of


@pytest.mark.smoke
def test_killed_twice_in_a_row_under_load(make_realm):
    realm = make_realm(partitions=2)
    realm.worker()
    with Crowd(realm, seed=21, pause_s=0.005).define() as crowd:
        answered(realm, 1000)
        realm.workers[-1].kill()
        # The second is killed while it takes over, the third does the work.
        realm.worker(await_ready=False)
        eventually(lambda: max(realm.position(partition)[0] for partition in range(2)) >= 2, 'it acquires')
        realm.workers[-1].kill()
        realm.worker()
        answered(realm, 1000)
        realm.workers[-1].kill()
        realm.worker()
        crowd.finish()
    report = realm.check()
    assert report.facts['requests'] >= 2000 and report.facts['internal'] == 0


@pytest.mark.smoke
def test_a_worker_stopped_until_another_took_over_then_continued(make_realm):
    realm = make_realm(partitions=2)
    zombie = realm.worker()
    with Crowd(realm, seed=22, pause_s=0.005).define() as crowd:
        answered(realm, 1000)
        zombie.pause()
        heir = realm.worker()
        eventually(lambda: all(realm.position(partition)[0] >= 2 for partition in range(2)), 'another took over')
        answered(realm, 1000)
        zombie.resume()
        answered(realm, 1000)
        crowd.finish()
        # It joins again as a member, and may get partitions like any other, by a new epoch.
        zombie.await_ready()
    assert heir.process.poll() is None and zombie.process.poll() is None
    realm.check()


def test_a_zombie_with_a_batch_in_its_hands_is_refused(make_realm):
    """Stopped just before its commit, continued after the heir has decided the same requests."""
    realm = make_realm()
    zombie = realm.worker()
    realm.ask('define', 'show', **standing(10))
    zombie.pause()
    # The zombie's socket takes these in while it cannot look at them.
    sent = realm.client.send(*(realm.client.request('book', 'show', customer='c', items=places('floor', 1))
                               for _number in range(20)))
    realm.worker()
    answers = realm.client.answers_to(sent)
    assert [answer['outcome'] for answer in answers] == ['confirmed'] * 10 + ['refused'] * 10
    epoch = realm.position()[0]
    zombie.resume()
    eventually(lambda: 'lost' in zombie.log() or zombie.metric('usher_fenced_total') > 0, 'the zombie has noticed')
    assert verdict(realm.ask('probe', 'show')) == ('alive', None)
    decided = realm.sql('select count(*), count(distinct source_offset) from usher.decision where source_offset > 0')
    assert decided == [(21, 21)] and epoch >= 2
    realm.check()


def test_two_workers_share_and_one_leaves_by_term(make_realm):
    """The session would last for longer than an answer is waited for: leaving must not wait for it."""
    realm = make_realm(partitions=4, USHER_KAFKA_SESSION_TIMEOUT=f'{2 * PATIENCE_S}s')
    first, second = realm.worker(), realm.worker()

    def shared():
        counts = sorted(worker.metric('usher_partition_assigned') for worker in (first, second))
        return counts == [2, 2]
    eventually(shared, 'each has two partitions')
    shows = {}
    for number in range(100):
        shows.setdefault(partition_of(f'show:{number}'.encode(), 4), f'show:{number}')
    with Crowd(realm, seed=23, pause_s=0.01).define() as crowd:
        realm.ask_all(*(realm.client.request('define', show, **HALL) for show in shows.values()))
        answered(realm, 500)
        first.terminate()
        assert first.ended() == 0
        answers = realm.ask_all(*(realm.client.request('probe', show) for show in shows.values()))
        crowd.finish()
    assert len(answers) == 4
    assert realm.check().facts['internal'] == 0


def test_the_answer_log_is_completed_after_a_crash(make_realm):
    """Committed, but not yet published when it was killed: its heir publishes it, once."""
    realm = make_realm(**PATIENT)
    realm.worker()
    realm.ask('define', 'show', **HALL)
    with realm.held_up():
        sent = realm.client.send(*(realm.client.request('book', 'show', customer='c', items=places('standing', 1))
                                   for _number in range(5)))
        eventually(realm.waiting_commits, 'the batch waits')
        epoch = realm.position()[0]
        # Stopped, it does not hear that its commit came through once the lock is gone.
        realm.workers[0].pause()
    eventually(lambda: realm.position()[2] > 2, 'the batch is committed')
    realm.workers[0].kill()
    assert len(realm.client.answers.everything()) == 1
    realm.worker()
    answers = realm.client.answers_to(sent)
    assert verdict(answers[0]) == ('confirmed', None) and answers[0]['epoch'] == epoch
    realm.check()
