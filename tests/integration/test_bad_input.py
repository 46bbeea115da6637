"""Bad records: each gets an `invalid` answer with a seq of its own, lies in the dead-letter topic with its bytes, and
the next request is unharmed."""

import json
import subprocess

import pytest

from harness.realm import STEADY
from harness.shows import places, standing, verdict
from harness.waiting import PATIENCE_S, eventually
from oracle.partitioner import partition_of

pytestmark = pytest.mark.smoke


def hold(resource, **changes):
    request = {'request_id': 'bad-1', 'op': 'hold', 'resource': resource, 'customer': 'c', 'client': 'web',
               'items': [{'section': 'floor', 'quantity': 1}], **changes}
    return json.dumps(request).encode()


def check_invalid(world, resource, value, reason='malformed', key=None, request_id=None, **options):
    """Sends a bad record and then a good one to the same partition."""
    key = resource.encode() if key is None else key
    options.setdefault('partition', partition_of(resource.encode(), world.partitions))
    answer = world.client.ask_raw(value, key or None, **options)
    assert verdict(answer) == ('invalid', reason)
    assert answer['request_id'] == request_id and answer['detail'] and 'rev' not in answer
    if options['partition'] == partition_of(resource.encode(), world.partitions):
        following = world.ask('hold', resource, customer='c', items=places('floor', 1))
        assert verdict(following) == ('held', None)
        assert following['seq'] > answer['seq']
    letter, headers = world.client.dead_letters.await_one((answer['source']['partition'], answer['source']['offset']))
    assert letter.value() == value and (letter.key() or b'') == (key or b'')
    assert headers['dlq-reason'] == reason.encode()
    assert headers['dlq-topic'] == world.client.topic.encode()
    assert headers['dlq-detail'] == headers['__connect.errors.exception.message'] == answer['detail'].encode()
    assert headers['dlq-time'] == answer['decided_at'].encode()
    assert headers.get('dlq-request-id') == (request_id and request_id.encode())
    return answer


@pytest.fixture(name='floor')
def floor_fixture(world, name):
    show = name()
    world.ask('define', show, **standing(100))
    return show


def test_more_bytes_of_dead_letters_than_a_page_has_to_be_sent_again(make_realm):
    """All come again where a new owner finds that nothing was published; none where the last one left in order."""
    realm = make_realm()
    worker = realm.worker(**STEADY)
    sent = [realm.client.send_raw(bytes([number]) * 1_000_000, 'show') for number in range(20)]
    assert {verdict(answer) for answer in realm.client.answers_to(sent)} == {('invalid', 'malformed')}
    def set_aside(count, times):
        eventually(lambda: [len(messages) for messages in realm.client.dead_letters.by_source.values()] == count * [times],
                   f'each is set aside {times} times')
    set_aside(20, 1)
    assert worker.stop() == 0
    worker = realm.worker()
    realm.client.answers_to([realm.client.send_raw(b'another', 'show')])
    set_aside(21, 1) # those of the takeover would have come before the last one
    worker.kill()
    realm.sql('update usher.partition_state set published_seq = 0, published_result_offset = null')
    realm.worker()
    set_aside(21, 2)
    for (_message, headers), (_again, headers_again) in realm.client.dead_letters.by_source.values():
        assert headers == headers_again and headers['dlq-detail'] and headers['dlq-time']
    realm.check()


UNREADABLE = {
    'no JSON': b'book me a seat', 'nothing': b'', 'an array': b'[1,2]', 'cut off': hold('x')[:-1],
    'text behind': hold('x') + b'{}', 'bad UTF-8': hold('x').replace(b'web', b'w\xffb'),
    'a key twice': hold('x')[:-1] + b',"op":"open"}', 'deeply nested': b'{"a":' + b'[' * 200 + b']' * 200 + b'}',
    'a zero byte': b'\0', 'Avro': b'\0\0\0\0\7\2\6abc', 'a lone surrogate': b'{"a":"\\ud800"}',
    'a number beyond 64 bits': hold('x', ttl_s=2**63), 'a number of no size': hold('x')[:-1] + b',"n":[1e400]}',
    'NaN': hold('x')[:-1] + b',"n":NaN}', 'a zero byte in a name': hold('x', customer='a\0b'),
    'a lone surrogate in a name': hold('x', customer='\ud800'), 'too deep, and an id': hold('x')[:-1] + b',"n":' + b'[' * 200,
}


@pytest.mark.parametrize('value', UNREADABLE.values(), ids=UNREADABLE.keys())
def test_unreadable(world, floor, value):
    """Its id is said all the same where there is one."""
    answer = check_invalid(world, floor, value, request_id='bad-1' if b'bad-1' in value else None)
    if b'bad-1' in value:
        assert answer['resource'] == 'x' and answer.get('client') == ('web' if b'web' in value else None)


def test_a_number_that_64_bits_cannot_hold(world, floor):
    """The complaint names the field and the number."""
    for number in (str(2**63), str(2**64 + 1), '-9223372036854775809', '1e400'):
        value = hold(floor, items=[{'section': 'floor', 'quantity': 0}]).replace(b'"quantity": 0', b'"quantity": ' + number.encode())
        answer = check_invalid(world, floor, value, request_id='bad-1')
        assert answer['detail'].startswith(f'items[0].quantity: number too large {number} ')


WRONG = {
    'unknown op': {'op': 'steal'}, 'no customer': {'customer': None}, 'no items': {'items': []},
    'a quantity of 0': {'items': [{'section': 'floor', 'quantity': 0}]},
    'a seat twice': {'items': [{'seats': ['A-1', 'A-1']}]},
    'a fraction': {'items': [{'section': 'floor', 'quantity': 1.5}]},
    'from not before to': {'items': [{'room': 'r', 'quantity': 1, 'from': '2026-01-02', 'to': '2026-01-02'}]},
    'too many units': {'items': [{'section': 'floor', 'quantity': 4001}]},
    'a condition that the op does not know': {'return_at': '2030-01-01T00:00:00Z'},
    'a time to wait that is none': {'wait_until': 'tomorrow'},
    'no way to fall short': {'shortage': 'some'},
    'sections beside a section': {'items': [{'section': 'floor', 'sections': ['floor'], 'quantity': 1}]},
    'a transfer to nobody': {'op': 'transfer', 'booking': 'b', 'items': None},
    'a cart of nobody': {'op': 'release', 'cart': 'k', 'customer': None, 'items': None, 'force': True},
    'one byte too large': {'padding': 'x' * (65537 - len(hold('x', padding='')))},
}


@pytest.mark.parametrize('change', WRONG.values(), ids=WRONG.keys())
def test_readable_but_wrong(world, floor, change):
    value = hold('x', **change)
    if 'padding' in change:
        value = hold(floor, padding='x' * (65537 - len(hold(floor, padding=''))))
        assert len(value) == 65537
    else:
        value = hold(floor, **change)
    answer = check_invalid(world, floor, value, request_id='bad-1')
    assert (answer['resource'], answer['client']) == (floor, 'web')


def test_as_large_as_allowed(world, floor):
    value = hold(floor, request_id='large-1', padding='x' * (65536 - len(hold(floor, request_id='large-1', padding=''))))
    assert len(value) == 65536
    assert verdict(world.client.ask_raw(value, floor)) == ('held', None)


def test_the_framing_of_a_schema_registry(world, floor):
    """As a serializer of JSON Schema writes it."""
    assert verdict(world.client.ask_raw(b'\0\0\0\0\7' + hold(floor, request_id='framed-1'), floor)) == ('held', None)


def test_a_tombstone(world, floor):
    place = world.client.send_raw(None, floor)
    answer = world.client.answers_to([place])[0]
    assert verdict(answer) == ('invalid', 'malformed') and answer['request_id'] is None
    assert verdict(world.ask('hold', floor, customer='c', items=places('floor', 1))) == ('held', None)


def test_no_key(world, floor):
    check_invalid(world, floor, hold(floor), key=b'', request_id='bad-1')


def test_a_key_that_is_not_the_resource(world, floor):
    check_invalid(world, floor, hold(floor + '-other'), request_id='bad-1')


def test_a_key_that_is_no_text(world, floor):
    check_invalid(world, floor, hold(floor), key=b'\xff\x00\xfe', request_id='bad-1')


def test_the_wrong_partition(world, floor):
    wrong = (partition_of(floor.encode(), world.partitions) + 1) % world.partitions
    answer = check_invalid(world, floor, hold(floor), reason='wrong_partition', request_id='bad-1', partition=wrong)
    assert answer['source']['partition'] == wrong
    # It used up nothing: the same request is decided where it belongs.
    assert verdict(world.client.ask_raw(hold(floor), floor)) == ('held', None)


def test_bad_records_among_good_ones_cost_nothing_but_themselves(world, floor):
    places_in_log, good = [], []
    partition = partition_of(floor.encode(), world.partitions)
    for number in range(60):
        value = hold(floor, request_id=f'mixed-{number}')
        if number % 3 == 0:
            value = list(UNREADABLE.values())[number // 3 % len(UNREADABLE)]
        else:
            good.append(number)
        slot = []
        world.client.put(value, floor, slot, partition=partition)
        places_in_log.append(slot)
    world.client.flush()
    answers = world.client.answers_to([slot[0] for slot in places_in_log])
    for number, answer in enumerate(answers):
        assert answer['outcome'] == ('held' if number in good else 'invalid')
    assert answers[-1]['free'] == 60


def test_kcat_is_enough_to_book(world, floor):
    done = subprocess.run(
        ['kcat', '-P', '-b', world.brokers, '-t', world.client.topic, '-k', floor, '-X', 'partitioner=murmur2_random',
         '-X', 'log_level=0'],
        input='{"request_id":"by-kcat","op":"book","resource":"%s","customer":"c","items":[{"section":"floor",'
              '"quantity":2}]}\n' % floor, text=True, capture_output=True, timeout=PATIENCE_S, check=True)
    assert done.stderr == ''
    answer = world.client.answers.await_one(lambda one: one['request_id'] == 'by-kcat')
    assert verdict(answer) == ('confirmed', None) and answer['free'] == 98
