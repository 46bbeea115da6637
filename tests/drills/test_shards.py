"""A partition moves between two servers of PostgreSQL, while requests come in and parts of it fail."""

import itertools

import pytest

from harness.load import answered
from harness.replicas import Pair, Server, Site
from harness.shards import Shards, moving
from harness.shows import seats, verdict
from harness.waiting import eventually
from oracle.partitioner import partition_of

MOVED = 0  # of the partitions of a drill, the one with most requests
HALLS, ROWS, ROW_SEATS = 40, 250, 100


@pytest.fixture(name='make_shards')
def two_servers(stack, tmp_path, keep, make_realm):
    """A realm on two servers, and its workers."""
    def make(name, pair=None, which='b'):
        """`pair` has that one of the two databases."""
        realm = make_realm(name, workers=0, site=pair if which == 'a' else stack)
        other = pair if pair and which == 'b' else keep(Site(stack, Server(tmp_path / 'b').begin())).servers[0]
        shards = Shards(realm, other)
        for _worker in range(2):
            realm.worker()
        return shards
    return make


def assigned(worker):
    """Its partitions, in whatever state: one that moves is not active for a moment."""
    return [one['partition'] for one in worker.status()['partitions']]


def back_home(shards):
    """All of it is in one database again, and judged there."""
    shards.move('a', partition=MOVED)
    shards.run('forget-moved')
    shards.realm.environment['USHER_POSTGRES'] = shards.uri('a', 'worker')


def move_under_load(shards, make_crowd, balance, seed, turns):
    """To each of them in turn. (The crowd, how long the partition stood still in each, in ms)."""
    realm, still = shards.realm, []
    with make_crowd(realm, seed=seed) as crowd:
        for to in turns:
            answered(realm, 1000)
            still.append(shards.stand_still_ms(to, MOVED))
        answered(realm, 1000)
        crowd.finish()
    back_home(shards)
    balance(realm)
    return crowd, still


def test_a_partition_moves_there_and_back(make_shards, make_crowd, balance, tell):
    crowd, still = move_under_load(make_shards('moved'), make_crowd, balance, 61, 'baba')
    tell(f'partition moved four times, stood still for {max(still)} ms at most', crowd, 'nothing lost, books equal')


@pytest.mark.size
def test_a_million_units_move(make_shards, make_crowd, balance, tell):
    """Of one partition, all sold."""
    shards = make_shards('million')
    realm = shards.realm
    names = (f'hall:{number}' for number in itertools.count())
    halls = itertools.islice((one for one in names if partition_of(one.encode(), realm.partitions) == MOVED), HALLS)
    rows = [{'row': f'R{row}', 'seats': ROW_SEATS} for row in range(ROWS)]
    for hall in halls:
        assert realm.ask('define', hall, state='open', sections=[{'section': 'stalls', 'price': 1, 'rows': rows}])['outcome'] == 'defined'
        sold = realm.ask_all(*(realm.client.request('book', hall, customer='c', items=seats(
            *(f'{row["row"]}-{seat + 1}' for seat in range(ROW_SEATS)))) for row in rows))
        assert {verdict(answer) for answer in sold} == {('confirmed', None)}
    crowd, still = move_under_load(shards, make_crowd, balance, 65, 'bab')
    tell(f'partition of {HALLS * ROWS * ROW_SEATS:,} sold seats moved three times, stood still for {max(still)} ms at most', crowd,
         'nothing lost, books equal')


def test_a_worker_is_killed_while_its_partition_moves(make_shards, make_crowd, balance, tell):
    shards = make_shards('moved_killed')
    realm = shards.realm
    with make_crowd(realm, seed=62) as crowd:
        answered(realm, 1000)
        move = shards.start(*moving('b', partition=MOVED))
        eventually(lambda: shards.stands('b', MOVED)[1] == 'b' or move.poll() is not None, 'it is expected there')
        eventually(lambda: [worker for worker in realm.workers if MOVED in assigned(worker)], 'somebody has it')[0].kill()
        said = move.communicate()[0]
        assert move.returncode == 0, said
        answered(realm, 1000)
        crowd.finish()
    back_home(shards)
    balance(realm)
    tell('worker killed while its partition moves', crowd, 'nothing lost, books equal')


@pytest.mark.parametrize('which', ['a', 'b'])
def test_a_database_stops_while_a_partition_moves(make_shards, make_crowd, balance, tell, which):
    """At the moment that matters: the partition has stopped."""
    shards = make_shards(f'moved_{which}')
    realm = shards.realm
    with make_crowd(realm, seed=63) as crowd:
        answered(realm, 1000)
        move = shards.start(*moving('b', partition=MOVED))
        eventually(lambda: shards.stands('b', MOVED)[1] == 'b' or move.poll() is not None, 'it is expected there')
        shards.server(which).kill('postgres')
        move.communicate()
        shards.server(which).start('postgres')
        assert shards.home(MOVED) in (None, 'a', 'b')
        shards.move('b', partition=MOVED)
        answered(realm, 1000)
        crowd.finish()
    back_home(shards)
    balance(realm)
    tell(f'database {which} killed while a partition moves from a to b', crowd, 'run again: nothing lost, books equal')


@pytest.mark.parametrize('which', ['a', 'b'])
def test_a_standby_is_promoted_while_a_partition_moves(stack, tmp_path, keep, make_shards, make_crowd, balance, tell, which):
    """That of the database which it leaves, or to which it comes."""
    pair = keep(Pair(stack, tmp_path, is_synchronous=True))
    shards = make_shards(f'promoted_{which}', pair, which)
    realm = shards.realm
    with make_crowd(realm, seed=64) as crowd:
        answered(realm, 1000)
        move = shards.start(*moving('b', partition=MOVED))
        eventually(lambda: shards.stands('b', MOVED)[1] == 'b' or move.poll() is not None, 'it is expected there')
        pair.primary.kill('postgres')
        pair.standby.promote()
        move.communicate()
        assert shards.home(MOVED) in (None, 'a', 'b')
        shards.move('b', partition=MOVED)
        answered(realm, 1000)
        crowd.finish()
    back_home(shards)
    balance(realm)
    tell(f'standby of database {which} promoted while a partition moves from a to b', crowd, 'run again: nothing lost, books equal')
