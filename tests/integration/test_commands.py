"""The programs as people meet them: exit codes, what is said when something is wrong, and that no secret is."""

import json
import re
import resource
import socket
import subprocess
import threading

import pytest

from harness.load import Crowd
from harness.shows import HALL, places
from harness.stack import TREE, clean_environment, free_port, program as path_of
from harness.topics import alter_topic
from harness.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.smoke


def says(done, code, *words):
    """The exit code, and that its message, one line on stderr, has these words."""
    text = done.stdout + done.stderr
    assert done.returncode == code, text
    for word in words:
        assert word in done.stderr, f'"{word}" is not in: {text}'


def refuse(listener):
    """As PostgreSQL refuses a connection for an error of its own."""
    client, _address = listener.accept()
    with client:
        client.recv(8)
        client.sendall(b'N')  # no TLS
        client.recv(1000)
        text = b'SFATAL\0VFATAL\0CXX000\0Mcould not write init file\0\0'
        client.sendall(b'E' + (len(text) + 4).to_bytes(4, 'big') + text)


def test_a_database_that_cannot_serve_is_away(shared_realm):
    """Its disk is full, say: no fault of the worker, which tries again later."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        server = threading.Thread(target=refuse, args=(listener,))
        server.start()
        done = shared_realm.run('reconcile', USHER_POSTGRES=f'postgresql://w@127.0.0.1:{listener.getsockname()[1]}/d')
        server.join()
    says(done, 69, 'could not connect to PostgreSQL', 'could not write init file', "see the server's log")


# ---- usage ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize('program, command', [('usher-worker', 'run'), ('usher-worker', 'check'),
                                              ('usher-producer', 'send')])
def test_an_unknown_flag_or_key_names_the_nearest(shared_realm, program, command):
    done = shared_realm.run(command, '--kafka-broker=x', name=program)
    says(done, 64, 'kafka-broker', '--kafka-brokers')
    done = shared_realm.run(command, name=program, USHER_TOPIC_PREFIXX='x')
    says(done, 64, 'USHER_TOPIC_PREFIXX', '"USHER_TOPIC_PREFIX"')


@pytest.mark.parametrize('program, command', [('usher-worker', 'show'), ('usher-producer', 'probe')])
def test_both_programs_answer_alike(shared_realm, program, command):
    """A command that there is none of, an argument too few or too many, and where help is."""
    def run(*words):
        return shared_realm.run(*words, name=program)

    says(run('verson'), 64, f'{program}: unknown command "verson"; did you mean "version"?')
    says(run('help', 'nonsense'), 64, f'no help on "nonsense"; see {program} help')
    says(run(command), 64, f'usage: {program} {command} RESOURCE [')
    says(run(command, 'a', 'b'), 64, 'unexpected argument "b"')
    assert run(command, '--help').stdout == run('help', command).stdout
    assert run('help').stdout == run('help', 'help').stdout == run('-h').stdout


def test_an_unknown_key_in_a_file(shared_realm, tmp_path):
    (tmp_path / 'usher.conf').write_text('# usher\nUSHER_HOLD_TLL=5m\n')
    says(shared_realm.run('run', '--config', str(tmp_path / 'usher.conf')), 64, 'USHER_HOLD_TLL', 'USHER_HOLD_TTL')


def test_help_of_an_alert(shared_realm):
    """Its page of the runbook."""
    runbook = (TREE / 'deploy/runbook.md').read_text()
    alerts = re.findall(r'^### (\w+)\n((?:(?!#).*\n)+)', runbook, re.MULTILINE)
    assert len(alerts) == runbook.count('\n### ')
    for name, page in alerts:
        assert shared_realm.command('help', name) == f'{name}\n{page.rstrip()}\n'
    says(shared_realm.run('help', 'UsherNoWorkers'), 64, 'no help on "UsherNoWorkers"; did you mean "UsherNoWorker"?')
    says(shared_realm.run('UsherNoWorker'), 64, 'unknown command "UsherNoWorker"; see usher-worker help')


def test_help_of_a_command(shared_realm):
    for words in (['help', 'run'], ['run', '--help']):
        assert '--batches-in-flight' in shared_realm.command(*words)
    says(shared_realm.run('help', 'rnu'), 64, 'rnu', 'run')
    text = shared_realm.command('migrate', '--help')
    assert 'list prints' in text and 'example: usher-worker migrate up' in text and '--postgres' in text
    assert '--batches-in-flight' not in text and '--kafka-brokers' not in text


def test_an_unknown_command_names_the_nearest(shared_realm):
    says(shared_realm.run('topic'), 64, 'topics')
    says(shared_realm.run('hodl', name='usher-producer'), 64, 'hold')
    says(shared_realm.run('dashboard'), 64, 'did you mean usher-dashboard run?')
    for word in ('resources', 'show', 'bookings', 'history', 'waiting', 'status', 'dead-letters'):
        says(shared_realm.run(word, name='usher-producer'), 64, f'did you mean usher-worker {word}?')
        assert f'usage: usher-worker {word}' in shared_realm.command('help', word)


def test_a_value_that_is_none(shared_realm):
    says(shared_realm.run('run', USHER_HOLD_TTL='soon'), 64, 'USHER_HOLD_TTL', 'soon')


def test_nothing_is_taken_for_a_setting_that_is_none(shared_realm, tmp_path):
    says(shared_realm.run('run', USHER_KAFKA_BROKERS=''), 78, 'USHER_KAFKA_BROKERS', 'empty')
    for command in ('run', 'status', 'migrate list'):
        for nothing in '', ' ', '\n \n':
            says(shared_realm.run(*command.split(), USHER_POSTGRES=nothing), 78, 'USHER_POSTGRES', 'empty')
    says(shared_realm.run('probe', 'show', USHER_KAFKA_BROKERS='', name='usher-producer'), 78, 'USHER_KAFKA_BROKERS')
    says(shared_realm.run('print-config', '--config', str(tmp_path)), 78, str(tmp_path), 'directory')
    says(shared_realm.run('forget-customer', '', USHER_POSTGRES=shared_realm.uri('owner')), 64, 'an argument is empty')
    says(shared_realm.run('bookings', '--customer', 'ann', '--customer', 'bob'), 64, '--customer is given twice')
    says(shared_realm.run('hold', 'show', '--customer', 'ann', '--customer', 'bob', name='usher-producer'), 64, 'twice')
    says(shared_realm.run('define', 'show', '--section', 's:rows=A:3,rows=B:5,price=1', name='usher-producer'), 64,
         '--section', 'duplicate "rows"')


@pytest.mark.parametrize('settings, words', [
    ({'USHER_HOLD_TTL': '2h', 'USHER_HOLD_TTL_MAX': '1h'}, ['USHER_HOLD_TTL is longer than USHER_HOLD_TTL_MAX']),
    ({'USHER_KAFKA_HEARTBEAT': '10s'}, ['USHER_KAFKA_HEARTBEAT is 10000 ms', 'a third', '6000 ms']),
    ({'USHER_KAFKA_SESSION_TIMEOUT': '3s', 'USHER_KAFKA_HEARTBEAT': '1001ms'}, ['a third'])])
def test_times_that_do_not_go_together(shared_realm, settings, words):
    """A worker whose session ends between two heartbeats would interrupt all others for ever."""
    for command in ('run', 'check'):
        says(shared_realm.run(command, **settings), 78, *words)


@pytest.mark.parametrize('currency, price, complaint', [
    (None, '45.00', 'need --currency'), ('GBP', '45.5', 'has 2 decimals'), ('GBP', '.50', 'has 2 decimals'),
    ('GBP', '1.-1', 'has 2 decimals'), ('JPY', '45.00', 'has 0 decimals'), ('KWD', '45.00', 'has 3 decimals'),
    ('GBP', '99999999999999999999999999999999.00', 'GBP'), ('GBP', '10000000000.01', 'more than 1000000000000')])
def test_a_price_that_is_none(shared_realm, currency, price, complaint):
    given = ['--currency', currency] if currency else []
    says(shared_realm.run('define', 'show', *given, '--section', f's:capacity=3,price={price}', name='usher-producer'), 64,
         '--section', price, complaint)


@pytest.mark.parametrize('program, command', [('usher-worker', 'print-config'), ('usher-dashboard', 'print-config'), ('usher-producer', 'help')])
def test_output_that_is_lost_is_said(program, command):
    with open('/dev/full', 'w') as full:
        done = subprocess.run([path_of(program), command], stdout=full, stderr=subprocess.PIPE, text=True,
                              timeout=PATIENCE_S, check=False, env=clean_environment())
    assert done.returncode == 74 and 'could not write' in done.stderr


def test_a_kafka_property_that_the_protocol_depends_on(shared_realm):
    says(shared_realm.run('run', '-X', 'enable.auto.commit=true'), 78, 'enable.auto.commit')
    says(shared_realm.run('send', '-X', 'partitioner=random', name='usher-producer', stdin=''), 78, 'partitioner')


# ---- what a worker needs -------------------------------------------------------------------------------------------
def test_a_file_of_kafka_settings_that_cannot_be_read(shared_realm):
    """Said by name, also where librdkafka would not have needed it."""
    for program, command in (('usher-worker', 'check'), ('usher-producer', 'probe show')):
        done = shared_realm.run(*command.split(), USHER_KAFKA_CA_FILE='/nowhere/ca.pem', name=program)
        says(done, 78, 'USHER_KAFKA_CA_FILE', '"/nowhere/ca.pem"', 'No such file')
    done = shared_realm.run('check', USHER_KAFKA_PROPERTIES='linger.ms=5;ssl.keystore.location=/nowhere/store')
    says(done, 78, 'ssl.keystore.location', '"/nowhere/store"')
    says(shared_realm.run('run', USHER_KAFKA_PROPERTIES='acks=1'), 78, 'acks')
    says(shared_realm.run('check', USHER_KAFKA_PROPERTIES_FILE='/nowhere/properties'), 78, '"/nowhere/properties"')


def test_a_broker_that_asks_for_a_certificate(shared_realm, tmp_path):
    """It is told who connects: the key is read with its password, which is in a file, too."""
    key, certificate, password = tmp_path / 'key.pem', tmp_path / 'certificate.pem', tmp_path / 'password'
    password.write_text('s3cret\n')
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-days', '1',
                    '-subj', '/CN=usher-client', '-passout', f'file:{password}', '-keyout', key, '-out', certificate],
                   check=True, capture_output=True)
    port = free_port()
    tls = {'USHER_KAFKA_BROKERS': f'localhost:{port}', 'USHER_KAFKA_SECURITY': 'ssl', 'USHER_KAFKA_CA_FILE': certificate,
           'USHER_KAFKA_CERTIFICATE_FILE': certificate, 'USHER_KAFKA_KEY_FILE': key,
           'USHER_KAFKA_KEY_PASSWORD_FILE': password,
           'USHER_KAFKA_PROPERTIES': 'ssl.endpoint.identification.algorithm=none'}
    said = tmp_path / 'said'
    with said.open('wb') as out, subprocess.Popen(
            ['openssl', 's_server', '-accept', str(port), '-cert', certificate, '-key', key, '-pass', f'file:{password}',
             '-CAfile', certificate, '-Verify', '1'], stdin=subprocess.PIPE, stdout=out, stderr=out) as broker:
        try:
            eventually(lambda: 'ACCEPT' in said.read_text(), 'the broker listens')
            with subprocess.Popen([path_of('usher-worker'), 'check'], stdout=out, stderr=out, env=clean_environment(**{
                    **shared_realm.environment, **{name: str(value) for name, value in tls.items()}})) as check:
                try:
                    eventually(lambda: re.search(r'subject=.*usher-client', said.read_text()), 'the broker sees who connects')
                finally:
                    check.kill()
        finally:
            broker.kill()


def test_a_wrong_partition_count(realm):
    eventually(realm.workers[0].owns, what='the first worker records the count')
    realm.workers[0].stop()
    realm.command('topics', 'create', '--partitions', '2', '--replication', '1', USHER_TOPIC_PREFIX='twice')
    for command in ('run', 'check'):
        done = realm.run(command, USHER_TOPIC_PREFIX='twice')
        assert done.returncode == 78, done.stderr
        assert re.search(r'\b2\b', done.stdout + done.stderr) and re.search(r'\b1\b', done.stdout + done.stderr)


def test_a_missing_topic(shared_realm):
    says(shared_realm.run('run', USHER_TOPIC_PREFIX='nothing'), 69, 'nothing.requests', 'topics create')
    done = shared_realm.run('topics', 'check', USHER_TOPIC_PREFIX='nothing')
    assert done.returncode == 69 and 'topics create' in done.stdout + done.stderr


@pytest.mark.parametrize('limit', [24, 40, 64])
def test_too_few_open_files_are_said_in_one_line(shared_realm, limit):
    done = subprocess.run(['bash', '-c', f'ulimit -n {limit}; exec "$0" run', path_of('usher-worker')], text=True,
                          env=clean_environment(**shared_realm.environment), capture_output=True, timeout=PATIENCE_S, check=False)
    says(done, 78, 'open files', str(limit), 'ulimit -Hn')
    assert len([line for line in done.stderr.splitlines() if not line.startswith('ts=')]) == 1, done.stderr


def test_the_limit_of_open_files_is_raised(shared_realm):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (120, hard))
    try:
        worker = shared_realm.worker()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert resource.prlimit(worker.pid, resource.RLIMIT_NOFILE) == (hard, hard)
    worker.stop()
    worker.close()
    shared_realm.workers.remove(worker)


def test_a_wrong_password(shared_realm):
    uri = re.sub(r':[^:@/]+@', ':open-sesame@', shared_realm.environment['USHER_POSTGRES'])
    for command in ('run', 'check'):
        done = shared_realm.run(command, USHER_POSTGRES=uri)
        assert done.returncode == 77, done.stderr
        assert 'open-sesame' not in done.stdout + done.stderr
        assert 'password' in done.stdout + done.stderr


@pytest.mark.parametrize('key', ['USHER_POSTGRES', 'USHER_REDIS'])
def test_a_wrong_password_out_of_a_file(shared_realm, tmp_path, key):
    """Whoever mends it is told of the file's option."""
    (tmp_path / 'uri').write_text(re.sub(r'//([^:@/]*:[^@/]*@)?', '//usher_worker:open-sesame@', shared_realm.environment[key]))
    flag = '--' + key.removeprefix('USHER_').lower() + '-file'
    done = shared_realm.run('check', flag, str(tmp_path / 'uri'))
    assert done.returncode == 77, done.stderr
    assert f'check user and password in {key}_FILE\n' in done.stdout + done.stderr


def test_a_database_without_schema_or_with_a_newer_one(realm):
    realm.workers[0].stop()
    realm.sql("insert into usher.schema_migration (version, name, sha256) values (999, '999_later.sql', '')")
    for arguments in (['run'], ['check']):
        done = realm.run(*arguments)
        assert done.returncode == 78 and '999' in done.stdout + done.stderr, done.stderr
    done = realm.run('migrate', 'up', USHER_POSTGRES=realm.uri('owner'))
    assert done.returncode == 78 and '999' in done.stdout + done.stderr
    realm.sql('delete from usher.schema_migration')
    realm.sql('drop schema usher cascade')
    says(realm.run('run'), 78, 'migrate up')


@pytest.mark.parametrize('password', ['s3/cret', 's3@cret', 's3?cr@et', 's3#cret', '/s3cret', 's3@cr/et', 's3%cret'])
def test_a_password_that_is_not_escaped_is_not_shown(shared_realm, password):
    uri = re.sub(r':[^:@/]+@', f':{password}@', shared_realm.environment['USHER_POSTGRES'])
    for command in (['check'], ['migrate', 'list'], ['reconcile']):
        done = shared_realm.run(*command, USHER_POSTGRES=uri)
        text = done.stdout + done.stderr
        assert done.returncode == (77 if '#' in password else 78), text
        assert 's3' not in text and 'cret' not in text, text


def test_print_config_masks_what_looks_like_a_secret(shared_realm):
    done = shared_realm.run('print-config', '-X', 'sasl.kerberos.kinit.cmd=secret-word', USHER_REDIS='redis://secret-word@h:1')
    assert done.returncode == 0 and 'secret-word' not in done.stdout and 'redis://****@h:1' in done.stdout


@pytest.mark.parametrize('setting, value', [
    ('USHER_POSTGRES', 'postgresql://usher_worker:secret-word@127.0.0.1:{port}/usher'),
    ('USHER_KAFKA_BROKERS', '127.0.0.1:{port}')])
def test_a_dependency_that_is_down_at_the_start(shared_realm, setting, value):
    port = free_port()
    done = shared_realm.run('run', **{setting: value.format(port=port)})
    says(done, 69, str(port))
    assert 'secret-word' not in done.stdout + done.stderr


def test_check_says_a_line_for_each_dependency(shared_realm):
    done = shared_realm.run('check')
    assert done.returncode == 0, done.stdout + done.stderr
    for word in ('Kafka', 'PostgreSQL', 'Redis'):
        assert word.lower() in done.stdout.lower()
    assert 'warning' not in done.stdout
    lines = [json.loads(line) for line in shared_realm.command('check', '--json').splitlines()]
    assert [f'ok {line["text"]}' for line in lines if line['result'] == 'ok'] == \
        [line for line in done.stdout.splitlines() if line.startswith('ok ')]
    assert {line['result'] for line in lines} == {'ok', 'note'} and len(lines) == len(done.stdout.splitlines())
    assert '\033[32mok \033[0m' in shared_realm.command('check', '--color=always')
    assert '--http-listen' in shared_realm.command('check', '--help')
    done = shared_realm.run('check', USHER_POSTGRES=shared_realm.uri('owner'))
    assert done.returncode == 0 and 'warning logged in as "usher_owner", which may change the schema' in done.stdout
    assert '\nnote redis: not configured' in shared_realm.command('check', USHER_REDIS='')
    done = shared_realm.run('check', USHER_REDIS=f'redis://:secret-word@127.0.0.1:{free_port()}')
    assert '\nFAIL could not connect to Redis: ' in done.stdout
    assert 'secret-word' not in done.stdout + done.stderr
    shared_realm.sql('alter role usher_reader reset statement_timeout')
    try:
        assert "alter role usher_reader set statement_timeout = '1min'\n" in shared_realm.run('check').stdout
    finally:
        shared_realm.sql("alter role usher_reader set statement_timeout = '1min'")
    kafka = shared_realm.brokers.split(',')[0]
    failed = shared_realm.run('check', '--json', USHER_HTTP_LISTEN='8080')
    last = json.loads(failed.stdout.splitlines()[-1])
    assert failed.returncode == 78 and last['result'] == 'fail' and 'USHER_HTTP_LISTEN "8080"' in last['text']
    done = shared_realm.run('check', USHER_REDIS=f'redis://{kafka}', USHER_HTTP_LISTEN='8080')
    assert done.returncode == 69, done.stdout
    assert f'\nFAIL could not use Redis: the server at "{kafka}" does not answer as Redis does' in done.stdout
    assert '\nFAIL could not read USHER_HTTP_LISTEN "8080": expected host:port' in done.stdout
    says(shared_realm.run('migrate', 'list', USHER_POSTGRES='postgresql://u:secret-word@h/d?foo=1'), 78,
         'could not read USHER_POSTGRES: invalid URI query parameter: "foo"')


def test_check_says_once_that_a_login_may_not_enough(shared_realm):
    shared_realm.sql("create role passer_by login password 'by'; grant usage on schema usher to passer_by; "
                     'grant select on usher.schema_migration to passer_by')
    by = re.sub('//[^@]*@', '//passer_by:by@', shared_realm.uri('reader'))
    for uri, text in ((shared_realm.uri('reader'), 'logged in as "usher_reader", a login for readers: status, show'),
                      (by, 'missing permissions: select on usher.partition_state, ')):
        done = shared_realm.run('check', USHER_POSTGRES=uri)
        failed = [line for line in done.stdout.splitlines() if line.startswith('FAIL')]
        assert done.returncode == 77 and len(failed) == 1, done.stdout
        assert failed[0].startswith(f'FAIL {text}') and failed[0].endswith('; connect as a member of usher_worker')


def test_check_waits_for_what_is_still_to_come(shared_realm, tmp_path):
    """What it said is not said again, as long as it is so."""
    later = f'{shared_realm.name}-later'
    said = tmp_path / 'said'
    with said.open('w') as out, subprocess.Popen(
            [path_of('usher-worker'), 'check', f'--wait={PATIENCE_S}'], stdout=out,
            env=clean_environment(**{**shared_realm.environment, 'USHER_TOPIC_PREFIX': later})) as check:
        try:
            eventually(lambda: 'topics create' in said.read_text(), 'it says what is missing')
            shared_realm.command('topics', 'create', '--partitions', '4', '--replication', '1', USHER_TOPIC_PREFIX=later)
            assert check.wait(PATIENCE_S) == 0
        finally:
            check.kill()
    assert said.read_text().splitlines()[-1] == 'ok redis: answers'
    done = shared_realm.run('check', '--wait=3s', USHER_TOPIC_PREFIX='nothing')
    rounds = done.stdout.split('ok kafka')[1:]
    assert done.returncode == 69 and rounds and all(one != after for one, after in zip(rounds, rounds[1:])), done.stdout


def test_tls_where_the_broker_speaks_none(shared_realm):
    done = shared_realm.run('probe', 'show', USHER_KAFKA_SECURITY='ssl', name='usher-producer')
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 69 and 'TLS failed' in last and 'check USHER_KAFKA_SECURITY' in last, done.stderr


def test_print_config_says_where_values_come_from_and_no_secret(shared_realm, tmp_path):
    (tmp_path / 'uri').write_text('postgresql://u:secret-file@h/d\n')
    settings = {name: value for name, value in shared_realm.environment.items() if name != 'USHER_POSTGRES'}
    done = shared_realm.run('print-config', '--hold-ttl', '7m', USHER_KAFKA_USERNAME='u',
                            USHER_KAFKA_PASSWORD='secret-word', USHER_REDIS='redis://:secret-word@h:1',
                            USHER_KAFKA_SECURITY='sasl_plaintext', USHER_KAFKA_SASL_MECHANISM='PLAIN')
    text = done.stdout
    assert done.returncode == 0, done.stderr
    password = re.search(r':([^:@/]+)@', shared_realm.environment['USHER_POSTGRES'])[1]
    assert 'secret-word' not in text + done.stderr and password not in text + done.stderr
    assert re.search(r'USHER_HOLD_TTL=.?7m.*flag', text) and re.search(r'USHER_TOPIC_PREFIX=.*environment', text)
    assert settings['USHER_TOPIC_PREFIX'] in text


def test_print_config_as_json(shared_realm):
    text = shared_realm.command('print-config', '--json', '--hold-ttl', '7m', '-X', 'linger.ms=5', USHER_KAFKA_PROPERTIES='')
    rows = {row.get('key', row.get('property')): row for row in json.loads(text)}
    assert rows['USHER_HOLD_TTL'] == {'key': 'USHER_HOLD_TTL', 'value': '7m', 'source': 'flag'}
    assert rows['USHER_MEMORY_MAX'] == {'key': 'USHER_MEMORY_MAX', 'value': None, 'source': 'not set'}
    assert rows['linger.ms=5']['source'] == 'flag' and ':****@' in rows['USHER_POSTGRES']['value']


def test_no_log_has_a_secret(shared_realm):
    password = re.search(r':([^:@/]+)@', shared_realm.environment['USHER_POSTGRES'])[1]
    assert password not in ''.join(worker.log() for worker in shared_realm.workers)


# ---- the schema and the topics -------------------------------------------------------------------------------------
def test_migrate_and_topics_may_be_repeated(shared_realm):
    shared_realm.command('migrate', 'up', USHER_POSTGRES=shared_realm.uri('owner'))
    assert '001_roles.sql' in shared_realm.command('migrate', 'list')
    states = [json.loads(line) for line in shared_realm.command('migrate', 'list', '--json').splitlines()]
    assert states[0].pop('at').endswith('Z') and {state['state'] for state in states} == {'applied'}
    assert states[0] == {'migration': '001_roles.sql', 'state': 'applied', 'by': 'usher_owner'}
    assert 'create schema usher' in shared_realm.command('migrate', 'print')
    says(shared_realm.run('migrate', 'up', '--json', USHER_POSTGRES=shared_realm.uri('owner')), 64, 'migrate up takes no --json')
    says(shared_realm.run('topics', 'check', '--replication', '1'), 64, 'topics check takes no --replication')
    says(shared_realm.run('dead-letters', 'show', '--limit', '1', '0-1'), 64, 'dead-letters show takes no --limit')
    says(shared_realm.run('history', '--resource', '\udcff'), 64, 'give text in UTF-8')
    shared_realm.command('topics', 'create', '--partitions', '4', '--replication', '1')
    shared_realm.command('topics', 'check')
    lines = [json.loads(line) for line in shared_realm.command('topics', 'check', '--json').splitlines()]
    assert lines[0]['result'] == 'ok' and lines[0]['text'].startswith('kafka: 1 broker at ')
    assert '\033[' in shared_realm.command('topics', 'check', '--color=always')


def test_topics_that_take_larger_messages_than_requests_are(shared_realm):
    """It is no mistake, but a compressed one would cost a worker its memory."""
    prefix = shared_realm.name + '-large'
    shared_realm.command('topics', 'create', '--partitions', '1', '--replication', '1', USHER_TOPIC_PREFIX=prefix)
    alter_topic(shared_realm.brokers, f'{prefix}.requests.v1', cleanup_policy='delete', message_timestamp_type='LogAppendTime',
                max_message_bytes='20000000')
    said = shared_realm.command('topics', 'check', USHER_TOPIC_PREFIX=prefix)
    assert f'note topic "{prefix}.requests.v1": max.message.bytes is 20000000:' in said


# ---- reconcile, rebuild-cache ----------------------------------------------------------------------------------------
def test_a_reconcile_that_is_killed_leaves_no_statement_behind(make_realm):
    """A check of whole tables may take an hour."""
    realm = make_realm()
    realm.worker()
    realm.ask('define', 'show', **HALL)
    realm.ask('book', 'show', customer='c', items=places('stalls', 1))
    realm.sql('create or replace function usher.line_quantity(p_line json) returns bigint language plpgsql as '
              '$$ begin perform pg_sleep(3600); return 1; end $$')
    reconcile = subprocess.Popen([path_of('usher-worker'), 'reconcile'], env=clean_environment(**realm.environment))

    def backends():
        return realm.sql("select pid from pg_stat_activity where datname = %s and wait_event = 'PgSleep'", realm.name)

    eventually(backends, 'it is at a statement that takes long')
    reconcile.kill()
    reconcile.wait(PATIENCE_S)
    eventually(lambda: not backends(), 'its statement has ended')


def test_reconcile_finds_differences_and_rebuild_mends_the_cache(make_realm):
    realm = make_realm()
    worker = realm.worker()
    realm.ask('define', 'show', **HALL)
    answer = realm.ask('book', 'show', customer='c', items=places('stalls', 3))
    realm.await_shown('show', answer['rev'])
    assert worker.stop() == 0
    realm.command('reconcile')
    realm.cache.hset(f'{realm.name}:{{show}}', 'free', '99')
    realm.cache.setrange(f'{realm.name}:{{show}}:seats', 0, '.')
    realm.cache.set(f'{realm.name}:{{gone}}:seats', '....')
    done = realm.run('reconcile')
    assert done.returncode == 4 and 'show' in done.stdout, done.stdout + done.stderr
    json_done = realm.run('reconcile', '--json')
    *found, verdict = [json.loads(line) for line in json_done.stdout.splitlines()]
    assert [f'{one["resource"]}: {one["text"]}' for one in found] == done.stdout.splitlines()[:-1]
    assert {one['result'] for one in found} == {'difference'} and json_done.returncode == 4
    assert [verdict[key] for key in ('result', 'resources', 'sold', 'differences', 'redis')] == \
        ['verdict', 1, 3, len(found), True]
    realm.command('rebuild-cache')
    realm.command('reconcile')
    assert not realm.cache.exists(f'{realm.name}:{{gone}}:seats')
    # A unit that its booking lost.
    realm.sql('delete from usher.allocation where ctid in (select ctid from usher.allocation limit 1)')
    assert realm.run('reconcile').returncode == 4


def test_reconcile_while_all_is_being_sold(make_realm):
    """PostgreSQL and Redis are read one after the other, and both go on meanwhile."""
    realm = make_realm()
    realm.worker()
    with Crowd(realm, seed=21, pause_s=0.01).define() as crowd:
        eventually(lambda: crowd.asked() > 200, 'they book')
        done = realm.run('reconcile')
        assert done.returncode == 0, done.stdout + done.stderr
        crowd.finish()
    realm.check()


def test_without_redis_there_is_nothing_to_rebuild(shared_realm):
    says(shared_realm.run('rebuild-cache', USHER_REDIS=''), 78, 'USHER_REDIS')
    assert 'in PostgreSQL alone' in shared_realm.command('reconcile', USHER_REDIS='')
