"""Deletes the records of a partition up to its end, as retention does in time. The Kafka client at hand has no call for
it, so this speaks the protocol: DeleteRecords, version 0."""

import socket
import struct

from .waiting import PATIENCE_S

DELETE_RECORDS = 21


def _text(text):
    return struct.pack('>h', len(text)) + text.encode()


def delete_records(brokers, topic, partition=0):
    """Returns the offset at which the log begins then."""
    up_to_the_end = -1
    body = (struct.pack('>hhi', DELETE_RECORDS, 0, 1) + _text('usher-tests') + struct.pack('>i', 1) + _text(topic) +
            struct.pack('>iiqi', 1, partition, up_to_the_end, PATIENCE_S * 1000))
    host, port = brokers.split(',')[0].rsplit(':', 1)
    with socket.create_connection((host, int(port)), PATIENCE_S) as connection, connection.makefile('rb') as answers:
        connection.sendall(struct.pack('>i', len(body)) + body)
        answer = answers.read(struct.unpack('>i', answers.read(4))[0])
    start, error = struct.unpack('>qh', answer[-10:])
    assert error == 0, f'could not delete the records of {topic} {partition}: error {error}'
    return start


def restart_behind_deleted(realm, worker, resource):
    """
    Kills the worker of a partition, one of whose requests is deleted before it is decided. Returns the worker that starts
    then, and halts; where the log begins; and what was sent behind the deleted request.
    """
    worker.pause()
    realm.client.send(realm.client.request('probe', resource))
    start = delete_records(realm.brokers, realm.client.topic)
    kept = realm.client.send(realm.client.request('probe', resource))
    worker.kill()
    return realm.worker(), start, kept
