"""Commands that go through several databases: partitions stay where they live meanwhile, so that nothing is passed over, and nothing
that was deleted comes back."""

import contextlib
import itertools
import subprocess

import pytest

from harness.shards import OTHER, Shards, moving
from harness.shows import places, standing
from harness.stack import clean_environment, program
from harness.waiting import PATIENCE_S, eventually
from oracle.partitioner import partition_of

from test_migrate import LATER

PARTITIONS = 2
UNDER_WAY = 'prune, forget-customer or migrate is under way in shard '
# Whoever changes decisions stands still as long as the gate is shut: in its transaction, as with a large table.
GATE = '''
    create table public.gate (shut boolean);
    create function public.waits() returns trigger language plpgsql security definer as $$
    begin
        while exists (select from public.gate) loop
            perform pg_sleep(0.02);
        end loop;
        return null;
    end $$;
    create trigger waits after update or delete on usher.decision for each statement execute function public.waits();
'''
NAMED = """select 'booking' from usher.booking where customer = 'erika' union all
           select 'answer' from usher.decision where position('"customer":"erika"' in body) > 0"""


def resource_of(partition):
    return next(show for show in map('show:{}'.format, itertools.count()) if partition_of(show.encode(), PARTITIONS) == partition)


@pytest.fixture(name='shards')
def two_databases_with_a_show_in_each(make_realm, request):
    """Sold and closed long ago: that of partition 0, as the parameter says, in a or b; that of partition 1 in the other one."""
    realm = make_realm(PARTITIONS)
    home = getattr(request, 'param', 'a')
    shards = Shards(realm, **{home: (0,), OTHER[home]: (1,)})
    worker = realm.worker()
    for show in map(resource_of, range(PARTITIONS)):
        realm.ask('define', show, **standing(9))
        booked = realm.ask('book', show, customer='erika', items=places('floor', 2))
        realm.ask('cancel', show, customer='erika', booking=booked['booking'])
        realm.ask('book', show, customer='erika', items=places('floor', 99))  # refused
        realm.ask('close', show)
    worker.stop()
    for shard in shards:
        shards.sql(shard, "update usher.decision set decided_at = decided_at - interval '500 days'")
        shards.sql(shard, GATE)
    return shards


@contextlib.contextmanager
def standing_still(shards, shard, *arguments):
    """The command, while it stands still in its transaction in the shard; what it said when it has ended."""
    shards.sql(shard, 'insert into public.gate values (true)')
    said = []
    with subprocess.Popen([program('usher-worker'), *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=clean_environment(USHER_POSTGRES=shards.uris('owner'), USHER_REDIS=shards.realm.environment['USHER_REDIS'],
                                                USHER_REDIS_PREFIX=shards.realm.environment['USHER_REDIS_PREFIX'])) as process:
        try:
            eventually(lambda: shards.sql(shard, "select 1 from pg_stat_activity where wait_event = 'PgSleep'"
                                                 ' and datname = current_database()'), 'it stands still')
            yield said
        finally:
            shards.sql(shard, 'delete from public.gate')
            said.append(process.communicate(timeout=PATIENCE_S)[0])
    assert process.returncode == 0, said


def test_the_rows_are_what_the_tests_need(shards):
    assert sorted(shards.sql('a', NAMED)) == [('answer',), ('answer',), ('answer',), ('booking',)]


@pytest.mark.parametrize('at', ['a', 'b'])
@pytest.mark.parametrize('shards', ['a', 'b'], indirect=True)
def test_a_customer_is_forgotten_wherever_the_partition_was_to_move(shards, at):
    """While either database is gone through."""
    home = shards.home(0)
    with standing_still(shards, at, 'forget-customer', 'erika'):
        assert UNDER_WAY + home in shards.move(OTHER[home], code=69)
    assert not shards.sql('a', NAMED) and not shards.sql('b', NAMED)
    assert shards.home(0) == home
    shards.move(OTHER[home])
    assert not shards.sql(OTHER[home], NAMED)


@pytest.mark.parametrize('at', ['a', 'b'])
@pytest.mark.parametrize('shards', ['a', 'b'], indirect=True)
def test_what_is_pruned_stays_pruned_wherever_the_partition_was_to_move(shards, at):
    realm, home = shards.realm, shards.home(0)
    with standing_still(shards, at, 'prune', '--older-than', '1d') as said:
        assert UNDER_WAY + home in shards.move(OTHER[home], code=69)
    assert 'deleted 2 resources with 2 bookings' in said[0] and '; 2 from Redis' in said[0]
    shards.move(OTHER[home])
    for shard in shards:
        assert not shards.sql(shard, 'select from usher.resource') and not shards.sql(shard, 'select from usher.booking')
    assert not realm.cache.keys(f'{realm.name}:{{show:*')
    done = realm.run('prune', '--older-than', '1d', USHER_POSTGRES=shards.uris('owner'))
    assert done.returncode == 0 and 'deleted 0 resources' in done.stdout, done
    realm.worker()
    assert realm.ask('probe', resource_of(0))['reason'] == 'unknown_resource'
    shards.command('reconcile', role='worker')


def test_a_move_waits_for_whoever_needs_the_partition_to_stay(shards):
    with shards.session('a') as cursor:
        cursor.execute('begin; select usher.stays(0)')
        assert UNDER_WAY + 'a' in shards.move('b', code=69)
        assert shards.stands('a') == ('a', None) and shards.stands('b') == (None, None)
    shards.move('b')
    with shards.session('a') as cursor, pytest.raises(Exception, match='partition 0 lives in shard b, and this is a'):
        cursor.execute('select usher.stays(0)')


def test_a_resource_that_came_back_is_pruned_again(shards):
    """With what was asked about it since; and shown no more."""
    shards.sql('a', 'insert into usher.pruned (resource_no, partition, resource, epoch, ended_at, last_seq, decisions, bookings, '
                    "dead_letters, hidden_at) select no, 0, id, 1, now(), 1, 2, 1, 0, now() from usher.resource")
    done = shards.realm.run('prune', '--older-than', '1d', USHER_POSTGRES=shards.uris('owner'))
    assert done.returncode == 0 and 'deleted 2 resources with 2 bookings' in done.stdout and '; 2 from Redis' in done.stdout, done
    assert shards.sql('a', 'select decisions, bookings from usher.pruned') == [(5, 1)]
    assert 'deleted 0 resources' in shards.command('prune', '--older-than', '1d')
    shards.command('reconcile', role='worker')


def test_a_customer_in_rows_that_were_left_behind_is_told(shards):
    shards.move('b')
    said = shards.command('forget-customer', 'erika', code=3)
    assert 'shard a has rows of partition 0, which lives in b' in said and 'forget-moved' in said
    assert not shards.sql('b', NAMED) and shards.sql('a', NAMED)
    shards.run('forget-moved')
    assert not shards.sql('a', NAMED)
    shards.command('forget-customer', 'erika')


def test_no_schema_changes_below_a_partition_that_moves(shards):
    shards.interrupted(moving('b'), 12, 'killed', b'commit')
    assert shards.stands('b') == ('a', 'b')
    said = shards.realm.run('migrate', 'up', name=LATER, USHER_POSTGRES=shards.uri('b', 'owner'))
    assert said.returncode == 69 and 'partition 0 is being moved to shard b' in said.stderr, said
    shards.move('b')


def test_a_partition_does_not_move_to_another_version_of_the_schema(shards):
    """Under which the program could work: but rows would not fit."""
    shards.sql('b', "insert into usher.schema_migration (version, name, sha256) values (99, 'later', '')")
    shards.sql('b', 'insert into usher.schema_compatible (version, program) values (99, 1)')
    assert 'that of shard b is version 99' in shards.move('b', code=78)
    assert shards.stands('a') == ('a', None) and shards.stands('b') == (None, None)


def test_two_movers_copy_each_chart_once(shards):
    """One that has waited for a page of the other one reads what that has copied."""
    chart = "insert into usher.chart (partition, hash, content) values (0, 'sha256:x', '{\"sections\":[]}')"
    shards.sql('a', chart)
    shards.interrupted(moving('b'), 1, 'killed', b'insert into usher.partition_state|on conflict do nothing')
    with shards.session('b') as cursor:
        cursor.execute('begin; insert into usher.partition_state (partition, partition_count, epoch, shard, destination) '
                       f"values (0, {PARTITIONS}, 0, 'a', 'b') on conflict do nothing")
        cursor.execute('commit; begin; select from usher.partition_state where partition = 0 for update')
        cursor.execute(chart)
        mover = shards.start(*moving('b'))
        eventually(lambda: shards.sql('b', "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"),
                   'it waits')
        cursor.execute('commit')
    said = mover.communicate(timeout=PATIENCE_S)[0]
    assert mover.returncode == 0 and shards.home() == 'b', said


def test_two_movers_end_well_or_say_what_to_do(shards):
    """Never with a bug; and in the end it is there."""
    to = 'b'
    for _time in range(6):
        movers = [shards.start(*moving(to)) for _mover in range(3)]
        for mover in movers:
            said = mover.communicate(timeout=PATIENCE_S)[0]
            assert mover.returncode == 0 or (mover.returncode in (65, 69) and ('run it again' in said or 'lock timeout' in said)), said
        assert 'nothing to do' in shards.move(to)
        to = OTHER[to]
