"""Partitions that live in several databases: who finds them, and what is refused before anything is decided."""

import json
import re

import pytest

from harness.dashboard import Dashboard
from harness.load import Crowd, answered
from harness.realm import STEADY
from harness.shards import OTHER, Shards, moving
from harness.shows import places, standing
from harness.waiting import eventually
from oracle.partitioner import partition_of

SETTINGS = STEADY
PARTITIONS = 4
SAME = 'are the same database: name it once'


def refused(shards, *names, code=78):
    """Why a worker does not start; nothing was decided."""
    done = shards.realm.run('run', USHER_POSTGRES=shards.uris('worker', shards=names or tuple(OTHER)))
    assert done.returncode == code, done
    assert [shards.sql(shard, 'select count(*) from usher.decision') for shard in OTHER] == [[(0,)], [(0,)]]
    return done.stderr


@pytest.fixture(name='fresh')
def realm_without_a_worker(make_realm):
    return make_realm(PARTITIONS)


def states(worker):
    """By partition."""
    return {one['partition']: one['state'] for one in worker.status()['partitions']}


def active(worker):
    return {partition for partition, state in states(worker).items() if state == 'active'}


def decided(shards, shard):
    return {partition for partition, in shards.sql(shard, 'select distinct partition from usher.decision')}


def test_each_partition_is_decided_where_it_lives(fresh):
    shards = Shards(fresh, a=(0, 1), b=(2, 3))
    fresh.worker()
    with Crowd(fresh, pause_s=0.05).define() as crowd:
        answered(fresh, 300)
        crowd.finish()
    assert decided(shards, 'a') <= {0, 1} and decided(shards, 'b') <= {2, 3}
    assert decided(shards, 'a') and decided(shards, 'b')


def test_a_cart_that_stays_mixed_over_two_databases_is_counted(fresh):
    """One that is sold whole is not."""
    shards = Shards(fresh, a=(0, 1), b=(2, 3))
    here, there = (next(show for show in map('show:{}'.format, range(99)) if partition_of(show.encode(), PARTITIONS) in partitions)
                   for partitions in ((0, 1), (2, 3)))
    worker = fresh.worker()
    for show in here, there:
        fresh.ask('define', show, **standing(9))
    for cart, sold in (('part', (there,)), ('whole', (here, there))):
        held = {show: fresh.ask('hold', show, customer='c', cart=cart, items=places('floor', 1)) for show in (here, there)}
        for show in sold:
            fresh.ask('confirm', show, customer='c', booking=held[show]['booking'])
    worker.stop()
    for shard in OTHER:
        shards.sql(shard, "update usher.booking set sold_at = sold_at - interval '2 minutes',"
                          " created_at = created_at - interval '2 minutes'")
    worker = fresh.worker()
    eventually(lambda: worker.metric('usher_carts_mixed') == 1, 'it has been for a minute')


def test_a_worker_follows_a_partition_that_moves_while_it_sells(fresh):
    shards = Shards(fresh, a=range(PARTITIONS))
    fresh.worker()
    fresh.worker()
    with Crowd(fresh, pause_s=0.05).define() as crowd:
        answered(fresh, 300)
        for partition in range(PARTITIONS):
            assert 'it lives in shard b' in shards.move('b', partition=partition)
        answered(fresh, 300)
        shards.move('a', partition=1)
        answered(fresh, 300)
        crowd.finish()
    for partition, shard in enumerate('babb'):
        eventually(lambda p=partition, s=shard: sum(worker.metric('usher_partition_shard', partition=p, shard=s)
                                                    for worker in fresh.workers) == 1, 'its metric says where it lives')
    homes = {partition: shards.home(partition) for partition in range(PARTITIONS)}
    assert homes == {0: 'b', 1: 'a', 2: 'b', 3: 'b'}
    for partition, home in homes.items():
        assert shards.sql(home, 'select count(*) = coalesce(max(seq), 0) from usher.decision where partition = %s',
                          partition) == [(True,)]
        eventually(lambda p=partition, s=home: len(fresh.client.answers.accepted[p]) == shards.sql(
            s, 'select coalesce(max(seq), 0) from usher.decision where partition = %s', p)[0][0], 'all is answered')


def test_a_partition_is_not_moved_to_where_its_worker_could_not_follow(fresh):
    shards = Shards(fresh, a=range(PARTITIONS))
    worker = fresh.worker(USHER_POSTGRES=shards.uri('a', 'worker'))
    assert f'worker "{worker.name}"' in shards.move('b', partition=1, code=69)
    assert shards.home(1) == 'a' and active(worker) == set(range(PARTITIONS))
    worker.stop()
    fresh.worker()
    shards.move('b', partition=1)
    assert shards.home(1) == 'b'


def complaints(worker):
    return [line for line in worker.log().splitlines() if re.search('level=(warning|error)', line) and 'kafka client' not in line]


def test_a_partition_that_nobody_asks_is_acquired_where_it_moved(fresh):
    """At once, and without a warning, even if it moves back before the worker has seen it there; who did it is written down."""
    shards = Shards(fresh, a=range(PARTITIONS))
    worker = fresh.worker()
    for to in 'baba':
        assert 'warning' not in shards.move(to, partition=1)
        row = fresh.run('status', '--json', USHER_POSTGRES=shards.uris('reader')).stdout.splitlines()[1]
        assert (json.loads(row)['partition'], json.loads(row)['state']) == (1, 'owned')
    eventually(lambda: active(worker) == set(range(PARTITIONS)), 'it is active there')
    assert not complaints(worker)
    shards.run('forget-moved')
    events = [json.loads(line) for line in shards.run('list', '--json', '--partition', '1').splitlines()]
    assert [(event['event'], event['by_whom']) for event in events] == [
        (event, 'usher_owner') for event in ('forgot moved in b', *2 * ('moved b → a', 'moved a → b'))]


def test_a_fenced_partition_that_sells_follows_without_a_warning(fresh):
    shards = Shards(fresh, a=range(PARTITIONS))
    worker = fresh.worker()
    with Crowd(fresh, pause_s=0.05).define() as crowd:
        answered(fresh, 100)
        for to in 'b', 'a':
            shards.move(to, partition=1)
            answered(fresh, 100)
        crowd.finish()
    assert not complaints(worker)


def test_a_program_that_does_not_know_the_new_home_is_named(fresh):
    shards = Shards(fresh, a=range(PARTITIONS))
    dashboard = Dashboard(fresh, '--dashboard-staff', USHER_DASHBOARD_TOKEN='sesame', USHER_POSTGRES=shards.uri('a', 'reader'))
    try:
        dashboard.get('api/staff/takings', Authorization='Bearer sesame')
        said = shards.move('b', partition=1)
    finally:
        dashboard.close()
    assert re.search(r'warning: "usher-dashboard \S+" has a session in shard a and none in shard b', said)


# ---- refused before anything is decided ----

def test_a_database_without_a_name_is_not_one_of_several(fresh):
    shards = Shards(fresh, a=range(PARTITIONS))
    shards.sql('b', 'delete from usher.shard')
    assert re.search(rf'the database at \S+/{fresh.name}_b as one of several: it has no name', refused(shards))


def test_a_database_is_not_named_twice(fresh):
    """By none of those that connect."""
    shards = Shards(fresh, a=range(PARTITIONS))
    assert SAME in refused(shards, 'a', 'b', 'a', code=64)
    for role, *commands in (
            ('owner', 'partition place --partitions 0 --to b', 'partition move --partition 0 --to b', 'partition forget-moved',
             'partition resume --partition 0', 'prune --older-than 1d', 'forget-customer c', 'migrate up', 'migrate list'),
            ('worker', 'check', 'reconcile', 'rebuild-cache'), ('reader', 'resources', 'status', 'partition list')):
        twice = f'{shards.uris(role)} {shards.uri("b", role)}?application_name=other'
        for command in commands:
            done = fresh.run(*command.split(), USHER_POSTGRES=twice)
            assert done.returncode == 64 and SAME in done.stdout + done.stderr, done
    assert (shards.stands('a'), shards.stands('b')) == (('a', None), (None, None))


def test_two_databases_have_two_names(fresh):
    shards = Shards(fresh, a=range(PARTITIONS))
    shards.sql('b', "update usher.shard set name = 'a'")
    assert 'shard a is there twice' in refused(shards)
    assert 'shard a is there twice' in shards.command('check', role='worker', code=78)


def test_names_of_shards_are_checked_where_they_are_given(fresh):
    shards = Shards(fresh, a=range(PARTITIONS))
    for name in 'B', 'b.1', '_b', 'b' * 64:
        for arguments in (('migrate', 'up', '--shard', name), ('partition', 'place', '--partitions', '0', '--to', name),
                          ('partition', *moving(name)), ('partition', *moving(name, '--cancel'))):
            assert f'"{name}" is no name of a shard' in shards.command(*arguments, code=64)
    assert 'another name, which it keeps' in shards.command('migrate', 'up', '--shard', 'b' * 63, code=65)


def test_a_partition_in_two_databases_is_decided_in_neither(fresh):
    shards = Shards(fresh, a=(0, 1), b=(1, 2, 3))
    assert 'more than one database of USHER_POSTGRES has partition 1' in shards.command('check', role='worker', code=78)
    worker = fresh.worker(await_ready=False)
    eventually(lambda: active(worker) == {0, 2, 3}, 'the others are active')
    fresh.client.send(*(fresh.client.request('define', f'show:{number}', **standing(10)) for number in range(40)))
    eventually(lambda: decided(shards, 'a') == {0} and decided(shards, 'b') == {2, 3}, 'they decide')
    assert 'partition 1 lives in more than one database' in worker.log()


def test_databases_have_one_partition_count(fresh):
    shards = Shards(fresh, a=(0, 1))
    shards.sql('b', 'select usher.place(2, 3)')
    assert '3 partitions are recorded, the topic has 4' in refused(shards)


def test_databases_have_one_schema(fresh):
    shards = Shards(fresh, a=(0, 1), b=(2, 3))
    shards.sql('b', 'delete from usher.schema_migration where version = (select max(version) from usher.schema_migration)')
    assert 'run `usher-worker migrate up`' in refused(shards)


def test_a_partition_that_lives_nowhere_waits_and_the_others_sell(fresh):
    shards = Shards(fresh, a=(0, 1), b=(2,))
    worker = fresh.worker(await_ready=False)
    eventually(lambda: active(worker) == {0, 1, 2}, 'three partitions are active')
    assert 'no database of USHER_POSTGRES has partition 3' in shards.command('check', role='worker', code=78)
    assert '1 partition placed in shard b; 0 lived there already' in shards.run(
        'place', '--partitions', '3', '--to', 'b')
    eventually(lambda: 3 in active(worker), 'partition 3 is active')
    assert 'each partition lives in one of the databases' in shards.command('check', role='worker')


def test_a_database_that_lies_about_its_name_has_no_partitions(fresh):
    shards = Shards(fresh, a=(0, 1), b=(2, 3))
    shards.sql('b', "update usher.shard set name = 'c'")
    assert 'partitions 2 and 3 live in shard b, which USHER_POSTGRES does not name' in shards.command('check', role='worker', code=78)


# ---- a database that is away ----

def test_partitions_of_the_other_database_are_decided_while_one_is_away(fresh):
    shards = Shards(fresh, a=(0, 1), b=(2, 3))
    away = re.sub(r'@[^/]*/', '@127.0.0.1:1/', shards.uri('b', 'worker'))
    worker = fresh.worker(USHER_POSTGRES=f'{shards.uri("a", "worker")} {away}', await_ready=False)
    eventually(lambda: active(worker) == {0, 1}, 'two partitions are active')
    assert set(states(worker)) == {0, 1, 2, 3}


# ---- names and places ----

def test_the_database_that_has_no_name_is_named(fresh):
    shards = Shards(fresh)
    shards.sql('b', 'delete from usher.shard')
    assert 'is shard north' in shards.command('migrate', 'up', '--shard', 'north')
    assert shards.sql('b', 'select name from usher.shard') == [('north',)]
    assert 'is shard' not in shards.command('migrate', 'up', '--shard', 'north')
    assert 'another name, which it keeps' in shards.command('migrate', 'up', '--shard', 'south', code=65)


def test_partitions_are_placed_before_their_first_start_only(fresh):
    shards = Shards(fresh, a=())
    assert '4 partitions placed in shard a' in shards.run('place', '--partitions', '0-3', '--to', 'a')
    assert '2 partitions placed in shard b' in shards.run('place', '--partitions', '2-3', '--to', 'b')
    assert [shards.home(partition) for partition in range(PARTITIONS)] == ['a', 'a', 'b', 'b']
    fresh.worker()
    assert 'partition 0 was started in shard a: `usher-worker partition move` moves it' in shards.run(
        'place', '--partitions', '0', '--to', 'b', code=65)
    assert 'the topic has the partitions 0 to 3' in shards.run(
        'place', '--partitions', '0-4', '--to', 'b', code=65)
    shards.run('place', '--partitions', '3-1', '--to', 'b', code=64)
    assert 'no database of USHER_POSTGRES is shard c' in shards.run(
        'place', '--partitions', '0', '--to', 'c', code=65)
