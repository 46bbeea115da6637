"""Migrations: forward only, each file once and unchanged, all of it or nothing, one migrator at a time."""

import hashlib
import subprocess

import psycopg2
import pytest

from harness.realm import Realm
from harness.shows import verdict
from harness.stack import TREE, clean_environment, program
from harness.waiting import PATIENCE_S

FIRST, *LATER = FILES = ('001_first_light.sql', '002_whole_domain.sql', '003_lean_batches.sql')
FOLDER = TREE / 'schema/postgres'
# Of files that were applied somewhere: they never change again.
SHA256 = {
    '001_first_light.sql': 'd939a4568fa7c671e919c684f475ac3c7f07f3ee2cf62dd490e969734f48e85e',
    '002_whole_domain.sql': '5e3e8768132ca0fce71d38adce87b31ab3c33d86f443c98723e85c545c2c06a7',
    '003_lean_batches.sql': '7edb1ba0eaab008784e20d54acf0ad18b4411673d4a93a548556d6c97becdd01',
}


class Database:
    def __init__(self, stack, name):
        self.stack, self.name = stack, name
        self.sql(f'create database {name} owner usher_owner', database='postgres')

    def sql(self, statement, *values, database=None):
        connection = psycopg2.connect(self.stack.uri('admin', database or self.name))
        connection.autocommit = True
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, values or None)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    def start(self, *arguments, role='owner'):
        return subprocess.Popen([program('usher-worker'), *arguments], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE,
                                env=clean_environment(USHER_POSTGRES=self.stack.uri(role, self.name)))

    def migrate(self, *arguments, role='owner'):
        with self.start('migrate', *arguments, role=role) as process:
            out, err = process.communicate(timeout=PATIENCE_S)
        return process.returncode, out, err

    def tables(self):
        return self.sql("select count(*) from pg_tables where schemaname = 'usher'")[0][0]


@pytest.fixture(name='database')
def database_of_its_own(stack, request):
    return Database(stack, request.node.name.removeprefix('test_').lower()[:60])


def refused(result, code, text):
    assert result[0] == code, result
    assert text in result[2]
    assert result[2].count('\n') == 1, 'one line that says what to do'


def test_each_file_is_applied_once_in_order(database):
    assert database.migrate('list')[1] == ''.join(f'{file} pending\n' for file in FILES)
    assert database.migrate('up')[:2] == (0, ''.join(f'applied {file}\n' for file in FILES))
    assert database.migrate('up')[:2] == (0, '')
    assert [line.split(' 2')[0] for line in database.migrate('list')[1].splitlines()] == [f'{file} applied' for file in FILES]
    assert database.sql('select version, name, applied_by from usher.schema_migration order by 1') == [
        (version, file, 'usher_owner') for version, file in enumerate(FILES, 1)]


def test_print_is_the_files(database):
    assert [file.name for file in sorted(FOLDER.glob('*.sql'))] == list(FILES)
    assert database.migrate('print')[1] == ''.join((FOLDER / file).read_text() for file in FILES)


@pytest.mark.parametrize('file', SHA256)
def test_a_file_that_is_out_never_changes(file):
    assert hashlib.sha256((FOLDER / file).read_bytes()).hexdigest() == SHA256[file]


def test_a_newer_database_is_refused(database):
    database.migrate('up')
    database.sql("insert into usher.schema_migration (version, name, sha256) values (999, '999_later.sql', '')")
    for command in ('up', 'list'):
        refused(database.migrate(command), 78, 'it is version 999')


def test_a_file_that_changed_is_refused(database):
    database.migrate('up')
    database.sql("update usher.schema_migration set sha256 = 'another'")
    refused(database.migrate('up'), 78, f'"{FIRST}" was applied with different content')
    assert 'applied with different content' in database.migrate('list')[1]


def test_a_file_that_fails_leaves_nothing(database):
    database.sql('create schema usher authorization usher_owner; create table usher.chart (x integer)')
    refused(database.migrate('up'), 78, f'could not apply "{FIRST}": schema "usher" already exists')
    assert database.tables() == 1


def test_who_may_not_migrate_is_told_so(database):
    refused(database.migrate('up', role='reader'), 77, f'could not apply "{FIRST}"')
    assert database.tables() == 0


def test_two_migrators_take_turns(database):
    lock = psycopg2.connect(database.stack.uri('admin', database.name))
    with lock.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(hashtext('usher.migrate'))")
        migrators = [database.start('migrate', 'up') for _ in range(2)]
        with pytest.raises(subprocess.TimeoutExpired):
            migrators[0].wait(1)
        assert database.tables() == 0
    lock.rollback()
    lock.close()
    outs = [migrator.communicate(timeout=PATIENCE_S) for migrator in migrators]
    assert [migrator.returncode for migrator in migrators] == [0, 0], outs
    assert sorted(line for out, _err in outs for line in out.splitlines()) == [f'applied {file}' for file in FILES]


def test_a_worker_of_another_schema_is_told_so(database):
    apply_first(database)
    with database.start('reconcile', role='worker') as process:
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 78 and 'it is version 1, this program\'s is 3' in out + err
    assert 'usher-worker migrate up' in out + err


# ---- from one file to the next, with what was written before -----------------------------------------------------------
def apply_first(database):
    database.sql((FOLDER / FIRST).read_text())
    database.sql("reset role; insert into usher.schema_migration (version, name, sha256) values (1, %s, %s)",
                 FIRST, SHA256[FIRST])


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


class GrownRealm(Realm):
    """Its database was made by the first file and used, before the others were applied."""

    def _make(self):
        database = Database(self.stack, self.name)
        apply_first(database)
        database.sql(BEFORE)
        assert self.command('migrate', 'up', USHER_POSTGRES=self.uri('owner')) == ''.join(f'applied {file}\n' for file in LATER)
        self.command('topics', 'create', '--partitions', '1', '--replication', '1')


def test_what_the_first_schema_has_goes_on_under_the_last(stack):
    realm = GrownRealm(stack, 'grown_up')
    try:
        assert realm.sql('select opens_at, closes_at, strategy, terms, cancelling, unserved from usher.resource') == [
            (None, None, None, None, None, False)]
        assert realm.sql('select overbook, rates, properties from usher.pool') == [(0, None, None)]
        assert realm.sql('select distinct ttl_s, wants from usher.booking') == [(None, None)]
        assert realm.sql('select count(*) from usher.decision where booking_nos is not null') == [(0,)]
        assert realm.sql("select customer, seat, unit, price, rate from usher.purchase", role='reader') == [
            ('c3', None, 1, 1000, None)]
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
