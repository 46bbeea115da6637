"""The record port against a real PostgreSQL, by programs in C: batches, the guard, look-ups, and how a partition
changes hands. Each has a database of its own."""

import difflib
import os
import subprocess

import psycopg2
import pytest

from harness.stack import BIN_DIR, SANITIZED, clean_environment, program

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


def environment_of(stack, database):
    return clean_environment(FIXTURE_WORKER=stack.uri('worker', database), FIXTURE_ADMIN=stack.uri('admin', database))


@pytest.mark.parametrize('which', ['record_bounds', 'record_commit', 'record_load', 'record_plans', 'record_pools',
                                   'record_takeover'])
def test_the_record_keeps_its_promises(stack, database, which):
    done = subprocess.run([BIN_DIR / 'tests/integration' / which], env=environment_of(stack, database),
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ' test(s) run.' in done.stdout + done.stderr


def calls_of(folder, seeds, environment):
    """The text that a record gave of its calls."""
    done = subprocess.run([BIN_DIR / 'tests' / folder / 'record_calls', '1', str(seeds)], env=environment,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout[-2000:]
    return done.stdout.splitlines()


@pytest.mark.skipif(SANITIZED, reason='the simulator is tried under the sanitizers by itself')
def test_the_simulated_record_does_as_the_real_one(stack, database):
    """Random sequences of calls, SEQUENCES of them: statuses and rows are equal."""
    seeds = int(os.environ.get('SEQUENCES', '20'))
    environment = environment_of(stack, database)
    real, simulated = calls_of('integration', seeds, environment), calls_of('sim', seeds, environment)
    assert '\n'.join(difflib.unified_diff(real, simulated, 'real', 'simulated', lineterm='', n=30))[:6000] == ''
