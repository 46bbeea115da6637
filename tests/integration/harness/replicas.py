"""PostgreSQL for drills: servers of their own, each an instance of the local stack that runs nothing else. One follows
another, or has been restored from its back-up."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import psycopg2

from .stack import Stack
from .waiting import eventually

FOLLOWING = "select count(*) from pg_stat_replication where state = 'streaming' and sync_state = %s"


def _program(name):
    return str(sorted(pathlib.Path('/usr/lib/postgresql').glob(f'*/bin/{name}'))[-1])


def _as_server():
    """The server's programs refuse to run as root."""
    return {'user': 'postgres', 'group': 'postgres', 'extra_groups': []} if os.geteuid() == 0 else {}


class Server(Stack):
    """One server. Its passwords are those of the one that it is a copy of."""

    def __init__(self, directory):
        super().__init__(directory)
        self.wipe()

    def begin(self):
        self.start('postgres')
        return self

    def sql(self, statement, *values):
        """Runs one statement as the administrator."""
        connection = psycopg2.connect(self.uri('admin', 'postgres'))
        try:
            connection.autocommit = True
            cursor = connection.cursor()
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description is not None else []
        finally:
            connection.close()

    def set(self, name, value):
        self.sql(f'alter system set {name} = %s', value)
        self.sql('select pg_reload_conf()')

    def folder(self):
        """A new one that the server may write to."""
        path = pathlib.Path(tempfile.mkdtemp(prefix='usher-postgres-'))
        if os.geteuid() == 0:
            shutil.chown(path, 'postgres', 'postgres')
        return path

    def back_up(self, folder, *options):
        """A base backup of it, into the folder's data."""
        subprocess.run([_program('pg_basebackup'), '--pgdata', folder / 'data', '--dbname', self.uri('admin', 'postgres'),
                        '--checkpoint', 'fast', '--wal-method', 'stream', *options], check=True, cwd='/',
                       capture_output=True, **_as_server())

    def standby(self, directory, is_synchronous):
        """A new server that follows this one, which waits for it at each commit, or does not."""
        one = Server(directory)
        shutil.copytree(self.directory / 'secret', one.directory / 'secret')
        folder = one.folder()
        self.back_up(folder, '--write-recovery-conf')
        (one.directory / 'postgres.place').write_text(f'{folder}\n')
        for mark in 'made', 'ready':
            (one.directory / f'postgres.{mark}').touch()
        one.begin()
        if is_synchronous:
            self.set('synchronous_standby_names', '*')
        eventually(lambda: self.sql(FOLLOWING, 'sync' if is_synchronous else 'async') == [(1,)], 'the standby follows')
        return one

    def data(self):
        return pathlib.Path((self.directory / 'postgres.place').read_text().strip()) / 'data'

    def cut_off(self):
        """It follows nobody any more."""
        self.set('primary_conninfo', '')
        eventually(lambda: self.sql('select count(*) from pg_stat_wal_receiver') == [(0,)], 'it receives nothing')

    def promote(self):
        """As whoever watches over fail-over does it; the one before must not run any more."""
        assert self.sql('select pg_promote()') == [(True,)]


class Site:
    """Servers of PostgreSQL beside a stack, for a Realm to take as its stack."""

    def __init__(self, stack, *servers):
        self.exports, self.worker_logs, self.servers = stack.exports, stack.worker_logs, servers

    def close(self):
        for one in self.servers:
            one.kill('postgres')
            one.wipe()


class Archived(Site):
    """One server, whose write-ahead log is archived."""

    def __init__(self, stack, directory):
        self.server = Server(directory / 'server').begin()
        super().__init__(stack, self.server)
        self.uri = self.server.uri
        self.folder = self.server.folder()
        self.server.set('archive_mode', 'on')
        self.server.set('archive_command', f'cp %p {self.folder}/%f')
        self.server.stop('postgres')
        self.server.start('postgres')

    def back_up(self):
        self.server.back_up(self.folder)

    def restore_point(self, name):
        """Names this moment, and waits until the archive has it."""
        self.server.sql('select pg_create_restore_point(%s)', name)
        [(segment,)] = self.server.sql('select pg_walfile_name(pg_switch_wal())')
        eventually((self.folder / segment).exists, f'{segment} is archived')

    def restore(self, name):
        """In the place of what there is: the backup, and of the archive what lies before that moment."""
        self.server.kill('postgres')
        data = self.server.data()
        shutil.rmtree(data)
        shutil.move(self.folder / 'data', data)
        with open(data / 'postgresql.auto.conf', 'a', encoding='ascii') as settings:
            settings.write(f"restore_command = 'cp {self.folder}/%f %p'\nrecovery_target_name = '{name}'\n"
                           "recovery_target_action = 'promote'\n")
        (data / 'recovery.signal').touch()
        if os.geteuid() == 0:
            shutil.chown(data / 'recovery.signal', 'postgres', 'postgres')
        self.server.start('postgres')
        eventually(lambda: self.server.sql('select pg_is_in_recovery()') == [(False,)], 'it is restored')

    def close(self):
        super().close()
        shutil.rmtree(self.folder)


class Pair(Site):
    """A primary and its standby under one address."""

    def __init__(self, stack, directory, is_synchronous):
        self.primary = Server(directory / 'primary').begin()
        self.standby = self.primary.standby(directory / 'standby', is_synchronous)
        super().__init__(stack, self.primary, self.standby)

    def uri(self, role, database='usher'):
        first, second = (one.uri(role, database).rpartition('@')[2].partition('/')[0]
                         for one in (self.primary, self.standby))
        return self.primary.uri(role, database).replace(first, f'{first},{second}') + '?target_session_attrs=read-write'
