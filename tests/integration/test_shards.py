"""The operators' commands over several databases: each row once, wherever its partition lives, in the order of one database."""

import json
import re

import pytest

from harness.load import Crowd, answered
from harness.realm import Realm
from harness.shards import Shards
from harness.shows import places, standing
from harness.waiting import eventually

PARTITIONS = 4
SALE = 'show:sale'
LATER = '2099-01-01T00:00:00Z'
LISTS = [
    ('resources',), *(('resources', '--sort', by) for by in ('resource', 'name', 'sold', 'free', 'waiting')),
    *(('show', resource) for resource in ('show:0', 'show:1', 'show:2', 'hotel:one', 'floor:one', SALE)),
    *(('bookings', '--resource', resource) for resource in ('show:0', 'floor:one', SALE)), ('bookings', '--customer', 'family'),
    ('bookings', '--cart', 'tour'), ('bookings', '--resource', SALE, '--limit', '2'),
    ('bookings', '--state', 'held'), ('bookings', '--state', 'held', '--limit', '2'),
    ('history', '--since', '1d', '--limit', '3000'), ('history', '--since', '1d', '--limit', '7'), ('history', '--customer', 'family'),
    ('history', '--cart', 'tour'), ('history', '--resource', SALE),
    ('waiting',), ('waiting', '--limit', '1'), ('carts',), ('carts', '--since', '1d'), ('carts', '--state', 'mixed'), ('cart', 'tour'),
    ('takings',), ('dead-letters', 'list')]


def sell_everything(realm):
    """All kinds of rows, in all partitions; and a cart that lies in several of them, sold in a part."""
    tour = [f'floor:{number}' for number in range(8)]
    with Crowd(realm).define() as crowd:
        answered(realm, 300)
        crowd.finish()
    realm.client.ask_all(*(realm.client.request('define', show, **standing(2)) for show in [*tour, SALE]))
    held = realm.client.ask_all(*(realm.client.request('hold', show, customer='family', cart='tour', hold_ttl_s=600,
                                                       items=places('floor', 1)) for show in tour))
    for answer in held[:4]:
        realm.ask('confirm', answer['resource'], customer='family', booking=answer['booking'])
    realm.ask('book', SALE, customer='family', items=places('floor', 2))
    for customer in 'c1', 'c2', 'c3':
        realm.ask('hold', SALE, customer=customer, items=places('floor', 1), wait_until=LATER)
    for number in range(8):
        realm.client.ask_raw(b'{"op":"book"', f'bad:{number}'.encode())


def look(uris, realm, *arguments, code=0):
    """What it lists, as JSON."""
    done = realm.run(*arguments, '--json', USHER_POSTGRES=uris)
    assert done.returncode == code, done
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(name='sold', scope='module')
def two_databases_after_a_sale(stack, request):
    """What each list said while all was in one database; since then two partitions moved, and another one is arriving."""
    realm = Realm(stack, 'shards', partitions=PARTITIONS)
    request.addfinalizer(realm.close)
    shards = Shards(realm, a=range(PARTITIONS))
    worker = realm.worker()
    sell_everything(realm)
    worker.stop()
    before = {arguments: look(shards.uri('a', 'reader'), realm, *arguments) for arguments in LISTS}
    for partition in 1, 3:
        shards.move('b', partition=partition)
    shards.interrupted(('move', '--partition', '2', '--to', 'b'), 12, 'killed', b'commit')
    assert shards.stands('b', 2) == ('a', 'b')
    return shards, before


@pytest.mark.parametrize('arguments', LISTS, ids=' '.join)
def test_lists_are_those_of_one_database(sold, arguments):
    shards, before = sold
    assert before[arguments]
    assert look(shards.uris('reader'), shards.realm, *arguments) == before[arguments]
    assert look(shards.uris('reader', shards='ba'), shards.realm, *arguments) == before[arguments]


def test_each_partition_is_shown_where_it_lives(sold):
    shards, _ = sold
    for command in ('status',), ('partition', 'list'):
        assert shards.realm.run(*command, USHER_POSTGRES=shards.uris('reader')).returncode == 0
    assert [row['partition'] for row in look(shards.uris('reader'), shards.realm, 'status')] == [0, 1, 2, 3]
    for shard, partitions in ('a', {0, 2}), ('b', {1, 3}):
        found = look(shards.uri(shard, 'reader'), shards.realm, 'history', '--since', '1d', '--limit', '3000')
        assert {row['partition'] for row in found} == partitions


@pytest.mark.parametrize('arguments', LISTS, ids=' '.join)
def test_a_database_that_is_away_is_named(sold, arguments):
    """What the others have is shown."""
    shards, before = sold
    away = re.sub(r'@[^/]*/', '@127.0.0.1:1/', shards.uri('b', 'reader'))
    done = shards.realm.run(*arguments, '--json', USHER_POSTGRES=f'{shards.uri("a", "reader")} {away}')
    assert done.returncode == 69 and f'127.0.0.1:1/{shards.realm.name}_b' in done.stderr, done
    if arguments[0] in ('resources', 'bookings', 'history', 'waiting', 'takings', 'dead-letters') and '--limit' not in arguments:
        assert [json.loads(line) for line in done.stdout.splitlines()] == [
            row for row in before[arguments] if partition_of(shards, row) in (0, 2)]


def partition_of(shards, row):
    if 'partition' in row:
        return row['partition']
    return shards.sql('a', 'select partition from usher.resource where id = %s', row['resource'])[0][0]


@pytest.mark.parametrize('partition, stands, code, why', [
    (0, (None, 'b'), 69, 'without the rows of partition 0'), (1, ('a', None), 78, 'partition 1 lives in more than one database')],
    ids=['it lives nowhere for now', 'it lives in two'])
def test_a_partition_that_does_not_live_in_one_is_named(sold, partition, stands, code, why):
    shards, _ = sold
    stood = shards.stands('a', partition)

    def stand(where):
        shards.sql('a', 'update usher.partition_state set shard = %s, destination = %s where partition = %s', *where, partition)
    stand(stands)
    try:
        done = shards.realm.run('resources', USHER_POSTGRES=shards.uris('reader'))
        assert done.returncode == code and why in done.stderr, done
    finally:
        stand(stood)


# ---- commands that prove or change ----

def test_all_are_reconciled_where_they_live(sold):
    """What is left in the old home, and what has arrived in part, is nobody's difference."""
    shards, _ = sold
    one = look(shards.uri('a', 'worker'), shards.realm, 'reconcile', '--redis', '')[-1]
    both = look(shards.uris('worker'), shards.realm, 'reconcile')[-1]
    assert (both['result'], both['differences'], both['redis']) == ('verdict', 0, True)
    assert one['resources'] < both['resources'] == shards.sql('a', 'select count(*) from usher.resource')[0][0]


def test_a_difference_is_found_where_the_partition_lives(sold):
    shards, _ = sold
    wrong = ("update usher.booking set total = total + 1 where no = (select min(no) from usher.booking "
             "where no >> 48 in (1, 3) and state = 'confirmed')")
    right = wrong.replace('total + 1', 'total - 1')
    for shard, differences in ('a', False), ('b', True):
        shards.sql(shard, wrong)
        try:
            verdict = look(shards.uris('worker'), shards.realm, 'reconcile', '--redis', '', code=4 if differences else 0)[-1]
        finally:
            shards.sql(shard, right)
        assert bool(verdict['differences']) == bool(differences), verdict


def test_nothing_is_proven_without_a_database(sold):
    shards, _ = sold
    away = re.sub(r'@[^/]*/', '@127.0.0.1:1/', shards.uri('b', 'worker'))
    done = shards.realm.run('reconcile', USHER_POSTGRES=f'{shards.uri("a", "worker")} {away}')
    assert done.returncode == 69 and '127.0.0.1' in done.stderr and 'reconciled' not in done.stdout, done


def test_redis_is_rebuilt_from_all(sold):
    shards, _ = sold
    done = shards.realm.run('rebuild-cache', USHER_POSTGRES=shards.uris('worker'))
    resources = shards.sql('a', 'select count(*) from usher.resource')[0][0]
    assert done.returncode == 0 and f'rebuilt {resources} resources' in done.stdout, done
    assert look(shards.uris('worker'), shards.realm, 'reconcile')[-1]['differences'] == 0


def test_a_customer_is_forgotten_in_all_under_one_name(sold):
    shards, _ = sold
    shards.move('b', '--cancel', partition=2)
    away = re.sub(r'@[^/]*/', '@127.0.0.1:1/', shards.uri('b', 'owner'))
    done = shards.realm.run('forget-customer', 'nobody', USHER_POSTGRES=f'{shards.uri("a", "owner")} {away}')
    assert done.returncode == 69 and f'127.0.0.1:1/{shards.realm.name}_b' in done.stderr, done
    assert 'forgotten-' in done.stdout
    for resource in look(shards.uris('reader'), shards.realm, 'resources'):
        shards.realm.client.send(shards.realm.client.request('close', resource['resource']))
    worker = shards.realm.worker()
    eventually(lambda: all(row['state'] == 'closed' for row in look(shards.uris('reader'), shards.realm, 'resources')), 'all are closed')
    worker.stop()
    bookings = len(look(shards.uris('reader'), shards.realm, 'bookings', '--customer', 'family'))
    done = shards.realm.run('forget-customer', 'family', USHER_POSTGRES=shards.uris('owner'))
    names = set(re.findall(r'forgotten-\w+', done.stdout))
    told = re.findall(r': (\d+) bookings?,', done.stdout)
    held = re.findall('not over: ', done.stdout)
    assert len(names) == 1 and len(told) == 2 and sum(map(int, told)) + len(held) == bookings, done
    assert done.returncode == (3 if held else 0)


def test_resources_are_pruned_where_they_live(sold):
    """None of what is left in the old home is listed."""
    shards, _ = sold
    resources = shards.sql('a', 'select count(*) from usher.resource')[0][0]
    for shard in 'a', 'b':
        shards.sql(shard, "update usher.resource set state = 'closed', starts_at = now() - interval '900 days', ends_at = null")
    done = shards.realm.run('prune', '--older-than', '1d', '--dry-run', USHER_POSTGRES=shards.uris('owner'))
    assert done.returncode == 0, done
    assert len(set(re.findall(r'^(\S+)  over since', done.stdout, re.M))) == len(re.findall('over since', done.stdout)) <= resources
