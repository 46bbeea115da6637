"""A database that an older worker wrote goes on under the last schema: all that was decided is there, counts, and is
answered again."""

import hashlib
import subprocess

import psycopg2
import pytest

from harness.realm import Realm
from harness.shows import pieces, places, seats, verdict
from harness.stack import TREE
from harness.waiting import PATIENCE_S, eventually

from test_migrate import FILES, FIRST, Database, apply, database_of, refused

NUMBERED = FILES[:3]  # until then each unit of a section by capacity had a number
REST = FILES[len(NUMBERED):]


def applied(files):
    """What is printed while these are: they are from before workers could go on meanwhile, or behind such."""
    return ''.join([*(f'{file} pending, stop the workers first\n' for file in files), *(f'applied {file}\n' for file in files)])


APPLIED = applied(REST)


class GrownRealm(Realm):
    """Its database was made by the first files and used, before the others were applied."""

    def __init__(self, stack, name, files, written):
        self.files, self.written = files, written
        super().__init__(stack, name)

    def _make(self):
        apply(database := Database(self.stack, self.name), *self.files)
        database.sql(self.written)
        self.command('topics', 'create', '--partitions', '1', '--replication', '1')

    def migrate(self):
        assert self.command('migrate', 'up', USHER_POSTGRES=self.uri('owner')) == applied(FILES[len(self.files):])


# ---- from the first file ----------------------------------------------------------------------------------------------
# A show as the first schema had it: standing room for 4. Of its bookings one is held, one sold, one expired, one cancelled.
BEFORE = r"""
insert into usher.partition_state (partition, partition_count, next_seq, now) values (0, 1, 9, '2026-01-01 10:00:08Z');
insert into usher.resource (no, partition, id, state, currency, rev) values (1, 0, 'show', 'open', 'EUR', 8);
insert into usher.pool (no, resource_no, index, kind, name, capacity, price) values (1, 1, 0, 'section', 'floor', 4, 1000);
insert into usher.booking (no, partition, resource_no, created_at, expires_at, total, state, op, request_id, customer, lines)
select seq, 0, 1, '2026-01-01 10:00:00Z', expires, 1000, state, op, 'old-' || seq, 'c' || seq, '[[0,0,1000,[' || unit || ']]]'
  from (values (2, 'held', 'hold', '2100-01-01'::timestamptz, 0), (3, 'confirmed', 'book', null, 1),
               (4, 'expired', 'hold', '2026-01-01 10:00:01Z', 2), (6, 'cancelled', 'book', null, 2))
    as b (seq, state, op, expires, unit);
insert into usher.allocation (pool, booking, unit) values (1, 2, 0), (1, 3, 1);
insert into usher.decision (partition, seq, source_offset, resource_no, booking_no, decided_at, appended_at, epoch, codec,
    first, replayed, cloud_events, id_hash, content_hash, outcome, op, request_id, resource, key, body)
select 0, seq, case when seq <> 5 then 1000 + seq end, 1, booking, '2026-01-01 10:00:00Z'::timestamptz + seq * interval '1 s', null, 1, 1, seq <> 5,
       false, false, encode(substr(sha256(convert_to('old-' || coalesce(id, seq), 'UTF8')), 1, 16), 'hex')::uuid, md5('')::uuid,
       outcome, op, 'old-' || coalesce(id, seq), 'show', 'show', format('"outcome":"%s"%s,"decided_at":"2026-01-01T10:00:0%s.000Z","rev":%s,"free":2', outcome, more, seq, seq)
  from (select '[{"item":0,"section":"floor","quantity":1,"price":1000}]' as floor) as f,
       lateral (values
           (1, null, null, 'define', 'defined', ''),
           (2, null, 2, 'hold', 'held', ',"booking":"old-2","customer":"c2","total":1000,"expires_at":"2100-01-01T00:00:00.000Z","units":' || floor),
           (3, null, 3, 'book', 'confirmed', ',"booking":"old-3","customer":"c3","total":1000,"units":' || floor),
           (4, null, 4, 'hold', 'held', ',"booking":"old-4","customer":"c4","total":1000,"expires_at":"2026-01-01T10:00:01.000Z","units":' || floor),
           (5, 4, 4, 'hold', 'expired', ',"unasked":true,"cause":"expiry","booking":"old-4","customer":"c4","returned":' || floor),
           (6, null, 6, 'book', 'confirmed', ',"booking":"old-6","customer":"c6","total":1000,"units":' || floor),
           (7, null, 6, 'cancel', 'cancelled', ',"booking":"old-6","customer":"c6","returned":' || floor),
           (8, null, null, 'open', 'defined', '')) as d (seq, id, booking, op, outcome, more);
"""


def test_what_the_first_schema_has_goes_on_under_the_last(stack):
    realm = GrownRealm(stack, 'grown_up', [FIRST], BEFORE)
    try:
        realm.migrate()
        assert realm.sql('select opens_at, closes_at, strategy, terms, cancelling, unserved from usher.resource') == [
            (None, None, None, None, None, False)]
        assert realm.sql('select overbook, rates, properties from usher.pool') == [(0, None, None)]
        assert realm.sql('select distinct ttl_s, wants from usher.booking') == [(None, None)]
        assert realm.sql('select count(*) from usher.decision where booking_nos is not null') == [(0,)]
        assert realm.sql("select customer, seat, unit, price, rate from usher.purchase", role='reader') == [
            ('c3', None, None, 1000, None)]
        assert realm.sql("select op, amount from usher.audit order by seq", role='reader') == [
            ('book', 1000), ('book', 1000), ('cancel', -1000)]
        assert realm.sql("select outcome from usher.history where customer = 'c4' order by seq", role='reader') == [
            ('held',), ('expired',)]
        assert 'no differences' in realm.command('reconcile', USHER_REDIS='')
        worker = realm.worker()
        # What was decided before is published, and answered again.
        assert [realm.client.answers.await_one(lambda answer, seq=seq: answer['seq'] == seq)['outcome']
                for seq in range(1, 9)] == ['defined', 'held', 'confirmed', 'held', 'expired', 'confirmed', 'cancelled', 'defined']
        assert verdict(realm.ask('confirm', 'show', customer='c2', booking='old-2')) == ('confirmed', None)
        assert verdict(realm.ask('confirm', 'show', customer='c4', booking='old-4')) == ('confirmed', None)
        assert verdict(realm.ask('exchange', 'show', customer='c3', booking='old-3',
                                 items=[{'section': 'floor', 'quantity': 2}])) == ('exchanged', None)
        assert verdict(realm.ask('cancel', 'show', customer='c6', booking='old-6')) == ('refused', 'already_cancelled')
        assert realm.ask('define', 'show', sections=[{'section': 'floor', 'rates': {'adult': 1000}}])['outcome'] == 'defined'
        assert worker.stop() == 0
        assert '4 units (0 free, 0 held, 4 sold, 0 blocked): no differences' in realm.command('reconcile')
        assert realm.sql('select sum(amount) from usher.audit', role='reader') == [(4000,)]
    finally:
        realm.workers.clear()
        realm.close()


# ---- from numbered units to counted ones -----------------------------------------------------------------------------
CHART = '{"sections":[{"section":"stalls","rows":[{"row":"A","seats":4,"first":1}]}]}'
CHART_HASH = f'sha256:{hashlib.sha256(CHART.encode()).hexdigest()}'

# Seats and places of a show, two nights of a hotel. Of bookings one of each state; some have several lines of one pool.
NUMBERS = rf"""
insert into usher.partition_state (partition, partition_count, epoch, next_offset, next_seq, now)
    values (0, 1, 7, 0, 15, '2026-01-01 10:00:14Z');
insert into usher.chart values (0, '{CHART_HASH}', '{CHART}');
insert into usher.resource (no, partition, id, state, currency, rev, chart) values
    (1, 0, 'show', 'open', 'EUR', 14, '{CHART_HASH}'), (2, 0, 'hotel', 'open', 'GBP', 12, null);
insert into usher.pool (no, resource_no, index, kind, name, night, capacity, price, overbook, rates) values
    (1, 1, 0, 'seats', 'stalls', null, 4, 4500, 0, null),
    (2, 1, 1, 'section', 'floor', null, 12, 1000, 2, '[["adult",1000],["child",500]]'),
    (3, 1, 2, 'product', 'programme', null, 5, 500, 0, null),
    (4, 1, 3, 'section', 'gallery', null, 3, 700, 0, null),
    (5, 2, 0, 'room', 'double', '2030-01-01', 2, 9000, 0, null),
    (6, 2, 1, 'room', 'double', '2030-01-02', 2, 9000, 0, null);
insert into usher.booking (no, partition, resource_no, created_at, expires_at, total, state, op, request_id, customer, lines)
    values
    (3, 0, 1, '2026-01-01 10:00:03Z', '2100-01-01', 7000, 'held', 'hold', 'old-3', 'a',
     '[[0,0,4500,[0],1831153465],[1,1,1000,[0,1],0,"adult"],[2,2,500,[0]]]'),
    (4, 0, 1, '2026-01-01 10:00:04Z', null, 2000, 'confirmed', 'book', 'old-4', 'b',
     '[[0,1,1000,[3],0,"adult"],[1,1,500,[4],0,"child"],[2,2,500,[1]]]'),
    (5, 0, 1, '2026-01-01 10:00:05Z', null, 0, 'blocked', 'block', 'old-5', null, '[[0,0,0,[3],1806006001],[1,1,0,[11]]]'),
    (6, 0, 1, '2026-01-01 10:00:06Z', '2100-01-01', 1000, 'released', 'hold', 'old-6', 'c', '[[0,1,1000,[5],0,"adult"]]'),
    (8, 0, 2, '2026-01-01 10:00:08Z', null, 18000, 'confirmed', 'hold', 'old-8', 'd', '[[0,0,9000,[0]],[0,1,9000,[0]]]'),
    (10, 0, 1, '2026-01-01 10:00:10Z', '2026-01-01 10:00:11Z', 1000, 'expired', 'hold', 'old-10', 'e',
     '[[0,1,1000,[5],0,"adult"]]'),
    (12, 0, 2, '2026-01-01 10:00:12Z', '2100-01-01', 9000, 'held', 'hold', 'old-12', 'f', '[[0,0,9000,[1]]]'),
    (13, 0, 1, '2026-01-01 10:00:13Z', null, 2000, 'cancelled', 'book', 'old-13', 'g', '[[0,1,1000,[6,7],0,"adult"]]');
insert into usher.allocation (pool, booking, unit)
    select p.no, b.no, u.unit::integer
      from usher.booking as b, json_array_elements(b.lines::json) as l (line), json_array_elements_text(l.line -> 3) as u (unit),
           usher.pool as p
     where p.resource_no = b.resource_no and p.index = (l.line ->> 1)::integer
       and b.state in ('held', 'confirmed', 'blocked');
insert into usher.decision (partition, seq, source_offset, resource_no, booking_no, decided_at, epoch, codec, first, replayed,
    cloud_events, id_hash, content_hash, outcome, op, request_id, resource, key, body)
select 0, seq, case when op is not null then 1000 + seq end, no, booking, '2026-01-01 10:00:00Z'::timestamptz + seq * interval '1 s',
       7, 1, op is not null, false, false,
       encode(substr(sha256(convert_to('old-' || coalesce(id, seq), 'UTF8')), 1, 16), 'hex')::uuid, md5('')::uuid, outcome,
       coalesce(op, 'hold'), 'old-' || coalesce(id, seq), resource, convert_to(resource, 'UTF8'),
       format('"outcome":"%s"%s,"decided_at":"2026-01-01T10:00:%s.000Z","rev":%s,"free":1', outcome, more,
              lpad(seq::text, 2, '0'), seq)
  from (select 'show'::text as show, 'hotel'::text as hotel,
               '{{"item":0,"section":"stalls","seats":["A-1"],"price":4500}},'
               '{{"item":1,"section":"floor","quantity":2,"price":1000,"rate":"adult"}},'
               '{{"item":2,"product":"programme","quantity":1,"price":500}}' as a,
               '{{"item":0,"section":"floor","quantity":1,"price":1000,"rate":"adult"}}' as one,
               '{{"item":0,"section":"stalls","seats":["A-4"],"price":0}},{{"item":1,"section":"floor","quantity":1,"price":0}}' as house,
               '{{"item":0,"room":"double","night":"2030-01-01","tokens":[1],"price":9000}}' as night,
               '{{"item":0,"room":"double","night":"2030-01-01","tokens":[0],"price":9000}},'
               '{{"item":0,"room":"double","night":"2030-01-02","tokens":[0],"price":9000}}' as nights) as u,
       lateral (values
           (1, 1, show, null, null, 'define', 'defined', ''),
           (2, 2, hotel, null, null, 'define', 'defined', ''),
           (3, 1, show, null, 3, 'hold', 'held', ',"booking":"old-3","customer":"a","total":7000,"expires_at":"2100-01-01T00:00:00.000Z","units":[' || a || ']'),
           (4, 1, show, null, 4, 'book', 'confirmed', ',"booking":"old-4","customer":"b","total":2000,"units":[' || one || ']'),
           (5, 1, show, null, 5, 'block', 'blocked', ',"booking":"old-5","total":0,"units":[' || house || ']'),
           (6, 1, show, null, 6, 'hold', 'held', ',"booking":"old-6","customer":"c","total":1000,"expires_at":"2100-01-01T00:00:00.000Z","units":[' || one || ']'),
           (7, 1, show, null, 6, 'release', 'released', ',"booking":"old-6","customer":"c","returned":[' || one || ']'),
           (8, 2, hotel, null, 8, 'hold', 'held', ',"booking":"old-8","customer":"d","total":18000,"expires_at":"2100-01-01T00:00:00.000Z","units":[' || nights || ']'),
           (9, 2, hotel, null, 8, 'confirm', 'confirmed', ',"booking":"old-8","customer":"d","total":18000,"units":[' || nights || ']'),
           (10, 1, show, null, 10, 'hold', 'held', ',"booking":"old-10","customer":"e","total":1000,"expires_at":"2026-01-01T10:00:11.000Z","units":[' || one || ']'),
           (11, 1, show, 10, 10, null, 'expired', ',"unasked":true,"cause":"expiry","booking":"old-10","customer":"e","returned":[' || one || ']'),
           (12, 2, hotel, null, 12, 'hold', 'held', ',"booking":"old-12","customer":"f","total":9000,"expires_at":"2100-01-01T00:00:00.000Z","units":[' || night || ']'),
           (13, 1, show, null, 13, 'book', 'confirmed', ',"booking":"old-13","customer":"g","total":2000,"units":[' || one || ',' || one || ']'),
           (14, 1, show, null, 13, 'cancel', 'cancelled', ',"booking":"old-13","customer":"g","returned":[' || one || ',' || one || ']')
       ) as d (seq, no, resource, id, booking, op, outcome, more);
"""
COUNTERS = [('floor', 2, 2, 1), ('gallery', 0, 0, 0), ('programme', 1, 1, 0)]
ALLOCATED = [(1, 3, 0), (1, 5, 3), (5, 8, 0), (5, 12, 1), (6, 8, 0)]
PURCHASE = ("select customer, resource, booking, kind, pool, night, seat, case when kind in ('seats', 'room') then unit end, "
            'price, rate, currency, created_at from usher.purchase order by 1, 2, 3, 5, 6, 8, 9')
AVAILABILITY = ('select resource, name, state, kind, pool, night, free, held, sold, blocked, total, overbook, price, rates, currency '
                'from usher.availability order by resource, pool, night')


def counters(database):
    return database.sql("select name, held, sold, blocked from usher.pool where kind in ('section', 'product') order by name")


def allocated(database):
    return database.sql('select pool, booking, unit from usher.allocation order by 1, 3')


@pytest.fixture(name='numbered')
def database_with_numbered_units(stack, request):
    apply(database := database_of(stack, request), *NUMBERED)
    database.sql(NUMBERS)
    return database


def views_of(realm):
    # As text: nobody compares JSON.
    return [[tuple(map(str, row)) for row in realm.sql(query, role='reader')] for query in (PURCHASE, AVAILABILITY)]


def test_numbered_units_are_counted(stack):
    realm = GrownRealm(stack, 'counted', NUMBERED, NUMBERS)
    try:
        before = views_of(realm)
        assert len(before[0]) == 5 and len(before[1]) == 6
        realm.migrate()
        assert views_of(realm) == before
        assert counters(realm) == COUNTERS
        assert realm.sql("select held, sold, blocked from usher.pool where kind in ('seats', 'room')") == [(0, 0, 0)] * 3
        assert allocated(realm) == ALLOCATED
        assert 'no differences' in realm.command('reconcile', USHER_REDIS='')
        worker = realm.worker()
        assert [realm.client.answers.await_one(lambda answer, seq=seq: answer['seq'] == seq)['seq']
                for seq in range(1, 15)] == list(range(1, 15))
        assert verdict(realm.ask('confirm', 'show', customer='a', booking='old-3')) == ('confirmed', None)
        assert verdict(realm.ask('confirm', 'show', customer='e', booking='old-10')) == ('confirmed', None)
        assert verdict(realm.ask('confirm', 'hotel', customer='f', booking='old-12')) == ('confirmed', None)
        exchanged = realm.ask('exchange', 'show', customer='a', booking='old-3',
                              items=[*seats('A-1'), *places('floor', 1, rate='adult')])
        assert verdict(exchanged) == ('exchanged', None)
        assert [(group.get('section', group.get('product')), group['quantity']) for group in exchanged['returned']] == [
            ('floor', 1), ('programme', 1)]
        cancelled = realm.ask('cancel', 'show', customer='b', booking='old-4')
        assert verdict(cancelled) == ('cancelled', None)
        assert [(group['quantity'], group['price']) for group in cancelled['returned']] == [(1, 1000), (1, 500), (1, 500)]
        assert verdict(realm.ask('unblock', 'show', booking='old-5')) == ('released', None)
        assert verdict(realm.ask('cancel', 'hotel', customer='d', booking='old-8')) == ('cancelled', None)
        assert verdict(realm.ask('book', 'show', customer='h', items=places('floor', 11))) == ('refused', 'not_enough')
        assert verdict(realm.ask('book', 'show', customer='h', items=places('floor', 10))) == ('confirmed', None)
        assert worker.stop() == 0
        assert counters(realm) == [('floor', 0, 12, 0), ('gallery', 0, 0, 0), ('programme', 0, 0, 0)]
        assert '28 units (14 free, 0 held, 14 sold, 0 blocked): no differences' in realm.command('reconcile')
    finally:
        realm.close()


def test_a_worker_that_was_not_stopped_is_fenced(numbered):
    advance = 'select usher.advance(0, %s, 0, 15, 1, 16, now(), null, 0, 0, null)'
    numbered.migrate('up')
    with pytest.raises(psycopg2.Error) as caught:
        numbered.sql(advance, 7)
    assert caught.value.pgcode == 'US001'
    numbered.sql(advance, 8)


def test_more_taken_than_there_are_is_refused_and_named(numbered):
    numbered.sql("update usher.pool set capacity = 4 where name = 'floor'")
    refused(numbered.migrate('up'), 78, '5 units of pool "floor" of resource "show" are taken, but its capacity is 4')
    assert len(allocated(numbered)) == len(ALLOCATED) + 7


def await_blocked(database, relation):
    """Returns the backend that waits for a lock of the relation."""
    return eventually(lambda: database.sql('select pid from pg_locks where not granted and relation = %s::regclass '
                                           'and database = (select oid from pg_database where datname = current_database())',
                                           relation), f'somebody waits for {relation}')[0][0]


@pytest.mark.parametrize('end', ['cancel', 'terminate'])
def test_interrupted_in_the_middle_it_can_be_run_again(stack, end):
    database = Database(stack, f'interrupted_by_{end}')
    apply(database, *NUMBERED)
    database.sql(NUMBERS)
    before = allocated(database), database.sql('select * from usher.partition_state'), database.sql('select * from usher.pool')
    blocker = psycopg2.connect(stack.uri('admin', database.name))
    blocker.cursor().execute('lock table usher.allocation in share mode') # all is counted, but nothing deleted
    with database.start('migrate', 'up') as migrator:
        database.sql(f'select pg_{end}_backend(%s)', await_blocked(database, 'usher.allocation'))
        _out, err = migrator.communicate(timeout=PATIENCE_S)
    assert migrator.returncode != 0 and 'usher-worker: could not ' in err
    blocker.rollback()
    blocker.close()
    assert before == (allocated(database), database.sql('select * from usher.partition_state'),
                      database.sql('select * from usher.pool'))
    assert [line.split()[1].strip(',') for line in database.migrate('list')[1].splitlines()] == [
        *['applied'] * len(NUMBERED), *['pending'] * len(REST)]
    assert database.migrate('up')[:2] == (0, APPLIED)
    assert (counters(database), allocated(database)) == (COUNTERS, ALLOCATED)


def test_whoever_reads_a_view_is_waited_for(numbered):
    """Before their tables are locked: else the two would wait for each other."""
    reader = psycopg2.connect(numbered.stack.uri('reader', numbered.name))
    with reader.cursor() as cursor:
        cursor.execute('select from usher.availability')
        with numbered.start('migrate', 'up') as migrator:
            await_blocked(numbered, 'usher.availability')
            cursor.execute('select from usher.availability')
            reader.commit()
            assert migrator.communicate(timeout=PATIENCE_S) == (APPLIED, '')
    reader.close()


# ---- from what a worker wrote ----------------------------------------------------------------------------------------
SIXTH = FILES[:6]  # the data are of the last worker of that schema: ../data/README.md


@pytest.fixture(name='sixth')
def realm_of_the_sixth_schema(stack):
    realm = GrownRealm(stack, 'grown_from_six', SIXTH, (TREE / 'tests/data/schema_006.sql').read_text())
    yield realm
    realm.close()


def test_what_a_worker_wrote_goes_on_under_the_last_schema(sixth):
    sold = sixth.sql(PURCHASE, role='reader')
    decided = sixth.sql('select next_seq - 1 from usher.partition_state')[0][0]
    sixth.migrate()
    assert sixth.sql(PURCHASE, role='reader') == sold and len(sold) > 50
    assert 'no differences' in sixth.command('reconcile', USHER_REDIS='')
    worker = sixth.worker()
    # Its topics are new, so all that was decided is published; the harness holds each answer against the schema.
    sixth.client.answers.await_one(lambda answer: answer['seq'] == decided)
    again = sixth.ask_all({'request_id': 'sold', 'op': 'book', 'resource': 'hall', 'customer': 'ann',
                           'items': [*seats('A-1', 'A-2'), *places('standing', 2), *pieces('programme', 1)]})[0]
    first = next(answer for answer in sixth.client.answers.everything() if answer['request_id'] == 'sold')
    assert again['replayed'] and (again['units'], again['decided_at']) == (first['units'], first['decided_at'])
    # What was held is over by now; whoever waited is served by what comes back.
    assert verdict(sixth.ask('confirm', 'hall', customer='bob', booking='kept')) == ('confirmed', None)
    assert verdict(sixth.ask('confirm', 'hotel', customer='cleo', cart='trip')) == ('confirmed', None)
    assert verdict(sixth.ask('cancel', 'hall', customer='dan', booking='programmes')) == ('refused', 'not_owner')
    assert verdict(sixth.ask('cancel', 'hall', customer='fay', booking='programmes')) == ('cancelled', None)
    assert sixth.client.answers.await_one(lambda answer: answer.get('cause') == 'waiting_list')['booking'] == 'queue'
    assert verdict(sixth.ask('confirm', 'hall', customer='eve', booking='queue')) == ('confirmed', None)
    assert verdict(sixth.ask('unblock', 'hall', booking='camera')) == ('released', None)
    assert verdict(sixth.ask('define', 'hall', limits={'units_per_customer': 2})) == ('defined', None)
    assert verdict(sixth.ask('book', 'hall', customer='ann', items=seats('A-3'))) == ('refused', 'limit_exceeded')
    assert sixth.ask('close', 'fair:first:0', cancel_bookings=True)['outcome'] == 'defined'
    assert worker.stop() == 0
    assert 'no differences' in sixth.command('reconcile')
