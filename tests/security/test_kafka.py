"""Kafka by TLS: who is trusted, who gets in, and that each may do exactly what deploy/README.md says it needs."""

import json

import confluent_kafka
import pytest

from harness.access import allow, forbid
from harness.secured import SecuredRealm, rules
from harness.shows import HALL, places, verdict
from harness.waiting import eventually


@pytest.fixture(name='secured', scope='module')
def secured_realm(stack, broker):
    realm = SecuredRealm(stack, broker)
    try:
        realm.worker(**broker.login('worker'))
        realm.ask('define', 'show', **HALL)
        yield realm
    finally:
        realm.close()


def says(done, code, *words):
    """One line of an error, which names the trouble."""
    said = [line for line in done.stderr.splitlines() if line.startswith(('usher-worker:', 'usher-producer:'))]
    assert len(said) == 1 and all(word in said[0] for word in words), done.stderr
    assert done.returncode == code, done.stderr


@pytest.mark.parametrize('listener, words', [
    ('UNKNOWN', 'not from a CA that is trusted'), ('ELSEWHERE', 'is for another name'), ('EXPIRED', 'has expired')])
def test_a_broker_that_is_not_trusted(secured, broker, listener, words):
    done = secured.run('check', **broker.certificate('worker', listener))
    assert done.returncode == 69 and words in done.stdout, done.stdout


def test_programs_end_where_no_broker_is_trusted(secured, broker):
    login = broker.certificate('worker', 'EXPIRED')
    says(secured.run('run', **login), 69, 'has expired')
    says(secured.run('probe', 'show', name='usher-producer', **login), 69, 'has expired')


def test_who_verifies_nothing_gets_in_anywhere(secured, broker):
    """librdkafka's own switch still means what it says."""
    login = broker.certificate('operator', 'EXPIRED')
    done = secured.run('topics', 'check', '-X', 'enable.ssl.certificate.verification=false', **login)
    assert done.returncode == 0 and 'expired' not in done.stderr, done.stderr


def test_a_wrong_password(secured, broker):
    login = {**broker.login('worker'), 'USHER_KAFKA_PASSWORD': 'guessed'}
    says(secured.run('run', **login), 77, 'USHER_KAFKA_PASSWORD')
    says(secured.run('probe', 'show', name='usher-producer', **login), 77, 'USHER_KAFKA_PASSWORD')


def test_a_librdkafka_that_cannot_log_in_says_so(secured, broker):
    """Before 2.6.1, to Kafka 4 by SCRAM: the broker only says that the password is wrong."""
    if confluent_kafka.libversion()[1] >= 0x020601ff:
        pytest.skip('the librdkafka of this system can')
    login = {**broker.login('worker'), 'LD_PRELOAD': ''}
    says(secured.run('run', **login), 77, 'librdkafka of 2.6.1')
    done = secured.run('check', **login)
    assert done.returncode == 77 and 'librdkafka of 2.6.1' in done.stdout, done.stdout


@pytest.mark.parametrize('user', [None, 'impostor'])
def test_a_certificate_that_the_broker_does_not_know(secured, broker, user):
    login = broker.certificate(user)
    says(secured.run('run', **login), 77, 'USHER_KAFKA_CERTIFICATE_FILE')
    says(secured.run('probe', 'show', name='usher-producer', **login), 77, 'USHER_KAFKA_CERTIFICATE_FILE')
    done = secured.run('check', **login)
    assert done.returncode == 77 and 'USHER_KAFKA_CERTIFICATE_FILE' in done.stdout, done.stdout


def commands(broker, principal, **settings):
    """What a principal is for, as (program, arguments, settings)."""
    login = {**broker.login(principal), **settings}
    return {'producer': [('usher-producer', ['probe', 'show'], login)],
            'follower': [('usher-producer', ['watch', '--since', '1h', '--until-end', '--json'], login)],
            'seller': [('usher-producer', ['probe', 'show'], login)],
            'operator': [('usher-worker', ['topics', 'check'], login),
                         ('usher-worker', ['topics', 'create', '--partitions', '2', '--replication', '1'], login)],
            'worker': [('usher-worker', ['check'], login)]}[principal]


def codes(secured, broker, principal):
    """How each command of a principal ends."""
    return [secured.run(*arguments, name=name, **login).returncode for name, arguments, login in commands(broker, principal)]


@pytest.mark.parametrize('way', ['login', 'certificate'])
def test_each_with_what_the_table_gives_it(secured, broker, way):
    login = getattr(broker, way)
    secured.workers[-1].stop()
    secured.worker(**login('worker'))
    done = secured.run('book', 'show', '--customer', way, '--section', 'standing', '--json', name='usher-producer',
                       **login('producer'))
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    done = secured.run('watch', '--since', '1h', '--until-end', '--json', name='usher-producer', **login('follower'))
    assert done.returncode == 0 and answer['request_id'] in done.stdout, done.stderr
    for command, user in (('topics check', 'operator'), ('check', 'worker')):
        done = secured.run(*command.split(), **login(user))
        assert done.returncode == 0, done.stdout
    secured.check()


def test_nobody_may_do_what_others_are_for(secured, broker):
    for user in 'follower', 'operator':
        assert secured.run('book', 'show', '--customer', 'c', '--section', 'standing', name='usher-producer',
                           **broker.login(user)).returncode == 77
    assert secured.run('run', **broker.login('producer')).returncode == 77
    assert secured.run('topics', 'create', '--partitions', '2', '--replication', '1', **broker.login('worker')).returncode == 77


@pytest.mark.parametrize('rule', [rule for rule in rules() if rule[1] != 'TransactionalId' and (
    rule[0] != 'worker' or rule[3] == 'DescribeConfigs')], ids=' '.join)
def test_each_line_of_the_table_is_needed(secured, broker, rule):
    forbid(secured.brokers, rule)
    try:
        eventually(lambda: 77 in codes(secured, broker, rule[0]), f'denied without {rule}')
    finally:
        allow(secured.brokers, [rule])
    eventually(lambda: not any(codes(secured, broker, rule[0])), 'it may do it again')


def begins(broker, user, name):
    """Whether a client may have a transaction under that transactional id."""
    producer = confluent_kafka.Producer(broker.client(user, **{'transactional.id': name}))
    try:
        producer.init_transactions(10)
    except confluent_kafka.KafkaException as error:
        assert 'uthorization failed' in str(error), error
        return False
    return True


def test_nobody_but_a_seller_of_carts_may_keep_others_waiting(secured, broker):
    assert begins(broker, 'seller', 'carts-web-0')
    assert not begins(broker, 'seller', 'other') and not begins(broker, 'producer', 'carts-web-0')
    assert not begins(broker, 'worker', 'carts-web-0')
    [rule] = [rule for rule in rules() if rule[1] == 'TransactionalId']
    forbid(secured.brokers, rule)
    try:
        eventually(lambda: not begins(broker, 'seller', 'carts-web-0'), f'denied without {rule}')
    finally:
        allow(secured.brokers, [rule])
    eventually(lambda: begins(broker, 'seller', 'carts-web-0'), 'it may do it again')


def test_what_brokers_allow_to_transactions_is_checked_by_who_may_ask(secured, broker):
    said = secured.command('check', **broker.login('worker'))
    assert 'note kafka: could not read how long broker 1 allows transactions to be open: ' in said
    assert 'with DescribeConfigs on the cluster it is checked' in said
    rule = 'worker', 'Cluster', 'kafka-cluster', 'DescribeConfigs'
    allow(secured.brokers, [rule])
    try:
        eventually(lambda: 'could not read how long' not in (said := secured.command('check', **broker.login('worker'))) and
                   'warning kafka: broker 1: transaction.max.timeout.ms is 900000: set it to 60000' in said and
                   'warning kafka: broker 1: transaction.abort.timed.out.transaction.cleanup.interval.ms is 10000' in said and
                   'older than Kafka 3.6' not in said, 'it is told')
    finally:
        forbid(secured.brokers, rule)


# What it writes to the topic of requests it writes only if that is replicated; this one is not.
UNREPLICATED = 'worker', 'Topic', 'booking.requests.v1', 'Write'


@pytest.mark.parametrize('rule', [rule for rule in rules() if rule[0] == 'worker' and rule[3] != 'DescribeConfigs'
                                  and rule != UNREPLICATED],
                         ids=' '.join)
def test_each_line_of_the_worker_is_needed(secured, broker, rule):
    secured.workers[-1].stop()
    forbid(secured.brokers, rule)
    try:
        worker = secured.worker(await_ready=False, **broker.login('worker'))
        place = secured.client.send(secured.client.request('book', 'show', customer='c', items=places('standing', 1)))
        eventually(lambda: worker.process.poll() == 77 or 'uthorization failed' in worker.log(), f'denied without {rule}')
        assert place[0] not in secured.client.answers.by_source
    finally:
        allow(secured.brokers, [rule])
    worker.kill()
    secured.worker(**broker.login('worker'))
    assert verdict(secured.client.answers_to(place)[0])[0] in ('confirmed', 'refused')
