"""The record port against a real PostgreSQL, by programs in C: batches, the guard, look-ups, and how a partition
changes hands. Each has a database of its own."""

import subprocess

import psycopg2
import pytest

from harness.stack import BIN_DIR, clean_environment, program

pytestmark = pytest.mark.smoke


@pytest.fixture(name='database')
def database_of_its_own(stack, request):
    """An empty database with the schema; its name."""
    name = request.node.name.replace('[', '_').rstrip(']').lower()
    connection = psycopg2.connect(stack.uri('admin', 'postgres'))
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(f'create database {name} owner usher_owner')
    connection.close()
    subprocess.run([program('usher-worker'), 'migrate', 'up'], check=True, capture_output=True,
                   env=clean_environment(USHER_POSTGRES=stack.uri('owner', name)))
    return name


@pytest.mark.parametrize('which', ['record_bounds', 'record_commit', 'record_load', 'record_plans', 'record_pools',
                                   'record_takeover'])
def test_the_record_keeps_its_promises(stack, database, which):
    environment = clean_environment(FIXTURE_WORKER=stack.uri('worker', database),
                                    FIXTURE_ADMIN=stack.uri('admin', database))
    done = subprocess.run([BIN_DIR / 'tests/integration' / which], env=environment, capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ' test(s) run.' in done.stdout + done.stderr
