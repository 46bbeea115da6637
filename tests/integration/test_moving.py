"""A partition moves from one database to another while it sells."""

import itertools
import os

import pytest

from harness.delete_records import restart_behind_deleted
from harness.load import Crowd, answered
from harness.realm import STEADY
from harness.shards import OTHER, Shards, moving
from harness.shows import places, standing, verdict
from harness.waiting import eventually

pytestmark = pytest.mark.whole

# Statements that begin or end something: the others of a page are in transactions that nobody has seen yet.
TURNS = b'commit|partition_state'
WAYS = 'killed', 'lost before', 'lost after'
# Every so many statements a command is interrupted. Killed before one is killed after the one before: with 1 it is at each.
STRIDE = int(os.environ.get('STATEMENTS', '29'))
TURN_STRIDE = min(STRIDE, 5)  # each way comes with each ending
SHARES = 2  # of them in a test
# The last page is there, but for that it is the last one.
ARRIVES = b'destination = null, backend_pid'


@pytest.fixture(name='shards')
def two_databases(make_realm):
    return Shards(make_realm())


def sell(realm, answers=300):
    """All kinds of rows."""
    worker = realm.worker()
    with Crowd(realm, pause_s=0.1).define() as crowd:
        answered(realm, answers)
        crowd.finish()
    worker.stop()


def test_everything_moves_there_and_back(shards):
    """What was sold is sold there, and as much of it in each quarter of an hour."""
    sell(shards.realm)
    before = shards.rows('a')
    assert before['quarter']
    assert 'it lives in shard b' in shards.move('b')
    assert (shards.stands('a'), shards.stands('b')) == (('b', None), ('b', None))
    assert shards.rows('b') == before
    shards.command('reconcile', role='worker')
    assert 'shard a has rows of partition 0, which lives in b' in shards.run('list')
    assert 'nothing to do' in shards.move('b')
    assert 'partition that lives elsewhere' in shards.run('forget-moved')
    assert not any(shards.rows('a').values()) and shards.stands('a') == (None, None)
    shards.move('a')
    assert shards.rows('a') == before
    shards.command('reconcile', role='worker')


@pytest.fixture(name='pruned')
def two_databases_of_which_one_is_pruned(shards):
    """A quarter of an hour of which no decision is left, and sales since."""
    realm = shards.realm
    realm.set_clock('-500 days')
    worker = realm.worker()
    realm.ask('book', 'old', customer='ann', items=places('floor', 1))  # of no resource that is known
    realm.ask('define', 'old', **standing(9))
    realm.ask('book', 'old', customer='ann', items=places('floor', 1))
    realm.ask('close', 'old')
    worker.stop()
    realm.set_clock('-2 days')
    worker = realm.worker()
    realm.ask('define', 'young', **standing(9))
    realm.ask('book', 'young', customer='ben', items=places('floor', 1))
    worker.stop()
    assert 'deleted 1 resource ' in shards.command('prune', '--older-than', '400d')
    realm.set_clock('0')
    worker = realm.worker()
    realm.ask('book', 'young', customer='cid', items=places('floor', 1))
    worker.stop()
    return shards


def test_the_sums_of_what_was_pruned_move_too(pruned):
    before = pruned.rows('a')
    assert [outcome for outcome, in pruned.sql('a', 'select outcome from usher.quarter order by began_at')] == ['refused', 'sold', 'sold']
    for to in 'b', 'a':
        pruned.move(to)
        assert pruned.rows(to) == before
        pruned.command('reconcile', role='worker')
        pruned.run('forget-moved')
    pruned.realm.worker()
    assert verdict(pruned.realm.ask('book', 'young', customer='ann', items=places('floor', 1))) == ('confirmed', None)
    assert pruned.sql('a', 'select sum(bookings) from usher.pace where resource = %s', 'young') == [(3,)]


def test_what_moved_on_to_a_third_database_is_forgotten_in_both(make_realm):
    realm = make_realm()
    shards = Shards(realm, realm.stack, realm.stack)
    sell(realm, answers=50)
    before = shards.rows('a')
    shards.move('b')
    shards.move('c')
    shards.run('forget-moved')
    assert shards.home() == 'c' and shards.rows('c') == before
    assert not any([*shards.rows('a').values(), *shards.rows('b').values()])
    assert (shards.stands('a'), shards.stands('b')) == ((None, None), (None, None))


def test_a_move_is_interrupted_at_any_turn(shards):
    """In one of the ways; then it is run again, or cancelled, and goes on."""
    sell(shards.realm, answers=50)
    before, to = shards.rows('a'), 'b'
    for at in itertools.count(1, TURN_STRIDE):
        if not shards.interrupted(moving(to), at, WAYS[at % len(WAYS)], TURNS):
            break
        here = shards.home()
        assert here is None or shards.rows(here) == before, at
        if at % 2:
            code = 65 if here == to else 0
            shards.move(to, '--cancel', code=code)
            assert shards.home() == (to if code else OTHER[to]), at
        shards.move(to)
        assert (shards.home(), shards.rows(to)) == (to, before), at
        to = OTHER[to]
    assert at > 20


# Eight pages take long to arrive.
BUSY = '''
    create sequence public.pages;
    create function public.arrives() returns trigger language plpgsql security definer as $$
    begin
        if nextval('public.pages') <= 8 then
            perform pg_sleep(0.6);
        end if;
        return null;
    end $$;
    create trigger arrives before insert on usher.decision for each statement execute function public.arrives();
'''


def test_a_partition_does_not_stand_still_for_a_disk_that_is_busy(shards):
    """Not before a page arrives soon."""
    shards.sql('b', BUSY)
    shards.realm.worker()
    with Crowd(shards.realm, pause_s=0.1).define() as crowd:
        answered(shards.realm, 50)
        shards.move('b')
        assert shards.sql('b', 'select last_value > 8 from public.pages') == [(True,)]
        crowd.finish()


def interruptions(share=0, shares=1):
    return itertools.count(1 + share * STRIDE, shares * STRIDE)


def settle(shards):
    """The books are equal, and so is the replay."""
    if shards.home() != 'a':
        shards.move('a')
    assert shards.run('forget-moved')
    shards.realm.command('reconcile')
    shards.realm.check(cache=False)


@pytest.mark.parametrize('share', range(SHARES))
@pytest.mark.parametrize('how', ['killed', 'lost after'])
def test_a_move_is_interrupted_at_any_statement(shards, how, share):
    """Then it is run again."""
    sell(shards.realm, answers=50)
    before, to = shards.rows('a'), 'b'
    for at in interruptions(share, SHARES):
        if not shards.interrupted(moving(to), at, how):
            break
        here = shards.home()
        assert here is None or shards.rows(here) == before, at
        shards.move(to)
        assert (shards.home(), shards.rows(to)) == (to, before), at
        to = OTHER[to]
    assert at > 300
    settle(shards)


@pytest.mark.parametrize('how', ['killed', 'lost after'])
def test_a_move_that_is_cancelled_is_interrupted_at_any_statement(shards, how):
    """It had stopped; then it is cancelled again."""
    sell(shards.realm, answers=50)
    before = shards.rows('a')
    for at in interruptions():
        assert shards.interrupted(moving('b'), 1, 'killed', ARRIVES) and not shards.home()
        was_interrupted = shards.interrupted(moving('b', '--cancel'), at, how)
        assert shards.rows('a') == before and shards.home() in (None, 'a'), at
        assert 'it stays where it lives' in shards.move('b', '--cancel')
        assert (shards.home(), shards.rows('a')) == ('a', before), at
        assert not any(shards.rows('b').values()) and shards.stands('b') == (None, None), at
        if not was_interrupted:
            break
    assert at > 50
    settle(shards)


@pytest.mark.parametrize('how', ['killed', 'lost after'])
def test_what_was_left_behind_is_forgotten_with_interruptions(shards, how):
    """At any statement; then it is forgotten again."""
    sell(shards.realm, answers=50)
    before, to = shards.rows('a'), 'b'
    for at in interruptions():
        shards.move(to)
        was_interrupted = shards.interrupted(['forget-moved'], at, how)
        assert (shards.home(), shards.rows(to)) == (to, before), at
        shards.run('forget-moved')
        assert (shards.home(), shards.rows(to)) == (to, before), at
        assert not any(shards.rows(OTHER[to]).values()) and shards.stands(OTHER[to]) == (None, None), at
        if not was_interrupted:
            break
        to = OTHER[to]
    assert at > 50
    settle(shards)


def test_the_commit_of_the_last_page_is_not_heard_of(shards):
    """The source does not go on, for the partition lives at the target: never are there two that have it."""
    sell(shards.realm, answers=50)
    for at in itertools.count(1):
        assert shards.interrupted(moving('b'), 1, 'killed', ARRIVES)  # only the last page is left
        assert shards.interrupted(moving('b'), at, 'lost after', b'commit')
        if (shards.stands('a'), shards.stands('b')) == ((None, 'b'), ('b', None)):
            break
        if shards.home() == 'b':  # another commit
            shards.move('a')
            shards.run('forget-moved')
    assert 'nothing to do' in shards.move('b') and shards.stands('a') == ('b', None)
    settle(shards)


def test_a_worker_follows_its_partition(shards):
    """In its group all the time; answers go on as if nothing had been."""
    realm, worker = shards.realm, shards.realm.worker(**STEADY)
    with Crowd(realm, pause_s=0.1).define() as crowd:
        for to in 'b', 'a', 'b', 'a':
            answered(realm, 200)
            shards.move(to)
        answered(realm, 200)
        crowd.finish()
    assert 'joining the group again' not in worker.log()
    shards.run('forget-moved')
    realm.check()


def test_a_partition_that_stands_still_goes_on(shards):
    """Its move is killed where it has stopped; its worker waits, and decides again once that is cancelled."""
    realm, worker = shards.realm, shards.realm.worker()
    realm.ask('define', 'show', **standing(100))
    at = next(at for at in itertools.count(1) if shards.interrupted(moving('b'), at, 'killed', TURNS) and not shards.home())
    waiting = realm.client.send(realm.client.request('book', 'show', customer='c', items=places('floor', 1)))
    eventually(lambda: '--partition 0 --to b, or with --cancel' in worker.log(), 'it says what to do')
    assert waiting[0] not in realm.client.answers.by_source and at > 1
    assert 'partition 0 stands still on its way from shard a to b: end that by' in shards.run('list')
    eventually(lambda: worker.metric('usher_partition_retries') > 3, 'the alert goes by that')
    shards.move('b', '--cancel')
    eventually(lambda: waiting[0] in realm.client.answers.by_source, 'it goes on')
    assert shards.home() == 'a'
    realm.check()


def test_a_halted_partition_moves_as_it_is(shards):
    """And its worker is told when an operator ends that."""
    realm = shards.realm
    worker = realm.worker()
    realm.ask('define', 'show', **standing(9))
    worker, start, kept = restart_behind_deleted(realm, worker, 'show')
    halted = 'select halted is not null from usher.partitions where partition = 0'
    eventually(lambda: shards.sql('a', halted) == [(True,)], 'it halts, and that is recorded')
    shards.move('b')
    assert shards.sql('b', halted) == [(True,)]
    assert 'tries again' in shards.run('skip', '--partition', '0', '--to', str(start), '--why', 'retention', '--yes')
    assert realm.client.answers_to(kept)[0]['free'] == 9
    assert worker.process.poll() is None and shards.home() == 'b'


def moved_after_a_backup(shards, *saved):
    """Sold, backed up, sold, moved, sold; the worker is down then. Returns what it is to be asked next."""
    realm = shards.realm
    worker = realm.worker()
    realm.ask('define', 'show', **standing(100))
    worker.stop()
    shards.back_up(*saved)
    worker = realm.worker()
    realm.ask('book', 'show', customer='c', items=places('floor', 1))
    shards.move('b')
    realm.ask('book', 'show', customer='c', items=places('floor', 1))
    worker.stop()
    return realm.client.request('book', 'show', customer='c', items=places('floor', 1))


def test_both_databases_are_restored_to_a_moment_before_the_move(shards):
    request = moved_after_a_backup(shards, 'a', 'b')
    realm = shards.realm
    shards.restore('a', 'b')
    worker = realm.worker()
    eventually(lambda: 'lost commits' in worker.error(), 'it halts')
    shards.run('accept-loss', '--partition', '0', '--why', 'both were restored', '--yes')
    assert verdict(realm.client.ask_all(request)[0]) == ('confirmed', None)
    assert shards.home() == 'a'


def test_both_databases_are_restored_to_a_moment_in_the_middle_of_the_move(shards):
    """It had stopped. That is said; whoever ends the move is told of the loss."""
    realm = shards.realm
    worker = realm.worker()
    realm.ask('define', 'show', **standing(100))
    worker.stop()
    assert shards.interrupted(moving('b'), 1, 'killed', ARRIVES) and not shards.home()
    shards.back_up('a', 'b')
    shards.move('b')
    worker = realm.worker()
    realm.ask('book', 'show', customer='c', items=places('floor', 1))
    worker.stop()
    shards.restore('a', 'b')
    worker = realm.worker(await_ready=False)
    eventually(lambda: '--partition 0 --to b, or with --cancel' in worker.log(), 'it says what to do')
    assert not shards.home()
    shards.move('b')
    eventually(lambda: 'lost commits' in worker.error(), 'it halts')
    shards.run('accept-loss', '--partition', '0', '--why', 'both were restored', '--yes')
    answer = realm.ask('book', 'show', customer='d', items=places('floor', 1))
    assert verdict(answer) == ('confirmed', None) and shards.home() == 'b'


def test_the_new_home_is_restored_to_a_moment_before_the_move(shards):
    """Then the partition lives in none, and nobody decides until the old home has it again; that has lost what came after."""
    request = moved_after_a_backup(shards, 'b')
    realm = shards.realm
    shards.restore('b')
    worker = realm.worker(await_ready=False)
    said = shards.command('check', role='worker', code=78)
    assert 'no database of USHER_POSTGRES has partition 0' in said and 'these rows are the last' in said and 'partition place' not in said
    assert 'lives in no database of USHER_POSTGRES: they may be the last' in shards.run('list', code=69)
    assert 'its rows are kept' in shards.run('forget-moved', code=65)
    for shard in 'a', 'b':
        shards.run('place', '--partitions', '0', '--to', shard, code=65)
    assert shards.move('b', code=65) and not shards.home()
    shards.sql('a', "update usher.partition_state set shard = 'a' where partition = 0")
    eventually(lambda: 'lost commits' in worker.error(), 'it halts')
    shards.run('accept-loss', '--partition', '0', '--why', 'the new home was restored', '--yes')
    assert verdict(realm.client.ask_all(request)[0]) == ('confirmed', None)
    assert shards.home() == 'a'


def test_the_old_home_is_restored_to_a_moment_before_the_move(shards):
    """Then the partition lives in two databases, and nobody decides."""
    request = moved_after_a_backup(shards, 'a')
    realm = shards.realm
    shards.restore('a')
    worker = realm.worker(await_ready=False)
    eventually(lambda: 'lives in more than one database' in worker.log(), 'it says so')
    assert 'lives in several shards' in shards.move('a', code=65)
    shards.sql('a', "update usher.partition_state set shard = 'b', destination = null where partition = 0")
    assert verdict(realm.client.ask_all(request)[0]) == ('confirmed', None)


@pytest.fixture(name='restored')
def new_home_restored_to_an_earlier_stay(shards):
    """The partition lives in b as it was when it was there before; a has what it decided since."""
    realm = shards.realm
    worker = realm.worker()
    realm.ask('define', 'show', **standing(100))
    shards.move('b')
    worker.stop()
    shards.back_up('b')
    worker = realm.worker()
    shards.move('a')
    realm.ask('book', 'show', customer='c', items=places('floor', 1))
    shards.move('b')
    worker.stop()
    shards.restore('b')
    assert shards.home() == 'b' and shards.stands('a') == ('b', None)
    return shards


def kept(shards, *why):
    """By each command that would delete what is left in a."""
    before = shards.rows('a')
    for arguments in ['forget-moved'], moving('a'):
        said = shards.run(*arguments, code=65)
        assert 'could not delete what shard a has of partition 0' in said and all(text in said for text in why), said
        assert (shards.rows('a'), shards.home(), shards.stands('a')) == (before, 'b', ('b', None))


def accept_loss(shards):
    """Of what its home has lost; then it sells on."""
    realm, worker = shards.realm, shards.realm.worker(await_ready=False)
    eventually(lambda: 'lost commits' in worker.error(), 'it halts')
    shards.run('accept-loss', '--partition', '0', '--why', 'restored', '--yes')
    for _time in range(3):
        realm.ask('book', 'show', customer='d', items=places('floor', 1))
    worker.stop()


def test_the_last_copy_is_kept(restored):
    kept(restored, 'seq', 'is the next one there')
    accept_loss(restored)  # its seq is higher than that of the copy from here on
    kept(restored, '1 of its 2 decisions are not there')
    restored.sql('a', 'update usher.partition_state set next_seq = 1, next_offset = null, published_seq = 0')
    assert '1 partition that lives elsewhere' in restored.run('forget-moved')
    assert not any(restored.rows('a').values()) and restored.home() == 'b'


def test_the_last_copy_is_lived_in_again(restored):
    for shard in 'b', 'a':
        restored.sql(shard, "update usher.partition_state set shard = 'a'")
    assert '1 partition that lives elsewhere' in restored.run('forget-moved')
    restored.realm.worker()
    answer = restored.realm.ask('book', 'show', customer='d', items=places('floor', 1))
    assert verdict(answer) == ('confirmed', None) and restored.home() == 'a'


def test_offsets_that_the_home_has_not_reached_are_those_of_a_copy(shards):
    """Unless it has another topic by now."""
    sell(shards.realm, answers=50)
    shards.move('b')
    shards.sql('b', 'update usher.partition_state set next_offset = 1')
    kept(shards, 'offset 1 is the next one there')
    shards.sql('b', 'insert into usher.partition_topic (partition, epoch, topics, next_seq, published_seq, reason) '
                    "select partition, epoch + 1, 'both', next_seq, 0, 'x' from usher.partition_state")
    shards.run('forget-moved')


def test_what_was_pruned_since_is_not_missed(shards):
    sell(shards.realm, answers=50)
    shards.move('b')
    shards.sql('b', 'delete from usher.decision where seq <= 3')
    kept(shards, '3 of its')
    shards.sql('b', 'insert into usher.pruned (resource_no, partition, resource, epoch, ended_at, last_seq, decisions, bookings, dead_letters) '
                    "values (1, 0, 'x', 1, now(), 3, 3, 0, 0)")
    shards.run('forget-moved')
    assert not any(shards.rows('a').values()) and shards.home() == 'b'


def test_holds_that_the_use_of_their_cart_extends_move_with_their_new_time(shards):
    """The decision that uses the cart does not name them."""
    realm = shards.realm
    worker = realm.worker()
    hold = realm.client.request('hold', 'show', customer='c1', cart='basket', ttl_s=600, items=places('floor', 1))
    realm.ask_all(realm.client.request('define', 'show', **standing(10)), hold)
    assert any(shards.interrupted(moving('b'), at, 'killed', TURNS) and shards.sql('b', 'select no from usher.booking')
               for at in range(1, 100)) and shards.home() == 'a'
    realm.ask_all(realm.client.request('probe', 'show', customer='c1', cart='basket'))
    worker.stop()
    before = shards.rows('a')
    shards.move('b')
    assert shards.rows('b') == before


def test_what_would_be_missed_is_refused(shards):
    realm = shards.realm
    sell(realm, answers=100)
    shards.sql('a', 'create table usher.extra (partition integer)')
    assert 'tables of somebody else: "extra"' in shards.move('b', code=65)
    shards.sql('a', 'drop table usher.extra')
    assert 'names no shard "c"' in shards.move('c', code=65)
    shards.sql('a', "update usher.partition_state set destination = 'b'")
    owner = {'USHER_POSTGRES': shards.uri('a', 'owner')}
    refused = realm.run('forget-customer', 'c1', **owner)
    assert refused.returncode == 69 and 'being moved to shard b' in refused.stderr, refused
    assert shards.move('b') and shards.home() == 'b'


def test_a_change_by_hand_is_noticed(shards):
    """Rows that no decision names are compared all the same."""
    sell(shards.realm, answers=100)
    interrupted = next(at for at in itertools.count(1)
                       if shards.interrupted(moving('b'), at, 'killed', TURNS) and shards.sql('b', 'select no from usher.booking'))
    shards.sql('a', "update usher.booking set note = 'by hand' where no = (select min(no) from usher.booking)")
    said = shards.move('b', code=70)
    assert interrupted and 'table booking differs between shards "a" and "b"' in said and '--cancel' in said
    assert shards.home() == 'a'
    assert 'deleted in shard b' in shards.move('b', '--cancel')
    shards.move('b')
    assert shards.sql('b', "select no from usher.booking where note = 'by hand'")
