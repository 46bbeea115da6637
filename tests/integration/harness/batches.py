"""The batches of a log as its broker keeps them: which offsets are records, which end a transaction, and which are in
none of them, since compaction took them away."""

import collections
import struct

# first offset, size, epoch of the leader, magic, checksum, attributes, last offset after the first one
HEADER = struct.Struct('>qiibIhi')
BEHIND_SIZE = 12  # the size counts from here
CONTROL = 0x20

Batch = collections.namedtuple('Batch', 'first last is_control')


def _of_file(path):
    data, at = path.read_bytes(), 0
    while at + HEADER.size <= len(data):
        first, size, _epoch, _magic, _checksum, attributes, count = HEADER.unpack_from(data, at)
        if size <= 0:  # a file that has room left
            return
        yield Batch(first, first + count, bool(attributes & CONTROL))
        at += BEHIND_SIZE + size


def log_batches(realm, partition=0, topic=None):
    """In their order. After a compaction the last offset of a batch may be one that it does not have any more."""
    directory = realm.stack.directory / 'kafka/data' / f'{topic or realm.client.topic}-{partition}'
    return [batch for path in sorted(directory.glob('*.log')) for batch in _of_file(path)]
