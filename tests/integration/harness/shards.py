"""Several databases for a realm: its own, which is called a, and b, on the same server, or as many as there are other servers."""

import queue
import re
import subprocess
import urllib.parse

from .stack import clean_environment, program
from .statements import Way
from .waiting import PATIENCE_S, eventually

# Of partitions, whichever database has them; the row of usher.partition_state says where one lives.
TABLES = ('decision', 'dead_letter', 'cart_decision', 'chart', 'seat_row', 'resource', 'pool', 'booking', 'former_owner', 'quarter',
          'allocation', 'partition_halt', 'partition_skip', 'partition_topic', 'clock_reset', 'pruned')
OTHER = {'a': 'b', 'b': 'a'}
# Of the command, which go on after it was killed.
SESSIONS = "select 1 from pg_stat_activity where usename = 'usher_owner' and datname = current_database()"


def moving(to, *more, partition=0):
    """The words of the command."""
    return 'move', '--partition', str(partition), '--to', to, *more


def _texts(cursor, table):
    cursor.execute(f'select t::text from usher.{table} as t')
    return sorted(row for row, in cursor.fetchall())


class Shards:
    """Made before the realm has workers: they are to know both."""

    def __init__(self, realm, *servers, **places):
        """`a`, `b` …: the partitions that live there; all live in a unless something else is said."""
        self.realm = realm
        self._servers = dict(zip('abcdefgh', (realm.stack, *(servers or (realm.stack,)))))
        self._names = {shard: realm.name if shard == 'a' else f'{realm.name}_{shard}' for shard in self._servers}
        for shard in self:
            if shard != 'a':
                realm.make_database(self._names[shard], self._servers[shard])
            self.sql(shard, 'select usher.name_shard(%s)', shard)
        for shard, partitions in (places or {'a': range(realm.partitions)}).items():
            for partition in partitions:
                self.sql(shard, 'select usher.place(%s, %s)', partition, realm.partitions)
        realm.environment['USHER_POSTGRES'] = self.uris('worker')
        realm.shards = self

    def __iter__(self):
        """Their names."""
        return iter(self._servers)

    # ---- PostgreSQL ----
    def server(self, shard):
        return self._servers[shard]

    def uri(self, shard, role):
        return self._servers[shard].uri(role, self._names[shard])

    def uris(self, role, way=lambda uri: uri, shards=()):
        return ' '.join(way(self.uri(shard, role)) for shard in shards or self)

    def session(self, shard, database=None):
        return self.realm.session('admin', database or self._names[shard], self._servers[shard])

    def sql(self, shard, statement, *values):
        with self.session(shard) as cursor:
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description is not None else []

    def rows(self, shard):
        """All that it has of partitions."""
        with self.session(shard) as cursor:
            return {table: _texts(cursor, table) for table in TABLES}

    def stands(self, shard, partition=0):
        """(shard, destination) as its row has it; (None, None): it has none."""
        found = self.sql(shard, 'select shard, destination from usher.partition_state where partition = %s', partition)
        return found[0] if found else (None, None)

    def home(self, partition=0):
        """Where it lives; None: nowhere for now."""
        homes = [shard for shard in self if self.stands(shard, partition)[0] == shard]
        assert len(homes) <= 1
        return homes[0] if homes else None

    def back_up(self, *shards):
        """While nobody is connected to them."""
        for shard in shards:
            with self.session(shard, 'postgres') as cursor:
                cursor.execute(f'create database {self._names[shard]}_old template {self._names[shard]}')

    def restore(self, *shards):
        """To the moment of the backup."""
        for shard in shards:
            name = self._names[shard]
            with self.session(shard, 'postgres') as cursor:
                cursor.execute(f'drop database {name} with (force)')
                cursor.execute(f'alter database {name}_old rename to {name}')

    # ---- commands ----
    def command(self, *arguments, role='owner', code=0):
        done = self.realm.run(*arguments, USHER_POSTGRES=self.uris(role))
        assert done.returncode == code, done
        return done.stdout + done.stderr

    def run(self, *arguments, code=0):
        return self.command('partition', *arguments, code=code)

    def move(self, to, *more, partition=0, code=0):
        return self.run(*moving(to, *more, partition=partition), code=code)

    def stand_still_ms(self, to, partition=0):
        """Moves it; how long it stood still, as the command says."""
        return int(re.search(r'stood still for (\d+) ms', self.move(to, partition=partition))[1])

    def start(self, *arguments, way=lambda uri: uri):
        """A command that runs beside the test."""
        return subprocess.Popen(
            [program('usher-worker'), 'partition', *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=clean_environment(USHER_POSTGRES=self.uris('owner', way)))

    def interrupted(self, arguments, at, how, what=b''):
        """A command that is interrupted at a statement with that in it: killed there, or its connection lost before or after
        it. Whether it came to that statement at all."""
        server = urllib.parse.urlsplit(self.uri('a', 'owner'))
        started = queue.SimpleQueue()  # it may come to its first statement before this process knows it
        way = Way((server.hostname, server.port), at, what, how == 'lost after', lambda: how == 'killed' and started.get().kill())
        process = self.start(*arguments, way=way.uri)
        started.put(process)
        said = process.communicate(timeout=PATIENCE_S)[0]
        way.close()
        eventually(lambda: not any(self.sql(shard, SESSIONS) for shard in self), 'PostgreSQL has ended what was under way')
        assert process.returncode in ((-9, 0) if how == 'killed' else (69, 0)), (at, said)
        return way.count >= at
