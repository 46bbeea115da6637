"""The image of `make image` in a container, as one runs it in earnest: as nobody, its root read-only, without any capability,
on the local stack."""

import contextlib
import json
import pathlib
import re
import subprocess
import urllib.request

import pytest

from harness.own_redis import TlsRedis
from harness.secured import SecuredRealm, secured_broker
from harness.shows import HALL, places
from harness.stack import BUILD, TREE, free_port
from harness.waiting import PATIENCE_S, eventually

VERSION = re.search(r'^VERSION +:= (\S+)', (TREE / 'Makefile').read_text(), re.MULTILINE)[1]
# Where containers may not raise their limits, podman's defaults, which do, are refused.
CONFIGURATION = '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n'
CONFINED = ['--read-only', '--network=host', '--cap-drop=all', '--security-opt=no-new-privileges', '--log-driver=k8s-file']


class Podman:
    """A podman with a store of its own, so that the machine's images and containers are not touched."""

    def __init__(self, directory):
        configuration = directory / 'containers.conf'
        configuration.write_text(CONFIGURATION)
        self._command = ['env', f'CONTAINERS_CONF={configuration}', 'podman', '--root', directory / 'root', '--runroot',
                         directory / 'run', '--storage-driver=vfs', '--runtime=runc', '--cgroup-manager=cgroupfs',
                         '--events-backend=file']

    def run(self, *arguments):
        return subprocess.run([*self._command, *arguments], capture_output=True, text=True, timeout=600, check=False)

    def __call__(self, *arguments):
        done = self.run(*arguments)
        assert done.returncode == 0, f'podman {" ".join(map(str, arguments))}: {done.stderr}'
        return done.stdout.strip()


@pytest.fixture(scope='module')
def podman(tmp_path_factory):
    one = Podman(tmp_path_factory.mktemp('podman'))
    one('load', '--input', BUILD / f'image/usher-{VERSION}.tar')
    yield one
    one('rm', '--all', '--force', '--time=0')
    one('rmi', '--all', '--force')


@pytest.fixture
def image(podman):
    return json.loads(podman('image', 'inspect', f'usher:{VERSION}'))[0]


def test_what_the_image_says_of_itself(podman, image):
    config = image['Config']
    assert config['User'] == '65532:65532' and config['StopSignal'] == 'SIGTERM'
    assert config['Entrypoint'] == ['/usr/bin/usher-worker'] and config['Cmd'] == ['run']
    assert image['Labels']['org.opencontainers.image.version'] == VERSION
    assert image['Labels']['org.opencontainers.image.licenses'] == 'Apache-2.0'
    built = f"{VERSION} ({image['Labels']['org.opencontainers.image.revision']})"
    assert podman('run', '--rm', *CONFINED, f'usher:{VERSION}', 'version') == f'usher-worker {built}'
    text = podman('run', '--rm', *CONFINED, '--entrypoint=/usr/bin/usher-producer', f'usher:{VERSION}', 'version')
    assert text.startswith(f'usher-producer {built}, librdkafka ')
    text = podman('run', '--rm', *CONFINED, '--entrypoint=/usr/bin/usher-dashboard', f'usher:{VERSION}', 'version')
    assert text.startswith(f'usher-dashboard {built}')


def test_nothing_to_build_with_is_left(podman):
    for program in ('/usr/bin/cc', '/usr/bin/gcc', '/usr/bin/make', '/usr/include/stdio.h'):
        assert podman.run('run', '--rm', *CONFINED, '--entrypoint=/usr/bin/test', f'usher:{VERSION}', '-e',
                          program).returncode == 1, program


def confinement(pid):
    """(user, effective capabilities, may gain privileges, options of the root) of a process."""
    status = pathlib.Path(f'/proc/{pid}/status').read_text()
    field = dict(line.split(':\t', 1) for line in status.splitlines())
    roots = [line.split() for line in pathlib.Path(f'/proc/{pid}/mountinfo').read_text().splitlines()]
    return (field['Uid'].split()[0], int(field['CapEff'], 16), field['NoNewPrivs'],
            next(root[5].split(',')[0] for root in roots if root[4] == '/'))


@contextlib.contextmanager
def running(podman, settings, *options):
    """A worker in a container with these settings; yields the container's id. At the end TERM ends it with 0."""
    settings = {**settings, 'USHER_HTTP_LISTEN': f'127.0.0.1:{free_port()}'}
    options = [*CONFINED, *options, *(f'--env={name}={value}' for name, value in settings.items())]
    podman('run', '--rm', *options, f'usher:{VERSION}', 'check', '--wait=1m')
    container = podman('run', '--detach', *options, f'usher:{VERSION}')

    def ready():
        try:
            with urllib.request.urlopen(f'http://{settings["USHER_HTTP_LISTEN"]}/readyz', timeout=PATIENCE_S) as page:
                return page.status == 200
        except OSError:
            assert podman('inspect', '--format={{.State.Running}}', container) == 'true', podman.run('logs', container).stderr
            return False

    eventually(ready, 'the worker is ready')
    yield container
    podman('kill', '--signal=TERM', container)
    assert podman('wait', container) == '0', podman.run('logs', container).stderr


def test_it_decides_and_ends_when_it_is_told_to(podman, make_realm):
    realm = make_realm()
    with running(podman, realm.environment) as container:
        assert confinement(podman('inspect', '--format={{.State.Pid}}', container)) == ('65532', 0, '1', 'ro')
        assert realm.ask('define', 'show', **HALL)['outcome'] == 'defined'
        assert realm.ask('book', 'show', customer='c', items=places('stalls', 2))['outcome'] == 'confirmed'
    realm.check()


@pytest.fixture(name='secured')
def realm_where_all_is_secured(stack, tmp_path):
    """A realm, and the settings of a worker that comes to Kafka by SCRAM and to Redis by its certificate, both by TLS."""
    tmp_path.chmod(0o755)  # the container's user reads the certificates
    with contextlib.ExitStack() as ends:
        broker = ends.enter_context(secured_broker(tmp_path))
        (tmp_path / 'redis').mkdir()
        redis = TlsRedis(tmp_path / 'redis', broker.certificates, 'secured')
        ends.callback(redis.close)
        realm = SecuredRealm(stack, broker, USHER_REDIS=redis.url)
        ends.callback(realm.close)
        logins = {**broker.login('worker'), **redis.settings()}
        yield realm, {**realm.environment, **{name: logins[name] for name in logins if name.startswith('USHER_')}}


def test_it_speaks_tls_to_redis_and_logs_in_to_kafka_by_scram(podman, secured, tmp_path):
    realm, settings = secured
    assert settings['USHER_REDIS'].startswith('rediss://') and settings['USHER_KAFKA_SECURITY'] == 'sasl_ssl'
    with running(podman, settings, f'--volume={tmp_path}:{tmp_path}:ro'):
        realm.ask('define', 'show', **HALL)
        answer = realm.ask('book', 'show', customer='c', items=places('stalls', 2))
        assert answer['outcome'] == 'confirmed'
        realm.await_shown('show', answer['rev'])
    realm.check()
