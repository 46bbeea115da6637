"""What usher is deployed with, on the real parts as far as one machine has them; tests/lint/deployment compares the rest."""

import json
import re
import signal
import subprocess
import urllib.request

import confluent_kafka.admin
import pytest
import yaml

from harness.stack import TREE, clean_environment, free_port, program
from harness.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.smoke

KUBERNETES = TREE / 'deploy/kubernetes'
SECRETS = '/run/secrets/usher'


def test_the_topics_of_strimzi_are_as_the_worker_needs_them(shared_realm):
    prefix = f'{shared_realm.name}-strimzi'
    resources = yaml.safe_load_all((KUBERNETES / 'components/strimzi/topics.yaml').read_text())
    topics = [confluent_kafka.admin.NewTopic(
        one['spec']['topicName'].replace('booking', prefix), one['spec']['partitions'], 1,
        config={name: str(value) for name, value in one['spec']['config'].items()}) for one in resources]
    admin = confluent_kafka.admin.AdminClient({'bootstrap.servers': shared_realm.brokers})
    for created in admin.create_topics(topics).values():
        created.result()
    names = {topic.topic for topic in topics}
    eventually(lambda: names <= set(admin.list_topics(timeout=PATIENCE_S).topics), 'the broker knows of them')
    said = shared_realm.command('topics', 'check', '--partitions', '12', USHER_TOPIC_PREFIX=prefix)
    assert 'note' not in said.replace('replication factor', ''), said


def manifest(name):
    """What a pod of a file of the base, or of another folder, consists of, and its volume of secrets: if it only changes the pod of the
    base, that of the base."""
    folder, _slash, file = name.rpartition('/')
    spec = yaml.safe_load((KUBERNETES / (folder or 'base') / f'{file}.yaml').read_text())['spec']
    pod = spec.get('jobTemplate', {}).get('spec', spec)['template']['spec']
    if 'volumes' not in pod:
        return pod, manifest(file)[1]
    return pod, next(volume for volume in pod['volumes'] if volume['name'] == 'secrets')


class Pods:
    """Runs the containers of the base as a kubelet would: the arguments, settings and files of the manifests, with the
    addresses of the realm."""

    def __init__(self, realm, directory):
        self.directory = directory
        self.secrets = {one['metadata']['name']: one['stringData'] for one in yaml.safe_load_all(
            (KUBERNETES / 'overlays/try/secrets.yaml').read_text())}
        for name, role in (('usher-worker', 'worker'), ('usher-owner', 'owner')):
            self.secrets[name]['postgres'] = realm.uri(role)
        self.secrets['usher-worker']['redis'] = realm.environment['USHER_REDIS']
        lines = (KUBERNETES / 'base/usher.env').read_text().splitlines()
        self.settings = dict(line.split('=', 1) for line in lines if line and not line.startswith('#'))
        self.port = free_port()
        self.settings.update({name: realm.environment[name] for name in (
            'USHER_KAFKA_BROKERS', 'USHER_KAFKA_GROUP', 'USHER_TOPIC_PREFIX', 'USHER_REDIS_PREFIX')},
            USHER_HTTP_LISTEN=f'127.0.0.1:{self.port}')

    def mount(self, volume):
        """The files of a volume of secrets, as they are named in it."""
        sources = volume.get('projected', {}).get('sources') or [{'secret': {'name': volume['secret']['secretName']}}]
        files = {}
        for source in sources:
            secret = self.secrets[source['secret']['name']]
            items = source['secret'].get('items') or [{'key': key, 'path': key} for key in secret]
            files.update({item['path']: secret[item['key']] for item in items})
        folder = self.directory / '-'.join(sorted(source['secret']['name'] for source in sources))
        folder.mkdir(exist_ok=True)
        for path, text in files.items():
            (folder / path).write_text(text)
        return folder

    def start(self, name, container, **replaced):
        """Starts the container of that name of a manifest."""
        pod, volume = manifest(name)
        one = next(one for one in pod.get('initContainers', []) + pod['containers'] if one['name'] == container)
        mounted = str(self.mount(volume))
        own = {setting['name']: setting['value'] for setting in one.get('env', []) if 'value' in setting}
        settings = {key: value.replace(SECRETS, mounted) for key, value in {**self.settings, **own}.items()}
        arguments = [replaced.get(argument.split('=')[0].lstrip('-'), argument) for argument in one['args']]
        return subprocess.Popen([program('usher-worker'), *arguments], env=clean_environment(**settings), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, name, container, **replaced):
        with self.start(name, container, **replaced) as process:
            said = process.communicate(timeout=PATIENCE_S)[0]
        assert process.returncode == 0, said
        return said


def test_the_pods_of_kubernetes_do_what_they_are_there_for(make_realm, tmp_path):
    """The worker's pod is there before topics and schema are; the Job has the owner's secret alone."""
    realm = make_realm()
    realm.sql('drop schema usher cascade')
    realm.environment['USHER_TOPIC_PREFIX'] = f'{realm.name}-pods'
    pods = Pods(realm, tmp_path)
    with pods.start('worker', 'check') as check:
        line = ''
        while 'topics create' not in line:
            line = check.stdout.readline()
            assert line, 'it waits for the topics'
        pods.run('setup', 'topics', replication='--replication=1')
        pods.run('setup', 'migrate')
        said = check.communicate(timeout=PATIENCE_S)[0]
    assert check.returncode == 0, said
    with pods.start('worker', 'worker') as worker:
        try:
            def ready():
                try:
                    with urllib.request.urlopen(f'http://127.0.0.1:{pods.port}/readyz', timeout=PATIENCE_S) as page:
                        return page.status == 200
                except OSError:
                    assert worker.poll() is None, worker.stdout.read()
                    return False
            eventually(ready, 'the worker is ready')
            pods.run('reconcile', 'reconcile')
            worker.send_signal(signal.SIGTERM)
            log = worker.communicate(timeout=PATIENCE_S)[0]
            assert worker.returncode == 0, log
        finally:
            worker.kill()
    assert all(json.loads(line)['level'] for line in log.splitlines())
    assert re.search(r'"msg":"usher-worker stopped"', log)


def test_the_jobs_of_two_databases_name_them_and_place_the_partitions(make_realm, tmp_path):
    """Also when they are there again, as for the next version."""
    realm, overlay = make_realm(partitions=12), 'overlays/try-shards'
    realm.sql('drop schema usher cascade')
    names = realm.name, f'{realm.name}_b'
    with realm.session('admin', 'postgres') as cursor:
        cursor.execute(f'create database {names[1]} owner usher_owner')
    pods = Pods(realm, tmp_path)
    for secret, role in ('usher-worker', 'worker'), ('usher-owner', 'owner'):
        pods.secrets[secret]['postgres'] = ''.join(f'{realm.stack.uri(role, name)}\n' for name in names)
    pods.secrets['usher-owner']['postgres-a'] = realm.uri('owner')
    for _time in range(2):
        for name, container in (('setup', 'migrate-a'), ('setup', 'migrate'), ('place', 'place-a'), ('place', 'place-b')):
            pods.run(f'{overlay}/{name}', container)
    for name, partitions in zip(names, ([(number,) for number in range(6)], [(number,) for number in range(6, 12)])):
        with realm.session('admin', name) as cursor:
            cursor.execute('select partition from usher.home order by partition')
            assert cursor.fetchall() == partitions
    assert 'each partition lives in one of the databases' in pods.run('worker', 'check')
