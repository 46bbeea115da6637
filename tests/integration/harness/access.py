"""Access control lists of Kafka, added and removed. The Kafka client at hand has no call for them, so this speaks the
protocol: CreateAcls and DeleteAcls, version 1."""

import socket
import struct

from .waiting import PATIENCE_S

CREATE, DELETE = 30, 31
ALLOW, LITERAL, PREFIXED, ANY_HOST = 3, 3, 4, '*'
KINDS = {'Topic': 2, 'Group': 3, 'Cluster': 4, 'TransactionalId': 5}
OPERATIONS = {'Read': 3, 'Write': 4, 'Create': 5, 'Delete': 6, 'Alter': 7, 'Describe': 8, 'DescribeConfigs': 10}


def _text(text):
    return struct.pack('>h', len(text)) + text.encode()


def _entry(principal, kind, name, operation):
    pattern = PREFIXED if name.endswith('*') else LITERAL
    return (struct.pack('>b', KINDS[kind]) + _text(name.rstrip('*')) + struct.pack('>b', pattern) + _text(f'User:{principal}') +
            _text(ANY_HOST) + struct.pack('>bb', OPERATIONS[operation], ALLOW))


def _call(brokers, key, entries):
    body = struct.pack('>hhi', key, 1, 1) + _text('usher-tests') + struct.pack('>i', len(entries)) + b''.join(entries)
    host, port = brokers.rsplit(':', 1)
    with socket.create_connection((host, int(port)), PATIENCE_S) as connection, connection.makefile('rb') as answers:
        connection.sendall(struct.pack('>i', len(body)) + body)
        return answers.read(struct.unpack('>i', answers.read(4))[0])[4:]


def _errors(answer):
    """Of each entry its error; 0: none."""
    _throttle, count = struct.unpack_from('>ii', answer)
    at = 8
    for _entry_number in range(count):
        error, size = struct.unpack_from('>hh', answer, at)
        yield error
        at += 4 + max(size, 0)


def allow(brokers, rules):
    """`rules`: (principal, kind, name, operation) each."""
    answer = _call(brokers, CREATE, [_entry(*rule) for rule in rules])
    assert not any(_errors(answer)), f'Kafka did not take the rules: {answer}'


def forbid(brokers, rule):
    """Takes back one that was allowed."""
    answer = _call(brokers, DELETE, [_entry(*rule)])
    assert struct.unpack_from('>iih', answer)[1:] == (1, 0), f'Kafka did not remove {rule}: {answer}'
