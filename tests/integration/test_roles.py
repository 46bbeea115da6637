"""What each database role may do: the reader sees the views and nothing else, the worker changes rows and nothing
else."""

import psycopg2
import pytest

pytestmark = pytest.mark.smoke

TABLES = ('partition_state', 'chart', 'resource', 'pool', 'booking', 'allocation', 'decision', 'dead_letter')
VIEWS = ('purchase', 'availability', 'history')


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
    'update usher.booking set no = 1', 'delete from usher.schema_migration'])
def test_the_worker_writes_only_what_the_protocol_needs(worker, statement):
    denied(worker, statement)
