"""PostgreSQL fails over, or comes back with less than it had, while requests come in."""

import json

import pytest

from harness.guide import carry_out
from harness.load import answered
from harness.replicas import Archived, Pair
from harness.waiting import eventually

BALANCED = 'nothing lost, nothing doubled, books equal'


@pytest.mark.parametrize('how, what', [('kill', 'killed'), ('pause', 'fallen silent')])
def test_a_synchronous_standby_is_promoted(stack, tmp_path, keep, make_realm, make_crowd, balance, tell, how, what):
    pair = keep(Pair(stack, tmp_path, is_synchronous=True))
    realm = make_realm(f'sync_{how}', site=pair)
    with make_crowd(realm, seed=31) as crowd:
        answered(realm, 2000)
        getattr(pair.primary, how)('postgres')
        pair.standby.promote()
        answered(realm, 2000)
        crowd.finish()
        pair.primary.kill('postgres')
    balance(realm)
    tell(f'primary of PostgreSQL {what}, synchronous standby promoted', crowd, BALANCED)


WAITING = "select pid from pg_stat_activity where wait_event = 'SyncRep'"


def test_a_wait_for_the_standby_is_cancelled(stack, tmp_path, keep, make_realm, make_crowd, balance, tell):
    """What only the primary has is not answered, whoever ends the wait for it: the standby that is promoted lacks it."""
    pair = keep(Pair(stack, tmp_path, is_synchronous=True))
    realm = make_realm('unconfirmed', site=pair)
    with make_crowd(realm, seed=34) as crowd:
        answered(realm, 1000)
        pair.standby.cut_off()
        cancelled = set()
        while len(cancelled) < 12:  # commits of batches, and of acquiring the partition for the next epoch
            found = eventually(lambda: {pid for pid, in pair.primary.sql(WAITING)}, 'a commit waits for the standby')
            for pid in found:
                pair.primary.sql('select pg_cancel_backend(%s)', pid)
            cancelled |= found
        assert any('PostgreSQL warned: canceling' in worker.log() for worker in realm.workers)
        pair.primary.kill('postgres')
        pair.standby.promote()
        # Else whoever takes a partition would find answers to decisions that are not there, and halt.
        assert not halted(realm)
        answered(realm, 2000)
        crowd.finish()
        assert not halted(realm)
    balance(realm)
    tell('wait for the synchronous standby cancelled, standby promoted', crowd, BALANCED)


def halted(realm):
    return {one['partition'] for worker in realm.workers for one in worker.status()['partitions'] if one['state'] == 'halted'}


def go_on(realm):
    """What the guide has for a database that lost commits. Returns how many decisions were lost, and how many requests came to
    something else than before."""
    told = {number: len(answers) for number, answers in realm.client.answers.accepted.items()}
    lost = {number for number, last in told.items() if realm.position(number)[2] <= last}
    assert lost, 'nothing was lost'
    eventually(lambda: lost <= halted(realm), f'of {lost} all are halted')
    listed, *_rest = carry_out(realm, 'The database was restored to an earlier moment', sorted(lost))
    assert listed.count('lost commits') >= len(lost)
    eventually(lambda: not halted(realm), 'none is halted any more')
    return sum(count for count, in realm.sql('select records from usher.partition_skip'))


def came_to(answer):
    return [answer.get(name) for name in ('outcome', 'reason', 'booking', 'units', 'total')]


def decided_otherwise(realm, crowd):
    """Of requests with two answers, those to which they are not the same."""
    crowd.finish()
    printed = realm.command('watch', '--from-beginning', '--until-end', '--json', name='usher-producer')
    by_source = {}
    for answer in map(json.loads, printed.splitlines()):
        if 'source' in answer:
            by_source.setdefault((answer['source']['partition'], answer['source']['offset']), []).append(answer)
    return sum(came_to(answers[0]) != came_to(answers[-1]) for answers in by_source.values())


def judge(realm, crowd, balance, lost):
    """Returns the verdict in words."""
    others = decided_otherwise(realm, crowd)
    assert balance(realm).count('were lost, which') == realm.sql('select count(*) from usher.partition_skip')[0][0]
    return f'halted; {lost} decisions lost, all decided again, {others} otherwise; then books equal'


@pytest.mark.loss
def test_an_asynchronous_standby_that_lags_is_promoted(stack, tmp_path, keep, make_realm, make_crowd, balance, tell):
    pair = keep(Pair(stack, tmp_path, is_synchronous=False))
    realm = make_realm('lagging', site=pair)
    with make_crowd(realm, seed=32) as crowd:
        answered(realm, 1000)
        pair.standby.cut_off()
        answered(realm, 1000)
        pair.primary.kill('postgres')
        pair.standby.promote()
        lost = go_on(realm)
        answered(realm, 1000)
        verdict = judge(realm, crowd, balance, lost)
    tell('primary of PostgreSQL killed, lagging standby promoted', crowd, verdict)


@pytest.mark.loss
def test_a_database_is_restored_to_an_earlier_moment(stack, tmp_path, keep, make_realm, make_crowd, balance, tell):
    site = keep(Archived(stack, tmp_path))
    realm = make_realm('restored', site=site)
    with make_crowd(realm, seed=33) as crowd:
        answered(realm, 1000)
        site.back_up()
        answered(realm, 1000)
        site.restore_point('last night')
        answered(realm, 1000)
        site.restore('last night')
        lost = go_on(realm)
        answered(realm, 1000)
        verdict = judge(realm, crowd, balance, lost)
    tell('PostgreSQL restored to an earlier moment', crowd, verdict)
