"""Carts over several resources, by libusher's sellers: sold whole or not at all, whatever is killed or stands still."""

import contextlib
import itertools
import json
import signal
import socket
import struct
import time

import pytest

from harness.realm import STEADY, Realm
from harness.seller import Seller, about, take
from harness.shows import places, standing, verdict
from harness.topics import alter_topic
from harness.waiting import PATIENCE_S, await_stopped, eventually, pause

SHOWS = ('show:a', 'show:b', 'hotel:c')
FENCED = 5
MARGIN_MS = 2000
CARTS_PER_TRANSACTION = 100


def furnish(realm, *shows, units=1000):
    realm.worker()
    for show in shows or SHOWS:
        realm.ask('define', show, **standing(units))
    return realm


@pytest.fixture(scope='module')
def house(stack):
    """Resources in several partitions."""
    one = furnish(Realm(stack, 'carts', partitions=4, **STEADY))
    assert one.sql('select count(distinct partition) from usher.decision')[0][0] > 1
    yield one
    one.check()
    one.close()


def one_of_each(cart, **more):
    return take(cart, *((show, 'floor', 1) for show in SHOWS), **more)


def outcome(result):
    return result['state'], [line['reason'] or line['outcome'] for line in result['lines']]


def states(realm, cart):
    """Of the bookings of a cart."""
    return [state for state, in realm.sql('select state from usher.booking where cart = %s order by 1', cart)]


def await_left(cart, left_ms):
    """Waits until so much is left of the holds."""
    ends_ms = min(line['expires_ms'] for line in cart['lines'])
    eventually(lambda: time.time() * 1000 > ends_ms - left_ms)


# ---- what is asked ----
def test_a_cart_is_taken_extended_sold_and_found_sold(house):
    seller = Seller(house)
    held = seller.do(one_of_each('plain'))
    assert outcome(held) == ('held', ['held'] * 3)
    extended = seller.do(about('extend', held, 900))
    assert outcome(extended) == ('held', ['extended'] * 3)
    assert all(new['expires_ms'] > old['expires_ms'] for new, old in zip(extended['lines'], held['lines']))
    added = house.ask('hold', 'show:a', customer='c', cart='plain', items=places('floor', 1), ttl_s=600)
    sold = seller.do(about('sell', extended))
    assert outcome(sold) == ('sold', ['confirmed'] * 3)
    assert seller.do(about('sell', extended)) == sold, 'a repeat says the same'
    for again in (one_of_each('plain'), about('release', held), about('settle', held)):
        assert outcome(seller.do(again)) == ('sold', ['already_confirmed'] * 3), again
    assert states(house, 'plain') == ['confirmed'] * 3 + ['held'], 'what was added meanwhile is not paid for'
    assert verdict(house.ask('release', 'show:a', customer='c', booking=added['booking'])) == ('released', None)
    assert seller.end()[0] == 0


def test_a_booking_of_the_cart_that_has_expired_refuses_none_of_its_lines(house):
    """Nor is it looked at that its unit is somebody else's: sold are the bookings that were paid for."""
    house.ask('define', 'show:tight', **standing(2))
    seller = Seller(house)
    held = seller.do(take('beside', ('show:tight', 'floor', 1), ('hotel:c', 'floor', 1), ttl_s=600))
    house.ask('hold', 'show:tight', customer='c', cart='beside', items=places('floor', 1), ttl_s=1)
    eventually(lambda: states(house, 'beside') == ['expired', 'held', 'held'])
    other = house.ask('book', 'show:tight', customer='d', items=places('floor', 1))
    assert verdict(other) == ('confirmed', None)
    assert outcome(seller.do(about('sell', held))) == ('sold', ['confirmed'] * 2)
    assert states(house, 'beside') == ['confirmed', 'confirmed', 'expired']
    assert seller.end()[0] == 0


def test_where_lines_are_refused_the_others_are_released(house):
    seller = Seller(house)
    refused = seller.do(take('none', ('show:a', 'floor', 2000), ('show:b', 'floor', 1), ('hotel:c', 'floor', 2000)))
    assert outcome(refused) == ('refused', ['not_enough', 'held', 'not_enough'])
    assert states(house, 'none') == ['released']
    held = seller.do(one_of_each('back'))
    assert outcome(seller.do(about('release', held))) == ('gone', ['released'] * 3)
    assert outcome(seller.do(one_of_each('back'))) == ('gone', ['already_released'] * 3), 'a repeated "held" is not believed'
    seller.do(one_of_each('half', ttl_s=0))
    house.ask('release', 'show:b', customer='c', booking='half.h2')
    assert outcome(seller.do(one_of_each('half', ttl_s=0))) == ('refused', ['held', 'already_released', 'held'])
    assert states(house, 'half') == ['released'] * 3
    assert seller.end()[0] == 0


def test_carts_that_take_the_last_units_from_each_other(make_realm):
    realm = make_realm(partitions=4)
    realm.worker()
    one, other = Seller(realm, 'one'), Seller(realm, 'other')
    crossed = False
    for turn in itertools.count():
        shows = [f'show:{turn}-{side}' for side in 'ab']
        for show in shows:
            realm.ask('define', show, **standing(1))
        one.write(take(f'x{turn}', *((show, 'floor', 1) for show in shows)))
        other.write(take(f'y{turn}', *((show, 'floor', 1) for show in reversed(shows))))
        found = [one.read(), other.read()]
        held = [cart for cart in found if cart['state'] == 'held']
        assert len(held) <= 1 and all(cart['state'] in ('held', 'refused') for cart in found), found
        assert sorted(states(realm, f'x{turn}') + states(realm, f'y{turn}')).count('held') == 2 * len(held)
        crossed = crossed or any(line['booking'].endswith('-2') for cart in held for line in cart['lines'])
        if crossed:
            break
        assert turn < 200, 'they cross again and again, and nobody wins'
    assert one.end()[0] == other.end()[0] == 0


# ---- the rule ----
def test_too_little_time_sells_nothing_and_lets_others_be_sold(house):
    seller = Seller(house)
    carts = seller.do_all(one_of_each('short', ttl_s=2), one_of_each('long'))
    results = seller.do_all(about('sell', carts['short']), about('sell', carts['long']))
    assert results['short']['state'] == 'aborted' and 'the hold of short.h1 ends in ' in results['short']['error'], results
    assert results['long']['state'] == 'sold'
    calls = seller.end()[1][-1]
    assert (calls['abort'], calls['commit']) == (1, 1)
    eventually(lambda: states(house, 'short') == ['expired'] * 3)
    house.ask('probe', 'show:a')
    assert house.sql("select count(*) from usher.decision where request_id like 'short.%%.c'") == [(0,)]


def test_the_time_of_the_last_acknowledgement_counts(house):
    """The first confirm is in time, the last is not; and what passes after it changes nothing."""
    seller = Seller(house, breaks='sleep:produce:6,sleep:commit:1')
    held = seller.do(one_of_each('last', ttl_s=5))
    await_left({'lines': held['lines'][-1:]}, MARGIN_MS + 900)  # where holds took their time, the others end before
    aborted = seller.do(about('sell', held))
    assert aborted['state'] == 'aborted', aborted
    held = seller.do(about('extend', held, 600))
    if held['state'] == 'held':
        assert seller.do(about('sell', held))['state'] == 'sold'
    assert seller.end()[0] == 0


def test_topics_without_append_times_sell_nothing(make_realm):
    realm = furnish(make_realm(partitions=4))
    alter_topic(realm.brokers, realm.client.topic, message_timestamp_type='CreateTime', cleanup_policy='delete', retention_ms='-1')
    seller = Seller(realm)
    result = seller.do(about('sell', seller.do(one_of_each('create'))))
    assert result['state'] == 'aborted' and 'does not record append times' in result['error'], result
    assert seller.end()[0] == 0


def test_carts_share_a_transaction_up_to_a_hundred(house):
    seller = Seller(house)
    names = [f'many{number}' for number in range(CARTS_PER_TRANSACTION + 5)]
    carts = seller.do_all(*(one_of_each(name) for name in names))
    results = seller.do_all(*(about('sell', carts[name]) for name in names))
    assert {result['state'] for result in results.values()} == {'sold'}
    assert seller.end()[1][-1]['commit'] == 2


# ---- who dies ----
def count_calls(house, cart):
    """From the take to the end of the sale."""
    seller = Seller(house)
    assert seller.do(about('sell', seller.do(one_of_each(cart))))['state'] == 'sold'
    return seller.end()[1][-1]['calls']


def sell_until_killed(seller, cart):
    """What is known of the cart by then."""
    held = {'cart': cart, 'lines': [{'resource': show, 'booking': f'{cart}.h{number}', 'expires_ms': 0}
                                    for number, show in enumerate(SHOWS, 1)]}
    with contextlib.suppress(BrokenPipeError, json.JSONDecodeError):
        seller.write(one_of_each(cart))
        held = seller.read()
        seller.write(about('sell', held))
        seller.read()
    assert seller.end()[0] == -signal.SIGKILL
    return held


@pytest.mark.parametrize('then', ['sell', 'settle'])
def test_a_seller_is_killed_before_every_call(house, then):
    """Its successor sells the cart, or settles it."""
    found = []
    for number in range(1, count_calls(house, then) + 1):
        cart = f'{then}{number}'
        held = sell_until_killed(Seller(house, breaks=f'kill:{number}'), cart)
        successor = Seller(house)
        if then == 'sell':
            held = successor.do(one_of_each(cart))
            assert held['state'] in ('held', 'sold'), held
        found.append(successor.do(about(then, held))['state'])
        assert successor.end()[0] == 0
        if found[-1] == 'sold':
            assert states(house, cart) == ['confirmed'] * 3, number
        else:
            assert found[-1] == 'gone' and set(states(house, cart)) <= {'released'}, number
    assert set(found) == ({'sold'} if then == 'sell' else {'gone', 'sold'}), found


def test_a_seller_that_stood_still_in_its_transaction_is_over(house):
    stopped = Seller(house, breaks='stop:commit:1')
    held = stopped.do(one_of_each('still'))
    stopped.write(about('sell', held))
    await_stopped(stopped.process)
    assert verdict(house.ask('probe', 'show:a')) == ('alive', None), 'Kafka has aborted it'
    stopped.resume()
    assert stopped.read()['state'] == 'unknown'
    code, _left, error = stopped.end()
    assert code == FENCED and 'stood still for too long' in error, error
    assert states(house, 'still') == ['held'] * 3
    successor = Seller(house)
    assert outcome(successor.do(about('settle', held))) == ('gone', ['released'] * 3)
    assert outcome(successor.do(about('sell', held))) == ('gone', ['already_released'] * 3), 'for good'
    assert successor.end()[0] == 0


@pytest.mark.parametrize('operation', ['sell', 'settle'])
def test_a_seller_that_stood_still_does_not_take_the_id_from_its_successor(house, operation):
    cart = f'idle-{operation}'
    stopped = Seller(house)
    held = stopped.do(one_of_each(cart))
    pause(stopped.process)
    successor = Seller(house)
    assert successor.do(one_of_each(cart))['state'] == 'held'
    stopped.resume()
    assert stopped.do(about(operation, held))['state'] == 'unknown'
    assert stopped.end()[0] == FENCED
    assert outcome(successor.do(about('sell', held))) == ('sold', ['confirmed'] * 3)
    assert successor.end()[0] == 0


def test_what_was_sold_in_part_is_said(house):
    """The house has cancelled a line of a cart."""
    seller = Seller(house)
    held = seller.do(one_of_each('part'))
    assert seller.do(about('sell', held))['state'] == 'sold'
    house.ask('cancel', 'show:b', customer='c', booking='part.h2', force=True)
    assert outcome(seller.do(about('settle', held))) == ('mixed', ['already_confirmed', 'already_cancelled', 'already_confirmed'])
    held = seller.do(one_of_each('part2'))
    house.ask('release', 'show:b', customer='c', booking='part2.h2')
    assert outcome(seller.do(about('sell', held))) == ('mixed', ['confirmed', 'already_released', 'confirmed'])
    late = seller.do(one_of_each('late', ttl_s=1))
    eventually(lambda: states(house, 'late') == ['expired'] * 3)
    assert outcome(seller.do(about('settle', late)))[0] == 'gone'
    assert seller.end()[0] == 0


# ---- epochs ----
class Coordinator:
    """Kafka's transaction coordinator, asked as a client with its own idea of an epoch would."""

    def __init__(self, realm, name):
        host, port = realm.brokers.split(':')
        self.socket = socket.create_connection((host, int(port)), PATIENCE_S)
        self.name = f'{realm.name}-{name}'.encode()

    def _ask(self, key, version, body, flexible=False):
        head = struct.pack('>hhih', key, version, 1, 4) + b'test' + (b'\0' if flexible else b'')
        self.socket.sendall(struct.pack('>i', len(head + body)) + head + body)
        size, = struct.unpack('>i', self._read(4))
        return self._read(size)[5 if flexible else 4:]

    def _read(self, size):
        got = b''
        while len(got) < size:
            got += self.socket.recv(size - len(got)) or pytest.fail('Kafka hung up')
        return got

    def epoch(self):
        """(producer id, epoch) by DescribeTransactions."""
        name = bytes([len(self.name) + 1]) + self.name
        answer = self._ask(65, 0, b'\x02' + name + b'\0', flexible=True)
        error, = struct.unpack_from('>h', answer, 5)
        assert error == 0, error
        at = 7 + len(name)
        at += 1 + answer[at] - 1  # the state
        _timeout, _start, producer, epoch = struct.unpack_from('>iqqh', answer, at)
        return producer, epoch

    def commit(self, producer, epoch):
        """The error of EndTxn."""
        name = struct.pack('>h', len(self.name)) + self.name
        return struct.unpack_from('>h', self._ask(26, 1, name + struct.pack('>qhb', producer, epoch, 1)), 4)[0]


def test_a_commit_that_comes_late_ends_no_other_transaction(house):
    """One that took long is followed by a new epoch."""
    seller = Seller(house, 'slow', breaks='sleep:commit:1,stop:commit:2')
    coordinator = Coordinator(house, 'slow')
    first, second = map(seller.do_all(one_of_each('slow1'), one_of_each('slow2')).get, ('slow1', 'slow2'))
    before = coordinator.epoch()
    assert seller.do(about('sell', first))['state'] == 'sold'
    assert coordinator.epoch() == before
    seller.write(about('sell', second))
    await_stopped(seller.process)
    assert coordinator.commit(*before) in (47, 90), 'the old epoch is refused'
    assert states(house, 'slow2') == ['held'] * 3
    seller.resume()
    assert seller.read()['state'] == 'sold'
    assert seller.end()[1][-1]['init'] == 2


def test_a_quick_sale_goes_on_in_the_same_epoch(house):
    seller = Seller(house, 'quick')
    for number in range(3):
        assert seller.do(about('sell', seller.do(one_of_each(f'quick{number}'))))['state'] == 'sold'
    coordinator = Coordinator(house, 'quick')
    before = coordinator.epoch()
    seller.do(about('settle', {'cart': 'nothing', 'lines': [{'resource': 'show:a', 'booking': 'nothing.h1', 'expires_ms': 0}]}))
    assert coordinator.epoch() > before, 'to settle begins a new epoch'
    assert seller.end()[0] == 0


def test_a_lost_connection_is_followed_by_a_new_epoch(make_realm, parts):
    """However quick the sale before was: librdkafka may have sent its commit twice."""
    realm = furnish(make_realm(partitions=4))
    seller = Seller(realm)
    assert seller.do(about('sell', seller.do(one_of_each('before'))))['state'] == 'sold'
    parts.kill('kafka')
    parts.start('kafka')
    assert seller.do(about('sell', seller.do(one_of_each('after'))))['state'] == 'sold'
    assert seller.end()[1][-1]['init'] >= 2


@pytest.mark.parametrize('call', ['begin', 'commit'])
def test_the_broker_is_killed_in_the_middle_of_a_sale(make_realm, parts, call):
    realm = furnish(make_realm(partitions=4))
    seller = Seller(realm, breaks=f'stop:{call}:1')
    held = seller.do(one_of_each('broken'))
    seller.write(about('sell', held))
    await_stopped(seller.process)
    parts.kill('kafka')
    parts.start('kafka')
    seller.resume()
    result = seller.read()
    if result['state'] != 'sold':
        assert result['state'] in ('unknown', 'aborted'), result
        seller.end()
        successor = Seller(realm)
        assert successor.do(about('sell', held))['state'] == 'sold'
        assert successor.end()[0] == 0
    else:
        assert seller.do(about('sell', seller.do(one_of_each('after'))))['state'] == 'sold'
        assert seller.end()[1][-1]['init'] >= 2, 'a lost connection is followed by a new epoch'
    assert states(realm, 'broken') == ['confirmed'] * 3
