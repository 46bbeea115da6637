"""What each database role may do: the reader sees the views and nothing else, the worker changes rows and nothing
else."""

import psycopg2
import pytest

pytestmark = pytest.mark.smoke

TABLES = ('partition_state', 'chart', 'resource', 'pool', 'booking', 'allocation', 'decision', 'dead_letter',
          'former_owner', 'cart_decision', 'clock_reset')
VIEWS = ('purchase', 'availability', 'waiting', 'history', 'audit')
FUNCTIONS = ("booking_number('x', 'y')", "partition_span('2026-12-24', '2026-12-25')",
             "audit_between('2026-12-24', '2026-12-25')", "seat_name('{}', 'stalls', 0)")


@pytest.fixture(scope='module', name='reader')
def reader_session(shared_realm):
    with shared_realm.session('reader') as cursor:
        yield cursor


@pytest.fixture(scope='module', name='worker')
def worker_session(shared_realm):
    with shared_realm.session('worker') as cursor:
        yield cursor


def denied(cursor, statement):
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        cursor.execute(statement)


@pytest.mark.parametrize('view', VIEWS)
def test_the_reader_sees_the_views(reader, view):
    reader.execute(f'select * from usher.{view} limit 1')


@pytest.mark.parametrize('function', FUNCTIONS)
def test_the_reader_may_ask_what_helps_to_read(reader, function):
    reader.execute(f'select * from usher.{function}')


@pytest.mark.parametrize('function', [
    'advance(0, 1, 0, 1, 1, 2, now(), 0, 0, 0, 0)', "acquire(0, 1, 0, 'me', 1, now())", 'seq_at(0, now())', 'reset_clock(0)'])
def test_the_reader_may_call_nothing_else(reader, function):
    denied(reader, f'select usher.{function}')


@pytest.mark.parametrize('table', TABLES)
def test_the_reader_sees_no_table(reader, table):
    denied(reader, f'select * from usher.{table} limit 1')
    denied(reader, f'delete from usher.{table}')


@pytest.mark.parametrize('statement', [
    'create table usher.mine (x integer)', 'drop table usher.decision', 'truncate usher.allocation',
    'alter table usher.booking drop constraint booking_pkey', 'create schema mine',
    'create index on usher.booking (cart)', 'create role mine'])
def test_the_worker_cannot_change_the_schema(worker, statement):
    denied(worker, statement)


@pytest.mark.parametrize('statement', [
    'update usher.partition_state set epoch = epoch + 1', 'insert into usher.partition_state values (99, 100)',
    'delete from usher.decision', "update usher.decision set body = ''", 'delete from usher.booking',
    'delete from usher.resource', 'delete from usher.dead_letter', 'update usher.allocation set booking = 1',
    'update usher.booking set no = 1', 'update usher.booking set op = op', 'update usher.pool set name = name',
    'update usher.resource set id = id', 'update usher.former_owner set customer = customer',
    'delete from usher.former_owner', 'delete from usher.cart_decision', 'delete from usher.schema_migration',
    'select usher.reset_clock(0)', 'delete from usher.clock_reset'])
def test_the_worker_writes_only_what_the_protocol_needs(worker, statement):
    denied(worker, statement)
