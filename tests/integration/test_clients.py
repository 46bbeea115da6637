"""The table of clients in producer/docs/write-a-service.md, client by client: set as it says, each sends to the partition of
the resource. There are twelve, for of four a client that forgets to clear the top bit of the hash finds the right one."""

import json
import re
import subprocess

import pytest

from harness import services
from harness.delete_records import delete_records
from harness.realm import STEADY, Realm
from harness.services import BUILT, LANGUAGES
from harness.stack import TREE, clean_environment, program
from harness.waiting import PATIENCE_S, eventually
from oracle.partitioner import murmur2, partition_of

CLIENTS = TREE / 'tests/integration/clients'
PAGE = TREE / 'producer/docs/write-a-service.md'
KEYS = re.findall(r'^\| `(.+)` \| \d+ \| (?:set|clear) \|$', PAGE.read_text(), re.MULTILINE) + [f'show:{n}' for n in range(95)]
NEW_ENOUGH = "process.exit(process.versions.node.split('.').map(Number) < [20, 19] ? 1 : 0)"
MODULES, PACKAGES = BUILT / 'clients', BUILT / 'pip'
pytestmark = [pytest.mark.whole, pytest.mark.usefixtures('premises')]


@pytest.fixture(scope='module', name='premises')
def premises_fixture(stack):
    realm = Realm(stack, 'clients', partitions=12, **STEADY)
    realm.worker()
    yield realm
    realm.close()


def requests(client):
    """Of no resource that there is: refused where the partition is right, invalid where it is not."""
    return [{'request_id': f'{client}.{number}', 'op': 'probe', 'resource': key} for number, key in enumerate(KEYS)]


def verdicts(premises, client):
    """Of each key: the partition that its request was in, and what it was answered."""
    asked = [request['request_id'] for request in requests(client)]

    def found():
        answers = {answer['request_id']: answer for answer in premises.client.answers.everything()}
        return [answers[one] for one in asked] if answers.keys() >= set(asked) else None
    return [(answer['source']['partition'], answer['reason']) for answer in eventually(found, f'the requests of {client} are answered')]


RIGHT = [(partition_of(key.encode(), 12), 'unknown_resource') for key in KEYS]


def publish(premises, command, lines, **settings):
    done = subprocess.run(command, input=''.join(f'{line}\n' for line in lines), capture_output=True, text=True, timeout=PATIENCE_S,
                          env=clean_environment(**premises.environment, **settings), check=False)
    assert done.returncode == 0, done


@pytest.mark.parametrize('language', LANGUAGES)
def test_the_clients_of_the_programs(premises, language):
    service = services.start(language, 'ask', premises.environment)
    try:
        for request in requests(language):
            service.tell(request)
        service.answer(len(KEYS) - 1)
    finally:
        service.kill()
    assert verdicts(premises, language) == RIGHT


def test_libusher(premises):
    publish(premises, [program('usher-producer'), 'send'], map(json.dumps, requests('libusher')))
    assert verdicts(premises, 'libusher') == RIGHT


def test_librdkafka(premises):
    command = ['kcat', '-P', '-b', premises.brokers, '-t', f'{premises.name}.requests.v1', '-K', '\t', '-X', 'partitioner=murmur2_random']
    publish(premises, command, [f'{request["resource"]}\t{json.dumps(request)}' for request in requests('kcat')])
    assert verdicts(premises, 'kcat') == RIGHT


@pytest.mark.parametrize('client', ['kafka-python', 'aiokafka'])
def test_clients_for_python(premises, client):
    need(PACKAGES / 'kafka')
    publish(premises, ['/usr/bin/python3', str(CLIENTS / 'publish.py'), client], map(json.dumps, requests(client)),
            PYTHONPATH=str(PACKAGES))
    assert verdicts(premises, client) == RIGHT


def test_platformatic_kafka(premises):
    """By its own partitioner those keys are wrong whose hash has its top bit set: that is what the page's keys are for."""
    need(MODULES / 'platformatic.mjs')
    command = ['node', str(MODULES / 'platformatic.mjs'), 'publish']
    publish(premises, command, map(json.dumps, requests('platformatic')))
    assert verdicts(premises, 'platformatic') == RIGHT
    publish(premises, [*command, 'default'], map(json.dumps, requests('unset')))
    assert verdicts(premises, 'unset') == [
        (murmur2(key.encode()) % 12, 'unknown_resource' if murmur2(key.encode()) >> 31 == 0 else 'wrong_partition') for key in KEYS]


def test_platformatic_kafka_is_told_of_what_retention_deleted(premises):
    """It has no way to read a partition without a group, but it does not jump."""
    need(MODULES / 'platformatic.mjs')
    settings, topic = {**premises.environment, 'USHER_TOPIC_PREFIX': 'overtaken'}, 'overtaken.results.v1'
    premises.command('topics', 'create', '--partitions', '1', '--replication', '1', **settings)
    command = ['node', str(MODULES / 'platformatic.mjs'), 'follow']
    append(premises, topic, 1, 2)
    service = services.Service([*command, '1'], settings)
    try:
        assert service.answer(0) == 2
    finally:
        service.kill()
    delete_records(premises.brokers, topic)
    append(premises, topic, 3)
    code, said = services.Service([*command, '1'], settings).ended()
    assert code != 0 and 'OFFSET_OUT_OF_RANGE' in said, said


def append(premises, topic, *seqs):
    producer = premises.client.connected()
    for seq in seqs:
        producer.produce(topic, json.dumps({'seq': seq}))
    assert producer.flush(PATIENCE_S) == 0


def need(path):
    if not path.exists():
        pytest.skip(f'{path} is not there: no registry was reached')
    if path.suffix == '.mjs' and subprocess.run(['node', '-e', NEW_ENOUGH], check=False).returncode:
        pytest.skip('this client wants Node 20.19')
