"""Migrations: forward only, each file once and unchanged, all of it or nothing, one migrator at a time."""

import pathlib
import subprocess

import psycopg2
import pytest

from harness.stack import TREE, clean_environment, program

FIRST = '001_first_light.sql'


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
            out, err = process.communicate(timeout=60)
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


def test_a_file_is_applied_once(database):
    assert f'{FIRST} pending' in database.migrate('list')[1]
    assert database.migrate('up')[:2] == (0, f'applied {FIRST}\n')
    assert database.migrate('up')[:2] == (0, '')
    assert f'{FIRST} applied ' in database.migrate('list')[1]
    assert database.sql('select version, name, applied_by from usher.schema_migration') == [(1, FIRST, 'usher_owner')]


def test_print_is_the_files(database):
    files = sorted(pathlib.Path(TREE / 'schema/postgres').glob('*.sql'))
    assert database.migrate('print')[1] == ''.join(file.read_text() for file in files)


def test_a_newer_database_is_refused(database):
    database.migrate('up')
    database.sql("insert into usher.schema_migration (version, name, sha256) values (999, '999_later.sql', '')")
    for command in ('up', 'list'):
        refused(database.migrate(command), 78, 'it is version 999')


def test_a_file_that_changed_is_refused(database):
    database.migrate('up')
    database.sql("update usher.schema_migration set sha256 = 'another'")
    refused(database.migrate('up'), 78, f'"{FIRST}" was applied with other content')
    assert 'applied with other content' in database.migrate('list')[1]


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
    outs = [migrator.communicate(timeout=60) for migrator in migrators]
    assert [migrator.returncode for migrator in migrators] == [0, 0], outs
    assert sorted(out for out, _err in outs) == ['', f'applied {FIRST}\n']
