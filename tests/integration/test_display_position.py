"""How far Redis follows the decisions: the position that it stores, what is written again after it lost something, and
that no more than that is written."""


import pytest

from harness.load import Crowd, answered
from harness.shows import HALL, places, standing
from harness.stack import TREE
from harness.waiting import eventually
from test_cache import differences

pytestmark = pytest.mark.whole


@pytest.fixture
def make_own(make_realm, own_redis):
    """A realm whose Redis may be killed, emptied and replaced."""
    return lambda partitions=1, **settings: make_realm(partitions, USHER_REDIS=own_redis.url, **settings)


def define(realm, count, **fields):
    """So many resources, shown; returns their names."""
    names = [f'floor:{number}' for number in range(count)]
    realm.ask_all(*(realm.client.request('define', name, **standing(100), **fields) for name in names))
    await_position(realm)
    return names


def book(realm, names):
    """One unit of each; returns the revs."""
    requests = [realm.client.request('book', name, customer='c', items=places('floor', 1)) for name in names]
    return {answer['resource']: answer['rev'] for answer in realm.ask_all(*requests)}


def stored(realm, partition=0):
    """(epoch, seq) of the position."""
    text = realm.cache.get(f'{realm.name}:shown:{partition}')
    return tuple(int(part) for part in text.split('/')) if text else None


def is_level(realm):
    """Whether the positions are those of PostgreSQL."""
    return all(stored(realm, partition) == (epoch, next_seq - 1)
               for partition in range(realm.partitions)
               for epoch, _offset, next_seq in [realm.position(partition)])


def await_position(realm):
    eventually(lambda: is_level(realm), 'Redis has come to the last decision of each partition')


def written(worker):
    return worker.metric('usher_cache_writes_total', result='written')


# ---- the position --------------------------------------------------------------------------------------------------
def test_the_position_follows_the_decisions(make_realm):
    realm = make_realm(partitions=2)
    worker = realm.worker()
    names = define(realm, 10)
    revs = book(realm, names)
    await_position(realm)
    assert all(realm.shown(name)[0]['rev'] == str(rev) for name, rev in revs.items())
    assert realm.ask('probe', names[0])['outcome'] == 'alive'  # a decision that changes nothing
    await_position(realm)
    eventually(lambda: worker.metric('usher_display_lag_decisions') == 0)


def test_the_position_is_never_ahead(make_own, own_redis):
    """Sampled while all is sold, and Redis and the workers are killed."""
    realm = make_own()
    realm.worker()

    def look():
        """Resources that have not changed since the position are in Redis as they are in PostgreSQL."""
        with realm.cache.pipeline() as pipe:
            pipe.get(f'{realm.name}:shown:0')
            for resource in crowd.resources:
                pipe.hget(f'{realm.name}:{{{resource}}}', 'rev')
            position, *shown = pipe.execute()
        seq = int(position.split('/')[1]) if position else 0
        revs = dict(realm.sql('select id, rev from usher.resource'))
        late = {resource: (rev, revs[resource]) for resource, rev in zip(crowd.resources, shown)
                if revs[resource] <= seq and int(rev or 0) < revs[resource]}
        assert not late, f'at position {position}: {late}'

    def look_often():
        for _time in range(20):
            look()
            answered(realm, 10)

    with Crowd(realm, seed=31, pause_s=0.1).define() as crowd:
        look_often()
        own_redis.kill()
        answered(realm, 200)
        own_redis.start()
        look_often()
        realm.workers[-1].kill()
        realm.worker()
        look_often()
        crowd.finish()
    realm.check()
    await_position(realm)


def test_a_later_owner_takes_the_position_over(make_realm):
    """And writes nothing that is there."""
    realm = make_realm()
    realm.worker().stop()
    first = realm.worker()
    names = define(realm, 50)
    first.stop()
    assert stored(realm)[1] == realm.position()[2] - 1, 'it left the position behind'
    second = realm.worker()
    await_position(realm)
    assert written(second) == 0
    book(realm, names[:3])
    await_position(realm)
    assert written(second) == 3


def test_a_worker_killed_between_a_write_and_its_position(make_realm):
    realm = make_realm()
    names = []

    def killed_in_time():
        """Its position was not yet written when it was killed, but its last write was."""
        worker = realm.worker()
        if not names:
            names.extend(define(realm, 50))
        revs = book(realm, names[:5])
        for name, rev in revs.items():
            realm.await_shown(name, rev)
        worker.kill()
        return stored(realm)[1] < max(revs.values())

    eventually(killed_in_time, 'a worker was killed before it wrote its position')
    heir = realm.worker()
    await_position(realm)
    assert 0 < written(heir) <= 5
    assert differences(realm) == []


def test_a_replaced_worker_cannot_move_the_position(realm):
    realm.ask('define', 'show', **HALL)
    eventually(lambda: is_level(realm))
    realm.cache.set(f'{realm.name}:shown:0', '99/1')
    answer = realm.ask('book', 'show', customer='c', items=places('stalls', 1))
    realm.await_shown('show', answer['rev'])
    eventually(lambda: realm.workers[0].metric('usher_display_lag_decisions') == 0)
    assert stored(realm) == (99, 1)


# ---- Redis loses something -----------------------------------------------------------------------------------------
@pytest.mark.parametrize('partitions', [1, 4])
def test_away_for_a_while_only_what_changed_is_written(make_own, own_redis, partitions):
    realm = make_own(partitions)
    worker = realm.worker()
    names = define(realm, 400)
    before = written(worker)
    own_redis.save()
    own_redis.kill()
    revs = book(realm, names[:30])
    eventually(lambda: worker.metric('usher_display_lag_decisions') >= 30, 'the lag says so')
    own_redis.start()
    await_position(realm)
    assert all(realm.shown(name)[0]['rev'] == str(rev) for name, rev in revs.items())
    assert written(worker) - before == 30
    eventually(lambda: worker.metric('usher_display_lag_decisions') == 0, 'the lag says so')
    assert differences(realm) == []


def test_restarted_from_an_old_dump(make_own, own_redis):
    """What was written, and acknowledged, since the dump was made is written again, and nothing else."""
    realm = make_own(2)
    worker = realm.worker()
    names = define(realm, 200)
    own_redis.save()
    old = [stored(realm, partition) for partition in range(2)]
    for _time in range(20):
        book(realm, names[:40])
    await_position(realm)
    assert all(stored(realm, partition) > old[partition] for partition in range(2))
    before = written(worker)
    own_redis.kill()
    own_redis.start()
    await_position(realm)
    assert written(worker) - before == 40
    assert differences(realm) == []


def test_a_cold_resource_is_read_from_postgresql(make_own, own_redis):
    """A worker that has nothing in memory writes what changed before it came."""
    realm = make_own(2)
    first = realm.worker()
    names = define(realm, 300)
    own_redis.save()
    book(realm, names[:50])
    await_position(realm)
    first.stop()
    own_redis.kill()
    own_redis.start()
    second = realm.worker()
    await_position(realm)
    assert written(second) == 50
    assert differences(realm) == []


@pytest.mark.parametrize('how', ['emptied', 'replaced'])
def test_nothing_is_left(make_own, own_redis, how):
    realm = make_own(4)
    worker = realm.worker()
    names = define(realm, 300)
    before = written(worker)
    if how == 'emptied':
        own_redis.client.flushall()
    else:
        own_redis.kill()
        own_redis.forget()
        own_redis.start()
    eventually(lambda: all(realm.shown(name)[0] for name in names), 'all are shown again')
    await_position(realm)
    assert written(worker) - before == 300
    assert len(realm.listed()) == 300
    assert differences(realm) == []


def test_emptied_while_all_is_written_again(make_own, own_redis):
    realm = make_own(2)
    first = realm.worker()
    names = define(realm, 600)
    first.stop()
    own_redis.client.flushall()
    realm.worker()
    eventually(lambda: len(realm.listed()) > 100, 'some are shown again')
    own_redis.client.flushall()
    eventually(lambda: len(realm.listed()) == len(names), 'all are shown again')
    await_position(realm)
    assert differences(realm) == []


def test_an_expiry_while_redis_loads(make_own, own_redis, parts):
    """PostgreSQL is killed with it: the hold expires after a recovery, before Redis takes updates."""
    realm = make_own()
    realm.worker()
    realm.ask('define', 'show', **HALL)
    answer = realm.ask('hold', 'show', customer='c', items=places('stalls', 2), ttl_s=3)
    realm.await_shown('show', answer['rev'])
    for number in range(1000):
        own_redis.client.set(f'filler:{number}', 'x' * 4096)
    own_redis.save()
    parts.kill('postgres')
    own_redis.kill()
    parts.start('postgres')
    own_redis.launch('--key-load-delay', '100000', '--loading-process-events-interval-bytes', '1024')
    eventually(own_redis.loading, 'Redis loads')
    expired = realm.client.answers.await_one(lambda one: one['outcome'] == 'expired')
    assert own_redis.loading(), 'it expired while Redis was loading'
    own_redis.client.config_set('key-load-delay', 0)
    eventually(own_redis.answers, 'Redis has loaded')
    realm.await_shown('show', expired['rev'])
    await_position(realm)
    assert differences(realm) == []


# ---- what a foreign hand changed ----------------------------------------------------------------------------------
def test_damage_in_each_partition_is_repaired(make_realm):
    realm = make_realm(partitions=4)
    realm.worker()
    names = define(realm, 400)
    damaged = {}
    for name in names:
        damaged.setdefault(int(realm.cache.hget(f'{realm.name}:{{{name}}}', 'partition')), name)
    assert len(damaged) == 4
    for name in damaged.values():
        realm.cache.hset(f'{realm.name}:{{{name}}}', 'free', '1')
    done = realm.run('reconcile')
    assert done.returncode == 4 and len(done.stdout.splitlines()) == 5, done.stdout
    lines = realm.run('reconcile', '--heal').stdout.splitlines()
    assert {line.split()[1] for line in lines[:-1]} == {f'{name}:' for name in damaged.values()}, lines
    assert all(line.startswith('repaired: ') for line in lines[:-1])
    assert all(realm.cache.hget(f'{realm.name}:{{{name}}}', 'free') == '100' for name in damaged.values())
    assert differences(realm) == []


def test_reconcile_heals_a_resource_that_no_worker_knows(make_realm):
    """Its keys are gone, and no worker runs."""
    realm = make_realm()
    realm.worker()
    names = define(realm, 3)
    realm.workers[0].stop()
    realm.cache.delete(*(f'{realm.name}:{{{names[1]}}}{part}' for part in ('', ':pools', ':catalogue')))
    assert realm.run('reconcile', '--heal').stdout.startswith(f'repaired: {names[1]}: ')
    assert realm.catalogue(names[1])['sections']
    assert differences(realm) == []


def test_a_former_owner_cannot_list_what_its_successor_does_not(realm):
    """Whether a resource is listed is written by the same guard as what is shown of it."""
    define(realm, 1)
    key, listing = f'{realm.name}:{{floor:0}}', f'{realm.name}:resources'
    keys = [key, f'{key}:seats', f'{key}:pools', f'{key}:catalogue', f'{realm.name}:layout:',
            f'{realm.name}:takings:{{floor:0}}', f'{realm.name}:pruned:{{floor:0}}', listing, f'{listing}:state:open']
    script = (TREE / 'worker/redis/write_resource.lua').read_text()

    def unlist(epoch):
        return realm.cache.eval(script, len(keys), *keys, epoch, 10 ** 6, 0, f'{key}:changes', '{}', f'{realm.name}:changes',
                                '{}', 'floor:0', 0, 0, '', 0, 0, 0, 0, '{}', '', '0', '')
    before = realm.cache.hgetall(key)
    assert unlist(0) == 1
    assert realm.listed() == ['floor:0'] and realm.cache.hgetall(key) == before
    assert unlist(realm.position()[0] + 1) == 0
    assert realm.listed() == [] and realm.listed(':state:open') == set()


def test_a_redis_that_is_ahead_of_the_database_is_warned_of(make_realm):
    """As after the database was restored; nobody may take what it shows for true."""
    realm = make_realm()
    worker = realm.worker()
    define(realm, 1)
    worker.stop()
    realm.cache.set(f'{realm.name}:shown:0', '1/1000000')
    worker = realm.worker()
    eventually(lambda: 'Redis is ahead of PostgreSQL' in worker.log() and 'rebuild-cache' in worker.log(), 'the worker warns')
    realm.command('rebuild-cache')
    await_position(realm)
