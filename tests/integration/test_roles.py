"""What each database role may do: the reader sees the views and nothing else, the worker changes rows and nothing
else."""

import psycopg2
import pytest

pytestmark = pytest.mark.smoke

VIEWS = ('purchase', 'availability', 'waiting', 'history', 'audit', 'bookings', 'open_holds', 'blocks', 'door_list', 'sales',
         'catalogue', 'hall', 'taken_seats', 'refusals', 'dead_letters', 'partitions',
         'partition_events', 'cart', 'cart_booking', 'home', 'pace')
# Which program, and which database, this is.
TABLES = ('schema_migration', 'schema_compatible', 'shard')
FUNCTIONS = ("booking_number('x', 'y')", "partition_span('2026-12-24', '2026-12-25')",
             "audit_between('2026-12-24', '2026-12-25')", "carts_between('2026-12-24', '2026-12-25')",
             "booking_numbers('x')", "midnight('Asia/Kolkata')", "decisions_on('x')", "decisions_between('2026-12-24', '2026-12-25', null, 1)")


@pytest.fixture(scope='module', name='reader')
def reader_session(shared_realm):
    with shared_realm.session('reader') as cursor:
        cursor.execute('set default_transaction_read_only = off') # what it may do is asked, not what it would
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


def called_by(realm, role):
    return {name for (name,) in realm.sql("select proname from pg_proc where pronamespace = 'usher'::regnamespace "
                                          f"and has_function_privilege('{role}', oid, 'execute')")}


def names(functions):
    return {function.partition('(')[0] for function in functions}


def test_the_reader_may_do_nothing_else(shared_realm):
    read, written = (
        {name for (name,) in shared_realm.sql("select relname from pg_class where relnamespace = 'usher'::regnamespace "
                                              f"and relkind in ('r', 'v', 'S') and ({may})")}
        for may in ("has_any_column_privilege('usher_reader', oid, 'select')",
                    "has_any_column_privilege('usher_reader', oid, 'insert, update, references') or "
                    "has_table_privilege('usher_reader', oid, 'delete, truncate, trigger')"))
    assert (read, written) == ({*VIEWS, *TABLES}, set())
    assert called_by(shared_realm, 'usher_reader') == names(FUNCTIONS)


@pytest.mark.parametrize('statement', [
    'create temporary table mine (x integer)', 'select lo_create(0)', 'select lo_creat(-1)', "select lo_from_bytea(0, 'x')",
    'select from usher.schema_migration for update'])
def test_the_reader_leaves_nothing_on_the_server_and_locks_nothing(reader, statement):
    denied(reader, statement)


def test_a_first_acquisition_waits_for_nobody_who_reads(make_realm):
    realm = make_realm()
    with realm.session('reader') as cursor:
        for name in 'usher.partition_count', 'usher.migrate':
            cursor.execute('select pg_advisory_lock(hashtext(%s))', (name,))
        cursor.execute('set idle_in_transaction_session_timeout = 0; begin')
        cursor.execute('select from usher.schema_migration')
        for view in VIEWS:
            cursor.execute(f'select from usher.{view} limit 1')
        assert realm.worker().owns()


@pytest.mark.usefixtures('shared_realm')  # test_commands.py changes the role of readers, which is of the server
def test_what_a_reader_could_fill_the_disk_with_is_told(make_realm):
    realm = make_realm()
    realm.sql('grant temporary on database %s to public' % realm.name)
    realm.sql('grant execute on function lo_create(oid) to public')
    [said] = [line for line in realm.command('check').splitlines() if line.startswith('warning')]
    assert 'usher_reader may make temporary tables and large objects, which may fill the disk' in said
    realm.sql(said.partition('in this database: ')[2])
    assert 'warning' not in realm.command('check')


def test_a_report_is_limited(shared_realm):
    """It must not hold back vacuum, change anything by mistake, nor use up the connections of the workers."""
    with shared_realm.session('reader') as cursor:
        cursor.execute("select current_setting('statement_timeout'), current_setting('default_transaction_read_only'), "
                       "current_setting('idle_in_transaction_session_timeout'), current_setting('jit'), rolconnlimit from pg_roles "
                       "where rolname = 'usher_reader'")
        assert cursor.fetchall() == [('1min', 'on', '1min', 'off', 20)]


def test_everything_says_what_it_is(shared_realm):
    assert shared_realm.sql('''
        select c.relname, a.attname from pg_class as c
          left join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         where c.relnamespace = 'usher'::regnamespace and c.relkind in ('r', 'v')
           and (col_description(c.oid, a.attnum) is null or obj_description(c.oid, 'pg_class') is null)
        union all
        select p.proname, 'function' from pg_proc as p
         where p.pronamespace = 'usher'::regnamespace and obj_description(p.oid, 'pg_proc') is null''') == []


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
    'delete from usher.partition_topic', 'delete from usher.pruned', 'delete from usher.partition_skip',
    'delete from usher.clock_reset', 'delete from usher.partition_halt',
    "update usher.partition_halt set reason = ''", 'delete from usher.seat_row',
    "insert into usher.seat_row values (0, 'x', 'x', 0, 1, 'A', 1)"])
def test_the_worker_writes_only_what_the_protocol_needs(worker, statement):
    denied(worker, statement)


def test_the_worker_calls_only_what_the_protocol_needs(shared_realm):
    assert called_by(shared_realm, 'usher_worker') == names(FUNCTIONS) | {'advance', 'acquire', 'expect', 'line_units', 'line_quantity'}
