"""The local stack as a session of tests uses it: one private PostgreSQL, Redis and Kafka, each of which can be
stopped, killed and paused."""

import collections
import os
import pathlib
import random
import shlex
import socket
import subprocess

TREE = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get('BUILD', TREE / 'build'))
BIN_DIR = pathlib.Path(os.environ.get('BIN_DIR', BUILD / os.environ.get('MODE', 'release')))
SANITIZED = os.environ.get('MODE', 'release') != 'release'


def program(name):
    path = BIN_DIR / name
    assert path.exists(), f'{path} is not there: run make'
    return str(path)


_given = collections.deque(maxlen=500)


def free_port():
    """Below those that the kernel gives to outgoing connections, above those of the parts of a stack (deploy/local/common.sh),
    and of every so many one that is for this process of those that run tests: nobody else can take it before its server
    does, or while that is stopped."""
    low = int(pathlib.Path('/proc/sys/net/ipv4/ip_local_port_range').read_text().split()[0])
    end = low if low > 12000 else 32768
    process = int(os.environ.get('PYTEST_XDIST_WORKER', 'gw0')[2:])
    ports = range((10000 + end) // 2 + process, end, int(os.environ.get('PYTEST_XDIST_WORKER_COUNT', '1')))
    while True:
        port = random.choice(ports)
        with socket.socket() as probe:
            try:
                probe.bind(('127.0.0.1', port))
            except OSError:
                continue
        if port not in _given:
            _given.append(port)
            return port


def clean_environment(**settings):
    """This process's environment without its USHER_*, and with these."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith('USHER_')}
    return {**environment, **settings}


class Stack:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.worker_logs = self.directory / 'log'
        self.exports, self._uris = {}, {}

    def _run(self, *arguments):
        done = subprocess.run([str(TREE / 'deploy/local/stack'), *arguments, '--dir', str(self.directory)],
                              env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=180, check=False)
        assert done.returncode == 0, f'stack {" ".join(arguments)}: exit {done.returncode}\n{done.stderr}'
        return done.stdout

    def up(self):
        self._read_exports(self._run('up', '--fresh', '--no-usher'))

    def join(self):
        """Uses it as another process has started it."""
        self._read_exports(self._run('exports'))

    def _read_exports(self, lines):
        for word in shlex.split(lines):
            if '=' in word:
                name, _equals, value = word.partition('=')
                self.exports[name] = value

    def down(self):
        self._run('down')

    def wipe(self):
        """Stops it, and deletes its data."""
        self._run('down', '--wipe')

    def uri(self, role, database='usher'):
        if role not in self._uris:
            self._uris[role] = self._run('uri', role).strip().rsplit('/', 1)[0]
        return f'{self._uris[role]}/{database}'

    # A part is 'postgres', 'redis' or 'kafka'. `start` returns when it answers.
    def start(self, part):
        self._run('start', part)

    def stop(self, part):
        self._run('stop', part)

    def kill(self, part):
        self._run('kill', part)

    def pause(self, part):
        self._run('pause', part)

    def resume(self, part):
        self._run('continue', part)

    def log(self, part):
        return (self.directory / 'log' / f'{part}.log').read_text(errors='replace')
