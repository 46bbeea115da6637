"""A Redis of a test's own, without persistence but for what is saved on request: it can lose what was written since,
be replaced by an empty one, and take its time to load."""

import shutil
import subprocess

import redis

from .stack import TREE, free_port
from .waiting import PATIENCE_S, eventually


class OwnRedis:
    def __init__(self, directory, *options):
        self.directory, self.port = directory, free_port()
        self.url = f'redis://127.0.0.1:{self.port}'
        self.client = redis.from_url(self.url, decode_responses=True)
        self.process = None
        self.start(*options)

    def launch(self, *options):
        """Starts it, loading what was saved last; returns at once."""
        with open(self.directory / 'redis.log', 'ab') as log:
            self.process = subprocess.Popen(
                ['redis-server', '--bind', '127.0.0.1', '--port', str(self.port), '--dir', str(self.directory),
                 '--save', '', '--appendonly', 'no', *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def answers(self):
        try:
            return self.client.ping()
        except redis.exceptions.BusyLoadingError:
            return False
        except redis.exceptions.ConnectionError:
            return False

    def loading(self):
        """Whether it answers nothing but that it loads."""
        try:
            self.client.ping()
        except redis.exceptions.BusyLoadingError:
            return True
        except redis.exceptions.ConnectionError:
            pass
        return False

    def start(self, *options):
        self.launch(*options)
        eventually(self.answers, 'Redis answers')

    def save(self):
        self.client.save()

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def forget(self):
        """What was saved is gone, too; to be called while it is down."""
        (self.directory / 'dump.rdb').unlink(missing_ok=True)

    def close(self):
        self.client.close()
        self.kill()
        shutil.rmtree(self.directory)


class TlsRedis(OwnRedis):
    """Asks for a certificate, as Redis does by default; the tests' own client comes in by the other port."""

    def __init__(self, directory, certificates, prefix):
        super().__init__(directory)
        self.certificates, self.tls_port = certificates, free_port()
        self.serve(certificates.good)
        for line in (TREE / 'schema/redis/README.md').read_text().splitlines():
            if 'ACL SETUSER usher-worker' in line:
                self.client.execute_command(*line.strip().replace('usher:', f'{prefix}:').split())

    def serve(self, base):
        """Uses another certificate from now on."""
        self.client.config_set('tls-cert-file', f'{base}.crt', 'tls-key-file', f'{base}.key', 'tls-ca-cert-file',
                               str(self.certificates.authority.file), 'tls-port', self.tls_port)

    def settings(self, host='localhost', user='usher-worker:SECRET', certificate='worker'):
        files = {'USHER_REDIS_CERTIFICATE_FILE': f'{self.certificates.directory}/{certificate}.crt',
                 'USHER_REDIS_KEY_FILE': f'{self.certificates.directory}/{certificate}.key'} if certificate else {}
        return {'USHER_REDIS': f'rediss://{user}@{host}:{self.tls_port}',
                'USHER_REDIS_CA_FILE': str(self.certificates.authority.file), **files}
