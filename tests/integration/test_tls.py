"""PostgreSQL by TLS, with certificates that are good and that are not; a password that is changed. Kafka and Redis by
TLS are in tests/security."""

import os
import shutil

import pytest

from harness.certificates import Certificates
from harness.shows import HALL, places, verdict
from harness.waiting import eventually


@pytest.fixture(name='serve')
def postgres_with_a_certificate(shared_realm, tmp_path):
    """Has PostgreSQL use a certificate for connections from now on; returns what is there to use."""
    folder = shared_realm.sql('show data_directory')[0][0]
    owner = os.stat(folder)

    def serve(base):
        for suffix in ('.crt', '.key'):
            copy = shutil.copy(base.with_suffix(suffix), f'{folder}/server{suffix}')
            os.chown(copy, owner.st_uid, owner.st_gid)
            os.chmod(copy, 0o600)
        shared_realm.sql("alter system set ssl = 'on'")
        shared_realm.sql('select pg_reload_conf()')
    serve.certificates = Certificates(tmp_path)
    yield serve
    shared_realm.sql('alter system reset ssl')
    shared_realm.sql('select pg_reload_conf()')
    eventually(lambda: shared_realm.sql('show ssl') == [('off',)], 'PostgreSQL is as it was')


def test_postgres_is_trusted_by_ca_name_and_time(shared_realm, serve):
    certificates = serve.certificates

    def look(host='127.0.0.1'):
        uri = shared_realm.uri('reader').replace('127.0.0.1', host)
        done = shared_realm.run('status', USHER_POSTGRES=f'{uri}?sslmode=verify-full&'
                                f'sslrootcert={certificates.authority.file}')
        assert len(done.stderr.splitlines()) == (done.returncode != 0), done.stderr
        return done.returncode, done.stderr

    words = {'another name': 'does not match host name', 'expired': 'its certificate has expired',
             'not from a CA that is trusted': 'not from a CA that is trusted'}
    for problem, base in certificates.bad.items():
        serve(base)
        eventually(lambda said=words[problem]: look()[0] == 69 and said in look()[1], problem)
    serve(certificates.good)
    eventually(lambda: look() == look('localhost') == (0, ''), 'the good one is trusted')


def test_a_password_that_is_changed_needs_no_restart(make_realm, tmp_path):
    """The URI is read out of its file again with each connection."""
    realm = make_realm()
    login, file = f'{realm.name}_login', tmp_path / 'uri'

    def change_password(password):
        file.write_text(realm.uri('worker').replace(realm.uri('worker').split('@')[0], f'postgresql://{login}:{password}'))
        realm.sql(f"alter role {login} login password '{password}'")

    realm.sql(f'create role {login} in role usher_worker')
    change_password('first')
    del realm.environment['USHER_POSTGRES']
    worker = realm.worker(USHER_POSTGRES_FILE=str(file))
    realm.ask('define', 'show', **HALL)
    change_password('second')
    assert realm.sql('select pg_terminate_backend(pid) from pg_stat_activity where usename = %s', login)
    assert verdict(realm.ask('book', 'show', customer='c', items=places('standing', 1))) == ('confirmed', None)
    assert worker.process.poll() is None
    realm.check()
