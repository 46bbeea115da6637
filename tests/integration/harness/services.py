"""The services of producer/examples, as processes beside a realm: started, asked, killed."""

import contextlib
import json
import shutil
import signal
import subprocess
import threading

import psycopg2
import pytest

from .stack import BUILD, TREE, clean_environment
from .waiting import PATIENCE_S, eventually, pause

BUILT = BUILD / 'examples'
COMMANDS = {
    'python': ['/usr/bin/python3', str(TREE / 'producer/examples/python/service.py')],
    # As little of Java as will do: it starts often.
    'java': ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx128m', '-cp',
             f'{BUILT}/java/jars/*:{BUILT}/java/classes', 'Service'],
    'go': [str(BUILT / 'go/service')],
    'node': ['node', str(BUILT / 'node/service.mjs')],
}
# Programs that sell carts.
SELL = {'python': [*COMMANDS['python'][:-1], str(TREE / 'producer/examples/python/cart.py')],
        'java': [*COMMANDS['java'][:-1], 'Cart'], 'go': [*COMMANDS['go'], 'sell'],
        'node': [*COMMANDS['node'][:-1], str(BUILT / 'node/cart.mjs')]}
LANGUAGES, SELLING = sorted(COMMANDS), sorted(SELL)
MADE = {'python': [], 'java': [BUILT / 'java/jars', BUILT / 'java/classes/Service.class'], 'go': [BUILT / 'go/service'],
        'node': [BUILT / 'node/node_modules/kafkajs', BUILT / 'node/service.mjs']}


class Service:
    """One process. What it prints is collected as lines."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(
            command, env=clean_environment(PYTHONDONTWRITEBYTECODE='1', **environment), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.printed, self.said = [], []
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True) for pair in
                         [(self.process.stdout, self.printed), (self.process.stderr, self.said)]]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(stream, lines):
        for line in stream:
            lines.append(line.rstrip('\n'))

    def _read_all(self):
        for reader in self._readers:
            reader.join(PATIENCE_S)

    def tell(self, request):
        self.process.stdin.write(json.dumps(request) + '\n')
        self.process.stdin.flush()

    def answer(self, number):
        """The answer to its request of that number, from 0."""
        return json.loads(self.await_line(self.printed, lambda: len(self.printed) > number and self.printed[number]))

    def await_said(self, word):
        return self.await_line(self.said, lambda: next((line for line in self.said if word in line), None))

    def await_line(self, lines, condition):
        def there():
            has_ended = self.process.poll() is not None
            if has_ended:
                self._read_all()
            found = condition()
            if not found and has_ended:
                raise RuntimeError(f'it ended with {self.process.returncode}: {self.said}')
            return found
        try:
            return eventually(there, f'a line comes after {lines[-3:]}')
        except AssertionError as error:
            self.process.send_signal(signal.SIGQUIT)  # Go and Java say where each thread is, and Java goes on
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
            raise AssertionError(f'{error}, {self.printed[-3:]}\n' + '\n'.join(self.said)) from error

    def ended(self):
        """Waits until it ends by itself; its exit code and what it said."""
        code = self.process.wait(PATIENCE_S)
        self._read_all()
        return code, '\n'.join(self.said)

    def pause(self):
        pause(self.process)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE_S)


class OwnDatabase:
    """The database of one service, on the PostgreSQL of the stack."""

    def __init__(self, stack, name):
        self._stack, self.name = stack, name
        with self._connected('postgres') as cursor:
            cursor.execute(f'create database {name}')

    @contextlib.contextmanager
    def _connected(self, database):
        connection = psycopg2.connect(self._stack.uri('admin', database))
        try:
            connection.autocommit = True
            yield connection.cursor()
        finally:
            connection.close()

    def address(self, language):
        parts = psycopg2.extensions.parse_dsn(self._stack.uri('admin', self.name))
        if language == 'java':
            return (f'jdbc:postgresql://{parts["host"]}:{parts["port"]}/{self.name}?user={parts["user"]}'
                    f'&password={parts.get("password", "")}')
        return self._stack.uri('admin', self.name) + ('?sslmode=disable' if language == 'go' else '')

    def sql(self, statement, *values):
        """Runs one statement; an assertion fails while its table is not there."""
        with self._connected(self.name) as cursor:
            try:
                cursor.execute(statement, values or None)
            except psycopg2.errors.UndefinedTable as error:
                raise AssertionError(error) from error
            return cursor.fetchall() if cursor.description is not None else []

    @contextlib.contextmanager
    def locked(self, table):
        """While inside, nobody can write to the table."""
        connection = psycopg2.connect(self._stack.uri('admin', self.name))
        try:
            connection.cursor().execute(f'lock table {table} in exclusive mode')
            yield
        finally:
            connection.close()

    def await_blocked(self):
        eventually(lambda: self.sql("select 1 from pg_stat_activity where datname = %s and wait_event_type = 'Lock'",
                                    self.name), 'it waits for the lock')

    def await_left(self):
        """Until nobody but who asks is connected: what was not committed is gone."""
        eventually(lambda: self.sql('select count(*) from pg_stat_activity where datname = %s', self.name) == [(1,)],
                   'its connection is closed')


def start(language, command, environment, database=None, **settings):
    """Starts a service: `ask`, `follow` or `sell`."""
    missing = [str(path) for path in MADE[language] if not path.exists()]
    if missing and language == 'node' and not shutil.which('npm'):
        pytest.skip('npm is not there')
    assert not missing, f'{missing} is not there: run make integration'
    own = {'DATABASE': database.address(language)} if database else {}
    program = SELL[language] if command == 'sell' else [*COMMANDS[language], command]
    return Service(program, {**environment, **own, **settings})
