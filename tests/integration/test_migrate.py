"""Migrations: forward only, each file once and unchanged, all of it or nothing, one migrator at a time."""

import hashlib
import json
import re
import subprocess

import psycopg2
import pytest

from harness.realm import STEADY
from harness.stack import TREE, clean_environment, program
from harness.waiting import PATIENCE_S, eventually

SETTINGS = STEADY
FILES = ('001_roles.sql', '002_tables.sql', '003_guard.sql', '004_moves.sql', '005_views.sql', '006_search.sql',
         '007_operations.sql', '008_comments.sql')
FIRST = FILES[0]
VERSION = int(FILES[-1][:3])
LATER = 'tests/later/usher-worker' # of a version with two files more
FOLDER = TREE / 'schema/postgres'
# Of files that are out: they never change again.
SHA256 = {
    '001_roles.sql': 'b92e2f42f9bfd0df7654548e4ee636e6aa8afb406562b53675f163dc404a337a',
    '002_tables.sql': 'b29efb8cca31e38cb638056c8b847434d30237f21335c80d164f5b4da8e57a9a',
    '003_guard.sql': 'e0da0d243957e35923941abbb2c05fbddb0a89b04bd5335775e97c8da06fa23e',
    '004_moves.sql': 'd65c19c5fa7474e59cc4743262e076e7cb38bd4a37f3ccd542d684897693b45f',
    '005_views.sql': 'e1ffd2910a2d66344b7b05f9618dc8564d0ab757cd918688d68d150851b0e7eb',
    '006_search.sql': 'cc376fc286cef1593e7ee591bb7588bcc035cb0af10c47f64671aeed5f54a58e',
    '007_operations.sql': '1dcb48293005e9d45f2a413c52b3d81c77793d62ab6f3551aef06242ef6d0e48',
    '008_comments.sql': 'd6f69216dc9678ff39bdad03ea97e76158c0979d10a62b51ab8ca0543ce6fe9a',
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
                return cursor.fetchall() if cursor.description is not None else []
        finally:
            connection.close()

    def start(self, *arguments, role='owner', uri=None, name='usher-worker'):
        return subprocess.Popen([program(name), *arguments], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE,
                                env=clean_environment(USHER_POSTGRES=uri or self.stack.uri(role, self.name)))

    def migrate(self, *arguments, **how):
        with self.start('migrate', *arguments, **how) as process:
            out, err = process.communicate(timeout=PATIENCE_S)
        return process.returncode, out, err

    def tables(self):
        return self.sql("select count(*) from pg_tables where schemaname = 'usher'")[0][0]


def apply(database, *files):
    for file in files:
        text = (FOLDER / file).read_text()
        database.sql(text)
        database.sql("reset role; insert into usher.schema_migration (version, name, sha256) values (%s, %s, %s)",
                     int(file[:3]), file, hashlib.sha256(text.encode()).hexdigest())


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
        (int(file[:3]), file, 'usher_owner') for file in FILES]


def test_what_is_pending_says_what_becomes_of_the_workers(database):
    """What the file says to the database when it is applied, known before."""
    database.migrate('up')
    pending = [f'900_rolling.sql pending, rolling: workers of schema version {VERSION} and later go on',
               '901_stop.sql pending, stop the workers first']
    assert database.migrate('list', name=LATER)[1].splitlines()[len(FILES):] == pending
    listed = [json.loads(line) for line in database.migrate('list', '--json', name=LATER)[1].splitlines()]
    assert all('workers' not in row for row in listed[:-2])
    assert listed[-2:] == [
        {'migration': '900_rolling.sql', 'state': 'pending', 'at': None, 'by': None, 'workers': 'rolling', 'from_version': VERSION},
        {'migration': '901_stop.sql', 'state': 'pending', 'at': None, 'by': None, 'workers': 'stop'}]
    assert database.migrate('up', name=LATER)[:2] == (
        0, '\n'.join([*pending, 'applied 900_rolling.sql', 'applied 901_stop.sql', '']))
    assert database.sql('select version, program from usher.schema_compatible') == [(900, VERSION)]
    refused(database.migrate('up'), 78, f"it is version 900, this program's is {VERSION}; run a newer program")


def test_it_waits_for_workers_to_be_stopped(make_realm):
    """Only where a pending migration needs it: one that is rolling is applied beside them."""
    realm = make_realm()
    worker = realm.worker()
    owner = eventually(lambda: realm.sql('select owner from usher.partitions where connected', role='reader'), 'it has a partition')[0][0]

    def migrate():
        done = subprocess.run([program(LATER), 'migrate', 'up'], env=clean_environment(USHER_POSTGRES=realm.uri('owner')),
                              capture_output=True, text=True, check=False, timeout=PATIENCE_S)
        return done.returncode, done.stdout, done.stderr

    code, _, err = migrate()
    assert code == 78 and err.count('\n') == 1 and re.search(
        f'could not migrate: "901_stop.sql" needs the workers stopped, and these have partitions: .*{re.escape(owner)}', err)
    assert realm.sql('select max(version) from usher.schema_migration') == [(VERSION,)]
    assert worker.stop() == 0
    assert migrate()[0] == 0
    assert realm.sql('select max(version) from usher.schema_migration') == [(901,)]


def test_where_there_is_no_schema_yet_no_worker_has_to_stop(database):
    apply(database, *FILES[:2])
    assert database.migrate('list')[1].splitlines()[2:] == [f'{file} pending' for file in FILES[2:]]
    assert database.migrate('up')[:2] == (0, ''.join(f'applied {file}\n' for file in FILES[2:]))


def test_print_is_the_files(database):
    assert [file.name for file in sorted(FOLDER.glob('*.sql'))] == list(FILES)
    assert [int(file[:3]) for file in FILES] == list(range(1, VERSION + 1)), 'no number is left out'
    assert database.migrate('print')[1] == ''.join((FOLDER / file).read_text() for file in FILES)


def test_the_page_on_upgrades_says_which_worker_has_which_schema():
    version = re.search(r'(?m)^VERSION +:= (\S+)', (TREE / 'Makefile').read_text())[1]
    page = (TREE / 'deploy/README.md').read_text()
    assert f'| part | version in {version} |' in page and f'\n| schema | {VERSION}, ' in page


@pytest.mark.parametrize('file', SHA256)
def test_a_file_that_is_out_never_changes(file):
    assert hashlib.sha256((FOLDER / file).read_bytes()).hexdigest() == SHA256[file]


def test_a_newer_database_is_refused(database):
    database.migrate('up')
    database.sql("insert into usher.schema_migration (version, name, sha256) values (999, '999_later.sql', '')")
    for command in ('up', 'list'):
        refused(database.migrate(command), 78, 'it is version 999')


def test_a_migration_of_another_program_is_refused(database):
    """Of a number between its own ones."""
    database.migrate('up')
    database.sql("insert into usher.schema_migration (version, name, sha256) values (899, '899_other.sql', '')")
    for command in ('up', 'list'):
        refused(database.migrate(command, name=LATER), 78, 'it is version 899, this program\'s is 901; run a newer program')


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
    assert process.returncode == 78 and f'it is version 1, this program\'s is {VERSION}' in out + err
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

    later(VERSION + 1, program=1)
    later(VERSION + 2, program=VERSION)
    disconnect()
    assert realm.ask('define', 'show', state='open', sections=[{'section': 'floor', 'capacity': 1}])['outcome'] == 'defined'
    done = realm.run('check')
    assert done.returncode == 0 and f'schema version {VERSION + 2}, with which this older program' in done.stdout, done.stdout
    realm.command('reconcile')
    later(VERSION + 3)
    for command in 'run', 'reconcile':
        done = realm.run(command)
        said = [line for line in done.stderr.splitlines() if line.startswith('usher-worker: ')]
        assert done.returncode == 78 and len(said) == 1, done.stderr
        assert f'it is version {VERSION + 3}, this program\'s is {VERSION}; run a newer program' in said[0]
    assert realm.ask('probe', 'show')['outcome'] == 'alive'
    disconnect()
    assert worker.ended() == 78
    realm.workers.clear()
