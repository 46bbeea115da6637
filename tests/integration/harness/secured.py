"""A broker that speaks TLS and lets in nobody whom it does not know, beside the stack of the session."""

import contextlib
import pathlib
import re

from .access import allow
from .brokers import Broker
from .certificates import Certificates
from .realm import Realm
from .stack import BUILD, TREE, free_port

USERS = ('worker', 'producer', 'seller', 'follower', 'operator')

# Who gets in where: by password, by certificate, and, for the tests alone, without either.
LISTENERS = {'INTERNAL': 'PLAINTEXT', 'SCRAM': 'SASL_SSL', 'MTLS': 'SSL', 'UNKNOWN': 'SSL', 'ELSEWHERE': 'SSL', 'EXPIRED': 'SSL',
             'CONTROLLER': 'PLAINTEXT'}


def rules():
    """(principal, kind, name, operation) of the table in deploy/README.md."""
    for line in (TREE / 'deploy/README.md').read_text().splitlines():
        row = re.match(r'\| `(\w+)` \| (Topic|Group|Cluster|TransactionalId) \| `([\w.*-]+)` \| ([\w, ]+) \|', line)
        if row:
            for operation in row[4].split(', '):
                yield row[1], row[2], row[3], operation


class SecuredBroker(Broker):
    def __init__(self, directory, certificates):
        self.directory, self.certificates = pathlib.Path(directory), certificates
        self.ports = {name: free_port() for name in LISTENERS}
        self.passwords = {user: f'secret-of-{user}' for user in USERS}
        super().__init__(directory, dict(self._secured()), self.at('INTERNAL'))

    def _secured(self):
        def listeners(names):
            return ','.join(f'{name}://localhost:{self.ports[name]}' for name in names)
        yield 'node.id', '1'
        yield 'controller.quorum.voters', f'1@localhost:{self.ports["CONTROLLER"]}'
        yield 'listeners', listeners(LISTENERS)
        yield 'advertised.listeners', listeners(name for name in LISTENERS if name != 'CONTROLLER')
        yield 'listener.security.protocol.map', ','.join(f'{name}:{protocol}' for name, protocol in LISTENERS.items())
        yield 'inter.broker.listener.name', 'INTERNAL'
        for topic in 'offsets.topic', 'transaction.state.log':
            yield f'{topic}.replication.factor', '1'
        yield 'transaction.state.log.min.isr', '1'
        yield 'group.min.session.timeout.ms', '500'
        yield 'authorizer.class.name', 'org.apache.kafka.metadata.authorizer.StandardAuthorizer'
        yield 'super.users', 'User:ANONYMOUS'
        yield 'ssl.keystore.type', 'PEM'
        yield 'ssl.truststore.type', 'PEM'
        yield 'ssl.truststore.location', self.certificates.authority.file
        yield 'ssl.principal.mapping.rules', 'RULE:^CN=([^,]+).*$/$1/'
        yield 'sasl.enabled.mechanisms', 'SCRAM-SHA-512'
        yield ('listener.name.scram.scram-sha-512.sasl.jaas.config',
               'org.apache.kafka.common.security.scram.ScramLoginModule required;')
        yield 'listener.name.mtls.ssl.client.auth', 'required'
        for name in LISTENERS:
            base = self.certificates.directory / name.lower()
            yield f'listener.name.{name.lower()}.ssl.keystore.location', \
                base.with_suffix('.pem') if base.with_suffix('.pem').exists() else self.certificates.good.with_suffix('.pem')

    def start(self):
        self.format(*(word for name, password in self.passwords.items()
                      for word in ('--add-scram', f'SCRAM-SHA-512=[name={name},password={password}]')))
        self.launch()
        self.await_answer()

    def at(self, listener):
        return f'localhost:{self.ports[listener]}'

    def login(self, user, listener='SCRAM'):
        """The settings of usher to log in as a user; with a librdkafka that can, where the system's cannot."""
        newer = BUILD / 'librdkafka/librdkafka.so.1'
        preload = {'LD_PRELOAD': str(newer)} if newer.exists() else {}
        return {'USHER_KAFKA_BROKERS': self.at(listener), 'USHER_KAFKA_SECURITY': 'sasl_ssl',
                'USHER_KAFKA_CA_FILE': str(self.certificates.authority.file), 'USHER_KAFKA_USERNAME': user,
                'USHER_KAFKA_PASSWORD': self.passwords[user], **preload}

    def client(self, user, **settings):
        """Of a client that is not usher's, by certificate, for the librdkafka that tests have."""
        base = self.certificates.directory / user
        return {'bootstrap.servers': self.at('MTLS'), 'security.protocol': 'ssl', 'log_level': 0,
                'ssl.ca.location': str(self.certificates.authority.file), 'ssl.certificate.location': f'{base}.crt',
                'ssl.key.location': f'{base}.key', **settings}

    def certificate(self, user=None, listener='MTLS', ca=None):
        """The same with a certificate; None: without any."""
        base = self.certificates.directory / str(user)
        files = {'USHER_KAFKA_CERTIFICATE_FILE': f'{base}.crt', 'USHER_KAFKA_KEY_FILE': f'{base}.key'} if user else {}
        return {'USHER_KAFKA_BROKERS': self.at(listener), 'USHER_KAFKA_SECURITY': 'ssl',
                'USHER_KAFKA_CA_FILE': str(ca or self.certificates.authority.file), **files}


@contextlib.contextmanager
def secured_broker(directory):
    """One that runs, and the certificates of all who come in by one."""
    certificates = Certificates(directory)
    for user in USERS:
        certificates.authority.issue(user)
    certificates.stranger.issue('impostor')
    broker = SecuredBroker(directory, certificates)
    try:
        broker.start()
        yield broker
    finally:
        broker.kill()


class SecuredRealm(Realm):
    """A realm on that broker, by the names of deploy/README.md. The tests' own client comes in by its own door; who is
    to log in is said with each program."""

    def __init__(self, stack, broker, **settings):
        self.broker = broker
        super().__init__(stack, 'secured', 2, USHER_TOPIC_PREFIX='booking', USHER_KAFKA_GROUP='usher',
                         USHER_KAFKA_BROKERS=broker.address, **settings)

    def _make(self):
        allow(self.brokers, list(rules()))
        with self.session('admin', 'postgres') as cursor:
            cursor.execute(f'create database {self.name} owner usher_owner')
        self.command('migrate', 'up', USHER_POSTGRES=self.uri('owner'))
        self.command('topics', 'create', '--partitions', '2', '--replication', '1', **self.broker.certificate('operator'))
