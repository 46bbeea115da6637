"""Migrations: forward only, each file once and unchanged, all of it or nothing, one migrator at a time."""

import hashlib
import json
import re
import subprocess

import psycopg2
import pytest

from harness.stack import TREE, clean_environment, program
from harness.waiting import PATIENCE_S

FILES = ('001_first_light.sql', '002_whole_domain.sql', '003_lean_batches.sql', '004_counted_pools.sql', '005_clock_reset.sql',
         '006_bounded_loads.sql', '007_views.sql', '008_sellable.sql', '009_published_alone.sql', '010_standing.sql',
         '011_operated.sql', '012_pruned.sql', '013_sold_at.sql', '014_rolling.sql', '015_new_topics.sql',
         '016_pools_in_order.sql', '017_topics_in_use.sql', '018_kept_until_published.sql',
         '019_readers_shut_out.sql')
FIRST = FILES[0]
FOLDER = TREE / 'schema/postgres'
# Of files that were applied somewhere: they never change again.
SHA256 = {
    '001_first_light.sql': 'd939a4568fa7c671e919c684f475ac3c7f07f3ee2cf62dd490e969734f48e85e',
    '002_whole_domain.sql': '5e3e8768132ca0fce71d38adce87b31ab3c33d86f443c98723e85c545c2c06a7',
    '003_lean_batches.sql': '7edb1ba0eaab008784e20d54acf0ad18b4411673d4a93a548556d6c97becdd01',
    '004_counted_pools.sql': '187a0ca6f27f7860ce08588e917bc80e29836a428905b0164852e5ab5cb7f26f',
    '005_clock_reset.sql': 'be58a5eea9dc19a604178d9ed951bef1923c103f951dea9b6342a35cafcc7dc1',
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

    def start(self, *arguments, role='owner', uri=None):
        return subprocess.Popen([program('usher-worker'), *arguments], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE,
                                env=clean_environment(USHER_POSTGRES=uri or self.stack.uri(role, self.name)))

    def migrate(self, *arguments, **login):
        with self.start('migrate', *arguments, **login) as process:
            out, err = process.communicate(timeout=PATIENCE_S)
        return process.returncode, out, err

    def tables(self):
        return self.sql("select count(*) from pg_tables where schemaname = 'usher'")[0][0]


def apply(database, *files):
    for version, file in enumerate(files, 1):
        text = (FOLDER / file).read_text()
        database.sql(text)
        database.sql("reset role; insert into usher.schema_migration (version, name, sha256) values (%s, %s, %s)",
                     version, file, hashlib.sha256(text.encode()).hexdigest())


def database_of(stack, request):
    """An empty one, called as the test is."""
    return Database(stack, re.sub(r'\W+', '_', request.node.name.removeprefix('test_').lower())[:60])


@pytest.fixture(name='database')
def database_of_its_own(stack, request):
    return database_of(stack, request)


def refused(result, code, text):
    assert result[0] == code, result
    assert text in result[2]
    assert result[2].count('\n') == 1, 'one line that says what to do'


def test_each_file_is_applied_once_in_order(database):
    assert database.migrate('list')[1] == ''.join(f'{file} pending\n' for file in FILES)
    assert database.migrate('up')[:2] == (0, ''.join(f'applied {file}\n' for file in FILES))
    assert database.migrate('up')[:2] == (0, f'nothing to apply: the schema is at {FILES[-1]}\n')
    assert [line.split(' 2')[0] for line in database.migrate('list')[1].splitlines()] == [f'{file} applied' for file in FILES]
    assert database.sql('select version, name, applied_by from usher.schema_migration order by 1') == [
        (version, file, 'usher_owner') for version, file in enumerate(FILES, 1)]


def test_what_is_pending_says_what_becomes_of_the_workers(database):
    """What the file says to the database when it is applied, known before."""
    apply(database, *FILES[:14])
    pending = database.migrate('list')[1].splitlines()[14:]
    listed = [json.loads(line) for line in database.migrate('list', '--json')[1].splitlines()]
    done = database.migrate('up')
    assert done[0] == 0 and done[1].splitlines() == [*pending, *(f'applied {file}' for file in FILES[14:])]
    goes_on = dict(database.sql('select version, program from usher.schema_compatible'))
    for version, (file, said, row) in enumerate(zip(FILES[14:], pending, listed[14:]), 15):
        rolling = goes_on.get(version, version) <= 14
        assert said == f'{file} pending, ' + (f'rolling: workers of schema version {goes_on[version]} and later go on' if rolling else 'stop the workers first')
        assert row == {'migration': file, 'state': 'pending', 'at': None, 'by': None, **({'workers': 'rolling', 'from_version': goes_on[version]} if rolling else {'workers': 'stop'})}
    assert listed[14]['workers'] == 'rolling' and 'workers' not in listed[13]


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


@pytest.fixture(name='newcomer')
def login_with_no_rights(database):
    uri = database.stack.uri('worker', database.name)
    database.sql('create role newcomer login password %s', uri.split(':')[2].split('@')[0])
    yield uri.replace('usher_worker:', 'newcomer:')
    database.sql('drop owned by newcomer; drop role newcomer')


def test_who_may_not_migrate_is_told_so(database, newcomer):
    result = database.migrate('up', uri=newcomer)
    refused(result, 77, f'could not apply "{FIRST}"')
    assert 'grant usher_owner to newcomer' in result[2], 'whose rights are missing'
    assert database.tables() == 0


@pytest.mark.parametrize('role', ['worker', 'reader'])
def test_who_works_or_reads_does_not_migrate(database, role):
    result = database.migrate('up', role=role)
    refused(result, 77, f'could not migrate as "usher_{role}"')
    assert 'grant' not in result[2]
    assert database.tables() == 0


@pytest.mark.parametrize('role, told', [('usher_worker', 'usher_worker'), ('usher_reader', 'usher_reader'),
                                        ('usher_worker, usher_owner', None)],
                         ids=['works', 'reads', 'owns'])
def test_who_has_the_rights_of_workers_does_not_migrate(database, newcomer, role, told):
    database.sql(f'grant {role} to newcomer')
    if told:
        refused(database.migrate('up', uri=newcomer), 77, f'could not migrate as "newcomer", which has the rights of {told}')
        assert database.tables() == 0
    else:
        database.sql(f'grant create on database {database.name} to newcomer')
        assert database.migrate('up', uri=newcomer)[0] == 0


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
    lines = [line for out, _err in outs for line in out.splitlines() if line.startswith('applied')]
    assert sorted(lines) == [f'applied {file}' for file in FILES]


def test_a_worker_of_another_schema_is_told_so(database):
    apply(database, FIRST)
    with database.start('reconcile', role='worker') as process:
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 78 and f'it is version 1, this program\'s is {len(FILES)}' in out + err
    assert 'usher-worker migrate up' in out + err


def test_a_worker_goes_on_under_a_newer_schema_that_says_so(make_realm):
    """Until one comes that does not: then it ends when it connects anew, and none starts."""
    realm = make_realm()
    worker = realm.worker()

    def later(version, program=None):
        realm.sql("insert into usher.schema_migration (version, name, sha256) values (%s, 'later.sql', '')", version)
        if program:
            realm.sql('insert into usher.schema_compatible values (%s, %s)', version, program)

    def disconnect():
        realm.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'usher_worker' and datname = %s",
                  realm.name)

    later(len(FILES) + 1, program=1)
    later(len(FILES) + 2, program=len(FILES))
    disconnect()
    assert realm.ask('define', 'show', state='open', sections=[{'section': 'floor', 'capacity': 1}])['outcome'] == 'defined'
    done = realm.run('check')
    assert done.returncode == 0 and f'schema version {len(FILES) + 2}, with which this older program' in done.stdout, done.stdout
    realm.command('reconcile')
    later(len(FILES) + 3)
    for command in 'run', 'reconcile':
        done = realm.run(command)
        said = [line for line in done.stderr.splitlines() if line.startswith('usher-worker: ')]
        assert done.returncode == 78 and len(said) == 1, done.stderr
        assert f'it is version {len(FILES) + 3}, this program\'s is {len(FILES)}; run a newer program' in said[0]
    assert realm.ask('probe', 'show')['outcome'] == 'alive'
    disconnect()
    assert worker.ended() == 78
    realm.workers.clear()
