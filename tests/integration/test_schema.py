"""What the database itself watches over, what its views show, and that reconcile finds what nobody watched over."""

import psycopg2
import pytest

from harness.realm import Realm
from harness.shows import HALL, places, seats, verdict


@pytest.fixture(scope='module', name='damaged')
def realm_to_be_damaged(stack):
    """A realm whose worker has done its work and gone: a hold, a sale, a refusal and a dead letter."""
    realm = Realm(stack, 'damaged')
    worker = realm.worker()
    realm.ask('define', 'show', **HALL)
    assert verdict(realm.ask('hold', 'show', customer='c1', items=seats('BA-12', 'B-2'))) == ('held', None)
    assert verdict(realm.ask('book', 'show', customer='c2', items=places('standing', 2))) == ('confirmed', None)
    assert verdict(realm.ask('hold', 'show', customer='c1', items=seats('B-2')))[0] == 'refused'
    assert verdict(realm.ask('hold', 'show', customer='c1'))[0] == 'invalid'
    assert worker.stop() == 0
    realm.command('reconcile')
    yield realm
    realm.workers.clear()
    realm.close()


# Each damage, what undoes it, and what reconcile says of it.
DAMAGES = {
    'an allocation lost': (
        "with gone as (delete from usher.allocation where unit = 5 returning *) insert into usher.spare select * from gone",
        'insert into usher.allocation select * from usher.spare; delete from usher.spare',
        'has unit 5 of pool "stalls" in its lines, but not allocated'),
    'an allocation too many': (
        'insert into usher.allocation (pool, unit, booking) select pool, 9, booking from usher.allocation limit 1',
        'delete from usher.allocation where unit = 9',
        'in its allocations, but not in its lines'),
    'a unit of nobody': (
        'insert into usher.allocation (pool, unit, booking) select pool, 9, 777 from usher.allocation limit 1',
        'delete from usher.allocation where unit = 9',
        'is allocated to booking 777, which is unknown'),
    'a unit of a booking that is over': (
        "update usher.booking set state = 'released' where customer = 'c1'",
        "update usher.booking set state = 'held' where customer = 'c1'",
        ', which is released'),
    'a unit outside its pool': (
        "update usher.pool set capacity = 1 where name = 'balcony'",
        "update usher.pool set capacity = 5 where name = 'balcony'",
        'unit 1 is allocated in pool "balcony", whose capacity is 1'),
    'a booking that no decision made': (
        "update usher.decision set first = false where op = 'book'",
        "update usher.decision set first = true where op = 'book'",
        'was not made by decision 3 of partition 0'),
    'a decision lost': (
        'update usher.decision set seq = 40 where seq = 4',
        'update usher.decision set seq = 4 where seq = 40',
        'no decision between seq 3 and 5'),
    'a partition that stands elsewhere': (
        'update usher.partition_state set next_seq = next_seq + 1',
        'update usher.partition_state set next_seq = next_seq - 1',
        'the last decision is 5, but the next is to be 7'),
    'a dead letter lost': (
        'update usher.dead_letter set seq = 3',
        'update usher.dead_letter set seq = 5',
        'decision 5 is invalid, but not dead-lettered'),
}


@pytest.mark.parametrize('what', DAMAGES)
def test_reconcile_finds(damaged, what):
    damage, repair, line = DAMAGES[what]
    damaged.sql('create table if not exists usher.spare (like usher.allocation)')
    damaged.sql(damage)
    try:
        done = damaged.run('reconcile')
    finally:
        damaged.sql(repair)
    assert done.returncode == 4, done.stdout + done.stderr
    assert line in done.stdout
    damaged.command('reconcile')


def test_a_unit_has_one_booking(damaged):
    with pytest.raises(psycopg2.errors.UniqueViolation):
        damaged.sql('insert into usher.allocation (pool, unit, booking) select pool, unit, 777 from usher.allocation')


def test_a_request_id_has_one_first_answer(damaged):
    with pytest.raises(psycopg2.errors.UniqueViolation):
        damaged.sql('create temporary table again as select * from usher.decision where seq = 2;'
                    'update again set seq = 77; insert into usher.decision select * from again')


def test_nothing_costs_time_for_every_row(damaged):
    """Triggers (foreign keys are some) would: the guard, the counts and reconcile watch instead."""
    assert damaged.sql("select tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid "
                       "where c.relnamespace = 'usher'::regnamespace") == []


def test_a_customer_is_found_by_an_index(damaged):
    with damaged.session('reader') as cursor:
        cursor.execute('set enable_seqscan = off')
        cursor.execute("explain select * from usher.purchase where customer = 'c2'")
        assert 'booking_customer' in str(cursor.fetchall())
        cursor.execute("select pool, unit, seat from usher.purchase where customer = 'c2' order by unit")
        assert cursor.fetchall() == [('standing', 0, None), ('standing', 1, None)]


@pytest.mark.parametrize('section, unit, seat', [
    ('stalls', 0, 'A-1'), ('stalls', 3, 'A-4'), ('stalls', 4, 'B-1'), ('stalls', 17, 'C-8'), ('balcony', 1, 'BA-12'),
    ('stalls', 18, None), ('nowhere', 0, None)])
def test_seats_have_their_names(damaged, section, unit, seat):
    assert damaged.sql('select usher.seat_name(content, %s, %s) from usher.chart', section, unit) == [(seat,)]


def test_history_shows_who_did_what(damaged):
    rows = damaged.sql('select customer, op, outcome, reason, booking is not null, unasked from usher.history '
                       'order by partition, seq', role='reader')
    assert rows == [(None, 'define', 'defined', None, False, False), ('c1', 'hold', 'held', None, True, False),
                    ('c2', 'book', 'confirmed', None, True, False), ('c1', 'hold', 'refused', 'unit_taken', False, False),
                    (None, 'hold', 'invalid', 'malformed', False, False)]
