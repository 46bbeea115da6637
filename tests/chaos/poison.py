"""Records that are no requests, or not where they should be: each a value, a key, and what else Kafka takes. And bombs,
which are small in the log and large when they are unpacked."""

from oracle.partitioner import partition_of
from test_bad_input import UNREADABLE, WRONG, hold

HUGE = 1_000_000
KEY_MAX = 60_000

# Codec → MB that a record may be unpacked to. The more it shrinks, the larger it can be without being refused by the
# broker; more than this ends a broker of 512 MB.
BOMBS = {'gzip': 60, 'snappy': 12, 'lz4': 60, 'zstd': 60}

# So large that librdkafka does not unpack it, nor the good requests in the same batch.
TOO_LARGE = {'zstd': 101}


def wrong_place(dice, resource, count):
    """Any partition but its own."""
    return (partition_of(resource.encode(), count) + dice.randrange(1, count)) % count


def text(dice, size):
    return bytes(dice.choices(b'abcdefgh', k=size))


# (dice, resource, partitions) → value, key, options
POISONS = {
    'unreadable': lambda dice, resource, count: (dice.choice(list(UNREADABLE.values())), resource, {}),
    'readable but wrong': lambda dice, resource, count: (
        hold(resource, **dice.choice(list(WRONG.values()))), resource, {}),
    'no value': lambda dice, resource, count: (None, resource, {}),
    'no key': lambda dice, resource, count: (hold(resource), None, {'partition': dice.randrange(count)}),
    'another key': lambda dice, resource, count: (hold(resource + '-other'), resource, {}),
    'a key that is no text': lambda dice, resource, count: (hold(resource), b'\xff\x00\xfe', {}),
    'a long key': lambda dice, resource, count: (hold(resource), text(dice, KEY_MAX), {}),
    'the wrong partition': lambda dice, resource, count: (
        hold(resource), resource, {'partition': wrong_place(dice, resource, count)}),
    'a huge value': lambda dice, resource, count: (text(dice, 1000) * (HUGE // 1000), resource, {}),
    'huge, but JSON': lambda dice, resource, count: (hold(resource, note='x' * HUGE), resource, {}),
    'many headers': lambda dice, resource, count: (
        hold(resource), resource, {'headers': [(f'h{number}', b'x' * 500) for number in range(200)]}),
}


def bomb(dice, codec, size_mb):
    """The value of one."""
    return dice.choice([b'0', b'{', b'[', b'"', b' ']) * (size_mb * 1_000_000)
