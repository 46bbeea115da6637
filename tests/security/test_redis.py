"""Redis by TLS, with the user that the contract gives the worker."""

import pytest

from harness.certificates import Certificates
from harness.own_redis import TlsRedis
from harness.shows import HALL, seats
from harness.waiting import eventually


@pytest.fixture(name='places')
def realm_and_redis(make_realm, tmp_path):
    certificates = Certificates(tmp_path)
    certificates.authority.issue('worker')
    certificates.stranger.issue('impostor')
    realm = make_realm()
    own = TlsRedis(tmp_path, certificates, realm.name)
    realm.cache.close()
    realm.cache = own.client
    yield realm, own
    own.close()


def says(realm, settings, code, *words):
    done = realm.run('reconcile', **settings)
    assert (done.returncode, done.stdout) == (code, ''), (done.stdout, done.stderr)
    assert len(done.stderr.splitlines()) == 1 and all(word in done.stderr for word in words), done.stderr
    assert 'SECRET' not in done.stderr


def test_redis_by_tls(places):
    realm, own = places
    worker = realm.worker(**own.settings())
    realm.ask('define', 'show', **HALL)
    answer = realm.ask('book', 'show', customer='c', items=seats('A-1'))
    realm.await_shown('show', answer['rev'])
    for command in ('reconcile', 'rebuild-cache'):
        realm.command(command, **own.settings('127.0.0.1'))
    done = realm.run('check', **own.settings())
    assert done.returncode == 0, done.stdout

    good = own.certificates.good
    for words, base in own.certificates.bad.items():
        own.serve(base)
        says(realm, own.settings(), 69, words)
    # A worker sells on, and shows it when the certificate is renewed.
    own.client.client_kill_filter(_type='normal', skipme=True)
    answer = realm.ask('book', 'show', customer='c', items=seats('A-2'))
    assert answer['outcome'] == 'confirmed'
    eventually(lambda: 'its certificate' in worker.log(), 'the worker says why it shows nothing')
    own.serve(good)
    realm.await_shown('show', answer['rev'])

    says(realm, own.settings(user='usher-worker:wrong'), 77, 'user and password')
    for certificate in None, 'impostor':
        says(realm, own.settings(certificate=certificate), 77, 'USHER_REDIS_CERTIFICATE_FILE')
    says(realm, {**own.settings(), 'USHER_REDIS_CA_FILE': '/nowhere/ca.pem'}, 78, 'USHER_REDIS_CA_FILE', '/nowhere/ca.pem')
    says(realm, {**own.settings(), 'USHER_REDIS': f'rediss://localhost:{own.port}'}, 69, 'TLS')
